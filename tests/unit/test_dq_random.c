/* SPDX-License-Identifier: MIT */
/*
 * Description: hostile lives of the tracker dq. Whatever a script does, probes stay within
 * their share of time, and a level that finds nothing is not searched for long.
 * Run with a seed as argument to repeat one life.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "dq_help.h"
#include "support/instance.h"

#define LIVES 400u
#define PERIODS 3000u
/* What init puts into the purse. */
#define FIRST_PURSE_NS 200000u
/*
 * A hit counts 65536 and loses a 256th per search, rounded up: below 256 after 1417 searches,
 * gone after 255 more. So many searches a hit justifies at most, however cheap they are.
 */
#define SEARCHES_PER_HIT 1680u

static uint64_t first_seed;

struct life {
	struct dq_host h;
	struct test_random r;
	uint64_t seed, begin_ns;
	uint64_t probed_ns, dearest_ns;            /* by probes; the dearest of them */
	uint64_t searches[DQ_LEVELS], hits[DQ_LEVELS]; /* not by probes; all hits */
	uint32_t success, garbage;                 /* 1 in so many; 0 = never */
};

static void fail_life(const struct life *l, uint32_t period, const char *what)
{
	fail_msg("seed %llu, period %u: %s", (unsigned long long)l->seed, period, what);
}

/* Spread over all orders of magnitude up to 2^bits ns. */
static uint64_t draw_time(struct life *l, uint32_t bits)
{
	const uint64_t all = (uint64_t)test_draw(&l->r, UINT32_MAX) << 32 | test_draw(&l->r, UINT32_MAX);

	return all >> (63 - test_draw(&l->r, bits));
}

/* A search, with a cost that may be nonsense; returns what it really took. */
static uint64_t search(struct life *l, uint32_t level, uint64_t spent, int verdict)
{
	const int pulled = l->success && test_draw(&l->r, l->success) == 0;
	const uint64_t cost = 1 + draw_time(l, 24);
	uint64_t told = cost;

	if (l->garbage && test_draw(&l->r, l->garbage) == 0)
		told = test_draw(&l->r, 2) ? 0 : 0 - cost;
	if (verdict == SDPOWER_DQ_PROBE) {
		l->probed_ns += told == cost ? cost : 1;
		l->dearest_ns = cost > l->dearest_ns ? cost : l->dearest_ns;
	} else {
		l->searches[level]++;
	}
	l->hits[level] += (uint64_t)pulled;
	(void)sdpower_dq_account(&l->h.dq, level, told, (uint32_t)pulled,
		l->h.now_ns + spent + cost);
	return cost;
}

static void live_period(struct life *l)
{
	uint64_t spent = 0;

	(void)sdpower_dq_begin(&l->h.dq, l->h.now_ns);
	for (uint32_t level = 0; level < DQ_LEVELS; level++) {
		const int verdict = sdpower_dq_should_search(&l->h.dq, level, spent);
		const uint64_t hits = l->hits[level];

		if (verdict <= 0)
			continue;
		spent += search(l, level, spent, verdict);
		if (l->hits[level] > hits)
			break;
	}
	if (test_draw(&l->r, 2))
		(void)sdpower_dq_ran(&l->h.dq, draw_time(l, 40));
	l->h.now_ns += spent + draw_time(l, 26);
	/* Some hosts do not tell, some tell nonsense. */
	if (l->garbage && test_draw(&l->r, l->garbage) == 0)
		(void)sdpower_dq_wake(&l->h.dq, l->h.now_ns - draw_time(l, 40));
	else if (test_draw(&l->r, 8))
		(void)sdpower_dq_wake(&l->h.dq, l->h.now_ns);
}

/* I18: the budget of probes. One may overdraw the purse, by its own cost. */
static void expect_probes_within_budget(const struct life *l, uint32_t period)
{
	const uint64_t permille = l->h.rules.probe_permille ? l->h.rules.probe_permille : 10;
	const uint64_t passed = l->h.now_ns - l->begin_ns;

	if (l->probed_ns > passed * permille / 1000 + FIRST_PURSE_NS + l->dearest_ns)
		fail_life(l, period, "probes took more than their share");
}

static void expect_searches_justified(const struct life *l, uint32_t period)
{
	for (uint32_t level = 0; level < DQ_LEVELS; level++)
		if (l->searches[level] > SEARCHES_PER_HIT * (l->hits[level] + 1))
			fail_life(l, period, "searched on without success");
}

static void begin_life(struct life *l, uint64_t seed)
{
	static const uint32_t success[] = { 0, 0, 2, 10, 100, 1000 };

	*l = (struct life) { .seed = seed, .r = { .state = seed } };
	dq_setup(&l->h, DQ_LEVELS);
	l->success = success[test_draw(&l->r, sizeof(success) / sizeof(success[0]))];
	l->garbage = test_draw(&l->r, 2) ? 1 + (uint32_t)test_draw(&l->r, 20) : 0;
	l->h.rules.probe_permille = test_draw(&l->r, 2) ? 0 : 1 + (uint32_t)test_draw(&l->r, 1000);
	l->h.rules.probe_cap_ns = test_draw(&l->r, 2) ? 0 : 1 + (uint32_t)draw_time(l, 30);
	for (uint32_t level = 0; level < DQ_LEVELS; level++)
		l->h.level[level].move_ns = (uint32_t)draw_time(l, 20);
	l->begin_ns = l->h.now_ns;
}

static void live(uint64_t seed)
{
	struct life l;

	begin_life(&l, seed);
	for (uint32_t period = 0; period < PERIODS; period++) {
		live_period(&l);
		expect_probes_within_budget(&l, period);
		expect_searches_justified(&l, period);
	}
}

static void hostile_scripts_win_little(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LIVES; i++)
		live(first_seed + i);
}

/* The costs of a level in one order and in that order after any silence: 70 s forget them. */
static void no_estimate_outlives_its_samples(void **state)
{
	struct test_random r = { .state = first_seed };

	(void)state;
	for (uint32_t i = 0; i < LIVES; i++) {
		const uint64_t last = 1 + test_draw(&r, 1000000);
		struct dq_host h;

		dq_setup(&h, 1);
		for (uint64_t n = test_draw(&r, 50) + 1; n; n--)
			dq_period(&h, 100000, 1 + test_draw(&r, UINT32_MAX), 0);
		h.now_ns += (UINT64_C(32) << 31) + test_draw(&r, 1000000000) + UINT32_MAX;
		dq_period(&h, 100000, last, 0);
		if (h.level[0].cost_ns != last)
			fail_msg("seed %llu, life %u", (unsigned long long)first_seed, i);
	}
}

static void one_life(void **state)
{
	(void)state;
	live(first_seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(hostile_scripts_win_little),
		cmocka_unit_test(no_estimate_outlives_its_samples),
	};
	const struct CMUnitTest one[] = { cmocka_unit_test(one_life) };

	if (argc > 1) {
		first_seed = strtoull(argv[1], NULL, 10);
		return cmocka_run_group_tests_name("dq_random, one", one, NULL, NULL);
	}
	first_seed = (uint64_t)time(NULL) * 10000u;
	print_message("seeds %llu and up\n", (unsigned long long)first_seed);
	return cmocka_run_group_tests_name("dq_random", all, NULL, NULL);
}
