/* SPDX-License-Identifier: MIT */
/*
 * Description: workers that balance at the same time under run-queue locks, push tasks to each
 * other, while trees are replaced and counters read. No task is lost, no lock kept. CI runs it
 * under the thread sanitizer.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <cmocka.h>
#include "support/instance.h"

#define CPUS 8u
#define TASKS 40u
#define ROUNDS 20000u
#define TREE_NS 2000000 /* between changes: failures must have time to add up */
#define ROUND_NS 40000000u

struct worker {
	pthread_mutex_t lock; /* the run queue's */
	uint32_t tasks;       /* under lock */
	uint32_t kicked;      /* under lock */
	unsigned long pulls, pushes, failures;
};

static struct test_instance instance;
static struct worker workers[CPUS];
static pthread_mutex_t serialised = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;
static uint32_t running; /* workers not done, under running_lock */

static uint32_t still_running(void)
{
	uint32_t n;

	pthread_mutex_lock(&running_lock);
	n = running;
	pthread_mutex_unlock(&running_lock);
	return n;
}

static void lock_both(uint32_t a, uint32_t b)
{
	pthread_mutex_lock(&workers[a < b ? a : b].lock);
	pthread_mutex_lock(&workers[a < b ? b : a].lock);
}

static void unlock_both(uint32_t a, uint32_t b)
{
	pthread_mutex_unlock(&workers[a].lock);
	pthread_mutex_unlock(&workers[b].lock);
}

/* Under the lock of the cpu. */
static void publish(uint32_t cpu, uint64_t now)
{
	(void)sdpower_set_load(instance.s, cpu, workers[cpu].tasks, workers[cpu].tasks * 1024);
	if (workers[cpu].tasks)
		(void)sdpower_idle_exit(instance.s, cpu, now);
	else
		(void)sdpower_idle_enter(instance.s, cpu, now);
}

/* Under both locks. Most pulls find every task running, so that pushes are asked for. */
static void move_tasks(struct worker *me, const struct sdpower_balance_action *a,
	struct sdpower_move *move, uint64_t now)
{
	const int pulls = a->kind == SDPOWER_BALANCE_PULL;
	const struct sdpower_move_task t = { 1024, SDPOWER_TASK_ALLOWED |
		(pulls && now / ROUND_NS % 16 ? SDPOWER_TASK_RUNNING : 0u), 1000000, 0, 0 };
	sdpower_status verdict = SDPOWER_MOVE_LEAVE;

	*move = a->move;
	for (uint32_t i = workers[a->from].tasks; i && verdict < SDPOWER_MOVE_LAST; i--) {
		verdict = sdpower_move_offer(move, &t);
		if (verdict != SDPOWER_MOVE_TAKE && verdict != SDPOWER_MOVE_LAST)
			continue;
		workers[a->from].tasks--;
		workers[a->cpu].tasks++;
		*(pulls ? &me->pulls : &me->pushes) += 1;
	}
	publish(a->from, now);
	publish(a->cpu, now);
}

static void kick(uint32_t cpu)
{
	pthread_mutex_lock(&workers[cpu].lock);
	workers[cpu].kicked = 1;
	pthread_mutex_unlock(&workers[cpu].lock);
}

/* Does an action and asks for the next one. */
static void step(uint32_t cpu, void *walk, struct sdpower_balance_action *a, uint64_t now)
{
	struct worker *me = &workers[cpu];
	struct sdpower_balance_outcome o = { .struct_size = sizeof(o), .done = now / ROUND_NS % 4 != 0 };
	const struct sdpower_balance_action done = *a;

	if (a->kind == SDPOWER_BALANCE_LOCK)
		o.done = pthread_mutex_trylock(&serialised) == 0;
	else if (a->kind == SDPOWER_BALANCE_UNLOCK)
		pthread_mutex_unlock(&serialised);
	else if (a->kind == SDPOWER_BALANCE_KICK)
		kick(a->from);
	if (a->kind == SDPOWER_BALANCE_PULL || a->kind == SDPOWER_BALANCE_PUSH_ONE) {
		lock_both(a->from, a->cpu);
		move_tasks(me, a, &o.move, now);
		me->failures += sdpower_balance_next(instance.s, walk, &o, a) != SDPOWER_OK;
		unlock_both(done.from, done.cpu);
		return;
	}
	pthread_mutex_lock(&me->lock);
	me->failures += sdpower_balance_next(instance.s, walk, &o, a) != SDPOWER_OK;
	pthread_mutex_unlock(&me->lock);
}

