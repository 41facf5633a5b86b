/* SPDX-License-Identifier: MIT */
/* The numbering: positions in topology order, dense ids, blocks. Made once by init. */
#ifndef SDPOWER_I_ORDER_H
#define SDPOWER_I_ORDER_H

#include "tree.h"

#include <sdpower/topology.h>

/* Distances of a machine that tells none. */
#define SDPOWER_I_LOCAL_DISTANCE 10u
#define SDPOWER_I_REMOTE_DISTANCE 20u
/* Distances below and above these mean that there are no NUMA levels (modern). */
#define SDPOWER_I_DISTANCE_LEAST 10u
#define SDPOWER_I_DISTANCE_MOST 255u

#define SDPOWER_I_BIT(key) (1u << (key))
/* Keys a block may not cross, so that blocks nest in every group larger than them. */
#define SDPOWER_I_BLOCK_KEYS (SDPOWER_I_BIT(SDPOWER_I_KEY_NODE) | \
	SDPOWER_I_BIT(SDPOWER_I_KEY_DRAWER) | SDPOWER_I_BIT(SDPOWER_I_KEY_BOOK) | \
	SDPOWER_I_BIT(SDPOWER_I_KEY_PACKAGE) | SDPOWER_I_BIT(SDPOWER_I_KEY_LLC))

/* The id of a cpu under a key, as the table has it; node 0 where there are no nodes. */
uint32_t sdpower_i_id_of(const struct sdpower_topology *t, sdpower_cpu cpu, uint32_t key);

/*
 * Compares two cpus by the keys of the set, most significant first: 0 = all equal (unknown
 * equals unknown), else below or above 0.
 */
int sdpower_i_compare_ids(const struct sdpower_topology *t, uint32_t keys, sdpower_cpu a,
	sdpower_cpu b);

/* Where the numbering goes; the forest then points at it as const. */
struct sdpower_i_numbering {
	uint16_t *pos_of, *cpu_at, *block_at;
	struct sdpower_i_block *blocks;
	uint16_t *key[SDPOWER_I_KEYS];
	uint16_t *capacity;
	uint16_t *priority; /* NULL = all alike */
	uint16_t *node_first, *distances;
	uint32_t *node_id, *os_id;
};

/* Fills all arrays. */
void sdpower_i_order(const struct sdpower_topology *t, const struct sdpower_i_numbering *n);

#endif
