/* SPDX-License-Identifier: MIT */
/*
 * weave [full]: explores every scenario, or further; prints how many schedules that were.
 * weave SCENARIO [BOUND]: one, up to so many departures from the plain order.
 * weave SCENARIO SCHEDULE: that schedule only ("plain", or "12.1,40.2" as a failure prints it), step
 * by step.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "scenarios.h"
#include "explorer.h"

static unsigned departures_in(const char *schedule)
{
	unsigned n = 0;

	for (; *schedule; schedule++)
		n += *schedule == '.';
	return n;
}

static void explore(const struct scenario *s, unsigned bound)
{
	const struct weave_run run = { s->name, s->body, s->timeouts, bound, NULL };
	const uint64_t schedules = weave_run(&run);

	printf("%s: %" PRIu64 " schedules with up to %u departures\n", s->name, schedules, bound);
	fflush(stdout);
}

static void replay(const struct scenario *s, const char *schedule)
{
	const struct weave_run run = { s->name, s->body, s->timeouts, departures_in(schedule),
		schedule };

	(void)weave_run(&run);
	puts("nothing is wrong with this one");
}

static const struct scenario *find(const char *name)
{
	const struct scenario *s = scenarios;

	while (s->name && strcmp(s->name, name))
		s++;
	return s->name ? s : NULL;
}

static int one(const char *name, const char *how)
{
	const struct scenario *s = find(name);

	if (!s) {
		fprintf(stderr, "weave: no scenario \"%s\"\n", name);
		return 2;
	}
	if (!how)
		explore(s, s->quick);
	else if (isdigit((unsigned char)*how) && !strchr(how, '.'))
		explore(s, (unsigned)strtoul(how, NULL, 10));
	else
		replay(s, how);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const bool full = argc == 2 && !strcmp(argv[1], "full");
	const struct scenario *s;

	if (argc > 1 && !full)
		return one(argv[1], argv[2]);
	for (s = scenarios; s->name; s++)
		explore(s, full ? s->full : s->quick);
	return EXIT_SUCCESS;
}
