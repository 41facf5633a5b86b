/* SPDX-License-Identifier: MIT */
/* The example pool, as its users see it; built once for each PEER_LEVEL. */
#include <math.h>
#include "peer_load.h"
#include "../bench.h"
#include "peer.h"
#include "pool.h"

static struct pool *pool;
static struct pool_group group;

/* The counters of all workers when the measuring began. */
static struct pool_stats before[PEER_MOST_THREADS];
static uint64_t began;

/* What the workers of one cpu did since. */
struct seat {
	uint32_t cpu;
	uint64_t tasks;
	double awake; /* share of the time, added up */
};

static int run(void *arg)
{
	struct peer_task *t = arg;

	t->run(t);
	return 0;
}

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	const struct pool_config config = { .threads = threads, .level = PEER_LEVEL };
	char why[256];

	(void)outside;
	peer_need(!pool_open(&pool, &config, why, sizeof(why)), why);
	peer_need(!pool_group_init(&group), "a group");
	body(arg);
	pool_group_destroy(&group);
	pool_close(pool, false);
	pool = NULL;
	return 0;
}

static void submit(struct peer_task *t)
{
	peer_need(!pool_submit(pool, &group, run, t), "pool_submit");
}

static void wait(void)
{
	pool_wait(pool, &group);
}

static void region(struct peer_task *const *tasks, size_t n)
{
	peer_need(!pool_fork_join(pool, run, (void *const *)tasks, n), "pool_fork_join");
}

static void join(struct peer_task *left, struct peer_task *right)
{
	struct peer_task *const both[] = { left, right };

	region(both, 2);
}

static void mark(void)
{
	for (unsigned i = 0; pool && i < pool_workers(pool); i++)
		pool_stats(pool, i, &before[i]);
	began = bench_now();
}

/* Where the cpu of a worker is in the list, which gets longer when it is not. */
static struct seat *seat_of(struct seat *seats, unsigned *n, unsigned worker)
{
	const uint32_t cpu = brain_seat(pool_brain(pool), worker)->cpu;
	unsigned i = 0;

	while (i < *n && seats[i].cpu != cpu)
		i++;
	if (i == *n)
		seats[(*n)++] = (struct seat){ .cpu = cpu };
	return &seats[i];
}

/* As if no two workers of a cpu were ever awake at once: at most a little too busy at low load,
 * and busy throughout where there is always somebody who would run. */
static void sum_up(const struct seat *seats, unsigned n, struct peer_counts *out)
{
	out->cpus = 0;
	for (unsigned i = 0; i < n; i++) {
		const double idle = fmax(0, 1 - seats[i].awake);

		out->cpus += seats[i].tasks > 0;
		out->idle_least = fmin(out->idle_least, idle);
		out->idle_most = fmax(out->idle_most, idle);
	}
}

static void count(struct peer_counts *out)
{
	const double wall = (double)(bench_now() - began);
	struct seat seats[PEER_MOST_THREADS];
	unsigned n = 0;

	if (!pool)
		return;
	out->wakes = out->failed = 0;
	for (unsigned i = 0; i < pool_workers(pool); i++) {
		struct seat *seat = seat_of(seats, &n, i);
		struct pool_stats s;

		pool_stats(pool, i, &s);
		seat->tasks += s.tasks - before[i].tasks;
		seat->awake += 1 - (double)(s.idle - before[i].idle) / wall;
		out->wakes += (double)(s.wakeups - before[i].wakeups);
		out->failed += (double)(s.searches - s.found) -
			(double)(before[i].searches - before[i].found);
	}
	sum_up(seats, n, out);
}

const struct peer peer = {
	.with = with, .submit = submit, .wait = wait, .region = region, .join = join,
	.mark = mark, .count = count,
};
