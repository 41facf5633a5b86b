/* SPDX-License-Identifier: MIT */
/* A calibration as tables for people and for programs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "calibrate.h"
#include "costs.h"
#include "cpus.h"
#include "ink.h"
#include "json.h"

/* What programs get of a distance: name, field, and how wide it is. */
static const struct column {
	const char *name;
	size_t offset, size;
} columns[] = {
#define COLUMN(name, field) { name, offsetof(struct sdpower_calibration_distance, field), \
	sizeof(((struct sdpower_calibration_distance *)0)->field) }
	COLUMN("pairs", pairs), COLUMN("shares_cache", shares_cache), COLUMN("size_bytes", size),
	COLUMN("cost_ns", cost_ns), COLUMN("low_ns", low_ns), COLUMN("high_ns", high_ns),
	COLUMN("there_ns", there_ns), COLUMN("back_ns", back_ns), COLUMN("least_ns", least_ns),
	COLUMN("most_ns", most_ns), COLUMN("hot_ns", hot_ns), COLUMN("ping_ps", ping_ps),
	COLUMN("rounds", rounds), COLUMN("dropped", dropped), COLUMN("wall_ns", wall_ns),
#undef COLUMN
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static uint64_t value_of(const struct sdpower_calibration_distance *d, size_t column)
{
	const void *at = (const char *)d + columns[column].offset;

	return columns[column].size == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}

/* The number of the operating system, or UINT32_MAX. */
static uint32_t os_id(const struct calibrate *k, sdpower_cpu cpu)
{
	return cpu < k->t->cpu_count ? cpus_at(k->t, cpu)->os_id : UINT32_MAX;
}

static void print_pair(const struct calibrate *k, const struct sdpower_calibration_distance *d)
{
	char text[32] = "-";

	if (d->cpu != SDPOWER_CPU_NONE)
		snprintf(text, sizeof(text), "%u-%u", (unsigned)os_id(k, d->cpu),
			(unsigned)os_id(k, d->other));
	printf(" %9s", text);
}

void calibrate_table(const struct calibrate *k)
{
	if (!k->c.count) {
		puts("one cpu: there is nowhere to move a task to");
		return;
	}
	printf("%sdistance  cpus      size KiB   cost us   (93%% interval)      cold after us  flags%s\n",
		ink(INK_BOLD), ink(INK_PLAIN));
	for (uint32_t i = 0; i < k->c.count; i++) {
		const struct sdpower_calibration_distance *d = &k->c.distance[i];
		char flags[128], range[48];

		printf("%8u", (unsigned)i);
		print_pair(k, d);
		snprintf(range, sizeof(range), "(%.1f to %.1f)", (double)d->low_ns / 1000,
			(double)d->high_ns / 1000);
		if (d->pairs)
			printf(" %10.0f %9.1f   %-20s", (double)d->size / 1024,
				(double)d->cost_ns / 1000, range);
		else
			printf(" %10s %9s   %-20s", "?", "?", "not measured");
		printf(" %12.1f  %s%s%s\n", (double)d->hot_ns / 1000, d->flags ? ink(INK_NOTE) : "",
			costs_flags(d->flags, flags, sizeof(flags)),
			d->flags ? ink(INK_PLAIN) : "");
	}
	printf("%s%s in %.0f ms%s\n\n", ink(INK_DIM), k->loaded ? "was measured" : "measured",
		(double)k->c.wall_ns / 1e6, ink(INK_PLAIN));
}

/* Largest cache and clock of the machine we run on, for the title; 0 where nobody says. */
static uint32_t cache_size(const struct calibrate *k)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
	const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
	const long largest = l3 > l2 ? l3 : l2;

	return k->loaded || largest < 0 || largest > INT32_MAX ? 0 : (uint32_t)largest;
#else
	(void)k;
	return 0;
#endif
}

static uint32_t clock_mhz(const struct calibrate *k)
{
	FILE *file = k->loaded ? NULL : fopen("/proc/cpuinfo", "r");
	char line[256];
	double mhz = 0;

	while (file && mhz <= 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, "cpu MHz", 7) && strchr(line, ':'))
			mhz = strtod(strchr(line, ':') + 1, NULL);
	if (file)
		fclose(file);
	return mhz > 0 && mhz < 1e6 ? (uint32_t)mhz : 0;
}

/* The levels of every cpu, as the calibrator of 2005 takes them. */
struct levels {
	struct sdpower_migration_machine machine;
	uint32_t *level_end;
	const uint32_t **spans;
};

