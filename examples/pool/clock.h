/* SPDX-License-Identifier: MIT */
/* Nanoseconds of the two clocks the pool and its report read. */
#ifndef POOL_CLOCK_H
#define POOL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Time for people and for the library: monotonic. */
static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* The same, some ms old but nearly free, where the system has such a clock. */
static inline uint64_t clock_coarse(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
	return clock_read(CLOCK_MONOTONIC_COARSE);
#else
	return clock_now();
#endif
}

/* Cpu time of the whole process. */
static inline uint64_t clock_cpu(void)
{
	return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
