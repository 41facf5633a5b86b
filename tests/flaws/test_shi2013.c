/* SPDX-License-Identifier: MIT */
/*
 * Description: flaws of the policy of 2013, each seen there and gone under the native rules.
 * Numbers are those of the list in docs/POLICY.md, part I.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "support/rig.h"

#define WIDTH 2u
#define MOST 8u

static struct rig r;

static void start(const char *machine, uint32_t mc, uint32_t smt)
{
	memset(&r.t, 0, sizeof(r.t));
	assert_int_equal(rig_open(&r, machine, mc, smt, SDPOWER_DECIDE_NATIVE), SDPOWER_OK);
}

static void finish(void)
{
	assert_int_equal(r.loop.refused, 0);
	rig_close(&r);
}

/* The policy of 2013 on groups of two cpus; its groups in the order given. */
static struct sdpower_shi2013_balanced ask_2013(const struct sdpower_shi2013_cpu *cpus,
	const uint32_t *order, uint32_t groups, sdpower_cpu cpu)
{
	sdpower_cpu members[MOST];
	uint32_t ends[MOST / WIDTH];
	const struct sdpower_shi2013_level level = { .group_count = groups, .group_end = ends,
		.members = members };
	const struct sdpower_shi2013_machine machine = { .struct_size = sizeof(machine),
		.cpu_count = groups * WIDTH, .cpu_stride = sizeof(*cpus), .level_count = 1,
		.cpus = cpus, .levels = &level };
	const struct sdpower_shi2013_attempt asked = { .struct_size = sizeof(asked),
		.policy = SDPOWER_SHI2013_POWERSAVING, .cpu = cpu, .idle = SDPOWER_CPU_NEWLY_IDLE,
		.max_interval_ms = 8 };
	struct sdpower_shi2013_balanced b = { .struct_size = sizeof(b) };

	for (uint32_t i = 0; i < groups; i++) {
		ends[i] = (i + 1) * WIDTH;
		for (uint32_t k = 0; k < WIDTH; k++)
			members[i * WIDTH + k] = order[i] * WIDTH + k;
	}
	assert_int_equal(sdpower_shi2013_balance(&machine, &asked, &b), SDPOWER_OK);
	return b;
}

static struct sdpower_busiest ask_native(sdpower_cpu cpu, uint32_t depth, uint32_t flags)
{
	const struct sdpower_busiest_request q = { .struct_size = sizeof(q), .cpu = cpu,
		.depth = depth, .idle = SDPOWER_CPU_NEWLY_IDLE, .flags = flags };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	assert_int_equal(sdpower_find_busiest_group(r.t.s, &q, &a), SDPOWER_OK);
	return a;
}

static void add(sdpower_cpu cpu, unsigned tasks, uint32_t util)
{
	while (tasks--)
		(void)rig_add(&r, cpu, 1024, util, UINT64_MAX);
}

/* Package 0 asks, one of the others is overloaded, one holds a single task. */
static struct sdpower_busiest ask_native_with(uint32_t overloaded, uint32_t single)
{
	struct sdpower_busiest a;

	start("pack:3 core:2", 2, 0);
	add(0, 1, 1024);
	add(overloaded * WIDTH, 3, 1024);
	add(overloaded * WIDTH + 1, 2, 1024);
	add(single * WIDTH, 1, 1024);
	a = ask_native(1, 1, 0);
	finish();
	return a;
}

static void flaw_1_what_is_seen_depends_on_the_order_of_groups(void **state)
{
	static const struct sdpower_shi2013_cpu cpus[] = { { 300, 1, 0, 1024, 1024, 0 },
		{ .power = 1024 }, { 1024, 3, 0, 3072, 1024, 0 }, { 1024, 2, 0, 2048, 1024, 0 },
		{ 200, 1, 0, 1024, 1024, 0 }, { .power = 1024 } };
	static const uint32_t one[] = { 0, 1, 2 }, other[] = { 0, 2, 1 };
	const struct sdpower_busiest first = ask_native_with(1, 2), second = ask_native_with(2, 1);

	(void)state;
	assert_int_not_equal(one[ask_2013(cpus, one, 3, 1).min], other[ask_2013(cpus, other, 3, 1).min]);
	assert_int_equal(first.kind, SDPOWER_PULL_TASK);
	assert_int_equal(first.from, 2);
	assert_int_equal(second.kind, first.kind);
	assert_int_equal(second.from, 4);
	assert_int_equal(second.imbalance, first.imbalance);
	assert_int_equal(second.reason, first.reason);
}

/* Four tasks of 70 on each cpu of the one package, one of 70 in the other. */
static void flaw_3_small_tasks_together_look_like_overload(void **state)
{
	static const struct sdpower_shi2013_cpu cpus[] = { { 280, 4, 0, 4096, 1024, 0 },
		{ 280, 4, 0, 4096, 1024, 0 }, { 70, 1, 0, 1024, 1024, 0 }, { .power = 1024 } };
	static const uint32_t order[] = { 1, 0 };

	(void)state;
	assert_int_equal(ask_2013(cpus, order, 2, 3).reason, SDPOWER_REASON_OVERUTILISED);
	start("pack:2 core:2", 2, 2);
	r.loop.tells_util = 1;
	add(0, 4, 70);
	add(1, 4, 70);
	add(2, 1, 70);
	assert_int_equal(ask_native(3, 1, 0).spreading, 0);
	rig_run(&r, 250);
	assert_int_equal(rig_active(&r, 2), 1);
	finish();
}

