/* SPDX-License-Identifier: MIT */
/* Description: what newidle trackers accept, how they start, the average idle period. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "newidle_help.h"

static void a_new_cpu_expects_two_migrations_of_idleness(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K70, 2);
	assert_int_equal(h.cpu.avg_idle_ns, 1000000);
	assert_int_equal(h.cpu.max_cost_ns, 500000);
	assert_int_equal(h.cpu.idle_since_ns, 0);
	assert_int_equal(h.cpu.next_balance, 1000);
	for (int i = 0; i < 2; i++) {
		const struct sdpower_newidle_level *l = &h.level[i];

		assert_int_equal(l->calls, 512);
		assert_int_equal(l->hits, 256);
		assert_int_equal(l->ratio, 512);
		assert_int_equal(l->cost_ns, 0);
		assert_int_equal(l->stamp, 1000);
		assert_int_equal(l->last_balance, 1000);
		assert_int_equal(l->window_ns, 1000000000);
		assert_int_equal(l->interval_ms, 8 << i);
		assert_int_equal(l->busy_factor, 16);
		assert_int_equal(l->flags, SDPOWER_SD_BALANCE_NEWIDLE);
	}
	assert_int_equal(h.level[2].calls, 0);
}

static void stamps_of_a_narrow_counter_stay_narrow(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 1);
	h.rules.tick_bits = 32;
	assert_int_equal(sdpower_newidle_init(&h.tracker, 1, UINT64_C(0x700000005)), SDPOWER_OK);
	assert_int_equal(h.level[0].stamp, 5);
	assert_int_equal(h.cpu.next_balance, 5);
}

/* avg, cap / 2, length of the period, avg after it */
static void the_average_moves_by_an_eighth_toward_zero(void **state)
{
	static const uint64_t row[][4] = {
		{ 1000, 500000, 1007, 1000 }, { 1000, 500000, 1008, 1001 },
		{ 1000, 500000, 993, 1000 }, { 1000, 500000, 992, 999 },
		{ 1000, 500000, 985, 999 }, { 1000, 500000, 9000, 2000 },
		{ 1000000, 500000, 9000000, 1000000 }, { 1000000, 300000, 1000000, 600000 },
		{ 0, 500000, 0, 0 }, { 8, 500000, 0, 7 },
	};
	struct newidle_host h;

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		newidle_setup(&h, SDPOWER_NEWIDLE_K515, 0);
		h.cpu.avg_idle_ns = row[i][0];
		h.cpu.max_cost_ns = row[i][1];
		h.cpu.idle_since_ns = 77;
		assert_int_equal(sdpower_newidle_wake(&h.tracker, 77 + row[i][2]), 1);
		assert_int_equal(h.cpu.avg_idle_ns, row[i][3]);
		assert_int_equal(h.cpu.idle_since_ns, 0);
	}
}

/* The originals take the difference as signed: a step back of less than avg shortens it. */
static void a_clock_that_steps_back_is_a_signed_difference(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K617, 0);
	h.cpu.avg_idle_ns = 8000;
	h.cpu.idle_since_ns = 100000;
	assert_int_equal(sdpower_newidle_wake(&h.tracker, 92000), 1);
	assert_int_equal(h.cpu.avg_idle_ns, 6000);
}

static void a_busy_cpu_gives_no_sample(void **state)
{
	struct newidle_host h;

	(void)state;
	for (uint32_t mode = 1; mode < SDPOWER_NEWIDLE_MODES; mode++) {
		newidle_setup(&h, mode, 0);
		assert_int_equal(sdpower_newidle_wake(&h.tracker, 5000000000), 0);
		assert_int_equal(h.cpu.avg_idle_ns, 1000000);
	}
}

static void modes_have_the_names_of_records(void **state)
{
	(void)state;
	assert_string_equal(sdpower_newidle_mode_name(SDPOWER_NEWIDLE_K515), "k515");
	assert_string_equal(sdpower_newidle_mode_name(SDPOWER_NEWIDLE_K70), "k70");
	assert_string_equal(sdpower_newidle_mode_name(SDPOWER_NEWIDLE_MODES), "?");
}

/* Every call refuses, and none of them touches anything. */
static void expect_refused(struct newidle_host *h, sdpower_status expected)
{
	const struct sdpower_newidle_ask ask = { .struct_size = sizeof(ask), .facts = h->ask };
	const struct sdpower_newidle_report report = { .struct_size = sizeof(report) };
	struct sdpower_newidle_walk w = { .struct_size = sizeof(w), .step = SDPOWER_NEWIDLE_SEARCH };
	struct sdpower_newidle_pass p = { .struct_size = sizeof(p), .step = SDPOWER_NEWIDLE_BALANCE };
	const struct newidle_host before = *h;
	const struct sdpower_newidle_walk old_walk = w;
	const struct sdpower_newidle_pass old_pass = p;

	assert_int_equal(sdpower_newidle_init(&h->tracker, 1, 1), expected);
	assert_int_equal(sdpower_newidle_wake(&h->tracker, 1), expected);
	assert_int_equal(sdpower_newidle_begin(&h->tracker, &ask, &w), expected);
	assert_int_equal(sdpower_newidle_next(&h->tracker, &report, &w), expected);
	assert_int_equal(sdpower_newidle_pass_begin(&h->tracker, 0, 1, &p), expected);
	assert_int_equal(sdpower_newidle_pass_next(&h->tracker, 0, &p), expected);
	assert_memory_equal(h, &before, sizeof(before));
	assert_memory_equal(&w, &old_walk, sizeof(w));
	assert_memory_equal(&p, &old_pass, sizeof(p));
}

