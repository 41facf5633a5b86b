/* SPDX-License-Identifier: MIT */
/*
 * record WHAT: prints what the command sdpower reads, as a host would write it when something looks
 * odd. "waiting" and "wakeup" are snapshots of a machine in use with a question; "before" and
 * "after" are the counters of its balancing. examples/samples has what it prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>
#include <sdpower/hosted.h>

#define CPUS 16u
#define TICK_NS 4000000u

static uint32_t tasks[CPUS]; /* of weight 1024, the running one included */

static void publish(sdpower *s, sdpower_cpu cpu, uint64_t now)
{
	sdpower_set_load(s, cpu, tasks[cpu], tasks[cpu] * 1024);
	if (tasks[cpu])
		sdpower_idle_exit(s, cpu, now);
	else
		sdpower_idle_enter(s, cpu, now);
}

/* Balanced: a package is filled before another one is used. Cpu 1 has three tasks. */
static sdpower *make(void)
{
	struct sdpower_config config = { .struct_size = sizeof(config), .mc = 2,
		.flags = SDPOWER_CONFIG_DRIVER | SDPOWER_CONFIG_COUNTERS };
	struct sdpower_topology *machine;
	size_t size, align;
	sdpower *s;

	if (sdpower_hosted_topology_synthetic("pack:2 core:4 pu:2", &machine, NULL))
		return NULL;
	config.topology = machine;
	if (sdpower_memory_needed(&config, &size, &align) ||
			sdpower_init(aligned_alloc(align, size), size, &config, &s))
		return NULL;
	tasks[0] = tasks[8] = 1;
	tasks[1] = 3;
	for (sdpower_cpu cpu = 0; cpu < CPUS; cpu++)
		publish(s, cpu, 0);
	sdpower_hosted_topology_free(machine);
	return s;
}

/* All but the running task may be pulled; pushed is that one, too. */
static void move_tasks(sdpower *s, const struct sdpower_balance_action *action,
	struct sdpower_balance_outcome *outcome, uint64_t now)
{
	const struct sdpower_move_task task = { .weight = 1024, .flags = SDPOWER_TASK_ALLOWED,
		.idle_ns = 1000000000 };
	sdpower_status verdict = SDPOWER_MOVE_LEAVE;
	uint32_t i = action->kind == SDPOWER_BALANCE_PULL ? 1 : 0;

	outcome->move = action->move;
	for (; i < tasks[action->from] && verdict <= SDPOWER_MOVE_TAKE; i++)
		verdict = sdpower_move_offer(&outcome->move, &task);
	tasks[action->from] -= outcome->move.tasks;
	tasks[action->cpu] += outcome->move.tasks;
	publish(s, action->from, now);
	publish(s, action->cpu, now);
}

/* One walk of a cpu; the cpu that is to be interrupted for it, or NONE. */
static sdpower_cpu balance(sdpower *s, void *walk, uint32_t kind, sdpower_cpu cpu, uint64_t now)
{
	const struct sdpower_balance_request request = { .struct_size = sizeof(request),
		.kind = kind, .cpu = cpu, .helper = SDPOWER_CPU_NONE, .now_ns = now,
		.idle = tasks[cpu] ? SDPOWER_CPU_NOT_IDLE : SDPOWER_CPU_IDLE };
	struct sdpower_balance_action action = { .struct_size = sizeof(action) };
	sdpower_status status = sdpower_balance_begin(s, walk, sdpower_balance_size(s), &request,
		&action);
	sdpower_cpu kicked = SDPOWER_CPU_NONE;

	while (!status && action.kind != SDPOWER_BALANCE_DONE) {
		struct sdpower_balance_outcome outcome = { .struct_size = sizeof(outcome),
			.done = 1, .move.struct_size = sizeof(outcome.move) };

		if (action.kind == SDPOWER_BALANCE_PULL || action.kind == SDPOWER_BALANCE_PUSH_ONE)
			move_tasks(s, &action, &outcome, now);
		if (action.kind == SDPOWER_BALANCE_KICK)
			kicked = action.from;
		status = sdpower_balance_next(s, walk, &outcome, &action);
	}
	return kicked;
}

/* A tenth of a second. */
static void run(sdpower *s)
{
	void *walk = malloc(sdpower_balance_size(s));

	for (uint64_t now = TICK_NS; walk && now <= 25 * TICK_NS; now += TICK_NS)
		for (sdpower_cpu cpu = 0, kicked; cpu < CPUS; cpu++) {
			sdpower_tick(s, cpu, now);
			kicked = balance(s, walk, SDPOWER_BALANCE_TICK, cpu, now);
			if (kicked != SDPOWER_CPU_NONE)
				balance(s, walk, SDPOWER_BALANCE_PUSH, kicked, now);
		}
	free(walk);
}

/* Cpu 10 asks at its outermost level; a task that ran on cpu 12 is woken by cpu 0. */
static sdpower_status write(sdpower *s, const char *what, char *text, size_t size)
{
	struct sdpower_question q = { .struct_size = sizeof(q),
		.busiest = { .struct_size = sizeof(q.busiest), .cpu = 10, .depth = 2,
			.idle = SDPOWER_CPU_NEWLY_IDLE },
		.wake = { .struct_size = sizeof(q.wake), .waker = 0, .prev = 12, .weight = 1024,
			.waker_weight = 1024, .since_ran_ns = 1000000000 } };
	size_t length;

	if (!strcmp(what, "after"))
		run(s);
	if (!strcmp(what, "before") || !strcmp(what, "after"))
		return sdpower_counters_write(s, text, size, &length);
	q.kind = !strcmp(what, "waiting") ? SDPOWER_QUESTION_BUSIEST : SDPOWER_QUESTION_WAKE;
	return sdpower_snapshot_write(s, &q, text, size, &length);
}

int main(int argc, char **argv)
{
	static char text[65536];
	sdpower *s = argc == 2 ? make() : NULL;
	sdpower_status status = s ? write(s, argv[1], text, sizeof(text)) : SDPOWER_EINVAL;

	free(s);
	if (status == SDPOWER_OK)
		fputs(text, stdout);
	else
		fprintf(stderr, "record waiting | wakeup | before | after: %s\n",
			sdpower_strstatus(status));
	return status == SDPOWER_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
