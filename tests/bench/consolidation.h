/* SPDX-License-Identifier: MIT */
/*
 * A closed loop of consolidation: tasks with fixed shares of time on a small machine, whose idle
 * cpus ask in random order from where to pull. Machines and tasks are drawn as by the reference
 * loop of the 2013 rules (Python's generator, so that totals can be compared), starts by our own.
 */
#ifndef SDPOWER_CONSOLIDATION_H
#define SDPOWER_CONSOLIDATION_H

#include <stdint.h>

/* Runs of one seed, and asks of one run. */
#define CONSOLIDATION_RUNS 1500u
#define CONSOLIDATION_ASKS 1500u

/* The three words, by the order of their levels. */
enum consolidation_word {
	CONSOLIDATION_PERFORMANCE,
	CONSOLIDATION_BALANCED,
	CONSOLIDATION_POWERSAVE
};

enum consolidation_start {
	CONSOLIDATION_DISTINCT, /* one task per cpu */
	CONSOLIDATION_RANDOM    /* anywhere, also on top of each other */
};

/* Totals over the runs of one seed. */
struct consolidation {
	uint32_t runs;
	uint32_t active_before, active_after; /* groups with tasks */
	uint32_t cpus_before, cpus_after;     /* cpus with tasks */
	uint32_t least;        /* groups that one task per cpu needs */
	uint32_t least_80;     /* that first-fit decreasing to 80 per cent needs, larger ones alone */
	uint32_t least_100;    /* the same to 100 per cent */
	uint32_t away;         /* tasks that ended in another group than they began in */
	uint32_t moves;        /* between groups */
	uint32_t inner_moves;  /* within one */
	uint32_t returns;      /* of a task to a group it had left */
	uint32_t worse;        /* runs with more active groups than at the start */
	uint32_t unspread;     /* runs that end with a task waiting although a cpu is idle */
	uint32_t ticks_most;   /* until none was, in the slowest run */
	uint32_t failed;       /* answers that could not be followed: always 0 */
};

/* Runs number `first` to `first + runs - 1`; seed 0 has the runs 0 to 1499, and so on. */
int consolidation_run(struct consolidation *total, uint32_t first, uint32_t runs,
	enum consolidation_word word, enum consolidation_start start);

#endif
