/* SPDX-License-Identifier: MIT */
/*
 * Description: invariants of the native rules in closed loops on random machines, with random
 * knobs, tasks and events, then quiet. test_properties [SEED [ROUNDS]]; each line of a failure
 * names its seed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "support/rig.h"
#include "unit/random_machine.h"

#define CPUS 64u
#define BUSY_TICKS 60u
#define QUIET_TICKS 700u
#define CALM_TICKS 200u /* at the end of the quiet ones: nothing moves any more */
#define FIT_PERCENT 80u

static uint64_t seed;
static unsigned rounds = 40;
static struct rig r;
static struct random_machine m;
static void *memory;

/* 0 when the machine is refused: some have masks that overlap where the rules need them. */
static int make_instance(uint64_t from)
{
	sdpower_status status;
	struct sdpower_config *c = &r.t.config;
	size_t size, align;

	do
		random_machine_make(&m, from);
	while (m.topology.cpu_count > CPUS && (from += UINT64_C(1) << 32));
	memset(&r.t, 0, sizeof(r.t));
	c->struct_size = sizeof(*c);
	c->topology = &m.topology;
	c->tree = SDPOWER_TREE_MODERN;
	c->decisions = SDPOWER_DECIDE_NATIVE;
	c->flags = SDPOWER_CONFIG_DRIVER;
	c->mc = random_below(&m, 3);
	c->smt = random_below(&m, 3);
	assert_int_equal(sdpower_memory_needed(c, &size, &align), SDPOWER_OK);
	memory = aligned_alloc(align, size);
	status = sdpower_init(memory, size, c, &r.t.s);
	assert_true(status == SDPOWER_OK || status == SDPOWER_EOVERLAP);
	return status == SDPOWER_OK;
}

static void make_tasks(void)
{
	memset(&r.loop, 0, sizeof(r.loop));
	r.loop.s = r.t.s;
	r.loop.cpus = sdpower_cpu_count(r.t.s);
	r.loop.walk = r.walk;
	r.loop.walk_size = sizeof(r.walk);
	r.loop.moved = rig_moved;
	r.loop.listener = &r;
	r.loop.cost_ns = one_in(&m, 2) ? 500000 : 0;
	r.loop.tells_util = one_in(&m, 2);
	r.moves = 0;
	r.tasks = 1 + random_below(&m, r.loop.cpus + r.loop.cpus / 2);
	for (uint32_t i = 0; i < r.tasks; i++)
		r.loop.task[i] = (struct loop_task){ .weight = one_in(&m, 3) ? 15 + random_below(&m, 4000) :
			1024, .util = 50 + random_below(&m, 975), .cpu = LOOP_NOBODY,
			.affinity = one_in(&m, 5) ? 1u | random_below(&m, UINT32_MAX) : UINT64_MAX };
	loop_start(&r.loop);
}

static int usable(unsigned cpu)
{
	return !(m.cpus[cpu].flags & SDPOWER_CPU_OFFLINE);
}

/* Offline cpus get nothing; a task that may run nowhere else stays away. */
static void events(void)
{
	for (uint32_t i = random_below(&m, 6); i; i--) {
		const int task = (int)random_below(&m, r.tasks);
		const unsigned cpu = random_below(&m, 1 + random_below(&m, r.loop.cpus));

		if (r.loop.task[task].cpu != LOOP_NOBODY) {
			if (one_in(&m, 3))
				loop_depart(&r.loop, task);
		} else if (usable(cpu) && r.loop.task[task].affinity >> cpu & 1) {
			loop_arrive(&r.loop, task, cpu);
		}
	}
}

/* I4: nobody went where it may not run, or where nothing runs. */
static void check_affinity(uint64_t of)
{
	for (uint32_t i = 0; i < r.moves && i < RIG_MOVES; i++)
		if (!(r.loop.task[r.move[i].task].affinity >> r.move[i].to & 1) ||
				!usable(r.move[i].to))
			fail_msg("seed %llu: I4: task %u went to cpu %u", (unsigned long long)of,
				r.move[i].task, r.move[i].to);
}

