/* SPDX-License-Identifier: MIT */
/* Kind migration: distances, calibrations and printed tables of small machines. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include "vectors.h"
#include "topology/bits.h"
#include "topology/cpulist.h"

#define CPUS 1024u
#define WORDS (CPUS / 32u)
#define SPANS 4096u
#define LEVELS 64u
#define ROWS 1100u

/* A machine, and where its levels are collected. */
struct tables {
	struct sdpower_migration_machine machine;
	struct sdpower_migration_costs costs;
	uint32_t cpus[WORDS], span[SPANS][WORDS], span_count, seen; /* seen: lines in ascending order */
	uint32_t levels[CPUS], level_end[CPUS];
	const uint32_t *level[CPUS][LEVELS], *flat[CPUS * LEVELS];
	struct { uint32_t distance, cpu, other; } measured[SDPOWER_MIGRATION_DISTANCES];
	uint32_t measured_count, compared;
	int calibrated, has_table, has_line;
};

static void start(struct tables *t)
{
	memset(t, 0, sizeof(*t));
	t->machine = (struct sdpower_migration_machine) { .struct_size = sizeof(t->machine),
		.cpu_count = CPUS, .words = WORDS, .cpus = t->cpus, .level_end = t->level_end,
		.spans = t->flat };
	(void)sdpower_migration_start(&t->costs, SDPOWER_MIGRATION_UNMEASURED);
}

static void read_mask(struct vec_line *line, uint32_t mask[WORDS])
{
	const char *text = line->next < line->count ? line->token[line->next++] : "", *why;
	struct sdpower_i_scan scan = sdpower_i_scan_over(text, strlen(text));
	struct sdpower_i_ids ids;

	if (sdpower_i_cpulist(&scan, mask, WORDS, &ids, &why) || !ids.count || ids.highest >= CPUS)
		line->bad = 1;
}

static void flatten(struct tables *t)
{
	uint32_t end = 0;

	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		for (uint32_t i = 0; i < t->levels[cpu]; i++)
			t->flat[end++] = t->level[cpu][i];
		t->level_end[cpu] = end;
	}
	t->machine.span_count = end;
}

static void add_level(struct tables *t, const uint32_t cpus[WORDS], const uint32_t *span)
{
	for (uint32_t cpu = sdpower_i_bits_next(cpus, WORDS, 0); cpu < CPUS;
			cpu = sdpower_i_bits_next(cpus, WORDS, cpu + 1))
		if (t->levels[cpu] < LEVELS)
			t->level[cpu][t->levels[cpu]++] = span;
	flatten(t);
}

static void read_level(struct vec_line *line, struct tables *t)
{
	uint32_t cpus[WORDS], *span;

	if (t->span_count == SPANS || t->seen || t->calibrated) {
		line->bad = 1;
		return;
	}
	span = t->span[t->span_count++];
	read_mask(line, cpus);
	read_mask(line, span);
	if (!line->bad)
		add_level(t, cpus, span);
}

/* The cpu a line is about; each has one, in ascending order. */
static uint32_t next_cpu(struct vec_line *line, struct tables *t, uint64_t named)
{
	const uint32_t cpu = sdpower_i_bits_next(t->cpus, WORDS, t->seen);

	if (cpu >= CPUS || named != cpu) {
		line->bad = 1;
		return 0;
	}
	t->seen = cpu + 1;
	return cpu;
}

static void compare_distances(struct vec_run *run, struct tables *t)
{
	struct vec_line *line = &run->line;
	const uint32_t cpu = next_cpu(line, t, vec_number(line));

	for (uint32_t other = sdpower_i_bits_next(t->cpus, WORDS, 0); other < CPUS && !line->bad;
			other = sdpower_i_bits_next(t->cpus, WORDS, other + 1)) {
		if (other == cpu)
			vec_word(line, "-");
		else
			vec_expect(run, "distance", vec_signed(line),
				sdpower_migration_distance(&t->machine, cpu, other));
	}
}

