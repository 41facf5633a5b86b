/* SPDX-License-Identifier: MIT */
/* Description: where a task wakes up under the native rules; one test per rule of part W. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_help.h"

/* Two packages of a cache with four cores of two threads: cpus 0 1, 2 3, ... share a core. */
#define PACKAGES "pack:2 l3:1 core:4 pu:2"
/* Four caches of two cores. */
#define CACHES "pack:2 l3:2 core:2"
/* The same, two to a node. */
#define NODES "numa:2 l3:2 core:2"
/* Two large cores, and four small ones in a cache of their own. */
#define HYBRID "pack:1 l3:2 core:2 cap=1024,1024,400,400"

#define LONG_AGO UINT64_MAX

static void the_previous_cpu_is_kept_while_it_is_idle_and_warm(void **state)
{
	struct test_instance t = native_on(PACKAGES, 0, 0);
	struct sdpower_wake w = wake_from(0, 3);
	struct sdpower_pick pick;

	(void)state;
	RUN_ON(t.s, 0, 2);
	pick = woken(t.s, &w);
	assert_int_equal(pick.cpu, 3);
	assert_int_equal(pick.reason, SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_IDLE);
	w.since_ran_ns = LONG_AGO; /* nothing is left in its core's cache, and the core is shared */
	assert_int_equal(woken(t.s, &w).cpu, 4);
	test_drop(&t);
}

static void an_idle_core_comes_before_an_idle_thread(void **state)
{
	struct test_instance t = native_on(PACKAGES, 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0, 2);
	assert_int_equal(woken(t.s, &w).cpu, 4);
	RUN_ON(t.s, 4, 6);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	test_drop(&t);
}

static void with_threads_to_fill_it_is_the_reverse(void **state)
{
	struct test_instance t = native_on(PACKAGES, 0, 2);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0, 2);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	RUN_ON(t.s, 1);
	assert_int_equal(woken(t.s, &w).cpu, 3);
	w.prev = 6; /* idle and warm, but its core sleeps */
	assert_int_equal(woken(t.s, &w).cpu, 3);
	RUN_ON(t.s, 3);
	assert_int_equal(woken(t.s, &w).cpu, 6);
	test_drop(&t);
}

static void the_cache_of_the_waker_is_searched_when_it_is_less_loaded(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);
	struct sdpower_wake w = wake_from(4, 0);

	(void)state;
	runs(t.s, 0, 3);
	RUN_ON(t.s, 4);
	assert_int_equal(woken(t.s, &w).cpu, 5);
	runs(t.s, 4, 3); /* as loaded as the other: the task stays where it was */
	assert_int_equal(woken(t.s, &w).cpu, 1);
	w.flags = SDPOWER_WAKE_SYNC; /* does not help a waker that has other tasks */
	assert_int_equal(woken(t.s, &w).cpu, 1);
	runs(t.s, 4, 1);
	runs(t.s, 0, 0); /* even an idle previous cpu is left for one that makes room */
	assert_int_equal(woken(t.s, &w).cpu, 5);
	w.waker_overlap_ns = 1000000;
	assert_int_equal(woken(t.s, &w).cpu, 0);
	test_drop(&t);
}

static void a_waker_that_makes_room_is_better_than_a_busy_cpu(void **state)
{
	struct test_instance t = native_on("l3:1 core:2", 0, 0);
	struct sdpower_wake w = wake_from(0, 1);

	(void)state;
	RUN_ON(t.s, 0, 1);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	w.flags = SDPOWER_WAKE_SYNC;
	assert_int_equal(woken(t.s, &w).cpu, 0);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_AFFINE);
	test_drop(&t);
}

static void beyond_a_full_cache_the_nearest_idle_cpu_is_taken(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0, 1, 2);
	assert_int_equal(woken(t.s, &w).cpu, 3);
	RUN_ON(t.s, 3, 4);
	assert_int_equal(woken(t.s, &w).cpu, 5);
	for (sdpower_cpu cpu = 0; cpu < 8; cpu++)
		assert_true(sdpower_refresh(t.s, cpu) >= 0); /* the same from sums */
	assert_int_equal(woken(t.s, &w).cpu, 5);
	test_drop(&t);
}

