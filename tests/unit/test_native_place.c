/* SPDX-License-Identifier: MIT */
/* Description: fork, exec, single levels and the idle balancer under the native rules. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_help.h"

#define CACHES "pack:2 l3:2 core:2"
#define FORK SDPOWER_SD_BALANCE_FORK
#define EXEC SDPOWER_SD_BALANCE_EXEC

static void a_new_task_goes_where_most_is_unused(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);

	(void)state;
	RUN_ON(t.s, 0);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 2);
	assert_int_equal(placed(t.s, 0, FORK).reason, SDPOWER_REASON_IDLEST | SDPOWER_REASON_IDLE);
	RUN_ON(t.s, 2, 4);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 6);
	RUN_ON(t.s, 6);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 1); /* as much on both sides: near */
	test_drop(&t);
}

/* The task leaves the cpu that it execs on, unless that is as good as any. */
static void exec_counts_the_task_where_it_goes(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);

	(void)state;
	RUN_ON(t.s, 0);
	assert_int_equal(placed(t.s, 0, EXEC).cpu, 0);
	assert_int_equal(placed(t.s, 0, EXEC).reason, SDPOWER_REASON_LOCAL);
	runs(t.s, 0, 2);
	assert_int_equal(placed(t.s, 0, EXEC).cpu, 2);
	test_drop(&t);
}

static void with_all_cpus_busy_the_least_loaded(void **state)
{
	struct test_instance t = native_on("l3:1 core:4", 0, 0);

	(void)state;
	RUN_ON(t.s, 0, 1, 2, 3);
	runs(t.s, 0, 3);
	assert_int_equal(placed(t.s, 2, FORK).cpu, 2); /* the asker wins a tie */
	assert_int_equal(placed(t.s, 2, FORK).reason, SDPOWER_REASON_LOCAL);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 1);
	assert_int_equal(sdpower_set_outside(t.s, 1, 512, 1024), SDPOWER_OK);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 2);
	test_drop(&t);
}

static void a_node_is_left_only_when_it_is_uneven(void **state)
{
	struct test_instance t = native_on("numa:2 l3:1 core:8", 0, 0);

	(void)state;
	/* 8 / 8 of a node may be uneven: one task. */
	RUN_ON(t.s, 0);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 1);
	RUN_ON(t.s, 1);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 8);
	test_drop(&t);
}

static void savings_fill_the_fullest_node_first(void **state)
{
	struct test_instance t = native_on("numa:2 l3:2 core:2", 2, 0);
	struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = 0, .flag = FORK };
	struct sdpower_pick pick;

	(void)state;
	RUN_ON(t.s, 4, 5);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 6);
	RUN_ON(t.s, 6, 7);
	assert_int_equal(placed(t.s, 0, FORK).cpu, 0);
	assert_int_equal(sdpower_set_knobs(t.s, 2, 2), SDPOWER_OK);
	assert_int_equal(sdpower_set_util(t.s, 5, 200), SDPOWER_OK);
	p.util = 300;
	assert_int_equal(sdpower_place(t.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 5);
	assert_int_equal(pick.reason, SDPOWER_REASON_PACKED);
	test_drop(&t);
}

