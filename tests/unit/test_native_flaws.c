/* SPDX-License-Identifier: MIT */
/*
 * Description: what the rules of 2009 and 2013 do wrong when they place tasks, and that the
 * native rules do not, from the same state and in the same test.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_help.h"

#define MACHINE "pack:2 l3:1 core:4"

/* Who is nominated when an idle cpu of the fuller package balances the packages. */
static sdpower_cpu nominated(sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .cpu = cpu,
		.idle = SDPOWER_CPU_IDLE };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	for (r.depth = 0; sdpower_find_busiest_group(s, &r, &a) == SDPOWER_OK; r.depth++)
		if (a.nominee != SDPOWER_CPU_NONE)
			return a.nominee;
	return SDPOWER_CPU_NONE;
}

static void the_nominee_is_not_busy(void **state)
{
	struct test_instance old = classic_on(MACHINE, 2, 0), now = native_on(MACHINE, 2, 0);
	const struct sdpower_wake w = wake_from(6, 6);

	(void)state;
	RUN_ON(old.s, 0, 1, 4);
	RUN_ON(now.s, 0, 1, 4);
	assert_int_equal(nominated(old.s, 2), 0);
	assert_int_equal(sdpower_nominate(old.s, 0), SDPOWER_OK);
	assert_int_equal(woken(old.s, &w).cpu, 0); /* onto the task that runs there */
	assert_int_equal(sdpower_nominate(now.s, 0), SDPOWER_OK);
	assert_int_equal(sdpower_preferred_wakeup_cpu(now.s), 2);
	assert_int_equal(woken(now.s, &w).cpu, 2);
	assert_int_equal(sdpower_nominate(now.s, 3), SDPOWER_OK); /* one that can is taken */
	assert_int_equal(sdpower_preferred_wakeup_cpu(now.s), 3);
	assert_int_equal(woken(now.s, &w).cpu, 3);
	test_drop(&old);
	test_drop(&now);
}

