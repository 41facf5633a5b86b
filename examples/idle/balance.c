/* SPDX-License-Identifier: MIT */
#include "balance.h"

/* None: nobody may tell where, so it stays where it was. */
static uint32_t taken(struct cpus *c, sdpower_status status, const struct sdpower_pick *pick,
	uint32_t otherwise)
{
	cpus_check(c, status);
	return status < 0 || pick->cpu == SDPOWER_CPU_NONE ? otherwise : pick->cpu;
}

/* Timers and disks tell the cpu that asked them, which is the one where the job ran. */
uint32_t balance_wake(struct cpus *c, struct job *job, uint64_t now_ns)
{
	struct sdpower_wake wake = { .struct_size = sizeof(wake), .waker = job->cpu,
		.prev = job->cpu, .weight = SDPOWER_SCALE, .waker_weight = SDPOWER_SCALE,
		.since_ran_ns = now_ns - job->ran_ns };
	struct sdpower_pick pick;

	sdpower_util_add(&job->util, now_ns, 0);
	wake.util = sdpower_util_share(&job->util);
	return taken(c, sdpower_select_cpu(c->sd, &wake, &pick), &pick, job->cpu);
}

uint32_t balance_fork(struct cpus *c, const struct job *ended)
{
	const struct sdpower_wake wake = { .struct_size = sizeof(wake), .waker = ended->cpu,
		.prev = c->make, .weight = SDPOWER_SCALE, .waker_weight = SDPOWER_SCALE };
	struct sdpower_placement place = { .struct_size = sizeof(place),
		.flag = SDPOWER_SD_BALANCE_FORK };
	struct sdpower_pick pick;

	c->make = taken(c, sdpower_select_cpu(c->sd, &wake, &pick), &pick, c->make);
	place.cpu = c->make;
	return taken(c, sdpower_place(c->sd, &place, &pick), &pick, c->make);
}

static void move(struct cpus *c, struct job *job, uint32_t to, uint64_t now_ns)
{
	cpus_remove(c, job, now_ns);
	cpus_add(c, job, to, now_ns);
	c->moves++;
}

/* Offers the jobs of a cpu, the running one only if it is to be pushed, and moves those taken. */
static void offer_all(struct cpus *c, const struct sdpower_balance_action *a,
	struct sdpower_move *m, uint64_t now_ns)
{
	const bool push = a->kind == SDPOWER_BALANCE_PUSH_ONE;
	const struct job *runs = c->queues[a->from].head;
	sdpower_status verdict = SDPOWER_MOVE_LEAVE;
	struct job *job, *next;

	for (job = c->queues[a->from].head; job && verdict != SDPOWER_MOVE_STOP &&
			verdict != SDPOWER_MOVE_LAST; job = next) {
		const bool running = job == runs && !push;
		const struct sdpower_move_task task = { .weight = SDPOWER_SCALE,
			.util = sdpower_util_share(&job->util),
			.flags = SDPOWER_TASK_ALLOWED | (running ? SDPOWER_TASK_RUNNING : 0u),
			.idle_ns = (int64_t)(now_ns - job->ran_ns) };

		next = job->next;
		verdict = sdpower_move_offer(m, &task);
		cpus_check(c, verdict);
		if (verdict == SDPOWER_MOVE_TAKE || verdict == SDPOWER_MOVE_LAST)
			move(c, job, a->cpu, now_ns);
	}
}

/* Does what the library asks for. There is one lock for all, so that of serialised levels is
 * always free, and nobody walks for others. */
static void act(struct cpus *c, const struct sdpower_balance_action *a,
	struct sdpower_balance_outcome *o, uint64_t now_ns)
{
	o->done = 1;
	o->move = a->move;
	if (a->kind == SDPOWER_BALANCE_PULL || a->kind == SDPOWER_BALANCE_PUSH_ONE)
		offer_all(c, a, &o->move, now_ns);
	else if (a->kind == SDPOWER_BALANCE_KICK)
		c->queues[a->from].kicked = true;
}

static void walk(struct cpus *c, uint32_t cpu, uint32_t kind, uint64_t now_ns)
{
	const struct sdpower_balance_request request = { .struct_size = sizeof(request),
		.kind = kind, .cpu = cpu, .helper = SDPOWER_CPU_NONE, .now_ns = now_ns,
		.idle = c->queues[cpu].count ? SDPOWER_CPU_NOT_IDLE : SDPOWER_CPU_IDLE };
	struct sdpower_balance_action action = { .struct_size = sizeof(action) };
	struct sdpower_balance_outcome outcome = { .struct_size = sizeof(outcome) };
	sdpower_status status = sdpower_balance_begin(c->sd, c->walk, c->walk_size, &request,
		&action);

	while (status >= 0 && action.kind != SDPOWER_BALANCE_DONE) {
		act(c, &action, &outcome, now_ns);
		status = sdpower_balance_next(c->sd, c->walk, &outcome, &action);
	}
	cpus_check(c, status);
}

void balance_newly_idle(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	walk(c, cpu, SDPOWER_BALANCE_NEWIDLE, now_ns);
}

static void tick(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	struct job *runs = c->queues[cpu].head;

	if (runs)
		cpus_settle(runs, now_ns);
	cpus_publish(c, cpu, now_ns);
	cpus_check(c, sdpower_tick(c->sd, cpu, now_ns));
	walk(c, cpu, SDPOWER_BALANCE_TICK, now_ns);
	cpus_rotate(c, cpu, now_ns);
}

static void push(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	c->queues[cpu].kicked = false;
	walk(c, cpu, SDPOWER_BALANCE_PUSH, now_ns);
	if (!c->queues[cpu].count)
		balance_newly_idle(c, cpu, now_ns);
}

void balance_tick(struct cpus *c, uint64_t now_ns)
{
	for (uint32_t cpu = 0; cpu < c->machine->cpus; cpu++)
		if (c->machine->seats[cpu].usable)
			tick(c, cpu, now_ns);
	for (uint32_t cpu = 0; cpu < c->machine->cpus; cpu++)
		if (c->queues[cpu].kicked)
			push(c, cpu, now_ns);
}
