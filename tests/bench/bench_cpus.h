/* SPDX-License-Identifier: MIT */
/* Two cpus to pin threads to; for files that define _GNU_SOURCE, as pinning has no portable name. */
#ifndef SDPOWER_BENCH_CPUS_H
#define SDPOWER_BENCH_CPUS_H

#include <pthread.h>
#include <sched.h>

/* The first two that this process may use; 0 when there is one only. */
static inline int bench_two_cpus(unsigned cpus[2])
{
	cpu_set_t allowed;
	unsigned found = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[found++] = cpu;
	return found == 2;
}

static inline void bench_pin(unsigned cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

#endif
