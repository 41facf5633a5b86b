/* SPDX-License-Identifier: MIT */
/* Description: rule P6 where something just fits, or just does not: what a plan counts on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "pack_help.h"

/* A package of one cpu goes into the last cpu of the other one. */
static void room_may_be_just_enough(void **state)
{
	const uint32_t online = 0xf1;
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	assert_int_equal(sdpower_set_online(t.s, &online, 1), SDPOWER_OK);
	put(&t, 0, 1, 100);
	for (sdpower_cpu cpu = 4; cpu < 7; cpu++)
		put(&t, cpu, 1, 100);
	a = ask(&t, 7, 1);
	assert_power(&a, 0, 7);
	test_drop(&t);
	/* Filling cpus: 304 beside 515 make 819 of 819. */
	make(&t, "pack:2 core:2", 2, 2);
	put(&t, 0, 1, 304);
	put(&t, 2, 1, 515);
	put(&t, 3, 1, 800);
	a = ask(&t, 1, 1);
	assert_power(&a, 0, 2);
	assert_int_equal(a.util_most, 304);
	put(&t, 2, 1, 516);
	a = ask(&t, 1, 1);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

static void one_busy_thread_takes_its_core(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	for (sdpower_cpu busy = 4; busy < 6; busy++) {
		make(&t, "pack:2 core:2 pu:2", 2, 0);
		put(&t, 0, 1, 100);
		put(&t, busy, 1, 300);
		a = ask(&t, 6, 2);
		assert_power(&a, 0, 6);
		test_drop(&t);
	}
}

/* Two tasks on one core leave another unused, which is theirs. */
static void a_full_package_does_not_lend_its_core(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:3 core:2 pu:2", 2, 0);
	put(&t, 0, 1, 100);
	put(&t, 4, 1, 300);
	put(&t, 5, 1, 300);
	put(&t, 8, 1, 200);
	a = ask(&t, 10, 2);
	assert_power(&a, 0, 10);
	test_drop(&t);
}

/* A task beyond the fill wants a cpu of its own, and one with a task that does nothing is none. */
static void a_cpu_in_use_is_never_as_good_as_an_unused_one(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;
	const uint32_t online = 0x39;

	(void)state;
	make(&t, "pack:2 core:3", 2, 2);
	assert_int_equal(sdpower_set_online(t.s, &online, 1), SDPOWER_OK);
	put(&t, 0, 1, 1000);
	put(&t, 3, 1, 0);
	put(&t, 4, 1, 700);
	put(&t, 5, 1, 700);
	a = ask(&t, 0, 0); /* its package has no level of its own */
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
}

static void each_task_of_a_cpu_must_fit(void **state)
{
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	make(&t, "pack:2 core:2", 2, 2);
	put(&t, 0, 2, 600);
	put(&t, 2, 1, 500);
	put(&t, 3, 1, 700);
	a = ask(&t, 1, 1);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	put(&t, 3, 1, 515);
	a = ask(&t, 1, 1);
	assert_power(&a, 0, 3);
	test_drop(&t);
}

/* What cannot come still waits, and still stays behind. */
static void candidates_do_not_change_the_plan(void **state)
{
	const uint32_t first = 1, both[3] = { 1, 0, 1 };
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .cpu = 70, .depth = 1,
		.idle = SDPOWER_CPU_IDLE, .candidates = both, .candidate_words = 3 };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	struct test_instance t;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0);
	put(&t, 0, 1, 100);
	put(&t, 4, 1, 100);
	put(&t, 5, 2, 200);
	a = ask_among(&t, 6, 1, &first);
	assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
	test_drop(&t);
	/* Candidates in two words are not one candidate: cpu 1 keeps its package in use. */
	make(&t, "pack:2 core:40", 2, 0);
	put(&t, 0, 1, 100);
	put(&t, 1, 1, 100);
	for (sdpower_cpu cpu = 41; cpu < 44; cpu++)
		put(&t, cpu, 1, 100);
	assert_int_equal(sdpower_find_busiest_group(t.s, &r, &a), SDPOWER_OK);
	assert_nothing(&a, 0);
	r.candidate_words = 1;
	assert_int_equal(sdpower_find_busiest_group(t.s, &r, &a), SDPOWER_OK);
	assert_power(&a, 0, 70);
	test_drop(&t);
}

/* The bound limits how far cpus are filled, and says nothing where none is. */
static void the_latency_bound_is_about_stacking(void **state)
{
	const struct sdpower_tunables tight = { .struct_size = sizeof(tight), .latency_bound_us = 1 };
	struct test_instance t;
	struct sdpower_busiest a;

	(void)state;
	for (uint32_t smt = 0; smt <= 2; smt++) {
		make(&t, "pack:2 core:2", 2, smt);
		assert_int_equal(sdpower_set_tunables(t.s, &tight), SDPOWER_OK);
		put(&t, 0, 1, 100);
		put(&t, 2, 1, 100);
		put(&t, 3, 1, 100);
		a = ask(&t, 1, 1);
		assert_nothing(&a, SDPOWER_REASON_NO_ROOM);
		assert_int_equal((a.reason & SDPOWER_REASON_LATENCY) != 0, smt == 2);
		test_drop(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(room_may_be_just_enough),
		cmocka_unit_test(one_busy_thread_takes_its_core),
		cmocka_unit_test(a_full_package_does_not_lend_its_core),
		cmocka_unit_test(a_cpu_in_use_is_never_as_good_as_an_unused_one),
		cmocka_unit_test(each_task_of_a_cpu_must_fit),
		cmocka_unit_test(candidates_do_not_change_the_plan),
		cmocka_unit_test(the_latency_bound_is_about_stacking),
	};

	return cmocka_run_group_tests_name("native_plan", tests, NULL, NULL);
}
