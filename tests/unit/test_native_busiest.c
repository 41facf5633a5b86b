/* SPDX-License-Identifier: MIT */
/*
 * Description: from where a cpu pulls under the native rules. Cases worked out by hand, rule by
 * rule. Random machines and states: test_native_sums.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "native_ask.h"
#include "decide/native_sums.h"

/* P1 on four packages of four: by waiting tasks, not by load; of equals the last. */
static void the_group_where_most_waits_gives(void **state)
{
	struct test_instance t = native_on("pack:4 core:4", 0, 0);
	struct sdpower_busiest a;

	(void)state;
	runs(t.s, 5, 2);
	a = ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0);
	is_pull(a, SDPOWER_PULL_TASK, 5, 0, 1024, 2047);
	assert_int_equal(a.group, 1);
	assert_int_equal(a.group_first, 4);
	assert_int_equal(a.reason, SDPOWER_REASON_IMBALANCE);
	runs(t.s, 9, 2);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).from, 9);
	assert_int_equal(ask(t.s, 12, 1, SDPOWER_CPU_IDLE, 0).from, 9);
	/* Three cpus with heavy tasks each are no reason to pull there. */
	for (sdpower_cpu cpu = 12; cpu < 15; cpu++)
		assert_int_equal(sdpower_set_load(t.s, cpu, 1, 9000), SDPOWER_OK);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).from, 9);
	runs(t.s, 4, 2);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).from, 5);
	/* Within the group, the cpu with the most load. */
	assert_int_equal(sdpower_set_load(t.s, 4, 2, 5000), SDPOWER_OK);
	is_pull(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0), SDPOWER_PULL_TASK, 4, 0, 2500, 4999);
	test_drop(&t);
}

/* Work that waits is anybody's who is idle, whoever balances the level. */
static void waiting_work_needs_no_balancer(void **state)
{
	struct test_instance t = native_on("pack:2 core:4", 0, 0);

	(void)state;
	runs(t.s, 5, 3);
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++)
		assert_int_equal(ask(t.s, cpu, 1, SDPOWER_CPU_IDLE, SDPOWER_ASK_WHO_BALANCES).from, 5);
	assert_int_equal(ask(t.s, 6, 0, SDPOWER_CPU_IDLE, SDPOWER_ASK_WHO_BALANCES).from, 5);
	test_drop(&t);
}

/* P1 while power is saved: package 1 first helps itself, then package 0 as it is active. */
static void savings_leave_work_to_whoever_is_near(void **state)
{
	struct test_instance t = native_on("pack:3 core:2", 2, 0);
	struct sdpower_busiest a;

	(void)state;
	runs(t.s, 2, 2);
	a = ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0);
	is_nothing(a);
	assert_int_equal(a.waiting, 1);
	assert_int_equal(a.reason, SDPOWER_REASON_SEMI_IDLE);
	a = ask(t.s, 0, 1, SDPOWER_CPU_IDLE, SDPOWER_ASK_IMPATIENT);
	is_pull(a, SDPOWER_PULL_TASK, 2, 0, 1024, 2047);
	assert_true(a.reason == (SDPOWER_REASON_IMBALANCE | SDPOWER_REASON_LATENCY));
	runs(t.s, 3, 1);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0).from, 2);
	/* Package 0 has something to do and room: package 2 stays as it is. */
	runs(t.s, 0, 1);
	a = ask(t.s, 4, 1, SDPOWER_CPU_IDLE, 0);
	is_nothing(a);
	assert_int_equal(a.waiting, 1);
	assert_int_equal(ask(t.s, 1, 1, SDPOWER_CPU_IDLE, 0).from, 2);
	assert_int_equal(ask(t.s, 4, 1, SDPOWER_CPU_IDLE, SDPOWER_ASK_SPREADING).from, 2);
	test_drop(&t);
}

/* P2: a task of 500 fits 80 per cent of 640, not of 512; only a clearly larger cpu takes it. */
static void a_large_task_goes_to_a_larger_cpu(void **state)
{
	static const uint32_t capacity[] = { 1024, 540, 512, 512 };
	struct test_instance t = unequal_on("core:4", capacity, NULL);

	(void)state;
	runs(t.s, 2, 1);
	assert_int_equal(sdpower_set_util(t.s, 2, 400), SDPOWER_OK);
	is_nothing(ask(t.s, 0, 0, SDPOWER_CPU_NEWLY_IDLE, 0));
	assert_int_equal(sdpower_set_util(t.s, 2, 410), SDPOWER_OK);
	is_pull(ask(t.s, 0, 0, SDPOWER_CPU_NEWLY_IDLE, 0), SDPOWER_PULL_MISFIT, 2, 0, 1024,
		SDPOWER_LOAD_MAX);
	assert_int_equal(ask(t.s, 1, 0, SDPOWER_CPU_NEWLY_IDLE, 0).from, 2);
	is_nothing(ask(t.s, 3, 0, SDPOWER_CPU_NEWLY_IDLE, 0));
	runs(t.s, 0, 1);
	is_nothing(ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0));
	test_drop(&t);
}

