/* SPDX-License-Identifier: MIT */
/* The tables for people. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "report.h"

#define MIB 1048576.0

bool report_good(const struct report *r)
{
	unsigned i;

	for (i = 0; i < r->count; i++)
		if (r->runs[i].difference.files)
			return false;
	return true;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_input(const struct report *r, FILE *out)
{
	const struct walk *w = r->walk;
	char limit[64] = "";

	if (w->limited)
		snprintf(limit, sizeof(limit), " (only the first %.1f MiB, see --max-bytes)",
			(double)r->options->max_bytes / MIB);
	fprintf(out, "input    %s: %zu file%s, %.1f MiB%s\n", r->options->input,
		w->count, plural(w->count), (double)w->bytes / MIB, limit);
	if (w->unreadable || w->links || w->special)
		fprintf(out, "skipped  %" PRIu64 " unreadable, %" PRIu64 " symbolic link%s, "
			"%" PRIu64 " special (device, pipe, socket)\n",
			w->unreadable, w->links, plural(w->links), w->special);
}

static void print_unreadable(const struct report *r, FILE *out)
{
	size_t file, n = 0;

	for (file = 0; file < r->walk->count; file++) {
		int error = work_file_error(r->reference, file);

		if (error && error != ECANCELED && n++ < REPORT_NAMES)
			fprintf(out, "cannot read %s: %s\n", r->walk->files[file].path,
				strerror(error));
	}
	if (n > REPORT_NAMES)
		fprintf(out, "and %zu more\n", n - REPORT_NAMES);
}

/* By level, as dq takes them, seen from worker 0. */
static void print_costs(const struct report *r, FILE *out)
{
	const struct run_result *run = &r->runs[0];
	uint32_t i;

	for (i = 0; i < run->levels; i++)
		fprintf(out, "%s %.1f us%s", i ? "," : "costs   ", run->costs[i].move_ns / 1000.0,
			run->costs[i].measured ? "" : " (assumed)");
	if (run->levels)
		fprintf(out, " to move a task, innermost level first%s%s\n",
			r->options->costs ? "; where measured from " : "", r->options->costs ? r->options->costs : "");
}

static void print_machine(const struct report *r, FILE *out)
{
	const struct brain_machine *m = &r->runs[0].machine;

	fprintf(out, "workers  %u on %u cpu%s (%u core%s, %u package%s)%s%s\n",
		m->workers, m->cpus, plural(m->cpus), m->cores, plural(m->cores),
		m->packages, plural(m->packages),
		m->synthetic ? " described as " : "", m->synthetic ? r->options->topology : "");
	if (m->synthetic && m->cpus > m->real_cpus)
		fprintf(out, "NOTE     virtual machine of %u cpus on %u real one%s: "
			"times are not those of such a machine\n"
			"         (a worker is also busy while its task waits for a real cpu)\n",
			m->cpus, m->real_cpus, plural(m->real_cpus));
	if (m->packages == 1 && r->count > 1)
		fputs("NOTE     one package: nothing to empty, the levels differ little\n", out);
	print_costs(r, out);
	if (r->options->jobs)
		fprintf(out, "jobs     at most %u file%s at a time\n",
			r->options->jobs, plural(r->options->jobs));
	fprintf(out, "serial   %.3f s (and from now on the files are in memory)\n\n", r->serial);
}

/* Per second; nothing can be said of a run whose time prints as 0. */
static const char *rate(double amount, double elapsed, int digits, char *text, size_t size)
{
	if (elapsed < 0.0005)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.*f", digits, amount / elapsed);
	return text;
}

static void print_run(const struct run_result *run, FILE *out)
{
	const struct pool_stats *t = &run->total;
	char speed[32], power[32];

	rate((double)run->difference.in / MIB, run->elapsed, 1, speed, sizeof(speed));
	rate(run->joules, run->elapsed, 2, power, sizeof(power));
	fprintf(out, "%-12s %9.3f %8.3f %7s %8" PRIu64 " %8" PRIu64 " %13" PRIu64 " %8" PRIu64
		" %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %10.2f %8s  %s\n",
		brain_level_name(run->level), run->elapsed, run->cpu, speed, t->tasks,
		t->wakeups, t->useless, t->searches, t->found, t->steals, t->migrations, run->joules, power,
		run->difference.files ? "DIFFER" : "same");
}

