/* SPDX-License-Identifier: MIT */
/*
 * Naps. When a stream of tasks is one depends on the machine, so the tests say that there is one, and
 * see what workers make of it.
 */
#include "pool_test.h"
#include "loads.h"
#include "worker.h"
#include <string.h>

static uint64_t naps(struct pool *p)
{
	struct pool_stats s;
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < pool_workers(p); i++) {
		pool_stats(p, i, &s);
		sum += s.naps;
	}
	return sum;
}

static int count_sleeps(struct pool *p)
{
	char *text = NULL, *at;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int n = 0;

	assert_non_null(f);
	assert_int_equal(pool_trace_write(p, f), 0);
	assert_int_equal(fclose(f), 0);
	for (at = text; (at = strstr(at, "\"sleep\"")) != NULL; at++)
		n++;
	free(text);
	return n;
}

/* Not before its last look: a signal would find it there, and end its next sleep at once. */
static bool is_parked(struct worker *w)
{
	bool parked;

	pthread_mutex_lock(&w->parker.lock);
	parked = w->parker.sleeping && AO_load(&w->pool->napper) != w->index + 1;
	pthread_mutex_unlock(&w->parker.lock);
	return parked;
}

static void wait_until_asleep(struct pool *p)
{
	uint32_t i = 0;

	while (i < p->count)
		if (is_parked(&p->workers[i]))
			i++;
		else
			usleep(100);
}

/* It has run dry, and naps: true. False: it was over before we looked. */
static bool see_it_nap(struct pool *p, AO_t *sum)
{
	uint64_t before = naps(p);

	AO_store(&p->stream, 1);
	assert_int_equal(pool_submit(p, NULL, add_one, sum), 0);
	while (!AO_load_acquire(&p->napper) && naps(p) == before)
		;
	return AO_load_acquire(&p->napper) != 0;
}

static void few_tasks_are_no_stream(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:1", .trace = 64 });
	AO_t sum = 0;

	(void)state;
	wait_until_asleep(p);
	(void)see_it_nap(p, &sum);
	wait_until_asleep(p);
	assert_int_equal(AO_load(&p->stream), 0);
	assert_int_equal(naps(p), 1);
	assert_int_equal(AO_load(&sum), 1);
	/* The one that the task ended, and the nap. */
	assert_int_equal(count_sleeps(p), 2);
	pool_close(p, false);
}

/* And as that is a stream, it naps once more. */
static void who_naps_is_given_what_comes(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	bool still = false;
	AO_t sum = 0, napper;
	uint64_t before = 0;
	int i, tasks = 0;

	(void)state;
	while (!still || naps(p) < before + 2) {
		wait_until_asleep(p);
		before = naps(p);
		/* Too few for them to be found a stream by their number. */
		AO_store(&p->given, 0);
		tasks++;
		still = false;
		if (!see_it_nap(p, &sum))
			continue;
		napper = AO_load_acquire(&p->napper);
		for (i = 0; napper && i < 20; i++, tasks++)
			assert_int_equal(pool_submit(p, NULL, add_one, &sum), 0);
		i = napper ? (int)worker_queued(&p->workers[napper - 1]) : 0;
		still = napper && AO_load_acquire(&p->napper) == napper;
		if (still)
			assert_int_equal(i, 20);
		wait_until_asleep(p);
	}
	pool_close(p, false);
	assert_int_equal(AO_load(&sum), tasks);
}

/* Every wait begins in a stream: nothing is lost, whatever nap it meets. */
static void who_waits_is_served(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	struct pool_group g;
	AO_t sum = 0;
	int i, k;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 2000; i++) {
		AO_store(&p->stream, 1);
		for (k = 0; k <= i % 20; k++)
			assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
		assert_int_equal(pool_wait(p, &g), 0);
	}
	assert_int_equal(AO_load(&p->waiting), 0);
	assert_int_equal(AO_load(&sum), 2000 / 20 * 210);
	pool_group_destroy(&g);
	pool_close(p, false);
}

/* One worker is held, the other one naps: what the first hands out, the other one runs. */
static int hand_out_and_wait(void *arg)
{
	struct pool *p = arg;
	AO_t sum = 0;

	AO_store(&p->stream, 1);
	assert_int_equal(pool_submit(p, NULL, add_one, &sum), 0);
	while (!AO_load_acquire(&sum))
		usleep(10);
	return 0;
}

static void what_workers_hand_out_is_fetched(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:2" });
	struct pool_group g;
	int i;

	(void)state;
	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 200; i++) {
		assert_int_equal(pool_submit(p, &g, hand_out_and_wait, p), 0);
		assert_int_equal(pool_wait(p, &g), 0);
	}
	pool_group_destroy(&g);
	pool_close(p, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(few_tasks_are_no_stream, watchdog),
		cmocka_unit_test_setup(who_naps_is_given_what_comes, watchdog),
		cmocka_unit_test_setup(who_waits_is_served, watchdog),
		cmocka_unit_test_setup(what_workers_hand_out_is_fetched, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
