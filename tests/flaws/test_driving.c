/* SPDX-License-Identifier: MIT */
/*
 * Description: flaws of the original balancing walks, each seen under the classic rules and gone
 * under the native ones. Numbers are those of the list in docs/POLICY.md, part I.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "support/rig.h"
#include "decide/driver.h"

#define WALKS 12u

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

static uint32_t pinned_after_a_heavy_task(uint32_t native)
{
	struct sdpower_move m = { .struct_size = sizeof(m), .amount = 100, .pinned = 1,
		.native = native, .most = 100, .util_most = UINT32_MAX };
	const struct sdpower_move_task heavy = { .weight = 1024, .flags = SDPOWER_TASK_ALLOWED,
		.idle_ns = 1000000000 };

	assert_int_equal(sdpower_move_offer(&m, &heavy), SDPOWER_MOVE_LEAVE);
	return m.pinned;
}

static void flaw_9_tasks_too_heavy_pass_for_pinned(void **state)
{
	(void)state;
	assert_int_equal(pinned_after_a_heavy_task(0), 1);
	assert_int_equal(pinned_after_a_heavy_task(1), 0);
}

/*
 * Cpu 1 runs out of work again and again; cpu 0 has a running task and one that waits but may
 * not leave. The running one is asked for and never comes. How many failures are remembered?
 */
static uint32_t failures_remembered(uint32_t decisions)
{
	uint32_t failed;

	start("core:2", 2, 0, decisions);
	(void)rig_add(&r, 0, 1024, 1024, UINT64_MAX);
	(void)rig_add(&r, 0, 1024, 1024, 1);
	for (unsigned i = 0; i < WALKS; i++) {
		r.loop.task[0].affinity = UINT64_MAX;
		(void)loop_walk(&r.loop, 1, SDPOWER_BALANCE_NEWIDLE, 0);
		r.loop.task[0].affinity = 1;
		(void)loop_walk(&r.loop, 0, SDPOWER_BALANCE_PUSH, 0);
	}
	failed = sdpower_i_pace_at(r.t.s, sdpower_i_position(r.t.s, 1), 0)->failed & 255u;
	finish();
	return failed;
}

/* Remembered failures make the next tick take what is cache hot, and every walk ask for a push. */
static void flaw_10_failures_are_never_forgotten(void **state)
{
	(void)state;
	assert_int_equal(failures_remembered(SDPOWER_DECIDE_CLASSIC), WALKS);
	assert_int_equal(failures_remembered(SDPOWER_DECIDE_NATIVE), 0);
}

/* The sibling of cpu 0 is busy; the other core has a task that waits. */
static unsigned long pulled_past_a_busy_sibling(uint32_t decisions)
{
	unsigned long pulled;

	start("core:2 pu:2", 1, 0, decisions);
	rig_fill(&r, 1, 1);
	rig_fill(&r, 2, 2);
	rig_fill(&r, 3, 1);
	(void)loop_walk(&r.loop, 0, SDPOWER_BALANCE_NEWIDLE, 0);
	pulled = r.loop.pulled;
	finish();
	return pulled;
}

static void flaw_13_a_busy_sibling_ends_the_search(void **state)
{
	(void)state;
	assert_int_equal(pulled_past_a_busy_sibling(SDPOWER_DECIDE_CLASSIC), 0);
	assert_int_equal(pulled_past_a_busy_sibling(SDPOWER_DECIDE_NATIVE), 1);
}

/* Ticks until a cpu looks around again that has just lost its only task. */
static uint64_t ticks_of_rest(uint32_t decisions)
{
	uint64_t deadline;

	start("pack:2 core:4 pu:2", 0, 0, decisions);
	rig_fill(&r, 0, 1);
	rig_run(&r, 100);
	loop_depart(&r.loop, 0);
	assert_int_equal(sdpower_next_deadline(r.t.s, 0, &deadline), SDPOWER_OK);
	finish();
	deadline /= LOOP_TICK_NS;
	return deadline > r.loop.tick ? deadline - r.loop.tick : 0;
}

static void flaw_17_an_idle_cpu_keeps_its_busy_interval(void **state)
{
	(void)state;
	assert_in_range(ticks_of_rest(SDPOWER_DECIDE_CLASSIC), 10, 64);
	/* Four cpus: 4 to 8 ms. */
	assert_in_range(ticks_of_rest(SDPOWER_DECIDE_NATIVE), 0, 2);
}

/*
 * Ticks from the end of an over-utilisation to the move that empties a package. The task that
 * makes it too much alone wants two cpus, and may not leave package 1.
 */
static uint64_t ticks_until_packed(unsigned over_ticks)
{
	uint64_t calm, moved = 0;

	start("pack:2 core:2", 2, 0, SDPOWER_DECIDE_NATIVE);
	r.loop.tells_util = 1;
	(void)rig_add(&r, 0, 1024, 300, UINT64_MAX);
	(void)rig_add(&r, 2, 1024, 300, UINT64_MAX);
	if (over_ticks)
		(void)rig_add(&r, 3, 1024, 2048, 8);
	rig_run(&r, over_ticks);
	if (over_ticks)
		loop_depart(&r.loop, 2);
	calm = r.loop.tick;
	r.moves = 0;
	while (rig_active(&r, 2) == 2 && r.loop.tick < calm + 100)
		rig_run(&r, 1);
	moved = r.loop.tick - calm;
	finish();
	return moved;
}

/* I14: 32 ms, 8 ticks, from when it was seen last; nothing of the kind at the start. */
static void packing_waits_for_calm(void **state)
{
	(void)state;
	assert_in_range(ticks_until_packed(0), 1, 3);
	for (unsigned over = 4; over < 40; over++)
		assert_in_range(ticks_until_packed(over), 6, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flaw_9_tasks_too_heavy_pass_for_pinned),
		cmocka_unit_test(flaw_10_failures_are_never_forgotten),
		cmocka_unit_test(flaw_13_a_busy_sibling_ends_the_search),
		cmocka_unit_test(packing_waits_for_calm),
		cmocka_unit_test(flaw_17_an_idle_cpu_keeps_its_busy_interval),
	};

	return cmocka_run_group_tests_name("flaws of balancing", tests, NULL, NULL);
}
