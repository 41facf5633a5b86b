/* SPDX-License-Identifier: MIT */
/* Kind policy: the policy of 2013, through the public calls. */
#include <string.h>
#include <sdpower.h>
#include "vectors.h"

#define LEVELS 3u
#define MOST_CPUS 1024u /* a line has no more numbers */

/* A machine of a record: cpus in order, so that members[i] = i serves every level. */
struct tables {
	struct sdpower_shi2013_machine machine;
	struct sdpower_shi2013_cpu cpus[MOST_CPUS];
	struct sdpower_shi2013_level levels[LEVELS];
	uint32_t group_end[LEVELS][MOST_CPUS];
	sdpower_cpu members[MOST_CPUS];
	int number[LEVELS]; /* of the record's level at each depth */
};

static void start_tables(struct tables *t, uint64_t cpus)
{
	memset(t, 0, sizeof(*t));
	t->machine = (struct sdpower_shi2013_machine){ .struct_size = sizeof(t->machine),
		.cpu_count = (uint32_t)cpus, .cpu_stride = sizeof(t->cpus[0]), .cpus = t->cpus,
		.levels = t->levels };
	for (uint32_t i = 0; i < MOST_CPUS; i++)
		t->members[i] = i;
}

/* A level of groups of `child` cpus over the cpus from `base` on. */
static void add_level(struct tables *t, int number, uint32_t flags, uint32_t base, uint32_t groups,
	uint32_t child)
{
	const uint32_t depth = t->machine.level_count++;

	for (uint32_t i = 0; i < groups; i++)
		t->group_end[depth][i] = (i + 1) * child;
	t->levels[depth] = (struct sdpower_shi2013_level){ .flags = flags, .group_count = groups,
		.group_end = t->group_end[depth], .members = &t->members[base] };
	t->number[depth] = number;
}

static int read_cpus(struct vec_line *line, struct tables *t, int with_idle, uint32_t power)
{
	const uint64_t count = vec_number(line);

	if (line->bad || count != t->machine.cpu_count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		struct sdpower_shi2013_cpu *cpu = &t->cpus[i];

		cpu->util = (uint32_t)vec_number(line);
		cpu->nr = (uint32_t)vec_number(line);
		cpu->stolen = (uint32_t)vec_number(line);
		cpu->avg_idle_ns = with_idle ? (uint32_t)vec_number(line) : 0;
		cpu->load = (uint32_t)vec_number(line);
		cpu->power = power;
	}
	vec_word(line, "=>");
	return !line->bad;
}

/* The choice among a record's two letters; anything else is malformed. */
static uint32_t letter(struct vec_line *line, const char *first, const char *second)
{
	const char *token = line->next < line->count ? line->token[line->next] : "";

	vec_word(line, strcmp(token, second) == 0 ? second : first);
	return strcmp(token, second) == 0;
}

static int read_shape(struct vec_line *line, uint64_t shape[3])
{
	for (int i = 0; i < 3; i++) {
		shape[i] = vec_number(line);
		if (!shape[i] || shape[i] > MOST_CPUS)
			line->bad = 1;
	}
	return !line->bad && shape[0] * shape[1] * shape[2] <= MOST_CPUS;
}

/* Levels of packages, cores, threads: a level of one child is left out. */
static void add_levels(struct tables *t, const uint64_t shape[3], const uint64_t flags[3],
	uint32_t cpu)
{
	const uint32_t threads = (uint32_t)shape[2], package = (uint32_t)shape[1] * threads;

	if (threads > 1)
		add_level(t, 0, (uint32_t)flags[0], cpu / threads * threads, threads, 1);
	if (shape[1] > 1)
		add_level(t, 1, (uint32_t)flags[1], cpu / package * package, (uint32_t)shape[1],
			threads);
	if (shape[0] > 1)
		add_level(t, 2, (uint32_t)flags[2], 0, (uint32_t)shape[0], package);
}

static void expect_place(struct vec_run *run, const struct tables *t,
	const struct sdpower_shi2013_task *task, const int64_t expected[5])
{
	struct sdpower_shi2013_placed place = { .struct_size = sizeof(place) };
	int64_t level = -1;

	vec_expect(run, "status", 0, sdpower_shi2013_place(&t->machine, task, &place));
	if (place.depth < LEVELS)
		level = t->number[place.depth];
	else if (place.cpu != SDPOWER_CPU_NONE)
		level = -2;
	vec_expect(run, "cpu", expected[0], (int32_t)place.cpu);
	vec_expect(run, "level", expected[1], level);
	vec_expect(run, "leader_first_cpu", expected[2], (int32_t)place.leader);
	vec_expect(run, "dom_util", expected[3], (int64_t)place.util);
	vec_expect(run, "dom_cap", expected[4], (int64_t)place.capacity);
}

