/* SPDX-License-Identifier: MIT */
/* The pool as its users see it: nothing lost, nothing run twice, nobody sleeps for ever. */
#include "pool_test.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "pool.h"

static struct pool *open_described(const char *topology, unsigned threads, enum brain_level level)
{
	struct pool_config config = { topology, threads, level };
	struct pool *p = NULL;
	char why[256] = "";

	if (pool_open(&p, &config, why, sizeof(why)))
		fail_msg("pool_open: %s", why);
	return p;
}

static struct pool *open_pool(unsigned threads)
{
	return open_described(NULL, threads, BRAIN_PERFORMANCE);
}

static int add_one(void *arg)
{
	(void)AO_fetch_and_add1_full(arg);
	return 0;
}

/* What a test does on pools of one, two and more threads than this machine has. */
static void on_each_size(void (*test)(struct pool *))
{
	static const unsigned sizes[] = { 1, 2, 0, 9 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct pool *p = open_pool(sizes[i]);

		test(p);
		assert_int_equal(pool_close(p, false), 0);
	}
}

static void submit_many(struct pool *p)
{
	struct pool_group g;
	AO_t sum = 0;
	int i;

	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 10000; i++)
		assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&sum), 10000);
	pool_group_destroy(&g);
}

static void runs_everything_from_outside(void **state)
{
	(void)state;
	on_each_size(submit_many);
}

struct tree {
	struct pool *pool;
	unsigned depth;
	AO_t *leaves;
};

/* Each node waits for its two children inside a task. */
static int grow_tree(void *arg)
{
	struct tree *t = arg;
	struct tree below = { t->pool, t->depth - 1, t->leaves };
	struct pool_group g;
	int error;

	if (t->depth == 0)
		return add_one(t->leaves);
	pool_group_init(&g);
	error = pool_submit(t->pool, &g, grow_tree, &below);
	if (!error)
		error = pool_submit(t->pool, &g, grow_tree, &below);
	if (pool_wait(t->pool, &g))
		error = EIO;
	pool_group_destroy(&g);
	return error;
}

static void nest(struct pool *p)
{
	AO_t leaves = 0;
	struct tree root = { p, 10, &leaves };
	struct pool_group g;

	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(p, &g, grow_tree, &root), 0);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&leaves), 1u << 10);
	pool_group_destroy(&g);
}

static void waiting_inside_helps(void **state)
{
	(void)state;
	on_each_size(nest);
}

struct outsider {
	struct pool *pool;
	AO_t *sum;
	uint64_t seed;
	int error;
};

/* Small rounds with random gaps: workers go to sleep in between, again and again. */
static void *submit_in_rounds(void *arg)
{
	struct outsider *o = arg;
	struct pool_group g;
	int round;

	pool_group_init(&g);
	for (round = 0; round < 2000; round++) {
		uint64_t n = 1 + next_random(&o->seed) % 4;

		while (n-- > 0)
			o->error |= pool_submit(o->pool, &g, add_one, o->sum);
		o->error |= pool_wait(o->pool, &g);
		if (next_random(&o->seed) % 8 == 0)
			usleep((useconds_t)(next_random(&o->seed) % 200));
	}
	pool_group_destroy(&g);
	return NULL;
}

static void stress_wakeups(struct pool *p)
{
	struct outsider o[3];
	pthread_t threads[3];
	AO_t sum[3] = { 0, 0, 0 };
	int i;

	for (i = 0; i < 3; i++) {
		o[i] = (struct outsider){ p, &sum[i], 1234567u + (uint64_t)i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, submit_in_rounds, &o[i]), 0);
	}
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(o[i].error, 0);
		assert_true(AO_load(&sum[i]) >= 2000);
	}
}

static void no_wakeup_is_lost(void **state)
{
	(void)state;
	on_each_size(stress_wakeups);
}

/* Hits the moment at which the worker has found nothing and is not yet asleep: the next task
 * comes a random few instructions after the last one was finished. */
static void no_wakeup_is_lost_while_falling_asleep(void **state)
{
	struct pool *p = open_pool(1);
	uint64_t seed = 20090317;
	AO_t sum = 0, i;

	(void)state;
	for (i = 1; i <= 50000; i++) {
		volatile uint64_t spin = next_random(&seed) % 2048;

		assert_int_equal(pool_submit(p, NULL, add_one, &sum), 0);
		while (AO_load_acquire(&sum) < i)
			sched_yield();
		while (spin > 0)
			spin--;
	}
	assert_int_equal(pool_close(p, false), 0);
}

/* Consolidation must not leave work lying: every level, more cpus than there are. */
static void every_level_runs_everything(void **state)
{
	enum brain_level level;

	(void)state;
	for (level = BRAIN_PERFORMANCE; level < BRAIN_LEVELS; level++) {
		struct pool *p = open_described("pack:2 core:4 pu:2", 0, level);

		submit_many(p);
		nest(p);
		stress_wakeups(p);
		assert_int_equal(pool_close(p, false), 0);
	}
}

static int fail_with(void *arg)
{
	return (int)(intptr_t)arg;
}

static void reports_errors(void **state)
{
	struct pool *p = open_pool(2);
	struct pool_group g;
	AO_t sum = 0;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
	assert_int_equal(pool_submit(p, &g, fail_with, (void *)(intptr_t)EIO), 0);
	assert_int_equal(pool_wait(p, &g), EIO);
	assert_int_equal(g.errors, 1);
	assert_int_equal(pool_submit(p, NULL, fail_with, (void *)(intptr_t)EPERM), 0);
	assert_int_equal(pool_submit(p, NULL, fail_with, (void *)(intptr_t)EPERM), 0);
	assert_int_equal(pool_submit(p, NULL, NULL, NULL), EINVAL);
	pool_group_destroy(&g);
	assert_int_equal(pool_close(p, false), 2);
}

