/* SPDX-License-Identifier: MIT */
/*
 * Description: the energy side of rule P6. The originals lowered watts and raised joules: with
 * tables fitted to what was published about them, the same consolidation is refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"

/* 2009, 2 x 4 cores x 2 threads: power = 1 + 0.060 for each busy core, nothing for a package. */
static const struct sdpower_energy kernbench = { .struct_size = sizeof(kernbench), .row = {
	[SDPOWER_ENERGY_CORE] = { 0, 60, 0 }, [SDPOWER_ENERGY_MACHINE] = { 1000, 1000, 0 } } };

/* 2013, 2 x 8 cores x 2 threads, spinning tasks, tenths of a watt: all of the machine counts. */
static const struct sdpower_energy spinning = { .struct_size = sizeof(spinning), .row = {
	[SDPOWER_ENERGY_THREAD] = { 0, 13, 0 }, [SDPOWER_ENERGY_CORE] = { 0, 104, 0 },
	[SDPOWER_ENERGY_PACKAGE] = { 0, 206, 0 }, [SDPOWER_ENERGY_MACHINE] = { 1441, 1441, 0 } } };

static void make(struct test_instance *t, const char *machine, uint32_t mc, uint32_t smt,
	const struct sdpower_energy *energy)
{
	memset(t, 0, sizeof(*t));
	t->config.tree = SDPOWER_TREE_MODERN;
	t->config.decisions = SDPOWER_DECIDE_NATIVE;
	t->config.mc = mc;
	t->config.smt = smt;
	t->config.energy = energy;
	assert_int_equal(test_make(t, machine), SDPOWER_OK);
}

static void put(struct test_instance *t, sdpower_cpu cpu, uint32_t util)
{
	const struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = util != 0,
		.load = util ? 1024 : 0, .util = util, .has_util = 1,
		.activity = util ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING,
		.outside_capacity = SDPOWER_SCALE };

	assert_int_equal(sdpower_set_cpu(t->s, cpu, &c), SDPOWER_OK);
}

static struct sdpower_busiest ask(const struct test_instance *t, sdpower_cpu cpu, uint32_t depth)
{
	const struct sdpower_busiest_request request = { .struct_size = sizeof(request), .cpu = cpu,
		.depth = depth, .idle = SDPOWER_CPU_IDLE };
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	assert_int_equal(sdpower_find_busiest_group(t->s, &request, &answer), SDPOWER_OK);
	return answer;
}

/* Refused means ENERGY, and nothing is pulled. */
static int is_refused(const struct test_instance *t, sdpower_cpu cpu, uint32_t depth)
{
	const struct sdpower_busiest a = ask(t, cpu, depth);

	assert_int_equal(a.kind, a.reason & SDPOWER_REASON_ENERGY ? SDPOWER_PULL_NONE :
		SDPOWER_PULL_POWER);
	return (a.reason & SDPOWER_REASON_ENERGY) != 0;
}

/* Every second cpu is the first thread of a core. */
static void put_on_cores(struct test_instance *t, uint32_t first, uint32_t count, uint32_t util)
{
	for (uint32_t i = 0; i < count; i++)
		put(t, 2 * (first + i), util);
}

/* -j8 at (2,2): all on one package, power 90 per cent and time 129. */
static void sharing_cores_as_in_2009_is_refused(void **state)
{
	struct test_instance t;

	(void)state;
	make(&t, "pack:2 core:4 pu:2", 2, 2, &kernbench);
	put_on_cores(&t, 0, 4, 840);
	put_on_cores(&t, 4, 4, 840);
	assert_true(is_refused(&t, 1, 2));
	test_drop(&t);
	make(&t, "pack:2 core:4 pu:2", 2, 2, NULL);
	put_on_cores(&t, 0, 4, 840);
	put_on_cores(&t, 4, 4, 840);
	assert_false(is_refused(&t, 1, 2));
	test_drop(&t);
}

/* (0,2) there: an empty package saved nothing that could be measured, and builds took longer. */
static void emptying_a_package_that_saves_nothing_is_refused(void **state)
{
	struct test_instance t;

	(void)state;
	make(&t, "pack:2 core:4 pu:2", 2, 0, &kernbench);
	put_on_cores(&t, 0, 2, 840);
	put_on_cores(&t, 4, 2, 840);
	assert_true(is_refused(&t, 4, 2));
	test_drop(&t);
	make(&t, "pack:2 core:4 pu:2", 2, 0, NULL);
	put_on_cores(&t, 0, 2, 840);
	put_on_cores(&t, 4, 2, 840);
	assert_false(is_refused(&t, 4, 2));
	test_drop(&t);
}

