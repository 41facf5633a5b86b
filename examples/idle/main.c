/* SPDX-License-Identifier: MIT */
/* sdpower-idle: which cores a build leaves idle, by savings knobs and rules. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

enum { EXIT_USE = 2 };

/* The knobs of the series of 2009, and this library's own levels. */
static const struct rules all_rules[] = {
	{ "classic", SDPOWER_DECIDE_CLASSIC, 0, 0 },
	{ "classic", SDPOWER_DECIDE_CLASSIC, 0, 2 },
	{ "classic", SDPOWER_DECIDE_CLASSIC, 2, 2 },
	{ "native", SDPOWER_DECIDE_NATIVE, 0, 0 },
	{ "native", SDPOWER_DECIDE_NATIVE, 2, 2 },
};

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "sdpower-idle: %s: %s\n", what, why);
	return EXIT_FAILURE;
}

static int measure(struct report *r, uint32_t jobs, const struct rules *rules,
	const struct played *sum)
{
	const struct options *o = r->options;
	struct played s = *sum;
	char why[128];

	for (uint32_t run = 0; run < o->runs; run++) {
		const struct play play = { .machine = r->machine, .rules = rules, .jobs = jobs,
			.ms = o->ms, .burst_ms = o->burst_ms, .slow = o->slow,
			.seed = o->seed + 1000 * run };

		if (play_run(&play, &s, why, sizeof(why)))
			return fail(rules->name, why);
	}
	report_line(r, jobs, rules, &s);
	return EXIT_SUCCESS;
}

static int measure_all(struct report *r)
{
	const struct machine *m = r->machine;
	const size_t places = m->cores + 2 * (size_t)m->packages;
	struct played sum = { .cores = malloc(places * sizeof(double)) };
	int status = EXIT_SUCCESS;

	if (!sum.cores)
		return fail("table", strerror(ENOMEM));
	sum.packages = sum.cores + m->cores;
	sum.asleep = sum.packages + m->packages;
	report_begin(r);
	for (uint32_t i = 0; i < r->options->counts && !status; i++)
		for (size_t k = 0; k < sizeof(all_rules) / sizeof(all_rules[0]) && !status; k++) {
			for (size_t place = 0; place < places; place++)
				sum.cores[place] = 0;
			status = measure(r, r->options->jobs[i], &all_rules[k], &sum);
		}
	report_end(r);
	free(sum.cores);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct machine machine;
	struct report report = { .options = &options, .machine = &machine, .out = stdout };
	char why[512];
	int status;

	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_DONE:
		return EXIT_SUCCESS;
	case OPTIONS_WRONG:
		return EXIT_USE;
	case OPTIONS_RUN:
		break;
	}
	if (machine_open(&machine, options.topology, why, sizeof(why))) {
		status = fail(options.topology ? options.topology : "this machine", why);
		return options.topology ? EXIT_USE : status;
	}
	status = measure_all(&report);
	machine_close(&machine);
	if (fflush(stdout) || ferror(stdout))
		return fail("standard output", strerror(errno));
	return status;
}
