/* SPDX-License-Identifier: MIT */
/* The parker: a token is never lost and never counts twice. */
#include "pool_test.h"
#include <pthread.h>
#include <sched.h>
#include "atomic.h"
#include "clock.h"
#include "park.h"

#define ROUNDS 100000

static void a_token_given_before_is_kept(void **state)
{
	struct parker p;

	(void)state;
	assert_int_equal(parker_init(&p), 0);
	assert_false(parker_signal(&p));
	assert_false(parker_signal(&p));
	assert_false(parker_park(&p));
	parker_destroy(&p);
}

static void a_time_ends_a_sleep(void **state)
{
	const uint64_t until = clock_now() + 2000000;
	struct parker p;

	(void)state;
	assert_int_equal(parker_init(&p), 0);
	assert_true(parker_park_until(&p, until));
	assert_true(clock_now() >= until);
	/* A token from before is consumed, a time that is over asks for no sleep. */
	(void)parker_signal(&p);
	assert_false(parker_park_until(&p, clock_now() + UINT64_C(1000000000000)));
	(void)parker_park_until(&p, until);
	assert_false(parker_signal(&p));
	assert_false(parker_park(&p));
	parker_destroy(&p);
}

struct sleeper {
	struct parker parker;
	AO_t awake; /* how often it came back */
};

static void *sleep_twice(void *arg)
{
	struct sleeper *s = arg;
	int i;

	for (i = 0; i < 2; i++) {
		parker_park(&s->parker);
		(void)AO_fetch_and_add1_full(&s->awake);
	}
	return NULL;
}

/* Two tokens before the sleeper looks are one: the second sleep must not end on them. */
static void two_tokens_are_one(void **state)
{
	struct sleeper s = { .awake = 0 };
	pthread_t thread;

	(void)state;
	assert_int_equal(parker_init(&s.parker), 0);
	parker_signal(&s.parker);
	parker_signal(&s.parker);
	assert_int_equal(pthread_create(&thread, NULL, sleep_twice, &s), 0);
	while (AO_load_acquire(&s.awake) == 0)
		usleep(100);
	usleep(20000);
	assert_int_equal(AO_load_acquire(&s.awake), 1);
	parker_signal(&s.parker);
	pthread_join(thread, NULL);
	assert_int_equal(AO_load_acquire(&s.awake), 2);
	parker_destroy(&s.parker);
}

/* One message: the publication both sides of the duty look at. */
struct channel {
	struct parker parker;
	AO_t idle, work, done;
};

static void *consumer(void *arg)
{
	struct channel *c = arg;
	AO_t done = 0;

	while (done < ROUNDS) {
		AO_store(&c->idle, 1);
		pool_fence();
		if (AO_load_acquire(&c->work) == done)
			parker_park(&c->parker);
		AO_store(&c->idle, 0);
		if (AO_load_acquire(&c->work) > done)
			AO_store_release(&c->done, ++done);
	}
	return NULL;
}

/* Signals only when the other side looks idle: without a fence on either side this hangs. */
static void the_duty_loses_no_wakeup(void **state)
{
	struct channel c = { .idle = 0 };
	pthread_t thread;
	AO_t i;

	(void)state;
	assert_int_equal(parker_init(&c.parker), 0);
	assert_int_equal(pthread_create(&thread, NULL, consumer, &c), 0);
	for (i = 1; i <= ROUNDS; i++) {
		AO_store_release(&c.work, i);
		pool_fence();
		if (AO_load_acquire(&c.idle))
			parker_signal(&c.parker);
		while (AO_load_acquire(&c.done) < i)
			sched_yield();
	}
	pthread_join(thread, NULL);
	parker_destroy(&c.parker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_token_given_before_is_kept, watchdog),
		cmocka_unit_test_setup(a_time_ends_a_sleep, watchdog),
		cmocka_unit_test_setup(two_tokens_are_one, watchdog),
		cmocka_unit_test_setup(the_duty_loses_no_wakeup, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
