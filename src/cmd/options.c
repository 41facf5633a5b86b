/* SPDX-License-Identifier: MIT */
/* One row an option: how it is written, where its value goes, what it is for. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower/curve.h>
#include "ink.h"
#include "options.h"
#include "rules.h"
#include "say.h"

#define MOST_MS 600000u

/* These are for every command. */
#define FOR_ALL "jCh"

enum kind { FLAG, NUMBER, WORD };

struct row {
	char letter;
	enum kind kind;
	const char *name, *value, *help;
	size_t offset;               /* of the field in struct cmd_options */
	uint32_t most;               /* NUMBER */
	bool (*good)(const char *);  /* WORD */
};

static bool is_name(const char *text)
{
	return *text != '\0';
}

#define FIELD(field) offsetof(struct cmd_options, field)

static const struct row rows[] = {
	{ 'd', FLAG, "dot", NULL, "draw the domains for Graphviz", FIELD(dot), 0, NULL },
	{ 'v', FLAG, "svg", NULL, "draw a picture as SVG", FIELD(svg), 0, NULL },
	{ 'S', FLAG, "summary", NULL, "one line a machine: how many of what", FIELD(summary), 0, NULL },
	{ 'a', FLAG, "all", NULL, "leave nothing out", FIELD(all), 0, NULL },
	{ 'q', FLAG, "quiet", NULL, "say only what is wrong", FIELD(quiet), 0, NULL },
	{ 'W', FLAG, "strict", NULL, "take warnings as errors", FIELD(strict), 0, NULL },
	{ 'R', FLAG, "record", NULL, "write a trace instead of reading one", FIELD(record), 0, NULL },
	{ 'f', FLAG, "csv", NULL, "print a table for programs, with a header", FIELD(csv), 0, NULL },
	{ 'i', FLAG, "line", NULL, "print only the line that brings the result back", FIELD(line), 0,
		NULL },
	{ 'k', FLAG, "keep", NULL, "print the result as text to be loaded", FIELD(keep), 0, NULL },
	{ 'L', WORD, "load", "FILE", "show a result that was kept", FIELD(load), 0, is_name },
	{ 'P', FLAG, "points", NULL, "print every size that was tried, too", FIELD(points), 0, NULL },
	{ 'p', NUMBER, "percent", "N", "a task is cold after twice the cost times this (100)",
		FIELD(percent), SDPOWER_CURVE_PERCENT_MAX, NULL },
	{ 'n', NUMBER, "near", "MS", "time for cpus that share their cache (20)", FIELD(near), MOST_MS,
		NULL },
	{ 'F', NUMBER, "far", "MS", "time for cpus that do not (100)", FIELD(far), MOST_MS, NULL },
	{ 'H', NUMBER, "hard", "MS", "most time for a distance, waits included (250)", FIELD(hard),
		MOST_MS, NULL },
	{ 't', NUMBER, "total", "MS", "most time altogether (1000)", FIELD(total), MOST_MS, NULL },
	{ 'K', WORD, "costs", "FILE", "tell what moving a task costs, as was kept there", FIELD(costs),
		0, is_name },
	{ 'c', NUMBER, "cpu", "N", "only the cpu with this number", FIELD(cpu), CMD_UNSET - 1, NULL },
	{ 'r', WORD, "rules", "NAME", "default, classic, classic-30, reverted, modern or native",
		FIELD(rules), 0, rules_known },
	{ 'l', WORD, "level", "WORD", "performance (default), balanced or powersave",
		FIELD(level), 0, rules_level_known },
	{ 'm', NUMBER, "mc", "N", "multi-core savings knob, 0 to 2", FIELD(mc), 2, NULL },
	{ 's', NUMBER, "smt", "N", "thread savings knob, 0 to 2", FIELD(smt), 2, NULL },
	{ 'j', FLAG, "json", NULL, "print one JSON document", FIELD(json), 0, NULL },
	{ 'C', WORD, "color", "WHEN", "auto (default), always or never", FIELD(colour), 0, ink_known },
	{ 'h', FLAG, "help", NULL, "print this", 0, 0, NULL },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool takes(const char *letters, char letter)
{
	return strchr(letters, letter) || strchr(FOR_ALL, letter);
}

void options_print(const char *letters)
{
	for (size_t i = 0; i < ROWS; i++) {
		char name[32];

		if (!takes(letters, rows[i].letter))
			continue;
		snprintf(name, sizeof(name), "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
			rows[i].value ? rows[i].value : "");
		printf("  -%c, %-14s %s\n", rows[i].letter, name, rows[i].help);
	}
}

static bool read_number(const struct row *row, const char *text, uint32_t *out)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || n > row->most)
		return false;
	*out = (uint32_t)n;
	return true;
}

