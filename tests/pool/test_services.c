/* SPDX-License-Identifier: MIT */
/* What a pool does beside running tasks: priorities, limits, cancelling, batches, fork. */
#include "pool_test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "gate.h"
#include "loads.h"

/* Writes down in which order tasks run. */
struct log {
	char text[64];
	AO_t length;
};

struct entry {
	struct log *log;
	char letter;
};

static int write_down(void *arg)
{
	struct entry *e = arg;

	e->log->text[AO_fetch_and_add1_full(&e->log->length)] = e->letter;
	return 0;
}

static void high_ones_come_first(void **state)
{
	static const char letters[] = "abXcYdZe";
	struct pool *p = open_pool(1);
	struct log log = { "", 0 };
	struct entry e[sizeof(letters)];
	struct pool_group g;
	struct gate gate;
	size_t i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	hold(p, &gate);
	for (i = 0; letters[i]; i++) {
		const struct pool_hint hint = {
			.priority = letters[i] < 'a' ? POOL_HIGH : POOL_NORMAL };

		e[i] = (struct entry){ &log, letters[i] };
		assert_int_equal(pool_submit_hinted(p, &g, write_down, &e[i], &hint), 0);
	}
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_string_equal(log.text, "XYZabcde");
	assert_int_equal(pool_submit_hinted(p, &g, write_down, &e[0],
		&(struct pool_hint){ .priority = POOL_PRIORITIES }), EINVAL);
	pool_group_destroy(&g);
	pool_close(p, false);
}

#define MANY 1000

static AO_t next_in_order;
static AO_t numbers[MANY];

static int be_next(void *arg)
{
	return AO_fetch_and_add1_full(&next_in_order) == *(AO_t *)arg ? 0 : EILSEQ;
}

static void number_all(void *args[MANY])
{
	AO_t i;

	AO_store(&next_in_order, 0);
	for (i = 0; i < MANY; i++) {
		numbers[i] = i;
		args[i] = &numbers[i];
	}
}

/* More than the owner fetches at once, and more than an inbox has room for at first; one by one,
 * and then the room is used a second time from its middle, as a batch. */
static void work_from_outside_is_run_in_order(void **state)
{
	struct pool *p = open_pool(1);
	struct pool_group g;
	struct gate gate;
	void *args[MANY];
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	number_all(args);
	hold(p, &gate);
	for (i = 0; i < MANY; i++)
		assert_int_equal(pool_submit(p, &g, be_next, args[i]), 0);
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &g), 0);
	number_all(args);
	hold(p, &gate);
	for (i = 0; i < 50; i++)
		assert_int_equal(pool_submit(p, &g, be_next, args[i]), 0);
	assert_int_equal(pool_submit_many(p, &g, be_next, args + 50, MANY - 50), 0);
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &g), 0);
	pool_group_destroy(&g);
	pool_close(p, false);
}

static void a_full_pool_says_so(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .threads = 1, .limit = 3 });
	AO_t sum = 0;
	void *args[] = { &sum, &sum, &sum, &sum };
	struct pool_group g;
	struct gate gate;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	hold(p, &gate);
	assert_int_equal(pool_submit_many(p, &g, add_one, args, 4), EAGAIN);
	assert_int_equal(pool_submit_many(p, &g, add_one, args, 2), 0);
	assert_int_equal(pool_submit_many(p, &g, add_one, args, 2), EAGAIN);
	assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
	for (i = 0; i < 10; i++)
		assert_int_equal(pool_submit(p, &g, add_one, &sum), EAGAIN);
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&sum), 3);
	assert_int_equal(pool_submit_many(p, &g, add_one, args, 3), 0);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&sum), 6);
	pool_group_destroy(&g);
	pool_close(p, false);
}

