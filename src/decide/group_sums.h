/* SPDX-License-Identifier: MIT */
/* The sums of a group: the inner loop of a question, and what it falls back on. */
#ifndef SDPOWER_I_GROUP_SUMS_H
#define SDPOWER_I_GROUP_SUMS_H

#include "decide.h"

/* What the sums of one question have in common. */
struct sdpower_i_gather {
	const struct sdpower *s;
	const struct sdpower_i_view *v;
	struct sdpower_i_mask candidates;
	const struct sdpower_i_record *records;
	uint32_t generation;
	uint32_t index;      /* load index */
	uint32_t limit;      /* blocks whose records may be read: all, or none */
	uint32_t who;        /* 1 = the first idle cpu is asked for */
};

/* Candidate masks and high load indices always read the slots. */
static inline struct sdpower_i_gather sdpower_i_gather_of(const struct sdpower *s,
	const struct sdpower_i_view *v, struct sdpower_i_mask candidates, uint32_t index)
{
	struct sdpower_i_gather g;

	g.s = s;
	g.v = v;
	g.candidates = candidates;
	g.records = s->records;
	g.generation = v->generation;
	g.index = index;
	g.limit = candidates.words || index >= SDPOWER_I_RECORD_INDICES - 1 ? 0 :
		v->forest->block_count;
	g.who = 0;
	return g;
}

/* What every group is asked for; two registers. */
struct sdpower_i_sums {
	uint64_t load;       /* source loads */
	uint64_t nr;         /* tasks */
};

/* What the local group is asked for. */
struct sdpower_i_local {
	uint64_t load;       /* target loads */
	uint64_t weighted;   /* loads now */
	uint32_t nr;         /* tasks */
	uint32_t first_idle; /* lowest idle cpu, or NONE; only if asked for */
};

/* What only the groups are asked for that could become the busiest or be emptied. */
struct sdpower_i_spread {
	struct sdpower_i_sums sums;
	uint64_t weighted;   /* loads now */
	uint64_t per_task;   /* sum of the cpus' averages per task */
	uint32_t max, min;   /* of the source loads; 0 and 2^32-1 without cpus */
};

/* Groups are named by where they lie in the tree's array. */
struct sdpower_i_sums sdpower_i_sum_other(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group);
void sdpower_i_sum_local(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	struct sdpower_i_local *to);
void sdpower_i_spread_of(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	struct sdpower_i_spread *to);

#endif
