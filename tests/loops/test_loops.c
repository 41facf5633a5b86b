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

/* Every cell: nothing undone, everything settles, what fits one package is packed. */
static void expect_cell(const struct loops_case *c)
{
	struct loops_cell cell;

	loops_fill(c, &cell);
	if (cell.refused || cell.undone[0] || cell.never[0] || cell.apart[0])
		fail_msg("%s mc=%u smt=%u %s: %u refused, undone \"%s\", never settles \"%s\", "
			"apart \"%s\"", c->machine->name, c->mc, c->smt,
			c->start == LOOPS_PACKED ? "packed" : "scattered", cell.refused, cell.undone,
			cell.never, cell.apart);
}

static int saves_power(const struct loops_case *c)
{
	return c->mc || c->smt;
}

/* Calls it for every machine, pair of knobs and start. */
static void for_all(void (*check)(const struct loops_case *c))
{
	struct loops_case c = { .rules = LOOPS_NATIVE };

	for (uint32_t m = 0; m < loops_machine_count; m++)
		for (uint32_t k = 0; k < loops_knob_count; k++)
			for (c.start = LOOPS_PACKED; c.start <= LOOPS_SCATTERED; c.start++) {
				c.machine = &loops_machines[m];
				c.mc = loops_knobs[k][0];
				c.smt = loops_knobs[k][1];
				if (c.start == LOOPS_PACKED || c.machine->packages > 1)
					check(&c);
			}
}

static void nothing_is_undone_and_all_settles(void **state)
{
	(void)state;
	for_all(expect_cell);
}

/* The original counts where it settles, and ends no worse. */
static int is_worth_comparing(const struct loops_case *c, const struct loops_result *classic,
	const struct loops_result *native)
{
	return classic->settled <= LOOPS_LATE && (!saves_power(c) ||
		classic->packages <= native->packages);
}

static void expect_no_later(const struct loops_case *of)
{
	struct loops_case c = *of;

	for (c.tasks = 1; c.tasks <= c.machine->cores * c.machine->threads; c.tasks++) {
		struct loops_result native, classic;

		c.rules = LOOPS_NATIVE;
		assert_true(loops_run(&c, &native));
		c.rules = LOOPS_CLASSIC;
		assert_true(loops_run(&c, &classic));
		if (is_worth_comparing(&c, &classic, &native) && native.settled > classic.settled)
			fail_msg("%s mc=%u smt=%u %s k=%u: settles at %u, the original at %u",
				c.machine->name, c.mc, c.smt,
				c.start == LOOPS_PACKED ? "packed" : "scattered", c.tasks,
				native.settled, classic.settled);
	}
}

/* Of a cell also what only native packs counts. */
static void expect_cell_no_later(const struct loops_case *of)
{
	struct loops_cell native, classic;
	struct loops_case c = *of;

	loops_fill(&c, &native);
	c.rules = LOOPS_CLASSIC;
	loops_fill(&c, &classic);
	if (native.median > classic.median || native.latest > classic.latest)
		fail_msg("%s mc=%u smt=%u %s: settled %u/%u, the original %u/%u", c.machine->name, c.mc,
			c.smt, c.start == LOOPS_PACKED ? "packed" : "scattered", native.median,
			native.latest, classic.median, classic.latest);
}

static void native_settles_no_later(void **state)
{
	(void)state;
	for_all(expect_no_later);
	for_all(expect_cell_no_later);
}

/* More tasks than one package holds: as few packages as they need. */
static void expect_few_packages(const struct loops_case *of)
{
	const uint32_t capacity = loops_capacity(of->machine, of->mc, of->smt);
	struct loops_case c = *of;

	if (!saves_power(of) || of->start == LOOPS_PACKED)
		return;
	for (c.tasks = 2; c.tasks <= c.machine->packages * capacity; c.tasks++) {
		struct loops_result r;

		assert_true(loops_run(&c, &r));
		if (r.packages > (c.tasks + capacity - 1) / capacity || r.settled > LOOPS_LATE ||
				r.undone)
			fail_msg("%s mc=%u smt=%u k=%u: %u packages, %u settled, %u undone", c.machine->name,
				c.mc, c.smt, c.tasks, r.packages, r.settled, r.undone);
	}
}

static void any_number_is_packed(void **state)
{
	(void)state;
	for_all(expect_few_packages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_original_does_what_was_published),
		cmocka_unit_test(nothing_is_undone_and_all_settles),
		cmocka_unit_test(native_settles_no_later),
		cmocka_unit_test(any_number_is_packed),
	};

	return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
