/* SPDX-License-Identifier: MIT */
/* Description: the decaying share of time: bounded, monotone, halved per half-life, and its table. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "state/util.h"

#define MS 1000000u

static struct sdpower_util started(uint32_t half_life_ns)
{
	struct sdpower_util u;

	assert_int_equal(sdpower_util_start(&u, half_life_ns, 1000), SDPOWER_OK);
	return u;
}

static void add(struct sdpower_util *u, uint64_t ns, uint32_t busy)
{
	assert_int_equal(sdpower_util_add(u, u->stamp_ns + ns, busy), SDPOWER_OK);
}

/* number *= factor, in 32-bit digits, lowest first. */
static void multiply(uint32_t number[40], uint64_t factor)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < 40; i++) {
		carry += number[i] * factor;
		number[i] = (uint32_t)carry;
		carry >>= 32;
	}
	assert_int_equal(carry, 0);
}

/* True iff factor^32 <= 2^(1024 - n): the factor is at most 2^32 * 2^(-n / 32). */
static int is_at_most(uint64_t factor, unsigned n)
{
	uint32_t number[40] = { 1 };
	unsigned digit = 39;

	for (unsigned i = 0; i < 32; i++)
		multiply(number, factor);
	while (digit && !number[digit])
		digit--;
	/* A power of two is only reached by a power of two: comparing the highest bit is enough. */
	for (unsigned bit = 32; bit-- > 0; )
		if (number[digit] >> bit & 1u)
			return digit * 32 + bit < 1024 - n;
	return 1;
}

static void factors_are_the_largest_below_the_roots(void **state)
{
	(void)state;
	for (unsigned n = 1; n < SDPOWER_I_UTIL_STEPS; n++) {
		const uint64_t factor = sdpower_i_util_factor[n - 1];

		if (!is_at_most(factor, n) || is_at_most(factor + 1, n))
			fail_msg("factor %u is %lx", n, (unsigned long)factor);
	}
}

static void decay_is_the_table_and_halvings(void **state)
{
	(void)state;
	for (uint32_t steps = 0; steps < 1100; steps++) {
		const uint32_t n = steps % 32, halvings = steps / 32;
		uint64_t expected = 4000000000u;

		if (n)
			expected = expected * sdpower_i_util_factor[n - 1] >> 32;
		expected = halvings < 32 ? expected >> halvings : 0;
		assert_int_equal(sdpower_i_util_decay(4000000000u, steps), expected);
	}
	assert_int_equal(sdpower_i_util_decay(UINT32_MAX, UINT32_MAX), 0);
}

static void starting_knows_its_range(void **state)
{
	struct sdpower_util u;

	(void)state;
	assert_int_equal(sdpower_util_start(NULL, 0, 0), SDPOWER_EINVAL);
	memset(&u, 0x5a, sizeof(u));
	assert_int_equal(sdpower_util_start(&u, SDPOWER_UTIL_HALF_LIFE_MIN - 1, 0), SDPOWER_ERANGE);
	assert_int_equal(sdpower_util_start(&u, SDPOWER_UTIL_HALF_LIFE_MAX + 1, 0), SDPOWER_ERANGE);
	assert_int_equal(u.step_ns, 0x5a5a5a5a);
	assert_int_equal(sdpower_util_start(&u, 0, 7), SDPOWER_OK);
	assert_int_equal(u.step_ns, MS);
	assert_int_equal(u.stamp_ns, 7);
	assert_int_equal(sdpower_util_share(&u), 0);
	assert_int_equal(started(SDPOWER_UTIL_HALF_LIFE_2013).step_ns, 1024000);
	assert_int_equal(started(SDPOWER_UTIL_HALF_LIFE_MIN + 31).step_ns, 1000);
}

