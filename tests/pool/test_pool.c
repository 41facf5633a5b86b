/* SPDX-License-Identifier: MIT */
/* The pool as its users see it: nothing lost, nothing run twice. */
#include "pool_test.h"
#include <errno.h>
#include "loads.h"

static void runs_everything_from_outside(void **state)
{
	(void)state;
	on_each_size(submit_many);
}

static void waiting_inside_helps(void **state)
{
	(void)state;
	on_each_size(nest);
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

struct queue {
	struct gate first, second;
	struct pool_group group;
};

static int queue_behind_itself(void *arg)
{
	struct queue *q = arg;
	int error = 0, i;

	for (i = 0; i < 7; i++)
		error |= pool_submit(q->second.pool, &q->group, wait_at_gate, &q->second);
	return error | wait_at_gate(&q->first);
}

static uint64_t steals_of_both(struct pool *p)
{
	struct pool_stats s[2];

	pool_stats(p, 0, &s[0]);
	pool_stats(p, 1, &s[1]);
	return s[0].steals + s[1].steals;
}

/* Two workers: one has eight tasks and runs the first, the other has just finished its own. On
 * the way there a task may already have been stolen, by the worker that woke first. */
static void a_dry_worker_takes_half(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2",
		.newidle = NEWIDLE_ALL });
	struct queue q = { .first.pool = p, .second.pool = p };
	struct gate other = { .pool = p };
	struct pool_stats s[2];
	uint64_t before;

	(void)state;
	assert_int_equal(pool_group_init(&q.group), 0);
	assert_int_equal(pool_submit(p, &q.group, wait_at_gate, &other), 0);
	while (!AO_load_acquire(&other.entered))
		usleep(100);
	assert_int_equal(pool_submit(p, &q.group, queue_behind_itself, &q), 0);
	while (!AO_load_acquire(&q.first.entered))
		usleep(100);
	before = steals_of_both(p);
	AO_store_release(&other.open, 1);
	while (!AO_load_acquire(&q.second.entered))
		usleep(100);
	assert_int_equal(steals_of_both(p) - before, 4);
	AO_store_release(&q.first.open, 1);
	AO_store_release(&q.second.open, 1);
	assert_int_equal(pool_wait(p, &q.group), 0);
	pool_stats(p, 0, &s[0]);
	pool_stats(p, 1, &s[1]);
	assert_in_range(s[0].migrations + s[1].migrations, 1, 9);
	pool_group_destroy(&q.group);
	assert_int_equal(pool_close(p, false), 0);
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
		assert_true(s.found <= s.searches);
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
		cmocka_unit_test_setup(reports_errors, watchdog),
		cmocka_unit_test_setup(a_dry_worker_takes_half, watchdog),
		cmocka_unit_test_setup(closing_runs_what_is_queued, watchdog),
		cmocka_unit_test_setup(discarding_finishes_groups_unrun, watchdog),
		cmocka_unit_test_setup(closing_an_unused_pool, watchdog),
		cmocka_unit_test_setup(a_timed_wait_ends, watchdog),
		cmocka_unit_test_setup(counters_add_up, watchdog),
		cmocka_unit_test_setup(levels_change_under_load, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
