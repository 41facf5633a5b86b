/* SPDX-License-Identifier: MIT */
/*
 * Description: the four bugs of "The Linux Scheduler: a Decade of Wasted Cores" as scenarios:
 * group imbalance, group construction, overload on wake-up, missing scheduling domains. The
 * second and the last are faults of how trees were built in later kernels, which neither tree
 * here has; they are shown for the native rules alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <cmocka.h>
#include "support/rig.h"

#define TICKS 400u
#define CORES 8u   /* of a node, where there are two */

/* Eight nodes, some of them two hops apart: the machine of the paper. */
#define NODES 8u
#define FAR_NODES "numa:8 core:2 dist=10,16,16,22,16,22,16,22,16,10,22,16,16,22,22,16," \
	"16,22,10,16,16,16,16,16,22,16,16,10,16,16,22,22,16,16,16,16,10,16,16,22," \
	"22,22,16,16,16,10,22,16,16,22,16,22,16,22,10,16,22,16,16,22,22,16,16,10"

static struct rig r;

static void start(const char *machine, uint32_t decisions)
{
	memset(&r.t, 0, sizeof(r.t));
	assert_int_equal(rig_open(&r, machine, 0, 0, decisions), SDPOWER_OK);
}

static void finish(void)
{
	assert_int_equal(r.loop.refused, 0);
	assert_int_equal(r.loop.unpaired, 0);
	rig_close(&r);
}

/* One heavy task hides the idle cpus around it: its node looks like the busier one. */
static unsigned wasted_beside_a_heavy_task(uint32_t decisions)
{
	unsigned wasted;

	start("node:2 core:8", decisions);
	(void)rig_add(&r, 0, 30000, 1024, UINT64_MAX);
	for (unsigned cpu = CORES; cpu < 2 * CORES; cpu++)
		rig_fill(&r, cpu, 2);
	rig_run(&r, TICKS);
	wasted = rig_wasted(&r);
	finish();
	return wasted;
}

static void group_imbalance(void **state)
{
	(void)state;
	assert_int_equal(wasted_beside_a_heavy_task(SDPOWER_DECIDE_CLASSIC), CORES - 1);
	assert_int_equal(wasted_beside_a_heavy_task(SDPOWER_DECIDE_NATIVE), 0);
}

/* Tasks that may use two nodes only, however far apart, start on one of them. */
static void group_construction(void **state)
{
	(void)state;
	for (unsigned a = 0; a < NODES; a++)
		for (unsigned b = 0; b < NODES; b++) {
			const uint64_t both = UINT64_C(3) << 2 * a | UINT64_C(3) << 2 * b;

			if (a == b)
				continue;
			start(FAR_NODES, SDPOWER_DECIDE_NATIVE);
			for (unsigned i = 0; i < 4; i++)
				(void)rig_add(&r, 2 * a + i % 2, 1024, 1024, both);
			rig_run(&r, TICKS);
			if (rig_nr(&r, 2 * b, 2) != 2)
				fail_msg("nodes %u and %u: %u tasks found their way", a, b, rig_nr(&r, 2 * b, 2));
			finish();
		}
}

/* Every cpu of the waker's node is busy, the other node idle. */
static unsigned tasks_where_it_wakes(uint32_t decisions)
{
	struct sdpower_pick pick;
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = 1, .prev = 2, .weight = 1024,
		.since_ran_ns = 1000000000 };
	unsigned nr;

	start("node:2 core:8", decisions);
	for (unsigned cpu = 0; cpu < CORES; cpu++)
		rig_fill(&r, cpu, 1);
	assert_int_equal(sdpower_select_cpu(r.t.s, &w, &pick), SDPOWER_OK);
	assert_in_range(pick.cpu, 0, 2 * CORES - 1);
	nr = r.loop.queue[pick.cpu].count;
	finish();
	return nr;
}

static void overload_on_wakeup(void **state)
{
	(void)state;
	assert_int_equal(tasks_where_it_wakes(SDPOWER_DECIDE_CLASSIC), 1);
	assert_int_equal(tasks_where_it_wakes(SDPOWER_DECIDE_NATIVE), 0);
}

static void missing_domains(void **state)
{
	static char before[8192], after[8192];
	const uint32_t all = UINT32_MAX, less = UINT32_MAX ^ 2u;
	size_t length;

	(void)state;
	start("node:2 core:8", SDPOWER_DECIDE_NATIVE);
	assert_int_equal(sdpower_dump_text(r.t.s, before, sizeof(before), &length), SDPOWER_OK);
	assert_int_equal(sdpower_set_online(r.t.s, &less, 1), SDPOWER_OK);
	assert_int_equal(sdpower_set_online(r.t.s, &all, 1), SDPOWER_OK);
	assert_int_equal(sdpower_dump_text(r.t.s, after, sizeof(after), &length), SDPOWER_OK);
	assert_string_equal(before, after);
	rig_fill(&r, 0, CORES);
	rig_fill(&r, 1, CORES);
	rig_run(&r, TICKS);
	assert_int_equal(rig_wasted(&r), 0);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_imbalance),
		cmocka_unit_test(group_construction),
		cmocka_unit_test(overload_on_wakeup),
		cmocka_unit_test(missing_domains),
	};

	return cmocka_run_group_tests_name("wasted cores", tests, NULL, NULL);
}
