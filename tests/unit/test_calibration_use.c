/* SPDX-License-Identifier: MIT */
/* Description: measured times decide by distance, rest while the tree is another, and are replayed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/calibration.h>

#define NEAR_NS 20000u
#define FAR_NS 900000u

static struct test_instance on;

static void make(uint32_t decisions)
{
	memset(&on, 0, sizeof(on));
	on.config.decisions = decisions;
	on.config.flags = SDPOWER_CONFIG_DRIVER;
	on.config.wake_flags = decisions == SDPOWER_DECIDE_CLASSIC ? SDPOWER_SD_WAKE_IDLE_FAR : 0;
	assert_int_equal(test_make(&on, "pack:2 l3:1 core:4"), SDPOWER_OK);
}

static struct sdpower_calibration measured(void)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_calibration_start(&c, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_domain_signature(on.s, &c.signature), SDPOWER_OK);
	c.distance[0].flags = c.distance[1].flags = 0;
	c.distance[0].hot_ns = NEAR_NS;
	c.distance[0].cost_ns = NEAR_NS / 2;
	c.distance[1].hot_ns = FAR_NS;
	c.distance[1].cost_ns = FAR_NS / 2;
	return c;
}

static uint32_t hot_at(uint32_t depth)
{
	uint32_t ns = 0;

	assert_int_equal(sdpower_migration_times(on.s, 0, depth, NULL, &ns), SDPOWER_OK);
	return ns;
}

static void times_are_those_of_the_level(void **state)
{
	struct sdpower_calibration c;
	uint32_t cost = 0;

	(void)state;
	make(SDPOWER_DECIDE_DEFAULT);
	assert_int_equal(hot_at(0), 500000);
	c = measured();
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(hot_at(0), NEAR_NS);
	assert_int_equal(hot_at(1), FAR_NS);
	assert_int_equal(sdpower_migration_times(on.s, 0, 1, &cost, NULL), SDPOWER_OK);
	assert_int_equal(cost, FAR_NS / 2);
	c.distance[1].flags = SDPOWER_CALIBRATION_DEFAULTED;
	c.distance[0].hot_ns = UINT64_MAX;
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(hot_at(0), UINT32_MAX - 2u);
	assert_int_equal(hot_at(1), 500000);
	c.distance[0].hot_ns = 0; /* measured: nothing stays hot */
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(hot_at(0), 0);
	assert_int_equal(sdpower_calibration_use(on.s, NULL), SDPOWER_OK);
	assert_int_equal(hot_at(0), 500000);
	assert_int_equal(sdpower_migration_times(on.s, 0, 2, NULL, NULL), SDPOWER_ENOENT);
	assert_int_equal(sdpower_migration_times(on.s, 8, 0, NULL, NULL), SDPOWER_ENOENT);
	assert_int_equal(sdpower_migration_times(NULL, 0, 0, NULL, NULL), SDPOWER_EINVAL);
	test_drop(&on);
}

static void times_of_another_tree_are_refused(void **state)
{
	struct sdpower_calibration c, other;
	const uint32_t all = 0xff, fewer = 0x7f;

	(void)state;
	make(SDPOWER_DECIDE_DEFAULT);
	c = other = measured();
	other.signature++;
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(sdpower_calibration_use(on.s, &other), SDPOWER_ESTALE);
	assert_int_equal(sdpower_calibration_use(NULL, &c), SDPOWER_EINVAL);
	other.struct_size = 0;
	assert_int_equal(sdpower_calibration_use(on.s, &other), SDPOWER_EINVAL);
	assert_int_equal(hot_at(1), FAR_NS);
	assert_int_equal(sdpower_set_online(on.s, &fewer, 1), SDPOWER_OK);
	assert_int_equal(hot_at(1), 500000);
	assert_int_equal(sdpower_set_online(on.s, &all, 1), SDPOWER_OK);
	assert_int_equal(hot_at(1), FAR_NS);
	test_drop(&on);
}

/* The cpu asks its levels at a tick; cpu `from` has work to give. */
static uint32_t pull_cost(sdpower_cpu from)
{
	uint64_t walk[64];
	struct sdpower_balance_request r = { .struct_size = sizeof(r), .kind = SDPOWER_BALANCE_NEWIDLE,
		.helper = SDPOWER_CPU_NONE, .now_ns = 1000000000 };
	struct sdpower_balance_action a = { .struct_size = sizeof(a) };

	assert_int_equal(sdpower_set_load(on.s, from, 3, 3072), SDPOWER_OK);
	assert_int_equal(sdpower_balance_begin(on.s, walk, sizeof(walk), &r, &a), SDPOWER_OK);
	assert_int_equal(a.kind, SDPOWER_BALANCE_PULL);
	assert_int_equal(a.from, from);
	assert_int_equal(sdpower_set_load(on.s, from, 0, 0), SDPOWER_OK);
	return a.move.cost_ns;
}

