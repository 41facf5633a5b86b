/* SPDX-License-Identifier: MIT */
/* Description: the periodic pass over the levels of a cpu. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "newidle_help.h"

static void pass(struct newidle_host *h, uint32_t busy)
{
	assert_int_equal(newidle_pass(h, busy), SDPOWER_OK);
}

/* Levels whose cost decays at tick 1000 and that are due for balancing, or not. */
static void ripen(struct newidle_host *h, uint32_t decaying, uint32_t due)
{
	for (uint32_t i = 0; i < h->tracker.level_count; i++) {
		h->level[i].cost_ns = 256000;
		h->level[i].stamp = decaying >> i & 1 ? UINT64_MAX - 500 : 1000;
		h->level[i].last_balance = due >> i & 1 ? UINT64_MAX - 500 : 1000;
	}
}

static void levels_are_balanced_when_their_interval_has_passed(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 2); /* 8 and 16 ticks */
	h.tick = 1007;
	pass(&h, 0);
	assert_int_equal(h.searched, 0);
	assert_int_equal(h.cpu.next_balance, 1008);
	h.tick = 1008;
	pass(&h, 0);
	assert_int_equal(h.searched, 1);
	assert_int_equal(h.level[0].last_balance, 1008);
	assert_int_equal(h.level[1].last_balance, 1000);
	assert_int_equal(h.cpu.next_balance, 1016);
	/* Busy: 127 and 255 ticks. It may move later again. */
	h.tick = 1016;
	pass(&h, SDPOWER_NEWIDLE_BUSY);
	assert_int_equal(h.searched, 0);
	assert_int_equal(h.cpu.next_balance, 1135);
}

static void only_work_that_moved_makes_the_pass_look_again(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 2);
	h.tick = 1100;
	h.facts[0] = SDPOWER_NEWIDLE_BUSY; /* but nothing moved */
	pass(&h, 0);
	assert_int_equal(h.searched, 3);
	assert_int_equal(h.cpu.next_balance, 1108);
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 2);
	h.tick = 1100;
	h.facts[0] = SDPOWER_NEWIDLE_BUSY | SDPOWER_NEWIDLE_PULLED;
	pass(&h, 0);
	assert_int_equal(h.searched, 1); /* level 1 now waits for 255 ticks */
	assert_int_equal(h.cpu.next_balance, 1227);
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 2);
	h.tick = 1200;
	h.facts[0] = SDPOWER_NEWIDLE_PULLED;
	pass(&h, SDPOWER_NEWIDLE_BUSY);
	assert_int_equal(h.searched, 3);
	assert_int_equal(h.cpu.next_balance, 1208);
}

/* mode, decaying levels, is max renewed? Nothing is due, nobody stops. */
static void k516_forgets_decays_below_the_last_level(void **state)
{
	static const uint32_t row[][3] = {
		{ SDPOWER_NEWIDLE_K515, 1, 1 }, { SDPOWER_NEWIDLE_K515, 4, 1 },
		{ SDPOWER_NEWIDLE_K515, 0, 0 }, { SDPOWER_NEWIDLE_K516, 3, 0 },
		{ SDPOWER_NEWIDLE_K516, 4, 1 }, { SDPOWER_NEWIDLE_K617, 3, 0 },
		{ SDPOWER_NEWIDLE_K619, 3, 0 }, { SDPOWER_NEWIDLE_K70, 3, 0 },
		{ SDPOWER_NEWIDLE_K70, 7, 1 },
	};
	struct newidle_host h;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint64_t sum = 0;

		newidle_setup(&h, row[i][0], 3);
		ripen(&h, row[i][1], 0);
		h.cpu.max_cost_ns = 9000000;
		pass(&h, 0);
		for (uint32_t k = 0; k < 3; k++) {
			assert_int_equal(h.level[k].cost_ns, row[i][1] >> k & 1 ? 253000 : 256000);
			sum += h.level[k].cost_ns;
		}
		assert_int_equal(h.cpu.max_cost_ns, row[i][2] ? sum : 9000000);
	}
}

