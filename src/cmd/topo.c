/* SPDX-License-Identifier: MIT */
/* sdpower topo: reads a machine, builds its domains and hands both to a form. */
#include <stdio.h>
#include <stdlib.h>
#include "cpus.h"
#include "input.h"
#include "rules.h"
#include "say.h"
#include "summary.h"
#include "topo.h"

static int print_dot(const sdpower *s)
{
	char *text;

	if (rules_text(s, sdpower_dump_dot, &text) != SDPOWER_OK)
		return CMD_SYSTEM;
	fputs(text, stdout);
	free(text);
	return CMD_GOOD;
}

/* A machine that no tree can be built of can still be looked at. */
static void find_domains(struct topo *topo, const sdpower *s)
{
	if (!s || chains_find(&topo->chains, s, topo->t) != SDPOWER_OK)
		topo->chains = (struct chains){ .t = topo->t };
}

static void print(const struct cmd_options *o, struct topo *topo, const sdpower *s)
{
	parts_find(&topo->parts, topo->t);
	find_domains(topo, s);
	if (o->json)
		topo_json(topo);
	else if (o->svg)
		topo_svg(topo);
	else
		topo_text(topo);
	chains_drop(&topo->chains);
	parts_drop(&topo->parts);
}

static int show(const struct cmd_options *o, const struct input_machine *m)
{
	struct topo topo = { .rules = o->rules, .t = m->table, .all = o->all,
		.summary.struct_size = sizeof(topo.summary) };
	sdpower *s = NULL;
	int code;

	input_short_name(m->table->name ? m->table->name : m->name, topo.name, sizeof(topo.name));
	if (sdpower_topology_summarise(m->table, &topo.summary) != SDPOWER_OK)
		return CMD_INPUT; /* what was loaded passes the check */
	code = rules_make_or_say(o, m, &s);
	if (!o->dot)
		print(o, &topo, s);
	else if (s)
		code = print_dot(s);
	rules_drop(s);
	return code;
}

static int run(const struct cmd_options *o)
{
	struct input_machine m;
	int code;

	if (o->summary)
		return summary_print(o);
	code = input_machine_or_say(&m, o->file_count ? o->files[0] : NULL);
	if (code != CMD_GOOD)
		return code;
	code = show(o, &m);
	input_machine_drop(&m);
	return code;
}

const struct cmd_command cmd_topo = {
	"topo", "[MACHINE]", "dvSarlms", 0, 1, "draw a machine and its domains",
	"Shows the packages, nodes, caches and cores of a machine, and the scheduling domains the\n"
	"library builds on them. MACHINE is a .topo file, - for standard input, the root of a file\n"
	"system, or a string such as \"pack:2 core:4 pu:2\"; without it, the machine we run on.\n"
	"With --summary any number of them, one line each.",
	run
};
