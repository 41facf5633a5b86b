/* SPDX-License-Identifier: MIT */
/* Description: rule P6: which group is emptied, by whom, into what, and when nothing is done. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "bench/consolidation.h"
#include "decide/native_fit.h"
#include "pack_help.h"

/* Level 1 of these machines has the packages as groups. */
static void the_lesser_group_is_emptied_into_the_fuller(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	put(&t, 0, 1, 300);
	put(&t, 4, 1, 300);
	put(&t, 5, 1, 300);
	a = ask(&t, 6, 1);
	assert_power(&a, 0, 6);
	assert_int_equal(a.group_first, 0);
	assert_int_equal(a.util_most, UINT32_MAX);
	a = ask(&t, 1, 1);
	assert_nothing(&a, SDPOWER_REASON_NOT_LEADER);
	test_drop(&t);
}

static void of_equal_groups_the_lower_receives(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	put(&t, 0, 1, 300);
	put(&t, 7, 1, 300);
	a = ask(&t, 3, 1);
	assert_power(&a, 7, 3);
	a = ask(&t, 4, 1);
	assert_nothing(&a, SDPOWER_REASON_NOT_LEADER);
	test_drop(&t);
}

static void a_group_that_does_not_fit_wholly_stays(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	for (sdpower_cpu cpu = 0; cpu < 6; cpu++)
		put(&t, cpu, cpu != 3, cpu != 3 ? 100 : 0);
	a = ask(&t, 3, 1);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

/* A knob at 0 and the words: nothing is packed at a level that does not save power. */
static void nothing_is_packed_without_the_knobs(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 0, 0);
	put(&t, 0, 1, 100);
	put(&t, 4, 1, 100);
	a = ask(&t, 1, 1);
	assert_nothing(&a, 0);
	test_drop(&t);
}

/* Balanced counts cores, powersave threads and how far they are filled. */
static void a_core_takes_one_task_unless_threads_are_used(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:2 pu:2", 2, 0);
	put(&t, 0, 1, 300);
	put(&t, 2, 1, 300);
	put(&t, 4, 1, 300);
	a = ask(&t, 1, 2);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
	make(&t, "pack:2 core:2 pu:2", 0, 1);
	put(&t, 0, 1, 300);
	put(&t, 2, 1, 300);
	put(&t, 4, 1, 300);
	a = ask(&t, 1, 2);
	assert_power(&a, 4, 1);
	test_drop(&t);
}

/* As rule P4 counts: two tasks are enough for two cores, even if they share one of them. */
static void a_group_gets_no_more_tasks_than_cores(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:2 pu:2", 2, 0);
	put(&t, 2, 1, 300);
	put(&t, 4, 1, 300);
	a = ask(&t, 0, 2);
	assert_power(&a, 4, 0);
	put(&t, 3, 1, 300);
	a = ask(&t, 0, 2);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

/* 400 + 400 is within 80 per cent of 1024, the cpu with less room is filled first. */
static void powersave_fills_cpus(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 2);
	put(&t, 0, 1, 300);
	put(&t, 1, 1, 400);
	put(&t, 2, 1, 600);
	put(&t, 4, 1, 400);
	a = ask(&t, 3, 1);
	assert_power(&a, 4, 1);
	assert_int_equal(a.util_most, 819 - 400);
	assert_true(a.reason & SDPOWER_REASON_PACKED);
	test_drop(&t);
}

static void a_task_beyond_the_fill_is_alone(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 2);
	put(&t, 0, 1, 600);
	put(&t, 1, 1, 500);
	put(&t, 4, 1, 900);
	a = ask(&t, 3, 1);
	assert_power(&a, 4, 3);
	assert_int_equal(a.util_most, UINT32_MAX);
	put(&t, 2, 1, 900);
	put(&t, 3, 1, 900);
	a = ask(&t, 5, 1);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

