/* SPDX-License-Identifier: MIT */
/* The load: N processes at a time, as make -jN starts them, played by N threads. */
#ifndef IDLE_PLAY_H
#define IDLE_PLAY_H

#include "cpus.h"

/* One cell of the table: rules, and how many jobs at a time. */
struct play {
	const struct machine *machine;
	const struct rules *rules;
	uint32_t jobs;
	uint32_t ms;       /* to measure, of the load's time */
	uint32_t burst_ms; /* of work between two waits, on average */
	uint32_t slow;     /* times slower than the clock */
	uint32_t seed;
};

/* Idle time of each core, of a package's cores on average, and of whole packages, per cent. */
struct played {
	double *cores, *packages, *asleep;
	uint32_t moves;
};

/* Adds what was measured to the sums of earlier runs. 0, or -1 with the reason in why. */
int play_run(const struct play *p, struct played *sum, char *why, size_t size);

#endif
