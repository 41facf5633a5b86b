/* SPDX-License-Identifier: MIT */
/*
 * Kind newidle: sequences of newidle attempts, wake-ups and periodic passes. The driver is a
 * host with a clock of its own; after every event the whole state is compared with what it was
 * before and the changes the record lists.
 */
#include <stdlib.h>
#include <string.h>
#include "vectors.h"

#define LEVELS 16u
#define ALL_LISTED 7u

/* Bits of records. */
#define EVENT_OVERLOADED 1u
#define EVENT_ACTIVE 2u
#define EVENT_PENDING 4u
#define EVENT_QUEUED 8u
#define EVENT_HIGHER 16u
#define EVENT_LOAD_DUE 32u
#define RES_PULLED 1u
#define RES_QUEUED 2u
#define RES_PENDING 4u
#define RES_STOP 8u
#define RES_BUSY 16u

/* Everything a record can say about the state. */
struct memory {
	struct sdpower_newidle_cpu cpu;
	struct sdpower_newidle_level level[LEVELS];
};

/* One sequence. */
struct sequence {
	struct sdpower_newidle_rules rules;
	struct memory got, expected;
	struct sdpower_newidle tracker; /* of got */
	uint64_t first_tick, first_ns, clock_ns, event_ns;
	unsigned listed[LEVELS]; /* of n, u and r: a closed window lists all three */
	uint32_t update_load;
};

/* What one attempt came to, as its answer line says it. */
struct attempt {
	int64_t result;
	uint64_t end, searched, lost, spent;
};

static uint64_t tick_of(const struct sequence *q)
{
	return q->first_tick + (q->clock_ns - q->first_ns) / (1000000000u / q->rules.hz);
}

static uint32_t find_mode(struct vec_line *line)
{
	const char *name = line->next < line->count ? line->token[line->next++] : "";

	for (uint32_t mode = 1; mode < SDPOWER_NEWIDLE_MODES; mode++)
		if (strcmp(sdpower_newidle_mode_name(mode), name) == 0)
			return mode;
	line->bad = 1;
	return 0;
}

static void read_head(struct vec_line *line, struct sequence *q, uint64_t *id)
{
	struct sdpower_newidle_cpu *cpu = &q->got.cpu;

	*q = (struct sequence) { .rules = { .struct_size = sizeof(q->rules), .tick_bits = 64 } };
	vec_word(line, "S");
	*id = vec_number(line);
	q->rules.mode = find_mode(line);
	q->rules.hz = (uint32_t)vec_number(line);
	q->rules.cpus = (uint32_t)vec_number(line);
	q->rules.migration_cost_ns = vec_number(line);
	q->tracker.level_count = (uint32_t)vec_number(line);
	q->first_tick = vec_number(line);
	q->first_ns = q->clock_ns = vec_number(line);
	cpu->struct_size = sizeof(*cpu);
	cpu->avg_idle_ns = vec_number(line);
	cpu->max_cost_ns = vec_number(line);
	cpu->next_balance = q->first_tick + (uint64_t)vec_signed(line);
	cpu->idle_since_ns = vec_number(line);
	q->tracker.struct_size = sizeof(q->tracker);
	q->tracker.level_stride = sizeof(q->got.level[0]);
	q->tracker.rules = &q->rules;
	q->tracker.cpu = cpu;
	q->tracker.levels = q->got.level;
	if (!vec_complete(line) || q->tracker.level_count > LEVELS || !q->rules.hz)
		line->bad = 1;
}

static int has_ratio(const struct sequence *q)
{
	return q->rules.mode >= SDPOWER_NEWIDLE_K619;
}

static void read_level(struct vec_line *line, struct sequence *q, struct sdpower_newidle_level *l)
{
	vec_word(line, "L");
	l->flags = vec_number(line) ? SDPOWER_SD_BALANCE_NEWIDLE : 0;
	l->interval_ms = (uint32_t)vec_number(line);
	l->busy_factor = (uint32_t)vec_number(line);
	l->last_balance = q->first_tick + (uint64_t)vec_signed(line);
	l->cost_ns = vec_number(line);
	l->stamp = q->first_tick + (uint64_t)vec_signed(line);
	if (has_ratio(q)) {
		l->calls = (uint32_t)vec_number(line);
		l->hits = (uint32_t)vec_number(line);
		l->ratio = (uint32_t)vec_number(line);
		l->window_ns = q->first_ns + (uint64_t)vec_signed(line);
	}
	if (!vec_complete(line))
		line->bad = 1;
}