static bool store(const struct row *row, struct cmd_options *o, const char *value)
{
	char *field = (char *)o + row->offset;

	switch (row->kind) {
	case FLAG:
		*(bool *)field = true;
		return true;
	case NUMBER:
		return read_number(row, value, (uint32_t *)(void *)field);
	default:
		*(const char **)(void *)field = value;
		return row->good(value);
	}
}

static const struct row *find(int letter)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

/* What getopt wants to know: the rows a command takes, in its own form. */
static void tell_getopt(const char *letters, struct option *longs, char *shorts)
{
	*shorts++ = ':'; /* a missing value is told from an unknown option */
	for (size_t i = 0; i < ROWS; i++) {
		if (!takes(letters, rows[i].letter))
			continue;
		*shorts++ = rows[i].letter;
		if (rows[i].value)
			*shorts++ = ':';
		*longs++ = (struct option){ rows[i].name, rows[i].value ? 1 : 0, NULL,
			rows[i].letter };
	}
}

static bool complain(const struct cmd_command *c, int answer, const char *word)
{
	if (answer == ':')
		say("%s: %s needs a value", c->name, word);
	else
		say("%s: unknown option %s", c->name, word);
	return false;
}

/* Knobs are given by a word or by numbers, and a picture has one form. */
static bool fits_together(const struct cmd_command *c, const struct cmd_options *o)
{
	const int forms = o->json + o->dot + o->svg + o->csv + o->line + o->keep;

	if (forms > 1)
		say("%s: only one form of output at a time", c->name);
	else if (o->level && (o->mc != CMD_UNSET || o->smt != CMD_UNSET))
		say("%s: --level already says what --mc and --smt are", c->name);
	else if (o->file_count < c->least)
		say("%s: %s is missing", c->name, c->operands);
	else if (o->file_count > c->most && !o->summary)
		say("%s: unexpected \"%s\"", c->name, o->files[c->most]);
	else
		return true;
	return false;
}

static bool read_all(struct cmd_options *o, const struct cmd_command *c, int argc, char **argv,
	bool *help)
{
	struct option longs[ROWS + 1] = { { NULL, 0, NULL, 0 } };
	char shorts[2 * ROWS + 2] = "";
	int letter;

	tell_getopt(c->takes, longs, shorts);
	opterr = 0;
	while ((letter = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct row *row = find(letter);

		if (!row)
			return complain(c, letter, argv[optind - 1]);
		if (letter == 'h')
			*help = true;
		else if (!store(row, o, optarg)) {
			say("%s: wrong value for --%s: \"%s\" (%s)", c->name, row->name, optarg,
				row->help);
			return false;
		}
	}
	o->file_count = (uint32_t)(argc - optind);
	o->files = argv + optind;
	return true;
}

enum options_result options_read(struct cmd_options *o, const struct cmd_command *c, int argc,
	char **argv)
{
	bool help = false;

	*o = (struct cmd_options){ .colour = "auto", .rules = "default", .mc = CMD_UNSET,
		.smt = CMD_UNSET, .cpu = CMD_UNSET };
	if (!read_all(o, c, argc, argv, &help))
		return OPTIONS_WRONG;
	if (help)
		return OPTIONS_HELP;
	ink_start(o->colour);
	return fits_together(c, o) ? OPTIONS_RUN : OPTIONS_WRONG;
}
