/* SPDX-License-Identifier: MIT */
/* Description: an explanation names what was decided, why, and what came second, and is cut cleanly. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"

static struct test_instance on;
static char line[512];
static size_t length;

static int setup(void **state)
{
	(void)state;
	memset(&on, 0, sizeof(on));
	on.config.decisions = SDPOWER_DECIDE_CLASSIC;
	return test_make(&on, "pack:3 l3:1 core:4");
}

static int teardown(void **state)
{
	(void)state;
	test_drop(&on);
	return 0;
}

static void a_pull_is_explained_with_its_runner_up(void **state)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .depth = 1,
		.idle = SDPOWER_CPU_NEWLY_IDLE };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	(void)state;
	for (sdpower_cpu cpu = 4; cpu < 12; cpu++) {
		assert_int_equal(sdpower_set_load(on.s, cpu, cpu < 8 ? 3 : 2, cpu < 8 ? 3072 : 2048),
			SDPOWER_OK);
		for (int i = 0; i < 100; i++)
			assert_int_equal(sdpower_tick(on.s, cpu, 0), SDPOWER_OK);
	}
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, sizeof(line), &length), SDPOWER_OK);
	assert_int_equal(length, strlen(line));
	assert_non_null(strstr(line, "cpu 0 depth 1 newly idle: pull "));
	assert_non_null(strstr(line, "from the group of cpu 4 (imbalance)"));
	assert_non_null(strstr(line, "max 12288"));
	assert_non_null(strstr(line, "runner-up group of cpu 8 load 8192 nr 8"));
	assert_null(strchr(line, '\n'));
	assert_int_equal(sdpower_set_knobs(on.s, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, sizeof(line), &length), SDPOWER_OK);
	assert_non_null(strstr(line, "runner-up unknown"));
}

static void nothing_is_explained_too(void **state)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .depth = 0 };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	size_t whole;

	(void)state;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, NULL, 0, &whole), SDPOWER_ENOSPC);
	for (size_t size = 1; size <= whole + 1; size++) {
		memset(line, 'x', sizeof(line));
		assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, size, &length),
			size > whole ? SDPOWER_OK : SDPOWER_ENOSPC);
		assert_int_equal(length, whole);
		assert_int_equal(line[size], 'x');
		assert_true(strlen(line) < size);
	}
	assert_non_null(strstr(line, "pull nothing (no busiest group)"));
}

static void picks_are_explained(void **state)
{
	struct sdpower_pick pick = { 5, SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_IDLE };

	(void)state;
	assert_int_equal(sdpower_set_load(on.s, 1, 2, 99), SDPOWER_OK);
	assert_int_equal(sdpower_explain_pick(on.s, &pick, 1, line, sizeof(line), &length), SDPOWER_OK);
	assert_string_equal(line, "cpu 5 [idle nr 0 load 0] (previous cpu, idle cpu); runner-up "
		"cpu 1 [idle nr 2 load 99]");
	/* Nothing comes second to itself. */
	assert_int_equal(sdpower_explain_pick(on.s, &pick, 5, line, sizeof(line), &length), SDPOWER_OK);
	assert_string_equal(line, "cpu 5 [idle nr 0 load 0] (previous cpu, idle cpu)");
	pick = (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU };
	assert_int_equal(sdpower_explain_pick(on.s, &pick, SDPOWER_CPU_NONE, line, sizeof(line),
		&length), SDPOWER_OK);
	assert_string_equal(line, "no cpu (no permitted cpu)");
}

/* The same questions of a native instance: what for, from whom to whom, and all three groups. */
static void native_answers_are_explained(void **state)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .depth = 1,
		.idle = SDPOWER_CPU_NEWLY_IDLE };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	struct sdpower_pick pick = { 1, SDPOWER_REASON_IDLE };

	(void)state;
	test_drop(&on);
	memset(&on, 0, sizeof(on));
	on.config.decisions = SDPOWER_DECIDE_NATIVE;
	assert_int_equal(test_make(&on, "pack:3 l3:1 core:4"), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(on.s, 5, 3, 3072), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(on.s, 9, 2, 2048), SDPOWER_OK);
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, sizeof(line), &length), SDPOWER_OK);
	assert_int_equal(length, strlen(line));
	assert_string_equal(line, "cpu 0 depth 1 newly idle: pull waiting tasks of weight 1536 from cpu 5 "
		"to cpu 0 (imbalance); local group of cpu 0 nr 0 cpus 4 unused 4 util 0 of 4096; "
		"chosen group of cpu 4 nr 3 cpus 4 unused 3 util 3072 of 4096; "
		"runner-up group of cpu 8 nr 2 cpus 4 unused 3 util 2048 of 4096");
	r.idle = SDPOWER_CPU_NOT_IDLE;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	assert_int_equal(sdpower_set_knobs(on.s, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, sizeof(line), &length), SDPOWER_OK);
	assert_non_null(strstr(line, "runner-up unknown"));
	/* While power is saved cpu 4 is nearer to what waits at cpu 5. */
	r.idle = SDPOWER_CPU_NEWLY_IDLE;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, sizeof(line), &length), SDPOWER_OK);
	assert_non_null(strstr(line, ": pull nothing, work is left to an unused cpu nearer to it "
		"(partly idle group); local"));
	/* A cpu may search once another is busy. */
	assert_int_equal(sdpower_idle_exit(on.s, 5, 0), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(on.s, 1, 0), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(on.s, 1), SDPOWER_OK);
	assert_int_equal(sdpower_explain_pick(on.s, &pick, 1, line, sizeof(line), &length), SDPOWER_OK);
	assert_string_equal(line, "cpu 1 [searching nr 0 load 0] (idle cpu)");
}

static void nonsense_is_refused(void **state)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .cpu = 12 };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	struct sdpower_pick pick = { 12, 0 };

	(void)state;
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, 9, &length), SDPOWER_ENOENT);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, NULL, 9, &length), SDPOWER_EINVAL);
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, 9, NULL), SDPOWER_EINVAL);
	a.struct_size = 0;
	assert_int_equal(sdpower_explain_busiest(on.s, &r, &a, line, 9, &length), SDPOWER_EINVAL);
	assert_int_equal(sdpower_explain_pick(on.s, &pick, 0, line, 9, &length), SDPOWER_ENOENT);
	pick.cpu = 0;
	assert_int_equal(sdpower_explain_pick(on.s, &pick, 12, line, 9, &length), SDPOWER_ENOENT);
	assert_int_equal(sdpower_explain_pick(NULL, &pick, 0, line, 9, &length), SDPOWER_EINVAL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_pull_is_explained_with_its_runner_up), CASE(nothing_is_explained_too),
		CASE(picks_are_explained), CASE(native_answers_are_explained),
		CASE(nonsense_is_refused),
	};

	return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
