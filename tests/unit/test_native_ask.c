/* SPDX-License-Identifier: MIT */
/*
 * Description: questions at the edges of the quick way: large groups, cpus that left the tree, levels
 * that do not spread, requests that are not for native instances.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "native_ask.h"
#include "state/instance.h"
#include "tree/view.h"

/* P4 asks the level below, also where the level itself is one that does not spread. */
static void the_level_below_says_who_spreads(void **state)
{
	static const uint32_t capacity[8] = { 512, 512, 512, 512 };
	struct test_instance t = unequal_on("pack:2 core:2 pu:2", capacity, NULL);

	(void)state;
	RUN_ON(t.s, 4, 5);
	is_pull(ask(t.s, 6, 1, SDPOWER_CPU_NEWLY_IDLE, 0), SDPOWER_PULL_SPREAD, 5, 6, 1024,
		SDPOWER_LOAD_MAX);
	test_drop(&t);
}

/* Tasks of a cpu that has left the tree are nobody's to pull. */
static void cpus_offline_do_not_count(void **state)
{
	struct test_instance t = native_on("pack:2 core:4", 0, 0);
	const uint32_t all = 0xff, online = 0xbf;

	(void)state;
	runs(t.s, 6, 3);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0).from, 6);
	assert_int_equal(sdpower_set_online(t.s, &online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(t.s, 6, 3, 9000), SDPOWER_OK);
	is_nothing(ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0));
	runs(t.s, 5, 2);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0).from, 5);
	assert_int_equal(sdpower_refresh(t.s, 4), 1);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0).from, 5);
	assert_int_equal(sdpower_set_online(t.s, &all, 1), SDPOWER_OK);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_IDLE, 0).from, 6);
	test_drop(&t);
}

static void refresh_all(sdpower *s)
{
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
		assert_true(sdpower_refresh(s, cpu) >= 0);
}

/* More cpus of a kind than a byte of a record counts, in groups of 38 blocks. */
static void groups_may_be_large(void **state)
{
	static uint32_t small[1800];
	struct test_instance t = native_on("pack:3 core:600", 0, 0);

	(void)state;
	/* 2 tasks wait on cpu 700, 1 waits on cpu 1300; all others are unused. */
	runs(t.s, 700, 3);
	runs(t.s, 1300, 2);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).from, 700);
	refresh_all(t.s);
	assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).from, 700);
	/* 256 and 512 cpus with a task that waits. */
	runs(t.s, 1300, 0);
	for (sdpower_cpu cpu = 600; cpu < 600 + 512; cpu++) {
		runs(t.s, cpu, 2);
		if (cpu != 600 + 255 && cpu != 600 + 511)
			continue;
		refresh_all(t.s);
		assert_int_equal(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_TASK);
	}
	test_drop(&t);
	for (sdpower_cpu cpu = 600; cpu < 1200; cpu++)
		small[cpu] = 512;
	t = unequal_on("pack:3 core:600", small, NULL);
	for (sdpower_cpu cpu = 600; cpu < 600 + 256; cpu++)
		runs(t.s, cpu, 1);
	refresh_all(t.s);
	is_pull(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0), SDPOWER_PULL_MISFIT, 855, 0, 1024,
		SDPOWER_LOAD_MAX);
	test_drop(&t);
}

/* Powers of groups are the classic rules' business (D4). */
static void powers_of_groups_are_refused(void **state)
{
	struct test_instance t = native_on("pack:2 core:2", 0, 0);
	const uint32_t power[] = { 2048, 2048 };
	const struct sdpower_busiest_request r = { .struct_size = sizeof(r), .depth = 1,
		.idle = SDPOWER_CPU_IDLE, .group_power = power, .group_power_count = 2 };
	struct sdpower_busiest a = { .struct_size = sizeof(a), .reason = 77 };

	(void)state;
	assert_int_equal(sdpower_find_busiest_group(t.s, &r, &a), SDPOWER_EINVAL);
	assert_int_equal(a.reason, 77);
	test_drop(&t);
}

/* P4: who has more than the asker can take is passed over, not waited for. */
static void a_group_of_larger_cpus_is_passed_over(void **state)
{
	struct test_instance t = native_on("pack:3 core:4", 0, 0);

	(void)state;
	assert_int_equal(sdpower_set_outside(t.s, 0, 300, 1024), SDPOWER_OK);
	assert_int_equal(sdpower_set_outside(t.s, 8, 300, 1024), SDPOWER_OK);
	RUN_ON(t.s, 4, 5, 6, 7, 8, 9, 10);
	/* Tasks that fit where they are. */
	for (sdpower_cpu cpu = 4; cpu < 11; cpu++)
		assert_int_equal(sdpower_set_util(t.s, cpu, 100), SDPOWER_OK);
	is_pull(ask(t.s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0), SDPOWER_PULL_SPREAD, 8, 0, 1024,
		SDPOWER_LOAD_MAX);
	test_drop(&t);
}

