/* SPDX-License-Identifier: MIT */
/* sdpower-pool: a demonstration of libsdpower as the brain of a thread pool. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

enum { EXIT_USE = 2, EXIT_INTERRUPTED = 130 };

/* A signal handler has no other way to its work. */
static AO_t interrupted;

static void on_signal(int number)
{
	(void)number;
	AO_store(&interrupted, 1);
}

/* A second signal ends the program: the handler is taken off at the first. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "sdpower-pool: %s: %s\n", what, why);
	return EXIT_FAILURE;
}

/* A topology or costs that are not understood are the user's mistake, whatever the level; all
 * else is a failure. */
static int refuse(const struct options *o, enum brain_level level, int error, const char *why)
{
	const char *option = NULL;

	if (error == EINVAL && o->topology)
		option = "--topology";
	else if ((error == EBADMSG || error == ESTALE) && o->costs)
		option = "--costs";
	fail(option ? option : brain_level_name(level), why);
	return option ? EXIT_USE : EXIT_FAILURE;
}

static int run_all(struct report *r, struct energy *energy, struct progress *progress)
{
	char why[512] = "";
	enum brain_level level;
	int error;

	for (level = 0; level < BRAIN_LEVELS && !AO_load(&interrupted); level++) {
		if (!r->options->level[level])
			continue;
		error = run_level(&r->runs[r->count], r->options, level, r->reference,
			energy, progress, why, sizeof(why));
		if (error == ECANCELED)
			break;
		if (error) {
			return refuse(r->options, level, error, why);
		}
		r->count++;
	}
	return AO_load(&interrupted) ? EXIT_INTERRUPTED : EXIT_SUCCESS;
}

static int print(struct report *r, int status)
{
	r->complete = status == EXIT_SUCCESS;
	if (status == EXIT_USE)
		return status;
	if (r->options->json)
		report_json(r, stdout);
	else
		report_table(r, stdout);
	if (status == EXIT_INTERRUPTED)
		fputs("sdpower-pool: interrupted\n", stderr);
	if (fflush(stdout) || ferror(stdout))
		return fail("standard output", strerror(errno));
	return status == EXIT_SUCCESS && !report_good(r) ? EXIT_FAILURE : status;
}

static int compare_levels(const struct options *o, const struct work_plan *plan)
{
	struct report report = { .options = o, .walk = plan->walk };
	struct work_pass reference;
	struct progress progress;
	struct energy energy;
	int status;

	if (work_pass_init(&reference, plan, NULL))
		return fail("serial check", strerror(ENOMEM));
	progress_open(&progress);
	/* RAPL knows the real machine only, so a described one is always modelled. */
	energy_open(&energy, o->topology ? "" : ENERGY_ROOT);
	report.measured = energy_measurable(&energy);
	report.reference = &reference;
	report.serial = run_serial(&reference, &progress);
	status = print(&report, run_all(&report, &energy, &progress));
	while (report.count > 0)
		run_free(&report.runs[--report.count]);
	work_pass_free(&reference);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct work_plan plan;
	struct walk walk;
	int status, error;

	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_DONE:
		return EXIT_SUCCESS;
	case OPTIONS_WRONG:
		return EXIT_USE;
	case OPTIONS_RUN:
		break;
	}
	catch_signals();
	error = walk_folder(&walk, options.input, options.max_bytes, &interrupted);
	if (error)
		return fail(options.input, strerror(error));
	if (work_plan_init(&plan, &walk, &interrupted)) {
		status = fail(options.input, strerror(ENOMEM));
	} else {
		status = compare_levels(&options, &plan);
		work_plan_free(&plan);
	}
	walk_free(&walk);
	return status;
}