#define REFUSED(change, status) do { \
		newidle_setup(&h, SDPOWER_NEWIDLE_K516, 2); \
		change; \
		expect_refused(&h, status); \
	} while (0)

static void rules_that_make_no_sense_are_refused(void **state)
{
	struct newidle_host h;

	(void)state;
	REFUSED(h.rules.struct_size--, SDPOWER_EINVAL);
	REFUSED(h.rules.reserved = 1, SDPOWER_EINVAL);
	REFUSED(h.rules.mode = SDPOWER_NEWIDLE_DEFAULT, SDPOWER_EINVAL);
	REFUSED(h.rules.mode = SDPOWER_NEWIDLE_MODES, SDPOWER_ENOSYS);
	REFUSED(h.rules.tick_bits = 16, SDPOWER_EINVAL);
	REFUSED(h.rules.hz = 0, SDPOWER_ERANGE);
	REFUSED(h.rules.hz = SDPOWER_NEWIDLE_HZ_MAX + 1, SDPOWER_ERANGE);
	REFUSED(h.rules.cpus = 0, SDPOWER_ERANGE);
	REFUSED(h.rules.cpus = SDPOWER_MAX_CPUS + 1, SDPOWER_ERANGE);
	REFUSED(h.tracker.rules = NULL, SDPOWER_EINVAL);
}

static void state_that_makes_no_sense_is_refused(void **state)
{
	struct newidle_host h;

	(void)state;
	REFUSED(h.tracker.struct_size++, SDPOWER_EINVAL);
	REFUSED(h.tracker.reserved = 1, SDPOWER_EINVAL);
	REFUSED(h.tracker.cpu = NULL, SDPOWER_EINVAL);
	REFUSED(h.cpu.struct_size = 0, SDPOWER_EINVAL);
	REFUSED(h.cpu.reserved = 1, SDPOWER_EINVAL);
	REFUSED(h.tracker.levels = NULL, SDPOWER_EINVAL);
	REFUSED(h.tracker.level_stride -= 8, SDPOWER_EINVAL);
	REFUSED(h.tracker.level_stride += 4, SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_init(NULL, 1, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_newidle_wake(NULL, 1), SDPOWER_EINVAL);
}

static void the_limits_themselves_are_accepted(void **state)
{
	struct newidle_host h;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K515, 1);
	h.rules.hz = SDPOWER_NEWIDLE_HZ_MAX;
	h.rules.cpus = SDPOWER_MAX_CPUS;
	assert_int_equal(sdpower_newidle_init(&h.tracker, 1, 1), SDPOWER_OK);
	h.rules.hz = h.rules.cpus = 1;
	h.tracker.level_count = 0;
	h.tracker.levels = NULL;
	h.tracker.level_stride = 0;
	assert_int_equal(sdpower_newidle_init(&h.tracker, 1, 1), SDPOWER_OK);
}

/* A tracker that remembers more per level puts it behind what the modes know. */
static void levels_may_be_further_apart(void **state)
{
	struct {
		struct sdpower_newidle_level level;
		uint64_t more[3];
	} wide[2];
	struct newidle_host h;
	struct sdpower_newidle_walk w;

	(void)state;
	newidle_setup(&h, SDPOWER_NEWIDLE_K516, 2);
	memset(wide, 0x5a, sizeof(wide));
	wide[0].level = h.level[0];
	wide[1].level = h.level[1];
	h.tracker.levels = &wide[0].level;
	h.tracker.level_stride = sizeof(wide[0]);
	assert_int_equal(newidle_walk(&h, &w), SDPOWER_OK);
	assert_int_equal(wide[0].level.cost_ns, 1000);
	assert_int_equal(wide[1].level.cost_ns, 2000);
	assert_int_equal(wide[0].more[0], UINT64_C(0x5a5a5a5a5a5a5a5a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_cpu_expects_two_migrations_of_idleness),
		cmocka_unit_test(stamps_of_a_narrow_counter_stay_narrow),
		cmocka_unit_test(the_average_moves_by_an_eighth_toward_zero),
		cmocka_unit_test(a_clock_that_steps_back_is_a_signed_difference),
		cmocka_unit_test(a_busy_cpu_gives_no_sample),
		cmocka_unit_test(modes_have_the_names_of_records),
		cmocka_unit_test(rules_that_make_no_sense_are_refused),
		cmocka_unit_test(state_that_makes_no_sense_is_refused),
		cmocka_unit_test(the_limits_themselves_are_accepted),
		cmocka_unit_test(levels_may_be_further_apart),
	};

	return cmocka_run_group_tests_name("newidle_state", tests, NULL, NULL);
}
