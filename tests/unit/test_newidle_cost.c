/* SPDX-License-Identifier: MIT */
/* Description: cost, decay, success ratio and intervals of a level, with ticks that wrap. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "decide/newidle.h"
#include "newidle_help.h"

static void one_step_of_decay_a_second_however_long_the_gap(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	l->cost_ns = 256000;
	l->stamp = 5000;
	assert_false(sdpower_i_newidle_decay(&h.rules, l, 6000));
	assert_true(sdpower_i_newidle_decay(&h.rules, l, 6001));
	assert_int_equal(l->cost_ns, 253000);
	assert_int_equal(l->stamp, 6001);
	assert_true(sdpower_i_newidle_decay(&h.rules, l, 900000));
	assert_int_equal(l->cost_ns, 250035);
}

static void k515_keeps_when_decay_is_due(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K515, 1);
	l->cost_ns = 256000;
	l->stamp = 5000;
	assert_false(sdpower_i_newidle_decay(&h.rules, l, 5000));
	assert_true(sdpower_i_newidle_decay(&h.rules, l, 5001));
	assert_int_equal(l->stamp, 6001);
	/* A fresh maximum does not move it. */
	sdpower_i_newidle_charge(&h.rules, l, 300000, 0, 5002, 0);
	assert_int_equal(l->cost_ns, 300000);
	assert_int_equal(l->stamp, 6001);
	sdpower_i_newidle_charge(&h.rules, l, 100, 0, 9000, 0);
	assert_int_equal(l->cost_ns, 300000);
}

/* ln 2, ln 20 and ln 100 over ln (256/253), rounded up. */
static void cost_halves_in_59_steps_and_reaches_zero(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];
	uint32_t steps = 0, half = 0, twentieth = 0, hundredth = 0;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K617, 1);
	l->cost_ns = UINT64_C(1000000000000);
	l->stamp = 0;
	for (uint64_t tick = 1001; l->cost_ns; tick += 1001) {
		assert_true(sdpower_i_newidle_decay(&h.rules, l, tick));
		steps++;
		if (!half && l->cost_ns <= UINT64_C(500000000000))
			half = steps;
		if (!twentieth && l->cost_ns <= UINT64_C(50000000000))
			twentieth = steps;
		if (!hundredth && l->cost_ns <= UINT64_C(10000000000))
			hundredth = steps;
		if (l->cost_ns < 86 && l->cost_ns)
			assert_int_equal(l->cost_ns * 253 / 256, l->cost_ns - 1);
	}
	assert_int_equal(half, 59);
	assert_int_equal(twentieth, 255);
	assert_int_equal(hundredth, 391);
}

static void only_a_greater_cost_moves_the_stamp(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	sdpower_i_newidle_charge(&h.rules, l, 700, 0, 1500, 0);
	assert_int_equal(l->cost_ns, 700);
	assert_int_equal(l->stamp, 1500);
	sdpower_i_newidle_charge(&h.rules, l, 700, 0, 1600, 0);
	assert_int_equal(l->stamp, 1500);
	/* A cheap search a second later is a step of decay. */
	sdpower_i_newidle_charge(&h.rules, l, 1, 0, 2501, 0);
	assert_int_equal(l->cost_ns, 691);
	assert_int_equal(l->stamp, 2501);
}

static void k617_makes_failures_dearer_up_to_a_migration(void **state)
{
	static const uint64_t steps[] = { 150, 225, 337, 505 };
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K617, 1);
	sdpower_i_newidle_charge(&h.rules, l, 90000, 0, 1001, 0);
	assert_int_equal(l->cost_ns, 0); /* nothing times 3/2 */
	sdpower_i_newidle_charge(&h.rules, l, 100, 1, 1002, 0);
	assert_int_equal(l->cost_ns, 100);
	for (uint64_t i = 0; i < 4; i++) {
		sdpower_i_newidle_charge(&h.rules, l, 1, 0, 1003 + i, 0);
		assert_int_equal(l->cost_ns, steps[i]);
		assert_int_equal(l->stamp, 1003 + i);
	}
	l->cost_ns = 400000;
	sdpower_i_newidle_charge(&h.rules, l, 1, 0, 1010, 0);
	assert_int_equal(l->cost_ns, 500200);
	sdpower_i_newidle_charge(&h.rules, l, 9000000, 1, 1011, 0);
	assert_int_equal(l->cost_ns, 500200);
	assert_int_equal(l->stamp, 1011);
}

