/* SPDX-License-Identifier: MIT */
/*
 * Description: a level under the native rules step by step: what is asked of the host, requests to push
 * and the claims that go with them, failures, intervals and modes (P8 to P10).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "decide/driver.h"

#define MS UINT64_C(1000000)
#define TICK (4 * MS)

/* The walk of one cpu. */
struct walk {
	uint64_t memory[64];
	struct sdpower_balance_action action;
};

static struct test_instance on;

static void make(const char *machine, uint32_t mc, uint32_t smt)
{
	memset(&on, 0, sizeof(on));
	on.config = (struct sdpower_config){ .decisions = SDPOWER_DECIDE_NATIVE, .mc = mc, .smt = smt,
		.flags = SDPOWER_CONFIG_DRIVER | SDPOWER_CONFIG_COUNTERS };
	assert_int_equal(test_make(&on, machine), SDPOWER_OK);
}

/* So many tasks with this load and share of time each. */
static void put(sdpower_cpu cpu, uint32_t nr, uint32_t load, uint32_t util)
{
	const struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = nr, .load = nr * load,
		.activity = nr ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING, .has_util = 1,
		.util = nr * util, .outside_capacity = SDPOWER_SCALE };

	assert_int_equal(sdpower_set_cpu(on.s, cpu, &c), SDPOWER_OK);
}

static uint32_t begin(struct walk *w, uint32_t kind, sdpower_cpu cpu, uint32_t idle, uint64_t tick)
{
	const struct sdpower_balance_request r = { .struct_size = sizeof(r), .kind = kind, .cpu = cpu,
		.helper = SDPOWER_CPU_NONE, .idle = idle, .now_ns = tick * TICK };

	memset(w->memory, 0xff, sizeof(w->memory));
	w->action.struct_size = sizeof(w->action);
	assert_true(sdpower_balance_size(on.s) <= sizeof(w->memory));
	assert_int_equal(sdpower_balance_begin(on.s, w->memory, sizeof(w->memory), &r, &w->action),
		SDPOWER_OK);
	return w->action.kind;
}

static uint32_t look_for_work(struct walk *w, sdpower_cpu cpu, uint64_t tick)
{
	return begin(w, SDPOWER_BALANCE_NEWIDLE, cpu, 0, tick);
}

static uint32_t serve(struct walk *w, sdpower_cpu cpu)
{
	return begin(w, SDPOWER_BALANCE_PUSH, cpu, 0, 1);
}

/* The outcome: the host agreed, and so many tasks moved; all that did not were not pinned. */
static uint32_t next(struct walk *w, uint32_t done, uint32_t tasks)
{
	struct sdpower_balance_outcome o = { .struct_size = sizeof(o), .done = done };

	o.move = w->action.move;
	o.move.tasks = tasks;
	o.move.moved = 1024 * tasks;
	o.move.pinned = 0;
	assert_int_equal(sdpower_balance_next(on.s, w->memory, &o, &w->action), SDPOWER_OK);
	return w->action.kind;
}

/* Nothing can be pulled but the running task, which may go: its cpu is to push. */
static void ask_to_push(struct walk *w, sdpower_cpu cpu, sdpower_cpu from)
{
	assert_int_equal(look_for_work(w, cpu, 1), SDPOWER_BALANCE_PULL);
	assert_int_equal(w->action.from, from);
	assert_int_equal(w->action.move.move_hot, 1);
	assert_int_equal(next(w, 0, 0), SDPOWER_BALANCE_MAY_RUN);
	assert_int_equal(w->action.from, from);
	assert_int_equal(w->action.cpu, cpu);
	assert_int_equal(next(w, 1, 0), SDPOWER_BALANCE_KICK);
	assert_int_equal(w->action.from, from);
	assert_int_equal(next(w, 0, 0), SDPOWER_BALANCE_DONE);
}

static uint32_t activity_of(sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_get_cpu(on.s, cpu, &c), SDPOWER_OK);
	return c.activity;
}

static struct sdpower_i_pace *pace(sdpower_cpu cpu, uint32_t depth)
{
	return sdpower_i_pace_at(on.s, sdpower_i_position(on.s, cpu), depth);
}

