/* SPDX-License-Identifier: MIT */
/* Description: the search for the dearest working set, fed by scripts instead of cpus. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/curve.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
/* No search takes more rounds: 48 sizes of at most 75 disturbed ones each. */
#define MOST_ROUNDS 4000u

/* A machine of numbers: cost by size, noise in per mille, one round that is not like the others. */
struct script {
	int64_t (*cost)(uint64_t size);
	uint32_t noise;
	uint32_t odd;        /* number of the odd round, from 1; 0 = none */
	int64_t odd_factor;  /* its costs are multiplied by that */
	uint32_t drop_from;  /* sizes from here on cannot be measured, KiB; 0 = all can */
	uint64_t ns_per_kib; /* what a round takes; 0 = no clock */
	uint64_t seed;
	uint32_t rounds;     /* so far */
	uint64_t now_ns;
};

/* Rises by 300 ns a KiB to the peak at 1 MiB, then falls to what a 32 MiB cache still costs. */
static int64_t private_peak(uint64_t size)
{
	if (size <= MIB)
		return (int64_t)(size / KIB * 300);
	return size < 4 * MIB ? (int64_t)(307200 - (size - MIB) / KIB * 84) : 47742;
}

static int64_t linear(uint64_t size)
{
	return (int64_t)(size / 64);
}

static int64_t flat(uint64_t size)
{
	(void)size;
	return 1000000;
}

static int64_t never_positive(uint64_t size)
{
	return -(int64_t)(size / 64);
}

static struct sdpower_curve begun(const struct sdpower_curve_rules *rules)
{
	struct sdpower_curve c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_curve_begin(rules, &c), SDPOWER_OK);
	assert_int_equal(c.step, SDPOWER_CURVE_MEASURE);
	return c;
}

static struct sdpower_curve_rules rules_of(uint64_t private_size)
{
	return (struct sdpower_curve_rules) { .struct_size = sizeof(struct sdpower_curve_rules),
		.private_size = private_size };
}

static struct sdpower_curve_round next_round(struct script *s, const struct sdpower_curve *c)
{
	struct test_random r = { s->seed + 977u * ++s->rounds };
	struct sdpower_curve_round round = { .struct_size = sizeof(round) };
	int64_t cost = s->cost(c->size);

	(void)test_draw(&r, 2);
	if (s->noise)
		cost += cost / 1000 * ((int64_t)test_draw(&r, 2 * s->noise + 1) - (int64_t)s->noise);
	if (s->rounds == s->odd)
		cost *= s->odd_factor;
	round.there_ns = round.back_ns = cost;
	round.dropped = s->drop_from && c->size >= s->drop_from * KIB;
	s->now_ns += c->size / KIB * s->ns_per_kib;
	round.elapsed_ns = s->now_ns;
	return round;
}

static struct sdpower_curve searched(const struct sdpower_curve_rules *rules, struct script *s)
{
	struct sdpower_curve c = begun(rules);

	s->rounds = 0;
	s->now_ns = 0;
	while (c.step == SDPOWER_CURVE_MEASURE) {
		const struct sdpower_curve_round round = next_round(s, &c);

		assert_true(c.size <= c.stop_size);
		assert_int_equal(c.size % 64, 0);
		assert_true(s->rounds < MOST_ROUNDS);
		assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_OK);
	}
	return c;
}

/* The search of 2005 starts at half of the 32 MiB, beyond the peak, and finds 47742. */
static void a_peak_far_below_the_largest_cache(void **state)
{
	const struct sdpower_curve_rules rules = rules_of(32 * MIB);
	struct script s = { .cost = private_peak };
	const struct sdpower_curve c = searched(&rules, &s);

	(void)state;
	assert_int_equal(c.best.size, MIB);
	assert_int_equal(c.best.cost_ns, 307200);
	assert_int_equal(c.hot_ns, 2 * 307200);
	assert_int_equal(c.end, SDPOWER_CURVE_END_EARLY);
	assert_int_equal(c.stop_size, 64 * MIB);
	/* 32 KiB to 4 MiB, half an octave below and above, twice again. */
	assert_int_equal(c.points, 8 + 2 + 2);
	assert_int_equal(s.rounds, 12 * (1 + 5));
}

