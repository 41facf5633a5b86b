/* SPDX-License-Identifier: MIT */
/* Description: wake-ups and placements where several cpus would do: which one, and who is passed over. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_help.h"

static void with_util(const struct test_instance *t, sdpower_cpu cpu, uint32_t util)
{
	runs(t->s, cpu, 1);
	assert_int_equal(sdpower_set_util(t->s, cpu, util), SDPOWER_OK);
}

static void refresh_all(const struct test_instance *t)
{
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(t->s); cpu++)
		assert_true(sdpower_refresh(t->s, cpu) >= 0);
}

/* Whichever thread is busy, its core is. */
static void a_core_is_idle_if_all_its_threads_are(void **state)
{
	struct sdpower_wake w = wake_from(4, 4);

	(void)state;
	for (sdpower_cpu busy = 0; busy < 2; busy++) {
		struct test_instance t = native_on("l3:1 core:3 pu:2", 0, 0);

		RUN_ON(t.s, busy, 4);
		assert_int_equal(woken(t.s, &w).cpu, 2);
		test_drop(&t);
	}
}

/* Exactly the migration cost is cold: an idle core is better than a thread of a busy one. */
static void warm_is_below_the_migration_cost(void **state)
{
	struct test_instance t = native_on("l3:1 core:4 pu:2", 0, 0);
	struct sdpower_wake w = wake_from(1, 0);

	(void)state;
	RUN_ON(t.s, 1);
	w.since_ran_ns = 499999;
	assert_int_equal(woken(t.s, &w).cpu, 0);
	w.since_ran_ns = 500000;
	assert_int_equal(woken(t.s, &w).cpu, 2);
	test_drop(&t);
}

/* Other programs leave too little of cpu 1: where cpus are alike that is no reason to go far. */
static void an_idle_cpu_is_not_left_for_a_far_one(void **state)
{
	struct test_instance t = native_on("pack:2 l3:1 core:2", 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0);
	assert_int_equal(sdpower_set_outside(t.s, 1, 900, 1024), SDPOWER_OK);
	w.util = 500;
	assert_int_equal(woken(t.s, &w).cpu, 1);
	test_drop(&t);
}

/* The first one of the cluster, from whatever cpu of it the task comes. */
static void the_search_begins_with_the_cluster(void **state)
{
	struct test_instance t = native_on("l3:1 l2:2 core:4", 0, 0);
	struct sdpower_wake w = wake_from(6, 6);

	(void)state;
	RUN_ON(t.s, 6);
	assert_int_equal(woken(t.s, &w).cpu, 4);
	RUN_ON(t.s, 4);
	assert_int_equal(woken(t.s, &w).cpu, 5);
	test_drop(&t);
}

static void the_first_that_is_awake(void **state)
{
	struct test_instance t = native_on("l3:1 core:4", 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0, 1, 2, 3);
	assert_int_equal(sdpower_set_load(t.s, 2, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(t.s, 3, 0, 0), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 2);
	test_drop(&t);
}

/* A claimed cpu has no load yet, but something is on its way. */
static void a_claimed_cpu_is_not_the_least_loaded(void **state)
{
	struct test_instance t = native_on("l3:1 core:4", 0, 0);

	(void)state;
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++)
		runs(t.s, cpu, cpu == 2 ? 2 : 3);
	assert_int_equal(placed(t.s, 0, SDPOWER_SD_BALANCE_FORK).cpu, 2);
	runs(t.s, 1, 0);
	assert_int_equal(sdpower_claim(t.s, 1), SDPOWER_OK);
	assert_int_equal(placed(t.s, 0, SDPOWER_SD_BALANCE_FORK).cpu, 2);
	test_drop(&t);
}

/* A waker that has somebody else to run makes no room. */
static void a_waker_with_two_tasks_makes_no_room(void **state)
{
	struct test_instance t = native_on("pack:2 l3:1 core:4", 0, 0);
	struct sdpower_wake w = wake_from(4, 0);

	(void)state;
	RUN_ON(t.s, 0);
	w.flags = SDPOWER_WAKE_SYNC;
	for (uint32_t nr = 1; nr <= 2; nr++) {
		runs(t.s, 4, nr);
		assert_int_equal(woken(t.s, &w).cpu / 4, nr == 1);
	}
	test_drop(&t);
}

