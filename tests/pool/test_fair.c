/* SPDX-License-Identifier: MIT */
/* Nobody is kept waiting by others: refused submits, endless rows, closing, full pools. */
#include "pool_test.h"
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "gate.h"

/* All workers at once: one that had been lost would keep the last gate from being entered. */
static void all_can_work(struct pool *p)
{
	unsigned n = pool_workers(p), i;
	struct gate gates[8] = { { 0, 0 } };
	struct pool_group g;

	assert_in_range(n, 1, 8);
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < n; i++)
		assert_int_equal(pool_submit(p, &g, wait_at_gate, &gates[i]), 0);
	for (i = 0; i < n; i++)
		while (!AO_load_acquire(&gates[i].entered))
			usleep(100);
	for (i = 0; i < n; i++)
		AO_store_release(&gates[i].open, 1);
	assert_int_equal(pool_wait(p, &g), 0);
	pool_group_destroy(&g);
}

static void a_refused_submit_loses_nobody(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:4" });
	void *args[] = { NULL };
	int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		usleep(3000);
		assert_int_equal(pool_submit_many(p, NULL, add_one, args, SIZE_MAX / 64), ENOMEM);
	}
	assert_int_equal(pool_submit_many(p, NULL, add_one, args, SIZE_MAX), ENOMEM);
	all_can_work(p);
	pool_close(p, false);
}

struct row {
	struct pool *pool;
	AO_t stop, rounds;
};

static int go_on(void *arg)
{
	struct row *r = arg;
	const struct pool_hint hint = { .priority = POOL_HIGH };

	(void)AO_fetch_and_add1_full(&r->rounds);
	return AO_load_acquire(&r->stop) ? 0 : pool_submit_hinted(r->pool, NULL, go_on, r, &hint);
}

static void an_endless_row_lets_others_in(void **state)
{
	struct row r = { .pool = open_configured(&(struct pool_config){ .topology = "core:1" }) };
	const uint32_t first = 1;
	const struct pool_hint bound = { .priority = POOL_NORMAL, .cpus = &first, .words = 1 };
	struct pool_group g;
	AO_t sum = 0;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(r.pool, NULL, go_on, &r), 0);
	while (AO_load_acquire(&r.rounds) < 1000)
		usleep(100);
	assert_int_equal(pool_submit(r.pool, &g, add_one, &sum), 0);
	assert_int_equal(pool_submit_hinted(r.pool, &g, add_one, &sum, &bound), 0);
	assert_int_equal(pool_wait(r.pool, &g), 0);
	assert_int_equal(AO_load(&sum), 2);
	AO_store_release(&r.stop, 1);
	assert_int_equal(pool_close(r.pool, false), 0);
	pool_group_destroy(&g);
}

struct late {
	struct pool *pool;
	AO_t begun, sum;
};

/* While the pool is being closed: work for a worker that has nothing to do any more. */
static int bind_late(void *arg)
{
	struct late *l = arg;
	const uint32_t second = 2;
	const struct pool_hint hint = { .priority = POOL_NORMAL, .cpus = &second, .words = 1 };
	struct pool_group g;
	int error = pool_group_init(&g);

	AO_store_release(&l->begun, 1);
	usleep(50000);
	error |= pool_submit_hinted(l->pool, &g, add_one, &l->sum, &hint);
	error |= pool_wait(l->pool, &g);
	error |= pool_submit_hinted(l->pool, NULL, add_one, &l->sum, &hint);
	pool_group_destroy(&g);
	return error;
}

static void closing_waits_for_what_tasks_hand_out(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct late l = { .pool = open_configured(&(struct pool_config){
			.topology = "core:2" }) };
		const uint32_t first = 1;
		const struct pool_hint hint = { .priority = POOL_NORMAL, .cpus = &first,
			.words = 1 };

		assert_int_equal(pool_submit_hinted(l.pool, NULL, bind_late, &l, &hint), 0);
		while (!AO_load_acquire(&l.begun))
			usleep(100);
		assert_int_equal(pool_close(l.pool, false), 0);
		assert_int_equal(AO_load(&l.sum), 2);
	}
}

