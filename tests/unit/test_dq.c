/* SPDX-License-Identifier: MIT */
/* Description: the tracker dq: what it accepts, what each sample teaches, when it searches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "dq_help.h"

_Static_assert(sizeof(struct sdpower_dq_level) == 24, "compact, as documented");

static void a_new_level_is_worth_a_try(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 2);
	assert_int_equal(sdpower_dq_begin(&h.dq, h.now_ns), SDPOWER_OK);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SEARCH);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 1, 0), SDPOWER_DQ_SEARCH);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 2, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_dq_account(&h.dq, 2, 1, 0, h.now_ns), SDPOWER_EINVAL);
}

static void bad_structs_and_rules_are_refused(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 2);
	assert_int_equal(sdpower_dq_init(NULL, 0), SDPOWER_EINVAL);
	h.rules.reserved = 1;
	assert_int_equal(sdpower_dq_begin(&h.dq, 0), SDPOWER_EINVAL);
	h.rules.reserved = 0;
	h.rules.lateness = SDPOWER_DQ_WEIGHT_MAX + 1;
	assert_int_equal(sdpower_dq_init(&h.dq, 0), SDPOWER_ERANGE);
	h.rules.lateness = 0;
	h.rules.probe_permille = 1001;
	assert_int_equal(sdpower_dq_init(&h.dq, 0), SDPOWER_ERANGE);
	h.rules.probe_permille = 0;
	h.cpu.struct_size--;
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_dq_wake(&h.dq, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_dq_ran(&h.dq, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_dq_idle_budget_ns(&h.dq, 0, 50000), 0);
}

/* Nine steps up weigh as much as one down; the first sample is taken as it is. */
static void costs_follow_their_upper_tenth(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	dq_period(&h, 100000, 12800, 0);
	assert_int_equal(h.level[0].cost_ns, 12800);
	dq_period(&h, 100000, 12801, 0);
	assert_int_equal(h.level[0].cost_ns, 12800 + 900 + 1);
	dq_period(&h, 100000, 12800, 0);
	assert_int_equal(h.level[0].cost_ns, 13701 - 108);
	dq_period(&h, 100000, 100 * 13593, 0);
	assert_int_equal(h.level[0].cost_ns, 13593 + 955 + 1);
}

static void costs_fade_without_samples(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	dq_period(&h, 100000, 4000000, 0);
	h.now_ns += UINT64_C(3) << 31;
	dq_period(&h, 100000, 1000, 0);
	assert_int_equal(h.level[0].cost_ns, 500000);
	/* Forgotten altogether: the next sample is the first. */
	h.now_ns += UINT64_C(40) << 31;
	dq_period(&h, 100000, 1000, 0);
	assert_int_equal(h.level[0].cost_ns, 1000);
}

static void impossible_samples_are_clamped_and_counted(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	dq_period(&h, 100000, 0, 0);
	assert_int_equal(h.level[0].cost_ns, 1);
	assert_int_equal(h.cpu.odd_samples, 1);
	dq_period(&h, 100000, UINT64_MAX, 0);
	assert_int_equal(h.level[0].cost_ns, 1);
	assert_int_equal(h.cpu.odd_samples, 2);
	dq_setup(&h, 1);
	dq_period(&h, 100000, UINT64_C(1) << 40, 0);
	assert_int_equal(h.level[0].cost_ns, UINT32_MAX);
	assert_int_equal(h.cpu.odd_samples, 1);
	/* Awake before idle: the shortest class. */
	assert_int_equal(sdpower_dq_begin(&h.dq, h.now_ns), SDPOWER_OK);
	assert_int_equal(sdpower_dq_wake(&h.dq, h.now_ns - 5), 1);
	assert_int_equal(h.cpu.odd_samples, 2);
	assert_true(h.cpu.lengths[0] >= 512);
	/* Idle before it was ever so late. */
	assert_int_equal(sdpower_dq_begin(&h.dq, h.now_ns - 1000000), SDPOWER_OK);
	assert_int_equal(h.cpu.odd_samples, 3);
	assert_int_equal(sdpower_dq_wake(&h.dq, h.now_ns), 1);
	assert_int_equal(sdpower_dq_wake(&h.dq, h.now_ns), 0);
}

static void lengths_of_pulled_work_are_averaged(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	assert_int_equal(sdpower_dq_ran(&h.dq, 1000), 0);
	dq_period(&h, 100000, 1000, 30000);
	assert_int_equal(h.level[0].gain_ns, 30000);
	dq_period(&h, 100000, 1000, 10000);
	assert_int_equal(h.level[0].gain_ns, 20000);
	for (int i = 0; i < 30; i++)
		dq_period(&h, 100000, 1000, 20000);
	dq_period(&h, 100000, 1000, 40000);
	assert_int_equal(h.level[0].gain_ns, 21000);
}

