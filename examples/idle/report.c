/* SPDX-License-Identifier: MIT */
#include "report.h"

/* More columns than that fit no line; packages are shown whatever their number. */
#define MOST_CORES 16u

static uint32_t shown_cores(const struct report *r)
{
	return r->machine->cores <= MOST_CORES ? r->machine->cores : 0;
}

static void table_begin(struct report *r)
{
	const struct options *o = r->options;
	uint32_t i;

	fprintf(r->out, "%s: %u packages, %u cores, %u cpus\n",
		o->topology ? o->topology : "this machine", (unsigned)r->machine->packages,
		(unsigned)r->machine->cores, (unsigned)r->machine->cpus);
	fprintf(r->out, "Idle time, per cent, mean over runs (%u) of %u ms, bursts of %u ms",
		(unsigned)o->runs, (unsigned)o->ms, (unsigned)o->burst_ms);
	if (o->slow > 1)
		fprintf(r->out, ", played %u times slower", (unsigned)o->slow);
	fputs(".\nA core is idle while all its threads are; pack: its cores' mean; whole: all of the "
		"package idle at once.\n\n", r->out);
	fputs("make rules   smt mc", r->out);
	for (i = 0; i < shown_cores(r); i++)
		fprintf(r->out, " core%-2u", (unsigned)i);
	for (i = 0; i < r->machine->packages; i++)
		fprintf(r->out, " pack%-2u", (unsigned)i);
	for (i = 0; i < r->machine->packages; i++)
		fprintf(r->out, " whole%-2u", (unsigned)i);
	fputs(" moves\n", r->out);
}

static void print_column(const struct report *r, const double *sum, uint32_t count, int width)
{
	for (uint32_t i = 0; i < count; i++)
		fprintf(r->out, " %*.1f", width, sum[i] / r->options->runs);
}

static void table_line(struct report *r, uint32_t jobs, const struct rules *rules,
	const struct played *sum)
{
	const uint32_t packages = r->machine->packages;

	fprintf(r->out, "-j%-3u%-8s%3u%3u", (unsigned)jobs, rules->name, (unsigned)rules->smt,
		(unsigned)rules->mc);
	print_column(r, sum->cores, shown_cores(r), 6);
	print_column(r, sum->packages, packages, 6);
	print_column(r, sum->asleep, packages, 7);
	fprintf(r->out, " %5u\n", (unsigned)(sum->moves / r->options->runs));
	fflush(r->out);
}

static void print_array(const struct report *r, const char *name, const double *sum, uint32_t count)
{
	fprintf(r->out, ", \"%s\": [", name);
	for (uint32_t i = 0; i < count; i++)
		fprintf(r->out, "%s%.2f", i ? ", " : "", sum[i] / r->options->runs);
	fputc(']', r->out);
}

static void json_begin(struct report *r)
{
	const struct options *o = r->options;

	fprintf(r->out, "{\"described\": %s, \"packages\": %u, \"cores\": %u, \"cpus\": %u,\n"
		" \"runs\": %u, \"time_ms\": %u, \"burst_ms\": %u, \"slow\": %u, \"seed\": %u,\n"
		" \"idle_percent\": [",
		r->machine->described ? "true" : "false", (unsigned)r->machine->packages,
		(unsigned)r->machine->cores, (unsigned)r->machine->cpus, (unsigned)o->runs,
		(unsigned)o->ms, (unsigned)o->burst_ms, (unsigned)o->slow, (unsigned)o->seed);
}

static void json_line(struct report *r, uint32_t jobs, const struct rules *rules,
	const struct played *sum)
{
	fprintf(r->out, "%s\n  {\"jobs\": %u, \"rules\": \"%s\", \"smt\": %u, \"mc\": %u",
		r->lines ? "," : "", (unsigned)jobs, rules->name, (unsigned)rules->smt,
		(unsigned)rules->mc);
	print_array(r, "cores", sum->cores, r->machine->cores);
	print_array(r, "packages", sum->packages, r->machine->packages);
	print_array(r, "whole_packages", sum->asleep, r->machine->packages);
	fprintf(r->out, ", \"moves\": %u}", (unsigned)(sum->moves / r->options->runs));
}

void report_begin(struct report *r)
{
	if (r->options->json)
		json_begin(r);
	else
		table_begin(r);
}

void report_line(struct report *r, uint32_t jobs, const struct rules *rules,
	const struct played *sum)
{
	if (r->options->json)
		json_line(r, jobs, rules, sum);
	else
		table_line(r, jobs, rules, sum);
	r->lines++;
}

void report_end(struct report *r)
{
	if (r->options->json)
		fputs("]}\n", r->out);
	else if (r->machine->described)
		fputs("\nA described machine shows where work goes. It takes no power, and has no time to "
			"tell: two threads\nof a core do not slow each other down.\n", r->out);
}
