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

/*
 * Field by field: zeroing the struct as a whole becomes a string instruction that costs as
 * much as summing ten blocks (x86-64, gcc 12).
 */
static inline void sdpower_i_empty_stats(struct sdpower_busiest_stats *stats)
{
	stats->total_load = 0;
	stats->total_power = 0;
	stats->this_load = 0;
	stats->max_load = 0;
	stats->avg_load = 0;
	stats->this_lpt = 0;
	stats->busiest_lpt = 0;
	stats->min_lpt = 0;
	stats->this_nr = 0;
	stats->busiest_nr = 0;
	stats->leader_nr = 0;
	stats->min_nr = 0;
	stats->group_imb = 0;
	stats->power_balance = 0;
	stats->group_min = SDPOWER_CPU_NONE;
	stats->group_leader = SDPOWER_CPU_NONE;
}

static inline void sdpower_i_empty_answer(struct sdpower_busiest *answer, uint32_t sd_idle)
{
	answer->struct_size = sizeof(*answer);
	answer->reason = SDPOWER_REASON_NONE;
	answer->group = SDPOWER_ID_NONE;
	answer->group_first = SDPOWER_CPU_NONE;
	answer->imbalance = 0;
	answer->sd_idle = sd_idle;
	answer->balance = 1;
	answer->nominee = SDPOWER_CPU_NONE;
	answer->kind = SDPOWER_PULL_NONE;
	answer->from = SDPOWER_CPU_NONE;
	answer->target = SDPOWER_CPU_NONE;
	answer->util_most = UINT32_MAX;
	answer->most = 0;
	answer->spreading = answer->waiting = answer->reserved = 0;
	sdpower_i_empty_stats(&answer->stats);
}

/* power.c; nothing of it is called unless power->on was set at the start. */
void sdpower_i_power_add(struct sdpower_i_power *power, struct sdpower_i_member group,
	uint32_t nr, int local);
int sdpower_i_power_applies(const struct sdpower_i_power *power, uint32_t local);

#endif
