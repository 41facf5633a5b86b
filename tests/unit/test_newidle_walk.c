/* SPDX-License-Identifier: MIT */
/* Description: the walk of a newly idle cpu, rule by rule and where the modes differ. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "newidle_help.h"

#define ALL_MODES(mode) (uint32_t mode = 1; mode < SDPOWER_NEWIDLE_MODES; mode++)

static void walk(struct newidle_host *h, struct sdpower_newidle_walk *w)
{
	assert_int_equal(newidle_walk(h, w), SDPOWER_OK);
}

/* So that every level wins its draw. */
static void setup(struct newidle_host *h, uint32_t mode, uint32_t levels)
{
	newidle_setup(h, mode, levels);
	for (uint32_t i = 0; i < levels; i++)
		h->level[i].ratio = 1023;
}

static void a_pending_task_changes_nothing(void **state)
{
	struct newidle_host h, before;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		setup(&h, mode, 2);
		h.ask |= SDPOWER_NEWIDLE_PENDING | SDPOWER_NEWIDLE_LOAD_DUE;
		before = h;
		walk(&h, &w);
		assert_int_equal(w.end, SDPOWER_NEWIDLE_END_PENDING);
		assert_int_equal(w.result, 0);
		assert_int_equal(w.update_load, 0);
		assert_memory_equal(&h, &before, sizeof(h));
	}
}

static void an_inactive_cpu_only_begins_to_idle(void **state)
{
	struct newidle_host h, before;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		setup(&h, mode, 2);
		h.ask = SDPOWER_NEWIDLE_OVERLOADED | SDPOWER_NEWIDLE_LOAD_DUE;
		before = h;
		walk(&h, &w);
		assert_int_equal(w.end, SDPOWER_NEWIDLE_END_INACTIVE);
		assert_int_equal(w.update_load, 0);
		before.cpu.idle_since_ns = h.now_ns;
		assert_memory_equal(&h, &before, sizeof(h));
	}
}

static void nobody_overloaded_defers(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		setup(&h, mode, 2);
		h.ask = SDPOWER_NEWIDLE_ACTIVE | SDPOWER_NEWIDLE_LOAD_DUE;
		h.cpu.next_balance = 1500;
		walk(&h, &w);
		assert_int_equal(w.end, SDPOWER_NEWIDLE_END_DEFERRED);
		assert_int_equal(h.cpu.next_balance, 1008); /* level 0 alone */
		assert_int_equal(h.cpu.idle_since_ns, 1000000000);
		assert_int_equal(w.update_load, 1);
		assert_int_equal(h.now_ns, 1000000000);
	}
}

/* Equality goes on; only level 0 counts, even if it may not be searched. */
static void short_idleness_defers(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		const uint64_t gate = mode == SDPOWER_NEWIDLE_K515 ? NEWIDLE_COST : 7000;

		for (uint64_t less = 0; less < 2; less++) {
			setup(&h, mode, 2);
			h.level[0].cost_ns = 7000;
			h.level[0].flags = 0;
			h.cpu.avg_idle_ns = gate - less;
			walk(&h, &w);
			assert_int_equal(w.end, less ? SDPOWER_NEWIDLE_END_DEFERRED :
				SDPOWER_NEWIDLE_END_WALKED);
		}
	}
}

static void a_cpu_without_levels_walks_nowhere(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		setup(&h, mode, 0);
		h.cpu.next_balance = 9000;
		walk(&h, &w);
		assert_int_equal(w.end, SDPOWER_NEWIDLE_END_WALKED);
		assert_int_equal(h.cpu.next_balance, 2000); /* a second */
		h.ask = SDPOWER_NEWIDLE_ACTIVE;
		walk(&h, &w);
		assert_int_equal(w.end, SDPOWER_NEWIDLE_END_DEFERRED);
	}
}

