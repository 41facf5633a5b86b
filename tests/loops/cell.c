/* SPDX-License-Identifier: MIT */
/* The loops of one cell of the table. */
#include <stdio.h>
#include <string.h>
#include "loops.h"

#define MOST_LOOPS 64u

static void append(char *text, const char *more)
{
	const size_t at = strlen(text);

	snprintf(text + at, LOOPS_TEXT - at, "%s%s", at ? " " : "", more);
}

static void append_number(char *text, uint32_t k)
{
	char more[16];

	snprintf(more, sizeof(more), "%u", k);
	append(text, more);
}

static void append_count(char *text, uint32_t k, uint32_t count)
{
	char more[32];

	snprintf(more, sizeof(more), "%u:%u", k, count);
	append(text, more);
}

static void insert(uint32_t *sorted, uint32_t count, uint32_t value)
{
	for (; count && sorted[count - 1] > value; count--)
		sorted[count] = sorted[count - 1];
	sorted[count] = value;
}

static int is_apart(const struct loops_case *c, const struct loops_result *r)
{
	return (c->mc || c->smt) && r->packages > 1 &&
		c->tasks <= loops_capacity(c->machine, c->mc, c->smt);
}

void loops_fill(const struct loops_case *of, struct loops_cell *cell)
{
	struct loops_case c = *of;
	uint32_t settled[MOST_LOOPS], count = 0;

	memset(cell, 0, sizeof(*cell));
	c.tasks = c.start == LOOPS_SCATTERED ? 2 : 1;
	for (; c.tasks <= c.machine->cores * c.machine->threads; c.tasks++) {
		struct loops_result r;

		cell->refused += !loops_run(&c, &r) || r.refused;
		if (loops_undone(&c, &r))
			append_count(cell->undone, c.tasks, loops_undone(&c, &r));
		if (r.settled > LOOPS_LATE)
			append_number(cell->never, c.tasks);
		else
			insert(settled, count++, r.settled);
		if (is_apart(&c, &r))
			append_number(cell->apart, c.tasks);
	}
	cell->median = count ? (settled[(count - 1) / 2] + settled[count / 2]) / 2 : 0;
	cell->latest = count ? settled[count - 1] : 0;
}