/* Puts out of balance what was balanced. */
static void take_all(uint32_t cpu, uint32_t from, uint64_t now)
{
	lock_both(cpu, from);
	workers[cpu].tasks += workers[from].tasks;
	workers[from].tasks = 0;
	publish(cpu, now);
	publish(from, now);
	unlock_both(cpu, from);
}

static void walk_once(uint32_t cpu, uint32_t kind, uint64_t now)
{
	struct worker *me = &workers[cpu];
	struct sdpower_balance_request r = { .struct_size = sizeof(r), .kind = kind, .cpu = cpu,
		.helper = SDPOWER_CPU_NONE, .now_ns = now };
	struct sdpower_balance_action a = { .struct_size = sizeof(a) };
	uint64_t walk[64];

	pthread_mutex_lock(&me->lock);
	publish(cpu, now);
	(void)sdpower_tick(instance.s, cpu, now);
	r.idle = me->tasks ? SDPOWER_CPU_NOT_IDLE : SDPOWER_CPU_IDLE;
	me->failures += sdpower_balance_begin(instance.s, walk, sizeof(walk), &r, &a) != SDPOWER_OK;
	pthread_mutex_unlock(&me->lock);
	while (!me->failures && a.kind != SDPOWER_BALANCE_DONE)
		step(cpu, walk, &a, now);
}

static void *work(void *argument)
{
	const uint32_t cpu = (uint32_t)(uintptr_t)argument;

	pthread_barrier_wait(&start);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		const uint64_t now = i * ROUND_NS + cpu;
		uint32_t kicked, tasks;

		if (i % 8 == 0)
			sched_yield(); /* on few cpus the workers would run one after the other */
		if (i % 100 == cpu)
			take_all(cpu, (cpu + 3) % CPUS, now);
		walk_once(cpu, SDPOWER_BALANCE_TICK, now);
		pthread_mutex_lock(&workers[cpu].lock);
		kicked = workers[cpu].kicked;
		workers[cpu].kicked = 0;
		tasks = workers[cpu].tasks;
		pthread_mutex_unlock(&workers[cpu].lock);
		if (kicked)
			walk_once(cpu, SDPOWER_BALANCE_PUSH, now);
		if (!tasks)
			walk_once(cpu, SDPOWER_BALANCE_NEWIDLE, now);
	}
	pthread_mutex_lock(&running_lock);
	running--;
	pthread_mutex_unlock(&running_lock);
	return NULL;
}

static void *read_counters(void *failures)
{
	struct sdpower_counters c = { .struct_size = sizeof(c) };

	for (uint32_t i = 0; still_running(); i++) {
		const sdpower_status status = sdpower_get_counters(instance.s, i % CPUS, i % 2, &c);

		if (status != SDPOWER_OK && status != SDPOWER_ENOENT && status != SDPOWER_ESTALE)
			(*(unsigned *)failures)++;
	}
	return NULL;
}

static void nothing_is_lost_between_workers(void **state)
{
	const struct timespec pause = { 0, TREE_NS };
	pthread_t thread[CPUS], reader;
	unsigned refused = 0;
	uint32_t tasks = 0;
	unsigned long pulls = 0, pushes = 0;

	(void)state;
	instance.config.decisions = SDPOWER_DECIDE_CLASSIC;
	instance.config.flags = SDPOWER_CONFIG_DRIVER | SDPOWER_CONFIG_COUNTERS;
	assert_int_equal(test_make(&instance, "node:2 core:2 pu:2"), SDPOWER_OK);
	assert_true(sdpower_balance_size(instance.s) <= 64 * sizeof(uint64_t));
	running = CPUS;
	pthread_barrier_init(&start, NULL, CPUS);
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		pthread_mutex_init(&workers[cpu].lock, NULL);
	workers[0].tasks = TASKS;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		assert_int_equal(pthread_create(&thread[cpu], NULL, work, (void *)(uintptr_t)cpu), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_counters, &refused), 0);
	for (uint32_t i = 0; still_running(); i++) {
		assert_int_equal(sdpower_set_knobs(instance.s, i % 3, i / 3 % 3), SDPOWER_OK);
		nanosleep(&pause, NULL);
	}
	for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
		pthread_join(thread[cpu], NULL);
		assert_int_equal(workers[cpu].failures, 0);
		tasks += workers[cpu].tasks;
		pulls += workers[cpu].pulls;
		pushes += workers[cpu].pushes;
	}
	pthread_join(reader, NULL);
	assert_int_equal(refused, 0);
	assert_int_equal(tasks, TASKS);
	assert_true(pulls > 0);
	assert_true(pushes > 0);
	assert_int_equal(pthread_mutex_trylock(&serialised), 0);
	test_drop(&instance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_between_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
