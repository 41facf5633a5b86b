/* SPDX-License-Identifier: MIT */
/* Kind loop: the whole driver on a model of run queues, every move compared. */
#include <stdlib.h>
#include <string.h>
#include "vectors.h"
#include "loop_model.h"
#include "decide/driver.h"

#define EVENTS 4096u
#define VALUES (LOOP_TASKS + 4u)

struct loop_event {
	uint64_t tick;
	int arrives, task;
	unsigned cpu;
};

struct loop_case {
	struct vec_run *run;
	struct loop loop;
	struct loop_event event[EVENTS];
	uint64_t id, tree, ticks, tasks, events;
	int lost;          /* lines no longer match: the rest of the record is skipped */
	sdpower_cpu nominee;
};

/* The next line must be this word and these numbers. */
static void expect_line(struct loop_case *c, const char *word, const int64_t *value,
	unsigned count)
{
	struct vec_line *line = &c->run->line;
	char place[32];

	if (c->lost)
		return;
	if (!vec_next(c->run) || strcmp(line->token[0], word) != 0 || line->count != count + 1) {
		vec_malformed(c->run, word);
		c->lost = 1;
		return;
	}
	vec_word(line, word);
	for (unsigned i = 0; i < count; i++) {
		const int64_t expected = vec_signed(line);

		snprintf(place, sizeof(place), "line %u, number %u", line->number, i + 1);
		vec_expect(c->run, place, expected, value[i]);
		c->lost |= expected != value[i];
	}
	vec_expect(c->run, "complete", 1, vec_complete(line));
}

static void moved(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
	unsigned kind)
{
	const int64_t value[] = { (int64_t)tick, task, from, to, kind };

	expect_line(listener, "m", value, 5);
}

static void expect_nominee(struct loop_case *c, uint64_t tick)
{
	const sdpower_cpu nominee = sdpower_preferred_wakeup_cpu(c->loop.s);
	const int64_t value[] = { (int64_t)tick, nominee };

	if (nominee != c->nominee)
		expect_line(c, "n", value, 2);
	c->nominee = nominee;
}

static void expect_queues(struct loop_case *c)
{
	for (unsigned cpu = 0; cpu < c->loop.cpus; cpu++) {
		const struct loop_queue *q = &c->loop.queue[cpu];
		int64_t value[VALUES] = { cpu, q->current };

		for (unsigned i = 0; i < q->count; i++)
			value[2 + i] = q->task[i];
		if (q->count)
			expect_line(c, "q", value, 2 + q->count);
	}
}

static void expect_records(struct loop_case *c)
{
	const struct sdpower *s = c->loop.s;
	const unsigned levels = vec_tree_levels(c->run->trees, (unsigned)c->tree);

	for (unsigned cpu = 0; cpu < c->loop.cpus; cpu++) {
		const uint32_t pos = sdpower_i_position(s, cpu);
		int64_t value[VALUES] = { cpu };
		uint64_t deadline = 0;

		vec_expect(c->run, "deadline", SDPOWER_OK, sdpower_next_deadline(s, cpu, &deadline));
		value[1] = (int64_t)(deadline / LOOP_TICK_NS);
		for (unsigned i = 0; i < levels; i++) {
			value[2 + 2 * i] = sdpower_i_pace_at(s, pos, i)->interval;
			value[3 + 2 * i] = sdpower_i_pace_at(s, pos, i)->failed;
		}
		expect_line(c, "d", value, 2 + 2 * levels);
	}
}

static void play(struct loop_case *c)
{
	struct loop *l = &c->loop;
	uint64_t next = 0;
	int64_t id = (int64_t)c->id;

	loop_start(l);
	c->nominee = sdpower_preferred_wakeup_cpu(l->s);
	for (uint64_t tick = 0; tick < c->ticks && !c->lost; tick++) {
		for (; next < c->events && c->event[next].tick == tick; next++) {
			if (c->event[next].arrives)
				loop_arrive(l, c->event[next].task, c->event[next].cpu);
			else
				loop_depart(l, c->event[next].task);
		}
		loop_step(l);
		expect_nominee(c, tick);
	}
	vec_expect(c->run, "calls that failed", 0, (int64_t)l->refused);
	expect_queues(c);
	expect_records(c);
	expect_line(c, "z", &id, 1);
}

static int read_tasks(struct loop_case *c)
{
	struct vec_line *line = &c->run->line;

	for (uint64_t i = 0; i < c->tasks; i++) {
		struct loop_task *t = &c->loop.task[i];

		if (!vec_next(c->run))
			return 0;
		vec_word(line, "k");
		t->weight = (uint32_t)vec_number(line);
		t->affinity = vec_mask(line);
		t->cpu = LOOP_NOBODY;
		if (!vec_complete(line))
			return 0;
	}
	return 1;
}

static int read_events(struct loop_case *c)
{
	struct vec_line *line = &c->run->line;

	for (uint64_t i = 0; i < c->events; i++) {
		struct loop_event *e = &c->event[i];

		if (!vec_next(c->run))
			return 0;
		e->arrives = strcmp(line->token[0], "+") == 0;
		vec_word(line, e->arrives ? "+" : "-");
		e->tick = vec_number(line);
		e->task = (int)vec_number(line);
		e->cpu = e->arrives ? (unsigned)vec_number(line) : 0;
		if (!vec_complete(line) || e->task < 0 || (uint64_t)e->task >= c->tasks ||
				e->cpu >= c->loop.cpus)
			return 0;
	}
	return 1;
}

static int read_case(struct loop_case *c)
{
	struct vec_line *line = &c->run->line;
	uint64_t mc, smt;
	uint32_t rules;

	vec_word(line, "L");
	c->id = vec_number(line);
	c->tree = vec_number(line);
	mc = vec_number(line);
	smt = vec_number(line);
	rules = line->next < line->count && strcmp(line->token[line->next], "v4") == 0 ?
		SDPOWER_DECIDE_CLASSIC : SDPOWER_DECIDE_CLASSIC_30;
	vec_word(line, rules == SDPOWER_DECIDE_CLASSIC ? "v4" : "30");
	c->loop.cost_ns = (uint32_t)vec_number(line);
	c->tasks = vec_number(line);
	c->events = vec_number(line);
	c->ticks = vec_number(line);
	if (!vec_complete(line) || c->tasks > LOOP_TASKS || c->events > EVENTS)
		return 0;
	c->loop.cpus = vec_tree_cpus(c->run->trees, (unsigned)c->tree);
	c->loop.s = vec_tree_instance(c->run->trees, (unsigned)c->tree, (uint32_t)mc, (uint32_t)smt,
		rules, 0);
	return c->loop.s && read_tasks(c) && read_events(c);
}

static void prepare(struct loop_case *c)
{
	sdpower_i_state_reset(c->loop.s);
	vec_expect(c->run, "nominee 0", SDPOWER_OK, sdpower_nominate(c->loop.s, 0));
	c->loop.walk_size = sdpower_balance_size(c->loop.s);
	c->loop.walk = malloc(c->loop.walk_size);
	c->loop.moved = moved;
	c->loop.listener = c;
	c->lost = 0;
}

void vec_loop(struct vec_run *run)
{
	struct loop_case *c = calloc(1, sizeof(*c));

	c->run = run;
	while (vec_next(run)) {
		if (strcmp(run->line.token[0], "L") != 0 && c->lost)
			continue;
		if (!read_case(c)) {
			vec_malformed(run, "L, k or event");
			c->lost = 1;
			continue;
		}
		vec_begin(run, c->id);
		prepare(c);
		play(c);
		free(c->loop.walk);
	}
	free(c);
}