/* Those under way end as they like; another group is not touched. */
static void a_cancelled_group_is_not_run(void **state)
{
	struct pool *p = open_pool(1);
	struct pool_group g, other;
	AO_t sum = 0, others = 0;
	struct gate gate;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_group_init(&other), 0);
	hold(p, &gate);
	for (i = 0; i < 100; i++) {
		assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
		assert_int_equal(pool_submit(p, &other, add_one, &others), 0);
	}
	assert_false(pool_group_cancelled(&g));
	pool_group_cancel(&g);
	assert_true(pool_group_cancelled(&g));
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &g), ECANCELED);
	assert_int_equal(pool_wait(p, &other), 0);
	assert_int_equal(g.errors, 100);
	assert_int_equal(AO_load(&sum), 0);
	assert_int_equal(AO_load(&others), 100);
	pool_group_destroy(&other);
	pool_group_destroy(&g);
	pool_close(p, false);
}

static void batches(struct pool *p)
{
	AO_t sum = 0;
	void *args[100];
	int i;

	for (i = 0; i < 100; i++)
		args[i] = &sum;
	for (i = 0; i <= 100; i++)
		assert_int_equal(pool_fork_join(p, add_one, args, (size_t)i), 0);
	assert_int_equal(AO_load(&sum), 5050);
	assert_int_equal(pool_fork_join(p, NULL, args, 1), EINVAL);
	assert_int_equal(pool_fork_join(p, add_one, NULL, 1), EINVAL);
}

static void forks_and_joins(void **state)
{
	(void)state;
	on_each_size(batches);
}

struct inside {
	struct pool *pool;
	AO_t sum;
	useconds_t pause_us; /* before a step: who was woken for the last one sleeps again */
};

static int fork_join_inside(void *arg)
{
	struct inside *in = arg;
	void *args[] = { &in->sum, &in->sum, &in->sum };

	return pool_fork_join(in->pool, add_one, args, 3);
}

static void forks_and_joins_inside(void **state)
{
	struct inside in = { .pool = open_pool(2) };
	void *args[200];
	int i;

	(void)state;
	for (i = 0; i < 200; i++)
		args[i] = &in;
	assert_int_equal(pool_fork_join(in.pool, fork_join_inside, args, 200), 0);
	assert_int_equal(AO_load(&in.sum), 600);
	pool_close(in.pool, false);
}

/* The next tasks of the same group may take long: whoever waits for another must not wait. */
static void a_group_ends_before_the_next_task(void **state)
{
	struct pool *p = open_pool(1);
	struct pool_group first, second;
	struct gate gate = { 0, 0 }, before;
	AO_t sum = 0;

	(void)state;
	assert_int_equal(pool_group_init(&first), 0);
	assert_int_equal(pool_group_init(&second), 0);
	hold(p, &before);
	assert_int_equal(pool_submit(p, &first, add_one, &sum), 0);
	assert_int_equal(pool_submit(p, &second, wait_at_gate, &gate), 0);
	AO_store_release(&before.open, 1);
	assert_int_equal(pool_wait(p, &first), 0);
	assert_false(pool_wait_ms(&second, 1));
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &second), 0);
	pool_group_destroy(&second);
	pool_group_destroy(&first);
	pool_close(p, false);
}

/* All that takes locks, or needs the threads; how many answer otherwise. */
static int ask_in_child(struct pool *p)
{
	struct pool_stats s = { .tasks = 1 };
	AO_t sum = 0;
	void *args[] = { &sum };

	pool_stats(p, 0, &s);
	return (pool_fork_join(p, add_one, args, 1) != ESRCH) + (pool_resize(p, 1) != ESRCH) +
		(pool_adapt(p) != ESRCH) + (pool_set_level(p, BRAIN_POWERSAVE) != ESRCH) +
		(pool_trace_write(p, stderr) != ESRCH) + (s.tasks != 0) +
		(pool_core_busy(p, 0) != 0) + (pool_package_busy(p, 0) != 0);
}