static uint32_t facts_of_search(uint64_t res)
{
	return (res & RES_PULLED ? SDPOWER_NEWIDLE_PULLED : 0u) |
		(res & RES_QUEUED ? SDPOWER_NEWIDLE_QUEUED : 0u) |
		(res & RES_PENDING ? SDPOWER_NEWIDLE_PENDING : 0u) |
		(res & RES_STOP ? SDPOWER_NEWIDLE_STOP : 0u);
}

/* One attempt as the record describes it: levels hold cost, res and draw. */
static int walk(struct sequence *q, uint64_t flags, uint64_t refresh_ns,
	uint64_t levels[LEVELS][3], struct attempt *a)
{
	struct sdpower_newidle_ask ask = { .struct_size = sizeof(ask), .now_ns = q->clock_ns,
		.tick = tick_of(q),
		.facts = (flags & EVENT_OVERLOADED ? SDPOWER_NEWIDLE_OVERLOADED : 0u) |
			(flags & EVENT_ACTIVE ? SDPOWER_NEWIDLE_ACTIVE : 0u) |
			(flags & EVENT_PENDING ? SDPOWER_NEWIDLE_PENDING : 0u) |
			(flags & EVENT_LOAD_DUE ? SDPOWER_NEWIDLE_LOAD_DUE : 0u) };
	struct sdpower_newidle_walk w = { .struct_size = sizeof(w) };
	uint32_t queued = flags & EVENT_QUEUED ? SDPOWER_NEWIDLE_QUEUED : 0;

	if (sdpower_newidle_begin(&q->tracker, &ask, &w))
		return 0;
	while (w.step != SDPOWER_NEWIDLE_DONE) {
		struct sdpower_newidle_report report = { .struct_size = sizeof(report) };

		if (w.step == SDPOWER_NEWIDLE_REFRESH) {
			q->clock_ns += refresh_ns;
		} else if (w.step == SDPOWER_NEWIDLE_DRAW) {
			report.draw = (uint32_t)levels[w.level][2];
			a->lost |= UINT64_C(1) << w.level;
		} else if (w.step == SDPOWER_NEWIDLE_LOOK) {
			report.facts = queued |
				(flags & EVENT_HIGHER ? SDPOWER_NEWIDLE_HIGHER : 0u);
		} else {
			q->clock_ns += levels[w.level][0];
			report.facts = facts_of_search(levels[w.level][1]);
			a->searched |= UINT64_C(1) << w.level;
			if (w.step == SDPOWER_NEWIDLE_SEARCH)
				queued |= report.facts & SDPOWER_NEWIDLE_QUEUED;
		}
		report.now_ns = q->clock_ns;
		if (sdpower_newidle_next(&q->tracker, &report, &w))
			return 0;
	}
	a->result = w.result;
	a->end = w.end;
	a->spent = w.spent_ns;
	a->lost &= ~a->searched;
	q->update_load = w.update_load;
	return 1;
}

static int replay_attempt(struct vec_line *line, struct sequence *q, struct attempt *a)
{
	uint64_t levels[LEVELS][3] = { { 0 } };
	uint64_t flags = vec_number(line), refresh_ns = vec_number(line);

	for (uint32_t i = 0; i < q->tracker.level_count; i++) {
		levels[i][0] = vec_number(line);
		levels[i][1] = vec_number(line);
		if (has_ratio(q))
			levels[i][2] = vec_number(line);
	}
	return vec_complete(line) && walk(q, flags, refresh_ns, levels, a);
}

static int replay_pass(struct vec_line *line, struct sequence *q, struct attempt *a)
{
	struct sdpower_newidle_pass pass = { .struct_size = sizeof(pass) };
	uint32_t busy = vec_number(line) ? 0 : SDPOWER_NEWIDLE_BUSY;
	uint64_t res[LEVELS];

	for (uint32_t i = 0; i < q->tracker.level_count; i++)
		res[i] = vec_number(line);
	if (!vec_complete(line) || sdpower_newidle_pass_begin(&q->tracker, busy, tick_of(q), &pass))
		return 0;
	while (pass.step != SDPOWER_NEWIDLE_DONE) {
		uint64_t now = res[pass.level];

		if (now & RES_BUSY)
			busy = SDPOWER_NEWIDLE_BUSY;
		a->searched |= UINT64_C(1) << pass.level;
		if (sdpower_newidle_pass_next(&q->tracker, busy |
				(now & RES_PULLED ? SDPOWER_NEWIDLE_PULLED : 0u) |
				(now & RES_STOP ? SDPOWER_NEWIDLE_STOP : 0u), &pass))
			return 0;
	}
	return 1;
}