static void a_length_not_told_ends_with_the_next_event(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	(void)sdpower_dq_begin(&h.dq, h.now_ns);
	(void)sdpower_dq_account(&h.dq, 0, 2000, 1, h.now_ns + 2000);
	assert_int_equal(sdpower_dq_wake(&h.dq, h.now_ns + 9000), 1);
	assert_int_equal(h.level[0].gain_ns, 7000);
	assert_int_equal(sdpower_dq_ran(&h.dq, 1), 0);
	(void)sdpower_dq_begin(&h.dq, h.now_ns + 20000);
	(void)sdpower_dq_account(&h.dq, 0, 2000, 1, h.now_ns + 22000);
	(void)sdpower_dq_begin(&h.dq, h.now_ns + 25000);
	assert_int_equal(h.level[0].gain_ns, 5000);
}

/* Only these two classes of lengths, so often each. */
static void expect_lengths(struct dq_host *h, uint32_t a, uint16_t often_a, uint32_t b,
	uint16_t often_b)
{
	memset(h->cpu.lengths, 0, sizeof(h->cpu.lengths));
	h->cpu.lengths[a] = often_a;
	h->cpu.lengths[b] = often_b;
}

static void a_length_is_a_sample_of_its_class(void **state)
{
	static const struct { uint64_t length; uint32_t class; } row[] = {
		{ 293, 0 }, { 294, 1 }, { 79, 0 }, { 80134, 10 }, { 80135, 11 }, { 20642046, 22 },
		{ 20642047, 23 }, { UINT32_MAX, 23 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct dq_host h;

		dq_setup(&h, 1);
		dq_period(&h, row[i].length, 10, 0);
		assert_in_range(h.cpu.lengths[row[i].class], 512, 600);
	}
}

/* One in four succeeds and wins up to 4 ms. Middles: 3.5 us, 24.9 us and 10.3 ms. */
static void periods_weigh_by_what_is_left_of_them(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	h.cpu.purse_ns = -1;
	/* Short periods are over by then. */
	h.level[0].cost_ns = 1000;
	expect_lengths(&h, 4, 5000, 21, 5000);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 5000000), SDPOWER_DQ_SEARCH);
	/* A search of 200 us makes nine own tasks of ten late; who does not mind searches. */
	h.level[0].cost_ns = 200000;
	expect_lengths(&h, 8, 9000, 21, 1000);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
	h.rules.lateness = 1;
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SEARCH);
}

/* Sure success: what decides is room for the work, the cost and lateness. */
static void only_what_pays_is_searched(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	for (int i = 0; i < 600; i++)
		dq_period(&h, 20000, 2000, 10000);
	(void)sdpower_dq_begin(&h.dq, h.now_ns);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SEARCH);
	/* The move costs more than the work wins. */
	h.level[0].move_ns = 10000;
	h.cpu.purse_ns = 0;
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
	h.level[0].move_ns = 0;
	/* So late in the period no room is left for what was won before. */
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 23000), SDPOWER_DQ_SKIP);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, UINT64_MAX), SDPOWER_DQ_SKIP);
	/* Whoever weighs searching high enough does not. */
	h.rules.effort = SDPOWER_DQ_WEIGHT_MAX;
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
}

/*
 * The least a search may cost, and all the room there is: so many are worth it after one hit. The
 * forgetting of hits is rounded up, so that none is left in the end.
 */
static void one_hit_justifies_so_many_searches(void **state)
{
	struct dq_host h;
	uint32_t searches = 0;

	(void)state;
	dq_setup(&h, 1);
	for (int i = 0; i < 2000; i++)
		dq_period(&h, 30000000, 1, 0);
	dq_period(&h, 30000000, 1, 30000000);
	for (; searches < 3000; searches++) {
		(void)sdpower_dq_begin(&h.dq, h.now_ns);
		if (sdpower_dq_should_search(&h.dq, 0, 0) != SDPOWER_DQ_SEARCH)
			break;
		dq_period(&h, 30000000, 1, 0);
	}
	assert_int_equal(searches, 1034);
	for (; searches < 1680; searches++)
		dq_period(&h, 30000000, 1, 0);
	assert_int_equal(h.level[0].hits, 0);
}

