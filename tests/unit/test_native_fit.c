/* SPDX-License-Identifier: MIT */
/*
 * Description: fitting tasks by counts is best-fit decreasing, as it is done with single cpus: into
 * the tightest one in use, else the tightest empty one. Prints the seed of a failure.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "support/instance.h"
#include "decide/native_fit.h"

#define CLASSES SDPOWER_I_FIT_CLASSES
#define CPUS 24u

static uint64_t seed;

/* Single cpus: how much room each has, and whether it is in use. */
struct cpus {
	uint32_t room[CPUS], used[CPUS], count;
};

static uint32_t tightest(const struct cpus *c, uint32_t size, uint32_t used)
{
	uint32_t best = CPUS;

	for (uint32_t i = 0; i < c->count; i++)
		if (c->used[i] == used && c->room[i] >= size &&
				(best == CPUS || c->room[i] < c->room[best]))
			best = i;
	return best;
}

/* One task after the other, the largest first; without stacking who has a task is full. */
static int fits(const struct sdpower_i_fit *fit, struct cpus *c, int stacking, uint32_t *taken)
{
	*taken = 0;
	for (uint32_t size = CLASSES - 1; size; size--)
		for (uint32_t n = 0; n < fit->tasks[size]; n++) {
			uint32_t to = stacking ? tightest(c, size, 1) : CPUS;

			if (to == CPUS) {
				to = tightest(c, size, 0);
				*taken += to != CPUS;
			}
			if (to == CPUS)
				return 0;
			c->room[to] = stacking ? c->room[to] - size : 0;
			c->used[to] = 1;
		}
	return 1;
}

static void compare(uint64_t from)
{
	struct test_random r = { from };
	const uint32_t span = 1 + test_draw(&r, CLASSES - 1), most = 1 + test_draw(&r, span);
	const int stacking = (int)test_draw(&r, 2);
	struct cpus c = { .count = test_draw(&r, CPUS + 1) };
	struct sdpower_i_fit fit, before;
	uint32_t taken, wanted;
	int answer;

	memset(&fit, 0, sizeof(fit));
	for (uint32_t i = 0; i < c.count; i++) {
		c.room[i] = test_draw(&r, 4) ? test_draw(&r, span + 1) : span;
		c.used[i] = test_draw(&r, 2);
		(c.used[i] ? fit.room : fit.empty)[c.room[i]]++;
	}
	for (uint32_t n = test_draw(&r, c.count ? 3 * c.count : 2); n; n--)
		fit.tasks[1 + test_draw(&r, most)]++;
	before = fit;
	answer = sdpower_i_fits(&fit, stacking, &taken);
	if (answer != fits(&fit, &c, stacking, &wanted) || (answer && taken != wanted))
		fail_msg("seed %llu: %d with %u cpus taken", (unsigned long long)from, answer, taken);
	assert_memory_equal(&fit, &before, sizeof(fit));
}

static void counts_are_as_good_as_cpus(void **state)
{
	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (uint32_t i = 0; i < 20000; i++)
		compare(seed + i);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_as_good_as_cpus),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 100000;
	return cmocka_run_group_tests_name("native_fit", tests, NULL, NULL);
}