/* I7: a move that only takes back the one before it. */
static void check_returns(uint64_t of, uint32_t from)
{
	for (uint32_t i = from + 1; i < r.moves && i < RIG_MOVES; i++)
		if (r.move[i].task == r.move[i - 1].task && r.move[i].to == r.move[i - 1].from)
			fail_msg("seed %llu: I7: task %u went from cpu %u to %u and back at tick %llu",
				(unsigned long long)of, r.move[i].task, r.move[i].to, r.move[i].from,
				(unsigned long long)r.move[i].tick);
}

static int share_a_domain(unsigned a, unsigned b)
{
	struct sdpower_domain d;

	return sdpower_domain_common(r.t.s, a, b, &d) == SDPOWER_OK;
}

static int waits_for(const struct loop_queue *q, unsigned cpu)
{
	for (unsigned i = 0; q->count > 1 && i < q->count; i++)
		if (r.loop.task[q->task[i]].affinity >> cpu & 1)
			return 1;
	return 0;
}

static int stacks(void)
{
	return r.t.config.mc == 2 && r.t.config.smt == 2;
}

/* I1 to I3: at rest no usable cpu is without work that waits elsewhere. */
static void check_conservation(uint64_t of)
{
	for (unsigned cpu = 0; cpu < r.loop.cpus && !stacks(); cpu++)
		for (unsigned from = 0; from < r.loop.cpus; from++)
			if (usable(cpu) && !r.loop.queue[cpu].count && waits_for(&r.loop.queue[from], cpu) &&
					share_a_domain(cpu, from))
				fail_msg("seed %llu: I2: cpu %u is idle while %u tasks share cpu %u",
					(unsigned long long)of, cpu, r.loop.queue[from].count, from);
}

static int fits(uint32_t util, unsigned cpu)
{
	return 100 * util <= FIT_PERCENT * m.cpus[cpu].capacity;
}

/* I24: no task alone on a cpu too small for it while one that fits has nothing to do. */
static void check_capacity(uint64_t of)
{
	for (unsigned from = 0; from < r.loop.cpus && r.loop.tells_util; from++) {
		const struct loop_task *t = &r.loop.task[r.loop.queue[from].task[0]];

		if (r.loop.queue[from].count != 1 || fits(t->util, from))
			continue;
		for (unsigned cpu = 0; cpu < r.loop.cpus; cpu++)
			if (usable(cpu) && !r.loop.queue[cpu].count && t->affinity >> cpu & 1 &&
					fits(t->util, cpu) && share_a_domain(cpu, from))
				fail_msg("seed %llu, knobs %u %u: I24: %u does not fit cpu %u (%u), would fit cpu %u "
					"(%u)", (unsigned long long)of, r.t.config.mc, r.t.config.smt, t->util, from,
					m.cpus[from].capacity, cpu, m.cpus[cpu].capacity);
	}
}

static void check_tasks(uint64_t of)
{
	unsigned queued = 0, present = 0;

	for (unsigned cpu = 0; cpu < r.loop.cpus; cpu++)
		queued += r.loop.queue[cpu].count;
	for (uint32_t i = 0; i < r.tasks; i++)
		present += r.loop.task[i].cpu != LOOP_NOBODY;
	if (queued != present || r.loop.refused || r.loop.unpaired)
		fail_msg("seed %llu: %u of %u tasks, %lu calls refused, %lu locks unpaired",
			(unsigned long long)of, queued, present, r.loop.refused, r.loop.unpaired);
}

static void play(uint64_t of)
{
	uint32_t quiet, calm;

	make_tasks();
	for (unsigned tick = 0; tick < BUSY_TICKS; tick++) {
		events();
		rig_run(&r, 1);
	}
	quiet = r.moves;
	rig_run(&r, QUIET_TICKS - CALM_TICKS);
	calm = r.moves;
	rig_run(&r, CALM_TICKS);
	check_tasks(of);
	check_affinity(of);
	check_returns(of, quiet);
	if (r.moves != calm)
		fail_msg("seed %llu: I10: %u moves in the last %u of %u quiet ticks",
			(unsigned long long)of, r.moves - calm, CALM_TICKS, QUIET_TICKS);
	check_conservation(of);
	check_capacity(of);
}

static void invariants_hold_in_closed_loops(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		if (make_instance(seed + i))
			play(seed + i);
		free(memory);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invariants_hold_in_closed_loops),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
	rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : rounds;
	printf("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