/* No unused cpu where the task would go: the group that gives it acts, then anybody. */
static void who_gives_acts_when_who_takes_cannot(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:3 core:2", 2, 2);
	put(&t, 0, 1, 200);
	put(&t, 1, 1, 200);
	put(&t, 2, 1, 250);
	a = ask(&t, 3, 1);
	assert_power(&a, 2, 0);
	a = ask(&t, 4, 1);
	assert_nothing(&a, SDPOWER_REASON_NOT_LEADER);
	put(&t, 3, 1, 250);
	a = ask(&t, 4, 1);
	assert_power(&a, 1, 2);
	test_drop(&t);
}

/* Level 0 has the cores as groups, each a single cpu here. */
static void cpus_of_a_package_are_merged(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 2);
	put(&t, 0, 1, 400);
	put(&t, 2, 1, 250);
	a = ask(&t, 3, 0);
	assert_power(&a, 2, 0);
	put(&t, 2, 1, 420);
	a = ask(&t, 3, 0);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

static void nothing_is_packed_where_work_waits(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	put(&t, 0, 2, 200);
	put(&t, 4, 1, 100);
	a = ask(&t, 1, 1);
	assert_nothing(&a, 0);
	put(&t, 0, 1, 200);
	a = ask(&t, 1, 1);
	assert_power(&a, 4, 1);
	test_drop(&t);
}

/* The other tasks of a group stay with the one that may not go; nobody comes to it either. */
static void a_group_that_cannot_be_emptied_is_left_alone(void **state)
{
	const uint32_t without_6 = ~(1u << 6), only_7 = 1u << 7;
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:3 core:6", 2, 0);
	for (sdpower_cpu cpu = 0; cpu < 3; cpu++)
		put(&t, cpu, 1, 100);
	put(&t, 6, 1, 300);
	put(&t, 12, 1, 200);
	a = ask(&t, 3, 1);
	assert_power(&a, 6, 3);
	a = ask_among(&t, 3, 1, &without_6);
	assert_power(&a, 12, 3);
	put(&t, 12, 0, 0);
	put(&t, 7, 1, 200);
	a = ask_among(&t, 3, 1, &without_6);
	assert_nothing(&a, 0);
	a = ask_among(&t, 3, 1, &only_7);
	assert_power(&a, 7, 3);
	test_drop(&t);
}

/* Who has asked to be sent a task is claimed for it; a cpu claimed for something else is not free. */
static void the_asker_may_be_claimed(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:2", 2, 0);
	put(&t, 0, 1, 100);
	put(&t, 2, 1, 100);
	assert_int_equal(sdpower_claim(t.s, 1), SDPOWER_OK);
	a = ask(&t, 1, 1);
	assert_power(&a, 2, 1);
	a = ask(&t, 3, 1);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

/* A core of a hybrid machine that is too small for the task does not get it. */
static void a_smaller_cpu_does_not_get_what_it_cannot_do(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++)
		assert_int_equal(sdpower_set_outside(t.s, cpu, 0, 400), SDPOWER_OK);
	put(&t, 0, 1, 100);
	put(&t, 1, 1, 100);
	put(&t, 4, 1, 500);
	a = ask(&t, 2, 1);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	put(&t, 4, 1, 300);
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++)
		assert_int_equal(sdpower_set_outside(t.s, cpu, 0, 400), SDPOWER_OK);
	a = ask(&t, 2, 1);
	assert_power(&a, 4, 2);
	test_drop(&t);
}

/* A tick is 4 ms: half a tick of waiting fills a cpu by half. */
static void the_latency_bound_limits_the_fill(void **state)
{
	struct sdpower_tunables tunables = { .struct_size = sizeof(tunables),
		.latency_bound_us = 2000 };
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:2", 2, 2);
	put(&t, 0, 1, 300);
	put(&t, 1, 1, 800);
	put(&t, 2, 1, 250);
	a = ask(&t, 3, 1);
	assert_power(&a, 2, 0);
	assert_int_equal(sdpower_set_tunables(t.s, &tunables), SDPOWER_OK);
	a = ask(&t, 3, 1);
	assert_nothing(&a, SDPOWER_REASON_LATENCY);
	test_drop(&t);
}

