/* SPDX-License-Identifier: MIT */
/*
 * Description: closed loops of equal tasks. The original rules undo their own consolidation, as
 * often as was published; the native rules never do, settle, and pack what fits one package.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "loops.h"

static const struct loops_machine *machine(const char *name)
{
	for (uint32_t i = 0; i < loops_machine_count; i++)
		if (strcmp(loops_machines[i].name, name) == 0)
			return &loops_machines[i];
	fail_msg("no machine %s", name);
	return NULL;
}

/* Rows of the published table: what is undone, what never settles, median and latest tick. */
static const struct {
	const char *machine;
	uint32_t mc, smt;
	enum loops_rules rules;
	enum loops_start start;
	const char *undone, *never;
	uint32_t median, latest;
} published[] = {
	{ "2x2", 1, 0, LOOPS_CLASSIC, LOOPS_SCATTERED, "", "", 5, 5 },
	{ "2x4", 2, 2, LOOPS_CLASSIC, LOOPS_SCATTERED, "", "", 5, 9 },
	{ "2x4", 0, 0, LOOPS_CLASSIC, LOOPS_PACKED, "", "3", 5, 9 },
	{ "2x4x2", 2, 0, LOOPS_CLASSIC, LOOPS_PACKED, "", "", 9, 153 },
	{ "2x4x2", 2, 0, LOOPS_CLASSIC, LOOPS_SCATTERED, "", "", 6, 7 },
	{ "2x4x2", 0, 1, LOOPS_CLASSIC, LOOPS_PACKED, "2:8 3:8", "2 3", 0, 0 },
	{ "2x4x2", 0, 2, LOOPS_CLASSIC, LOOPS_SCATTERED, "2:7 3:7", "2 3", 13, 17 },
	{ "2x4x2-numa", 1, 0, LOOPS_CLASSIC, LOOPS_PACKED, "", "6 7 8", 5, 15 },
	{ "2x4x2-numa", 0, 1, LOOPS_CLASSIC_30, LOOPS_PACKED, "2:1 3:1", "", 0, 26 },
	{ "2x4x2-numa", 2, 2, LOOPS_CLASSIC, LOOPS_PACKED, "2:7 3:8", "2 3", 0, 0 },
	{ "2x4x2-numa", 2, 2, LOOPS_CLASSIC, LOOPS_SCATTERED, "2:7 3:7", "2 3", 34, 43 },
	{ "4x8x2", 1, 0, LOOPS_CLASSIC, LOOPS_SCATTERED, "5:7 6:7 7:7", "5 6 7 8", 5, 9 },
	{ "4x8x2", 2, 0, LOOPS_CLASSIC, LOOPS_SCATTERED, "5:89 6:89 7:89", "5 6 7 8", 5, 9 },
	{ "4x8x2", 0, 1, LOOPS_CLASSIC, LOOPS_PACKED, "4:22 5:22 6:22 7:23", "4 5 6 7", 0, 0 },
	{ "4x8x2", 2, 2, LOOPS_CLASSIC, LOOPS_PACKED, "4:178 5:112 6:232 7:160", "4 5 6 7", 0, 0 },
	{ "4x8x2", 2, 2, LOOPS_CLASSIC, LOOPS_SCATTERED,
		"4:174 5:33 6:217 7:172 8:130 9:7 10:126 11:1 13:24 14:24 15:24",
		"4 5 6 7 10 13 14 15", 42, 195 },
};

static void the_original_does_what_was_published(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		const struct loops_case c = { .machine = machine(published[i].machine),
			.mc = published[i].mc, .smt = published[i].smt, .rules = published[i].rules,
			.start = published[i].start };
		struct loops_cell cell;

		loops_fill(&c, &cell);
		assert_int_equal(cell.refused, 0);
		assert_string_equal(cell.undone, published[i].undone);
		assert_string_equal(cell.never, published[i].never);
		assert_int_equal(cell.median, published[i].median);
		assert_int_equal(cell.latest, published[i].latest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_original_does_what_was_published),
	};

	return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