static void a_search_without_time_is_not_counted(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K619, 1);
	sdpower_i_newidle_charge(&h.rules, &h.level[0], 0, 5, 1001, 0);
	assert_int_equal(h.level[0].calls, 512);
	assert_int_equal(h.level[0].hits, 256);
	sdpower_i_newidle_charge(&h.rules, &h.level[0], 1, 5, 1001, 0);
	assert_int_equal(h.level[0].calls, 513);
	assert_int_equal(h.level[0].hits, 261);
	newidle_setup(&h, SDPOWER_NEWIDLE_K617, 1);
	sdpower_i_newidle_charge(&h.rules, &h.level[0], 1, 5, 1001, 0);
	assert_int_equal(h.level[0].calls, 512);
}

static void a_window_has_512_calls(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K619, 1);
	for (int i = 0; i < 511; i++)
		sdpower_i_newidle_count(&h.rules, l, 1, 0);
	assert_int_equal(l->calls, 1023);
	assert_int_equal(l->ratio, 512);
	sdpower_i_newidle_count(&h.rules, l, 1000, 0);
	assert_int_equal(l->ratio, 256 + 511 + 1000); /* k619 does not cap it */
	assert_int_equal(l->calls, 512);
	assert_int_equal(l->hits, (256 + 511 + 1000) / 2);
}

static void close_window(struct newidle_host *h, uint64_t hits, uint64_t age)
{
	struct sdpower_newidle_level *l = &h->level[0];

	l->calls = 1023;
	l->hits = (uint32_t)hits;
	l->window_ns = 1000;
	sdpower_i_newidle_count(&h->rules, l, 0, 1000 + age);
}

static void k70_counts_a_slow_window_as_success(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K70, 1);
	close_window(&h, 100, (UINT64_C(1) << 22) - 1);
	assert_int_equal(h.level[0].ratio, 100);
	close_window(&h, 100, UINT64_C(1) << 22);
	assert_int_equal(h.level[0].ratio, 101);
	assert_int_equal(h.level[0].window_ns, 1000 + (UINT64_C(1) << 22));
	close_window(&h, 0, UINT64_C(1) << 32);
	assert_int_equal(h.level[0].ratio, 1024);
	close_window(&h, 1500, 0);
	assert_int_equal(h.level[0].ratio, 1024);
	/* A clock that stepped back makes no success. */
	close_window(&h, 7, UINT64_MAX);
	assert_int_equal(h.level[0].ratio, 7);
}

static void who_draws(void **state)
{
	struct newidle_host h;

	(void)state;
	for (uint32_t mode = 1; mode < SDPOWER_NEWIDLE_MODES; mode++) {
		newidle_setup(&h, mode, 1);
		h.level[0].ratio = 1023;
		assert_int_equal(sdpower_i_newidle_needs_draw(&h.rules, &h.level[0]),
			mode >= SDPOWER_NEWIDLE_K619);
		h.level[0].ratio = 1024;
		assert_int_equal(sdpower_i_newidle_needs_draw(&h.rules, &h.level[0]),
			mode == SDPOWER_NEWIDLE_K619);
	}
}

/* ratio, draws that win of 1024, weight */
static void draws_are_won_in_proportion(void **state)
{
	static const uint32_t row[][3] = {
		{ 0, 2, 1024 }, { 1, 3, 512 }, { 255, 257, 4 }, { 511, 513, 2 }, { 682, 684, 1 },
		{ 1022, 1024, 1 }, { 1023, 1024, 1 }, { 2047, 1024, 1 }, { 2048, 1024, 0 },
		{ UINT32_MAX, 1024, 0 },
	};
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K619, 1);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint32_t won = 0, weight = 7;

		h.level[0].ratio = row[i][0];
		for (uint32_t draw = 0; draw < 1024; draw++)
			won += (uint32_t)sdpower_i_newidle_draw_wins(&h.level[0], draw + 1024 * draw,
				&weight);
		assert_int_equal(won, row[i][1]);
		assert_int_equal(weight, row[i][2]);
	}
}

static uint64_t interval(struct newidle_host *h, int busy)
{
	h->level[0].last_balance = 0;
	return sdpower_i_newidle_due(&h->rules, &h->level[0], busy);
}