/* What a failure loses here is effort alone, a quarter of its cost. Stamps count 4096 ns. */
static void probes_that_fail_become_rare(void **state)
{
	static const uint64_t spacing[] = { 100, 1600, 12800, 12800 };
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	assert_int_equal(h.level[0].failures, 1);
	for (int i = 0; i < 3000; i++)
		dq_period(&h, 10000000, 16384, 0);
	h.level[0].failures = 0;
	for (size_t i = 0; i < sizeof(spacing) / sizeof(spacing[0]); i++) {
		const uint64_t last = h.cpu.idle_since_ns;
		const uint64_t gap = spacing[i] * h.level[0].cost_ns / 4;

		(void)sdpower_dq_begin(&h.dq, last + gap - 8192);
		assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
		(void)sdpower_dq_begin(&h.dq, last + gap + 8192);
		h.cpu.purse_ns = (int64_t)h.level[0].cost_ns - 1;
		assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
		h.cpu.purse_ns++;
		assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_PROBE);
		h.cpu.purse_ns = 100000;
		(void)sdpower_dq_account(&h.dq, 0, 16384, 0, h.now_ns);
		assert_int_equal(h.cpu.purse_ns, 100000 - 16384);
		assert_int_equal(h.level[0].failures, i + 1);
	}
	/* Granted, but not done: forgotten with the period. */
	(void)sdpower_dq_begin(&h.dq, h.now_ns + 500000000);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_PROBE);
	(void)sdpower_dq_begin(&h.dq, h.now_ns + 500000000);
	h.cpu.purse_ns = 100000 - 16384;
	/* A search that was not a probe costs nothing there, and its success is remembered. */
	(void)sdpower_dq_account(&h.dq, 0, 16384, 1, h.now_ns);
	assert_int_equal(h.cpu.purse_ns, 100000 - 16384);
	assert_int_equal(h.level[0].failures, 0);
}

static void a_dear_level_is_probed_when_the_purse_is_full(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	for (int i = 0; i < 100; i++)
		dq_period(&h, 100000, 5000000, 0);
	h.cpu.purse_ns = 0;
	h.now_ns += UINT64_C(190) * 1000000;
	(void)sdpower_dq_begin(&h.dq, h.now_ns);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
	h.now_ns += UINT64_C(100) * 1000000000;
	(void)sdpower_dq_begin(&h.dq, h.now_ns);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_PROBE);
	(void)sdpower_dq_account(&h.dq, 0, 5000000, 0, h.now_ns);
	assert_int_equal(h.cpu.purse_ns, 2000000 - 5000000);
	assert_int_equal(sdpower_dq_should_search(&h.dq, 0, 0), SDPOWER_DQ_SKIP);
}

static void lingering_never_costs_more_than_parking(void **state)
{
	struct dq_host h;

	(void)state;
	dq_setup(&h, 1);
	for (int i = 0; i < 600; i++)
		dq_period(&h, 3000, 100, 0);
	/* Periods of 3 us: worth waiting for when parking takes 50 us; not when it takes 1. */
	assert_in_range(sdpower_dq_idle_budget_ns(&h.dq, 0, 50000), 3000, 50000);
	assert_int_equal(sdpower_dq_idle_budget_ns(&h.dq, 0, 1000), 0);
	for (int i = 0; i < 600; i++)
		dq_period(&h, 9000000, 100, 0);
	assert_int_equal(sdpower_dq_idle_budget_ns(&h.dq, 0, 50000), 0);
	/* All end just after the parking would have paid: nobody may wait for that. */
	expect_lengths(&h, 10, 5000, 10, 5000);
	assert_int_equal(sdpower_dq_idle_budget_ns(&h.dq, 0, 70000), 0);
	assert_int_equal(sdpower_dq_idle_budget_ns(&h.dq, 0, 81000), 80135);
	/* Longer than anything ever was. */
	assert_int_equal(sdpower_dq_idle_budget_ns(&h.dq, 30000000, 50000), 50000);
	for (uint64_t park = 1; park < UINT64_MAX / 3; park *= 3)
		assert_true(sdpower_dq_idle_budget_ns(&h.dq, 0, park) <= park);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_level_is_worth_a_try),
		cmocka_unit_test(bad_structs_and_rules_are_refused),
		cmocka_unit_test(costs_follow_their_upper_tenth),
		cmocka_unit_test(costs_fade_without_samples),
		cmocka_unit_test(impossible_samples_are_clamped_and_counted),
		cmocka_unit_test(lengths_of_pulled_work_are_averaged),
		cmocka_unit_test(a_length_not_told_ends_with_the_next_event),
		cmocka_unit_test(a_length_is_a_sample_of_its_class),
		cmocka_unit_test(periods_weigh_by_what_is_left_of_them),
		cmocka_unit_test(only_what_pays_is_searched),
		cmocka_unit_test(one_hit_justifies_so_many_searches),
		cmocka_unit_test(probes_that_fail_become_rare),
		cmocka_unit_test(a_dear_level_is_probed_when_the_purse_is_full),
		cmocka_unit_test(lingering_never_costs_more_than_parking),
	};

	return cmocka_run_group_tests_name("dq", tests, NULL, NULL);
}