static void half_octaves_are_looked_at(void **state)
{
	const struct sdpower_curve_rules rules = rules_of(MIB);
	struct script s = { .cost = linear };
	struct sdpower_curve c = searched(&rules, &s);

	(void)state;
	assert_int_equal(c.best.size, 2 * MIB); /* the largest */
	assert_int_equal(c.end, SDPOWER_CURVE_END_RANGE);
	{
		const struct sdpower_curve_rules wider = rules_of(3 * MIB / 2);

		c = searched(&wider, &s);
		assert_int_equal(c.best.size, 2 * MIB / 128 * 181);
	}
}

static void one_outlier_changes_nothing_wherever_it_is(void **state)
{
	static const int64_t factors[] = { 50, -50, 0 };
	const struct sdpower_curve_rules rules = rules_of(32 * MIB);

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct script s = { .cost = private_peak, .noise = 20, .seed = seed };
		const uint64_t truth = searched(&rules, &s).best.cost_ns;
		const uint32_t rounds = s.rounds;

		for (unsigned f = 0; f < 3; f++)
			for (s.odd = 1; s.odd <= rounds; s.odd++) {
				uint64_t found;

				s.odd_factor = factors[f];
				found = searched(&rules, &s).best.cost_ns;
				if (found * 100 < truth * 95 || found * 100 > truth * 105)
					fail_msg("seed %u, round %u times %d: %u instead of %u",
						(unsigned)seed, (unsigned)s.odd, (int)factors[f],
						(unsigned)found, (unsigned)truth);
				s.rounds = rounds;
			}
		s.odd = 0;
	}
}

static void sizes_and_costs_do_not_wrap(void **state)
{
	(void)state;
	for (uint64_t cache = 32 * MIB; cache <= SDPOWER_CURVE_MOST / 2; cache *= 2) {
		struct sdpower_curve_rules rules = rules_of(cache);
		struct script s = { .cost = linear };
		struct sdpower_curve c;

		rules.most_size = SDPOWER_CURVE_MOST;
		rules.percent = SDPOWER_CURVE_PERCENT_MAX;
		c = searched(&rules, &s);
		assert_int_equal(c.best.size, 2 * cache);
		assert_int_equal(c.best.cost_ns, 2 * cache / 64);
		assert_int_equal(c.hot_ns, 2 * cache / 64 * 200);
	}
	for (int sign = -1; sign <= 1; sign += 2) {
		const struct sdpower_curve_rules rules = rules_of(4 * GIB);
		struct sdpower_curve c = begun(&rules);
		const struct sdpower_curve_round round = { .struct_size = sizeof(round),
			.there_ns = sign * (int64_t)SDPOWER_CURVE_MOST,
			.back_ns = sign * (int64_t)SDPOWER_CURVE_MOST };

		while (c.step == SDPOWER_CURVE_MEASURE)
			assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_OK);
		assert_int_equal(c.best.cost_ns, sign < 0 ? 0 : SDPOWER_CURVE_MOST);
		assert_int_equal(c.hot_ns, sign < 0 ? 0 : 2 * SDPOWER_CURVE_MOST);
	}
}

static void without_a_cost_there_is_no_answer(void **state)
{
	const struct sdpower_curve_rules rules = rules_of(0);
	struct script s = { .cost = never_positive };
	const struct sdpower_curve c = searched(&rules, &s);

	(void)state;
	assert_int_equal(c.stop_size, 8 * MIB);
	assert_int_equal(c.end, SDPOWER_CURVE_END_RANGE);
	assert_int_equal(c.best.rounds, 0);
	assert_int_equal(c.hot_ns, 0);
}

static void a_budget_is_kept_to_within_a_round(void **state)
{
	(void)state;
	for (uint64_t budget = 1000; budget < 400000000; budget = budget * 5 / 4) {
		struct sdpower_curve_rules rules = rules_of(32 * MIB);
		struct script s = { .cost = linear, .ns_per_kib = 80 };
		struct sdpower_curve c;

		rules.budget_ns = budget;
		c = searched(&rules, &s);
		assert_true(s.now_ns <= budget + c.size / KIB * 80);
		assert_int_equal(c.hot_ns, 2 * c.best.cost_ns);
		if (s.now_ns > 32 * 6 * 80)
			assert_true(c.best.size >= 32 * KIB);
		if (budget < 1000000)
			assert_int_equal(c.end, SDPOWER_CURVE_END_BUDGET);
	}
}

