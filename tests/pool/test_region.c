/* SPDX-License-Identifier: MIT */
/* Fork and join: who takes part, who is called, and what is left when the caller has gone. */
#include "gate.h"
#include "worker.h"

#define MOST 64

static void repeat(void **args, void *arg)
{
	int i;

	for (i = 0; i < MOST; i++)
		args[i] = arg;
}

/* Two that have to meet: they do, if somebody was called for the second. */
static int meet(void *arg)
{
	AO_t *there = arg;

	(void)AO_fetch_and_add1_full(there);
	while (AO_load_acquire(there) < 2)
		usleep(10);
	return 0;
}

static void a_worker_is_called(void **state)
{
	static const char *const machines[] = { "core:1", "core:2", "pack:2 core:2" };
	AO_t there;
	void *args[] = { &there, &there };
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct pool *p = open_configured(&(struct pool_config){ .topology = machines[i] });

		for (k = 0; k < 100; k++) {
			AO_store(&p->regions.are_short, 0);
			AO_store(&there, 0);
			assert_int_equal(pool_fork_join(p, meet, args, 2), 0);
		}
		pool_close(p, false);
	}
}

static int pause_shortly(void *arg)
{
	usleep(100);
	return add_one(arg);
}

/* The caller begins alone, and finds out that this takes long. */
static void a_long_one_after_short_ones_calls(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	void *args[MOST];
	AO_t sum = 0;

	(void)state;
	repeat(args, &sum);
	AO_store(&p->regions.are_short, 1);
	assert_int_equal(pool_fork_join(p, pause_shortly, args, MOST), 0);
	assert_int_equal(AO_load(&sum), MOST);
	assert_int_equal(AO_load(&p->regions.are_short), 0);
	pool_close(p, false);
}

static void short_ones_call_nobody(void **state)
{
	bool seen = false;
	void *args[MOST];
	AO_t sum = 0;

	(void)state;
	repeat(args, &sum);
	while (!seen) {
		struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });

		AO_store(&p->regions.are_short, 1);
		assert_int_equal(pool_fork_join(p, add_one, args, 8), 0);
		/* Unless we were kept off the cpu just then. */
		seen = AO_load(&p->regions.are_short) && !p->regions.all;
		pool_close(p, false);
	}
}

/* It is nobody's but the caller's, and says nothing of others. */
static void one_task_calls_nobody(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	AO_t sum = 0;
	void *args[] = { &sum };

	(void)state;
	assert_int_equal(pool_fork_join(p, add_one, args, 1), 0);
	assert_null(p->regions.all);
	assert_int_equal(AO_load(&p->regions.are_short), 0);
	pool_close(p, false);
}

/* Also if all find at once that one is left. */
static void each_runs_once(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:4" });
	void *args[MOST];
	AO_t sum = 0;
	int i;

	(void)state;
	repeat(args, &sum);
	for (i = 0; i < 20000; i++) {
		AO_store(&p->regions.are_short, 0);
		assert_int_equal(pool_fork_join(p, add_one, args, 3), 0);
	}
	pool_close(p, false);
	assert_int_equal(AO_load(&sum), 60000);
}

static void short_ones_are_found_out(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	void *args[MOST];
	AO_t sum = 0;

	(void)state;
	repeat(args, &sum);
	while (!AO_load(&p->regions.are_short))
		assert_int_equal(pool_fork_join(p, add_one, args, MOST), 0);
	pool_close(p, false);
}

static int fail_odd(void *arg)
{
	return AO_fetch_and_add1_full(arg) % 2 ? EDOM : 0;
}

static void errors_come_out(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	void *args[MOST];
	AO_t sum, is_short;
	int i;

	(void)state;
	repeat(args, &sum);
	for (i = 0; i < 50; i++)
		for (is_short = 0; is_short < 2; is_short++) {
			AO_store(&p->regions.are_short, is_short);
			AO_store(&sum, 0);
			assert_int_equal(pool_fork_join(p, fail_odd, args, 2 + i % 9), EDOM);
			assert_int_equal(AO_load(&sum), 2 + i % 9);
			/* What failed before is forgotten. */
			AO_store(&p->regions.are_short, is_short);
			assert_int_equal(pool_fork_join(p, add_one, args, 3), 0);
		}
	assert_int_equal(pool_close(p, false), 0);
}

struct inside {
	struct pool *pool;
	AO_t sum;
};

static int fail_if_first(void *arg)
{
	struct inside *in = arg;

	return AO_fetch_and_add1_full(&in->sum) == 0 ? EDOM : 0;
}

static int join_inside(void *arg)
{
	struct inside *in = arg;
	void *args[] = { in, in, in };

	return pool_fork_join(in->pool, fail_if_first, args, 3);
}