static void max_is_never_below_a_migration(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	ripen(&h, 1, 0);
	h.cpu.max_cost_ns = 9000000;
	pass(&h, 0);
	assert_int_equal(h.cpu.max_cost_ns, NEWIDLE_COST);
}

/* mode, decaying levels, levels that decayed: all are due and level 0 says stop. */
static void after_a_stop_only_decay_goes_on(void **state)
{
	static const uint32_t row[][3] = {
		{ SDPOWER_NEWIDLE_K515, 0xf, 0xf }, { SDPOWER_NEWIDLE_K515, 0, 0 },
		{ SDPOWER_NEWIDLE_K515, 1 + 8, 1 + 8 }, /* level 0 decayed: go on to the end */
		{ SDPOWER_NEWIDLE_K516, 1 + 8, 1 },     /* level 1 did not: stop there */
		{ SDPOWER_NEWIDLE_K516, 2 + 8, 2 }, { SDPOWER_NEWIDLE_K617, 0xf, 0xf },
	};
	struct newidle_host h;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		newidle_setup(&h, row[i][0], 4);
		ripen(&h, row[i][1], 0xf);
		h.facts[0] = SDPOWER_NEWIDLE_STOP;
		pass(&h, 0);
		assert_int_equal(h.searched, 1);
		for (uint32_t k = 0; k < 4; k++)
			assert_int_equal(h.level[k].cost_ns, row[i][2] >> k & 1 ? 253000 : 256000);
		assert_int_equal(h.cpu.next_balance, 1008);
	}
}

static void without_levels_the_plan_stays(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 0);
	h.cpu.next_balance = 77;
	pass(&h, 0);
	assert_int_equal(h.cpu.next_balance, 77);
	/* A level a minute ahead says nothing either. */
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	h.cpu.next_balance = 77;
	h.rules.cpus = 1000;
	h.level[0].interval_ms = 60000;
	pass(&h, 0);
	assert_int_equal(h.cpu.next_balance, 77);
	h.level[0].interval_ms = 59999;
	pass(&h, 0);
	assert_int_equal(h.cpu.next_balance, 60999);
}

static void facts_and_turns_are_checked(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_pass p = { .struct_size = sizeof(p) };

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	h.tick = 1100;
	assert_int_equal(sdpower_newidle_pass_begin(&h.tracker, 0, 1100, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_pass_begin(&h.tracker, SDPOWER_NEWIDLE_PULLED, 1100, &p),
		SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_pass_next(&h.tracker, 0, &p), SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_pass_begin(&h.tracker, 0, 1100, &p), SDPOWER_OK);
	assert_int_equal(p.step, SDPOWER_NEWIDLE_BALANCE);
	for (uint32_t bit = 1; bit <= 512; bit *= 2)
		if (!(bit & (SDPOWER_NEWIDLE_PULLED | SDPOWER_NEWIDLE_STOP | SDPOWER_NEWIDLE_BUSY)))
			assert_int_equal(sdpower_newidle_pass_next(&h.tracker, bit, &p), SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_pass_next(&h.tracker, 0, NULL), SDPOWER_EINVAL);
	p.level = 1;
	assert_int_equal(sdpower_newidle_pass_next(&h.tracker, 0, &p), SDPOWER_EINVAL);
	assert_int_equal(h.level[0].last_balance, 1000);
	p.level = 0;
	assert_int_equal(sdpower_newidle_pass_next(&h.tracker, 0, &p), SDPOWER_OK);
	assert_int_equal(p.step, SDPOWER_NEWIDLE_DONE);
	p.struct_size++;
	assert_int_equal(sdpower_newidle_pass_begin(&h.tracker, 0, 1100, &p), SDPOWER_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_balanced_when_their_interval_has_passed),
		cmocka_unit_test(only_work_that_moved_makes_the_pass_look_again),
		cmocka_unit_test(k516_forgets_decays_below_the_last_level),
		cmocka_unit_test(max_is_never_below_a_migration),
		cmocka_unit_test(after_a_stop_only_decay_goes_on),
		cmocka_unit_test(without_levels_the_plan_stays),
		cmocka_unit_test(facts_and_turns_are_checked),
	};

	return cmocka_run_group_tests_name("newidle_pass", tests, NULL, NULL);
}