static void shared_work_is_charged_to_the_first_level_searched(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		const uint64_t shared = mode == SDPOWER_NEWIDLE_K515 ? 0 : 5000;

		setup(&h, mode, 3);
		h.refresh_ns = 5000;
		h.level[0].flags = 0;
		h.facts[1] = h.facts[2] = 0;
		h.level[1].cost_ns = h.level[2].cost_ns = 100;
		walk(&h, &w);
		assert_int_equal(h.searched, 6);
		assert_int_equal(w.spent_ns, 6000 + shared);
		assert_int_equal(h.cpu.max_cost_ns, NEWIDLE_COST);
		if (mode == SDPOWER_NEWIDLE_K617) {
			assert_int_equal(h.level[1].cost_ns, 150);
			continue;
		}
		assert_int_equal(h.level[1].cost_ns, 2000 + shared);
		assert_int_equal(h.level[2].cost_ns, 4000);
	}
}

/* 7: after a lost draw the refresh is booked on the level above. */
static void a_lost_draw_passes_the_shared_work_on(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	setup(&h, SDPOWER_NEWIDLE_K70, 2);
	h.refresh_ns = 5000;
	h.level[0].ratio = 100;
	h.draw[0] = 102;
	h.level[1].ratio = 1024;
	h.facts[1] = SDPOWER_NEWIDLE_PULLED;
	walk(&h, &w);
	assert_int_equal(h.drawn, 1); /* k70 searches a good level without one */
	assert_int_equal(h.searched, 2);
	assert_int_equal(h.level[0].calls, 513);
	assert_int_equal(h.level[0].hits, 256);
	assert_int_equal(h.level[1].cost_ns, 7000);
	assert_int_equal(h.level[1].hits, 257);
	setup(&h, SDPOWER_NEWIDLE_K70, 1);
	h.level[0].ratio = 255;
	h.draw[0] = 256;
	h.facts[0] = SDPOWER_NEWIDLE_PULLED;
	walk(&h, &w);
	assert_int_equal(h.level[0].hits, 260); /* searched 1 time in 4 */
}

/* A window that closes on a lost draw ends now, not when the walk began. */
static void windows_close_at_the_present_time(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	setup(&h, SDPOWER_NEWIDLE_K70, 2);
	h.refresh_ns = 5000;
	h.level[1].ratio = 0;
	h.level[1].calls = 1023;
	h.draw[1] = 1023;
	walk(&h, &w);
	assert_int_equal(h.level[1].window_ns, 1000000000 + 5000 + 1000);
}

static void a_dear_level_hides_those_above(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		for (uint64_t less = 0; less < 2; less++) {
			setup(&h, mode, 3);
			h.cpu.avg_idle_ns = 600000 - less;
			h.cpu.next_balance = 5000;
			h.level[1].cost_ns = 599000; /* and 1000 for level 0 */
			h.level[1].interval_ms = 3;
			h.level[2].interval_ms = 2;
			walk(&h, &w);
			assert_int_equal(h.searched, less ? 1 : 7);
			/* The level it stops at is heard, those above are not. */
			assert_int_equal(h.cpu.next_balance, less ? 1003 : 1002);
		}
	}
}

/* facts of level 0, levels searched, levels glanced at: k515, k516, k617 and later */
static void when_something_runs(void **state)
{
	static const uint32_t row[][7] = {
		{ SDPOWER_NEWIDLE_PULLED, 1, 0, 1, 0, 1, 0 },
		{ SDPOWER_NEWIDLE_QUEUED, 1, 0, 1, 0, 1, 2 },
		{ SDPOWER_NEWIDLE_PENDING, 1, 0, 1, 0, 1, 2 },
		{ SDPOWER_NEWIDLE_STOP, 7, 0, 7, 0, 1, 0 },
		{ 0, 7, 0, 7, 0, 7, 0 },
	};
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		const uint32_t column = mode <= SDPOWER_NEWIDLE_K617 ? 2 * mode - 1 : 5;

		for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
			setup(&h, mode, 3);
			h.facts[0] = row[i][0];
			h.facts[1] = h.facts[2] = 0;
			walk(&h, &w);
			assert_int_equal(h.searched, row[i][column]);
			assert_int_equal(h.glanced, row[i][column + 1]);
			assert_int_equal(w.result, row[i][0] == SDPOWER_NEWIDLE_PULLED);
		}
	}
}

