/* SPDX-License-Identifier: MIT */
/* sdpower stats: the counters a host wrote down, summed by level; or what came between two texts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ink.h"
#include "input.h"
#include "json.h"
#include "say.h"

#define PUSHES 3u
#define VALUES (SDPOWER_PASS_KINDS * SDPOWER_PASS_COUNTERS + PUSHES)
#define NAME 24u

static const char *const kind_names[SDPOWER_PASS_KINDS] = { "idle", "busy", "newly idle" };
static const char *const push_names[PUSHES] = { "alb_count", "alb_failed", "alb_pushed" };

/* A line of the text. */
struct row {
	uint32_t cpu, depth;
	char level[NAME];
	uint32_t value[VALUES];
};

struct table {
	uint32_t count, room;
	struct row *row;
};

/* All cpus of a depth and level together. */
struct sum {
	uint32_t depth, cpus;
	char level[NAME];
	uint64_t value[VALUES];
};

static int fail(const char *name, uint32_t line, const char *text)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag), .status = SDPOWER_EPARSE,
		.line = line };

	snprintf(diag.text, sizeof(diag.text), "%s", text);
	say_diag(name, "error", &diag);
	return CMD_INPUT;
}

/* A decimal number below 2^32 behind one blank. */
static bool take_number(char **at, uint32_t *value)
{
	unsigned long long n;
	char *end;

	if ((*at)[0] != ' ' || (*at)[1] < '0' || (*at)[1] > '9')
		return false;
	n = strtoull(*at + 1, &end, 10);
	*at = end;
	*value = (uint32_t)n;
	return n <= UINT32_MAX;
}

static bool take_name(char **at, char *name)
{
	size_t length = strcspn(*at + 1, " ");

	if (**at != ' ' || !length || length >= NAME)
		return false;
	memcpy(name, *at + 1, length);
	name[length] = '\0';
	*at += 1 + length;
	return true;
}

static bool read_row(char *line, struct row *row)
{
	char *at = line + strlen("level");

	if (strncmp(line, "level ", 6) || !take_number(&at, &row->cpu) ||
			!take_number(&at, &row->depth) || !take_name(&at, row->level))
		return false;
	for (uint32_t i = 0; i < VALUES; i++)
		if (!take_number(&at, &row->value[i]))
			return false;
	return !*at;
}

static void add_row(struct table *t, const struct row *row)
{
	if (t->count == t->room) {
		struct row *larger = cmd_alloc((size_t)t->room * 2 + 64, sizeof(*larger));

		if (t->count)
			memcpy(larger, t->row, t->count * sizeof(*larger));
		free(t->row);
		t->row = larger;
		t->room = t->room * 2 + 64;
	}
	t->row[t->count++] = *row;
}

/* Cuts the next line off; NULL when there is none that is ended. */
static char *next_line(char **at)
{
	char *line = *at, *feed = strchr(line, '\n');

	if (!feed)
		return NULL;
	*feed = '\0';
	*at = feed + 1;
	return line;
}

static int read_lines(struct table *t, const char *name, char *text)
{
	uint32_t number = 1;
	char *line = next_line(&text);

	if (!line || strncmp(line, "sdpower counters ", 17))
		return fail(name, 1, "these are no counters: the first line is not "
			"\"sdpower counters 1\"");
	if (strcmp(line, "sdpower counters 1"))
		return fail(name, 1, "a version that this command does not know");
	while ((line = next_line(&text)) && strcmp(line, "end")) {
		struct row row;

		number++;
		if (!read_row(line, &row))
			return fail(name, number, "not a level with its counters");
		add_row(t, &row);
	}
	if (!line)
		return fail(name, number + 1, "the text has no end");
	return *text ? fail(name, number + 2, "text behind the end") : CMD_GOOD;
}

static int read_table(struct table *t, const char *name)
{
	size_t length;
	char *raw, *text;
	int code = input_read(name, &raw, &length);

	*t = (struct table){ 0, 0, NULL };
	if (code != CMD_GOOD)
		return code;
	text = cmd_alloc(1, length + 1);
	memcpy(text, raw, length);
	free(raw);
	code = read_lines(t, name, text);
	free(text);
	return code;
}

/* The row of the same cpu and level in another table, which usually has it at the same place. */
static const struct row *find_row(const struct table *t, const struct row *like, uint32_t hint)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct row *row = &t->row[(i + hint) % t->count];

		if (row->cpu == like->cpu && row->depth == like->depth &&
				!strcmp(row->level, like->level))
			return row;
	}
	return NULL;
}

