/* SPDX-License-Identifier: MIT */
/* Builds one tree buffer from its knobs, cpu states and partitions. */
#include "build.h"
#include "blocks.h"

#include <sdpower/instance.h>

static void count_online(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	uint16_t *online = f->scratch->node_online;
	uint32_t count = 0;

	for (uint32_t node = 0; node < f->node_count; node++)
		online[node] = 0;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (t->state[pos] & SDPOWER_I_ONLINE) {
			online[f->key[SDPOWER_I_KEY_NODE][pos]]++;
			count++;
		}
	sdpower_i_store(&t->online_count, count);
}

static void mark_active(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	for (uint32_t block = 0; block < f->block_count; block++) {
		const struct sdpower_i_block *b = &f->blocks[block];
		uint32_t bits = 0;

		for (uint32_t i = 0; i < b->count; i++)
			bits |= (uint32_t)sdpower_i_in_map(t, b->first + i) << i;
		sdpower_i_store16(&t->active[block], (uint16_t)bits);
	}
}

/* Until emit.c knows the domains, own_group holds the layer. */
static void link_chain(const struct sdpower_i_forest *f, struct sdpower_i_tree *t, uint32_t pos,
	const struct sdpower_i_step *steps, uint32_t count)
{
	SDPOWER_ASSERT(count <= f->depth_max);
	for (uint32_t i = 0; i < count; i++) {
		struct sdpower_i_link *link = &t->links[(size_t)pos * f->depth_max + i];

		sdpower_i_store(&link->flags, steps[i].shape.flags | f->wake_flags);
		sdpower_i_store(&link->imb_numa_nr, steps[i].imb_numa_nr);
		sdpower_i_store16(&link->domain, 0);
		sdpower_i_store16(&link->own_group, steps[i].layer);
	}
	sdpower_i_store16(&t->depth[pos], (uint16_t)count);
}

static void link_chains(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	struct sdpower_i_step *steps = f->scratch->steps;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		uint32_t count = 0;

		if (sdpower_i_in_map(t, pos)) {
			count = f->tree_rules == SDPOWER_TREE_MODERN ?
				sdpower_i_modern_steps(f, t, pos, steps) :
				sdpower_i_classic_steps(f, t, pos, steps);
			count = sdpower_i_prune(f, steps, count);
		}
		link_chain(f, t, pos, steps, count);
	}
}

sdpower_status sdpower_i_build(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	sdpower_status status;

	count_online(f, t);
	status = f->tree_rules == SDPOWER_TREE_MODERN ? sdpower_i_modern_layers(f, t) :
		sdpower_i_classic_layers(f, t);
	if (status != SDPOWER_OK)
		return status;
	mark_active(f, t);
	link_chains(f, t);
	sdpower_i_emit(f, t);
	sdpower_i_mark_blocks(f, t);
	return SDPOWER_OK;
}