static void sizes_that_cannot_be_measured_are_skipped(void **state)
{
	const struct sdpower_curve_rules rules = rules_of(32 * MIB);
	struct script s = { .cost = linear, .drop_from = 512 };
	struct sdpower_curve c = searched(&rules, &s);

	(void)state;
	assert_int_equal(c.end, SDPOWER_CURVE_END_DROPPED);
	assert_in_range(c.best.size, 256 * KIB, 511 * KIB);
	s.drop_from = 1;
	c = searched(&rules, &s);
	assert_int_equal(c.end, SDPOWER_CURVE_END_DROPPED);
	assert_int_equal(c.points, 2);
	assert_int_equal(c.last.dropped, 5);
	assert_int_equal(c.best.rounds, 0);
}

static void one_size_only(void **state)
{
	struct sdpower_curve_rules rules = rules_of(32 * MIB);
	struct script s = { .cost = flat };
	struct sdpower_curve c;

	(void)state;
	rules.only_size = 300 * KIB + 7;
	rules.percent = 50;
	c = searched(&rules, &s);
	assert_int_equal(c.points, 1);
	assert_int_equal(c.best.size, 300 * KIB);
	assert_int_equal(c.best.rounds, 5);
	assert_int_equal(c.hot_ns, 1000000);
	assert_int_equal(s.rounds, 6);
}

/* Both ways of one round belong together, and each has a median of its own. */
static void ways_are_told_apart(void **state)
{
	struct sdpower_curve_rules rules = rules_of(0);
	struct sdpower_curve_round round = { .struct_size = sizeof(round), .there_ns = 100,
		.back_ns = 300 };
	struct sdpower_curve c;

	(void)state;
	rules.only_size = MIB;
	c = begun(&rules);
	while (c.step == SDPOWER_CURVE_MEASURE)
		assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_OK);
	assert_int_equal(c.best.there_ns, 100);
	assert_int_equal(c.best.back_ns, 300);
	assert_int_equal(c.best.cost_ns, 200);
	assert_int_equal(c.best.is_certain, 1);
}

/* Twelve rolls are nearly normal, with a deviation of 8 per cent; the median is 1000000. */
static int64_t rolled(struct test_random *r)
{
	int64_t sum = 0;

	for (int i = 0; i < 12; i++)
		sum += test_draw(r, 80001);
	return sum + 1000000 - 12 * 40000;
}

static void an_interval_keeps_its_promise(void **state)
{
	struct sdpower_curve_rules rules = rules_of(0);
	struct test_random r = { 20261130 };
	uint32_t held = 0, near = 0;
	const uint32_t runs = 4000;

	(void)state;
	rules.only_size = MIB;
	for (uint32_t run = 0; run < runs; run++) {
		struct sdpower_curve c = begun(&rules);

		while (c.step == SDPOWER_CURVE_MEASURE) {
			const int64_t cost = rolled(&r);
			const struct sdpower_curve_round round = { .struct_size = sizeof(round),
				.there_ns = cost, .back_ns = cost };

			assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_OK);
		}
		held += c.best.low_ns <= 1000000 && c.best.high_ns >= 1000000;
		near += c.best.cost_ns > 950000 && c.best.cost_ns < 1050000;
	}
	assert_true(held * 100 >= runs * 90);
	assert_true(near * 100 >= runs * 90);
}

static void garbage_ends_and_stays_inside(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct test_random r = { seed };
		struct sdpower_curve_rules rules = rules_of((uint64_t)test_draw(&r, 1u << 30)
			<< test_draw(&r, 18));
		struct sdpower_curve c;
		uint32_t rounds = 0;

		rules.most_size = test_draw(&r, 2) ? 0 : SDPOWER_CURVE_MOST;
		rules.budget_ns = test_draw(&r, 2) ? 0 : (uint64_t)test_draw(&r, UINT32_MAX) << 10;
		c = begun(&rules);
		while (c.step == SDPOWER_CURVE_MEASURE) {
			const struct sdpower_curve_round round = { .struct_size = sizeof(round),
				.dropped = test_draw(&r, 4) == 0,
				.there_ns = (int64_t)((uint64_t)test_draw(&r, 1u << 31) << 16 >>
					test_draw(&r, 47)) * (test_draw(&r, 4) ? 1 : -1),
				.back_ns = (int64_t)test_draw(&r, 1u << 31) - (1 << 20),
				.elapsed_ns = (uint64_t)test_draw(&r, UINT32_MAX) << test_draw(&r, 33) };

			assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_OK);
			if (++rounds > MOST_ROUNDS || c.best.low_ns > c.best.cost_ns ||
			    c.best.cost_ns > c.best.high_ns || c.size > c.stop_size)
				fail_msg("seed %u, round %u", (unsigned)seed, (unsigned)rounds);
		}
		if (c.hot_ns != 2 * c.best.cost_ns)
			fail_msg("seed %u", (unsigned)seed);
	}
}

