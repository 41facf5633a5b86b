/* SPDX-License-Identifier: MIT */
/* One closed loop: an instance, tasks on run queues, and a count of what moves. */
#include <stdlib.h>
#include <string.h>
#include "loops.h"
#include "support/instance.h"
#include "vectors/loop_model.h"

#define WEIGHT 1024u
#define COST_NS 500000u
#define TICKS_PER_SECOND 250u
#define MOST_CPUS 64u

const struct loops_machine loops_machines[] = {
	{ "1x4", "pack:1 core:4", 1, 4, 1 },
	{ "2x2", "pack:2 core:2", 2, 2, 1 },
	{ "2x4", "pack:2 core:4", 2, 4, 1 },
	{ "2x4x2", "pack:2 core:4 pu:2", 2, 4, 2 },
	{ "2x4x2-numa", "node:2 core:4 pu:2", 2, 4, 2 },
	{ "4x8x2", "pack:4 core:8 pu:2", 4, 8, 2 },
};
const uint32_t loops_machine_count = sizeof(loops_machines) / sizeof(loops_machines[0]);

const uint32_t loops_knobs[][2] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 0, 1 }, { 0, 2 }, { 2, 2 } };
const uint32_t loops_knob_count = sizeof(loops_knobs) / sizeof(loops_knobs[0]);

/* What a listener needs to judge a move. */
struct watch {
	const struct loops_case *c;
	const struct loop *loop;
	struct loops_result *r;
	uint32_t emptied; /* set of packages that once had tasks and had none later */
};

static uint32_t package_cpus(const struct loops_machine *m)
{
	return m->cores * m->threads;
}

static uint32_t tasks_of(const struct loops_machine *m, const struct loop *l, uint32_t package)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < package_cpus(m); i++)
		sum += l->queue[package * package_cpus(m) + i].count;
	return sum;
}

uint32_t loops_capacity(const struct loops_machine *m, uint32_t mc, uint32_t smt)
{
	return mc && !smt ? m->cores : package_cpus(m);
}

uint32_t loops_undone(const struct loops_case *c, const struct loops_result *r)
{
	return c->start == LOOPS_PACKED && (c->mc || c->smt) ? r->woke : r->undone;
}

/* The queues are as they are after the move. */
static void moved(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
	unsigned kind)
{
	struct watch *w = listener;
	const struct loops_machine *m = w->c->machine;
	const uint32_t source = from / package_cpus(m), target = to / package_cpus(m);
	const uint32_t left = tasks_of(m, w->loop, source);

	(void)task;
	(void)kind;
	w->r->moves++;
	w->r->settled = (uint32_t)tick + 1;
	if (source != target && tasks_of(m, w->loop, target) == 1 &&
			left + 1 <= loops_capacity(m, w->c->mc, w->c->smt)) {
		w->r->woke++;
		w->r->undone += w->emptied >> target & 1;
	}
	if (!left)
		w->emptied |= 1u << source;
}

static uint32_t place_of(const struct loops_case *c, uint32_t task)
{
	const uint32_t packages = c->machine->packages;

	if (c->start == LOOPS_PACKED)
		return task;
	return task % packages * package_cpus(c->machine) + task / packages;
}

static void add_tasks(const struct loops_case *c, struct loop *l)
{
	for (uint32_t i = 0; i < c->tasks; i++) {
		l->task[i] = (struct loop_task){ .weight = WEIGHT, .affinity = UINT64_MAX,
			.cpu = LOOP_NOBODY };
		loop_arrive(l, (int)i, place_of(c, i));
	}
}

static void look_at_end(const struct loops_case *c, const struct loop *l, struct loops_result *r)
{
	for (uint32_t package = 0; package < c->machine->packages; package++)
		r->packages += tasks_of(c->machine, l, package) > 0;
	for (uint32_t cpu = 0; cpu < l->cpus; cpu++)
		r->shared += l->queue[cpu].count > 1;
	r->refused = (uint32_t)(l->refused + l->unpaired);
}

static void play(const struct loops_case *c, sdpower *s, struct loops_result *r)
{
	static struct loop l;
	static uint64_t walk[64];
	struct watch w = { .c = c, .loop = &l, .r = r };

	l.s = s;
	l.cpus = sdpower_cpu_count(s);
	l.walk = walk;
	l.walk_size = sizeof(walk);
	l.cost_ns = COST_NS;
	l.moved = moved;
	l.listener = &w;
	loop_start(&l);
	add_tasks(c, &l);
	for (uint32_t tick = 0; tick < LOOPS_TICKS; tick++)
		loop_step(&l);
	look_at_end(c, &l, r);
}

int loops_run(const struct loops_case *c, struct loops_result *r)
{
	static const uint32_t decisions[] = { SDPOWER_DECIDE_CLASSIC_30, SDPOWER_DECIDE_CLASSIC,
		SDPOWER_DECIDE_NATIVE };
	static const uint32_t trees[] = { SDPOWER_TREE_CLASSIC_30, SDPOWER_TREE_CLASSIC,
		SDPOWER_TREE_MODERN };
	struct test_instance t = { .config = { .mc = c->mc, .smt = c->smt,
		.decisions = decisions[c->rules], .tree = trees[c->rules],
		.flags = SDPOWER_CONFIG_DRIVER, .hz = TICKS_PER_SECOND, .interval_cpus = MOST_CPUS } };
	const sdpower_status status = test_make(&t, c->machine->text);

	memset(r, 0, sizeof(*r));
	if (!status)
		play(c, t.s, r);
	test_drop(&t);
	return !status;
}
