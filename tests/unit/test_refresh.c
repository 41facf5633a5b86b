/* SPDX-License-Identifier: MIT */
/*
 * Description: only the first active cpu of a block sums it, and only when needed; whatever
 * threads publish, tick, ask and replace trees meanwhile, once all is quiet the sums tell what
 * the slots tell.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "state/state.h"

static struct test_instance on;

static void block_has_one_summer(void **state)
{
	const uint32_t without_first[2] = { 0xfffffffeu, 0xffffffffu };

	(void)state;
	memset(&on, 0, sizeof(on));
	on.config.decisions = SDPOWER_DECIDE_CLASSIC;
	assert_int_equal(test_make(&on, "pack:2 l3:1 core:16"), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 1), 0);
	assert_int_equal(sdpower_refresh(on.s, 0), 1);
	assert_int_equal(sdpower_refresh(on.s, 0), 0);
	assert_int_equal(sdpower_set_load(on.s, 5, 1, 1024), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 16), 1);
	assert_int_equal(sdpower_refresh(on.s, 0), 1);
	assert_int_equal(sdpower_claim(on.s, 7), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 0), 0);
	assert_int_equal(sdpower_set_online(on.s, without_first, 2), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 0), 0);
	assert_int_equal(sdpower_refresh(on.s, 1), 1);
	assert_int_equal(sdpower_tick(on.s, 3, 0), SDPOWER_OK);
	assert_int_equal(sdpower_tick(on.s, 1, 0), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 1), 0);
	assert_int_equal(sdpower_idle_exit(on.s, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 1), 1);
	test_drop(&on);
}

#define WORKERS 3u
#define STEPS 4000u

static uint32_t running;

/* Owns every third cpu: publishes, ticks, sleeps, wakes. */
static void *work(void *context)
{
	struct test_random r = { (uintptr_t)context * 7919 + 1 };
	const uint32_t first = (uint32_t)(uintptr_t)context, cpus = sdpower_cpu_count(on.s);

	for (uint32_t i = 0; i < STEPS; i++) {
		const sdpower_cpu cpu = first + WORKERS * test_draw(&r, cpus / WORKERS);

		switch (test_draw(&r, 5)) {
		case 0: (void)sdpower_tick(on.s, cpu, i); break;
		case 1: (void)sdpower_idle_enter(on.s, cpu, i); break;
		case 2: (void)sdpower_idle_exit(on.s, cpu, i); break;
		default: (void)sdpower_set_load(on.s, cpu, test_draw(&r, 4), test_draw(&r, 4096)); break;
		}
	}
	return NULL;
}

/* Replaces the tree again and again. */
static void *change(void *context)
{
	struct test_random r = { 5 };
	uint32_t mask[2] = { UINT32_MAX, UINT32_MAX };

	(void)context;
	while (sdpower_i_load_acquire(&running)) {
		(void)!sdpower_set_knobs(on.s, test_draw(&r, 3), test_draw(&r, 3));
		mask[0] = test_draw(&r, UINT32_MAX) | 1u << 20;
		(void)!sdpower_set_online(on.s, mask, 2);
	}
	return NULL;
}

/* Asks everything; answers are hints, but never outside the machine. */
static void *question(void *context)
{
	struct test_random r = { 11 };
	uintptr_t bad = 0;

	(void)context;
	while (sdpower_i_load_acquire(&running)) {
		const uint32_t cpus = sdpower_cpu_count(on.s);
		struct sdpower_busiest_request q = { .struct_size = sizeof(q),
			.cpu = test_draw(&r, cpus), .depth = test_draw(&r, 3), .idle = test_draw(&r, 3),
			.flags = test_draw(&r, 2) };
		struct sdpower_wake w = { .struct_size = sizeof(w), .waker = test_draw(&r, cpus),
			.prev = test_draw(&r, cpus) };
		struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = test_draw(&r, cpus),
			.flag = SDPOWER_SD_BALANCE_FORK };
		struct sdpower_busiest a = { .struct_size = sizeof(a), .group_first = 0 };
		struct sdpower_pick pick = { 0, 0 };

		if (sdpower_find_busiest_group(on.s, &q, &a) == SDPOWER_OK)
			bad |= a.group_first != SDPOWER_CPU_NONE && a.group_first >= cpus;
		bad |= sdpower_select_cpu(on.s, &w, &pick) != SDPOWER_OK;
		bad |= pick.cpu == SDPOWER_CPU_NONE ? !(pick.reason & SDPOWER_REASON_SWAPPED) :
			pick.cpu >= cpus;
		bad |= sdpower_place(on.s, &p, &pick) != SDPOWER_OK;
		if (pick.cpu < cpus && sdpower_claim(on.s, pick.cpu) == SDPOWER_OK)
			(void)sdpower_unclaim(on.s, pick.cpu);
	}
	return (void *)bad;
}

/* Candidate masks always read the slots: both ways must agree. */
static void sums_equal_slots(void)
{
	const uint32_t all[2] = { UINT32_MAX, UINT32_MAX };

	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(on.s); cpu++)
		for (uint32_t i = 0; i < 9; i++) {
			struct sdpower_busiest_request q = { .struct_size = sizeof(q), .cpu = cpu,
				.depth = i / 3, .idle = i % 3, .flags = 1 };
			struct sdpower_busiest sums = { .struct_size = sizeof(sums) }, slots = sums;
			const sdpower_status status = sdpower_find_busiest_group(on.s, &q, &sums);

			q.candidates = all;
			q.candidate_words = 2;
			assert_int_equal(sdpower_find_busiest_group(on.s, &q, &slots), status);
			assert_memory_equal(&sums, &slots, sizeof(sums));
		}
}

static void quiet_sums_tell_what_the_slots_tell(void **state)
{
	pthread_t worker[WORKERS], changer, asker;
	void *bad = NULL;

	(void)state;
	memset(&on, 0, sizeof(on));
	on.config.decisions = SDPOWER_DECIDE_CLASSIC;
	assert_int_equal(test_make(&on, "pack:2 l3:1 core:24"), SDPOWER_OK);
	for (int round = 0; round < 8; round++) {
		sdpower_i_store_release(&running, 1);
		assert_int_equal(pthread_create(&changer, NULL, change, NULL), 0);
		assert_int_equal(pthread_create(&asker, NULL, question, NULL), 0);
		for (uintptr_t i = 0; i < WORKERS; i++)
			assert_int_equal(pthread_create(&worker[i], NULL, work, (void *)i), 0);
		for (uint32_t i = 0; i < WORKERS; i++)
			assert_int_equal(pthread_join(worker[i], NULL), 0);
		sdpower_i_store_release(&running, 0);
		assert_int_equal(pthread_join(changer, NULL), 0);
		assert_int_equal(pthread_join(asker, &bad), 0);
		assert_null(bad);
		sums_equal_slots();
	}
	test_drop(&on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_has_one_summer),
		cmocka_unit_test(quiet_sums_tell_what_the_slots_tell),
	};

	return cmocka_run_group_tests_name("refresh", tests, NULL, NULL);
}
