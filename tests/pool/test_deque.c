/* SPDX-License-Identifier: MIT */
/* The deque: order, growth, and that every item comes out exactly once under thieves. */
#include "pool_test.h"
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include "deque.h"

#define ITEMS 1000000
#define THIEVES 3

/* Every word says which task it is: a mixture of two would show. */
static struct pool_task item(uintptr_t n)
{
	return (struct pool_task){ .arg = (void *)(n + 1), .group = (void *)~n, .home = n };
}

static int push(struct deque *d, uintptr_t n)
{
	const struct pool_task task = item(n);

	return deque_push(d, &task);
}

static uintptr_t number_of(const struct pool_task *task)
{
	const struct pool_task same = item(task->home);

	if (task->arg != same.arg || task->group != same.group)
		fail_msg("a mixture: %p %p %lu", task->arg, (void *)task->group,
			(unsigned long)task->home);
	return task->home;
}

static void takes_newest_steals_oldest(void **state)
{
	struct pool_task got;
	struct deque d;
	uintptr_t i;

	(void)state;
	assert_int_equal(deque_init(&d, 2), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(push(&d, i), 0);
	assert_int_equal(deque_size(&d), 3);
	assert_true(deque_take(&d, &got));
	assert_int_equal(number_of(&got), 2);
	assert_int_equal(deque_steal(&d, &got), DEQUE_GOT);
	assert_int_equal(number_of(&got), 0);
	assert_true(deque_take(&d, &got));
	assert_int_equal(number_of(&got), 1);
	assert_false(deque_take(&d, &got));
	assert_int_equal(deque_steal(&d, &got), DEQUE_EMPTY);
	assert_int_equal(deque_size(&d), 0);
	deque_destroy(&d);
}

static void grows_and_keeps_the_order(void **state)
{
	struct pool_task got;
	struct deque d;
	uintptr_t i, oldest = 0;

	(void)state;
	assert_int_equal(deque_init(&d, 1), 0);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(push(&d, i), 0);
		if (i % 3 == 0) {
			assert_int_equal(deque_steal(&d, &got), DEQUE_GOT);
			assert_int_equal(number_of(&got), oldest++);
		}
	}
	for (i = 1000; i-- > oldest;) {
		assert_true(deque_take(&d, &got));
		assert_int_equal(number_of(&got), i);
	}
	assert_false(deque_take(&d, &got));
	deque_destroy(&d);
}

static void keeps_what_was_reserved(void **state)
{
	struct deque d;
	AO_t array;
	uintptr_t i;

	(void)state;
	assert_int_equal(deque_init(&d, 1), 0);
	assert_int_equal(push(&d, 0), 0);
	assert_int_equal(deque_reserve(&d, 99), 0);
	array = AO_load(&d.array);
	for (i = 1; i < 100; i++)
		assert_int_equal(push(&d, i), 0);
	assert_int_equal(AO_load(&d.array), array);
	assert_int_equal(deque_reserve(&d, SIZE_MAX / 2), ENOMEM);
	assert_int_equal(deque_size(&d), 100);
	deque_destroy(&d);
}

struct race {
	struct deque deque;
	AO_t seen[ITEMS];
	AO_t ready, done;
};

static void see(struct race *r, const struct pool_task *got)
{
	(void)AO_fetch_and_add1_full(&r->seen[number_of(got)]);
}

static void *thief(void *arg)
{
	struct race *r = arg;
	struct pool_task got;

	(void)AO_fetch_and_add1_full(&r->ready);
	for (;;) {
		AO_t done = AO_load_acquire(&r->done);

		switch (deque_steal(&r->deque, &got)) {
		case DEQUE_GOT:
			see(r, &got);
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
	struct pool_task got;
	uintptr_t n = 0;

	while (n < ITEMS) {
		/* Half of the time single items, so that every one of them is the last. */
		uint64_t burst = next_random(&seed) % (n & 0x4000 ? 20 : 2);

		while (burst-- > 0 && n < ITEMS)
			if (!push(&r->deque, n))
				n++;
		while (deque_take(&r->deque, &got)) {
			see(r, &got);
			if (next_random(&seed) % 16 == 0)
				break;
		}
	}
	while (deque_take(&r->deque, &got))
		see(r, &got);
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
		cmocka_unit_test_setup(keeps_what_was_reserved, watchdog),
		cmocka_unit_test_setup(every_item_comes_out_once, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