/* Its 32-bit arithmetic is not reproduced; here the largest numbers there are must not wrap. */
static void flaw_4_an_overfull_group_must_not_look_empty(void **state)
{
	(void)state;
	for (uint32_t util = 1; util; util <<= 1) {
		start("pack:3 core:2", 2, 2);
		assert_int_equal(sdpower_set_load(r.t.s, 0, 1, SDPOWER_LOAD_MAX), SDPOWER_OK);
		assert_int_equal(sdpower_set_util(r.t.s, 0, SDPOWER_LOAD_MAX), SDPOWER_OK);
		assert_int_equal(sdpower_set_load(r.t.s, 2, 1, 1024), SDPOWER_OK);
		assert_int_equal(sdpower_set_util(r.t.s, 2, util), SDPOWER_OK);
		assert_int_not_equal(ask_native(1, 1, 0).kind, SDPOWER_PULL_POWER);
		finish();
	}
}

static void flaw_5_an_average_weight_may_move_nothing(void **state)
{
	static const struct sdpower_shi2013_cpu cpus[] = { { 800, 1, 0, 1024, 1024, 0 },
		{ .power = 1024 }, { 50, 3, 0, 4030, 1024, 0 }, { .power = 1024 } };
	static const uint32_t order[] = { 0, 1 };
	const struct sdpower_shi2013_balanced b = ask_2013(cpus, order, 2, 1);
	struct sdpower_move m = { .struct_size = sizeof(m), .amount = b.imbalance, .pinned = 1 };
	const struct sdpower_move_task heavy = { .weight = 4000, .flags = SDPOWER_TASK_ALLOWED,
		.idle_ns = 1000000000 };

	(void)state;
	assert_int_equal(b.mode, SDPOWER_SHI2013_DO_PULL);
	assert_int_equal(sdpower_move_offer(&m, &heavy), SDPOWER_MOVE_LEAVE);
	start("pack:2 core:4", 2, 0);
	(void)rig_add(&r, 0, 1024, 0, UINT64_MAX);
	(void)rig_add(&r, 4, 4000, 0, UINT64_MAX);
	(void)rig_add(&r, 5, 15, 0, UINT64_MAX);
	(void)rig_add(&r, 6, 15, 0, UINT64_MAX);
	rig_run(&r, 250);
	assert_int_equal(rig_active(&r, 4), 1);
	finish();
}

/* Package 1 has two tasks on one cpu and no cpu to spare; package 0 has. */
static void flaw_6_nothing_means_that_work_waits_beside_an_idle_cpu(void **state)
{
	static const struct sdpower_shi2013_cpu cpus[] = { { 100, 1, 0, 1024, 1024, 0 },
		{ .power = 1024 }, { 200, 2, 0, 2048, 1024, 0 }, { 200, 1, 0, 1024, 1024, 0 } };
	static const uint32_t order[] = { 0, 1 };

	(void)state;
	assert_int_equal(ask_2013(cpus, order, 2, 1).mode, SDPOWER_SHI2013_DO_NOTHING);
	start("pack:2 core:2", 2, 0);
	add(0, 1, 1024);
	add(2, 2, 1024);
	add(3, 1, 1024);
	assert_int_equal(ask_native(1, 1, 0).kind, SDPOWER_PULL_TASK);
	finish();
}

/* Work waits in a package that has a cpu for it: other packages leave it alone until it is late. */
static void flaw_7_nothing_bounds_how_long_work_waits(void **state)
{
	struct sdpower_busiest a;

	(void)state;
	start("pack:2 core:4", 2, 0);
	add(0, 1, 1024);
	add(4, 2, 1024);
	a = ask_native(1, 1, 0);
	assert_int_not_equal(a.kind, SDPOWER_PULL_TASK);
	assert_int_not_equal(a.reason, 0);
	a = ask_native(1, 1, SDPOWER_ASK_IMPATIENT);
	assert_int_equal(a.kind, SDPOWER_PULL_TASK);
	assert_true(a.reason & SDPOWER_REASON_LATENCY);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flaw_1_what_is_seen_depends_on_the_order_of_groups),
		cmocka_unit_test(flaw_3_small_tasks_together_look_like_overload),
		cmocka_unit_test(flaw_4_an_overfull_group_must_not_look_empty),
		cmocka_unit_test(flaw_5_an_average_weight_may_move_nothing),
		cmocka_unit_test(flaw_6_nothing_means_that_work_waits_beside_an_idle_cpu),
		cmocka_unit_test(flaw_7_nothing_bounds_how_long_work_waits),
	};

	return cmocka_run_group_tests_name("flaws of the policy of 2013", tests, NULL, NULL);
}
