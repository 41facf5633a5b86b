/* SPDX-License-Identifier: MIT */
/* The deque: order, growth, and that every item comes out exactly once under thieves. */
#include "pool_test.h"
#include <pthread.h>
#include <stdlib.h>
#include "deque.h"

#define ITEMS 1000000
#define THIEVES 3

static void *item(uintptr_t n)
{
	return (void *)(n + 1);
}

static void takes_newest_steals_oldest(void **state)
{
	struct deque d;
	void *got = NULL;
	uintptr_t i;

	(void)state;
	assert_int_equal(deque_init(&d, 2), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(deque_push(&d, item(i)), 0);
	assert_int_equal(deque_size(&d), 3);
	assert_ptr_equal(deque_take(&d), item(2));
	assert_int_equal(deque_steal(&d, &got), DEQUE_GOT);
	assert_ptr_equal(got, item(0));
	assert_ptr_equal(deque_take(&d), item(1));
	assert_null(deque_take(&d));
	assert_int_equal(deque_steal(&d, &got), DEQUE_EMPTY);
	assert_int_equal(deque_size(&d), 0);
	deque_destroy(&d);
}

static void grows_and_keeps_the_order(void **state)
{
	struct deque d;
	void *got;
	uintptr_t i, oldest = 0;

	(void)state;
	assert_int_equal(deque_init(&d, 1), 0);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(deque_push(&d, item(i)), 0);
		if (i % 3 == 0) {
			assert_int_equal(deque_steal(&d, &got), DEQUE_GOT);
			assert_ptr_equal(got, item(oldest++));
		}
	}
	for (i = 1000; i-- > oldest;)
		assert_ptr_equal(deque_take(&d), item(i));
	assert_null(deque_take(&d));
	deque_destroy(&d);
}

struct race {
	struct deque deque;
	AO_t seen[ITEMS];
	AO_t ready, done;
};

static void see(struct race *r, void *got)
{
	(void)AO_fetch_and_add1_full(&r->seen[(uintptr_t)got - 1]);
}

static void *thief(void *arg)
{
	struct race *r = arg;
	void *got;

	(void)AO_fetch_and_add1_full(&r->ready);
	for (;;) {
		AO_t done = AO_load_acquire(&r->done);

		switch (deque_steal(&r->deque, &got)) {
		case DEQUE_GOT:
			see(r, got);
			break;
		case DEQUE_EMPTY:
			if (done)
				return NULL;
			break;
		case DEQUE_LOST:
			break;
		}
	}
}

/* The owner works in bursts of random length and empties its deque between them: the race
 * for the last item is the hard case. */
static void own(struct race *r, uint64_t seed)
{
	uintptr_t n = 0;
	void *got;

	while (n < ITEMS) {
		/* Half of the time single items, so that every one of them is the last. */
		uint64_t burst = next_random(&seed) % (n & 0x4000 ? 20 : 2);

		while (burst-- > 0 && n < ITEMS)
			if (!deque_push(&r->deque, item(n)))
				n++;
		while ((got = deque_take(&r->deque)) != NULL && next_random(&seed) % 16)
			see(r, got);
		if (got)
			see(r, got);
	}
	while ((got = deque_take(&r->deque)) != NULL)
		see(r, got);
}

static void every_item_comes_out_once(void **state)
{
	struct race *r = calloc(1, sizeof(*r));
	pthread_t thieves[THIEVES];
	uintptr_t i;

	(void)state;
	assert_non_null(r);
	assert_int_equal(deque_init(&r->deque, 1), 0);
	for (i = 0; i < THIEVES; i++)
		assert_int_equal(pthread_create(&thieves[i], NULL, thief, r), 0);
	while (AO_load_acquire(&r->ready) < THIEVES)
		usleep(100);
	own(r, 88172645463325252u);
	AO_store_release(&r->done, 1);
	for (i = 0; i < THIEVES; i++)
		pthread_join(thieves[i], NULL);
	for (i = 0; i < ITEMS; i++)
		if (AO_load(&r->seen[i]) != 1)
			fail_msg("item %lu came out %lu times", (unsigned long)i,
				(unsigned long)AO_load(&r->seen[i]));
	deque_destroy(&r->deque);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(takes_newest_steals_oldest, watchdog),
		cmocka_unit_test_setup(grows_and_keeps_the_order, watchdog),
		cmocka_unit_test_setup(every_item_comes_out_once, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