/* A block of 16 cpus each: the 33rd block beyond the cache is too far. */
static void the_search_ends_when_its_budget_is_used_up(void **state)
{
	struct test_instance t = native_on("pack:40 l3:1 core:16", 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	for (sdpower_cpu cpu = 0; cpu < 640; cpu++)
		runs(t.s, cpu, 1);
	runs(t.s, 33 * 16, 0);
	assert_int_equal(woken(t.s, &w).cpu, 0);
	runs(t.s, 32 * 16, 0);
	assert_int_equal(woken(t.s, &w).cpu, 32 * 16);
	test_drop(&t);
}

static void nobody_idle_who_is_awake_then_the_less_loaded(void **state)
{
	struct test_instance t = native_on("l3:1 core:4", 0, 0);
	struct sdpower_wake w = wake_from(1, 0);

	(void)state;
	runs(t.s, 0, 3);
	runs(t.s, 1, 2);
	RUN_ON(t.s, 2, 3);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_WAKE_BALANCE);
	runs(t.s, 1, 3);
	assert_int_equal(woken(t.s, &w).cpu, 0);
	assert_int_equal(sdpower_set_load(t.s, 3, 0, 0), SDPOWER_OK); /* awake, about to look */
	assert_int_equal(woken(t.s, &w).cpu, 3);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_IDLEST);
	test_drop(&t);
}

static void claimed_cpus_and_cpus_with_work_are_not_idle(void **state)
{
	struct test_instance t = native_on("l3:1 core:4", 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0);
	assert_int_equal(sdpower_claim(t.s, 1), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(t.s, 2, 1, 1024), SDPOWER_OK); /* not awake yet */
	assert_int_equal(woken(t.s, &w).cpu, 3);
	test_drop(&t);
}

static void affinity_is_searched_like_everything_else(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);
	const uint32_t two[1] = { 1u << 6 | 1u << 2 }, one[1] = { 1u << 2 }, none[1] = { 0 };
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	w.affinity = two;
	w.affinity_words = 1;
	assert_int_equal(woken(t.s, &w).cpu, 2);
	RUN_ON(t.s, 2);
	assert_int_equal(woken(t.s, &w).cpu, 6);
	w.affinity = one;
	assert_int_equal(woken(t.s, &w).cpu, 2);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_AFFINITY);
	w.affinity = none;
	assert_int_equal(woken(t.s, &w).cpu, SDPOWER_CPU_NONE);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_NO_CPU);
	test_drop(&t);
}

static void somebody_outside_and_a_task_without_past(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);
	struct sdpower_wake w = wake_from(SDPOWER_CPU_NONE, 5);

	(void)state;
	assert_int_equal(woken(t.s, &w).cpu, 5);
	w = wake_from(5, SDPOWER_CPU_NONE);
	assert_int_equal(woken(t.s, &w).cpu, 5);
	w = wake_from(SDPOWER_CPU_NONE, SDPOWER_CPU_NONE);
	assert_int_equal(woken(t.s, &w).cpu, 0);
	test_drop(&t);
}

static void a_task_stays_in_a_package_that_is_in_use(void **state)
{
	struct test_instance t = native_on(PACKAGES, 1, 0);
	struct sdpower_wake w = wake_from(0, 10);

	(void)state;
	RUN_ON(t.s, 0, 2, 8);
	assert_int_equal(woken(t.s, &w).cpu, 10); /* basic: in use is good enough */
	assert_int_equal(sdpower_set_knobs(t.s, 2, 0), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 4); /* wake-up: into the fuller one */
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_NOMINEE | SDPOWER_REASON_IDLE);
	test_drop(&t);
}

/* More than half of its cores are in use: no fuller package could take all of it in. */
static void a_task_stays_in_a_package_that_will_not_be_emptied(void **state)
{
	struct test_instance t = native_on(PACKAGES, 2, 0);
	struct sdpower_wake w = wake_from(8, 8);

	(void)state;
	RUN_ON(t.s, 0, 2, 4, 8, 10);
	assert_int_equal(woken(t.s, &w).cpu, 6);
	RUN_ON(t.s, 12);
	assert_int_equal(woken(t.s, &w).cpu, 14);
	test_drop(&t);
}

