/* SPDX-License-Identifier: MIT */
/* Nobody sleeps for ever, and no work waits beside a sleeper. */
#include "pool_test.h"
#include <pthread.h>
#include <sched.h>
#include "loads.h"

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
		struct pool *p = open_configured(&(struct pool_config){
			.topology = "pack:2 core:4 pu:2", .level = level });

		submit_many(p);
		nest(p);
		stress_wakeups(p);
		assert_int_equal(pool_close(p, false), 0);
	}
}

/* Nor may a search that is not worth it; dq is what all other tests use. */
static void every_tracker_runs_everything(void **state)
{
	enum newidle_mode mode;

	(void)state;
	for (mode = NEWIDLE_DQ + 1; mode < NEWIDLE_MODES; mode++) {
		struct pool *p = open_configured(&(struct pool_config){ .newidle = mode });

		submit_many(p);
		nest(p);
		stress_wakeups(p);
		assert_int_equal(pool_close(p, false), 0);
	}
}

struct crowd {
	struct pool *pool;
	struct pool_group group;
	AO_t arrived, wanted;
	AO_t spin;
};

/* Ends only when all of them run at once. */
static int meet_all(void *arg)
{
	struct crowd *c = arg;

	(void)AO_fetch_and_add1_full(&c->arrived);
	while (AO_load_acquire(&c->arrived) < c->wanted)
		usleep(50);
	return 0;
}

static int pass_by(void *arg)
{
	(void)arg;
	return 0;
}

/* Those who pass by first see to it that some are just looking for work when the others come. */
static int call_a_crowd(void *arg)
{
	struct crowd *c = arg;
	volatile AO_t spin = c->spin;
	int error = 0;
	AO_t i;

	for (i = 0; i < 2; i++)
		error |= pool_submit(c->pool, &c->group, pass_by, NULL);
	while (spin > 0)
		spin--;
	for (i = 1; i < c->wanted; i++)
		error |= pool_submit(c->pool, &c->group, meet_all, c);
	return error | meet_all(c);
}

static void gather(struct crowd *c, uint64_t random)
{
	bool inside = random % 4;
	AO_t i;

	c->arrived = 0;
	c->wanted = 2 + random / 4 % 7;
	c->spin = random / 64 % 32768;
	for (i = inside ? c->wanted - 1 : 0; i < c->wanted; i++)
		assert_int_equal(pool_submit(c->pool, &c->group, inside ? call_a_crowd : meet_all,
			c), 0);
	assert_int_equal(pool_wait(c->pool, &c->group), 0);
}

/* Work that waits behind a task which does not end, while a worker sleeps, hangs here. */
static void nothing_waits_beside_a_sleeper(void **state)
{
	enum newidle_mode mode;
	uint64_t seed = 20090415;

	(void)state;
	for (mode = NEWIDLE_DQ; mode < NEWIDLE_MODES; mode++) {
		struct crowd c = { .pool = open_configured(&(struct pool_config){
			.topology = "pack:2 core:2 pu:2", .newidle = mode,
			.level = (enum brain_level)(mode % BRAIN_LEVELS) }) };
		int round;

		assert_int_equal(pool_group_init(&c.group), 0);
		for (round = 0; round < 300; round++)
			gather(&c, next_random(&seed));
		pool_group_destroy(&c.group);
		assert_int_equal(pool_close(c.pool, false), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(no_wakeup_is_lost, watchdog),
		cmocka_unit_test_setup(no_wakeup_is_lost_while_falling_asleep, watchdog),
		cmocka_unit_test_setup(every_level_runs_everything, watchdog),
		cmocka_unit_test_setup(every_tracker_runs_everything, watchdog),
		cmocka_unit_test_setup(nothing_waits_beside_a_sleeper, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
