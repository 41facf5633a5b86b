/* SPDX-License-Identifier: MIT */
/* The report as one JSON document. */
#include <inttypes.h>
#include "report.h"

static void print_string(FILE *out, const char *text)
{
	const unsigned char *c;

	fputc('"', out);
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		/* File names need not be UTF-8: bytes beyond ASCII are shown as Latin-1. */
		else if (*c < 0x20 || *c >= 0x7f)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

static void print_input(const struct report *r, FILE *out)
{
	const struct walk *w = r->walk;

	fputs("  \"input\": {\"folder\": ", out);
	print_string(out, r->options->input);
	fprintf(out, ", \"files\": %zu, \"bytes\": %" PRIu64 ", \"limited\": %s,\n"
		"    \"unreadable\": %" PRIu64 ", \"links\": %" PRIu64
		", \"special\": %" PRIu64 "},\n", w->count, w->bytes,
		w->limited ? "true" : "false", w->unreadable, w->links, w->special);
}

static void print_machine(const struct report *r, FILE *out)
{
	const struct brain_machine *m = &r->runs[0].machine;
	bool larger = m->synthetic && m->cpus > m->real_cpus;

	fprintf(out, "  \"machine\": {\"workers\": %u, \"cpus\": %u, \"cores\": %u, "
		"\"packages\": %u, \"real_cpus\": %u,\n    \"virtual\": %s, \"topology\": ",
		m->workers, m->cpus, m->cores, m->packages, m->real_cpus,
		larger ? "true" : "false");
	if (m->synthetic)
		print_string(out, r->options->topology);
	else
		fputs("null", out);
	fputs("},\n", out);
}

static void print_costs(const struct report *r, FILE *out)
{
	const struct run_result *run = &r->runs[0];
	uint32_t i;

	fputs("  \"costs\": {\"file\": ", out);
	if (r->options->costs)
		print_string(out, r->options->costs);
	else
		fputs("null", out);
	fputs(", \"levels\": [", out);
	for (i = 0; i < run->levels; i++)
		fprintf(out, "%s{\"move_ns\": %u, \"measured\": %s}", i ? ", " : "",
			run->costs[i].move_ns, run->costs[i].measured ? "true" : "false");
	fputs("]},\n", out);
}

static void print_counters(const struct pool_stats *s, FILE *out)
{
	fprintf(out, "\"busy_s\": %.6f, \"idle_s\": %.6f, \"search_s\": %.6f, \"tasks\": %" PRIu64
		", \"wakeups\": %" PRIu64 ", \"useless_wakeups\": %" PRIu64
		", \"searches\": %" PRIu64 ", \"searches_found\": %" PRIu64 ", \"steals\": %" PRIu64 ", \"migrations\": %" PRIu64,
		(double)s->busy / 1e9, (double)s->idle / 1e9, (double)s->other / 1e9, s->tasks,
		s->wakeups, s->useless, s->searches, s->found, s->steals, s->migrations);
}

static void print_workers(const struct run_result *run, FILE *out)
{
	uint32_t i;

	fputs(",\n      \"workers\": [", out);
	for (i = 0; i < run->machine.workers; i++) {
		const struct brain_seat *seat = &run->seats[i];

		fprintf(out, "%s\n        {\"worker\": %u, \"cpu\": %u, \"core\": %u, "
			"\"package\": %u, \"pinned\": %s, ", i ? "," : "", i, seat->os_id,
			seat->core, seat->package, seat->pinnable ? "true" : "false");
		print_counters(&run->workers[i], out);
		fputc('}', out);
	}
	fputc(']', out);
}

static void print_units(const char *name, const double *busy, uint32_t n, double elapsed, FILE *out)
{
	uint32_t i;

	fprintf(out, ",\n      \"%s\": [", name);
	for (i = 0; i < n; i++)
		fprintf(out, "%s{\"busy_s\": %.6f, \"idle_s\": %.6f}", i ? ", " : "", busy[i],
			elapsed > busy[i] ? elapsed - busy[i] : 0);
	fputc(']', out);
}

static void print_run(const struct report *r, const struct run_result *run, FILE *out)
{
	const struct work_difference *d = &run->difference;

	fprintf(out, "    {\"level\": \"%s\", \"elapsed_s\": %.6f, \"cpu_s\": %.6f,\n      ",
		brain_level_name(run->level), run->elapsed, run->cpu);
	print_counters(&run->total, out);
	fprintf(out, ",\n      \"energy\": {\"joules\": %.3f, \"average_watts\": %.3f, "
		"\"measured\": %s, \"source\": ", run->joules, run->joules / run->elapsed,
		r->measured ? "true" : "false");
	print_string(out, energy_source(r->measured));
	fprintf(out, "},\n      \"results\": {\"same\": %s, \"files_differing\": %" PRIu64
		", \"files_changed\": %" PRIu64 ", \"files_unreadable\": %" PRIu64
		", \"bytes_in\": %" PRIu64 ", \"bytes_out\": %" PRIu64 "}",
		d->files ? "false" : "true", d->files, d->changed, d->unreadable, d->in, d->out);
	print_workers(run, out);
	print_units("cores", run->cores, run->machine.cores, run->elapsed, out);
	print_units("packages", run->packages, run->machine.packages, run->elapsed, out);
	fputc('}', out);
}

void report_json(const struct report *r, FILE *out)
{
	unsigned i;

	fputs("{\n", out);
	print_input(r, out);
	if (r->count) {
		print_machine(r, out);
		print_costs(r, out);
	}
	fprintf(out, "  \"jobs\": %u,\n  \"serial_s\": %.6f,\n  \"complete\": %s,\n  \"runs\": [",
		r->options->jobs, r->serial, r->complete ? "true" : "false");
	for (i = 0; i < r->count; i++) {
		fputs(i ? ",\n" : "\n", out);
		print_run(r, &r->runs[i], out);
	}
	fputs("]\n}\n", out);
}