static void the_driver_pulls_by_distance(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	make(SDPOWER_DECIDE_DEFAULT);
	c = measured();
	assert_int_equal(pull_cost(1), 500000);
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(pull_cost(1), NEAR_NS);
	assert_int_equal(pull_cost(5), FAR_NS);
	test_drop(&on);
}

static sdpower_cpu woken(uint64_t since_ran_ns, sdpower_cpu prev)
{
	const struct sdpower_wake w = { .struct_size = sizeof(w), .waker = prev, .prev = prev,
		.weight = 1024, .since_ran_ns = since_ran_ns };
	struct sdpower_pick pick = { 0, 0 };

	assert_int_equal(sdpower_wake_idle(on.s, &w, &pick), SDPOWER_OK);
	return pick.cpu;
}

/* Classic: a cold task looks for an idle cpu level by level, and is cold sooner when near. */
static void classic_wakes_by_distance(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	make(SDPOWER_DECIDE_CLASSIC);
	c = measured();
	assert_int_equal(sdpower_idle_exit(on.s, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(on.s, 0, 1, 1024), SDPOWER_OK);
	assert_int_equal(woken(100000, 0), 0);
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(woken(NEAR_NS - 1, 0), 0);
	assert_int_equal(woken(NEAR_NS, 0), 1);
	for (sdpower_cpu cpu = 1; cpu < 4; cpu++)
		assert_int_equal(sdpower_idle_exit(on.s, cpu, 0), SDPOWER_OK);
	assert_int_equal(woken(FAR_NS - 1, 0), 0);
	assert_int_equal(woken(FAR_NS, 0), 4);
	test_drop(&on);
}

/* Native: a waker that goes on for longer than moving costs does not make room. */
static void native_wakes_by_distance(void **state)
{
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = 4, .prev = 0,
		.flags = SDPOWER_WAKE_SYNC, .weight = 1024, .waker_weight = 1024,
		.waker_overlap_ns = FAR_NS - 1, .since_ran_ns = UINT64_MAX };
	struct sdpower_pick without, with;
	struct sdpower_calibration c;

	(void)state;
	make(SDPOWER_DECIDE_NATIVE);
	c = measured();
	for (sdpower_cpu cpu = 0; cpu < 8; cpu++) {
		assert_int_equal(sdpower_idle_exit(on.s, cpu, 0), SDPOWER_OK);
		assert_int_equal(sdpower_set_load(on.s, cpu, 1, 1024), SDPOWER_OK);
	}
	assert_int_equal(sdpower_select_cpu(on.s, &w, &without), SDPOWER_OK);
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(sdpower_select_cpu(on.s, &w, &with), SDPOWER_OK);
	assert_int_equal(without.cpu, 0);
	assert_int_equal(with.cpu, 4);
	w.waker_overlap_ns = FAR_NS + 1;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &with), SDPOWER_OK);
	assert_int_equal(with.cpu, 0);
	test_drop(&on);
}

static void snapshots_carry_the_times(void **state)
{
	struct sdpower_snapshot snapshot = { .struct_size = sizeof(snapshot) };
	struct sdpower_calibration c;
	static _Alignas(64) unsigned char tables[16384], memory[65536];
	static char text[16384];
	sdpower *again = NULL;
	uint32_t cost = 0, hot = 0;
	size_t length;

	(void)state;
	make(SDPOWER_DECIDE_DEFAULT);
	c = measured();
	assert_int_equal(sdpower_calibration_use(on.s, &c), SDPOWER_OK);
	assert_int_equal(sdpower_snapshot_write(on.s, NULL, text, sizeof(text), &length), SDPOWER_OK);
	assert_non_null(strstr(text, "\ncosts 2 20000 10000 900000 450000\n"));
	assert_int_equal(sdpower_snapshot_read(text, length, tables, sizeof(tables), &snapshot, NULL),
		SDPOWER_OK);
	assert_int_equal(sdpower_init(memory, sizeof(memory), &snapshot.config, &again), SDPOWER_OK);
	assert_int_equal(sdpower_snapshot_restore(&snapshot, again), SDPOWER_OK);
	assert_int_equal(sdpower_migration_times(again, 3, 1, &cost, &hot), SDPOWER_OK);
	assert_int_equal(cost, FAR_NS / 2);
	assert_int_equal(hot, FAR_NS);
	test_drop(&on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_those_of_the_level),
		cmocka_unit_test(times_of_another_tree_are_refused),
		cmocka_unit_test(the_driver_pulls_by_distance),
		cmocka_unit_test(classic_wakes_by_distance),
		cmocka_unit_test(native_wakes_by_distance),
		cmocka_unit_test(snapshots_carry_the_times),
	};

	return cmocka_run_group_tests_name("calibration_use", tests, NULL, NULL);
}
