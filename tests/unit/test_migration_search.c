/* SPDX-License-Identifier: MIT */
/* Description: the search for the dearest size: its range, its ends, and its overflows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/migration.h>

#define KIB UINT64_C(1024)

static struct sdpower_migration_search begun(uint32_t mode, uint64_t cache, uint32_t factor)
{
	const struct sdpower_migration_rules rules = { .struct_size = sizeof(rules), .mode = mode,
		.factor = factor, .max_cache_size = cache };
	struct sdpower_migration_search s = { .struct_size = sizeof(s) };

	assert_int_equal(sdpower_migration_search_begin(&rules, &s), SDPOWER_OK);
	return s;
}

/* A cost that rises by 1 per byte up to the peak and falls as fast behind it. */
static int64_t tent(uint64_t size, uint64_t peak)
{
	return size < peak ? (int64_t)size : 2 * (int64_t)peak - (int64_t)size;
}

static void finish_tent(struct sdpower_migration_search *s, uint64_t peak)
{
	while (s->step == SDPOWER_MIGRATION_MEASURE)
		assert_int_equal(sdpower_migration_search_next(s, tent(s->size, peak)), SDPOWER_OK);
}

static void the_range_is_half_to_twice_the_cache(void **state)
{
	static const struct { uint64_t cache, start, stop; uint32_t sizes; } rows[] = {
		{ 0, 64 * KIB, 10240 * KIB, 49 }, { 1, 64 * KIB, 64 * KIB, 1 },
		{ 128 * KIB, 64 * KIB, 256 * KIB, 14 }, { 1024 * KIB, 512 * KIB, 2048 * KIB, 14 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (uint32_t mode = 1; mode < SDPOWER_MIGRATION_MODES; mode++) {
			struct sdpower_migration_search s = begun(mode, rows[i].cache, 128);

			assert_int_equal(s.size, rows[i].start);
			assert_int_equal(s.stop_size, rows[i].stop);
			while (s.step == SDPOWER_MIGRATION_MEASURE) {
				assert_true(s.size <= rows[i].stop);
				assert_int_equal(sdpower_migration_search_next(&s, 0), SDPOWER_OK);
			}
			assert_int_equal(s.sizes, rows[i].sizes);
			assert_int_equal(s.end, SDPOWER_MIGRATION_END_RANGE);
			assert_int_equal(s.found_size, 0);
			assert_int_equal(s.result_ns, 0);
		}
	}
}

static void the_result_is_twice_the_peak(void **state)
{
	(void)state;
	for (uint32_t mode = 1; mode < SDPOWER_MIGRATION_MODES; mode++) {
		struct sdpower_migration_search s = begun(mode, 1024 * KIB, 153);

		finish_tent(&s, 900 * KIB);
		assert_int_equal(s.end, SDPOWER_MIGRATION_END_EARLY);
		assert_in_range(s.found_size, 800 * KIB, 1000 * KIB);
		assert_int_equal(s.max_cost_ns, tent(s.found_size, 900 * KIB));
		assert_int_equal(s.result_ns, s.max_cost_ns * 2 * 153 / 128);
	}
}

/* Past 33 MB the original's test for 30 percent wraps; past 429 MB its steps do. */
static void legacy_overflows_and_exact_does_not(void **state)
{
	struct sdpower_migration_search legacy, exact;

	(void)state;
	legacy = begun(SDPOWER_MIGRATION_LEGACY, 65536 * KIB, 128);
	exact = begun(SDPOWER_MIGRATION_EXACT, 65536 * KIB, 128);
	finish_tent(&legacy, 61000 * KIB);
	finish_tent(&exact, 61000 * KIB);
	assert_int_equal(exact.end, SDPOWER_MIGRATION_END_EARLY);
	assert_true(legacy.sizes > exact.sizes);

	legacy = begun(SDPOWER_MIGRATION_LEGACY, UINT32_MAX, 128);
	exact = begun(SDPOWER_MIGRATION_EXACT, SDPOWER_MIGRATION_MOST, SDPOWER_MIGRATION_FACTOR_MAX);
	while (legacy.step == SDPOWER_MIGRATION_MEASURE)
		assert_int_equal(sdpower_migration_search_next(&legacy, 0), SDPOWER_OK);
	assert_int_equal(legacy.end, SDPOWER_MIGRATION_END_ENDLESS);
	assert_int_equal(legacy.sizes, SDPOWER_MIGRATION_SIZES_MAX);
	while (exact.step == SDPOWER_MIGRATION_MEASURE)
		assert_int_equal(sdpower_migration_search_next(&exact,
			(int64_t)SDPOWER_MIGRATION_MOST), SDPOWER_OK);
	assert_int_equal(exact.end, SDPOWER_MIGRATION_END_RANGE);
	assert_int_equal(exact.result_ns, SDPOWER_MIGRATION_MOST * 200);

	/* Twice 2 GiB is nothing in 32 bits: there is no size to measure. */
	legacy = begun(SDPOWER_MIGRATION_LEGACY, UINT64_C(1) << 31, 128);
	assert_int_equal(legacy.step, SDPOWER_MIGRATION_DONE);
	assert_int_equal(legacy.result_ns, 0);
}

static void a_search_that_cannot_be_made(void **state)
{
	struct sdpower_migration_search s = begun(SDPOWER_MIGRATION_LEGACY, 0, 256), before = s;

	(void)state;
	assert_int_equal(sdpower_migration_search_give_up(&s, SDPOWER_MIGRATION_END_EARLY),
		SDPOWER_EINVAL);
	assert_memory_equal(&s, &before, sizeof(s));
	assert_int_equal(sdpower_migration_search_give_up(&s, SDPOWER_MIGRATION_END_NO_MEMORY),
		SDPOWER_OK);
	assert_int_equal(s.result_ns, 1000000);
	assert_int_equal(s.step, SDPOWER_MIGRATION_DONE);
	assert_int_equal(sdpower_migration_search_give_up(&s, SDPOWER_MIGRATION_END_OFFLINE),
		SDPOWER_EINVAL);
	s = before;
	assert_int_equal(sdpower_migration_search_give_up(&s, SDPOWER_MIGRATION_END_OFFLINE),
		SDPOWER_OK);
	assert_int_equal(s.result_ns, 0);
	assert_int_equal(sdpower_migration_search_give_up(NULL, SDPOWER_MIGRATION_END_OFFLINE),
		SDPOWER_EINVAL);
}

static sdpower_status begin_with(uint32_t mode, uint64_t cache, uint32_t factor, uint32_t reserved)
{
	const struct sdpower_migration_rules rules = { .struct_size = sizeof(rules), .mode = mode,
		.factor = factor, .max_cache_size = cache, .reserved = reserved };
	struct sdpower_migration_search s = { .struct_size = sizeof(s), .sizes = 77 };
	const sdpower_status status = sdpower_migration_search_begin(&rules, &s);

	assert_int_equal(s.sizes, status ? 77 : 0);
	return status;
}

static void nonsense_is_refused_and_changes_nothing(void **state)
{
	struct sdpower_migration_rules rules = { .struct_size = sizeof(rules),
		.mode = SDPOWER_MIGRATION_EXACT, .factor = 128 };
	struct sdpower_migration_search s = { .struct_size = sizeof(s) }, before;

	(void)state;
	assert_int_equal(begin_with(SDPOWER_MIGRATION_DEFAULT, 0, 128, 0), SDPOWER_ENOSYS);
	assert_int_equal(begin_with(SDPOWER_MIGRATION_MODES, 0, 128, 0), SDPOWER_EINVAL);
	assert_int_equal(begin_with(SDPOWER_MIGRATION_LEGACY, 0, 128, 1), SDPOWER_EINVAL);
	assert_int_equal(begin_with(SDPOWER_MIGRATION_LEGACY, UINT64_C(1) << 32, 128, 0),
		SDPOWER_ERANGE);
	assert_int_equal(begin_with(SDPOWER_MIGRATION_LEGACY, 0, UINT32_MAX, 0), SDPOWER_OK);
	assert_int_equal(begin_with(SDPOWER_MIGRATION_EXACT, 0, SDPOWER_MIGRATION_FACTOR_MAX + 1, 0),
		SDPOWER_ERANGE);
	assert_int_equal(begin_with(SDPOWER_MIGRATION_EXACT, SDPOWER_MIGRATION_MOST + 1, 128, 0),
		SDPOWER_ERANGE);
	assert_int_equal(sdpower_migration_search_begin(NULL, &s), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_search_begin(&rules, NULL), SDPOWER_EINVAL);
	s.struct_size--;
	assert_int_equal(sdpower_migration_search_begin(&rules, &s), SDPOWER_EINVAL);

	s = before = begun(SDPOWER_MIGRATION_EXACT, 0, 128);
	assert_int_equal(sdpower_migration_search_next(&s, (int64_t)SDPOWER_MIGRATION_MOST + 1),
		SDPOWER_ERANGE);
	assert_int_equal(sdpower_migration_search_next(&s, INT64_MIN), SDPOWER_ERANGE);
	assert_memory_equal(&s, &before, sizeof(s));
	assert_int_equal(sdpower_migration_search_next(NULL, 0), SDPOWER_EINVAL);
	s.step = SDPOWER_MIGRATION_DONE;
	assert_int_equal(sdpower_migration_search_next(&s, 0), SDPOWER_EINVAL);
	s = before;
	s.mode = SDPOWER_MIGRATION_MODES;
	assert_int_equal(sdpower_migration_search_next(&s, 0), SDPOWER_EINVAL);
}

/* The original as a plain loop in its own types, at most so many sizes. */
static uint32_t plain_search(uint32_t cache, const int64_t *costs, uint32_t most, uint32_t *found,
	uint64_t *max)
{
	uint32_t size = cache / 2 > 65536 ? cache / 2 : 65536, n = 0;
	const uint32_t stop = cache * 2 > 65536 ? cache * 2 : 65536;
	uint64_t avg = 0;
	int64_t cost = 0;

	*found = 0;
	*max = 0;
	while (size <= stop && n < most) {
		const int64_t before = cost;
		int32_t change;
		uint64_t sum;

		cost = costs[n++];
		if (cost > 0 && (uint64_t)cost > *max) {
			*max = (uint64_t)cost;
			*found = size;
		}
		change = (int32_t)((uint64_t)cost - (uint64_t)before);
		if (change < 0 && change != INT32_MIN)
			change = -change;
		avg = (avg + (uint64_t)change) / 2;
		sum = (uint64_t)cost + avg;
		if (*found && size * 100 > *found * 130 && (sum == 0 || *max * 100 > sum * 130))
			return n;
		size = size * 10 / 9;
	}
	return n;
}

/* Costs of all magnitudes, negative ones among them; some equal to the one before. */
static int64_t random_cost(struct test_random *r, int64_t before)
{
	const uint64_t high = test_draw(r, UINT32_MAX), low = test_draw(r, UINT32_MAX);
	const uint32_t kind = test_draw(r, 20);

	if (kind == 0)
		return before;
	if (kind == 1)
		return (int64_t)(high << 32 | low);
	if (kind == 2)
		return before < 0 ? before + INT64_C(0x80000000) : before - INT64_C(0x80000000);
	return (int64_t)(low >> test_draw(r, 30)) - (kind < 6 ? 100000 : 0);
}

static void legacy_is_the_plain_loop(void **state)
{
	static int64_t costs[SDPOWER_MIGRATION_SIZES_MAX];

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct test_random r = { seed };
		const uint32_t cache = (test_draw(&r, UINT32_MAX) >> test_draw(&r, 31)) | 1u;
		struct sdpower_migration_search s = begun(SDPOWER_MIGRATION_LEGACY, cache, 128);
		uint32_t found, sizes;
		uint64_t max;

		for (uint32_t i = 0; i < SDPOWER_MIGRATION_SIZES_MAX; i++)
			costs[i] = random_cost(&r, i ? costs[i - 1] : 0);
		sizes = plain_search(cache, costs, SDPOWER_MIGRATION_SIZES_MAX, &found, &max);
		while (s.step == SDPOWER_MIGRATION_MEASURE)
			assert_int_equal(sdpower_migration_search_next(&s, costs[s.sizes]), 0);
		if (s.sizes != sizes || s.found_size != found || s.max_cost_ns != max ||
		    s.result_ns != 2 * max * 128 / 128)
			fail_msg("seed %u: %u sizes instead of %u, found %u instead of %u",
				(unsigned)seed, s.sizes, sizes, (unsigned)s.found_size, found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_range_is_half_to_twice_the_cache),
		cmocka_unit_test(the_result_is_twice_the_peak),
		cmocka_unit_test(legacy_overflows_and_exact_does_not),
		cmocka_unit_test(a_search_that_cannot_be_made),
		cmocka_unit_test(nonsense_is_refused_and_changes_nothing),
		cmocka_unit_test(legacy_is_the_plain_loop),
	};

	return cmocka_run_group_tests_name("migration_search", tests, NULL, NULL);
}