static void print_runs(const struct report *r, FILE *out)
{
	unsigned i;

	fprintf(out, "%-12s %9s %8s %7s %8s %8s %13s %8s %8s %8s %10s %10s %8s  %s\n",
		"level", "elapsed s", "cpu s", "MiB/s", "tasks", "wake-ups", "no-work wakes",
		"searches", "found", "steals", "migrations", "energy J", "power W", "results");
	for (i = 0; i < r->count; i++)
		print_run(&r->runs[i], out);
	fprintf(out, "energy is %s; power is its average\n", energy_source(r->measured));
	fputs("wake-ups: sleeps ended by a signal; no-work wakes: those that found nothing to do; searches: "
		"looks at\na level for work; found: those that met some; steals: tasks taken from another "
		"worker; migrations: tasks\nrun by another worker than they were put with\n", out);
	for (i = 0; i < r->count; i++) {
		const struct work_difference *d = &r->runs[i].difference;

		if (d->files || d->changed || d->unreadable)
			fprintf(out, "%s: %" PRIu64 " file%s differ from the serial run, %" PRIu64
				" changed meanwhile, %" PRIu64 " unreadable\n",
				brain_level_name(r->runs[i].level), d->files, plural(d->files),
				d->changed, d->unreadable);
	}
}

static double share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* What the levels are about: packages that have nothing to do. */
static void print_packages(const struct report *r, FILE *out)
{
	uint32_t package;
	unsigned i;

	fputc('\n', out);
	for (package = 0; package < r->runs[0].machine.packages; package++) {
		fprintf(out, "package %u was busy", package);
		for (i = 0; i < r->count; i++)
			fprintf(out, "%s %.0f %% (%s)", i ? "," : "",
				share(r->runs[i].packages[package], r->runs[i].elapsed),
				brain_level_name(r->runs[i].level));
		fputs(" of the time\n", out);
	}
}

/* In one sentence, whichever way it went. */
static void conclude(const struct report *r, FILE *out)
{
	const struct run_result *first = &r->runs[0], *last = &r->runs[r->count - 1];

	if (r->count < 2 || first->elapsed < 0.0005 || first->joules <= 0)
		return;
	fprintf(out, "In short: against %s, %s took %.0f %% of the time and %.0f %% of the %s energy.\n",
		brain_level_name(first->level), brain_level_name(last->level),
		share(last->elapsed, first->elapsed), share(last->joules, first->joules),
		r->measured ? "measured" : "modelled");
}

static void print_head(const struct report *r, FILE *out)
{
	unsigned i;

	fprintf(out, "\n%-28s", "");
	for (i = 0; i < r->count; i++)
		fprintf(out, "  %19s", brain_level_name(r->runs[i].level));
	fprintf(out, "\n%-28s", "busy and idle");
	for (i = 0; i < r->count; i++)
		fprintf(out, "  %9s %9s", "busy s", "idle s");
	fputc('\n', out);
}

static void print_workers(const struct report *r, FILE *out)
{
	const struct run_result *first = &r->runs[0];
	char name[64];
	uint32_t w;
	unsigned i;

	for (w = 0; w < first->machine.workers; w++) {
		const struct brain_seat *seat = &first->seats[w];

		snprintf(name, sizeof(name), "worker %u, cpu %u%s", w, seat->os_id,
			seat->pinnable ? "" : " (virtual)");
		fprintf(out, "%-28s", name);
		for (i = 0; i < r->count; i++)
			fprintf(out, "  %9.3f %9.3f", (double)r->runs[i].workers[w].busy / 1e9,
				(double)r->runs[i].workers[w].idle / 1e9);
		fputc('\n', out);
	}
}

static void print_units(const struct report *r, FILE *out, bool packages)
{
	const struct brain_machine *m = &r->runs[0].machine;
	uint32_t count = packages ? m->packages : m->cores, u;
	char name[32];
	unsigned i;

	for (u = 0; u < count; u++) {
		snprintf(name, sizeof(name), "%s %u", packages ? "package" : "core", u);
		fprintf(out, "%-28s", name);
		for (i = 0; i < r->count; i++) {
			const struct run_result *run = &r->runs[i];
			double busy = packages ? run->packages[u] : run->cores[u];
			double idle = run->elapsed > busy ? run->elapsed - busy : 0;

			fprintf(out, "  %9.3f %9.3f", busy, idle);
		}
		fputc('\n', out);
	}
}

void report_table(const struct report *r, FILE *out)
{
	print_input(r, out);
	print_unreadable(r, out);
	if (!r->count)
		return;
	print_machine(r, out);
	print_runs(r, out);
	print_packages(r, out);
	print_head(r, out);
	print_units(r, out, true);
	print_units(r, out, false);
	print_workers(r, out);
	fputs("A worker is idle while it sleeps (the rest is searching); a core or package is\n"
		"busy while any of its workers runs a task.\n", out);
	conclude(r, out);
}
