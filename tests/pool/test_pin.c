/* SPDX-License-Identifier: MIT */
/* On which cpus the threads of the pool run, on the machine at hand. */
#include "pool_test.h"
#include <sched.h>
#include "gate.h"

/* What a task saw. */
struct seen {
	struct pool *pool;
	AO_t tasks, too_wide, elsewhere;
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

	(void)AO_fetch_and_add1_full(&seen->tasks);
	return 0;
}

static void note(struct seen *seen)
{
	if (allowed_cpus() != 1)
		(void)AO_fetch_and_add1_full(&seen->too_wide);
	if (sched_getcpu() != (int)own_cpu(seen->pool))
		(void)AO_fetch_and_add1_full(&seen->elsewhere);
	if (pool_self(seen->pool) == (int)AO_load(&seen->expected))
		(void)AO_fetch_and_add1_full(&seen->expected_came);
}

static int look_closely(void *arg)
{
	note(arg);
	return look(arg);
}

static void workers_have_their_cpu(void **state)
{
	struct pool *p = open_pool(0);
	struct seen seen = { .pool = p };
	struct pool_group g;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 200; i++) {
		assert_int_equal(pool_submit(p, &g, look_closely, &seen), 0);
		assert_int_equal(pool_wait(p, &g), 0);
	}
	assert_int_equal(AO_load(&seen.too_wide), 0);
	assert_int_equal(AO_load(&seen.elsewhere), 0);
	pool_group_destroy(&g);
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
		if (pool_submit(seen->pool, NULL, look_closely, seen))
			return seen;
		while (AO_load(&seen->tasks) == i)
			usleep(100);
	}
	return NULL;
}

/* The cpu that hands out is awake: no other one is woken for a single task. On a loaded machine a
 * worker may still be awake elsewhere. */
static void nobody_is_woken_across_at(enum brain_level level)
{
	struct pool *p = open_configured(&(struct pool_config){ .level = level });
	struct seen seen = { .pool = p };
	pthread_t thread;
	void *failed;

	assert_int_equal(pthread_create(&thread, NULL, hand_out_everywhere, &seen), 0);
	pthread_join(thread, &failed);
	assert_null(failed);
	assert_int_equal(AO_load(&seen.too_wide), 0);
	assert_int_equal(AO_load(&seen.elsewhere), 0);
	assert_in_range(AO_load(&seen.expected_came), 15 * pool_workers(p), 20 * pool_workers(p));
	pool_close(p, false);
}

static void nobody_is_woken_across(void **state)
{
	(void)state;
	nobody_is_woken_across_at(BRAIN_PERFORMANCE);
	nobody_is_woken_across_at(BRAIN_POWERSAVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(workers_have_their_cpu, watchdog),
		cmocka_unit_test_setup(nobody_is_woken_across, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