/* The script: a pair costs the same whatever the size. */
static uint64_t measure(const struct sdpower_migration_pairs *pairs, uint32_t factor)
{
	const struct sdpower_migration_rules rules = { .struct_size = sizeof(rules),
		.mode = SDPOWER_MIGRATION_LEGACY, .factor = factor, .max_cache_size = 131072 };
	struct sdpower_migration_search search = { .struct_size = sizeof(search) };
	const uint32_t low = pairs->cpu < pairs->other ? pairs->cpu : pairs->other;
	const uint32_t high = pairs->cpu + pairs->other - low;

	if (sdpower_migration_search_begin(&rules, &search))
		return 0;
	while (search.step == SDPOWER_MIGRATION_MEASURE)
		if (sdpower_migration_search_next(&search, 1000 * (100 * (int64_t)low + high + 1)))
			return 0;
	return search.result_ns;
}

static void calibrate(struct vec_run *run, struct tables *t, uint32_t factor)
{
	struct sdpower_migration_pairs pairs = { .struct_size = sizeof(pairs) };

	vec_expect(run, "begin", 0,
		sdpower_migration_pairs_begin(&t->machine, &t->costs, &pairs));
	while (pairs.step == SDPOWER_MIGRATION_MEASURE &&
			t->measured_count < SDPOWER_MIGRATION_DISTANCES) {
		t->measured[t->measured_count].distance = pairs.distance;
		t->measured[t->measured_count].cpu = pairs.cpu;
		t->measured[t->measured_count++].other = pairs.other;
		vec_expect(run, "next", 0, sdpower_migration_pairs_next(&t->machine, &t->costs,
			measure(&pairs, factor), &pairs));
	}
	vec_expect(run, "pairs", SDPOWER_MIGRATION_DONE, pairs.step);
}

/* True iff the lines so far were about every cpu. */
static int saw_all(const struct tables *t)
{
	return sdpower_i_bits_next(t->cpus, WORDS, t->seen) == UINT32_MAX;
}

static void read_calibration(struct vec_run *run, struct tables *t)
{
	struct vec_line *line = &run->line;
	const char *how = vec_migration_text(line), *text;
	uint32_t factor = SDPOWER_MIGRATION_FACTOR_ONE;

	if (t->calibrated || (t->seen && !saw_all(t)))
		line->bad = 1;
	if (strcmp(how, "override") == 0) {
		text = vec_migration_text(line);
		if (strcmp(text, "-") != 0 && sdpower_migration_read_costs(text,
				SDPOWER_MIGRATION_LEGACY, &t->costs) < 0)
			line->bad = 1;
		vec_word(line, "factor");
		if (sdpower_migration_read_factor(vec_migration_text(line),
				SDPOWER_MIGRATION_LEGACY, &factor))
			line->bad = 1;
	} else if (strcmp(how, "measured") != 0) {
		line->bad = 1;
	}
	if (!line->bad)
		calibrate(run, t, factor);
	t->calibrated = 1;
	t->seen = 0;
}

static void compare_pair(struct vec_run *run, struct tables *t)
{
	struct vec_line *line = &run->line;
	const uint32_t i = t->compared++;

	if (i >= t->measured_count) {
		line->bad = 1;
		return;
	}
	vec_expect(run, "distance measured", vec_signed(line), t->measured[i].distance);
	vec_expect(run, "first cpu measured", vec_signed(line), t->measured[i].cpu);
	vec_expect(run, "second cpu measured", vec_signed(line), t->measured[i].other);
}

static void compare_costs(struct vec_run *run, struct tables *t)
{
	struct vec_line *line = &run->line;
	uint32_t i = 0;

	while (line->next < line->count && i < SDPOWER_MIGRATION_DISTANCES)
		vec_expect(run, "cost", vec_signed(line), t->costs.cost_ns[i++]);
	if (i < 6 || i <= t->costs.max_distance || t->has_table)
		line->bad = 1;
	t->has_table = 1;
}