struct both {
	struct pool *pool;
	AO_t sum;
	struct gate gate;
};

/* It does not wait at once, as it said, but for something that the other one does. */
static int sync_then_normal(void *arg)
{
	struct both *b = arg;
	const struct pool_hint sync = { .priority = POOL_NORMAL, .sync = true };
	struct pool_group g;
	int error = pool_group_init(&g);

	error |= pool_submit_hinted(b->pool, &g, add_one, &b->sum, &sync);
	error |= pool_submit(b->pool, &g, wait_at_gate, &b->gate);
	while (!AO_load_acquire(&b->gate.entered))
		usleep(100);
	AO_store_release(&b->gate.open, 1);
	error |= pool_wait(b->pool, &g);
	pool_group_destroy(&g);
	return error;
}

static void a_promise_to_wait_is_not_for_the_next(void **state)
{
	struct both b = { .pool = open_configured(&(struct pool_config){ .topology = "core:4" }) };
	struct pool_group g;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 20; i++) {
		b.gate = (struct gate){ 0, 0 };
		usleep(2000);
		assert_int_equal(pool_submit(b.pool, &g, sync_then_normal, &b), 0);
		assert_int_equal(pool_wait(b.pool, &g), 0);
	}
	assert_int_equal(AO_load(&b.sum), 20);
	pool_group_destroy(&g);
	pool_close(b.pool, false);
}

static void *never_fits(void *arg)
{
	static void *args[2000];
	struct late *l = arg;

	while (!AO_load_acquire(&l->begun))
		if (pool_submit_many(l->pool, NULL, add_one, args, 2000) != EAGAIN)
			return arg;
	return NULL;
}

static void who_never_fits_takes_no_room(void **state)
{
	struct late l = { .pool = open_configured(&(struct pool_config){ .threads = 1,
		.limit = 1000 }) };
	struct pool_group g;
	pthread_t thread;
	void *wrong;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pthread_create(&thread, NULL, never_fits, &l), 0);
	for (i = 0; i < 5000; i++) {
		assert_int_equal(pool_submit(l.pool, &g, add_one, &l.sum), 0);
		assert_int_equal(pool_wait(l.pool, &g), 0);
	}
	AO_store_release(&l.begun, 1);
	pthread_join(thread, &wrong);
	assert_null(wrong);
	pool_group_destroy(&g);
	pool_close(l.pool, false);
}

#if defined(__SANITIZE_ADDRESS__) || defined(POOL_TSAN)
#define SANITIZED 1
#endif

/* Room for a few stacks only. */
static int open_too_many(void)
{
	const struct rlimit little = { (rlim_t)100 << 20, (rlim_t)100 << 20 };
	struct pool *p = NULL;
	char why[256] = "";

	alarm(20);
	if (setrlimit(RLIMIT_AS, &little))
		return 1;
	if (!pool_open(&p, &(struct pool_config){ .threads = 200 }, why, sizeof(why)))
		return 2;
	return strstr(why, "cannot start the workers") ? 0 : 3;
}

static void too_many_threads_are_refused(void **state)
{
	int status = -1;
	pid_t child;

	(void)state;
#ifdef SANITIZED
	skip();
#endif
	child = fork();
	if (child == 0)
		_exit(open_too_many());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_refused_submit_loses_nobody, watchdog),
		cmocka_unit_test_setup(an_endless_row_lets_others_in, watchdog),
		cmocka_unit_test_setup(closing_waits_for_what_tasks_hand_out, watchdog),
		cmocka_unit_test_setup(a_promise_to_wait_is_not_for_the_next, watchdog),
		cmocka_unit_test_setup(too_many_threads_are_refused, watchdog),
		cmocka_unit_test_setup(who_never_fits_takes_no_room, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