struct gate {
	struct pool *pool;
	AO_t open, entered, sum;
};

static int wait_at_gate(void *arg)
{
	struct gate *gate = arg;

	(void)AO_fetch_and_add1_full(&gate->entered);
	while (!AO_load_acquire(&gate->open))
		usleep(100);
	return 0;
}

static int add_at_gate(void *arg)
{
	return add_one(&((struct gate *)arg)->sum);
}

static void closing_runs_what_is_queued(void **state)
{
	struct gate gate = { .pool = open_pool(2) };
	int i;

	(void)state;
	for (i = 0; i < 2; i++)
		assert_int_equal(pool_submit(gate.pool, NULL, wait_at_gate, &gate), 0);
	for (i = 0; i < 500; i++)
		assert_int_equal(pool_submit(gate.pool, NULL, add_at_gate, &gate), 0);
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_close(gate.pool, false), 0);
	assert_int_equal(AO_load(&gate.sum), 500);
}

/* Keeps its worker until the pool refuses work: then pool_close has said discard. */
static int wait_for_refusal(void *arg)
{
	struct gate *gate = arg;

	(void)AO_fetch_and_add1_full(&gate->entered);
	while (pool_submit(gate->pool, NULL, add_at_gate, gate) != ECANCELED)
		usleep(1000);
	return 0;
}

static void discarding_finishes_groups_unrun(void **state)
{
	struct gate gate = { .pool = open_pool(1) };
	struct pool_group g;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(gate.pool, NULL, wait_for_refusal, &gate), 0);
	while (!AO_load_acquire(&gate.entered))
		usleep(100);
	for (i = 0; i < 100; i++)
		assert_int_equal(pool_submit(gate.pool, &g, add_at_gate, &gate), 0);
	assert_int_equal(pool_close(gate.pool, true), 0);
	assert_true(pool_wait_ms(&g, 0));
	assert_int_equal(g.error, ECANCELED);
	assert_int_equal(g.errors, 100);
	assert_int_equal(AO_load(&gate.sum), 0);
	pool_group_destroy(&g);
}

static void closing_an_unused_pool(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		assert_int_equal(pool_close(open_pool(1 + (unsigned)i % 4), i % 2), 0);
}

static void a_timed_wait_ends(void **state)
{
	struct gate gate = { .pool = open_pool(1) };
	struct pool_group g;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_true(pool_wait_ms(&g, 0));
	assert_int_equal(pool_submit(gate.pool, &g, wait_at_gate, &gate), 0);
	assert_false(pool_wait_ms(&g, 10));
	AO_store_release(&gate.open, 1);
	assert_true(pool_wait_ms(&g, WATCHDOG_SECONDS * 1000));
	pool_group_destroy(&g);
	pool_close(gate.pool, false);
}

static int note_self(void *arg)
{
	struct gate *gate = arg;

	AO_store_release(&gate->sum, (AO_t)pool_self(gate->pool) + 1);
	return 0;
}

static void counters_add_up(void **state)
{
	struct gate gate = { .pool = open_pool(2) };
	struct pool_group g;
	struct pool_stats s;
	uint64_t tasks = 0, busy = 0;
	unsigned i;

	(void)state;
	assert_int_equal(pool_self(gate.pool), -1);
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(gate.pool, &g, wait_at_gate, &gate), 0);
	while (!AO_load_acquire(&gate.entered))
		usleep(100);
	usleep(10000);
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(gate.pool, &g), 0);
	assert_int_equal(pool_submit(gate.pool, &g, note_self, &gate), 0);
	assert_int_equal(pool_wait(gate.pool, &g), 0);
	assert_in_range(AO_load(&gate.sum), 1, 2);
	for (i = 0; i < pool_workers(gate.pool); i++) {
		pool_stats(gate.pool, i, &s);
		tasks += s.tasks;
		busy += s.busy;
		assert_true(s.migrations <= s.tasks);
		assert_true(s.useless <= s.wakeups);
	}
	/* A task is counted before its group hears of it. */
	assert_int_equal(tasks, 2);
	assert_true(busy >= 10000000u);
	pool_group_destroy(&g);
	pool_close(gate.pool, false);
}

static void levels_change_under_load(void **state)
{
	struct pool *p = open_pool(0);
	struct pool_group g;
	enum brain_level level;
	AO_t sum = 0;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 9000; i++) {
		assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
		level = (enum brain_level)(i / 10 % BRAIN_LEVELS);
		if (i % 10 == 0)
			assert_int_equal(pool_set_level(p, level), 0);
	}
	assert_int_equal(pool_set_level(p, BRAIN_LEVELS), EINVAL);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&sum), 9000);
	pool_group_destroy(&g);
	pool_close(p, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(runs_everything_from_outside, watchdog),
		cmocka_unit_test_setup(waiting_inside_helps, watchdog),
		cmocka_unit_test_setup(no_wakeup_is_lost, watchdog),
		cmocka_unit_test_setup(no_wakeup_is_lost_while_falling_asleep, watchdog),
		cmocka_unit_test_setup(every_level_runs_everything, watchdog),
		cmocka_unit_test_setup(reports_errors, watchdog),
		cmocka_unit_test_setup(closing_runs_what_is_queued, watchdog),
		cmocka_unit_test_setup(discarding_finishes_groups_unrun, watchdog),
		cmocka_unit_test_setup(closing_an_unused_pool, watchdog),
		cmocka_unit_test_setup(a_timed_wait_ends, watchdog),
		cmocka_unit_test_setup(counters_add_up, watchdog),
		cmocka_unit_test_setup(levels_change_under_load, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
