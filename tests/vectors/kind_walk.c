/* SPDX-License-Identifier: MIT */
/* Kind walk: one cpu's walks over its levels, with scripted results of balancing. */
#include "vectors.h"
#include <sdpower/types.h>
#include "decide/climb.h"

#define LEVELS 8u

enum code { NOT_REACHED, NO_BALANCING, NOT_CALLED, LOCK_REFUSED, CALLED };

struct walk_level {
	uint32_t flags, busy_factor;
	struct sdpower_i_pace pace;
	/* of the present event */
	int64_t lock, ret, keep, interval;
	int64_t code, idle;
};

struct walk_case {
	struct sdpower_i_ticks ticks;
	uint64_t bits, now, next, levels, events;
	struct walk_level level[LEVELS];
};

static int64_t distance(const struct walk_case *c, uint64_t to)
{
	const uint64_t d = to - c->now;

	return c->bits == 32 ? (int32_t)(uint32_t)d : (int64_t)d;
}

/* The level's balancing, as scripted. */
static void call(struct sdpower_i_climb *climb, struct walk_level *l)
{
	l->code = CALLED;
	l->idle = climb->idle;
	if (l->interval >= 0)
		l->pace.interval = (uint32_t)l->interval;
	sdpower_i_climb_called(climb, &l->pace, (int32_t)l->ret, l->keep != 0);
}

static void visit(const struct walk_case *c, struct sdpower_i_climb *climb, struct walk_level *l)
{
	enum sdpower_i_visit v = sdpower_i_climb_enter(climb, &c->ticks, &l->pace, l->flags,
		l->busy_factor);

	l->code = v == SDPOWER_I_VISIT_PASS ? NO_BALANCING : NOT_CALLED;
	if (v == SDPOWER_I_VISIT_PASS)
		return;
	if (v == SDPOWER_I_VISIT_LOCK && !l->lock)
		l->code = LOCK_REFUSED;
	else if (v == SDPOWER_I_VISIT_LOCK)
		v = sdpower_i_climb_locked(climb, &c->ticks, &l->pace);
	if (v == SDPOWER_I_VISIT_CALL)
		call(climb, l);
	sdpower_i_climb_leave(climb, &c->ticks, &l->pace);
}

static int walk(struct walk_case *c, uint64_t kind, uint64_t idle)
{
	struct sdpower_i_climb climb;

	if (kind == 2 && (!c->levels || !sdpower_i_ticks_due(&c->ticks, c->now, c->next)))
		return 0;
	sdpower_i_climb_start(&climb, &c->ticks, c->now,
		kind == 1 ? (uint32_t)SDPOWER_CPU_NEWLY_IDLE : (uint32_t)idle);
	for (uint64_t i = 0; i < c->levels && !climb.over; i++)
		visit(c, &climb, &c->level[i]);
	c->next = sdpower_i_climb_end(&climb, &c->ticks, c->next);
	return 1;
}

static void compare(struct vec_run *run, const struct walk_case *c, int fired)
{
	struct vec_line *line = &run->line;

	vec_word(line, "=");
	vec_expect(run, "fired", vec_signed(line), fired);
	for (uint64_t i = 0; i < c->levels; i++) {
		const struct walk_level *l = &c->level[i];

		vec_expect(run, "code", vec_signed(line), l->code);
		vec_expect(run, "idle_passed", vec_signed(line), l->idle);
		vec_expect(run, "last", vec_signed(line), distance(c, l->pace.last));
	}
	vec_expect(run, "next", vec_signed(line), distance(c, c->next));
	vec_expect(run, "complete", 1, vec_complete(line));
}

static void event(struct vec_run *run, struct walk_case *c)
{
	struct vec_line *line = &run->line;
	uint64_t kind, idle;

	vec_word(line, "e");
	kind = vec_number(line);
	c->now = (c->now + vec_number(line)) & c->ticks.mask;
	idle = vec_number(line);
	for (uint64_t i = 0; i < c->levels; i++) {
		struct walk_level *l = &c->level[i];

		l->lock = vec_signed(line);
		l->ret = vec_signed(line);
		l->keep = vec_signed(line);
		l->interval = vec_signed(line);
		l->code = NOT_REACHED;
		l->idle = -1;
	}
	compare(run, c, walk(c, kind, idle));
}

static int read_case(struct vec_run *run, struct walk_case *c, uint64_t *id)
{
	struct vec_line *line = &run->line;
	uint64_t hz, cpus;

	vec_word(line, "V");
	*id = vec_number(line);
	c->bits = vec_number(line);
	hz = vec_number(line);
	cpus = vec_number(line);
	c->now = vec_number(line);
	c->next = vec_number(line);
	c->levels = vec_number(line);
	c->events = vec_number(line);
	if (!vec_complete(line) || c->levels > LEVELS || (c->bits != 32 && c->bits != 64))
		return 0;
	c->ticks = sdpower_i_ticks_of((uint32_t)c->bits, (uint32_t)hz, (uint32_t)cpus);
	for (uint64_t i = 0; i < c->levels; i++) {
		struct walk_level *l = &c->level[i];

		if (!vec_next(run))
			return 0;
		vec_word(line, "l");
		l->flags = (uint32_t)vec_number(line);
		l->pace.interval = (uint32_t)vec_number(line);
		(void)vec_number(line);
		(void)vec_number(line);
		l->busy_factor = (uint32_t)vec_number(line);
		l->pace.last = vec_number(line);
		l->pace.failed = 0;
		if (!vec_complete(line))
			return 0;
	}
	return 1;
}

void vec_walk(struct vec_run *run)
{
	struct walk_case c;
	uint64_t id;

	while (vec_next(run)) {
		if (!read_case(run, &c, &id)) {
			vec_malformed(run, "V or l");
			continue;
		}
		vec_begin(run, id);
		for (uint64_t i = 0; i < c.events; i++) {
			if (!vec_next(run)) {
				vec_expect(run, "events", (int64_t)c.events, (int64_t)i);
				break;
			}
			event(run, &c);
		}
	}
}
