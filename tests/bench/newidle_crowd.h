/* SPDX-License-Identifier: MIT */
/*
 * Sixteen cpus that share work: pairs, two caches of eight, the machine. What is not pulled stays
 * queued where it woke; who searches a level holds its lock, others who search the same group
 * wait for it. A task that wakes preempts pulled work, which is queued again; searching it has
 * to wait for. All idle cpus look for queues once in 8 ms, whatever their mode says.
 * Score, per cpu: time pulled work ran before the own task came - moves - 2 late - search / 4.
 */
#ifndef SDPOWER_BENCH_NEWIDLE_CROWD_H
#define SDPOWER_BENCH_NEWIDLE_CROWD_H

#include "newidle_player.h"

#define CROWD_CPUS 16
#define CROWD_POPULATIONS 2

/* Tasks that run, sleep and wake again; a gang wakes together, on one cpu. */
struct population {
	int gangs, gang;    /* how many, of so many tasks each; gangs == cpus: gang i wakes on cpu i */
	double run, sleep;  /* means, ns; of a gang since its last one is done */
	double finds;       /* chance that a wake-up takes an idle cpu of the same cache, if any */
	int pinned;         /* 1 = no task may be pulled */
};

struct crowd {
	const char *name;
	double segment;     /* > 0: the populations wake in turn, each for so long, ns */
	struct population population[CROWD_POPULATIONS];
	double cost[PLAYER_LEVELS], move[PLAYER_LEVELS]; /* ns */
};

struct crowd_result {
	double score;       /* us per second and cpu */
	double wait;        /* mean time a task that is awake does not run, us per wake-up */
	double searching;   /* share of cpu time */
	double done;        /* tasks per second */
	double misses;      /* searches per second and cpu that found nothing */
};

struct crowd_result crowd_run(const struct crowd *c, enum player_kind kind, uint32_t fixed,
	double duration, uint64_t seed);

#endif
