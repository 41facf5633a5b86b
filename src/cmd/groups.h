/* SPDX-License-Identifier: MIT */
/* The groups of a domain, in ring order. */
#ifndef CMD_GROUPS_H
#define CMD_GROUPS_H

#include "chains.h"

struct groups_one {
	struct sdpower_group_info info;
	uint32_t *cpus; /* mask */
};

struct groups {
	uint32_t count;
	struct groups_one *one;
};

sdpower_status groups_find(struct groups *g, const sdpower *s, const struct chains *c,
	const struct chains_one *domain);
void groups_drop(struct groups *g);

/* Tasks the rules leave in a group before the next one is used. */
uint32_t groups_room(const struct groups_one *one);

#endif