/* Counters wrap, and those of a level that is new began at 0. */
static void subtract(struct table *later, const struct table *earlier)
{
	for (uint32_t i = 0; i < later->count; i++) {
		const struct row *before = find_row(earlier, &later->row[i], i);

		for (uint32_t k = 0; before && k < VALUES; k++)
			later->row[i].value[k] -= before->value[k];
	}
}

static struct sum *sum_up(const struct table *t, uint32_t *count)
{
	struct sum *sums = cmd_alloc((size_t)t->count + 1, sizeof(*sums));

	*count = 0;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct row *row = &t->row[i];
		uint32_t n = 0;

		while (n < *count && (sums[n].depth != row->depth || strcmp(sums[n].level, row->level)))
			n++;
		if (n == *count) {
			sums[n].depth = row->depth;
			strcpy(sums[n].level, row->level);
			(*count)++;
		}
		sums[n].cpus++;
		for (uint32_t k = 0; k < VALUES; k++)
			sums[n].value[k] += row->value[k];
	}
	return sums;
}

static const uint64_t *pushes_of(const struct sum *s)
{
	return &s->value[SDPOWER_PASS_KINDS * SDPOWER_PASS_COUNTERS];
}

static void print_sum(const struct sum *s)
{
	printf("%sdepth %u, %s, %u cpu%s%s\n  %-11s", ink(INK_PART), (unsigned)s->depth, s->level,
		(unsigned)s->cpus, s->cpus == 1 ? "" : "s", ink(INK_PLAIN), "");
	for (uint32_t i = 0; i < SDPOWER_PASS_COUNTERS; i++)
		printf(" %13s", sdpower_pass_counter_name(i));
	putchar('\n');
	for (uint32_t kind = 0; kind < SDPOWER_PASS_KINDS; kind++) {
		printf("  %-11s", kind_names[kind]);
		for (uint32_t i = 0; i < SDPOWER_PASS_COUNTERS; i++)
			printf(" %13" PRIu64, s->value[kind * SDPOWER_PASS_COUNTERS + i]);
		putchar('\n');
	}
	printf("  pushes      %s %" PRIu64 ", %s %" PRIu64 ", %s %" PRIu64 "\n", push_names[0],
		pushes_of(s)[0], push_names[1], pushes_of(s)[1], push_names[2], pushes_of(s)[2]);
}

static void write_sum(struct json *j, const struct sum *s)
{
	json_object(j, NULL);
	json_number(j, "depth", s->depth);
	json_text(j, "level", s->level);
	json_number(j, "cpus", s->cpus);
	for (uint32_t kind = 0; kind < SDPOWER_PASS_KINDS; kind++) {
		json_object(j, kind_names[kind]);
		for (uint32_t i = 0; i < SDPOWER_PASS_COUNTERS; i++)
			json_number(j, sdpower_pass_counter_name(i),
				s->value[kind * SDPOWER_PASS_COUNTERS + i]);
		json_close(j);
	}
	for (uint32_t i = 0; i < PUSHES; i++)
		json_number(j, push_names[i], pushes_of(s)[i]);
	json_close(j);
}

static bool is_zero(const struct table *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		for (uint32_t k = 0; k < VALUES; k++)
			if (t->row[i].value[k])
				return false;
	return true;
}

static void print(const struct cmd_options *o, const struct table *t)
{
	uint32_t count;
	struct sum *sums = sum_up(t, &count);
	struct json j;

	if (o->json) {
		json_start(&j, stdout);
		json_array(&j, "levels");
	}
	for (uint32_t i = 0; i < count; i++) {
		if (o->json)
			write_sum(&j, &sums[i]);
		else if (!is_zero(t))
			print_sum(&sums[i]);
	}
	if (o->json)
		json_end(&j);
	else if (!count)
		puts("no levels");
	else if (is_zero(t))
		printf("nothing happened at %u level%s\n", (unsigned)count, count == 1 ? "" : "s");
	free(sums);
}

static int run(const struct cmd_options *o)
{
	struct table later = { 0, 0, NULL }, earlier = { 0, 0, NULL };
	int code = read_table(&later, o->files[o->file_count - 1]);

	if (code == CMD_GOOD && o->file_count == 2)
		code = read_table(&earlier, o->files[0]);
	if (code == CMD_GOOD) {
		if (earlier.count)
			subtract(&later, &earlier);
		print(o, &later);
	}
	free(later.row);
	free(earlier.row);
	return code;
}

const struct cmd_command cmd_stats = {
	"stats", "[EARLIER] COUNTERS", "", 1, 2, "sum the counters of a running host by level",
	"Reads a text that sdpower_counters_write made (- for standard input) and sums it over the cpus\n"
	"of each level, by why they balanced; with two texts, what happened between them.",
	run
};