/* Counts of 204 = 80 per cent, in classes. */
static void best_fit_decreasing_by_counts(void **state)
{
	struct sdpower_i_fit fit;
	uint32_t taken;

	(void)state;
	memset(&fit, 0, sizeof(fit));
	assert_true(sdpower_i_fits(&fit, 1, &taken));
	fit.tasks[50] = 3;
	assert_false(sdpower_i_fits(&fit, 1, &taken));
	fit.empty[102] = 2;
	assert_true(sdpower_i_fits(&fit, 1, &taken));
	assert_int_equal(taken, 2);
	assert_false(sdpower_i_fits(&fit, 0, &taken));
	fit.empty[102] = 1;
	fit.room[49] = 9;
	assert_false(sdpower_i_fits(&fit, 1, &taken));
	fit.room[50] = 1;
	assert_true(sdpower_i_fits(&fit, 1, &taken));
	assert_int_equal(taken, 1);
	/* The small ones fill what the large ones leave. */
	fit.tasks[2] = 1 + 9 * 24;
	assert_true(sdpower_i_fits(&fit, 1, &taken));
	fit.tasks[2] = 2 + 9 * 24;
	assert_false(sdpower_i_fits(&fit, 1, &taken));
}

static void assert_close(uint32_t value, uint32_t to, double factor)
{
	assert_true(value <= (double)to * factor);
}

/* Runs of two seeds; all ten are in docs/BENCHMARKS.md. */
static void loops_end_close_to_the_optimum(void **state)
{
	(void)state;
	for (uint32_t word = CONSOLIDATION_BALANCED; word <= CONSOLIDATION_POWERSAVE; word++)
		for (uint32_t seed = 0; seed < 2; seed++) {
			struct consolidation t;

			assert_int_equal(consolidation_run(&t, seed * CONSOLIDATION_RUNS, 300,
				(enum consolidation_word)word, CONSOLIDATION_DISTINCT), 0);
			print_message("word %u seed %u: %u groups, least %u and %u, %u + %u moves of "
				"%u tasks\n", word, seed, t.active_after, t.least, t.least_80,
				t.moves, t.inner_moves, t.away);
			if (word == CONSOLIDATION_BALANCED)
				assert_close(t.active_after, t.least, 1.002);
			else
				assert_close(t.active_after, t.least_80, 1.008);
			assert_close(t.moves + t.inner_moves, t.away, 1.5);
			assert_int_equal(t.returns | t.worse | t.failed, 0);
		}
}

/* Three ticks of patience, and one to act. */
static void stacked_starts_spread_within_the_bound(void **state)
{
	(void)state;
	for (uint32_t word = CONSOLIDATION_PERFORMANCE; word <= CONSOLIDATION_POWERSAVE; word++) {
		struct consolidation t;

		assert_int_equal(consolidation_run(&t, 0, 300, (enum consolidation_word)word,
			CONSOLIDATION_RANDOM), 0);
		assert_int_equal(t.unspread | t.failed, 0);
		assert_true(t.ticks_most <= 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lesser_group_is_emptied_into_the_fuller),
		cmocka_unit_test(of_equal_groups_the_lower_receives),
		cmocka_unit_test(a_group_that_does_not_fit_wholly_stays),
		cmocka_unit_test(nothing_is_packed_without_the_knobs),
		cmocka_unit_test(a_core_takes_one_task_unless_threads_are_used),
		cmocka_unit_test(a_group_gets_no_more_tasks_than_cores),
		cmocka_unit_test(powersave_fills_cpus),
		cmocka_unit_test(a_task_beyond_the_fill_is_alone),
		cmocka_unit_test(who_gives_acts_when_who_takes_cannot),
		cmocka_unit_test(cpus_of_a_package_are_merged),
		cmocka_unit_test(nothing_is_packed_where_work_waits),
		cmocka_unit_test(a_group_that_cannot_be_emptied_is_left_alone),
		cmocka_unit_test(the_asker_may_be_claimed),
		cmocka_unit_test(a_smaller_cpu_does_not_get_what_it_cannot_do),
		cmocka_unit_test(the_latency_bound_limits_the_fill),
		cmocka_unit_test(best_fit_decreasing_by_counts),
		cmocka_unit_test(loops_end_close_to_the_optimum),
		cmocka_unit_test(stacked_starts_spread_within_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