static void find_levels(struct levels *l, const struct calibrate *k)
{
	const struct chains *c = &k->chains;
	uint32_t count = 0;

	l->level_end = cmd_alloc(k->t->cpu_count, sizeof(*l->level_end));
	l->spans = cmd_alloc((size_t)k->t->cpu_count * c->depth, sizeof(*l->spans));
	for (sdpower_cpu cpu = 0; cpu < k->t->cpu_count; cpu++) {
		/* Domains are sorted by depth. */
		for (uint32_t i = 0; i < c->count; i++)
			if (cpus_in(c->one[i].viewers, cpu))
				l->spans[count++] = c->one[i].span;
		l->level_end[cpu] = count;
	}
	l->machine = (struct sdpower_migration_machine){ .struct_size = sizeof(l->machine),
		.cpu_count = k->t->cpu_count, .words = c->words, .span_count = count,
		.level_end = l->level_end, .spans = l->spans };
}

void calibrate_matrix(const struct calibrate *k)
{
	struct sdpower_migration_costs costs = { .struct_size = sizeof(costs) };
	const uint32_t cache = cache_size(k), mhz = clock_mhz(k);
	struct levels l;
	size_t length = 0;
	char *text;

	find_levels(&l, k);
	if (sdpower_calibration_costs(&k->c, &costs) == SDPOWER_OK &&
			sdpower_migration_write_matrix(&l.machine, &costs, cache, mhz, NULL, 0,
				&length) == SDPOWER_ENOSPC) {
		text = cmd_alloc(1, length + 1);
		if (sdpower_migration_write_matrix(&l.machine, &costs, cache, mhz, text, length + 1,
				&length) == SDPOWER_OK)
			fputs(text, stdout);
		free(text);
	}
	free(l.level_end);
	free(l.spans);
}

void calibrate_line(const struct calibrate *k)
{
	struct sdpower_migration_costs costs = { .struct_size = sizeof(costs) };
	char text[1024];
	size_t length;

	if (sdpower_calibration_costs(&k->c, &costs) == SDPOWER_OK &&
			sdpower_migration_write_costs(&costs, text, sizeof(text), &length) == SDPOWER_OK)
		printf("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
}

void calibrate_csv(const struct calibrate *k)
{
	fputs("distance,cpu,other,flags", stdout);
	for (size_t i = 0; i < COLUMNS; i++)
		printf(",%s", columns[i].name);
	putchar('\n');
	for (uint32_t n = 0; n < k->c.count; n++) {
		const struct sdpower_calibration_distance *d = &k->c.distance[n];
		char flags[128];

		printf("%u,%" PRId64 ",%" PRId64 ",", (unsigned)n,
			d->cpu == SDPOWER_CPU_NONE ? -1 : (int64_t)os_id(k, d->cpu),
			d->other == SDPOWER_CPU_NONE ? -1 : (int64_t)os_id(k, d->other));
		costs_flags(d->flags, flags, sizeof(flags));
		for (char *c = flags; *c; c++)
			putchar(*c == ',' ? '+' : *c);
		for (size_t i = 0; i < COLUMNS; i++)
			printf(",%" PRIu64, value_of(d, i));
		putchar('\n');
	}
}

void calibrate_json(const struct calibrate *k)
{
	char signature[24];
	struct json j;

	json_start(&j, stdout);
	json_text(&j, "machine", k->name);
	snprintf(signature, sizeof(signature), "%016" PRIx64, k->c.signature);
	json_text(&j, "signature", signature);
	json_bool(&j, "loaded", k->loaded);
	json_number(&j, "percent", k->c.percent);
	json_number(&j, "wall_ns", k->c.wall_ns);
	costs_json_flags(&j, k->c.flags);
	json_array(&j, "distances");
	for (uint32_t n = 0; n < k->c.count; n++) {
		const struct sdpower_calibration_distance *d = &k->c.distance[n];

		json_object(&j, NULL);
		json_number(&j, "distance", n);
		json_id(&j, "cpu", os_id(k, d->cpu));
		json_id(&j, "other", os_id(k, d->other));
		costs_json_flags(&j, d->flags);
		for (size_t i = 0; i < COLUMNS; i++)
			json_number(&j, columns[i].name, value_of(d, i));
		json_close(&j);
	}
	json_close(&j);
	if (k->points)
		calibrate_points_json(&j, k);
	json_end(&j);
}