static void a_glance_is_a_failed_search_that_stops(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	setup(&h, SDPOWER_NEWIDLE_K619, 3);
	h.refresh = SDPOWER_NEWIDLE_QUEUED; /* arrived before the first search */
	h.facts[0] = SDPOWER_NEWIDLE_PULLED;
	walk(&h, &w);
	assert_int_equal(h.searched, 0);
	assert_int_equal(h.glanced, 1);
	assert_int_equal(h.level[0].calls, 513);
	assert_int_equal(h.level[0].hits, 256);
	assert_int_equal(w.spent_ns, 1000);
	assert_int_equal(w.result, 0);
	setup(&h, SDPOWER_NEWIDLE_K516, 3);
	h.refresh = SDPOWER_NEWIDLE_QUEUED;
	walk(&h, &w);
	assert_int_equal(h.searched, 7);
}

/* pulled, facts of the last look, result */
static void the_result_is_what_there_is_to_run(void **state)
{
	static const int32_t row[][3] = {
		{ 0, 0, 0 }, { SDPOWER_NEWIDLE_PULLED, 0, 1 }, { 0, SDPOWER_NEWIDLE_QUEUED, 1 },
		{ 0, SDPOWER_NEWIDLE_HIGHER, -1 },
		{ SDPOWER_NEWIDLE_PULLED, SDPOWER_NEWIDLE_HIGHER | SDPOWER_NEWIDLE_QUEUED, -1 },
	};
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
			setup(&h, mode, 1);
			h.ask |= SDPOWER_NEWIDLE_LOAD_DUE;
			h.facts[0] = (uint32_t)row[i][0];
			h.look = (uint32_t)row[i][1];
			walk(&h, &w);
			assert_int_equal(w.result, row[i][2]);
			assert_int_equal(h.cpu.idle_since_ns, row[i][2] ? 0 : 1000000000);
			assert_int_equal(w.update_load, row[i][2] == 0);
		}
	}
}

static void a_migration_of_idleness_gates_the_update(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		setup(&h, mode, 1);
		h.ask |= SDPOWER_NEWIDLE_LOAD_DUE;
		h.cpu.avg_idle_ns = NEWIDLE_COST;
		walk(&h, &w);
		assert_int_equal(w.update_load, 1);
		h.cpu.avg_idle_ns = NEWIDLE_COST - 1;
		walk(&h, &w);
		assert_int_equal(w.update_load, 0);
	}
}

static void the_dearest_walk_is_remembered(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	for ALL_MODES(mode) {
		setup(&h, mode, 2);
		h.cost_ns[0] = 400000;
		h.cost_ns[1] = 300000;
		walk(&h, &w);
		assert_int_equal(h.cpu.max_cost_ns, 700000);
		assert_int_equal(w.spent_ns, 700000);
	}
}

static void facts_a_step_does_not_take_are_refused(void **state)
{
	static const uint32_t taken[] = {
		[SDPOWER_NEWIDLE_REFRESH] = SDPOWER_NEWIDLE_PENDING | SDPOWER_NEWIDLE_QUEUED,
		[SDPOWER_NEWIDLE_SEARCH] = SDPOWER_NEWIDLE_PENDING | SDPOWER_NEWIDLE_QUEUED |
			SDPOWER_NEWIDLE_PULLED | SDPOWER_NEWIDLE_STOP,
		[SDPOWER_NEWIDLE_GLANCE] = SDPOWER_NEWIDLE_PENDING | SDPOWER_NEWIDLE_QUEUED |
			SDPOWER_NEWIDLE_PULLED | SDPOWER_NEWIDLE_STOP,
		[SDPOWER_NEWIDLE_LOOK] = SDPOWER_NEWIDLE_QUEUED | SDPOWER_NEWIDLE_HIGHER,
		[SDPOWER_NEWIDLE_BALANCE + 1] = 0,
	};
	struct newidle_host h;

	(void)state;
	for (uint32_t step = 0; step <= SDPOWER_NEWIDLE_BALANCE + 1; step++) {
		for (uint32_t bit = 1; bit <= 512; bit *= 2) {
			struct sdpower_newidle_walk w = { .struct_size = sizeof(w), .step = step }, old = w;
			struct sdpower_newidle_report r = { .struct_size = sizeof(r), .facts = bit };
			const sdpower_status expected = taken[step] & bit ? SDPOWER_OK : SDPOWER_EINVAL;

			setup(&h, SDPOWER_NEWIDLE_K70, 1);
			assert_int_equal(sdpower_newidle_next(&h.tracker, &r, &w), expected);
			if (expected)
				assert_memory_equal(&w, &old, sizeof(w));
		}
	}
}