static void no_package_is_woken_while_another_has_room(void **state)
{
	struct test_instance t = native_on(PACKAGES, 1, 0);
	struct sdpower_wake w = wake_from(0, 8);

	(void)state;
	RUN_ON(t.s, 0, 2, 4);
	assert_int_equal(woken(t.s, &w).cpu, 6);
	RUN_ON(t.s, 6); /* a task on each core: full, as threads are not to be filled */
	assert_int_equal(woken(t.s, &w).cpu, 8);
	assert_int_equal(sdpower_set_knobs(t.s, 1, 1), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	test_drop(&t);
}

/* Sums say that there is room, but all of it is being woken: the next group is taken. */
static void a_group_whose_room_is_claimed_is_left(void **state)
{
	struct test_instance t = native_on(NODES, 2, 0);
	struct sdpower_wake w = wake_from(6, 6);

	(void)state;
	RUN_ON(t.s, 0, 4);
	assert_int_equal(sdpower_claim(t.s, 1), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 5); /* the own node wins the tie, its idle cache not */
	RUN_ON(t.s, 2);
	assert_int_equal(woken(t.s, &w).cpu, 3);
	assert_int_equal(sdpower_claim(t.s, 3), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 5);
	test_drop(&t);
}

static void small_tasks_share_a_cpu_up_to_the_fill(void **state)
{
	struct test_instance t = native_on(PACKAGES, 2, 2);
	struct sdpower_wake w = wake_from(2, 5);

	(void)state;
	RUN_ON(t.s, 0, 2);
	assert_int_equal(sdpower_set_util(t.s, 0, 500), SDPOWER_OK);
	assert_int_equal(sdpower_set_util(t.s, 2, 300), SDPOWER_OK);
	w.util = 319; /* 819 of 1024 are 80 per cent */
	assert_int_equal(woken(t.s, &w).cpu, 0);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_PACKED);
	w.util = 320;
	assert_int_equal(woken(t.s, &w).cpu, 2);
	w.util = 520;
	assert_int_equal(woken(t.s, &w).cpu, 1); /* fits beside nobody: a thread of its own */
	w.util = 100;
	w.prev = 2; /* where it was it fits, too */
	assert_int_equal(woken(t.s, &w).cpu, 2);
	w.util = 0; /* not known: a whole cpu */
	assert_int_equal(woken(t.s, &w).cpu, 3);
	assert_int_equal(sdpower_set_knobs(t.s, 2, 0), SDPOWER_OK);
	w.util = 100;
	assert_int_equal(woken(t.s, &w).cpu, 4); /* balanced never lets tasks share */
	test_drop(&t);
}

static void a_task_goes_where_it_fits(void **state)
{
	struct test_instance t = native_on(HYBRID, 0, 0);
	struct sdpower_wake w = wake_from(2, 2);

	(void)state;
	w.util = 320; /* 80 per cent of 400 */
	assert_int_equal(woken(t.s, &w).cpu, 2);
	w.util = 321;
	assert_int_equal(woken(t.s, &w).cpu, 0);
	RUN_ON(t.s, 0);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	RUN_ON(t.s, 1); /* nothing fits: better a small cpu than none */
	assert_int_equal(woken(t.s, &w).cpu, 2);
	assert_true(woken(t.s, &w).reason & SDPOWER_REASON_MISFIT);
	assert_int_equal(sdpower_set_outside(t.s, 2, 0, 300), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 3); /* and the larger one of these */
	test_drop(&t);
}

static void powersave_takes_the_smallest_cpu_that_fits(void **state)
{
	struct test_instance t = native_on("l3:1 core:4 cap=1024,1024,400,400", 0, 1);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0);
	w.util = 100;
	assert_int_equal(woken(t.s, &w).cpu, 2);
	w.util = 500;
	assert_int_equal(woken(t.s, &w).cpu, 1);
	test_drop(&t);
}

