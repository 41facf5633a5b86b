/* SPDX-License-Identifier: MIT */
/* One question of find_busiest_group under way, and the steps that fill it. */
#ifndef SDPOWER_I_BUSIEST_H
#define SDPOWER_I_BUSIEST_H

#include "group_sums.h"

/* A group, as much of it as the rules look at. */
struct sdpower_i_member {
	uint32_t index;          /* counted over the tree; SDPOWER_ID_NONE = no group */
	uint32_t first_cpu;
	uint32_t power;
};

/* Rule D2, group by group in ring order, the local one first. */
struct sdpower_i_power {
	uint32_t on;
	uint32_t min_nr, leader_nr;      /* 0 = no candidate yet */
	struct sdpower_i_member min, leader;
};

struct sdpower_i_search {
	struct sdpower_i_gather gather;
	const struct sdpower_busiest_request *request;
	struct sdpower_busiest *answer;
	const struct sdpower_i_template *params;
	uint32_t pos;            /* of the asking cpu */
	uint32_t flags;          /* of the level */
	uint32_t first, groups;  /* of the domain, counted over the tree */
	const struct sdpower_i_group *array; /* of the tree: [first] is the domain's first group */
	struct sdpower_i_member local, busiest;
	struct sdpower_i_spread spread;      /* of the group last asked for, */
	uint32_t spread_index;               /* which is this one */
	struct sdpower_i_power power;
};

/* busiest_stats.c: rule D1. Returns 0 when another cpu balances. */
int sdpower_i_gather_stats(struct sdpower_i_search *q);

/* power.c; nothing of it is called unless power.on was set at the start. */
void sdpower_i_power_add(struct sdpower_i_search *q, const struct sdpower_i_member *group,
	uint32_t nr);
int sdpower_i_power_applies(const struct sdpower_i_search *q);

#endif
