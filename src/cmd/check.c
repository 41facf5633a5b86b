/* SPDX-License-Identifier: MIT */
/* sdpower check: is a machine description understood, and do the rules build trees on it? */
#include <stdio.h>
#include <string.h>
#include "ink.h"
#include "input.h"
#include "json.h"
#include "rules.h"
#include "say.h"

/* Pairs of knobs that differ in which levels they ask for. */
static const struct { uint32_t mc, smt; } knobs[] = { { 0, 0 }, { 2, 0 }, { 0, 2 }, { 2, 2 } };

#define KNOBS (sizeof(knobs) / sizeof(knobs[0]))

struct verdict {
	const struct cmd_options *o;
	struct json *j; /* NULL = text */
	const char *name;
	uint32_t errors, warnings;
};

static void report_json(struct json *j, const char *kind, const char *name,
	const struct sdpower_diag *diag)
{
	json_object(j, NULL);
	json_text(j, "kind", kind);
	json_id(j, "line", diag->line ? diag->line : UINT32_MAX);
	json_id(j, "column", diag->column ? diag->column : UINT32_MAX);
	json_text(j, "text", say_text(name, diag));
	json_text(j, "status", sdpower_strstatus(diag->status));
	json_close(j);
}

static void report(struct verdict *v, bool error, const struct sdpower_diag *diag)
{
	const char *kind = error ? "error" : "warning";

	if (error)
		v->errors++;
	else
		v->warnings++;
	if (v->j)
		report_json(v->j, kind, v->name, diag);
	else
		say_diag(v->name, kind, diag);
}

/* The tree by one set of rules and knobs, checked against everything the library promises. */
static sdpower_status build(const struct sdpower_topology *t, const struct rules_set *set,
	uint32_t pair, struct sdpower_diag *diag)
{
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = t,
		.tree = set->tree, .tuning = set->tuning, .decisions = set->decisions,
		.mc = knobs[pair].mc, .smt = knobs[pair].smt };
	sdpower *s = NULL;
	sdpower_status status = rules_make(&config, &s);

	if (status == SDPOWER_OK)
		status = sdpower_check(s, diag);
	rules_drop(s);
	return status;
}

/* Rules that refuse a machine are worth a warning; that all do is an error. */
static void build_all(struct verdict *v, const struct sdpower_topology *t)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < rules_set_count; i++)
		for (uint32_t pair = 0; pair < KNOBS; pair++) {
			struct sdpower_diag diag = { .struct_size = sizeof(diag) };

			diag.status = build(t, &rules_sets[i], pair, &diag);
			good += diag.status == SDPOWER_OK;
			if (diag.status == SDPOWER_OK)
				continue;
			snprintf(diag.text, sizeof(diag.text), "no tree by the rules %s with knobs "
				"mc=%u smt=%u", rules_sets[i].name, (unsigned)knobs[pair].mc,
				(unsigned)knobs[pair].smt);
			report(v, diag.status == SDPOWER_ECORRUPT, &diag);
		}
	if (!good) {
		struct sdpower_diag diag = { .struct_size = sizeof(diag),
			.status = SDPOWER_EOVERLAP, .text = "no set of rules can build a tree" };

		report(v, true, &diag);
	}
}

static bool is_good(const struct verdict *v)
{
	return !v->errors && !(v->o->strict && v->warnings);
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void conclude(const struct verdict *v, const struct sdpower_topology *t)
{
	struct sdpower_topology_summary s = { .struct_size = sizeof(s) };

	if (v->j || v->o->quiet || !is_good(v) || sdpower_topology_summarise(t, &s) != SDPOWER_OK)
		return;
	printf("%s: %sok%s, %u usable cpu%s in %u package%s\n", v->name, ink(INK_GOOD),
		ink(INK_PLAIN), (unsigned)s.usable_cpus, plural(s.usable_cpus), (unsigned)s.packages,
		plural(s.packages));
}

static int check_one(const struct cmd_options *o, struct json *j, const char *operand)
{
	struct input_machine m;
	struct verdict v = { o, j, NULL, 0, 0 };
	const sdpower_status status = input_machine(&m, operand);

	v.name = m.name;
	if (j) {
		json_object(j, NULL);
		json_text(j, "machine", m.name);
		json_array(j, "findings");
	}
	m.diag.status = status;
	if (status != SDPOWER_OK || m.diag.text[0])
		report(&v, status != SDPOWER_OK, &m.diag);
	if (status == SDPOWER_OK)
		build_all(&v, m.table);
	if (j) {
		json_close(j);
		json_bool(j, "good", is_good(&v));
		json_close(j);
	} else if (status == SDPOWER_OK) {
		conclude(&v, m.table);
	}
	input_machine_drop(&m);
	if (status == SDPOWER_ENOENT || status == SDPOWER_EIO)
		return CMD_INPUT; /* nothing was seen that could be judged */
	return is_good(&v) ? CMD_GOOD : CMD_NO;
}

static int run(const struct cmd_options *o)
{
	int code = CMD_GOOD;
	struct json j;

	if (o->json) {
		json_start(&j, stdout);
		json_array(&j, "machines");
	}
	if (!o->file_count)
		code = check_one(o, o->json ? &j : NULL, NULL);
	for (uint32_t i = 0; i < o->file_count; i++)
		code = cmd_worse(code, check_one(o, o->json ? &j : NULL, o->files[i]));
	if (o->json)
		json_end(&j);
	return code;
}

const struct cmd_command cmd_check = {
	"check", "[MACHINE]...", "qW", 0, UINT32_MAX, "say what is wrong with a description, and where",
	"Reads every machine, builds its domains by all sets of rules and checks them. What is wrong\n"
	"goes to standard error as FILE:LINE:COLUMN: error: TEXT, or with --json to the document.",
	run
};
