/* SPDX-License-Identifier: MIT */
/*
 * One cpu whose idle periods and searches are drawn at random. Length T until its own next task;
 * a search of a level costs C and finds work of length W with the level's chance. Found at e, it
 * wins min(W, T - e) less the cost of moving. Searching beyond T makes the own task late.
 * Score: won - 2 late - search / 4. Workloads are invented to resemble reports, not measured.
 */
#ifndef SDPOWER_BENCH_NEWIDLE_WORLD_H
#define SDPOWER_BENCH_NEWIDLE_WORLD_H

#include "newidle_player.h"

struct regime {
	double idle, busy, work; /* means, ns; idle < 0: 20 us, but 4 ms once in ten */
	double chance[PLAYER_LEVELS], cost[PLAYER_LEVELS], move[PLAYER_LEVELS];
	double spike_chance, spike; /* of a search: so often, that many times the cost */
};

struct workload {
	const char *name;
	int regimes;
	double segment; /* each regime lasts that long, in turn */
	struct regime regime[2];
};

struct result {
	double score, late, searched, time;
};

/* The generator of the worlds: all draws of a run come from one seed. */
extern uint64_t world_state;
double world_uniform(void);
double world_exponential(double mean);

/* Lets a cpu live for a while; only >= 0: that regime alone. */
struct result world_run(const struct workload *w, enum player_kind kind, uint32_t fixed,
	uint32_t tells, double duration, uint64_t seed, int only);

#endif
