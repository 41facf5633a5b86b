/* SPDX-License-Identifier: MIT */
/* Nanoseconds of the two clocks the pool and its report read. */
#ifndef POOL_CLOCK_H
#define POOL_CLOCK_H

#include <pthread.h>
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

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
}

/* A condition that is waited for until such a time. 0 or an error number. */
static inline int clock_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;
	int error = pthread_condattr_init(&attr);

	if (error)
		return error;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	error = pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
	return error;
}

#endif