static void nonsense_is_refused_and_changes_nothing(void **state)
{
	struct sdpower_util u = started(0), before;

	(void)state;
	add(&u, 5 * MS, 1);
	before = u;
	assert_int_equal(sdpower_util_add(NULL, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_util_add(&u, 9 * MS, 2), SDPOWER_EINVAL);
	assert_memory_equal(&u, &before, sizeof(u));
	assert_int_equal(sdpower_util_share(NULL), 0);
	memset(&u, 0, sizeof(u));
	assert_int_equal(sdpower_util_add(&u, 9 * MS, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_util_share(&u), 0);
	u = before;
	u.phase_ns = u.step_ns;
	assert_int_equal(sdpower_util_add(&u, 9 * MS, 1), SDPOWER_EINVAL);
	u = before;
	u.busy = u.total + 1;
	assert_int_equal(sdpower_util_add(&u, 9 * MS, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_util_share(&u), 1024);
}

static void time_that_runs_backwards_is_no_time(void **state)
{
	struct sdpower_util u = started(0), before;

	(void)state;
	add(&u, 50 * MS, 1);
	before = u;
	assert_int_equal(sdpower_util_add(&u, 20 * MS, 0), SDPOWER_OK);
	assert_int_equal(u.clamped, 1);
	assert_int_equal(u.busy, before.busy);
	assert_int_equal(u.total, before.total);
	assert_int_equal(u.stamp_ns, 20 * MS);
	add(&u, 1, 0);
	assert_int_equal(u.total, before.total + 1);
}

static void a_young_signal_is_judged_by_its_own_life(void **state)
{
	struct sdpower_util u = started(0);

	(void)state;
	add(&u, 1, 1);
	assert_int_equal(sdpower_util_share(&u), 1024);
	add(&u, 3, 0);
	assert_int_equal(sdpower_util_share(&u), 256);
}

/* Whatever the phase: the sums are halved exactly, the share up to its rounding. */
static void an_idle_half_life_halves(void **state)
{
	static const uint32_t half_lives[] = { SDPOWER_UTIL_HALF_LIFE, SDPOWER_UTIL_HALF_LIFE_2013,
		SDPOWER_UTIL_HALF_LIFE_MIN, SDPOWER_UTIL_HALF_LIFE_MAX };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		for (uint32_t phase = 0; phase < 8; phase++) {
			struct sdpower_util u = started(half_lives[i]);
			uint32_t share = 1024;

			add(&u, 40ull * half_lives[i] + phase * (u.step_ns / 8), 1);
			assert_int_equal(sdpower_util_share(&u), 1024);
			for (unsigned k = 0; k < 11; k++) {
				const uint32_t busy = u.busy;

				add(&u, half_lives[i], 0);
				share /= 2;
				assert_int_equal(u.busy, busy / 2);
				assert_in_range(sdpower_util_share(&u), share ? share - 1 : 0, share);
			}
		}
	}
}

static void nothing_lasts_forever(void **state)
{
	struct sdpower_util u = started(0);

	(void)state;
	add(&u, 1000ull * MS, 1);
	add(&u, 1ull << 62, 0);
	assert_int_equal(u.busy, 0);
	assert_true(u.phase_ns < u.step_ns);
	add(&u, 1ull << 62, 1);
	assert_int_equal(u.busy, u.total);
	assert_int_equal(sdpower_util_share(&u), 1024);
	u = started(SDPOWER_UTIL_HALF_LIFE_MIN);
	add(&u, 50000, 1);
	add(&u, 1000ull << 32, 0); /* as many steps as 32 bits cannot tell from none */
	assert_int_equal(u.busy, 0);
}

/* Random lengths: within a step, across some, across many. */
static uint64_t random_time(struct test_random *r, uint32_t step_ns)
{
	const uint32_t kind = test_draw(r, 16);

	if (kind < 8)
		return test_draw(r, step_ns);
	if (kind < 15)
		return test_draw(r, 40) * (uint64_t)step_ns + test_draw(r, step_ns);
	return test_draw(r, 2000) * (uint64_t)step_ns;
}

static uint32_t random_half_life(struct test_random *r)
{
	static const uint32_t half_lives[] = { SDPOWER_UTIL_HALF_LIFE, SDPOWER_UTIL_HALF_LIFE_2013,
		SDPOWER_UTIL_HALF_LIFE_MIN, SDPOWER_UTIL_HALF_LIFE_MAX };

	return half_lives[test_draw(r, 4)];
}

/* A little busier all the time is never less; shares and sums stay within their bounds. */
static void more_work_is_never_less(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random r = { seed };
		const uint32_t half_life = random_half_life(&r);
		struct sdpower_util more = started(half_life), less = more;

		for (unsigned i = 0; i < 400; i++) {
			const uint64_t ns = random_time(&r, more.step_ns);
			const uint32_t busy = test_draw(&r, 2);
			const uint32_t share = sdpower_util_share(&less);

			add(&more, ns, busy || test_draw(&r, 4) == 0);
			add(&less, ns, busy);
			if (more.busy < less.busy || more.total != less.total ||
			    sdpower_util_share(&more) < sdpower_util_share(&less))
				fail_msg("seed %u, step %u: more is less", (unsigned)seed, i);
			if (more.busy > more.total || more.total / more.step_ns > 46 ||
			    sdpower_util_share(&more) > 1024)
				fail_msg("seed %u, step %u: out of bounds", (unsigned)seed, i);
			if (busy ? sdpower_util_share(&less) + 1 < share :
			    sdpower_util_share(&less) > share + 1)
				fail_msg("seed %u, step %u: %u became %u", (unsigned)seed, i, share,
					sdpower_util_share(&less));
		}
	}
}

/* The definition, in floating point, step by step. */
struct slow {
	double busy, total, phase, step;
};

static void slow_add(struct slow *s, double ns, uint32_t busy)
{
	const double y = 0.97857206208770013451; /* 2^(-1/32) */

	while (ns > 0) {
		const double part = ns < s->step - s->phase ? ns : s->step - s->phase;

		s->total += part;
		s->busy += busy ? part : 0;
		s->phase += part;
		ns -= part;
		if (s->phase >= s->step) {
			s->phase = 0;
			s->total *= y;
			s->busy *= y;
		}
	}
}

static void it_is_what_the_definition_says(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct test_random r = { seed };
		struct sdpower_util u = started(random_half_life(&r));
		struct slow s = { 0, 0, 0, u.step_ns };

		for (unsigned i = 0; i < 200; i++) {
			const uint64_t ns = random_time(&r, u.step_ns);
			const uint32_t busy = test_draw(&r, 2);
			double off;

			add(&u, ns, busy);
			slow_add(&s, (double)ns, busy);
			if (s.total < 1)
				continue;
			off = s.busy * 1024 / s.total - sdpower_util_share(&u);
			/* Rounded down, and sums of short half-lives lose some ns of their own. */
			if (off < -0.75 || off > 1.75)
				fail_msg("seed %u, step %u: %u is off by %f", (unsigned)seed, i,
					sdpower_util_share(&u), off);
		}
	}
}

