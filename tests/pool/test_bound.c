/* SPDX-License-Identifier: MIT */
/* Tasks that only some cpus may run. */
#include "pool_test.h"
#include <errno.h>
#include "gate.h"

struct where {
	struct pool *pool;
	AO_t count[4], wrong;
	uint32_t allowed;
};

static int note_where(void *arg)
{
	struct where *where = arg;
	int self = pool_self(where->pool);

	(void)AO_fetch_and_add1_full(&where->count[self]);
	if (!(where->allowed >> brain_seat(pool_brain(where->pool), (uint32_t)self)->cpu & 1))
		(void)AO_fetch_and_add1_full(&where->wrong);
	return 0;
}

/* Under every mask, from outside, with gaps in which workers fall asleep. */
static void bound_tasks_stay_where_they_may(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:4" });
	struct where where = { .pool = p };
	struct pool_hint hint = { .priority = POOL_NORMAL, .words = 1 };
	uint64_t seed = 424242;
	struct pool_group g;
	int round, i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (round = 0; round < 600; round++) {
		where.allowed = 1 + (uint32_t)round % 15;
		hint.cpus = &where.allowed;
		for (i = 0; i < 5; i++)
			assert_int_equal(pool_submit_hinted(p, &g, note_where, &where, &hint), 0);
		assert_int_equal(pool_wait(p, &g), 0);
		if (next_random(&seed) % 4 == 0)
			usleep((useconds_t)(next_random(&seed) % 100));
	}
	assert_int_equal(AO_load(&where.wrong), 0);
	where.allowed = 0xf0;
	assert_int_equal(pool_submit_hinted(p, &g, note_where, &where, &hint), EINVAL);
	pool_group_destroy(&g);
	pool_close(p, false);
}

/* A worker that is held does not keep what another one may run. */
static void bound_tasks_find_who_is_free(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	struct pool_hint hint = { .priority = POOL_NORMAL, .words = 1 };
	uint32_t mask = 3, one;
	struct pool_group g, held;
	struct gate gate;
	AO_t sum = 0;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_group_init(&held), 0);
	for (i = 0; i < 200; i++) {
		one = 1u << i % 2;
		hint.cpus = &one;
		AO_store(&gate.entered, 0);
		AO_store(&gate.open, 0);
		assert_int_equal(pool_submit_hinted(p, &held, wait_at_gate, &gate, &hint), 0);
		hint.cpus = &mask;
		assert_int_equal(pool_submit_hinted(p, &g, add_one, &sum, &hint), 0);
		assert_int_equal(pool_submit_hinted(p, &g, add_one, &sum, &hint), 0);
		assert_int_equal(pool_wait(p, &g), 0);
		AO_store_release(&gate.open, 1);
		assert_int_equal(pool_wait(p, &held), 0);
	}
	assert_int_equal(AO_load(&sum), 400);
	pool_group_destroy(&held);
	pool_group_destroy(&g);
	pool_close(p, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(bound_tasks_stay_where_they_may, watchdog),
		cmocka_unit_test_setup(bound_tasks_find_who_is_free, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