/* P4 while power is saved: as long as another group in use has a core to spare, but no longer. */
static void full_cores_are_no_room(void **state)
{
	struct test_instance t = native_on("pack:3 core:2 pu:2", 2, 0);

	(void)state;
	RUN_ON(t.s, 4, 5, 6, 8);
	assert_int_not_equal(ask(t.s, 0, 2, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	runs(t.s, 10, 1);
	assert_int_equal(ask(t.s, 0, 2, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	test_drop(&t);
}

/* P2: larger by more than 5 per cent. */
static void five_per_cent_more_is_no_reason(void **state)
{
	static uint32_t capacity[] = { 420, 400, 1024, 1024 };
	struct test_instance t = unequal_on("core:4", capacity, NULL);

	(void)state;
	runs(t.s, 1, 1);
	assert_int_equal(sdpower_set_util(t.s, 1, 390), SDPOWER_OK);
	is_nothing(ask(t.s, 0, 0, SDPOWER_CPU_IDLE, 0));
	test_drop(&t);
	capacity[0] = 421;
	t = unequal_on("core:4", capacity, NULL);
	runs(t.s, 1, 1);
	assert_int_equal(sdpower_set_util(t.s, 1, 390), SDPOWER_OK);
	is_pull(ask(t.s, 0, 0, SDPOWER_CPU_IDLE, 0), SDPOWER_PULL_MISFIT, 1, 0, 1024,
		SDPOWER_LOAD_MAX);
	test_drop(&t);
}

/* P7: whichever thread of a core is busy, the other one is second choice. */
static void the_cpu_in_charge_has_a_free_core(void **state)
{
	(void)state;
	for (sdpower_cpu busy = 0; busy < 2; busy++) {
		struct test_instance t = native_on("pack:2 core:2 pu:2", 0, 0);

		RUN_ON(t.s, busy, 4, 5, 6);
		is_nothing(ask(t.s, 1 - busy, 2, SDPOWER_CPU_IDLE, SDPOWER_ASK_WHO_BALANCES));
		assert_int_equal(ask(t.s, 2, 2, SDPOWER_CPU_IDLE, SDPOWER_ASK_WHO_BALANCES).from, 5);
		test_drop(&t);
	}
}

/* Cpus whose core nobody names have one each. */
static void cpus_without_a_core_have_their_own(void **state)
{
	struct test_instance t = { .config = { .decisions = SDPOWER_DECIDE_NATIVE, .mc = 2 } };
	struct sdpower_cpu_desc cpus[8];
	struct sdpower_topology machine;
	size_t size, align;
	void *memory;
	sdpower *s;

	(void)state;
	assert_int_equal(test_make(&t, "pack:2 core:4"), SDPOWER_OK);
	memcpy(cpus, t.machine.cpus, sizeof(cpus));
	machine = t.machine;
	machine.cpus = cpus;
	for (uint32_t i = 0; i < 8; i++)
		cpus[i].core = SDPOWER_ID_NONE;
	t.config.topology = &machine;
	assert_int_equal(sdpower_memory_needed(&t.config, &size, &align), SDPOWER_OK);
	memory = aligned_alloc(align, size);
	assert_int_equal(sdpower_init(memory, size, &t.config, &s), SDPOWER_OK);
	RUN_ON(s, 4, 5, 6);
	assert_int_not_equal(ask(s, 0, 1, SDPOWER_CPU_NEWLY_IDLE, 0).kind, SDPOWER_PULL_SPREAD);
	free(memory);
	test_drop(&t);
}

/* Where loads of single cpus do not matter, two tasks against one are no difference of nodes. */
static void nodes_may_always_differ_by_one(void **state)
{
	struct test_instance t = native_on("numa:2 core:2", 0, 0);
	uint32_t depth = 1;

	(void)state;
	runs(t.s, 0, 1);
	RUN_ON(t.s, 2, 3);
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++)
		assert_int_equal(sdpower_set_util(t.s, cpu, 100), SDPOWER_OK);
	assert_int_equal(sdpower_set_outside(t.s, 2, 500, 1024), SDPOWER_OK);
	{
		const struct sdpower_i_view v = sdpower_i_view_of(&t.s->forest);

		assert_true(sdpower_i_get_link(&v, 0, depth).flags & SDPOWER_SD_NUMA);
		assert_in_range(sdpower_i_get_link(&v, 0, depth).imb_numa_nr, 0, 1);
	}
	is_nothing(ask(t.s, 1, depth, SDPOWER_CPU_NEWLY_IDLE, 0));
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_level_below_says_who_spreads),
		cmocka_unit_test(cpus_offline_do_not_count),
		cmocka_unit_test(groups_may_be_large),
		cmocka_unit_test(powers_of_groups_are_refused),
		cmocka_unit_test(a_group_of_larger_cpus_is_passed_over),
		cmocka_unit_test(full_cores_are_no_room),
		cmocka_unit_test(five_per_cent_more_is_no_reason),
		cmocka_unit_test(the_cpu_in_charge_has_a_free_core),
		cmocka_unit_test(cpus_without_a_core_have_their_own),
		cmocka_unit_test(nodes_may_always_differ_by_one),
	};

	return cmocka_run_group_tests_name("native_ask", tests, NULL, NULL);
}
