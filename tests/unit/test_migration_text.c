/* SPDX-License-Identifier: MIT */
/* Description: times and factors given by hand, loose and strict, and what is printed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/migration.h>

#define FULL "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"

static struct sdpower_migration_costs fresh(void)
{
	struct sdpower_migration_costs costs;

	assert_int_equal(sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED), 0);
	return costs;
}

static void loose_texts_are_read_as_far_as_they_go(void **state)
{
	static const struct { const char *text; sdpower_status count; int64_t first, second; } rows[] = {
		{ "", 0, -1, -1 }, { "7", 1, 7000, -1 }, { "7,", 1, 7000, -1 },
		{ "7,-", 2, 7000, 0 }, { "0x10,0X0a", 2, 16000, 10000 }, { "017,8", 2, 15000, 8000 },
		{ "0xg,1", 1, 0, -1 }, { "--1", 1, 0, -1 }, { "-2147483648", 1, -2147483648000, -1 },
		{ "4294967295", 1, -1000, -1 }, { "18446744073709551623", 1, 7000, -1 },
		{ "1 ,2", 1, 1000, -1 }, { FULL ",9", 32, 1000, 1000 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdpower_migration_costs costs = fresh();

		assert_int_equal(sdpower_migration_read_costs(rows[i].text,
			SDPOWER_MIGRATION_LEGACY, &costs), rows[i].count);
		assert_int_equal(costs.cost_ns[0], rows[i].first);
		assert_int_equal(costs.cost_ns[1], rows[i].second);
	}
}

static void strict_texts_are_read_whole_or_not_at_all(void **state)
{
	static const struct { const char *text; sdpower_status status; } rows[] = {
		{ "0", 1 }, { "010,08", 2 }, { "4294967295", 1 }, { FULL, 32 },
		{ "", SDPOWER_EPARSE }, { ",1", SDPOWER_EPARSE }, { "1,", SDPOWER_EPARSE },
		{ "-1", SDPOWER_EPARSE }, { "+1", SDPOWER_EPARSE }, { "1, 2", SDPOWER_EPARSE },
		{ "0x10", SDPOWER_EPARSE }, { "1;2", SDPOWER_EPARSE }, { "1.5", SDPOWER_EPARSE },
		{ "4294967296", SDPOWER_ERANGE }, { FULL ",1", SDPOWER_ERANGE },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdpower_migration_costs costs = fresh();
		const struct sdpower_migration_costs before = costs;

		assert_int_equal(sdpower_migration_read_costs(rows[i].text,
			SDPOWER_MIGRATION_EXACT, &costs), rows[i].status);
		if (rows[i].status < 0)
			assert_memory_equal(&costs, &before, sizeof(costs));
	}
}

static void what_is_written_can_be_read_again(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random r = { seed };
		struct sdpower_migration_costs costs = fresh(), again = costs;
		char text[512];
		size_t length;

		costs.max_distance = test_draw(&r, SDPOWER_MIGRATION_DISTANCES);
		for (uint32_t i = 0; i <= costs.max_distance; i++)
			costs.cost_ns[i] = (int64_t)(test_draw(&r, UINT32_MAX) >> test_draw(&r, 31)) * 1000;
		assert_int_equal(sdpower_migration_write_costs(&costs, text, sizeof(text), &length), 0);
		assert_memory_equal(text, "migration_cost=", 15);
		assert_int_equal(sdpower_migration_read_costs(text + 15, SDPOWER_MIGRATION_EXACT,
			&again), costs.max_distance + 1);
		if (memcmp(costs.cost_ns, again.cost_ns, sizeof(costs.cost_ns)) != 0)
			fail_msg("seed %u: %s", (unsigned)seed, text);
	}
}

static void factors_in_both_ways(void **state)
{
	static const struct { const char *text; int64_t loose, strict; } rows[] = {
		{ "100", 128, 128 }, { "120", 153, 153 }, { "010", 10, 12 }, { "", 163, SDPOWER_EPARSE },
		{ "-", 0, SDPOWER_EPARSE }, { "-1", 42949671, SDPOWER_EPARSE }, { "50%", 64, SDPOWER_EPARSE },
		{ "10000", 12800, 12800 }, { "10001", 12801, SDPOWER_ERANGE }, { "0", 0, 0 },
		{ "99999999999", 9974577, SDPOWER_ERANGE },
	};
	uint32_t factor;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(sdpower_migration_read_factor(rows[i].text,
			SDPOWER_MIGRATION_LEGACY, &factor), SDPOWER_OK);
		assert_int_equal(factor, rows[i].loose);
		factor = 4711;
		assert_int_equal(sdpower_migration_read_factor(rows[i].text,
			SDPOWER_MIGRATION_EXACT, &factor), rows[i].strict < 0 ? rows[i].strict : 0);
		assert_int_equal(factor, rows[i].strict < 0 ? 4711 : rows[i].strict);
	}
}

static void the_default_takes_fractions_and_percent_as_they_are(void **state)
{
	static const struct { const char *text; sdpower_status status; int64_t ns; } rows[] = {
		{ "4.848", 1, 4848 }, { "0.5,1", 2, 500 }, { "7.03", 1, 7030 }, { "8", 1, 8000 },
		{ "1.", SDPOWER_EPARSE, 0 }, { ".5", SDPOWER_EPARSE, 0 }, { "1.0001", SDPOWER_EPARSE, 0 },
		{ "1.-5", SDPOWER_EPARSE, 0 }, { "4294967296", SDPOWER_ERANGE, 0 },
	};
	uint32_t factor = 4711;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sdpower_migration_costs costs = fresh();

		assert_int_equal(sdpower_migration_read_costs(rows[i].text,
			SDPOWER_MIGRATION_DEFAULT, &costs), rows[i].status);
		assert_int_equal(costs.cost_ns[0], rows[i].status < 0 ? -1 : rows[i].ns);
	}
	assert_int_equal(sdpower_migration_read_factor("0", SDPOWER_MIGRATION_DEFAULT, &factor),
		SDPOWER_ERANGE);
	assert_int_equal(factor, 4711);
	assert_int_equal(sdpower_migration_read_factor("120", SDPOWER_MIGRATION_DEFAULT, &factor),
		SDPOWER_OK);
	assert_int_equal(factor, 120);
}

static void nonsense_is_refused(void **state)
{
	struct sdpower_migration_costs costs = fresh();
	char text[64];
	uint32_t factor;
	size_t length;

	(void)state;
	assert_int_equal(sdpower_migration_read_costs("1", 3, &costs), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_read_costs(NULL, 1, &costs), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_read_costs("1", 1, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_read_factor("1", 3, &factor), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_read_factor(NULL, 1, &factor), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_read_factor("1", 1, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_write_costs(&costs, NULL, 1, &length), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_write_costs(&costs, text, 64, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_write_matrix(NULL, &costs, 0, 0, text, 64, &length),
		SDPOWER_EINVAL);
	costs.struct_size = 0;
	assert_int_equal(sdpower_migration_read_costs("1", 1, &costs), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_write_costs(&costs, text, 64, &length), SDPOWER_EINVAL);
	assert_string_equal(sdpower_migration_mode_name(SDPOWER_MIGRATION_LEGACY), "legacy");
	assert_string_equal(sdpower_migration_mode_name(SDPOWER_MIGRATION_EXACT), "exact");
	assert_string_equal(sdpower_migration_mode_name(SDPOWER_MIGRATION_DEFAULT), "default");
}

static void a_short_buffer_gets_the_beginning(void **state)
{
	struct sdpower_migration_costs costs = fresh();
	char text[32];
	size_t length;

	(void)state;
	costs.cost_ns[0] = 12999;
	costs.cost_ns[1] = -5000;
	costs.max_distance = 2;
	assert_int_equal(sdpower_migration_write_costs(&costs, text, sizeof(text), &length), 0);
	assert_string_equal(text, "migration_cost=12,-5,0");
	assert_int_equal(length, strlen(text));
	assert_int_equal(sdpower_migration_write_costs(&costs, text, length, &length),
		SDPOWER_ENOSPC);
	assert_string_equal(text, "migration_cost=12,-5,");
	assert_int_equal(length, 22);
	assert_int_equal(sdpower_migration_write_costs(&costs, NULL, 0, &length), SDPOWER_ENOSPC);
	assert_int_equal(length, 22);
}

/* Every pair and time in one table; cpu 1 is left out. */
static void the_matrix_as_it_was_printed(void **state)
{
	static const uint32_t level_end[] = { 1, 1, 2 }, both = 0x5;
	static const uint32_t *const spans[] = { &both, &both };
	const struct sdpower_migration_machine machine = { .struct_size = sizeof(machine),
		.cpu_count = 3, .words = 1, .span_count = 2, .cpus = &both, .level_end = level_end,
		.spans = spans };
	struct sdpower_migration_costs costs = fresh();
	char text[512];
	size_t length;

	(void)state;
	costs.cost_ns[0] = 123456789;
	assert_int_equal(sdpower_migration_write_matrix(&machine, &costs, 65536, 700, text,
		sizeof(text), &length), SDPOWER_OK);
	assert_string_equal(text,
		"---------------------\n"
		"migration cost matrix (max_cache_size: 65536, cpu: 700 MHz):\n"
		"---------------------\n"
		"          [00]    [02]\n"
		"[00]:     -    123.4(0)\n"
		"[02]:  123.4(0)    -   \n"
		"---------------------\n"
		"cacheflush times [1]: 123.4 (123456789)\n"
		"---------------------\n");
	assert_int_equal(sdpower_migration_write_matrix(&machine, &costs, 65536, 700, text, 40,
		&length), SDPOWER_ENOSPC);
	assert_int_equal(strlen(text), 39);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loose_texts_are_read_as_far_as_they_go),
		cmocka_unit_test(strict_texts_are_read_whole_or_not_at_all),
		cmocka_unit_test(what_is_written_can_be_read_again),
		cmocka_unit_test(factors_in_both_ways),
		cmocka_unit_test(the_default_takes_fractions_and_percent_as_they_are),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(a_short_buffer_gets_the_beginning),
		cmocka_unit_test(the_matrix_as_it_was_printed),
	};

	return cmocka_run_group_tests_name("migration_text", tests, NULL, NULL);
}
