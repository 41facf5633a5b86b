/* SPDX-License-Identifier: MIT */
/*
 * NUMA levels of the modern rules. Level 0 is NODE (the least distance), level k the k-th
 * further distinct distance between nodes with online cpus; the mask of a node at a level is
 * its ball: the nodes no farther than the level's distance.
 */
#ifndef SDPOWER_I_NUMA_H
#define SDPOWER_I_NUMA_H

#include "build.h"
#include "order.h"

/* Fills scratch->numa for the online nodes of the tree. */
void sdpower_i_numa_levels(const struct sdpower_i_forest *f);

/* True iff `other` is in the ball of `node`; a node is always in its own. */
static inline int sdpower_i_ball_has(const struct sdpower_i_forest *f, uint32_t level, uint32_t node,
	uint32_t other)
{
	return node == other || f->distances[(size_t)node * f->node_count + other] <=
		f->scratch->numa.distance[level];
}

/* Cpus of the map in the ball around a cpu's node, its partition only. */
uint32_t sdpower_i_ball_weight(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level, uint32_t pos);

/* Leaders of the balls as classes; the level must be an equivalence. */
void sdpower_i_ball_leaders(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level, uint16_t *lead);

/* emit_numa.c: domains of the NUMA levels; class layers must be emitted before. */
void sdpower_i_emit_numa(const struct sdpower_i_forest *f, struct sdpower_i_tree *t);

#endif