static void of_cpus_alike_the_one_of_higher_priority(void **state)
{
	struct sdpower_cpu_desc cpus[4];
	struct sdpower_topology machine = { .struct_size = sizeof(machine), .cpus = cpus,
		.cpu_count = 4, .cpu_stride = sizeof(cpus[0]) };
	struct test_instance t = { .config = { .struct_size = sizeof(t.config),
		.topology = &machine, .tree = SDPOWER_TREE_MODERN } };
	struct sdpower_wake w = wake_from(0, 0);
	size_t size, align;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		cpus[i] = (struct sdpower_cpu_desc)SDPOWER_CPU_DESC(i, i, 0, 0, 0);
		cpus[i].priority = i == 3 ? 2 : 1;
	}
	assert_int_equal(sdpower_memory_needed(&t.config, &size, &align), SDPOWER_OK);
	t.memory = aligned_alloc(align, size);
	assert_int_equal(sdpower_init(t.memory, size, &t.config, &t.s), SDPOWER_OK);
	w.since_ran_ns = LONG_AGO;
	assert_int_equal(woken(t.s, &w).cpu, 3);
	w.since_ran_ns = 0;
	assert_int_equal(woken(t.s, &w).cpu, 0);
	test_drop(&t);
}

/* A unit of power for each core, cache and package; waking one costs nothing. */
static void an_idle_previous_cpu_is_left_only_for_energy(void **state)
{
	static const struct sdpower_energy energy = { .struct_size = sizeof(energy), .row = {
		[SDPOWER_ENERGY_CORE] = { 0, 160, 0 }, [SDPOWER_ENERGY_PACKAGE] = { 0, 11, 0 } } };
	struct test_instance t = { .config = { .tree = SDPOWER_TREE_MODERN, .mc = 2,
		.energy = &energy } };
	struct sdpower_wake w = wake_from(4, 5);

	(void)state;
	assert_int_equal(test_make(&t, "numa:2 l3:1 core:4"), SDPOWER_OK);
	RUN_ON(t.s, 0, 1, 4);
	assert_int_equal(woken(t.s, &w).cpu, 5); /* both packages are awake: nothing is gained */
	assert_true(woken(t.s, &w).reason & SDPOWER_REASON_ENERGY);
	runs(t.s, 4, 0); /* 171 here, 160 there: 11 are more than a sixteenth */
	assert_int_equal(woken(t.s, &w).cpu, 2);
	test_drop(&t);
}

/* The same with a package that takes 10: 10 of 170 are not. */
static void a_small_gain_is_no_reason_to_move(void **state)
{
	static const struct sdpower_energy energy = { .struct_size = sizeof(energy), .row = {
		[SDPOWER_ENERGY_CORE] = { 0, 160, 0 }, [SDPOWER_ENERGY_PACKAGE] = { 0, 10, 0 } } };
	struct test_instance t = { .config = { .tree = SDPOWER_TREE_MODERN, .mc = 2,
		.energy = &energy } };
	struct sdpower_wake w = wake_from(4, 5);

	(void)state;
	assert_int_equal(test_make(&t, "numa:2 l3:1 core:4"), SDPOWER_OK);
	RUN_ON(t.s, 0, 1);
	assert_int_equal(woken(t.s, &w).cpu, 5);
	test_drop(&t);
}

#define CASE(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_previous_cpu_is_kept_while_it_is_idle_and_warm),
		CASE(an_idle_core_comes_before_an_idle_thread),
		CASE(with_threads_to_fill_it_is_the_reverse),
		CASE(the_cache_of_the_waker_is_searched_when_it_is_less_loaded),
		CASE(a_waker_that_makes_room_is_better_than_a_busy_cpu),
		CASE(beyond_a_full_cache_the_nearest_idle_cpu_is_taken),
		CASE(the_search_ends_when_its_budget_is_used_up),
		CASE(nobody_idle_who_is_awake_then_the_less_loaded),
		CASE(claimed_cpus_and_cpus_with_work_are_not_idle),
		CASE(affinity_is_searched_like_everything_else),
		CASE(somebody_outside_and_a_task_without_past),
		CASE(a_task_stays_in_a_package_that_is_in_use),
		CASE(a_task_stays_in_a_package_that_will_not_be_emptied),
		CASE(no_package_is_woken_while_another_has_room),
		CASE(a_group_whose_room_is_claimed_is_left),
		CASE(small_tasks_share_a_cpu_up_to_the_fill), CASE(a_task_goes_where_it_fits),
		CASE(powersave_takes_the_smallest_cpu_that_fits),
		CASE(of_cpus_alike_the_one_of_higher_priority),
		CASE(an_idle_previous_cpu_is_left_only_for_energy),
		CASE(a_small_gain_is_no_reason_to_move),
	};

	return cmocka_run_group_tests_name("native_wake", tests, NULL, NULL);
}