/* Runs the event of the present line. */
static int replay_event(struct vec_line *line, struct sequence *q, char kind, struct attempt *a)
{
	line->next = 1;
	q->clock_ns += vec_number(line);
	q->event_ns = q->clock_ns;
	q->update_load = 0;
	*a = (struct attempt) { .result = 0 };
	if (kind == 'I')
		return replay_attempt(line, q, a);
	if (kind == 'P')
		return replay_pass(line, q, a);
	return kind == 'W' && vec_complete(line) &&
		sdpower_newidle_wake(&q->tracker, q->clock_ns) >= 0;
}

static void expect_attempt(struct vec_run *run, char kind, const struct attempt *a)
{
	struct vec_line *line = &run->line;

	if (kind == 'P')
		vec_expect(run, "visited", (int64_t)vec_number(line), (int64_t)a->searched);
	if (kind != 'I')
		return;
	vec_expect(run, "ret", vec_signed(line), a->result);
	vec_expect(run, "why", (int64_t)vec_number(line), (int64_t)a->end);
	if (a->end != SDPOWER_NEWIDLE_END_WALKED)
		return;
	vec_expect(run, "visited", (int64_t)vec_number(line), (int64_t)a->searched);
	vec_expect(run, "skipped", (int64_t)vec_number(line), (int64_t)a->lost);
	vec_expect(run, "curr", (int64_t)vec_number(line), (int64_t)a->spent);
}

/* A change that names a level. */
static int apply_level(struct sequence *q, char key, unsigned long level, long long value)
{
	struct sdpower_newidle_level *l = &q->expected.level[level];

	switch (key) {
	case 'c': l->cost_ns = (uint64_t)value; return 1;
	case 's': l->stamp = q->first_tick + (uint64_t)value; return 1;
	case 'b': l->last_balance = q->first_tick + (uint64_t)value; return 1;
	case 'n': l->calls = (uint32_t)value; q->listed[level] |= 1; return 1;
	case 'u': l->hits = (uint32_t)value; q->listed[level] |= 2; return 1;
	case 'r': l->ratio = (uint32_t)value; q->listed[level] |= 4; return 1;
	case 't': l->window_ns = q->first_ns + (uint64_t)value; return 1;
	default: return 0;
	}
}

static int apply_cpu(struct sequence *q, char key, long long value, uint32_t *update_load)
{
	struct sdpower_newidle_cpu *cpu = &q->expected.cpu;

	switch (key) {
	case 'a': cpu->avg_idle_ns = (uint64_t)value; return 1;
	case 'm': cpu->max_cost_ns = (uint64_t)value; return 1;
	case 'x': cpu->next_balance = q->first_tick + (uint64_t)value; return 1;
	case 'i': cpu->idle_since_ns = value ? q->event_ns : 0; return value == 0 || value == 1;
	case 'k': *update_load = (uint32_t)value; return 1;
	default: return 0;
	}
}

/* One `key=value` or `keyLEVEL=value`. */
static int apply_change(struct sequence *q, const char *text, uint32_t *update_load)
{
	char *end;
	unsigned long level = 0;
	const char *equals = strchr(text, '=');
	long long value;

	if (!equals || equals == text || !equals[1])
		return 0;
	value = equals[1] == '-' ? strtoll(equals + 1, &end, 10) :
		(long long)strtoull(equals + 1, &end, 10);
	if (*end)
		return 0;
	if (equals == text + 1)
		return apply_cpu(q, text[0], value, update_load);
	level = strtoul(text + 1, &end, 10);
	return end == equals && level < q->tracker.level_count &&
		apply_level(q, text[0], level, value);
}

static void expect_level(struct vec_run *run, const char *when, unsigned level,
	const struct sdpower_newidle_level *e, const struct sdpower_newidle_level *g, int counts)
{
	const struct {
		const char *name;
		uint64_t expected, got;
	} field[] = {
		{ "c", e->cost_ns, g->cost_ns }, { "s", e->stamp, g->stamp },
		{ "b", e->last_balance, g->last_balance }, { "r", e->ratio, g->ratio },
		{ "t", e->window_ns, g->window_ns }, { "interval", e->interval_ms, g->interval_ms },
		{ "n", counts ? e->calls : 0, counts ? g->calls : 0 },
		{ "u", counts ? e->hits : 0, counts ? g->hits : 0 },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		snprintf(text, sizeof(text), "%s %s%u", when, field[i].name, level);
		vec_expect(run, text, (int64_t)field[i].expected, (int64_t)field[i].got);
	}
}

