/* SPDX-License-Identifier: MIT */
/*
 * Description: workers that search, sleep and are woken while work comes in from outside: all of
 * it gets done, and nobody sleeps for long while some waits. The order of steps is that of
 * sdpower/state.h; without the last look before a worker sleeps this fails.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <atomic_ops.h>
#include "support/instance.h"

#define WORKERS 3u
#define ITEMS 60000u
#define LOOKS 20u
/* Longer than any thread waits for a cpu on a busy machine. */
#define LOST_SECONDS 10

static struct test_instance on;
static sem_t wakes[WORKERS];
static AO_t queue, done, stop, spared, lost;

static int take(void)
{
	AO_t waiting = AO_load_full(&queue);

	while (waiting)
		if (AO_compare_and_swap_full(&queue, waiting, waiting - 1))
			return 1;
		else
			waiting = AO_load_full(&queue);
	return 0;
}

/* Who has made work visible asks whom to wake: a sleeper to claim, or nobody. */
static void wake_somebody(sdpower_cpu near)
{
	const struct sdpower_wake w = { .struct_size = sizeof(w), .waker = SDPOWER_CPU_NONE,
		.prev = near };
	struct sdpower_pick pick;

	AO_nop_full();
	if (sdpower_select_cpu(on.s, &w, &pick))
		abort();
	if (pick.reason & SDPOWER_REASON_SEARCHER)
		(void)AO_fetch_and_add1_full(&spared);
	else if (pick.reason & SDPOWER_REASON_IDLE && sdpower_claim(on.s, pick.cpu) == SDPOWER_OK)
		sem_post(&wakes[pick.cpu]);
}

/* Work found: others may have been told that this cpu was coming for theirs. */
static void work(sdpower_cpu cpu)
{
	(void)sdpower_search_end(on.s, cpu);
	(void)sdpower_set_load(on.s, cpu, 1, 1024);
	if (AO_load_full(&queue))
		wake_somebody(cpu);
	(void)AO_fetch_and_add1_full(&done);
	(void)sdpower_set_load(on.s, cpu, 0, 0);
}

/* Some looks while awake, if so many may search; 1 = work was found. */
static int search(sdpower_cpu cpu)
{
	if (sdpower_search_begin(on.s, cpu) != SDPOWER_OK)
		return 0;
	for (unsigned i = 0; i < LOOKS; i++)
		if (take())
			return 1;
	return 0;
}

static void sleep_until_woken(sdpower_cpu cpu)
{
	struct timespec until;

	sched_yield(); /* where a delay does most harm: work may come, and look in vain for a sleeper */
	(void)sdpower_idle_enter(on.s, cpu, 1);
	AO_nop_full();
	if (!AO_load_full(&queue) && !AO_load_full(&stop)) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += LOST_SECONDS;
		while (sem_timedwait(&wakes[cpu], &until))
			if (errno == ETIMEDOUT) {
				AO_store_full(&lost, AO_load_full(&queue) != 0);
				break;
			}
	}
	(void)sdpower_idle_exit(on.s, cpu, 2);
}

static void *worker(void *context)
{
	const sdpower_cpu cpu = *(const sdpower_cpu *)context;

	while (!AO_load_full(&stop))
		if (take() || search(cpu))
			work(cpu);
		else
			sleep_until_woken(cpu);
	return NULL;
}

/* Bursts of one to four, so that workers have time to fall asleep in between. */
static void hand_out(void)
{
	struct test_random r = { 20261201 };

	for (unsigned given = 0; given < ITEMS && !AO_load_full(&lost);) {
		for (uint32_t n = 1 + test_draw(&r, 4); n-- && given < ITEMS; given++) {
			(void)AO_fetch_and_add1_full(&queue);
			wake_somebody(test_draw(&r, WORKERS));
		}
		for (uint32_t n = test_draw(&r, 200); n--;)
			AO_nop_full();
		/* Nothing that comes later covers up for what was lost. */
		while (AO_load_full(&done) < given && !AO_load_full(&lost))
			sched_yield();
	}
	while (AO_load_full(&done) < ITEMS && !AO_load_full(&lost))
		sched_yield();
}

int main(void)
{
	static sdpower_cpu cpus[WORKERS] = { 0, 1, 2 };
	pthread_t threads[WORKERS];

	memset(&on, 0, sizeof(on));
	on.config.decisions = SDPOWER_DECIDE_NATIVE;
	if (test_make(&on, "l3:1 core:3") != SDPOWER_OK)
		return 1;
	for (unsigned i = 0; i < WORKERS; i++) {
		(void)sdpower_idle_exit(on.s, i, 0);
		if (sem_init(&wakes[i], 0, 0) ||
		    pthread_create(&threads[i], NULL, worker, (void *)&cpus[i]))
			return 1;
	}
	hand_out();
	AO_store_full(&stop, 1);
	for (unsigned i = 0; i < WORKERS; i++)
		sem_post(&wakes[i]);
	for (unsigned i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu of %u done, %lu wake-ups spared, %s\n", (unsigned long)AO_load(&done), ITEMS,
		(unsigned long)AO_load(&spared), AO_load(&lost) ? "work was left waiting" : "none lost");
	test_drop(&on);
	return AO_load(&lost) || AO_load(&done) != ITEMS;
}