/* Whoever runs the task that fails: the worker that joins, or another one. */
static void errors_come_out_inside(void **state)
{
	struct inside in = { .pool = open_configured(&(struct pool_config){ .topology = "core:2" }) };
	struct pool_group g;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 200; i++) {
		AO_store(&in.sum, 0);
		g.error = 0;
		assert_int_equal(pool_submit(in.pool, &g, join_inside, &in), 0);
		assert_int_equal(pool_wait(in.pool, &g), EDOM);
	}
	pool_group_destroy(&g);
	assert_int_equal(pool_close(in.pool, false), 0);
}

/* The only worker is held: the caller does it all, and is gone when the worker comes. */
static void a_late_worker_finds_nothing(void **state)
{
	struct gate first, second;
	void *args[MOST];
	AO_t sum = 0;
	int i, discard;

	(void)state;
	repeat(args, &sum);
	for (discard = 0; discard < 2; discard++) {
		struct pool *p = open_configured(&(struct pool_config){ .topology = "core:1" });

		hold(p, &first);
		for (i = 0; i < 10; i++) {
			AO_store(&p->regions.are_short, 0);
			assert_int_equal(pool_fork_join(p, add_one, args, MOST), 0);
		}
		/* Those of later regions must not run what is not theirs. */
		AO_store_release(&first.open, 1);
		for (i = 0; i < 10; i++)
			assert_int_equal(pool_fork_join(p, add_one, args, MOST), 0);
		hold(p, &second);
		AO_store(&p->regions.are_short, 0);
		assert_int_equal(pool_fork_join(p, add_one, args, MOST), 0);
		AO_store_release(&second.open, 1);
		pool_close(p, discard);
	}
	assert_int_equal(AO_load(&sum), 2 * 21 * MOST);
}

static void no_room_is_no_error(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:1", .limit = 1 });
	struct gate gate;
	void *args[MOST];
	AO_t sum = 0;

	(void)state;
	repeat(args, &sum);
	hold(p, &gate);
	assert_int_equal(pool_submit(p, NULL, add_one, &sum), 0);
	AO_store(&p->regions.are_short, 0);
	assert_int_equal(pool_fork_join(p, add_one, args, MOST), 0);
	assert_int_equal(AO_load(&sum), MOST);
	AO_store_release(&gate.open, 1);
	pool_close(p, false);
	assert_int_equal(AO_load(&sum), MOST + 1);
}

static int join_without_room(void *arg)
{
	struct inside *in = arg;
	void *args[] = { &in->sum, &in->sum, &in->sum };

	return pool_fork_join(in->pool, add_one, args, 3);
}

static void no_room_inside_is_no_error(void **state)
{
	struct inside in = { .pool = open_configured(&(struct pool_config){ .topology = "core:1",
		.limit = 1 }) };

	(void)state;
	assert_int_equal(pool_submit(in.pool, NULL, join_without_room, &in), 0);
	assert_int_equal(pool_close(in.pool, false), 0);
	assert_int_equal(AO_load(&in.sum), 3);
}

struct nest {
	struct pool *pool;
	AO_t sum;
};

static int nest_once(void *arg)
{
	struct nest *nest = arg;
	void *args[3] = { &nest->sum, &nest->sum, &nest->sum };

	return pool_fork_join(nest->pool, add_one, args, 3);
}

static void *fork_and_join_often(void *arg)
{
	struct nest *nest = arg;
	void *args[MOST];
	int i;

	repeat(args, nest);
	for (i = 0; i < 300; i++) {
		AO_store(&nest->pool->regions.are_short, i % 3 == 0);
		if (pool_fork_join(nest->pool, nest_once, args, 1 + (size_t)i % 10))
			return nest;
	}
	return NULL;
}

static void several_callers(void **state)
{
	struct nest nest = { .pool = open_configured(&(struct pool_config){ .topology = "core:2" }) };
	pthread_t threads[3];
	void *failed;
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, fork_and_join_often, &nest), 0);
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	pool_close(nest.pool, false);
	assert_int_equal(AO_load(&nest.sum), 3 * 30 * 55 * 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_worker_is_called, watchdog),
		cmocka_unit_test_setup(a_long_one_after_short_ones_calls, watchdog),
		cmocka_unit_test_setup(short_ones_call_nobody, watchdog),
		cmocka_unit_test_setup(one_task_calls_nobody, watchdog),
		cmocka_unit_test_setup(each_runs_once, watchdog),
		cmocka_unit_test_setup(short_ones_are_found_out, watchdog),
		cmocka_unit_test_setup(errors_come_out, watchdog),
		cmocka_unit_test_setup(errors_come_out_inside, watchdog),
		cmocka_unit_test_setup(a_late_worker_finds_nothing, watchdog),
		cmocka_unit_test_setup(no_room_is_no_error, watchdog),
		cmocka_unit_test_setup(no_room_inside_is_no_error, watchdog),
		cmocka_unit_test_setup(several_callers, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
