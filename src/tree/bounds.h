/* SPDX-License-Identifier: MIT */
/* How large the arrays of a tree can ever get on a machine. */
#ifndef SDPOWER_I_BOUNDS_H
#define SDPOWER_I_BOUNDS_H

#include "tree.h"

#include <sdpower/topology.h>

/* Fills the bounds for a checked topology; no memory, no writes elsewhere. */
void sdpower_i_bounds_of(const struct sdpower_topology *t, uint32_t tree_rules,
	uint32_t partitions, struct sdpower_i_bounds *bounds);

/* numa_bounds.c: adds what the NODE and NUMA levels of the modern rules need. */
void sdpower_i_numa_bounds(const struct sdpower_topology *t, uint32_t partitions,
	struct sdpower_i_bounds *bounds);

/* Bounds stop growing here: no memory holds such a tree, and sums must not wrap. */
#define SDPOWER_I_BOUND_MOST 0x3fffffffu

static inline void sdpower_i_bound_add(uint32_t *bound, uint64_t more)
{
	*bound = more < SDPOWER_I_BOUND_MOST - *bound ? *bound + (uint32_t)more :
		SDPOWER_I_BOUND_MOST;
}

#endif
