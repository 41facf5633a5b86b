/* SPDX-License-Identifier: MIT */
/* Placing a forest in the caller's block, and filling what never changes. */
#ifndef SDPOWER_I_PLACE_H
#define SDPOWER_I_PLACE_H

#include "build.h"
#include "order.h"

#include "../topology/arena.h"

/* Everything of a forest that lies outside its struct. */
struct sdpower_i_ground {
	struct sdpower_i_numbering numbering;
	struct sdpower_i_tree trees[2];
	struct sdpower_i_scratch *scratch;
};

/* Takes room for the bounds; the same walk asks the size when the arena has no block. */
void sdpower_i_place(struct sdpower_i_arena *arena, uint32_t tree_rules,
	const struct sdpower_i_bounds *b, struct sdpower_i_ground *ground);

/* Fills a zeroed forest from a checked topology, the bounds and the ground; builds nothing. */
void sdpower_i_plant(struct sdpower_i_forest *f, const struct sdpower_topology *t,
	const struct sdpower_i_bounds *b, const struct sdpower_i_ground *ground);

#endif
