/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include "../bench.h"
#include "peer.h"
#include "peer_load.h"
#include "peer_measure.h"
#include "peer_work.h"

struct job {
	const struct peer_run *run;
	struct peer_outcome *out;
};

/* Tasks of the loads that need no more. The work is the same for all, and set before any runs. */
static uint64_t turns;

static void work(struct peer_task *t)
{
	(void)t;
	peer_work(turns);
}

/* Twice the threads: the pool has started what it starts late, and everybody has slept. */
static void warm_up(const struct job *j)
{
	struct peer_task t = { work };

	for (unsigned i = 0; i < 2 * j->run->threads; i++)
		peer.submit(&t);
	peer.wait();
}

static void outside(void *arg)
{
	const struct job *j = arg;
	struct peer_task t = { work };
	struct peer_while w;

	warm_up(j);
	peer_measure_begin(&w);
	for (uint64_t i = 0; i < j->run->amount; i++)
		peer.submit(&t);
	peer.wait();
	peer_measure_end(&w, (double)j->run->amount, false, j->out);
}

/* The children of node i are 2i + 1 and 2i + 2; nodes from `leaf` on are leaves. */
static struct peer_task *node;
static uint64_t leaf;

static void grow(struct peer_task *self)
{
	const uint64_t i = (uint64_t)(self - node);

	if (i >= leaf) {
		peer_work(turns);
	} else if (peer.join) {
		peer.join(&node[2 * i + 1], &node[2 * i + 2]);
	} else {
		peer.submit(&node[2 * i + 1]);
		peer.submit(&node[2 * i + 2]);
	}
}

static void tree(void *arg)
{
	const struct job *j = arg;
	struct peer_while w;

	for (uint64_t i = 0; i < 2 * leaf + 1; i++)
		node[i].run = grow;
	warm_up(j);
	peer_measure_begin(&w);
	peer.submit(&node[0]);
	peer.wait();
	peer_measure_end(&w, (double)(leaf + 1), false, j->out);
}

static void regions(void *arg)
{
	const struct job *j = arg;
	const size_t n = j->run->threads;
	struct peer_task t = { work }, *tasks[PEER_MOST_THREADS];
	struct peer_while w;

	for (size_t i = 0; i < n; i++)
		tasks[i] = &t;
	warm_up(j);
	peer_measure_begin(&w);
	for (uint64_t r = 0; r < j->run->amount; r++) {
		if (peer.region) {
			peer.region(tasks, n);
			continue;
		}
		for (size_t i = 0; i < n; i++)
			peer.submit(&t);
		peer.wait();
	}
	peer_measure_end(&w, (double)j->run->amount, false, j->out);
}

/* A task of a burst; whoever is last to finish is so by the clock. */
struct timed {
	struct peer_task task;
	uint64_t sent, begun, ended;
};

static void note(struct peer_task *self)
{
	struct timed *t = (struct timed *)self;

	t->begun = bench_now();
	peer_work(turns);
	t->ended = bench_now();
}

static void sleep_until(uint64_t ns)
{
	const struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static void send_bursts(const struct peer_run *run, struct timed *t)
{
	uint64_t next = bench_now();

	for (uint64_t b = 0; b < run->amount; b++) {
		next += run->period_us * 1000;
		sleep_until(next);
		for (uint64_t i = 0; i < run->burst; i++, t++) {
			t->sent = bench_now();
			peer.submit(&t->task);
		}
	}
}

static double at_percent(double *sample, uint64_t n, unsigned percent)
{
	return sample[(n - 1) * percent / 100];
}

/* From the first sending of a burst to its last end. */
static double burst_time(const struct timed *t, uint64_t burst)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < burst; i++)
		last = t[i].ended > last ? t[i].ended : last;
	return (double)(last - t[0].sent);
}

static void collect(const struct peer_run *run, const struct timed *t, double *sample,
	struct peer_outcome *out)
{
	const uint64_t n = run->amount * run->burst;

	for (uint64_t i = 0; i < n; i++)
		sample[i] = (double)(t[i].begun - t[i].sent);
	qsort(sample, n, sizeof(sample[0]), bench_compare);
	out->value[PEER_begin_p50] = at_percent(sample, n, 50);
	out->value[PEER_begin_p99] = at_percent(sample, n, 99);
	for (uint64_t b = 0; b < run->amount; b++)
		sample[b] = burst_time(&t[b * run->burst], run->burst);
	qsort(sample, run->amount, sizeof(sample[0]), bench_compare);
	out->value[PEER_time] = at_percent(sample, run->amount, 50);
}

static void paced(void *arg)
{
	const struct job *j = arg;
	const uint64_t n = j->run->amount * j->run->burst;
	struct timed *t = calloc(n, sizeof(t[0]));
	double *sample = calloc(n, sizeof(sample[0]));
	struct peer_while w;

	peer_need(t && sample, "memory");
	for (uint64_t i = 0; i < n; i++)
		t[i].task.run = note;
	warm_up(j);
	peer_measure_begin(&w);
	send_bursts(j->run, t);
	peer.wait();
	peer_measure_end(&w, (double)n, true, j->out);
	collect(j->run, t, sample, j->out);
	free(sample);
	free(t);
}

static void once(void *arg)
{
	struct peer_task t = { work };

	(void)arg;
	peer.submit(&t);
	peer.wait();
}

/* Counts of the peer end with it. */
static int start(const struct job *j)
{
	struct peer_while w;
	int status;

	peer_measure_begin(&w);
	status = peer.with(j->run->threads, true, once, NULL);
	peer_measure_end(&w, 1, false, j->out);
	return status;
}

static int grow_tree(struct job *j)
{
	int status;

	if (!peer.join && !peer.nested)
		return PEER_UNABLE;
	for (leaf = 1; 2 * (leaf + 1) <= j->run->amount; leaf = 2 * leaf + 1)
		;
	node = calloc(2 * leaf + 1, sizeof(node[0]));
	if (!node)
		return EXIT_FAILURE;
	status = peer.with(j->run->threads, false, tree, j);
	free(node);
	return status;
}

int peer_load_run(const struct peer_run *run, struct peer_outcome *out)
{
	static void (*const body[PEER_LOAD_COUNT])(void *) = {
		[PEER_LOAD_outside] = outside, [PEER_LOAD_regions] = regions,
		[PEER_LOAD_paced] = paced,
	};
	struct job j = { run, out };

	turns = run->turns;
	if (run->load == PEER_LOAD_tree)
		return grow_tree(&j);
	if (run->load == PEER_LOAD_start)
		return start(&j);
	return peer.with(run->threads, run->load != PEER_LOAD_regions, body[run->load], &j);
}