static void who_asks_is_claimed_until_it_is_served(void **state)
{
	struct walk w;

	(void)state;
	make("core:4", 0, 0);
	put(1, 2, 1024, 500);
	ask_to_push(&w, 0, 1);
	assert_int_equal(activity_of(0), SDPOWER_CPU_IS_CLAIMED);
	assert_int_equal(serve(&w, 2), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(0), SDPOWER_CPU_IS_CLAIMED);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_PUSH_ONE);
	assert_int_equal(w.action.cpu, 0);
	assert_int_equal(w.action.from, 1);
	assert_int_equal(w.action.move.one, 1);
	assert_int_equal(next(&w, 0, 1), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(0), SDPOWER_CPU_SLEEPING);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_DONE);
	test_drop(&on);
}

static void a_claim_of_somebody_else_stays(void **state)
{
	struct walk w;

	(void)state;
	make("core:4", 0, 0);
	put(1, 2, 1024, 500);
	assert_int_equal(sdpower_claim(on.s, 0), SDPOWER_OK);
	ask_to_push(&w, 0, 1);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_PUSH_ONE);
	assert_int_equal(next(&w, 0, 1), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(0), SDPOWER_CPU_IS_CLAIMED);
	test_drop(&on);
}

/* By the requester's next walk, or by the cpu that was asked and has nothing to give any more. */
static void requests_are_withdrawn_and_become_void(void **state)
{
	struct walk w;

	(void)state;
	for (int is_void = 0; is_void < 2; is_void++) {
		make("core:4", 0, 0);
		put(1, 2, 1024, 500);
		ask_to_push(&w, 0, 1);
		put(1, 1, 1024, 500);
		if (is_void)
			assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_DONE);
		else
			assert_int_equal(look_for_work(&w, 0, 2), SDPOWER_BALANCE_DONE);
		assert_int_equal(activity_of(0), SDPOWER_CPU_SLEEPING);
		put(1, 2, 1024, 500);
		assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_DONE);
		test_drop(&on);
	}
}

static void nobody_is_asked_twice_or_without_leave(void **state)
{
	struct walk w;

	(void)state;
	make("core:4", 0, 0);
	put(1, 2, 1024, 500);
	ask_to_push(&w, 0, 1);
	assert_int_equal(look_for_work(&w, 2, 1), SDPOWER_BALANCE_PULL);
	assert_int_equal(next(&w, 0, 0), SDPOWER_BALANCE_MAY_RUN);
	assert_int_equal(next(&w, 1, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(2), SDPOWER_CPU_SLEEPING);
	assert_int_equal(look_for_work(&w, 0, 2), SDPOWER_BALANCE_PULL); /* withdrawn */
	assert_int_equal(next(&w, 0, 0), SDPOWER_BALANCE_MAY_RUN);
	assert_int_equal(next(&w, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(0), SDPOWER_CPU_SLEEPING);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_DONE);
	test_drop(&on);
}

/* While a task is on its way the requester asks somebody else: that request is another one. */
static void a_newer_request_is_not_the_one_that_was_served(void **state)
{
	struct walk w, other;

	(void)state;
	make("core:4", 0, 0);
	put(1, 2, 1024, 500);
	ask_to_push(&other, 0, 1);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_PUSH_ONE);
	put(2, 3, 1024, 500);
	ask_to_push(&other, 0, 2);
	assert_int_equal(next(&w, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(0), SDPOWER_CPU_IS_CLAIMED);
	assert_int_equal(serve(&w, 2), SDPOWER_BALANCE_PUSH_ONE);
	test_drop(&on);
}

/* Who has more to give elsewhere does not matter to who serves; nor is mere load pushed. */
static void the_question_is_put_again_about_one_cpu(void **state)
{
	struct walk w;

	(void)state;
	make("core:4", 0, 0);
	put(1, 2, 1024, 500);
	ask_to_push(&w, 0, 1);
	put(3, 5, 1024, 200);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_PUSH_ONE);
	test_drop(&on);
	make("core:4", 0, 0);
	put(1, 2, 1024, 500);
	ask_to_push(&w, 0, 1);
	put(1, 4, 4096, 250);
	put(0, 1, 1024, 500);
	assert_int_equal(serve(&w, 1), SDPOWER_BALANCE_DONE);
	test_drop(&on);
}