/* hz, cpus, ms, busy factor, interval idle, interval busy */
static void intervals_round_up_also_where_hz_does_not_divide_1000(void **state)
{
	static const uint32_t row[][6] = {
		{ 1000, 256, 8, 16, 8, 127 }, { 250, 256, 8, 16, 2, 31 }, { 100, 256, 8, 16, 1, 12 },
		{ 100, 256, 11, 16, 2, 17 }, { 1000, 2, 512, 16, 200, 200 },
		{ 300, 256, 8, 16, 3, 38 }, { 300, 256, 10, 1, 3, 2 }, { 1024, 256, 8, 16, 9, 131 },
		{ 1024, 256, 125, 8, 128, 1023 }, { 60, 256, 17, 1, 2, 1 }, { 60, 256, 16, 1, 1, 1 },
		{ 1, 256, 8, 16, 1, 1 }, { 1, 1, 5000, 16, 1, 1 }, { 24, 10, 700, 2, 17, 24 },
		{ 1193, 3, 300, 1, 357, 357 }, { 1193, 3, 299, 1, 357, 356 },
		{ 1000000, 65534, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX },
		{ 1000, 64, 0, 16, 1, 1 }, { 1000, 64, 8, 0, 8, 1 }, { 1000, 64, 1, 1, 1, 1 },
	};
	struct newidle_host h;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
		h.rules.hz = row[i][0];
		h.rules.cpus = row[i][1];
		h.level[0].interval_ms = row[i][2];
		h.level[0].busy_factor = row[i][3];
		if (row[i][4] == UINT32_MAX) {
			assert_int_equal(interval(&h, 0), UINT64_C(6553400000));
			assert_int_equal(interval(&h, 1), UINT64_C(6553400000));
			continue;
		}
		assert_int_equal(interval(&h, 0), row[i][4]);
		assert_int_equal(interval(&h, 1), row[i][5]);
	}
}

/* The rule in one expression, for every tick rate up to 1200 and some odd ones. */
static void intervals_are_exact(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K515, 1);
	for (uint32_t hz = 1; hz <= 1200; hz += 1 + hz / 97) {
		for (uint32_t ms = 1; ms < 5000; ms += 1 + ms / 7) {
			const uint64_t ticks = ((uint64_t)ms * hz + 999) / 1000;
			uint64_t most;

			h.rules.hz = hz;
			h.rules.cpus = 1 + ms % 37;
			most = (uint64_t)hz * h.rules.cpus / 10;
			most = most ? most : 1;
			h.level[0].interval_ms = ms;
			assert_int_equal(interval(&h, 0), ticks < most ? ticks : most);
		}
	}
}

static void ticks_wrap_at_32_bits(void **state)
{
	struct newidle_host h;
	struct sdpower_newidle_level *l = &h.level[0];

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	h.rules.tick_bits = 32;
	assert_true(sdpower_i_tick_after(&h.rules, 0, UINT32_MAX));
	assert_false(sdpower_i_tick_after(&h.rules, UINT32_MAX, 0));
	assert_false(sdpower_i_tick_after(&h.rules, 7, 7));
	assert_true(sdpower_i_tick_after(&h.rules, 0x7fffffff, 0));
	assert_true(sdpower_i_tick_after(&h.rules, 0x80000000, 0));
	assert_false(sdpower_i_tick_after(&h.rules, 0x80000001, 0));
	l->cost_ns = 256;
	l->stamp = UINT32_MAX - 500;
	assert_false(sdpower_i_newidle_decay(&h.rules, l, 499));
	assert_true(sdpower_i_newidle_decay(&h.rules, l, 500));
	assert_int_equal(l->cost_ns, 253);
	l->last_balance = UINT32_MAX;
	assert_int_equal(sdpower_i_newidle_due(&h.rules, l, 0), 7);
	/* The same numbers on a wide counter are far apart. */
	h.rules.tick_bits = 64;
	assert_false(sdpower_i_tick_after(&h.rules, 0, UINT32_MAX));
	assert_true(sdpower_i_tick_after(&h.rules, 0, UINT64_MAX));
	assert_int_equal(sdpower_i_newidle_due(&h.rules, l, 0), UINT64_C(0x100000007));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_step_of_decay_a_second_however_long_the_gap),
		cmocka_unit_test(k515_keeps_when_decay_is_due),
		cmocka_unit_test(cost_halves_in_59_steps_and_reaches_zero),
		cmocka_unit_test(only_a_greater_cost_moves_the_stamp),
		cmocka_unit_test(k617_makes_failures_dearer_up_to_a_migration),
		cmocka_unit_test(a_search_without_time_is_not_counted),
		cmocka_unit_test(a_window_has_512_calls),
		cmocka_unit_test(k70_counts_a_slow_window_as_success),
		cmocka_unit_test(who_draws),
		cmocka_unit_test(draws_are_won_in_proportion),
		cmocka_unit_test(intervals_round_up_also_where_hz_does_not_divide_1000),
		cmocka_unit_test(intervals_are_exact),
		cmocka_unit_test(ticks_wrap_at_32_bits),
	};

	return cmocka_run_group_tests_name("newidle_cost", tests, NULL, NULL);
}