static void what_is_known_when_the_host_stops(void **state)
{
	const struct sdpower_curve_rules rules = rules_of(0);
	struct script s = { .cost = linear };
	struct sdpower_curve c = begun(&rules);

	(void)state;
	while (c.points < 3) {
		const struct sdpower_curve_round round = next_round(&s, &c);

		assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_OK);
	}
	assert_int_equal(sdpower_curve_stop(&c), SDPOWER_OK);
	assert_int_equal(c.end, SDPOWER_CURVE_END_STOPPED);
	assert_int_equal(c.hot_ns, 2 * linear(128 * KIB));
	assert_int_equal(sdpower_curve_stop(&c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_curve_stop(NULL), SDPOWER_EINVAL);
}

static sdpower_status begin_with(const struct sdpower_curve_rules *rules)
{
	struct sdpower_curve c = { .struct_size = sizeof(c), .points = 77 };
	const sdpower_status status = sdpower_curve_begin(rules, &c);

	assert_int_equal(c.points, status ? 77 : 0);
	return status;
}

static void nonsense_is_refused_and_changes_nothing(void **state)
{
	struct sdpower_curve_round round = { .struct_size = sizeof(round) };
	struct sdpower_curve_rules rules = rules_of(SDPOWER_CURVE_MOST + 1);
	struct sdpower_curve c, before;

	(void)state;
	assert_int_equal(begin_with(&rules), SDPOWER_ERANGE);
	rules = rules_of(0);
	rules.percent = SDPOWER_CURVE_PERCENT_MAX + 1;
	assert_int_equal(begin_with(&rules), SDPOWER_ERANGE);
	rules = rules_of(0);
	rules.most_size = 32 * KIB - 1;
	assert_int_equal(begin_with(&rules), SDPOWER_ERANGE);
	rules.most_size++;
	assert_int_equal(begin_with(&rules), SDPOWER_OK);
	rules = rules_of(0);
	rules.only_size = 63;
	assert_int_equal(begin_with(&rules), SDPOWER_ERANGE);
	rules.only_size++;
	assert_int_equal(begin_with(&rules), SDPOWER_OK);
	assert_int_equal(begin_with(NULL), SDPOWER_EINVAL);
	rules = rules_of(0);
	assert_int_equal(sdpower_curve_begin(&rules, NULL), SDPOWER_EINVAL);
	c = before = begun(&rules);
	round.there_ns = (int64_t)SDPOWER_CURVE_MOST + 1;
	assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_ERANGE);
	round.there_ns = 0;
	round.back_ns = INT64_MIN;
	assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_ERANGE);
	round.struct_size = 0;
	assert_int_equal(sdpower_curve_next(&c, &round), SDPOWER_EINVAL);
	assert_int_equal(sdpower_curve_next(&c, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_curve_next(NULL, &round), SDPOWER_EINVAL);
	assert_memory_equal(&c, &before, sizeof(c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peak_far_below_the_largest_cache),
		cmocka_unit_test(half_octaves_are_looked_at),
		cmocka_unit_test(one_outlier_changes_nothing_wherever_it_is),
		cmocka_unit_test(sizes_and_costs_do_not_wrap),
		cmocka_unit_test(without_a_cost_there_is_no_answer),
		cmocka_unit_test(a_budget_is_kept_to_within_a_round),
		cmocka_unit_test(sizes_that_cannot_be_measured_are_skipped),
		cmocka_unit_test(one_size_only),
		cmocka_unit_test(ways_are_told_apart),
		cmocka_unit_test(an_interval_keeps_its_promise),
		cmocka_unit_test(garbage_ends_and_stays_inside),
		cmocka_unit_test(what_is_known_when_the_host_stops),
		cmocka_unit_test(nonsense_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests_name("curve", tests, NULL, NULL);
}
