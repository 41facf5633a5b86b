/* SPDX-License-Identifier: MIT */
/* The inactive tree: prepared from the active one, and published in its place. */
#include "swap.h"

struct sdpower_i_tree *sdpower_i_prepare(struct sdpower_i_forest *f)
{
	const struct sdpower_i_tree *from = sdpower_i_active_tree(f);
	struct sdpower_i_tree *to = &f->trees[(f->generation & 1u) ^ 1u];

	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		sdpower_i_store16(&to->partition[pos], from->partition[pos]);
		sdpower_i_store16(&to->state[pos], from->state[pos]);
	}
	sdpower_i_store(&to->partition_count, from->partition_count);
	sdpower_i_store(&to->mc, from->mc);
	sdpower_i_store(&to->smt, from->smt);
	return to;
}

void sdpower_i_publish_tree(struct sdpower_i_forest *f)
{
	uint32_t next = f->generation + 1;

	if (next == 0)
		next = 2; /* 0 means "never", and the parity names the buffer */
	sdpower_i_store(&f->trees[next & 1u].serial, next);
	/*
	 * Full order on both sides: the tree before its generation, and the generation before
	 * the first word of the next filling, so that whoever reads that word can also see
	 * that his buffer is no longer the active one.
	 */
	sdpower_i_store_full(&f->generation, next);
}
