/* SPDX-License-Identifier: MIT */
/* sdpower calibrate: measures what moving a task costs here, or shows what was measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "calibrate.h"
#include "costs.h"
#include "input.h"
#include "rules.h"
#include "say.h"

uint32_t calibrate_distance(const struct calibrate *k, sdpower_cpu a, sdpower_cpu b)
{
	const sdpower_status distance = sdpower_domain_distance(k->s, a, b);

	return distance > 0 ? (uint32_t)distance - 1 : UINT32_MAX;
}

#define MS UINT64_C(1000000)
/* Sizes that are kept: a pair tries fewer than 40, a distance has up to three pairs. */
#define POINTS (SDPOWER_MIGRATION_DISTANCES * 3u * 40u)

/* Written over at each distance; only people see it. */
static int show_progress(void *context, const struct sdpower_calibrate_progress *p)
{
	(void)context;
	fprintf(stderr, "\r\033[Kdistance %u of %u: %.1f us", (unsigned)p->distance + 1,
		(unsigned)p->count, (double)p->found->cost_ns / 1000);
	return 0;
}

static int measure(const struct cmd_options *o, struct calibrate *k)
{
	const bool terminal = isatty(STDERR_FILENO);
	struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.percent = o->percent, .near_budget_ns = o->near * MS, .far_budget_ns = o->far * MS,
		.hard_ns = o->hard * MS, .total_ns = o->total * MS,
		.progress = terminal ? show_progress : NULL };
	sdpower_status status;

	if (o->points) {
		options.points = k->points = cmd_alloc(POINTS, sizeof(*k->points));
		options.point_capacity = POINTS;
	}
	if (terminal)
		fputs("measuring ...", stderr);
	status = sdpower_calibrate(k->s, k->t, &options, &k->c);
	if (terminal)
		fputs("\r\033[K", stderr);
	k->point_count = status > 0 ? (uint32_t)status : 0;
	if (status >= 0)
		return CMD_GOOD;
	say("measuring failed: %s", sdpower_strstatus(status));
	return CMD_SYSTEM;
}

static int load(struct calibrate *k, const char *name)
{
	k->loaded = true;
	return costs_read(name, k->s, &k->c);
}

static int keep(const struct calibrate *k)
{
	size_t length = 0;
	char *text;

	if (sdpower_calibration_write(&k->c, NULL, 0, &length) != SDPOWER_ENOSPC)
		return CMD_SYSTEM;
	text = cmd_alloc(1, length + 1);
	if (sdpower_calibration_write(&k->c, text, length + 1, &length) == SDPOWER_OK)
		fputs(text, stdout);
	free(text);
	return CMD_GOOD;
}

/* A line to be pasted has no place for flags. */
static void warn(const struct calibrate *k)
{
	uint32_t flags = k->c.flags;
	char text[128];

	for (uint32_t i = 0; i < k->c.count; i++)
		flags |= k->c.distance[i].flags;
	if (flags)
		say("calibrate: not to be relied on, %s: see the table without --line",
			costs_flags(flags, text, sizeof(text)));
}

static int print(const struct cmd_options *o, const struct calibrate *k)
{
	if (o->keep)
		return keep(k);
	if (o->json)
		calibrate_json(k);
	else if (o->csv && o->points)
		calibrate_points_csv(k);
	else if (o->csv)
		calibrate_csv(k);
	else if (o->svg)
		calibrate_svg(k);
	else if (o->line) {
		warn(k);
		calibrate_line(k);
	} else {
		calibrate_table(k);
		if (o->points)
			calibrate_points_table(k);
		calibrate_matrix(k);
		calibrate_line(k);
	}
	return CMD_GOOD;
}

static int show(const struct cmd_options *o, struct calibrate *k)
{
	int code = o->load ? load(k, o->load) : measure(o, k);

	if (code != CMD_GOOD)
		return code;
	if (chains_find(&k->chains, k->s, k->t) != SDPOWER_OK)
		return CMD_SYSTEM;
	code = print(o, k);
	chains_drop(&k->chains);
	if (code == CMD_GOOD && o->strict && k->c.flags)
		return CMD_NO;
	return code;
}

/* What goes with what, beyond what every command knows of its options. */
static bool fits_together(const struct cmd_options *o)
{
	if (o->file_count && !o->load)
		say("calibrate: only the machine we run on can be measured; "
			"--load shows what was measured on another one");
	else if (o->load && (o->points || o->percent || o->near || o->far || o->hard || o->total))
		say("calibrate: --load measures nothing: there are no points, and no times to keep");
	else if (o->points && (o->svg || o->line || o->keep))
		say("calibrate: --points is for the table, --csv and --json");
	else
		return true;
	return false;
}

static int run(const struct cmd_options *o)
{
	struct calibrate k = { .c.struct_size = sizeof(k.c) };
	struct input_machine m;
	sdpower *s = NULL;
	int code;

	if (!fits_together(o))
		return CMD_USE;
	code = input_machine_or_say(&m, o->file_count ? o->files[0] : NULL);
	if (code != CMD_GOOD)
		return code;
	input_short_name(m.table->name ? m.table->name : m.name, k.name, sizeof(k.name));
	code = rules_make_or_say(o, &m, &s);
	k.t = m.table;
	k.s = s;
	if (code == CMD_GOOD)
		code = show(o, &k);
	free(k.points);
	rules_drop(s);
	input_machine_drop(&m);
	return code;
}

const struct cmd_command cmd_calibrate = {
	"calibrate", "[MACHINE]", "vfikLPWpnFHtr", 0, 1, "measure what moving a task costs, by distance",
	"Measures, for each distance in the tree of domains, what moving a task costs; takes a second at\n"
	"most (--total) and keeps two cpus busy. Prints a table, the matrix as Linux printed it in 2005,\n"
	"and the option line that brings the result back. --load shows a kept result, also of another\n"
	"MACHINE.",
	run
};