/* The state after an event against the state before it with the listed changes. */
static void expect_memory(struct vec_run *run, struct sequence *q, uint32_t update_load)
{
	const struct sdpower_newidle_cpu *e = &q->expected.cpu, *g = &q->got.cpu;
	char when[32];

	snprintf(when, sizeof(when), "line %u", run->line.number);
	vec_expect(run, "a", (int64_t)e->avg_idle_ns, (int64_t)g->avg_idle_ns);
	vec_expect(run, "m", (int64_t)e->max_cost_ns, (int64_t)g->max_cost_ns);
	vec_expect(run, "x", (int64_t)e->next_balance, (int64_t)g->next_balance);
	vec_expect(run, "i", (int64_t)e->idle_since_ns, (int64_t)g->idle_since_ns);
	vec_expect(run, "k", update_load, q->update_load);
	for (uint32_t i = 0; i < q->tracker.level_count; i++) {
		/* Between two windows the counts go on unlisted. */
		expect_level(run, when, i, &q->expected.level[i], &q->got.level[i],
			q->listed[i] != 0);
		vec_expect(run, "n, u, r listed", q->listed[i] ? ALL_LISTED : 0, q->listed[i]);
		q->listed[i] = 0;
	}
}

static void expect_answer(struct vec_run *run, struct sequence *q, char kind,
	const struct attempt *a)
{
	struct vec_line *line = &run->line;
	uint32_t update_load = 0;

	vec_word(line, "=");
	expect_attempt(run, kind, a);
	while (line->next < line->count)
		if (!apply_change(q, line->token[line->next++], &update_load))
			line->bad = 1;
	if (line->bad)
		vec_malformed(run, "=");
	else
		expect_memory(run, q, update_load);
}

static void expect_end(struct vec_run *run, struct sequence *q)
{
	struct vec_line *line = &run->line;
	struct memory *e = &q->expected;
	int idle;

	line->next = 1;
	*e = q->got;
	e->cpu.avg_idle_ns = vec_number(line);
	e->cpu.max_cost_ns = vec_number(line);
	e->cpu.next_balance = q->first_tick + (uint64_t)vec_signed(line);
	idle = (int)vec_number(line);
	vec_expect(run, "F idle", idle, q->got.cpu.idle_since_ns != 0);
	for (uint32_t i = 0; i < q->tracker.level_count; i++) {
		struct sdpower_newidle_level *l = &e->level[i];

		l->cost_ns = vec_number(line);
		l->stamp = q->first_tick + (uint64_t)vec_signed(line);
		l->last_balance = q->first_tick + (uint64_t)vec_signed(line);
		if (has_ratio(q)) {
			l->calls = (uint32_t)vec_number(line);
			l->hits = (uint32_t)vec_number(line);
			l->ratio = (uint32_t)vec_number(line);
		}
		q->listed[i] = ALL_LISTED;
	}
	q->update_load = 0;
	if (vec_complete(line))
		expect_memory(run, q, 0);
	else
		vec_malformed(run, "F");
}

/* From the line after the levels to F. 0: what follows cannot be understood. */
static int replay_sequence(struct vec_run *run, struct sequence *q)
{
	struct vec_line *line = &run->line;
	struct attempt a;

	while (vec_next(run)) {
		const char kind = line->token[0][1] ? '?' : line->token[0][0];

		if (kind == 'F') {
			expect_end(run, q);
			return 1;
		}
		q->expected = q->got;
		if (!replay_event(line, q, kind, &a) || !vec_next(run))
			return 0;
		expect_answer(run, q, kind, &a);
	}
	return 0;
}

void vec_newidle(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	struct sequence q;
	uint64_t id = 0;

	while (vec_next(run)) {
		int bad;

		read_head(line, &q, &id);
		bad = line->bad;
		for (uint32_t i = 0; !bad && i < q.tracker.level_count; i++) {
			bad = !vec_next(run);
			if (!bad)
				read_level(line, &q, &q.got.level[i]);
			bad = bad || line->bad;
		}
		if (!bad)
			vec_begin(run, id);
		if (bad || !replay_sequence(run, &q)) {
			vec_malformed(run, "newidle");
			return;
		}
	}
}