/* P6 by the cpu that asks, for a cpu of another package that has no unused one. */
static void another_cpu_may_get_the_task(void **state)
{
	struct sdpower_counters before = { .struct_size = sizeof(before) }, after = before;
	struct walk w;

	(void)state;
	make("pack:2 core:2", 2, 2);
	put(0, 1, 1024, 304);
	put(2, 1, 1024, 515);
	put(3, 1, 1024, 800);
	assert_int_equal(look_for_work(&w, 1, 1), SDPOWER_BALANCE_MAY_RUN);
	assert_int_equal(w.action.from, 0);
	assert_int_equal(w.action.cpu, 2);
	assert_int_equal(w.action.depth, 1);
	assert_int_equal(next(&w, 1, 0), SDPOWER_BALANCE_KICK);
	assert_int_equal(next(&w, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(activity_of(1), SDPOWER_CPU_SLEEPING);
	assert_int_equal(sdpower_get_counters(on.s, 2, 1, &before), SDPOWER_OK);
	assert_int_equal(serve(&w, 0), SDPOWER_BALANCE_PUSH_ONE);
	assert_int_equal(w.action.cpu, 2);
	assert_int_equal(w.action.depth, 1);
	assert_int_equal(w.action.move.util_most, 304);
	assert_int_equal(next(&w, 0, 1), SDPOWER_BALANCE_DONE);
	assert_int_equal(sdpower_get_counters(on.s, 2, 1, &after), SDPOWER_OK);
	assert_int_equal(after.pushes_moved, before.pushes_moved + 1);
	test_drop(&on);
}

static uint32_t tick(struct walk *w, sdpower_cpu cpu, uint32_t idle, uint64_t at)
{
	return begin(w, SDPOWER_BALANCE_TICK, cpu, idle, at);
}

/* P5 finds more load than one cpu should have, and nothing comes of it. */
static void failures_are_counted_for_load_and_forgotten(void **state)
{
	struct walk w;
	uint64_t at = 1000;
	uint32_t tries;

	(void)state;
	make("core:2", 0, 0);
	put(0, 1, 100, 100);
	put(1, 4, 1024, 200);
	(void)tick(&w, 0, SDPOWER_CPU_NOT_IDLE, 0);
	for (tries = 0; tries < 300; tries++, at += 1000) {
		const uint32_t failed = tries < 255 ? tries : 255;

		assert_int_equal(tick(&w, 0, SDPOWER_CPU_NOT_IDLE, at), SDPOWER_BALANCE_PULL);
		assert_int_equal(pace(0, 0)->failed, failed);
		/* Warm tasks come after more failures than the level has tries. */
		assert_int_equal(w.action.move.move_hot, failed >
			((struct sdpower_i_driver *)(void *)w.memory)->attempt.level.tries);
		assert_int_equal(next(&w, 0, 0), SDPOWER_BALANCE_DONE);
	}
	assert_int_equal(pace(0, 0)->failed, 255);
	put(1, 1, 100, 100);
	assert_int_equal(tick(&w, 0, SDPOWER_CPU_NOT_IDLE, at), SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(0, 0)->failed, 0);
	test_drop(&on);
}

static void where_nothing_happens_it_is_looked_at_less_often(void **state)
{
	struct walk w;
	uint32_t expected = 1;

	(void)state;
	make("core:2", 0, 0);
	for (uint64_t at = 0; at < 10; at++) {
		assert_int_equal(look_for_work(&w, 0, at), SDPOWER_BALANCE_DONE);
		assert_int_equal(pace(0, 0)->interval, 1);
	}
	for (uint64_t at = 1000; at < 20000; at += 1000) {
		const uint32_t longest =
			((struct sdpower_i_driver *)(void *)w.memory)->attempt.level.max_interval;

		expected = 2 * expected < longest ? 2 * expected : longest;
		assert_int_equal(tick(&w, 0, SDPOWER_CPU_IDLE, at), SDPOWER_BALANCE_DONE);
		assert_int_equal(pace(0, 0)->interval, expected);
	}
	put(1, 2, 1024, 500);
	assert_int_equal(tick(&w, 0, SDPOWER_CPU_IDLE, 30000), SDPOWER_BALANCE_PULL);
	assert_int_equal(next(&w, 0, 1), SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(0, 0)->interval, 1);
	test_drop(&on);
}

/* 10 ms are three ticks of 4 ms, counted from the first look. */
static void work_waits_as_long_as_the_bound(void **state)
{
	struct walk w;

	(void)state;
	make("pack:2 core:2", 2, 0);
	put(2, 2, 1024, 300); /* beside an unused cpu */
	for (uint64_t at = 100; at < 103; at++)
		assert_int_equal(look_for_work(&w, 0, at), SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(0, 1)->failed, SDPOWER_I_PACE_WAITING);
	assert_int_equal(look_for_work(&w, 0, 103), SDPOWER_BALANCE_PULL);
	assert_int_equal(w.action.from, 2);
	/* Once impatient it stays so until nothing waits: another task comes at once. */
	assert_int_equal(pace(0, 1)->failed, SDPOWER_I_PACE_WAITING);
	assert_int_equal(next(&w, 0, 1), SDPOWER_BALANCE_DONE);
	assert_int_equal(look_for_work(&w, 0, 104), SDPOWER_BALANCE_PULL);
	test_drop(&on);
	/* Twice in that time a sleeping cpu looks. */
	make("pack:2 core:2", 2, 0);
	put(2, 2, 1024, 300);
	(void)tick(&w, 0, SDPOWER_CPU_IDLE, 100);
	assert_int_equal(tick(&w, 0, SDPOWER_CPU_IDLE, 101), SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(0, 1)->failed, SDPOWER_I_PACE_WAITING);
	assert_int_equal(pace(0, 1)->interval, 5);
	test_drop(&on);
}

static void bounds_may_be_long(void **state)
{
	const struct sdpower_tunables t = { .struct_size = sizeof(t), .latency_bound_us = 20000000 };
	struct walk w;

	(void)state;
	make("pack:2 core:2", 2, 0);
	assert_int_equal(sdpower_set_tunables(on.s, &t), SDPOWER_OK);
	put(2, 2, 1024, 300);
	assert_int_equal(look_for_work(&w, 0, 100), SDPOWER_BALANCE_DONE);
	assert_int_equal(look_for_work(&w, 0, 100 + 4999), SDPOWER_BALANCE_DONE);
	assert_int_equal(look_for_work(&w, 0, 100 + 5000), SDPOWER_BALANCE_PULL);
	test_drop(&on);
}

/* 32 ms are eight ticks. */
static void spreading_lasts_for_the_dwell_time(void **state)
{
	struct walk w;

	(void)state;
	make("pack:2 core:2", 2, 0);
	put(0, 1, 1024, 1500);
	put(1, 1, 1024, 1500);
	assert_int_equal(look_for_work(&w, 3, 100), SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(3, 1)->failed, SDPOWER_I_PACE_SPREADING);
	put(0, 1, 1024, 50);
	put(1, 0, 0, 0);
	put(2, 1, 1024, 100);
	for (uint64_t at = 101; at < 108; at++)
		assert_int_equal(look_for_work(&w, 3, at), SDPOWER_BALANCE_DONE);
	assert_int_equal(look_for_work(&w, 3, 108), SDPOWER_BALANCE_MAY_RUN);
	assert_int_equal(w.action.from, 0);
	assert_int_equal(w.action.cpu, 3);
	test_drop(&on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_asks_is_claimed_until_it_is_served),
		cmocka_unit_test(a_claim_of_somebody_else_stays),
		cmocka_unit_test(requests_are_withdrawn_and_become_void),
		cmocka_unit_test(nobody_is_asked_twice_or_without_leave),
		cmocka_unit_test(a_newer_request_is_not_the_one_that_was_served),
		cmocka_unit_test(the_question_is_put_again_about_one_cpu),
		cmocka_unit_test(another_cpu_may_get_the_task),
		cmocka_unit_test(failures_are_counted_for_load_and_forgotten),
		cmocka_unit_test(where_nothing_happens_it_is_looked_at_less_often),
		cmocka_unit_test(work_waits_as_long_as_the_bound),
		cmocka_unit_test(bounds_may_be_long),
		cmocka_unit_test(spreading_lasts_for_the_dwell_time),
	};

	return cmocka_run_group_tests_name("native_level", tests, NULL, NULL);
}
