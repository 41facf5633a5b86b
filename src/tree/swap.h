/* SPDX-License-Identifier: MIT */
/*
 * Changing a tree while it is read: the writer prepares the inactive buffer, builds it, and
 * publishes a new generation. Nobody waits for readers: one that still reads the buffer being
 * filled finds the generation changed and throws its answer away (view.h).
 */
#ifndef SDPOWER_I_SWAP_H
#define SDPOWER_I_SWAP_H

#include "build.h"

/* The active tree, for the control side, which is the only one to change it. */
static inline struct sdpower_i_tree *sdpower_i_active_tree(struct sdpower_i_forest *f)
{
	return &f->trees[f->generation & 1u];
}

/* The other one, holding the active one's knobs, cpu states and partitions. */
struct sdpower_i_tree *sdpower_i_prepare(struct sdpower_i_forest *f);

/* Makes the prepared and built tree the active one. */
void sdpower_i_publish_tree(struct sdpower_i_forest *f);

/* What differs between two built trees. */
struct sdpower_i_difference {
	uint32_t cpus;                      /* whose chain differs */
	uint32_t flags_before, flags_after; /* that any chain carries */
	uint32_t map_before, map_after;     /* cpus in the tree */
};

/* Before comparing chains one by one: nothing of `a` has been compared yet. */
void sdpower_i_compare_start(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a);

/* True iff the cpu at the position sees other domains, flags or powers in `b` than in `a`. */
int sdpower_i_chain_differs(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a,
	const struct sdpower_i_tree *b, uint32_t pos);

/* Compares all chains; marks the cpus that differ in `changed`, if given. */
void sdpower_i_compare(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a,
	const struct sdpower_i_tree *b, uint32_t *changed, uint32_t words,
	struct sdpower_i_difference *difference);

#endif
