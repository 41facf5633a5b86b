/* SPDX-License-Identifier: MIT */
/*
 * Description: flaws of the original consolidation, each seen under the classic rules and gone
 * under the native ones. Numbers are those of the list in docs/POLICY.md, part I.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "support/rig.h"

#define TICKS 250u

static struct rig r;

static void start(const char *machine, uint32_t mc, uint32_t smt, uint32_t decisions)
{
	memset(&r.t, 0, sizeof(r.t));
	assert_int_equal(rig_open(&r, machine, mc, smt, decisions), SDPOWER_OK);
}

static void finish(void)
{
	assert_int_equal(r.loop.refused, 0);
	assert_int_equal(r.loop.unpaired, 0);
	rig_close(&r);
}

/* Moves between groups of so many cpus. */
static unsigned crossings(unsigned cpus)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < r.moves && i < RIG_MOVES; i++)
		count += r.move[i].from / cpus != r.move[i].to / cpus;
	return count;
}

/* Tasks dealt to the packages in turn; how many packages still have some in the end. */
static unsigned packages_after(const char *machine, unsigned cpus, uint32_t mc, uint32_t smt,
	uint32_t decisions, unsigned tasks)
{
	unsigned packages, active;

	start(machine, mc, smt, decisions);
	packages = r.loop.cpus / cpus;
	for (unsigned i = 0; i < tasks; i++)
		rig_fill(&r, i % packages * cpus + i / packages, 1);
	rig_run(&r, TICKS);
	active = rig_active(&r, cpus);
	finish();
	return active;
}

/* Tasks on the first cpus of package 0; how often one left for another package. */
static unsigned leaves(const char *machine, unsigned cpus, uint32_t mc, uint32_t smt,
	uint32_t decisions, unsigned tasks)
{
	unsigned count;

	start(machine, mc, smt, decisions);
	for (unsigned i = 0; i < tasks; i++)
		rig_fill(&r, i, 1);
	rig_run(&r, TICKS);
	count = crossings(cpus);
	finish();
	return count;
}

static void flaw_1_a_package_less_than_half_full_is_pulled_apart(void **state)
{
	(void)state;
	for (unsigned tasks = 2; tasks <= 3; tasks++) {
		assert_true(leaves("pack:2 core:4 pu:2", 8, 0, 1, SDPOWER_DECIDE_CLASSIC, tasks) > 5);
		assert_int_equal(leaves("pack:2 core:4 pu:2", 8, 0, 1, SDPOWER_DECIDE_NATIVE, tasks),
			0);
	}
}

static unsigned leaves_with_weights(uint32_t decisions, uint32_t first, uint32_t second)
{
	unsigned count;

	start("pack:2 core:4", 2, 0, decisions);
	(void)rig_add(&r, 0, first, 0, UINT64_MAX);
	(void)rig_add(&r, 1, second, 0, UINT64_MAX);
	rig_run(&r, TICKS);
	count = crossings(4);
	finish();
	return count;
}

static void flaw_2_unequal_weights_are_pulled_apart(void **state)
{
	(void)state;
	assert_true(leaves_with_weights(SDPOWER_DECIDE_CLASSIC, 1277, 655) > 0);
	assert_int_equal(leaves_with_weights(SDPOWER_DECIDE_NATIVE, 1277, 655), 0);
}

/* A cpu that runs out of work several times, with a running task elsewhere to be had. */
static unsigned kicked_when_newly_idle(uint32_t decisions)
{
	unsigned kicks;

	start("pack:2 core:4 pu:2", 0, 2, decisions);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rig_fill(&r, cpu, 1);
	rig_fill(&r, 8, 1);
	rig_run(&r, 1);
	for (unsigned i = 0; i < 5 && !r.loop.kicks; i++)
		(void)loop_walk(&r.loop, 4, SDPOWER_BALANCE_NEWIDLE, 0);
	kicks = (unsigned)r.loop.kicks;
	finish();
	return kicks;
}

static void flaw_5_the_thread_knob_alone_does_not_act_when_newly_idle(void **state)
{
	(void)state;
	assert_int_equal(kicked_when_newly_idle(SDPOWER_DECIDE_CLASSIC_30), 0);
	assert_int_equal(kicked_when_newly_idle(SDPOWER_DECIDE_NATIVE), 1);
}

static void flaw_6_packages_that_are_nodes_are_never_emptied(void **state)
{
	(void)state;
	for (unsigned tasks = 2; tasks <= 8; tasks++) {
		assert_int_equal(packages_after("node:2 core:4 pu:2", 8, 0, 2,
			SDPOWER_DECIDE_CLASSIC_30, tasks), 2);
		assert_int_equal(packages_after("node:2 core:4 pu:2", 8, 0, 2,
			SDPOWER_DECIDE_NATIVE, tasks), 1);
	}
}

static unsigned domains_of_one_group(uint32_t decisions)
{
	unsigned count = 0;

	start("node:2 core:4 pu:2", 1, 0, decisions);
	for (uint32_t depth = 0;; depth++) {
		struct sdpower_domain_info info = { .struct_size = sizeof(info) };
		struct sdpower_domain d;

		if (sdpower_domain_at(r.t.s, 0, depth, &d))
			break;
		assert_int_equal(sdpower_domain_describe(r.t.s, d, &info), SDPOWER_OK);
		count += info.groups == 1;
	}
	finish();
	return count;
}

static void flaw_7_a_level_with_one_group_is_kept(void **state)
{
	(void)state;
	assert_int_equal(domains_of_one_group(SDPOWER_DECIDE_CLASSIC_30), 1);
	assert_int_equal(domains_of_one_group(SDPOWER_DECIDE_NATIVE), 0);
}

