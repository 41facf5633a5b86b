/* SPDX-License-Identifier: MIT */
/* The parts of rule P6: which groups are to be emptied, and what is the next step to it. */
#ifndef SDPOWER_I_NATIVE_PACK_H
#define SDPOWER_I_NATIVE_PACK_H

#include "native_fit.h"
#include "native_sums.h"

/* Groups that one question considers emptying; when they are empty, others become them. */
#define SDPOWER_I_VICTIMS 16u

/* A group that could be emptied. */
struct sdpower_i_victim {
	uint32_t group;     /* index in the tree's array */
	uint32_t first_cpu;
	uint32_t nr, util;
};

/*
 * What the asker's level would look like when packed. The same for every asker of the level, and
 * the same after each move of it, so that the moves of many askers are those of one plan.
 */
struct sdpower_i_plan {
	struct sdpower_i_native_search q; /* as asked, but all cpus are candidates */
	uint32_t fill_percent;            /* how far a cpu is filled */
	uint32_t by_cores;                /* a core takes one task */
	uint32_t bounded;                 /* the latency bound fills cpus less than they might be */
	uint32_t active;                  /* groups with tasks */
	uint32_t count;                   /* of victims, the first to be emptied first */
	uint32_t emptied;                 /* of these, what the plan empties */
	uint32_t taken;                   /* cpus, or cores, that the plan puts to use */
	uint32_t wanted, room;            /* sums of the classes below */
	struct sdpower_i_victim victims[SDPOWER_I_VICTIMS];
	struct sdpower_i_fit fit;
};

/* native_plan.c: finds the most groups that can be emptied; 0 = none. */
int sdpower_i_plan(struct sdpower_i_plan *p, const struct sdpower_i_native_search *q);

/* True iff the plan takes its tasks away. */
int sdpower_i_plan_empties(const struct sdpower_i_plan *p, uint32_t group);

/* Share of time up to which a cpu of this capacity is filled. */
static inline uint32_t sdpower_i_plan_full(const struct sdpower_i_plan *p, uint32_t capacity)
{
	return p->fill_percent * capacity / 100u;
}

/* Share of time of one of its tasks, on average; it must have some. */
static inline uint32_t sdpower_i_share_of_one(const struct sdpower_i_cpu_view *c)
{
	return (uint32_t)(((uint64_t)c->util + c->nr - 1u) / c->nr);
}

/* How many of the unused cores of a kept group may get a task. */
uint32_t sdpower_i_plan_cores(const struct sdpower_i_plan *p, uint32_t group);

/* True iff a task may come: nobody is there, or about to be, on the whole core if need be. */
int sdpower_i_plan_free(const struct sdpower_i_plan *p, uint32_t pos);

#endif
