/* SPDX-License-Identifier: MIT */
/* Run queues for recorded closed loops, balanced by the driver. */
#include <string.h>
#include "loop_model.h"

enum move_kind { PERIODIC, NEWLY_IDLE, ACTIVE };

static uint64_t now_ns(const struct loop *l)
{
	return l->tick * LOOP_TICK_NS;
}

static void check(struct loop *l, sdpower_status status)
{
	if (status < 0)
		l->refused++;
}

static void publish(struct loop *l, unsigned cpu)
{
	const struct loop_queue *q = &l->queue[cpu];
	uint32_t load = 0, util = 0;

	for (unsigned i = 0; i < q->count; i++) {
		load += l->task[q->task[i]].weight;
		util += l->task[q->task[i]].util;
	}
	check(l, sdpower_set_load(l->s, cpu, q->count, load));
	if (l->tells_util)
		check(l, sdpower_set_util(l->s, cpu, util));
}

static void set_current(struct loop *l, unsigned cpu, int task)
{
	l->queue[cpu].current = task;
	if (task == LOOP_NOBODY) {
		check(l, sdpower_idle_enter(l->s, cpu, now_ns(l)));
		return;
	}
	l->task[task].ran_ns = now_ns(l);
	check(l, sdpower_idle_exit(l->s, cpu, now_ns(l)));
}

static int head_of(const struct loop_queue *q)
{
	return q->count ? q->task[0] : LOOP_NOBODY;
}

static void insert(struct loop *l, unsigned cpu, int task)
{
	struct loop_queue *q = &l->queue[cpu];

	memmove(&q->task[1], &q->task[0], q->count * sizeof(q->task[0]));
	q->task[0] = task;
	q->count++;
	l->task[task].cpu = (int)cpu;
	publish(l, cpu);
}

static unsigned place_of(const struct loop_queue *q, int task)
{
	unsigned i = 0;

	while (q->task[i] != task)
		i++;
	return i;
}

static void take_out(struct loop *l, unsigned cpu, int task)
{
	struct loop_queue *q = &l->queue[cpu];
	const unsigned at = place_of(q, task);

	memmove(&q->task[at], &q->task[at + 1], (q->count - at - 1) * sizeof(q->task[0]));
	q->count--;
	l->task[task].cpu = LOOP_NOBODY;
	publish(l, cpu);
}

static int may_run(const struct loop *l, int task, unsigned cpu)
{
	return l->task[task].affinity >> cpu & 1;
}

/* Offers the tasks of a queue as they stood at the start, head to tail, and moves those taken. */
static void offer_all(struct loop *l, const struct sdpower_balance_action *a,
	struct sdpower_move *move, enum move_kind kind)
{
	const struct loop_queue before = l->queue[a->from];
	sdpower_status verdict = SDPOWER_MOVE_LEAVE;

	move->cost_ns = l->cost_ns;
	for (unsigned i = 0; i < before.count && verdict != SDPOWER_MOVE_STOP &&
			verdict != SDPOWER_MOVE_LAST; i++) {
		const int task = before.task[i];
		const struct sdpower_move_task t = { .weight = l->task[task].weight,
			.util = l->tells_util ? l->task[task].util : 0,
			.flags = (may_run(l, task, a->cpu) ? SDPOWER_TASK_ALLOWED : 0u) |
				(kind != ACTIVE && task == before.current ? SDPOWER_TASK_RUNNING : 0u),
			.idle_ns = (int64_t)(now_ns(l) - l->task[task].ran_ns) };

		verdict = sdpower_move_offer(move, &t);
		check(l, verdict);
		if (verdict != SDPOWER_MOVE_TAKE && verdict != SDPOWER_MOVE_LAST)
			continue;
		*(kind == ACTIVE ? &l->pushed : &l->pulled) += 1;
		take_out(l, a->from, task);
		insert(l, a->cpu, task);
		l->moved(l->listener, l->tick, task, a->from, a->cpu, kind);
	}
}

static int running_may_come(const struct loop *l, const struct sdpower_balance_action *a)
{
	const int task = l->queue[a->from].current;

	return task == LOOP_NOBODY || may_run(l, task, a->cpu);
}

static void new_idle(struct loop *l, unsigned cpu);

/* Whoever lost its running task goes on with the next; whoever got one while idle starts. */
static void settle_push(struct loop *l, unsigned from, unsigned to)
{
	struct loop_queue *q = &l->queue[from];

	if (q->current != LOOP_NOBODY && l->task[q->current].cpu != (int)from)
		set_current(l, from, head_of(q));
	if (l->queue[to].current == LOOP_NOBODY)
		set_current(l, to, head_of(&l->queue[to]));
}

static int lock_is_free(struct loop *l)
{
	l->lottery = l->lottery * 6364136223846793005u + (l->lottery != 0);
	return l->lottery == 0 || l->lottery >> 40 & 1;
}

