/* SPDX-License-Identifier: MIT */
/*
 * Does what two threads measure by turns agree with what one thread meets that really migrates?
 * Both walk through the same memory, one after the other: `asleep` as the
 * calibrator does it, `awake` with a busy wait for the turn instead, and `hop` by sched_setaffinity to
 * the other cpu and back; the cost is the first walk of a stop minus its last, and `walks` says how
 * many there are. Each row is the median over fresh memories of the medians of
 * their rounds; `spread` is the largest of those by the smallest. `ping` tells in which state a
 * virtual machine was: rows of different pings do not compare.
 */
#define _GNU_SOURCE 1 /* pinning has no portable name */
#include <semaphore.h>
#include <sys/mman.h>
#include "bench.h"
#include "bench_cpus.h"
#include "hosted/calibrate.h"
#include "port.h"

#define ROUNDS 15
#define MEMORIES 7
#define MOST_WALKS 3
#define HUGE_PAGE ((size_t)2 << 20)

enum way { ASLEEP, AWAKE, HOP, WAYS };

static const char *const way_names[WAYS] = { "asleep", "awake", "hop" };
static unsigned cpus[2];
static uint64_t *words, lines;
static unsigned walks;
static sem_t mine, theirs;
static uint32_t turn, sleeps, over;
static double other_cost;

/* First walk minus the last one, ns. */
static double stop_over(void)
{
	static const uint32_t never = 0;
	uint64_t took[MOST_WALKS];

	for (unsigned i = 0; i < walks; i++) {
		const uint64_t begin = bench_now();

		(void)sdpower_i_walk(words, lines, UINT64_MAX, &never);
		took[i] = bench_now() - begin;
	}
	return (double)took[0] - (double)took[walks - 1];
}

static void hand_over(uint32_t to, sem_t *sleeper)
{
	if (sdpower_i_load(&sleeps))
		sem_post(sleeper);
	else
		sdpower_i_store_release(&turn, to);
}

static void wait_turn(uint32_t who, sem_t *sleeper)
{
	if (sdpower_i_load(&sleeps))
		while (sem_wait(sleeper))
			;
	else
		while (sdpower_i_load_acquire(&turn) != who)
			;
}

static void *partner(void *context)
{
	(void)context;
	(void)sdpower_i_this_system.pin(cpus[1]);
	for (;;) {
		wait_turn(1, &theirs);
		if (sdpower_i_load_acquire(&over))
			return NULL;
		other_cost = stop_over();
		hand_over(0, &mine);
	}
}

static double paired_round(void)
{
	double there;

	hand_over(1, &theirs);
	wait_turn(0, &mine);
	there = other_cost;
	return (there + stop_over()) / 2;
}

static double hop_round(void)
{
	double there;

	(void)sdpower_i_this_system.pin(cpus[1]);
	there = stop_over();
	(void)sdpower_i_this_system.pin(cpus[0]);
	return (there + stop_over()) / 2;
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), bench_compare);
	return values[count / 2];
}

static double rounds_of(enum way way)
{
	double costs[ROUNDS];
	pthread_t thread;

	sdpower_i_store(&sleeps, way == ASLEEP);
	sdpower_i_store(&over, 0);
	sdpower_i_store(&turn, 0);
	if (way != HOP && pthread_create(&thread, NULL, partner, NULL))
		exit(1);
	(void)sdpower_i_this_system.pin(cpus[0]);
	for (int i = -1; i < ROUNDS; i++) {
		const double cost = way == HOP ? hop_round() : paired_round();

		if (i >= 0)
			costs[i] = cost;
	}
	if (way != HOP) {
		sdpower_i_store_release(&over, 1);
		hand_over(1, &theirs);
		pthread_join(thread, NULL);
	}
	return median(costs, ROUNDS);
}

static double ping_ns(void)
{
	struct sdpower_i_pair pair = { .system = &sdpower_i_this_system,
		.os_id = { cpus[0], cpus[1] }, .deadline_ns = sdpower_i_now() + 300000000 };

	sdpower_i_pair_measure(&pair);
	return (double)pair.ping_ps / 1000;
}

/* All ways in one memory after the other, so that a change of state meets all of them. */
static void measure(unsigned kib, int huge)
{
	double costs[WAYS][MEMORIES], pings[MEMORIES], truth;

	for (unsigned m = 0; m < MEMORIES; m++) {
		const size_t size = 2 * HUGE_PAGE;
		char *const memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			exit(1);
		(void)madvise(memory, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
		words = (uint64_t *)(((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
		lines = kib * 16;
		pings[m] = ping_ns();
		for (enum way way = 0; way < WAYS; way++)
			costs[way][m] = rounds_of(way);
		munmap(memory, size);
	}
	truth = median(costs[HOP], MEMORIES);
	for (enum way way = 0; way < WAYS; way++) {
		const double middle = median(costs[way], MEMORIES);

		printf("%u\t%s\t%u\t%s\t%.0f\t%.2f\t%.2f\t%.0f\n", kib, huge ? "2M" : "4K", walks,
			way_names[way], middle, costs[way][MEMORIES - 1] / costs[way][0],
			middle / truth, median(pings, MEMORIES));
	}
	fflush(stdout);
}

int main(void)
{
	static const unsigned sizes[] = { 128, 256, 512, 724, 1024 };

	if (!bench_two_cpus(cpus))
		return bench_skip("fewer than two cpus");
	if (sem_init(&mine, 0, 0) || sem_init(&theirs, 0, 0))
		return 1;
	puts("KiB\tpages\twalks\tway\tns\tspread\tof hop\tping ns");
	for (int huge = 1; huge >= 0; huge--)
		for (walks = 2; walks <= MOST_WALKS; walks++)
			for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
				measure(sizes[i], huge);
	return 0;
}