/* The child must not hang, whatever its parent's workers do. */
static int in_child(struct pool *p, struct pool_group *g)
{
	AO_t sum = 0;

	alarm(20);
	if (pool_submit(p, g, add_one, &sum) != ESRCH)
		return 1;
	if (pool_wait(p, g) != ESRCH)
		return 2;
	if (ask_in_child(p))
		return 4;
	pool_close(p, false);
#ifdef POOL_TSAN
	return 0; /* it knows no threads in children */
#else
	p = open_pool(2);
	submit_many(p);
	return pool_close(p, false) ? 3 : 0;
#endif
}

static void a_child_process_is_refused(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .threads = 2, .trace = 16 });
	struct pool_group g;
	int status = -1, i;
	pid_t child;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 20; i++) {
		AO_t sum = 0;

		assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
		child = fork();
		if (child == 0)
			_exit(in_child(p, &g));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(pool_wait(p, &g), 0);
	}
	pool_group_destroy(&g);
	pool_close(p, false);
}

static int read_name(void *arg)
{
	return pthread_getname_np(pthread_self(), arg, 16);
}

static void threads_have_names(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .threads = 1,
		.name = "renderer-of-tiles" });
	char name[16] = "";

	(void)state;
	assert_int_equal(pool_submit(p, NULL, read_name, name), 0);
	assert_int_equal(pool_close(p, false), 0);
	assert_string_equal(name, "renderer-0");
}

/* Whoever is about to wait brings nobody else onto its cpu. */
static int submit_in_step(void *arg)
{
	struct inside *in = arg;
	const struct pool_hint hint = { .priority = POOL_NORMAL, .sync = true };
	struct pool_group g;
	int error = pool_group_init(&g), i;

	for (i = 0; i < 100 && !error; i++) {
		usleep(in->pause_us);
		error = pool_submit_hinted(in->pool, &g, add_one, &in->sum, &hint);
		if (!error)
			error = pool_wait(in->pool, &g);
	}
	pool_group_destroy(&g);
	return error;
}

static void work_in_step_wakes_nobody(void **state)
{
	struct inside in = { .pool = open_configured(&(struct pool_config){ .topology = "core:2",
		.newidle = NEWIDLE_NONE }), .pause_us = 1000 };
	struct pool_stats before, after;
	unsigned i, woken = 0;
	struct pool_group g;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	usleep(20000);
	for (i = 0; i < 2; i++) {
		pool_stats(in.pool, i, &before);
		woken -= (unsigned)before.wakeups;
	}
	assert_int_equal(pool_submit(in.pool, &g, submit_in_step, &in), 0);
	assert_int_equal(pool_wait(in.pool, &g), 0);
	for (i = 0; i < 2; i++) {
		pool_stats(in.pool, i, &after);
		woken += (unsigned)after.wakeups;
	}
	assert_int_equal(AO_load(&in.sum), 100);
	/* The one that ran it all; the other perhaps at the tick. */
	assert_in_range(woken, 1, 10);
	pool_group_destroy(&g);
	pool_close(in.pool, false);
}

static void steps_from_outside(struct pool *p)
{
	struct inside in = { .pool = p };

	assert_int_equal(submit_in_step(&in), 0);
	assert_int_equal(AO_load(&in.sum), 100);
}

static void work_in_step_from_outside(void **state)
{
	(void)state;
	on_each_size(steps_from_outside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(high_ones_come_first, watchdog),
		cmocka_unit_test_setup(work_from_outside_is_run_in_order, watchdog),
		cmocka_unit_test_setup(a_full_pool_says_so, watchdog),
		cmocka_unit_test_setup(a_cancelled_group_is_not_run, watchdog),
		cmocka_unit_test_setup(forks_and_joins, watchdog),
		cmocka_unit_test_setup(forks_and_joins_inside, watchdog),
		cmocka_unit_test_setup(a_group_ends_before_the_next_task, watchdog),
		cmocka_unit_test_setup(a_child_process_is_refused, watchdog),
		cmocka_unit_test_setup(threads_have_names, watchdog),
		cmocka_unit_test_setup(work_in_step_wakes_nobody, watchdog),
		cmocka_unit_test_setup(work_in_step_from_outside, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