static void calls_out_of_turn_are_refused(void **state)
{
	struct sdpower_newidle_walk w = { .struct_size = sizeof(w) };
	struct sdpower_newidle_report r = { .struct_size = sizeof(r) };
	struct sdpower_newidle_ask ask = { .struct_size = sizeof(ask), .facts = SDPOWER_NEWIDLE_BUSY };
	struct newidle_host h;

	(void)state;
	setup(&h, SDPOWER_NEWIDLE_K70, 1);
	assert_int_equal(sdpower_newidle_begin(&h.tracker, &ask, &w), SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_begin(&h.tracker, NULL, &w), SDPOWER_EINVAL);
	ask.facts = SDPOWER_NEWIDLE_ACTIVE;
	assert_int_equal(sdpower_newidle_begin(&h.tracker, &ask, NULL), SDPOWER_EINVAL);
	ask.struct_size--;
	assert_int_equal(sdpower_newidle_begin(&h.tracker, &ask, &w), SDPOWER_EINVAL);
	assert_int_equal(h.cpu.idle_since_ns, 0);
	for (uint32_t step = 0; step < 9; step++) {
		w.step = step;
		w.level = 1; /* there is none */
		if (step != SDPOWER_NEWIDLE_REFRESH && step != SDPOWER_NEWIDLE_LOOK)
			assert_int_equal(sdpower_newidle_next(&h.tracker, &r, &w), SDPOWER_EINVAL);
	}
	w.step = SDPOWER_NEWIDLE_REFRESH;
	assert_int_equal(sdpower_newidle_next(&h.tracker, NULL, &w), SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_next(&h.tracker, &r, NULL), SDPOWER_EINVAL);
	r.reserved = 1;
	assert_int_equal(sdpower_newidle_next(&h.tracker, &r, &w), SDPOWER_EINVAL);
	r.reserved = 0;
	w.struct_size = 0;
	assert_int_equal(sdpower_newidle_next(&h.tracker, &r, &w), SDPOWER_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pending_task_changes_nothing),
		cmocka_unit_test(an_inactive_cpu_only_begins_to_idle),
		cmocka_unit_test(nobody_overloaded_defers),
		cmocka_unit_test(short_idleness_defers),
		cmocka_unit_test(a_cpu_without_levels_walks_nowhere),
		cmocka_unit_test(shared_work_is_charged_to_the_first_level_searched),
		cmocka_unit_test(a_lost_draw_passes_the_shared_work_on),
		cmocka_unit_test(windows_close_at_the_present_time),
		cmocka_unit_test(a_dear_level_hides_those_above),
		cmocka_unit_test(when_something_runs),
		cmocka_unit_test(a_glance_is_a_failed_search_that_stops),
		cmocka_unit_test(the_result_is_what_there_is_to_run),
		cmocka_unit_test(a_migration_of_idleness_gates_the_update),
		cmocka_unit_test(the_dearest_walk_is_remembered),
		cmocka_unit_test(facts_a_step_does_not_take_are_refused),
		cmocka_unit_test(calls_out_of_turn_are_refused),
	};

	return cmocka_run_group_tests_name("newidle_walk", tests, NULL, NULL);
}