static void compare_boot_line(struct vec_run *run, struct tables *t)
{
	char text[1024];
	size_t length;

	vec_expect(run, "status", 0,
		sdpower_migration_write_costs(&t->costs, text, sizeof(text), &length));
	vec_word(&run->line, text);
	t->has_line = 1;
}

static void compare_levels(struct vec_run *run, struct tables *t)
{
	struct vec_line *line = &run->line;
	const uint32_t cpu = next_cpu(line, t, vec_number(line));

	for (uint32_t level = 0; level < t->levels[cpu]; level++)
		vec_expect(run, "time of level", vec_signed(line), sdpower_migration_level_ns(&t->costs,
			level, SDPOWER_MIGRATION_LEGACY));
}

/* One line of a T block: 0 after its last one. */
static int replay_line(struct vec_run *run, struct tables *t)
{
	struct vec_line *line = &run->line;
	const char head = line->count && !line->token[0][1] ? line->token[0][0] : '\0';

	line->next = 1;
	if (head == 'D')
		read_level(line, t);
	else if (head == 'P' && !t->calibrated)
		compare_distances(run, t);
	else if (head == 'Q')
		read_calibration(run, t);
	else if (head == 'M' && t->calibrated)
		compare_pair(run, t);
	else if (head == 'C' && t->calibrated)
		compare_costs(run, t);
	else if (head == 'L' && t->calibrated)
		compare_boot_line(run, t);
	else if (head == 'H' && t->calibrated)
		compare_levels(run, t);
	else if (head != 'E')
		line->bad = 1;
	return head != 'E';
}

/* A block speaks of all cpus or of none, and of a calibration completely. */
static int is_whole(const struct tables *t)
{
	if (!t->calibrated)
		return saw_all(t);
	return t->compared == t->measured_count && t->has_table && t->has_line &&
		saw_all(t);
}

void vec_migration_table(struct vec_run *run)
{
	static struct tables t;
	struct vec_line *line = &run->line;

	start(&t);
	line->next = 2;
	read_mask(line, t.cpus);
	if (!vec_complete(line)) {
		vec_malformed(run, "T");
		return;
	}
	vec_begin(run, line->number);
	do {
		if (!vec_next(run)) {
			vec_malformed(run, "T without its end");
			return;
		}
		if (!replay_line(run, &t))
			break;
		if (!vec_complete(line))
			vec_malformed(run, "line of T");
	} while (1);
	if (!is_whole(&t) || !vec_complete(line))
		vec_malformed(run, "T");
}

/* The line as it was before it was cut at blanks, up to its last '|'. */
static const char *whole_text(struct vec_line *line)
{
	char *const last = line->token[line->count - 1], *bar = strrchr(last, '|');

	for (char *c = line->text; c < last; c++)
		if (!*c)
			*c = ' ';
	if (!bar || strncmp(line->text, "x ", 2) != 0)
		return NULL;
	*bar = '\0';
	return line->text + 2;
}

/* A printed table: its lines, and what its numbers are taken from. */
struct print {
	char *line[ROWS];
	uint32_t count, cache, mhz;
};

static void free_print(struct print *p)
{
	while (p->count)
		free(p->line[--p->count]);
}

static int read_print(struct vec_run *run, struct print *p, uint64_t count)
{
	while (p->count < count) {
		const char *text = vec_next(run) && run->line.count ? whole_text(&run->line) : NULL;

		if (!text)
			return 0;
		p->line[p->count] = malloc(strlen(text) + 1);
		if (!p->line[p->count])
			return 0;
		strcpy(p->line[p->count++], text);
	}
	return vec_next(run) && run->line.count == 1 && strcmp(run->line.token[0], "E") == 0;
}