static void a_task_is_born_where_it_fits(void **state)
{
	struct test_instance t = native_on("pack:1 l3:2 core:2 cap=400,400,1024,1024", 0, 0);
	struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = 0, .flag = FORK, .util = 500 };
	struct sdpower_pick pick;

	(void)state;
	RUN_ON(t.s, 2);
	assert_int_equal(sdpower_place(t.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 3);
	p.util = 300;
	assert_int_equal(sdpower_place(t.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 0);
	test_drop(&t);
}

static void affinity_decides_which_group_can_be_the_idlest(void **state)
{
	struct test_instance t = native_on(CACHES, 0, 0);
	const uint32_t two[1] = { 1u << 5 | 1u << 3 };
	struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = 0, .flag = FORK,
		.affinity = two, .affinity_words = 1 };
	struct sdpower_pick pick;

	(void)state;
	RUN_ON(t.s, 0, 3);
	assert_int_equal(sdpower_place(t.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 5);
	RUN_ON(t.s, 4, 5, 6, 7);
	assert_int_equal(sdpower_place(t.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 3); /* the idler cache, though its one cpu is busy */
	test_drop(&t);
}

/* Level by level: what sdpower_place does in one call. */
static void single_levels_answer_the_same(void **state)
{
	struct test_instance t = native_on("pack:2 l3:1 core:4", 0, 0);
	struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = 0, .flag = FORK };
	struct sdpower_idlest a = { .struct_size = sizeof(a) };
	struct sdpower_pick pick;

	(void)state;
	RUN_ON(t.s, 0);
	for (p.depth = 0; sdpower_find_idlest_group(t.s, &p, &a) == SDPOWER_OK; p.depth++)
		;
	p.depth--; /* the caches */
	assert_int_equal(sdpower_find_idlest_group(t.s, &p, &a), SDPOWER_OK);
	assert_int_equal(a.group_first, 4);
	assert_int_equal(a.reason, SDPOWER_REASON_IDLEST);
	assert_int_equal(a.this_load, 1024 / 4);
	assert_int_equal(a.min_load, 0);
	assert_int_equal(sdpower_find_idlest_cpu(t.s, &p, a.group, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 4);
	assert_int_equal(sdpower_find_idlest_cpu(t.s, &p, 0, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 1);
	assert_int_equal(sdpower_set_knobs(t.s, 2, 0), SDPOWER_OK);
	for (p.depth = 0; sdpower_find_idlest_group(t.s, &p, &a) == SDPOWER_OK; p.depth++)
		;
	p.depth--;
	assert_int_equal(sdpower_find_idlest_group(t.s, &p, &a), SDPOWER_OK);
	assert_int_equal(a.group, SDPOWER_ID_NONE); /* in use, and it has room */
	test_drop(&t);
}

static sdpower_cpu idle_balancer(const sdpower *s, sdpower_cpu asker, uint32_t tickless)
{
	struct sdpower_pick pick = { 99, 0 };

	assert_int_equal(sdpower_find_ilb(s, asker, &tickless, 1, &pick), SDPOWER_OK);
	return pick.cpu;
}

static void one_idle_balancer_whoever_asks(void **state)
{
	struct test_instance t = native_on(CACHES, 2, 0);

	(void)state;
	RUN_ON(t.s, 4);
	for (sdpower_cpu asker = 0; asker < 8; asker++) {
		assert_int_equal(idle_balancer(t.s, asker, 0xefu), 5); /* its cache is awake anyway */
		assert_int_equal(idle_balancer(t.s, asker, 0xcfu), 6); /* then its package */
		assert_int_equal(idle_balancer(t.s, asker, 0x0fu), 0);
		assert_int_equal(idle_balancer(t.s, asker, 0x0au), 1); /* of two caches the lower cpu */
		assert_int_equal(idle_balancer(t.s, asker, 0), SDPOWER_CPU_NONE);
	}
	assert_int_equal(sdpower_claim(t.s, 5), SDPOWER_OK); /* about to have work of its own */
	assert_int_equal(idle_balancer(t.s, 4, 0xefu), 6);
	assert_int_equal(idle_balancer(t.s, 4, 0x10u), SDPOWER_CPU_NONE); /* the mask is stale */
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_task_goes_where_most_is_unused),
		cmocka_unit_test(exec_counts_the_task_where_it_goes),
		cmocka_unit_test(with_all_cpus_busy_the_least_loaded),
		cmocka_unit_test(a_node_is_left_only_when_it_is_uneven),
		cmocka_unit_test(savings_fill_the_fullest_node_first),
		cmocka_unit_test(a_task_is_born_where_it_fits),
		cmocka_unit_test(affinity_decides_which_group_can_be_the_idlest),
		cmocka_unit_test(single_levels_answer_the_same),
		cmocka_unit_test(one_idle_balancer_whoever_asks),
	};

	return cmocka_run_group_tests_name("native_place", tests, NULL, NULL);
}