/* Asking more often changes nothing but the rounding. */
static void ticks_in_between_do_not_matter(void **state)
{
	struct sdpower_util often = started(0), seldom = often;
	struct test_random r = { 42 };

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		const uint64_t ns = random_time(&r, MS);
		const uint32_t busy = test_draw(&r, 2);
		uint64_t left = ns;

		add(&seldom, ns, busy);
		while (left) {
			const uint64_t part = left < 250000 ? left : 250000;

			add(&often, part, busy);
			left -= part;
		}
		assert_in_range(often.total + 100 - seldom.total, 0, 200);
		assert_in_range(often.busy + 100 - seldom.busy, 0, 200);
		assert_int_equal(often.phase_ns, seldom.phase_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factors_are_the_largest_below_the_roots),
		cmocka_unit_test(decay_is_the_table_and_halvings),
		cmocka_unit_test(starting_knows_its_range),
		cmocka_unit_test(nonsense_is_refused_and_changes_nothing),
		cmocka_unit_test(time_that_runs_backwards_is_no_time),
		cmocka_unit_test(a_young_signal_is_judged_by_its_own_life),
		cmocka_unit_test(an_idle_half_life_halves),
		cmocka_unit_test(nothing_lasts_forever),
		cmocka_unit_test(more_work_is_never_less),
		cmocka_unit_test(it_is_what_the_definition_says),
		cmocka_unit_test(ticks_in_between_do_not_matter),
	};

	return cmocka_run_group_tests_name("util", tests, NULL, NULL);
}
