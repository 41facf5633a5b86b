/* SPDX-License-Identifier: MIT */
/*
 * Description: the balance driver under the native rules, as a host on small run queues: no cpu
 * stays idle while a task that may run there waits; everything settles.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "support/instance.h"
#include "decide/driver.h"
#include "vectors/loop_model.h"

#define TICKS 200u
#define SETTLED 120u
#define ROUNDS 100u

struct run {
	struct test_instance t;
	struct loop loop;
	uint64_t walk[64];
	uint64_t trace;       /* of everything that moved, in order */
	uint64_t last;        /* tick of the last move */
	unsigned moves, stray;
	uint32_t tasks;
};

static uint64_t seed;

static void moved(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
	unsigned kind)
{
	struct run *r = listener;
	const uint64_t all = tick << 32 ^ (uint64_t)task << 20 ^ from << 12 ^ to << 4 ^ kind;

	r->trace = (r->trace ^ all) * 0x9e3779b97f4a7c15u;
	r->last = tick;
	r->moves++;
	r->stray += !(r->loop.task[task].affinity >> to & 1);
}

static void make(struct run *r, const char *machine, uint32_t mc, uint32_t smt)
{
	memset(r, 0, sizeof(*r));
	r->t.config.mc = mc;
	r->t.config.smt = smt;
	r->t.config.decisions = SDPOWER_DECIDE_NATIVE;
	r->t.config.tree = SDPOWER_TREE_MODERN;
	r->t.config.flags = SDPOWER_CONFIG_DRIVER | SDPOWER_CONFIG_COUNTERS;
	assert_int_equal(test_make(&r->t, machine), SDPOWER_OK);
	r->loop.s = r->t.s;
	r->loop.cpus = sdpower_cpu_count(r->t.s);
	r->loop.walk = r->walk;
	r->loop.walk_size = sizeof(r->walk);
	assert_true(sdpower_balance_size(r->t.s) <= sizeof(r->walk));
	r->loop.moved = moved;
	r->loop.listener = r;
	r->loop.cost_ns = 500000;
	loop_start(&r->loop);
}

static void drop(struct run *r)
{
	assert_int_equal(r->loop.refused, 0);
	assert_int_equal(r->loop.unpaired, 0);
	assert_int_equal(r->stray, 0);
	test_drop(&r->t);
}

static void add(struct run *r, unsigned cpu, uint32_t weight, uint64_t affinity)
{
	struct loop_task *t = &r->loop.task[r->tasks];

	t->weight = weight;
	t->affinity = affinity;
	t->cpu = LOOP_NOBODY;
	loop_arrive(&r->loop, (int)r->tasks++, cpu);
}

static void run(struct run *r, unsigned ticks)
{
	while (ticks--)
		loop_step(&r->loop);
}

/* A waiting task that an idle cpu may run; the number of such pairs. */
static unsigned wasted(const struct run *r)
{
	unsigned count = 0;

	for (unsigned idle = 0; idle < r->loop.cpus; idle++) {
		if (r->loop.queue[idle].count)
			continue;
		for (unsigned cpu = 0; cpu < r->loop.cpus; cpu++) {
			const struct loop_queue *q = &r->loop.queue[cpu];

			for (unsigned i = 0; i < q->count; i++)
				count += q->count > 1 && q->task[i] != q->current &&
					r->loop.task[q->task[i]].affinity >> idle & 1;
		}
	}
	return count;
}

static const char *machine_of(uint32_t which)
{
	static const char *const machines[] = { "core:4", "pack:2 core:4", "pack:2 core:4 pu:2",
		"node:2 core:4 pu:2", "node:4 core:2", "pack:4 core:8 pu:2", "core:1",
		"pack:2 l3:2 core:2 pu:2" };

	return machines[which % (sizeof(machines) / sizeof(machines[0]))];
}

/* Light: at most a task for each cpu, all alike, none pinned. */
static void random_run(struct run *r, uint64_t from, int light)
{
	struct test_random draw = { from };
	const char *machine = machine_of(test_draw(&draw, 100));
	uint32_t tasks;

	make(r, machine, test_draw(&draw, 3), test_draw(&draw, 3));
	tasks = 1 + test_draw(&draw, (light ? 1 : 2) * r->loop.cpus);
	while (r->tasks < tasks) {
		const unsigned cpu = test_draw(&draw, 1 + test_draw(&draw, r->loop.cpus));
		uint64_t affinity = UINT64_MAX;

		if (!light && test_draw(&draw, 3) == 0)
			affinity = UINT64_C(1) << cpu | (uint64_t)test_draw(&draw, 1u << 31);
		add(r, cpu, light || test_draw(&draw, 3) ? 1024 : 15 + test_draw(&draw, 5000), affinity);
	}
	run(r, TICKS);
}

static void nobody_idles_beside_waiting_tasks(void **state)
{
	struct run *r = malloc(sizeof(*r));

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		random_run(r, seed + i, 0);
		if (wasted(r))
			fail_msg("seed %llu: %u wasted, %u moves", (unsigned long long)(seed + i),
				wasted(r), r->moves);
		drop(r);
	}
	free(r);
}

static void light_loads_settle(void **state)
{
	struct run *r = malloc(sizeof(*r));

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		random_run(r, seed + i, 1);
		if (wasted(r) || r->last >= SETTLED)
			fail_msg("seed %llu: %u wasted, %u moves, last at %llu",
				(unsigned long long)(seed + i), wasted(r), r->moves,
				(unsigned long long)r->last);
		drop(r);
	}
	free(r);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_idles_beside_waiting_tasks),
		cmocka_unit_test(light_loads_settle),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
	printf("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