static void replay_place(struct vec_run *run)
{
	static struct tables t;
	struct vec_line *line = &run->line;
	struct sdpower_shi2013_task task = { .struct_size = sizeof(task), .affinity_words = 2 };
	uint64_t id, mask, shape[3], flags[3];
	uint32_t words[2];
	int64_t expected[5];
	int ok;

	vec_word(line, "W");
	id = vec_number(line);
	task.stage = letter(line, "P", "W");
	task.policy = (uint32_t)vec_number(line);
	task.operation = letter(line, "F", "W") ? SDPOWER_SHI2013_WAKE : SDPOWER_SHI2013_FORK;
	ok = read_shape(line, shape);
	for (int i = 0; i < 3; i++)
		flags[i] = vec_number(line);
	task.burst_ns = (uint32_t)vec_number(line);
	task.cpu = (uint32_t)vec_number(line);
	task.previous = (uint32_t)vec_number(line);
	mask = vec_mask(line);
	words[0] = (uint32_t)mask;
	words[1] = (uint32_t)(mask >> 32);
	task.affinity = words;
	task.busy = (uint32_t)vec_number(line);
	task.total = (uint32_t)vec_number(line);
	task.is_new = (uint32_t)vec_number(line);
	ok = ok && task.cpu < shape[0] * shape[1] * shape[2];
	if (ok) {
		start_tables(&t, shape[0] * shape[1] * shape[2]);
		add_levels(&t, shape, flags, task.cpu);
		ok = read_cpus(line, &t, 1, shape[2] > 1 ? SDPOWER_SHI2013_CORE_POWER /
			(uint32_t)shape[2] : SDPOWER_SHI2013_POWER);
	}
	for (int i = 0; i < 5; i++)
		expected[i] = vec_signed(line);
	if (!ok || !vec_complete(line)) {
		vec_malformed(run, "W");
		return;
	}
	vec_begin(run, id);
	expect_place(run, &t, &task, expected);
}

/* The word of a mode, as records write it. */
static int64_t read_mode(struct vec_line *line)
{
	static const char *const words[] = { "NONE", "PERF", "POWER" };
	const char *token = line->next < line->count ? line->token[line->next] : "";

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(token, words[i]) == 0) {
			line->next++;
			return i;
		}
	line->bad = 1;
	return -1;
}

struct expected_balance {
	int64_t mode, group, imbalance, record, leader, min, balance;
};

static void expect_balance(struct vec_run *run, const struct tables *t,
	const struct sdpower_shi2013_attempt *attempt, const struct expected_balance *e)
{
	struct sdpower_shi2013_balanced b = { .struct_size = sizeof(b) };

	vec_expect(run, "status", 0, sdpower_shi2013_balance(&t->machine, attempt, &b));
	vec_expect(run, "mode", e->mode, b.mode);
	vec_expect(run, "group", e->group, (int32_t)b.group);
	vec_expect(run, "imbalance", e->imbalance, (int64_t)b.imbalance);
	vec_expect(run, "record_out", e->record, (int64_t)b.record);
	vec_expect(run, "leader", e->leader, (int32_t)b.leader);
	vec_expect(run, "min", e->min, (int32_t)b.min);
	vec_expect(run, "balance", e->balance, b.balance);
}

static void replay_balance(struct vec_run *run)
{
	static const uint32_t idle[] = { SDPOWER_CPU_NOT_IDLE, SDPOWER_CPU_IDLE,
		SDPOWER_CPU_NEWLY_IDLE };
	static struct tables t;
	struct vec_line *line = &run->line;
	struct sdpower_shi2013_attempt a = { .struct_size = sizeof(a) };
	struct expected_balance e;
	uint64_t id, shares, kind, groups, width;
	int ok;

	vec_word(line, "B");
	id = vec_number(line);
	a.policy = (uint32_t)vec_number(line);
	shares = vec_number(line);
	kind = vec_number(line);
	groups = vec_number(line);
	width = vec_number(line);
	a.cpu = (uint32_t)vec_number(line);
	a.record = vec_mask(line);
	a.since_ms = vec_number(line);
	a.max_interval_ms = (uint32_t)vec_number(line);
	ok = shares < 2 && kind < 3 && groups <= MOST_CPUS && width <= MOST_CPUS &&
		groups && width && groups * width <= MOST_CPUS;
	if (ok) {
		a.idle = idle[kind];
		start_tables(&t, groups * width);
		add_level(&t, 0, shares ? SDPOWER_SHI2013_SHARES_CORE : 0, 0, (uint32_t)groups,
			(uint32_t)width);
		ok = read_cpus(line, &t, 0, SDPOWER_SHI2013_POWER);
	}
	e.mode = read_mode(line);
	e.group = vec_signed(line);
	e.imbalance = vec_signed(line);
	e.record = (int64_t)vec_mask(line);
	e.leader = vec_signed(line);
	e.min = vec_signed(line);
	e.balance = vec_signed(line);
	if (!ok || !vec_complete(line)) {
		vec_malformed(run, "B");
		return;
	}
	vec_begin(run, id);
	expect_balance(run, &t, &a, &e);
}

void vec_policy(struct vec_run *run)
{
	while (vec_next(run))
		if (run->line.count && strcmp(run->line.token[0], "B") == 0)
			replay_balance(run);
		else
			replay_place(run);
}