/* Distances of one row as levels: level k holds the cpus not farther than k. */
static int read_row(struct tables *t, const char *text, uint32_t cpu)
{
	uint32_t own[WORDS] = { 0 }, distance[CPUS] = { 0 }, farthest = 0;

	for (uint32_t other = sdpower_i_bits_next(t->cpus, WORDS, 0); other < CPUS;
			other = sdpower_i_bits_next(t->cpus, WORDS, other + 1)) {
		if (other == cpu)
			continue;
		text = strchr(text, '(');
		if (!text || sscanf(text++, "(%u)", &distance[other]) != 1)
			return 0;
		farthest = distance[other] > farthest ? distance[other] : farthest;
	}
	if (farthest >= SDPOWER_MIGRATION_DISTANCES || t->span_count + farthest >= SPANS)
		return 0;
	own[cpu / 32] = 1u << cpu % 32;
	for (uint32_t level = 0; level <= farthest; level++) {
		uint32_t *const span = t->span[t->span_count++];

		for (uint32_t other = 0; other < CPUS; other++)
			if (sdpower_i_bits_has(t->cpus, WORDS, other) && distance[other] <= level)
				span[other / 32] |= 1u << other % 32;
		add_level(t, own, span);
	}
	return 1;
}

static int read_cpus(struct tables *t, const char *text)
{
	uint32_t cpu;

	for (text = strchr(text, '['); text; text = strchr(text + 1, '[')) {
		if (sscanf(text, "[%u]", &cpu) != 1 || cpu >= CPUS)
			return 0;
		t->cpus[cpu / 32] |= 1u << cpu % 32;
	}
	return 1;
}

static int read_times(struct tables *t, const char *text)
{
	uint32_t count, i = 0;
	long long ns;

	if (sscanf(text, "cacheflush times [%u]", &count) != 1 || !count ||
	    count > SDPOWER_MIGRATION_DISTANCES)
		return 0;
	for (text = strchr(text, '('); text; text = strchr(text + 1, '(')) {
		if (i == count || sscanf(text, "(%lld)", &ns) != 1)
			return 0;
		t->costs.cost_ns[i++] = ns;
	}
	t->costs.max_distance = count - 1;
	return i == count;
}

/* Takes the machine and the times from a printed table. */
static int understand(struct tables *t, struct print *p)
{
	uint32_t row = 4;

	if (p->count < 7 || sscanf(p->line[1], "migration cost matrix (max_cache_size: %u, "
			"cpu: %u MHz):", &p->cache, &p->mhz) != 2 || !read_cpus(t, p->line[3]))
		return 0;
	for (uint32_t cpu = sdpower_i_bits_next(t->cpus, WORDS, 0); cpu < CPUS;
			cpu = sdpower_i_bits_next(t->cpus, WORDS, cpu + 1))
		if (row >= p->count || !read_row(t, p->line[row++], cpu))
			return 0;
	return row + 3 == p->count && read_times(t, p->line[row + 1]);
}

/* Prints it again; lines are kept without the blanks at their ends. */
static int prints_the_same(const struct tables *t, const struct print *p)
{
	char *text, *line, *rest = NULL;
	size_t length = 0;
	uint32_t i = 0;
	int same = 1;

	(void)sdpower_migration_write_matrix(&t->machine, &t->costs, p->cache, p->mhz, NULL, 0,
		&length);
	text = malloc(length + 1);
	if (!text || sdpower_migration_write_matrix(&t->machine, &t->costs, p->cache, p->mhz, text,
			length + 1, &length)) {
		free(text);
		return 0;
	}
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		size_t end = strlen(line);

		while (end && line[end - 1] == ' ')
			line[--end] = '\0';
		same &= i < p->count && strcmp(line, p->line[i]) == 0;
		i++;
	}
	free(text);
	return same && i == p->count;
}

void vec_migration_matrix(struct vec_run *run)
{
	static struct tables t;
	struct print p = { .count = 0 };
	const unsigned number = run->line.number;
	uint64_t count;

	start(&t);
	run->line.next = 2;
	count = vec_number(&run->line);
	if (vec_complete(&run->line) && count <= ROWS && read_print(run, &p, count) &&
	    understand(&t, &p)) {
		vec_begin(run, number);
		vec_expect(run, "the same print", 1, prints_the_same(&t, &p));
	} else {
		vec_malformed(run, "X");
	}
	free_print(&p);
}
