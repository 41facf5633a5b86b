/* SPDX-License-Identifier: MIT */
/* Kind machine: balancing one level, with scripted searches and moves. */
#include "vectors.h"
#include <sdpower/types.h>
#include "decide/attempt.h"

struct machine_case {
	struct sdpower_i_attempt_level level;
	struct sdpower_i_pace pace;
	uint64_t events;
};

/* What happens to the machine in one event. */
struct machine_script {
	int64_t kind, idle, balance, group, queues, moved, pinned, clears, nr, allowed, active;
};

/* What it did. */
struct machine_trace {
	int64_t queue;     /* last one picked, -1 = none */
	int64_t active, push, woke, searches;
	uint64_t dropped;  /* cpus no longer looked at */
};

static struct sdpower_i_attempt_found search(const struct sdpower_i_attempt *a,
	const struct machine_script *e, struct machine_trace *t)
{
	struct sdpower_i_attempt_found found = { .balancer = e->balance != 0,
		.sd_idle = e->clears ? 0 : a->sd_idle, .nr = (uint32_t)e->nr };

	t->searches++;
	for (int64_t cpu = 1; e->group && cpu <= e->queues && !found.queue; cpu++) {
		if (t->dropped >> cpu & 1)
			continue;
		found.queue = 1;
		if (e->kind == 1 || e->balance) {
			t->queue = cpu;
			t->active = e->active;
		}
	}
	return found;
}

static int kick(const struct machine_script *e, struct machine_trace *t)
{
	if (e->active)
		return 0;
	t->active = t->woke = 1;
	t->push = 0;
	return 1;
}

static int64_t play(struct machine_case *c, const struct machine_script *e,
	struct machine_trace *t)
{
	struct sdpower_i_attempt a;
	struct sdpower_i_attempt_found found;
	enum sdpower_i_attempt_step step = sdpower_i_attempt_start(&a, &c->level,
		e->kind == 1 ? (uint32_t)SDPOWER_CPU_NEWLY_IDLE : (uint32_t)e->idle);

	while (step != SDPOWER_I_ATTEMPT_END) {
		switch (step) {
		case SDPOWER_I_ATTEMPT_SEARCH:
			if (t->queue > 0)
				t->dropped |= UINT64_C(1) << t->queue;
			found = search(&a, e, t);
			step = sdpower_i_attempt_searched(&a, &c->pace, &found);
			break;
		case SDPOWER_I_ATTEMPT_MOVE:
			step = t->queue <= e->pinned ?
				sdpower_i_attempt_moved(&a, &c->pace, 0, SDPOWER_I_PINNED_ALL) :
				sdpower_i_attempt_moved(&a, &c->pace, (int32_t)e->moved,
					SDPOWER_I_PINNED_NO);
			break;
		case SDPOWER_I_ATTEMPT_RUNNING:
			step = sdpower_i_attempt_running(&a, &c->pace, e->allowed != 0);
			break;
		default:
			step = sdpower_i_attempt_kicked(&a, &c->pace, kick(e, t));
			break;
		}
	}
	return a.result;
}

static void event(struct vec_run *run, struct machine_case *c)
{
	struct vec_line *line = &run->line;
	struct machine_trace t = { .queue = -1, .push = -1 };
	struct machine_script e;
	int64_t result;

	vec_word(line, "e");
	e.kind = vec_signed(line);
	e.idle = vec_signed(line);
	e.balance = vec_signed(line);
	e.group = vec_signed(line);
	e.queues = vec_signed(line);
	e.moved = vec_signed(line);
	e.pinned = vec_signed(line);
	e.clears = vec_signed(line);
	e.nr = vec_signed(line);
	e.allowed = vec_signed(line);
	e.active = vec_signed(line);
	vec_word(line, "=");
	if (line->bad || e.queues > 63) {
		vec_malformed(run, "e");
		return;
	}
	result = play(c, &e, &t);
	vec_expect(run, "ret", vec_signed(line), result);
	vec_expect(run, "balance_interval", vec_signed(line), c->pace.interval);
	vec_expect(run, "nr_balance_failed", vec_signed(line), c->pace.failed);
	vec_expect(run, "busiest", vec_signed(line), t.queue);
	vec_expect(run, "active", vec_signed(line), t.active);
	vec_expect(run, "push", vec_signed(line), t.push);
	vec_expect(run, "woke", vec_signed(line), t.woke);
	vec_expect(run, "calls", vec_signed(line), t.searches);
	vec_expect(run, "complete", 1, vec_complete(line));
}

static int read_case(struct vec_line *line, struct machine_case *c, uint64_t *id)
{
	vec_word(line, "Q");
	*id = vec_number(line);
	c->level.flags = (uint32_t)vec_number(line);
	c->level.saves_above = vec_number(line) == 2;
	c->level.min_interval = (uint32_t)vec_number(line);
	c->level.max_interval = (uint32_t)vec_number(line);
	c->level.tries = (uint32_t)vec_number(line);
	c->pace.interval = (uint32_t)vec_number(line);
	c->pace.failed = (uint32_t)vec_number(line);
	c->level.wakeup_level = (uint32_t)vec_number(line);
	c->events = vec_number(line);
	return vec_complete(line);
}

void vec_machine(struct vec_run *run)
{
	struct machine_case c;
	uint64_t id;

	while (vec_next(run)) {
		if (!read_case(&run->line, &c, &id)) {
			vec_malformed(run, "Q");
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