/* Other programs may make a cpu too small for its task too. */
static void what_others_take_makes_a_cpu_small(void **state)
{
	struct test_instance t = native_on("core:4", 0, 0);

	(void)state;
	runs(t.s, 2, 1);
	assert_int_equal(sdpower_set_util(t.s, 2, 500), SDPOWER_OK);
	is_nothing(ask(t.s, 0, 0, SDPOWER_CPU_NEWLY_IDLE, 0));
	assert_int_equal(sdpower_set_outside(t.s, 2, 500, 1024), SDPOWER_OK);
	assert_int_equal(ask(t.s, 0, 0, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_MISFIT);
	test_drop(&t);
}

/* P3 */
static void running_work_goes_to_the_higher_priority(void **state)
{
	static const uint32_t priority[] = { 10, 30, 20, 5 };
	struct test_instance t = unequal_on("l3:1 core:4", NULL, priority);
	struct sdpower_busiest a;

	(void)state;
	RUN_ON(t.s, 0, 3);
	a = ask(t.s, 2, 0, SDPOWER_CPU_NEWLY_IDLE, 0);
	is_pull(a, SDPOWER_PULL_PRIORITY, 3, 2, 1024, SDPOWER_LOAD_MAX);
	assert_int_equal(a.reason, SDPOWER_REASON_PRIORITY);
	runs(t.s, 3, 0);
	runs(t.s, 1, 1);
	assert_int_equal(ask(t.s, 2, 0, SDPOWER_CPU_NEWLY_IDLE, 0).from, 0);
	runs(t.s, 0, 0);
	is_nothing(ask(t.s, 2, 0, SDPOWER_CPU_NEWLY_IDLE, 0));
	test_drop(&t);
}

/* P4: four and two stay as they are on equal packages only if that is as even as can be. */
static void crowded_groups_give_running_tasks(void **state)
{
	struct test_instance t = native_on("pack:2 core:4", 0, 0);
	struct sdpower_busiest a;

	(void)state;
	RUN_ON(t.s, 0, 4, 5);
	is_nothing(ask(t.s, 1, 1, SDPOWER_CPU_NEWLY_IDLE, 0));
	runs(t.s, 6, 1);
	a = ask(t.s, 1, 1, SDPOWER_CPU_NEWLY_IDLE, 0);
	is_pull(a, SDPOWER_PULL_SPREAD, 6, 1, 1024, SDPOWER_LOAD_MAX);
	assert_int_equal(a.reason, SDPOWER_REASON_IMBALANCE | SDPOWER_REASON_SMALL);
	/* The first unused cpu balances. */
	assert_int_equal(ask(t.s, 1, 1, SDPOWER_CPU_IDLE, SDPOWER_ASK_WHO_BALANCES).from, 6);
	a = ask(t.s, 2, 1, SDPOWER_CPU_IDLE, SDPOWER_ASK_WHO_BALANCES);
	is_nothing(a);
	assert_int_equal(a.balance, 0);
	assert_int_equal(a.reason, SDPOWER_REASON_NOT_BALANCER);
	/* A lone task crowds nobody. */
	runs(t.s, 0, 0);
	runs(t.s, 5, 0);
	runs(t.s, 6, 0);
	is_nothing(ask(t.s, 1, 1, SDPOWER_CPU_NEWLY_IDLE, 0));
	test_drop(&t);
}

/* P4: a core of two busy threads gives one to an unused core, not to the thread of a busy one. */
static void cores_come_before_threads(void **state)
{
	struct test_instance t = native_on("core:3 pu:2", 0, 0);

	(void)state;
	RUN_ON(t.s, 0, 1, 2);
	assert_int_equal(ask(t.s, 4, 1, SDPOWER_CPU_NEWLY_IDLE, 0).from, 1);
	is_nothing(ask(t.s, 3, 1, SDPOWER_CPU_NEWLY_IDLE, 0));
	test_drop(&t);
	t = native_on("pack:2 core:2 pu:2", 0, 0);
	RUN_ON(t.s, 0, 4, 5, 6);
	assert_int_equal(ask(t.s, 2, 2, SDPOWER_CPU_NEWLY_IDLE, 0).from, 5);
	is_nothing(ask(t.s, 1, 2, SDPOWER_CPU_NEWLY_IDLE, 0));
	test_drop(&t);
}

/* P4 while power is saved: a package gives away only what exceeds one task for each core. */
static void savings_spread_only_what_cores_cannot_hold(void **state)
{
	struct test_instance t = native_on("pack:2 core:2 pu:2", 2, 0);

	(void)state;
	RUN_ON(t.s, 4, 6);
	assert_int_not_equal(ask(t.s, 0, 2, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	runs(t.s, 5, 1);
	assert_int_equal(ask(t.s, 0, 2, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	assert_int_equal(ask(t.s, 0, 2, SDPOWER_CPU_NEWLY_IDLE, 0).from, 5);
	test_drop(&t);
	t = native_on("pack:2 core:2 pu:2", 2, 2);
	RUN_ON(t.s, 4, 5, 6);
	assert_int_not_equal(ask(t.s, 0, 2, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	test_drop(&t);
}

/* P5: 3000 against 1024 differ by 1976: half may go, in a first task below all of it. */
static void a_busy_cpu_takes_half_the_difference(void **state)
{
	struct test_instance t = native_on("core:2", 0, 0);
	struct sdpower_busiest a;

	(void)state;
	runs(t.s, 0, 1);
	assert_int_equal(sdpower_set_load(t.s, 1, 3, 3000), SDPOWER_OK);
	a = ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0);
	is_pull(a, SDPOWER_PULL_LOAD, 1, 0, 988, 1975);
	assert_int_equal(a.stats.this_load, 1024);
	assert_int_equal(a.stats.max_load, 3000);
	/* Within 17 per cent: not worth it. */
	assert_int_equal(sdpower_set_load(t.s, 1, 3, 1198), SDPOWER_OK);
	a = ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0);
	is_nothing(a);
	assert_int_equal(a.reason, SDPOWER_REASON_WITHIN_PERCENT);
	/* One task cannot be divided. */
	assert_int_equal(sdpower_set_load(t.s, 1, 1, 9000), SDPOWER_OK);
	is_nothing(ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0));
	test_drop(&t);
}

/* P5 under powersave: what nobody measured is no reason to leave five tasks beside one. */
static void without_a_measure_busy_cpus_even_out(void **state)
{
	struct test_instance t = native_on("core:2", 2, 2);
	struct sdpower_busiest a;

	(void)state;
	runs(t.s, 0, 1);
	runs(t.s, 1, 5);
	a = ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0);
	is_pull(a, SDPOWER_PULL_LOAD, 1, 0, 2048, 4095);
	assert_int_equal(a.util_most, UINT32_MAX);
	/* One of them measured says nothing of the other's tasks. */
	assert_int_equal(sdpower_set_util(t.s, 0, 300), SDPOWER_OK);
	assert_int_equal(ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0).util_most, UINT32_MAX);
	/* Both are: up to 80 per cent; and who has that much takes nothing. */
	assert_int_equal(sdpower_set_util(t.s, 1, 1500), SDPOWER_OK);
	assert_int_equal(ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0).util_most, 819 - 300);
	assert_int_equal(sdpower_set_util(t.s, 0, 819), SDPOWER_OK);
	a = ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0);
	is_nothing(a);
	assert_true(a.reason & SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

/* P5: a quarter of a cpu with 256 is as loaded as a whole one with 1024. */
static void loads_count_by_capacity(void **state)
{
	static const uint32_t capacity[] = { 1024, 256 };
	struct test_instance t = unequal_on("core:2", capacity, NULL);

	(void)state;
	assert_int_equal(sdpower_set_load(t.s, 0, 2, 1024), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(t.s, 1, 2, 256), SDPOWER_OK);
	is_nothing(ask(t.s, 0, 0, SDPOWER_CPU_NOT_IDLE, 0));
	is_nothing(ask(t.s, 1, 0, SDPOWER_CPU_NOT_IDLE, 0));
	/* 2304 in all: 460 belong on the small one, 204 more than it has. */
	assert_int_equal(sdpower_set_load(t.s, 0, 2, 2048), SDPOWER_OK);
	is_pull(ask(t.s, 1, 0, SDPOWER_CPU_NOT_IDLE, 0), SDPOWER_PULL_LOAD, 0, 1, 204, 409);
	test_drop(&t);
}

/* Nodes may differ by the tasks the tree allows them. */
static void nodes_may_differ(void **state)
{
	struct test_instance t = native_on("node:2 core:16", 0, 0);
	uint32_t nr = 1, depth = 1, allowed;

	(void)state;
	{
		const struct sdpower_i_view v = sdpower_i_view_of(&t.s->forest);

		allowed = sdpower_i_get_link(&v, 0, depth).imb_numa_nr;
	}
	assert_true(allowed > 1);
	for (; nr <= allowed; nr++) {
		runs(t.s, 15 + nr, 1);
		is_nothing(ask(t.s, 0, depth, SDPOWER_CPU_NEWLY_IDLE, 0));
	}
	runs(t.s, 15 + nr, 1);
	assert_int_equal(ask(t.s, 0, depth, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	test_drop(&t);
}

/* Cpus that proved pinned are passed over; their tasks still count. */
static void candidates_narrow_who_gives(void **state)
{
	struct test_instance t = native_on("pack:2 core:4", 0, 0);
	const uint32_t all_but_6 = ~(1u << 6), none = 0xf;
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .depth = 1,
		.idle = SDPOWER_CPU_NEWLY_IDLE, .candidates = &all_but_6, .candidate_words = 1 };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	(void)state;
	RUN_ON(t.s, 4, 5, 6);
	assert_int_equal(sdpower_find_busiest_group(t.s, &r, &a), SDPOWER_OK);
	is_pull(a, SDPOWER_PULL_SPREAD, 5, 0, 1024, SDPOWER_LOAD_MAX);
	r.candidates = &none;
	assert_int_equal(sdpower_find_busiest_group(t.s, &r, &a), SDPOWER_OK);
	is_nothing(a);
	runs(t.s, 6, 5);
	runs(t.s, 4, 2);
	r.candidates = &all_but_6;
	assert_int_equal(sdpower_find_busiest_group(t.s, &r, &a), SDPOWER_OK);
	is_pull(a, SDPOWER_PULL_TASK, 4, 0, 1024, 2047);
	test_drop(&t);
}

static void the_queue_is_the_one_the_group_names(void **state)
{
	struct test_instance t = native_on("pack:2 core:4", 0, 0);
	struct sdpower_busiest a;
	struct sdpower_queue_request r = { .struct_size = sizeof(r) };
	struct sdpower_pick pick = { 0, 0 };
	const uint32_t low = 0xf;

	(void)state;
	runs(t.s, 5, 2);
	runs(t.s, 6, 3);
	a = ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0);
	r.domain = a.domain;
	r.group = a.group;
	r.imbalance = a.imbalance;
	assert_int_equal(sdpower_find_busiest_queue(t.s, &r, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, a.from);
	r.candidates = &low;
	r.candidate_words = 1;
	assert_int_equal(sdpower_find_busiest_queue(t.s, &r, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, SDPOWER_CPU_NONE);
	assert_int_equal(pick.reason, SDPOWER_REASON_NO_CPU);
	r.group = 2;
	assert_int_equal(sdpower_find_busiest_queue(t.s, &r, &pick), SDPOWER_ENOENT);
	r.group = 1;
	r.domain.generation++;
	assert_int_equal(sdpower_find_busiest_queue(t.s, &r, &pick), SDPOWER_ESTALE);
	r.domain.generation -= 2;
	assert_int_equal(sdpower_find_busiest_queue(t.s, &r, &pick), SDPOWER_ESTALE);
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_group_where_most_waits_gives),
		cmocka_unit_test(waiting_work_needs_no_balancer),
		cmocka_unit_test(savings_leave_work_to_whoever_is_near),
		cmocka_unit_test(a_large_task_goes_to_a_larger_cpu),
		cmocka_unit_test(what_others_take_makes_a_cpu_small),
		cmocka_unit_test(running_work_goes_to_the_higher_priority),
		cmocka_unit_test(crowded_groups_give_running_tasks),
		cmocka_unit_test(cores_come_before_threads),
		cmocka_unit_test(savings_spread_only_what_cores_cannot_hold),
		cmocka_unit_test(a_busy_cpu_takes_half_the_difference),
		cmocka_unit_test(without_a_measure_busy_cpus_even_out),
		cmocka_unit_test(loads_count_by_capacity),
		cmocka_unit_test(nodes_may_differ),
		cmocka_unit_test(candidates_narrow_who_gives),
		cmocka_unit_test(the_queue_is_the_one_the_group_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
