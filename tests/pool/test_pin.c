/* SPDX-License-Identifier: MIT */
/* On which cpus the threads of the pool run, on the machine at hand. */
#include "pool_test.h"
#include <sched.h>
#include "gate.h"

/* What a task saw. */
struct seen {
	struct pool *pool;
	AO_t tasks, too_wide, elsewhere;
	AO_t cpus;     /* that the last one might use */
	AO_t expected, expected_came; /* a worker, and how often it was that one */
};

static uint32_t own_cpu(const struct pool *p)
{
	return brain_seat(pool_brain(p), (uint32_t)pool_self(p))->os_id;
}

static AO_t allowed_cpus(void)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	return (AO_t)CPU_COUNT(&set);
}

static int look(void *arg)
{
	struct seen *seen = arg;

	AO_store(&seen->cpus, allowed_cpus());
	(void)AO_fetch_and_add1_full(&seen->tasks);
	return 0;
}

static void note_bound(struct seen *seen)
{
	if (allowed_cpus() != 1)
		(void)AO_fetch_and_add1_full(&seen->too_wide);
	if (sched_getcpu() != (int)own_cpu(seen->pool))
		(void)AO_fetch_and_add1_full(&seen->elsewhere);
	if (pool_self(seen->pool) == (int)AO_load(&seen->expected))
		(void)AO_fetch_and_add1_full(&seen->expected_came);
}

static int look_bound(void *arg)
{
	note_bound(arg);
	return look(arg);
}

/* Waits for one like itself, and for one that may run anywhere. */
static int wait_bound(void *arg)
{
	struct seen *seen = arg;
	const uint32_t mask = UINT32_MAX;
	const struct pool_hint hint = { .priority = POOL_NORMAL, .cpus = &mask, .words = 1 };
	struct pool_group g;
	int error = pool_group_init(&g);

	if (!error)
		error = pool_submit_hinted(seen->pool, &g, look_bound, seen, &hint);
	if (!error)
		error = pool_submit(seen->pool, &g, look, seen);
	if (!error)
		error = pool_wait(seen->pool, &g);
	pool_group_destroy(&g);
	note_bound(seen);
	return error;
}

/* How many cpus a worker may use, when nothing holds it. */
static AO_t roaming(struct seen *seen)
{
	struct pool_group g;

	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(seen->pool, &g, look, seen), 0);
	assert_int_equal(pool_wait(seen->pool, &g), 0);
	pool_group_destroy(&g);
	return AO_load(&seen->cpus);
}

static AO_t sharing(const struct pool *p)
{
	const struct brain_seat *first = brain_seat(pool_brain(p), 0);
	AO_t n = 0;
	unsigned i;

	for (i = 0; i < pool_workers(p); i++)
		n += brain_seat(pool_brain(p), i)->cache == first->cache;
	return n;
}

static void bound_tasks_hold_their_worker(void **state)
{
	struct pool *p = open_pool(0);
	struct seen seen = { .pool = p };
	const uint32_t mask = UINT32_MAX;
	const struct pool_hint hint = { .priority = POOL_NORMAL, .cpus = &mask, .words = 1 };
	struct pool_group g;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 200; i++) {
		assert_int_equal(pool_submit_hinted(p, &g, i % 2 ? wait_bound : look_bound, &seen,
			&hint), 0);
		assert_int_equal(pool_wait(p, &g), 0);
		assert_int_equal(roaming(&seen), sharing(p));
	}
	assert_int_equal(AO_load(&seen.too_wide), 0);
	assert_int_equal(AO_load(&seen.elsewhere), 0);
	pool_group_destroy(&g);
	pool_close(p, false);
}

static void levels_say_where_workers_roam(void **state)
{
	struct pool *p = open_pool(0);
	struct seen seen = { .pool = p };

	(void)state;
	assert_int_equal(roaming(&seen), sharing(p));
	assert_int_equal(pool_set_level(p, BRAIN_POWERSAVE), 0);
	assert_int_equal(roaming(&seen), 1);
	assert_int_equal(pool_set_level(p, BRAIN_BALANCED), 0);
	assert_int_equal(roaming(&seen), sharing(p));
	assert_int_equal(pool_resize(p, 1), 0);
	assert_int_equal(roaming(&seen), 1);
	pool_close(p, false);
}

/* A thread that hands out from one cpu after the other, while all workers sleep. */
static void *hand_out_everywhere(void *arg)
{
	struct seen *seen = arg;
	cpu_set_t set;
	unsigned i;

	for (i = 0; i < 20 * pool_workers(seen->pool); i++) {
		const uint32_t worker = i % pool_workers(seen->pool);

		CPU_ZERO(&set);
		CPU_SET(brain_seat(pool_brain(seen->pool), worker)->os_id, &set);
		if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
			return seen;
		usleep(2000);
		AO_store(&seen->expected, worker);
		if (pool_submit(seen->pool, NULL, look_bound, seen))
			return seen;
		while (AO_load(&seen->tasks) == i)
			usleep(100);
	}
	return NULL;
}

/* Where power is saved, the cpu that hands out is awake: no other one is woken for a single task. On
 * a loaded machine a worker may still be awake elsewhere. */
static void powersave_wakes_nobody_across(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .level = BRAIN_POWERSAVE });
	struct seen seen = { .pool = p };
	pthread_t thread;
	void *failed;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, hand_out_everywhere, &seen), 0);
	pthread_join(thread, &failed);
	assert_null(failed);
	assert_int_equal(AO_load(&seen.too_wide), 0);
	assert_int_equal(AO_load(&seen.elsewhere), 0);
	assert_in_range(AO_load(&seen.expected_came), 15 * pool_workers(p), 20 * pool_workers(p));
	pool_close(p, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(bound_tasks_hold_their_worker, watchdog),
		cmocka_unit_test_setup(levels_say_where_workers_roam, watchdog),
		cmocka_unit_test_setup(powersave_wakes_nobody_across, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
