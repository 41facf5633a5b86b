/* SPDX-License-Identifier: MIT */
/* A machine with tasks on run queues, balanced by the driver; every move is written down. */
#ifndef SDPOWER_TEST_RIG_H
#define SDPOWER_TEST_RIG_H

#include <stdint.h>
#include <string.h>
#include <sdpower.h>
#include "support/instance.h"
#include "vectors/loop_model.h"

#define RIG_MOVES 4096u

struct rig_move {
	uint64_t tick;
	unsigned task, from, to, kind; /* kind: 0 periodic, 1 newly idle, 2 pushed */
};

struct rig {
	struct test_instance t;
	struct loop loop;
	uint64_t walk[128];
	uint32_t tasks, moves;
	struct rig_move move[RIG_MOVES];
};

static inline void rig_moved(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
	unsigned kind)
{
	struct rig *r = listener;

	if (r->moves < RIG_MOVES)
		r->move[r->moves] = (struct rig_move){ tick, (unsigned)task, from, to, kind };
	r->moves++;
}

/* A closed loop starts empty. r->t.config may be filled before; the tree follows the rules. */
static inline sdpower_status rig_open(struct rig *r, const char *machine, uint32_t mc, uint32_t smt,
	uint32_t decisions)
{
	sdpower_status status;

	r->t.config.mc = mc;
	r->t.config.smt = smt;
	r->t.config.decisions = decisions;
	r->t.config.tree = decisions == SDPOWER_DECIDE_NATIVE ? SDPOWER_TREE_MODERN :
		decisions == SDPOWER_DECIDE_CLASSIC_30 ? SDPOWER_TREE_CLASSIC_30 :
		SDPOWER_TREE_CLASSIC;
	r->t.config.flags |= SDPOWER_CONFIG_DRIVER;
	status = test_make(&r->t, machine);
	if (status)
		return status;
	memset(&r->loop, 0, sizeof(r->loop));
	r->loop.s = r->t.s;
	r->loop.cpus = sdpower_cpu_count(r->t.s);
	r->loop.walk = r->walk;
	r->loop.walk_size = sizeof(r->walk);
	r->loop.moved = rig_moved;
	r->loop.listener = r;
	r->tasks = r->moves = 0;
	loop_start(&r->loop);
	return SDPOWER_OK;
}

static inline void rig_close(struct rig *r)
{
	test_drop(&r->t);
}

/* util is told only if r->loop.tells_util. */
static inline unsigned rig_add(struct rig *r, unsigned cpu, uint32_t weight, uint32_t util,
	uint64_t affinity)
{
	const unsigned task = r->tasks++;

	r->loop.task[task] = (struct loop_task){ .weight = weight, .util = util,
		.affinity = affinity, .cpu = LOOP_NOBODY };
	loop_arrive(&r->loop, (int)task, cpu);
	return task;
}

/* Ordinary tasks that run all the time. */
static inline void rig_fill(struct rig *r, unsigned cpu, unsigned tasks)
{
	while (tasks--)
		(void)rig_add(r, cpu, SDPOWER_SCALE, SDPOWER_SCALE, UINT64_MAX);
}

static inline void rig_run(struct rig *r, unsigned ticks)
{
	while (ticks--)
		loop_step(&r->loop);
}

static inline unsigned rig_nr(const struct rig *r, unsigned first, unsigned count)
{
	unsigned sum = 0;

	for (unsigned cpu = first; cpu < first + count; cpu++)
		sum += r->loop.queue[cpu].count;
	return sum;
}

/* Groups of so many cpus, counted from cpu 0, that have tasks. */
static inline unsigned rig_active(const struct rig *r, unsigned cpus)
{
	unsigned active = 0;

	for (unsigned first = 0; first < r->loop.cpus; first += cpus)
		active += rig_nr(r, first, cpus) > 0;
	return active;
}

/* Cpus without tasks while others have more than one. */
static inline unsigned rig_wasted(const struct rig *r)
{
	unsigned unused = 0, waiting = 0;

	for (unsigned cpu = 0; cpu < r->loop.cpus; cpu++) {
		unused += r->loop.queue[cpu].count == 0;
		waiting += r->loop.queue[cpu].count > 1 ? r->loop.queue[cpu].count - 1 : 0;
	}
	return unused < waiting ? unused : waiting;
}

#endif