/* 2 spinning tasks: 175 W on one core, 211 W in two packages, and 1.28 times the work of one. */
static void sharing_cores_as_in_2013_is_refused(void **state)
{
	struct test_instance t;

	(void)state;
	make(&t, "pack:2 core:8 pu:2", 2, 2, &spinning);
	put_on_cores(&t, 0, 8, 1024);
	put_on_cores(&t, 8, 8, 1024);
	assert_true(is_refused(&t, 1, 2));
	/* One package is enough for these without sharing. */
	put_on_cores(&t, 0, 16, 0);
	put_on_cores(&t, 0, 2, 1024);
	put_on_cores(&t, 8, 2, 1024);
	assert_false(is_refused(&t, 4, 2));
	test_drop(&t);
}

/* Tasks that leave a core time enough lose nothing by sharing it. */
static void light_tasks_may_share_a_core(void **state)
{
	struct test_instance t;

	(void)state;
	make(&t, "pack:1 core:4 pu:2", 0, 2, &kernbench);
	put_on_cores(&t, 0, 2, 840);
	assert_true(is_refused(&t, 1, 1));
	put_on_cores(&t, 0, 2, 600);
	assert_false(is_refused(&t, 1, 1));
	test_drop(&t);
}

/* Two threads that do as much as two cores, and that do as much as one. */
static void the_gain_of_threads_decides(void **state)
{
	struct sdpower_tunables tunables = { .struct_size = sizeof(tunables), .smt_percent = 200 };
	struct test_instance t;

	(void)state;
	make(&t, "pack:1 core:4 pu:2", 0, 2, NULL);
	put_on_cores(&t, 0, 2, 1024);
	assert_true(is_refused(&t, 1, 1));
	assert_int_equal(sdpower_set_tunables(t.s, &tunables), SDPOWER_OK);
	assert_false(is_refused(&t, 1, 1));
	put_on_cores(&t, 0, 2, 840);
	assert_false(is_refused(&t, 1, 1));
	tunables.smt_percent = 100;
	assert_int_equal(sdpower_set_tunables(t.s, &tunables), SDPOWER_OK);
	assert_true(is_refused(&t, 1, 1));
	test_drop(&t);
}

/* Emptying a package saves 150; waking a core costs 200 if it must pay within 32 ms. */
static void waking_must_pay_off_within_the_dwell_time(void **state)
{
	struct sdpower_tunables tunables = { .struct_size = sizeof(tunables) };
	struct sdpower_energy e = { .struct_size = sizeof(e), .row = {
		[SDPOWER_ENERGY_CORE] = { 0, 100, 64000 }, [SDPOWER_ENERGY_PACKAGE] = { 0, 150, 0 } } };
	struct test_instance t;

	(void)state;
	make(&t, "pack:2 core:4", 2, 0, &e);
	put(&t, 0, 500);
	put(&t, 4, 500);
	assert_true(is_refused(&t, 1, 1));
	tunables.dwell_us = 64000;
	assert_int_equal(sdpower_set_tunables(t.s, &tunables), SDPOWER_OK);
	assert_false(is_refused(&t, 1, 1));
	test_drop(&t);
}

/* The largest numbers there may be do not turn the answer around. */
static void large_tables_do_not_overflow(void **state)
{
	struct sdpower_energy e = { .struct_size = sizeof(e) };
	struct test_instance t;

	(void)state;
	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++)
		e.row[i].active = SDPOWER_ENERGY_MOST;
	make(&t, "pack:2 core:64", 2, 0, &e);
	for (sdpower_cpu cpu = 0; cpu < 32; cpu++) {
		put(&t, cpu, 900);
		put(&t, 64 + cpu, 900);
	}
	assert_false(is_refused(&t, 40, 1));
	test_drop(&t);
	e.row[SDPOWER_ENERGY_CORE].wake_us = SDPOWER_ENERGY_MOST;
	make(&t, "pack:2 core:64", 2, 0, &e);
	put(&t, 0, 900);
	put(&t, 64, 900);
	assert_true(is_refused(&t, 40, 1));
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sharing_cores_as_in_2009_is_refused),
		cmocka_unit_test(emptying_a_package_that_saves_nothing_is_refused),
		cmocka_unit_test(sharing_cores_as_in_2013_is_refused),
		cmocka_unit_test(light_tasks_may_share_a_core),
		cmocka_unit_test(the_gain_of_threads_decides),
		cmocka_unit_test(waking_must_pay_off_within_the_dwell_time),
		cmocka_unit_test(large_tables_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
