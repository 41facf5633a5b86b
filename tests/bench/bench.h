/* SPDX-License-Identifier: MIT */
/* Timing shared by the benchmarks: a call is repeated until a round is long enough to trust. */
#ifndef SDPOWER_BENCH_H
#define SDPOWER_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* scripts/bench.sh counts this exit code as a skip. */
#define BENCH_SKIPPED 77
#define BENCH_ROUNDS 7

/* Best and middle of the rounds, in ns per call: the best is what the code costs, the distance
 * between the two how quiet the machine was. */
struct bench_result {
	double best;
	double median;
};

static inline uint64_t bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline double bench_round(void (*call)(void *), void *context, uint64_t calls)
{
	uint64_t begin = bench_now();

	for (uint64_t i = 0; i < calls; i++)
		call(context);
	return (double)(bench_now() - begin) / (double)calls;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Rounds of 20 ms: 20 000 times the resolution of the clock, and longer than a time slice is
 * likely to interrupt in more than a few of them. */
static inline struct bench_result bench_run(void (*call)(void *), void *context)
{
	double round[BENCH_ROUNDS];
	uint64_t calls = 1;

	while (bench_round(call, context, calls) * (double)calls < 20e6)
		calls *= 2;
	for (int i = 0; i < BENCH_ROUNDS; i++)
		round[i] = bench_round(call, context, calls);
	qsort(round, BENCH_ROUNDS, sizeof(round[0]), bench_compare);
	return (struct bench_result){ .best = round[0], .median = round[BENCH_ROUNDS / 2] };
}

static inline int bench_skip(const char *reason)
{
	puts(reason);
	return BENCH_SKIPPED;
}

#endif
