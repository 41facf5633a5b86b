/* SPDX-License-Identifier: MIT */
/* Is the numbering a numbering, and do blocks nest in what they must not cross? */
#include "check.h"

#include "../topology/diag.h"

static sdpower_status wrong(struct sdpower_diag *diag, uint32_t pos, const char *what)
{
	sdpower_i_diag_start(diag, SDPOWER_ECORRUPT);
	sdpower_i_diag_str(diag, "position ");
	sdpower_i_diag_u32(diag, pos);
	sdpower_i_diag_str(diag, what);
	return SDPOWER_ECORRUPT;
}

static int crosses(const struct sdpower_i_forest *f, uint32_t a, uint32_t b)
{
	for (uint32_t key = SDPOWER_I_KEY_NODE; key <= SDPOWER_I_KEY_LLC; key++)
		if (f->key[key][a] != f->key[key][b])
			return 1;
	return 0;
}

sdpower_status sdpower_i_check_numbering(const struct sdpower_i_forest *f, struct sdpower_diag *diag)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint32_t node = f->key[SDPOWER_I_KEY_NODE][pos];
		const struct sdpower_i_block *b;

		if (f->cpu_at[pos] >= f->cpu_count || f->pos_of[f->cpu_at[pos]] != pos)
			return wrong(diag, pos, ": numbering is not one to one");
		if (node >= f->node_count || pos < f->node_first[node] || pos >= f->node_first[node + 1])
			return wrong(diag, pos, ": lies outside its node");
		if (f->block_at[pos] >= f->block_count)
			return wrong(diag, pos, ": no such block");
		b = &f->blocks[f->block_at[pos]];
		if (b->count == 0 || b->count > SDPOWER_I_BLOCK_CPUS || pos < b->first ||
				pos >= (uint32_t)b->first + b->count)
			return wrong(diag, pos, ": lies outside its block");
		if (crosses(f, b->first, pos))
			return wrong(diag, pos, ": its block crosses a node, package or cache");
	}
	return SDPOWER_OK;
}
