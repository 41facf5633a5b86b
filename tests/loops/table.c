/* SPDX-License-Identifier: MIT */
/*
 * Description: the closed loops of loops.h in a table, original rules beside native ones.
 * loops [classic|native]...: both by default.
 */
#include <stdio.h>
#include <string.h>
#include "loops.h"

static const char *or_none(const char *text)
{
	return text[0] ? text : "none";
}

static int row(const struct loops_case *c)
{
	static const char *const rules[] = { "30", "v4", "native" };
	struct loops_cell cell;

	loops_fill(c, &cell);
	if (cell.refused) {
		fprintf(stderr, "%s %u,%u %s: refused\n", c->machine->name, c->mc, c->smt,
			rules[c->rules]);
		return 1;
	}
	printf("| %s | %u,%u | %s | %s | %s | %s | %u/%u | %s |\n", c->machine->name, c->mc, c->smt,
		rules[c->rules], c->start == LOOPS_PACKED ? "P" : "S", or_none(cell.undone),
		or_none(cell.never), cell.median, cell.latest, or_none(cell.apart));
	return 0;
}

static int wanted(int argc, char **argv, enum loops_rules rules)
{
	const char *name = rules == LOOPS_NATIVE ? "native" : "classic";

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return 1;
	return argc < 2;
}

int main(int argc, char **argv)
{
	struct loops_case c;
	int failed = 0;

	puts("| tree | mc,smt | rules | start | undone k:count | never settles k | settled, median/latest"
		" | left apart k |\n|---|---|---|---|---|---|---|---|");
	for (uint32_t m = 0; m < loops_machine_count; m++)
		for (uint32_t k = 0; k < loops_knob_count; k++)
			for (c.start = LOOPS_PACKED; c.start <= LOOPS_SCATTERED; c.start++)
				for (c.rules = LOOPS_CLASSIC_30; c.rules <= LOOPS_NATIVE; c.rules++) {
					c.machine = &loops_machines[m];
					c.mc = loops_knobs[k][0];
					c.smt = loops_knobs[k][1];
					if (wanted(argc, argv, c.rules) &&
							(c.start == LOOPS_PACKED || c.machine->packages > 1))
						failed |= row(&c);
				}
	return failed;
}
