/* SPDX-License-Identifier: MIT */
/* Workers that come and go while work does. */
#include "pool_test.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "gate.h"

static uint64_t tasks_of(struct pool *p, unsigned worker)
{
	struct pool_stats s;

	pool_stats(p, worker, &s);
	return s.tasks;
}

/* Those that take no part run nothing, and are back when they are wanted. */
static void only_so_many_work(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "pack:2 core:4" });
	uint64_t before[8], after;
	unsigned n, i;

	(void)state;
	for (n = 8; n > 0; n--) {
		assert_int_equal(pool_resize(p, n), 0);
		assert_int_equal(pool_active(p), n);
		run_many(p, 100);
		for (i = 0; i < 8; i++)
			before[i] = tasks_of(p, i);
		run_many(p, 500);
		for (i = n; i < 8; i++) {
			after = tasks_of(p, i);
			assert_int_equal(after, before[i]);
		}
	}
	assert_int_equal(pool_resize(p, 0), EINVAL);
	assert_int_equal(pool_resize(p, 9), EINVAL);
	assert_int_equal(pool_active(p), 1);
	assert_int_equal(pool_resize(p, 8), 0);
	run_many(p, 500);
	pool_close(p, false);
}

struct giver {
	struct pool *pool;
	struct pool_group group;
	struct gate gate;
	AO_t sum;
};

/* To its own worker, and then holds it. */
static int give_and_hold(void *arg)
{
	struct giver *giver = arg;
	int error = 0, i;

	for (i = 0; i < 100; i++)
		error |= pool_submit(giver->pool, &giver->group, add_one, &giver->sum);
	return error | wait_at_gate(&giver->gate);
}

static void hold_on(uint32_t cpu, struct pool *p, struct pool_group *g, pool_fn *fn, void *arg,
	const struct gate *gate)
{
	const uint32_t mask = 1u << cpu;
	const struct pool_hint hint = { .priority = POOL_NORMAL, .cpus = &mask, .words = 1 };

	assert_int_equal(pool_submit_hinted(p, g, fn, arg, &hint), 0);
	while (!AO_load_acquire(&gate->entered))
		usleep(100);
}

/* What waits with a worker that is to go is run by who stays, also if that takes a while. */
static void waiting_work_is_handed_on(void **state)
{
	struct giver giver = { .pool = open_configured(&(struct pool_config){
		.topology = "core:2" }) };
	const uint32_t second = 2;
	const struct pool_hint gone = { .priority = POOL_NORMAL, .cpus = &second, .words = 1 };
	struct pool *p = giver.pool;
	struct gate gate = { 0, 0 };
	struct pool_group held[2];
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&giver.group), 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(pool_group_init(&held[i]), 0);
	hold_on(0, p, &held[0], wait_at_gate, &gate, &gate);
	hold_on(1, p, &held[1], give_and_hold, &giver, &giver.gate);
	assert_int_equal(pool_resize(p, 1), 0);
	AO_store_release(&giver.gate.open, 1);
	assert_int_equal(pool_wait(p, &held[1]), 0);
	usleep(10000);
	assert_int_equal(AO_load(&giver.sum), 0);
	AO_store_release(&gate.open, 1);
	assert_int_equal(pool_wait(p, &giver.group), 0);
	assert_int_equal(AO_load(&giver.sum), 100);
	assert_int_equal(pool_wait(p, &held[0]), 0);
	assert_int_equal(tasks_of(p, 1), 1);
	/* A cpu that is not ours now cannot be asked for. */
	assert_int_equal(pool_submit_hinted(p, &giver.group, add_one, &giver.sum, &gone), EINVAL);
	for (i = 0; i < 2; i++)
		pool_group_destroy(&held[i]);
	pool_group_destroy(&giver.group);
	pool_close(p, false);
}

struct resizing {
	struct pool *pool;
	AO_t stop;
};

static void *resize_again_and_again(void *arg)
{
	struct resizing *r = arg;
	uint64_t seed = 20260101;

	while (!AO_load_acquire(&r->stop)) {
		if (pool_resize(r->pool, 1 + (unsigned)(next_random(&seed) % 8)))
			return arg;
		usleep((useconds_t)(next_random(&seed) % 300));
	}
	return NULL;
}

static void nothing_is_lost_meanwhile(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "pack:2 core:2",
		.threads = 8 });
	struct resizing r = { p, 0 };
	pthread_t thread;
	void *failed;
	int i;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, resize_again_and_again, &r), 0);
	for (i = 0; i < 300; i++) {
		run_many(p, 1 + (size_t)i % 50);
		if (i % 10 == 0)
			nest(p);
	}
	AO_store_release(&r.stop, 1);
	pthread_join(thread, &failed);
	assert_null(failed);
	pool_close(p, false);
}

static void closing_while_some_rest(void **state)
{
	uint64_t seed = 99;
	int i, k;

	(void)state;
	for (i = 0; i < 100; i++) {
		struct pool *p = open_configured(&(struct pool_config){ .topology = "core:4" });
		AO_t sum = 0;

		for (k = 0; k < 50; k++)
			assert_int_equal(pool_submit(p, NULL, add_one, &sum), 0);
		assert_int_equal(pool_resize(p, 1 + (unsigned)(next_random(&seed) % 4)), 0);
		assert_int_equal(pool_close(p, false), 0);
		assert_int_equal(AO_load(&sum), 50);
	}
}

/* The process loses a cpu, and gets it back. */
static void follows_the_cpus_of_the_process(void **state)
{
	cpu_set_t all, one;
	struct pool *p;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(getpid(), sizeof(all), &all), 0);
	if (CPU_COUNT(&all) < 2) {
		skip();
		return;
	}
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	p = open_pool(0);
	assert_int_equal(pool_active(p), CPU_COUNT(&all));
	assert_int_equal(sched_setaffinity(getpid(), sizeof(one), &one), 0);
	assert_int_equal(pool_adapt(p), 0);
	assert_int_equal(pool_active(p), 1);
	run_many(p, 1000);
	assert_int_equal(sched_setaffinity(getpid(), sizeof(all), &all), 0);
	assert_int_equal(pool_adapt(p), 0);
	assert_int_equal(pool_active(p), CPU_COUNT(&all));
	run_many(p, 1000);
	pool_close(p, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(only_so_many_work, watchdog),
		cmocka_unit_test_setup(waiting_work_is_handed_on, watchdog),
		cmocka_unit_test_setup(nothing_is_lost_meanwhile, watchdog),
		cmocka_unit_test_setup(closing_while_some_rest, watchdog),
		cmocka_unit_test_setup(follows_the_cpus_of_the_process, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