static void the_nominee_is_not_of_another_time(void **state)
{
	struct test_instance old = classic_on(MACHINE, 2, 0), now = native_on(MACHINE, 2, 0);
	const uint32_t online[1] = { 0x0f };
	const struct sdpower_wake w = wake_from(6, 6);

	(void)state;
	assert_int_equal(sdpower_preferred_wakeup_cpu(old.s), 0); /* nobody nominated it */
	assert_int_equal(sdpower_preferred_wakeup_cpu(now.s), SDPOWER_CPU_NONE);
	RUN_ON(old.s, 4, 5);
	RUN_ON(now.s, 4, 5);
	assert_int_equal(woken(old.s, &w).cpu, 0); /* wakes a package that sleeps */
	assert_int_equal(woken(now.s, &w).cpu, 6);
	assert_int_equal(sdpower_nominate(now.s, 0), SDPOWER_OK);
	assert_int_equal(sdpower_preferred_wakeup_cpu(now.s), 6);
	assert_int_equal(sdpower_nominate(old.s, 7), SDPOWER_OK);
	assert_int_equal(sdpower_nominate(now.s, 7), SDPOWER_OK);
	assert_int_equal(sdpower_preferred_wakeup_cpu(now.s), 7);
	assert_int_equal(sdpower_set_online(old.s, online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_set_online(now.s, online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_preferred_wakeup_cpu(old.s), 7); /* it is offline */
	assert_int_equal(sdpower_preferred_wakeup_cpu(now.s), SDPOWER_CPU_NONE);
	test_drop(&old);
	test_drop(&now);
}

/* Only the knob for cores counted in 2009: filling threads alone placed nothing. */
static void either_knob_gathers_wake_ups(void **state)
{
	struct test_instance old = { .config = { .tree = SDPOWER_TREE_CLASSIC_30,
		.decisions = SDPOWER_DECIDE_CLASSIC_30, .smt = 2 } };
	struct test_instance now = native_on("pack:2 l3:1 core:4 pu:2", 0, 2);
	const struct sdpower_wake w = wake_from(12, 12);

	(void)state;
	assert_int_equal(test_make(&old, "pack:2 l3:1 core:4 pu:2"), SDPOWER_OK);
	RUN_ON(old.s, 0, 2);
	RUN_ON(now.s, 0, 2);
	assert_int_equal(nominated(old.s, 4), SDPOWER_CPU_NONE);
	assert_int_equal(woken(old.s, &w).cpu, 12); /* wakes a package that sleeps */
	assert_int_equal(woken(now.s, &w).cpu, 1);
	test_drop(&old);
	test_drop(&now);
}

static void exec_leaves_a_full_package(void **state)
{
	struct test_instance old = classic_on(MACHINE, 1, 0), now = native_on(MACHINE, 1, 0);

	(void)state;
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++) {
		runs(old.s, cpu, 2);
		runs(now.s, cpu, 2);
	}
	assert_int_equal(placed(old.s, 1, SDPOWER_SD_BALANCE_EXEC).cpu, 1);
	assert_int_equal(placed(now.s, 1, SDPOWER_SD_BALANCE_EXEC).cpu, 4);
	test_drop(&old);
	test_drop(&now);
}

static void nobody_waits_while_a_cpu_is_idle(void **state)
{
	struct test_instance old = classic_on(MACHINE, 0, 0), now = native_on(MACHINE, 0, 0);
	const struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	runs(old.s, 0, 2);
	runs(now.s, 0, 2);
	assert_int_equal(woken(old.s, &w).cpu, 0);
	assert_int_equal(woken(now.s, &w).cpu, 1);
	test_drop(&old);
	test_drop(&now);
}

/* Two packages of four cpus as the policy of 2013 sees them. */
static struct sdpower_shi2013_placed placed_2013(const struct sdpower_shi2013_cpu *cpus,
	struct sdpower_shi2013_task task)
{
	static const sdpower_cpu members[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const uint32_t package_end[] = { 4, 8 };
	const struct sdpower_shi2013_level level = { .flags = SDPOWER_SHI2013_BALANCE_FORK |
		SDPOWER_SHI2013_BALANCE_WAKE, .group_count = 2, .group_end = package_end, .members = members };
	const struct sdpower_shi2013_machine machine = { .struct_size = sizeof(machine),
		.cpu_count = 8, .cpu_stride = sizeof(cpus[0]), .level_count = 1, .cpus = cpus,
		.levels = &level };
	struct sdpower_shi2013_placed p = { .struct_size = sizeof(p) };

	task.struct_size = sizeof(task);
	task.policy = SDPOWER_SHI2013_POWERSAVING;
	assert_int_equal(sdpower_shi2013_place(&machine, &task, &p), SDPOWER_OK);
	return p;
}

static void fill_2013(struct sdpower_shi2013_cpu *cpus)
{
	for (unsigned i = 0; i < 8; i++)
		cpus[i] = (struct sdpower_shi2013_cpu){ .power = SDPOWER_SCALE,
			.avg_idle_ns = 1000000 };
}

/* The fullest group is out of the task's reach: the next one will do. */
static void a_pinned_task_is_placed_to_save_power_too(void **state)
{
	struct test_instance now = native_on(MACHINE, 2, 0);
	const uint32_t second[1] = { 0xf0 };
	struct sdpower_shi2013_cpu cpus[8];
	struct sdpower_shi2013_task task = { .cpu = 4, .previous = 7,
		.operation = SDPOWER_SHI2013_FORK, .busy = 900, .total = 1023 };
	struct sdpower_wake w = wake_from(0, 7);

	(void)state;
	fill_2013(cpus);
	for (sdpower_cpu cpu = 0; cpu < 3; cpu++)
		cpus[cpu] = (struct sdpower_shi2013_cpu){ .util = 1024, .nr = 1, .load = 1024,
			.power = SDPOWER_SCALE, .avg_idle_ns = 1000000 };
	assert_int_equal(placed_2013(cpus, task).cpu, 3);
	task.affinity = second;
	task.affinity_words = 1;
	assert_int_equal(placed_2013(cpus, task).cpu, SDPOWER_CPU_NONE);
	RUN_ON(now.s, 0, 1, 2);
	w.affinity = second;
	w.affinity_words = 1;
	assert_int_equal(woken(now.s, &w).cpu, 7);
	w.affinity = NULL;
	assert_int_equal(woken(now.s, &w).cpu, 3);
	test_drop(&now);
}

/* Two tasks of 30 per cent are 60 per cent, not 120. */
static void small_tasks_on_one_cpu_are_not_overload(void **state)
{
	struct test_instance now = native_on(MACHINE, 2, 2);
	struct sdpower_shi2013_cpu cpus[8];
	struct sdpower_wake w = wake_from(0, 1);

	(void)state;
	fill_2013(cpus);
	cpus[0] = (struct sdpower_shi2013_cpu){ .util = 614, .nr = 2, .load = 2048,
		.power = SDPOWER_SCALE, .avg_idle_ns = 1000000 };
	assert_int_not_equal(placed_2013(cpus, (struct sdpower_shi2013_task){ .cpu = 0, .previous = 1,
		.operation = SDPOWER_SHI2013_WAKE, .busy = 100, .total = 1023 }).cpu, 0);
	runs(now.s, 0, 2);
	assert_int_equal(sdpower_set_util(now.s, 0, 614), SDPOWER_OK);
	w.util = 100;
	assert_int_equal(woken(now.s, &w).cpu, 0);
	test_drop(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nominee_is_not_busy),
		cmocka_unit_test(the_nominee_is_not_of_another_time),
		cmocka_unit_test(either_knob_gathers_wake_ups),
		cmocka_unit_test(exec_leaves_a_full_package),
		cmocka_unit_test(nobody_waits_while_a_cpu_is_idle),
		cmocka_unit_test(a_pinned_task_is_placed_to_save_power_too),
		cmocka_unit_test(small_tasks_on_one_cpu_are_not_overload),
	};

	return cmocka_run_group_tests_name("native_flaws", tests, NULL, NULL);
}
