/* SPDX-License-Identifier: MIT */
/* What the calibrator asks of Linux: threads on one cpu, memory in huge pages, the clock. */
#ifdef __linux__
#define _GNU_SOURCE 1 /* sched_setaffinity, sched_getcpu, RUSAGE_THREAD */
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#endif
#include <limits.h>
#include <signal.h>
#include <time.h>
#include "calibrate.h"

/* Beside what the C library needs itself. */
#define STACK 65536u

uint64_t sdpower_i_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Signals are the host's business: none is delivered to the new thread. */
static int start(pthread_t *thread, void *(*run)(void *), void *context)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int failed;

	if (pthread_attr_init(&attributes))
		return -1;
	sigfillset(&all);
	failed = pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN + STACK) ||
		pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!failed) {
		failed = pthread_create(thread, &attributes, run, context);
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attributes);
	return failed ? -1 : 0;
}

#ifdef __linux__
/* Room for 65536 cpus; kernels refuse a mask shorter than their own. */
#define MASK_CPUS 65536u

static int pin(uint32_t os_id)
{
	unsigned long words[MASK_CPUS / (8u * sizeof(unsigned long))] = { 0 };
	const uint32_t bits = 8u * (uint32_t)sizeof(words[0]);

	if (os_id >= MASK_CPUS)
		return -1;
	words[os_id / bits] = 1ul << os_id % bits;
	if (sched_setaffinity(0, sizeof(words), (const cpu_set_t *)(const void *)words))
		return -1;
	return sched_getcpu() == (int)os_id ? 0 : -1;
}

static int unpin(pthread_t thread)
{
	unsigned long words[MASK_CPUS / (8u * sizeof(unsigned long))] = { 0 };

	if (sched_getaffinity(0, sizeof(words), (cpu_set_t *)(void *)words))
		return -1;
	return pthread_setaffinity_np(thread, sizeof(words),
		(const cpu_set_t *)(const void *)words) ? -1 : 0;
}

static uint32_t cpu(void)
{
	return (uint32_t)sched_getcpu();
}

static uint64_t switches(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)usage.ru_nivcsw;
}

static void *map(size_t size)
{
	void *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	(void)madvise(memory, size, MADV_HUGEPAGE);
	return memory;
}

static void unmap(void *memory, size_t size)
{
	(void)munmap(memory, size);
}
#else
#include <stdlib.h>

static int pin(uint32_t os_id)
{
	(void)os_id;
	return -1;
}

static int unpin(pthread_t thread)
{
	(void)thread;
	return 0;
}

static uint32_t cpu(void)
{
	return 0;
}

static uint64_t switches(void)
{
	return 0;
}

static void *map(size_t size)
{
	return malloc(size);
}

static void unmap(void *memory, size_t size)
{
	(void)size;
	free(memory);
}
#endif

const struct sdpower_i_system sdpower_i_this_system = {
	.start = start, .pin = pin, .unpin = unpin, .cpu = cpu, .switches = switches, .map = map,
	.unmap = unmap,
};
