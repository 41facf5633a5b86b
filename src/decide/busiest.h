/* SPDX-License-Identifier: MIT */
/* One question of find_busiest_group under way. */
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

/*
 * No function that is not expanded in place is given this, which is why the two parts that
 * others need lie outside: without an address it stays in registers, and no step waits for
 * what the one before has stored. The same goes for the answer, copied out at the end.
 */
struct sdpower_i_search {
	const struct sdpower_i_gather *gather;
	const struct sdpower_busiest_request *request;
	const struct sdpower_i_template *params;
	const struct sdpower_i_group *array; /* of the tree: [first] is the domain's first group */
	uint32_t pos;            /* of the asking cpu */
	uint32_t flags;          /* of the level */
	uint32_t first, groups;  /* of the domain, counted over the tree */
	struct sdpower_i_member local, busiest;
	struct sdpower_i_spread spread;      /* of the group last asked for, */
	uint32_t spread_index;               /* which is this one */
	struct sdpower_i_power *power;
	struct sdpower_busiest answer;       /* so far */
};

/* power.c; nothing of it is called unless power->on was set at the start. */
void sdpower_i_power_add(struct sdpower_i_power *power, struct sdpower_i_member group,
	uint32_t nr, int local);
int sdpower_i_power_applies(const struct sdpower_i_power *power, uint32_t local);

#endif