static void set_locked(struct loop *l, int locked)
{
	l->unpaired += l->locked == locked;
	l->locked = locked;
}

/* Does what an action asks for. */
static void act(struct loop *l, const struct sdpower_balance_action *a, enum move_kind kind,
	struct sdpower_balance_outcome *o)
{
	o->done = 1;
	o->move = a->move;
	switch (a->kind) {
	case SDPOWER_BALANCE_PULL:
		offer_all(l, a, &o->move, kind);
		break;
	case SDPOWER_BALANCE_PUSH_ONE:
		offer_all(l, a, &o->move, ACTIVE);
		settle_push(l, a->from, a->cpu);
		break;
	case SDPOWER_BALANCE_MAY_RUN:
		o->done = (uint32_t)running_may_come(l, a);
		break;
	case SDPOWER_BALANCE_KICK:
		l->kicks++;
		break;
	case SDPOWER_BALANCE_LOCK:
		o->done = (uint32_t)lock_is_free(l);
		if (o->done)
			set_locked(l, 1);
		break;
	case SDPOWER_BALANCE_UNLOCK:
		set_locked(l, 0);
		break;
	default:
		break;
	}
}

int loop_walk(struct loop *l, unsigned cpu, uint32_t kind, uint32_t idle)
{
	const struct sdpower_balance_request request = { .struct_size = sizeof(request),
		.kind = kind, .cpu = cpu, .helper = SDPOWER_CPU_NONE, .idle = idle,
		.now_ns = now_ns(l) };
	struct sdpower_balance_action a = { .struct_size = sizeof(a) };
	struct sdpower_balance_outcome o = { .struct_size = sizeof(o) };
	int acted = 0;

	check(l, sdpower_balance_begin(l->s, l->walk, l->walk_size, &request, &a));
	while (!l->refused && a.kind != SDPOWER_BALANCE_DONE) {
		acted = 1;
		act(l, &a, kind == SDPOWER_BALANCE_NEWIDLE ? NEWLY_IDLE : PERIODIC, &o);
		check(l, sdpower_balance_next(l->s, l->walk, &o, &a));
	}
	l->unpaired += l->locked != 0;
	return acted;
}

static int is_due(struct loop *l, unsigned cpu)
{
	uint64_t deadline = UINT64_MAX;

	check(l, sdpower_next_deadline(l->s, cpu, &deadline));
	return deadline <= now_ns(l);
}

static void new_idle(struct loop *l, unsigned cpu)
{
	(void)loop_walk(l, cpu, SDPOWER_BALANCE_NEWIDLE, 0);
	if (l->queue[cpu].count)
		set_current(l, cpu, head_of(&l->queue[cpu]));
}

void loop_arrive(struct loop *l, int task, unsigned cpu)
{
	l->task[task].ran_ns = now_ns(l);
	insert(l, cpu, task);
	if (l->queue[cpu].current == LOOP_NOBODY)
		set_current(l, cpu, task);
}

void loop_depart(struct loop *l, int task)
{
	const unsigned cpu = (unsigned)l->task[task].cpu;
	struct loop_queue *q = &l->queue[cpu];

	take_out(l, cpu, task);
	if (q->current == task)
		set_current(l, cpu, head_of(q));
	if (!q->count)
		new_idle(l, cpu);
}

static void cpu_step(struct loop *l, unsigned cpu)
{
	struct loop_queue *q = &l->queue[cpu];
	const int was_idle = q->current == LOOP_NOBODY;

	if (!was_idle)
		l->task[q->current].ran_ns = now_ns(l);
	check(l, sdpower_tick(l->s, cpu, now_ns(l)));
	if (!l->tickless || is_due(l, cpu))
		(void)loop_walk(l, cpu, SDPOWER_BALANCE_TICK,
			was_idle ? SDPOWER_CPU_IDLE : SDPOWER_CPU_NOT_IDLE);
	if (was_idle && q->count)
		set_current(l, cpu, head_of(q));
	else if (!was_idle && q->count > 1)
		set_current(l, cpu, q->task[(place_of(q, q->current) + 1) % q->count]);
}

static void push_step(struct loop *l, unsigned cpu)
{
	if (loop_walk(l, cpu, SDPOWER_BALANCE_PUSH, 0) && !l->queue[cpu].count)
		new_idle(l, cpu);
}

void loop_step(struct loop *l)
{
	for (unsigned cpu = 0; cpu < l->cpus; cpu++)
		cpu_step(l, cpu);
	for (unsigned cpu = 0; cpu < l->cpus; cpu++)
		push_step(l, cpu);
	l->tick++;
}

void loop_start(struct loop *l)
{
	l->tick = 0;
	l->locked = 0;
	l->refused = l->unpaired = l->kicks = l->pulled = l->pushed = 0;
	for (unsigned cpu = 0; cpu < l->cpus; cpu++) {
		l->queue[cpu].count = 0;
		l->queue[cpu].current = LOOP_NOBODY;
		publish(l, cpu);
	}
}