/* Small tasks: two of them fill both cpus of package 0, the third has package 1 for itself. */
static unsigned packages_of_small_tasks(uint32_t decisions)
{
	unsigned active;

	start("pack:2 core:2", 2, 2, decisions);
	r.loop.tells_util = decisions == SDPOWER_DECIDE_NATIVE;
	for (unsigned cpu = 0; cpu < 3; cpu++)
		(void)rig_add(&r, cpu, 1024, 100, UINT64_MAX);
	rig_run(&r, TICKS);
	active = rig_active(&r, 2);
	finish();
	return active;
}

static void flaw_8_a_group_without_an_idle_cpu_takes_nothing(void **state)
{
	(void)state;
	assert_int_equal(packages_of_small_tasks(SDPOWER_DECIDE_CLASSIC), 2);
	assert_int_equal(packages_of_small_tasks(SDPOWER_DECIDE_NATIVE), 1);
}

/* One task in each package; an idle cpu of the first asks. */
static struct sdpower_busiest ask_with_power(const uint32_t *power)
{
	const struct sdpower_busiest_request q = { .struct_size = sizeof(q), .cpu = 1, .depth = 1,
		.idle = SDPOWER_CPU_NEWLY_IDLE, .group_power = power,
		.group_power_count = power ? 2 : 0 };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	start("pack:2 core:2", 2, 0, SDPOWER_DECIDE_CLASSIC);
	rig_fill(&r, 0, 1);
	rig_fill(&r, 2, 1);
	assert_int_equal(sdpower_find_busiest_group(r.t.s, &q, &a), SDPOWER_OK);
	finish();
	return a;
}

static void flaw_11_weak_cpus_have_no_room_for_anything(void **state)
{
	static const uint32_t weak[] = { 500, 500 };

	(void)state;
	assert_true(ask_with_power(NULL).reason & SDPOWER_REASON_POWER);
	assert_false(ask_with_power(weak).reason & SDPOWER_REASON_POWER);
	start("pack:2 core:2 cap=250", 2, 0, SDPOWER_DECIDE_NATIVE);
	r.loop.tells_util = 1;
	(void)rig_add(&r, 0, 1024, 100, UINT64_MAX);
	(void)rig_add(&r, 2, 1024, 100, UINT64_MAX);
	rig_run(&r, TICKS);
	assert_int_equal(rig_active(&r, 2), 1);
	finish();
}

/* 2.6.32 left the flag there whenever threads were not to be filled: a package held one task. */
static void flaw_14_spreading_over_cores_forbids_to_fill_a_package(void **state)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_domain d;

	(void)state;
	start("pack:2 core:4", 1, 0, SDPOWER_DECIDE_NATIVE);
	assert_int_equal(sdpower_domain_at(r.t.s, 0, 0, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(r.t.s, d, &info), SDPOWER_OK);
	assert_false(info.flags & SDPOWER_SD_PREFER_SIBLING);
	finish();
	for (unsigned tasks = 2; tasks <= 4; tasks++)
		assert_int_equal(packages_after("pack:2 core:4", 4, 1, 0, SDPOWER_DECIDE_NATIVE,
			tasks), 1);
}

/* Published: with four packages up to 232 moves in 250 ticks, more so the more is to be saved. */
static void flaw_15_levels_undo_each_other_without_end(void **state)
{
	(void)state;
	for (unsigned tasks = 4; tasks <= 7; tasks++) {
		assert_true(leaves("pack:4 core:8 pu:2", 16, 2, 2, SDPOWER_DECIDE_CLASSIC, tasks) >
			100);
		assert_int_equal(leaves("pack:4 core:8 pu:2", 16, 2, 2, SDPOWER_DECIDE_NATIVE, tasks),
			0);
	}
}

static void flaw_16_cores_alone_stay_scattered_where_there_are_threads(void **state)
{
	(void)state;
	assert_int_equal(packages_after("pack:2 core:4 pu:2", 8, 1, 0, SDPOWER_DECIDE_CLASSIC, 2), 2);
	assert_int_equal(packages_after("pack:2 core:4 pu:2", 8, 1, 0, SDPOWER_DECIDE_CLASSIC, 4), 2);
	for (unsigned tasks = 2; tasks <= 4; tasks++)
		assert_int_equal(packages_after("pack:2 core:4 pu:2", 8, 1, 0, SDPOWER_DECIDE_NATIVE,
			tasks), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flaw_1_a_package_less_than_half_full_is_pulled_apart),
		cmocka_unit_test(flaw_2_unequal_weights_are_pulled_apart),
		cmocka_unit_test(flaw_5_the_thread_knob_alone_does_not_act_when_newly_idle),
		cmocka_unit_test(flaw_6_packages_that_are_nodes_are_never_emptied),
		cmocka_unit_test(flaw_7_a_level_with_one_group_is_kept),
		cmocka_unit_test(flaw_8_a_group_without_an_idle_cpu_takes_nothing),
		cmocka_unit_test(flaw_11_weak_cpus_have_no_room_for_anything),
		cmocka_unit_test(flaw_14_spreading_over_cores_forbids_to_fill_a_package),
		cmocka_unit_test(flaw_15_levels_undo_each_other_without_end),
		cmocka_unit_test(flaw_16_cores_alone_stay_scattered_where_there_are_threads),
	};

	return cmocka_run_group_tests_name("flaws of consolidation", tests, NULL, NULL);
}