/* The first of cpus with equally little room is filled. */
static void of_equal_cpus_the_first_is_shared(void **state)
{
	struct test_instance t = native_on("l3:1 core:4", 2, 2);
	struct sdpower_wake w = wake_from(3, 3);

	(void)state;
	with_util(&t, 1, 500);
	with_util(&t, 2, 500);
	w.util = 200;
	assert_int_equal(woken(t.s, &w).cpu, 1);
	assert_true(woken(t.s, &w).reason & SDPOWER_REASON_PACKED);
	test_drop(&t);
}

static void of_equal_groups_the_lower_is_home(void **state)
{
	struct test_instance t = native_on("pack:4 core:2", 2, 0);
	struct sdpower_wake w = wake_from(6, 6);

	(void)state;
	RUN_ON(t.s, 2, 4);
	assert_int_equal(woken(t.s, &w).cpu, 3);
	test_drop(&t);
}

/* 5 of 8 are settled, 7 of 8 are fuller. */
static void the_fullest_group_not_the_first_that_is_settled(void **state)
{
	struct test_instance t = native_on("pack:3 core:8", 2, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	for (sdpower_cpu cpu = 8; cpu < 23; cpu++)
		if (cpu < 13 || cpu >= 16)
			runs(t.s, cpu, 1);
	assert_int_equal(woken(t.s, &w).cpu, 23);
	test_drop(&t);
}

/* More groups than a wake-up may look at: what it then finds is searched in full. */
static void the_cache_is_searched_in_full_after_the_groups(void **state)
{
	struct test_instance t = native_on("pack:80 core:4", 2, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0, 1, 2, 3, 80);
	assert_int_equal(woken(t.s, &w).cpu, 81);
	refresh_all(&t);
	assert_int_equal(woken(t.s, &w).cpu, 81);
	test_drop(&t);
}

/* A group of two blocks has room if either has. */
static void room_is_that_of_any_block(void **state)
{
	struct test_instance t = native_on("pack:2 core:20", 2, 2);
	struct sdpower_wake w = wake_from(30, 30);

	(void)state;
	for (sdpower_cpu cpu = 0; cpu < 20; cpu++)
		with_util(&t, cpu, cpu == 2 ? 500 : 800);
	w.util = 200;
	assert_int_equal(woken(t.s, &w).cpu, 2);
	refresh_all(&t);
	assert_int_equal(woken(t.s, &w).cpu, 2);
	test_drop(&t);
}

/* Twenty threads of a core lie in two blocks, and are one core: package 1 has a task on each. */
static void a_core_in_two_blocks_is_one(void **state)
{
	struct test_instance t = native_on("pack:2 l3:1 core:2 pu:20", 2, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 40, 60);
	assert_int_equal(woken(t.s, &w).cpu, 0);
	refresh_all(&t);
	assert_int_equal(woken(t.s, &w).cpu, 0);
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_core_is_idle_if_all_its_threads_are),
		cmocka_unit_test(warm_is_below_the_migration_cost),
		cmocka_unit_test(an_idle_cpu_is_not_left_for_a_far_one),
		cmocka_unit_test(the_search_begins_with_the_cluster),
		cmocka_unit_test(the_first_that_is_awake),
		cmocka_unit_test(a_claimed_cpu_is_not_the_least_loaded),
		cmocka_unit_test(a_waker_with_two_tasks_makes_no_room),
		cmocka_unit_test(of_equal_cpus_the_first_is_shared),
		cmocka_unit_test(of_equal_groups_the_lower_is_home),
		cmocka_unit_test(the_fullest_group_not_the_first_that_is_settled),
		cmocka_unit_test(the_cache_is_searched_in_full_after_the_groups),
		cmocka_unit_test(room_is_that_of_any_block),
		cmocka_unit_test(a_core_in_two_blocks_is_one),
	};

	return cmocka_run_group_tests_name("native_seek", tests, NULL, NULL);
}
