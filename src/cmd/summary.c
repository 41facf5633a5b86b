/* SPDX-License-Identifier: MIT */
/* One line a machine: how many of what. */
#include <stdio.h>
#include "input.h"
#include "json.h"
#include "say.h"
#include "summary.h"

/* Columns between the name and the limit: heading, key in JSON, field. */
static const struct column {
	const char *heading, *key;
	size_t offset;
} columns[] = {
	{ "usable_cpus", "usable_cpus", offsetof(struct sdpower_topology_summary, usable_cpus) },
	{ "cores_with_usable_cpus", "cores", offsetof(struct sdpower_topology_summary, cores) },
	{ "packages", "packages", offsetof(struct sdpower_topology_summary, packages) },
	{ "max_usable_threads_per_core", "threads_per_core_max",
		offsetof(struct sdpower_topology_summary, threads_per_core_max) },
	{ "llc_groups", "llc_groups", offsetof(struct sdpower_topology_summary, llc_groups) },
	{ "nodes_with_usable_cpus", "nodes", offsetof(struct sdpower_topology_summary, nodes) },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static uint32_t value_of(const struct sdpower_topology_summary *s, size_t column)
{
	return *(const uint32_t *)(const void *)((const char *)s + columns[column].offset);
}

/* "2", "1.5", "-" for no limit. */
static void print_limit(uint32_t milli)
{
	if (!milli)
		puts("\t-");
	else if (milli % 1000 == 0)
		printf("\t%u\n", (unsigned)(milli / 1000));
	else
		printf("\t%.3g\n", milli / 1000.0);
}

static void print_line(const char *name, const struct sdpower_topology_summary *s)
{
	printf("%s", name);
	for (size_t i = 0; i < COLUMNS; i++)
		printf("\t%u", (unsigned)value_of(s, i));
	print_limit(s->quota_milli);
}

static void print_object(struct json *j, const char *name, const struct sdpower_topology_summary *s)
{
	json_object(j, NULL);
	json_text(j, "topo", name);
	for (size_t i = 0; i < COLUMNS; i++)
		json_number(j, columns[i].key, value_of(s, i));
	json_number(j, "quota_milli", s->quota_milli);
	json_close(j);
}

static int print_one(struct json *j, const char *operand)
{
	struct sdpower_topology_summary s = { .struct_size = sizeof(s) };
	struct input_machine m;
	char name[256];
	int code = input_machine_or_say(&m, operand);

	if (code != CMD_GOOD)
		return code;
	if (sdpower_topology_summarise(m.table, &s) == SDPOWER_OK) {
		input_short_name(operand ? operand : "this-machine", name, sizeof(name));
		if (j)
			print_object(j, name, &s);
		else
			print_line(name, &s);
	} else {
		say_of(m.name, "cannot be counted");
		code = CMD_INPUT;
	}
	input_machine_drop(&m);
	return code;
}

static void print_headings(void)
{
	fputs("#topo", stdout);
	for (size_t i = 0; i < COLUMNS; i++)
		printf("\t%s", columns[i].heading);
	puts("\tquota_limit_cpus");
}

int summary_print(const struct cmd_options *o)
{
	int code = CMD_GOOD;
	struct json j;

	if (o->json) {
		json_start(&j, stdout);
		json_array(&j, "machines");
	} else {
		print_headings();
	}
	if (!o->file_count)
		code = print_one(o->json ? &j : NULL, NULL);
	for (uint32_t i = 0; i < o->file_count; i++)
		code = cmd_worse(code, print_one(o->json ? &j : NULL, o->files[i]));
	if (o->json)
		json_end(&j);
	return code;
}
