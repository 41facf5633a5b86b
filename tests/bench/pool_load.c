/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "bench.h"
#include "pool_load.h"

/* Of schbench and hackbench as the simulation has them (newidle_world.h), ns. */
#define REQUEST_NS 15000u
#define THINK_NS 25000u
#define MESSAGE_NS 2000u
#define BURST 16u

#define MAX_SAMPLES (1u << 20)

struct load {
	struct pool *pool;
	uint64_t until;
	AO_t done;
	AO_t samples;
	double *sample; /* [MAX_SAMPLES] */
};

struct message {
	struct load *load;
	uint64_t sent, work;
};

const char *pool_load_name(enum pool_load load)
{
	return load == POOL_PING_PONG ? "ping-pong" : "messages";
}

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void work_until(uint64_t end)
{
	while (bench_now() < end)
		;
}

static int receive(void *arg)
{
	const struct message *m = arg;
	const uint64_t now = bench_now();
	const AO_t i = AO_fetch_and_add1_full(&m->load->samples);

	if (i < MAX_SAMPLES)
		m->load->sample[i] = (double)(now - m->sent);
	work_until(now + m->work);
	(void)AO_fetch_and_add1_full(&m->load->done);
	return 0;
}

static int send(struct load *l, struct pool_group *g, struct message *m, uint64_t work)
{
	*m = (struct message){ l, bench_now(), work };
	return pool_submit(l->pool, g, receive, m);
}

static int ping_pong(struct load *l)
{
	uint64_t seed = 42;
	struct pool_group g;
	struct message m;
	int error = pool_group_init(&g);

	while (!error && bench_now() < l->until) {
		struct timespec think = { 0, 0 };

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		error = send(l, &g, &m, REQUEST_NS);
		if (!error)
			error = pool_wait(l->pool, &g);
		think.tv_nsec = (long)((seed >> 33) % (2 * THINK_NS));
		nanosleep(&think, NULL);
	}
	pool_group_destroy(&g);
	return error;
}

static int send_bursts(void *arg)
{
	struct load *l = arg;
	struct message m[BURST];
	struct pool_group g;
	int error = pool_group_init(&g);

	while (!error && bench_now() < l->until) {
		for (uint32_t i = 0; i < BURST && !error; i++)
			error = send(l, &g, &m[i], MESSAGE_NS);
		error |= pool_wait(l->pool, &g);
	}
	pool_group_destroy(&g);
	return error;
}

static int messages(struct load *l)
{
	struct pool_group g;
	int error = pool_group_init(&g);

	/* One for two workers: the others find work only where it was handed out. */
	for (unsigned i = 0; i < (pool_workers(l->pool) + 1) / 2 && !error; i++)
		error = pool_submit(l->pool, &g, send_bursts, l);
	error |= pool_wait(l->pool, &g);
	pool_group_destroy(&g);
	return error;
}

static double at_percent(double *sample, AO_t n, unsigned percent)
{
	return n ? sample[(n - 1) * percent / 100] : 0;
}

static void collect(struct load *l, double seconds, double cpu, struct pool_outcome *out)
{
	AO_t n = l->samples < MAX_SAMPLES ? l->samples : MAX_SAMPLES;

	*out = (struct pool_outcome){ .done = (double)l->done / seconds, .cpu = cpu / seconds };
	for (unsigned i = 0; i < pool_workers(l->pool); i++) {
		struct pool_stats s;

		pool_stats(l->pool, i, &s);
		out->searches += (double)s.searches / seconds;
		out->fruitless += (double)(s.searches - s.found) / seconds;
		out->wakeups += (double)s.wakeups / seconds;
	}
	qsort(l->sample, n, sizeof(l->sample[0]), bench_compare);
	out->p50 = at_percent(l->sample, n, 50);
	out->p99 = at_percent(l->sample, n, 99);
}

int pool_load_run(enum pool_load load, enum newidle_mode mode, double seconds,
	struct pool_outcome *out)
{
	struct pool_config config = { .newidle = mode };
	struct load l = { .sample = malloc(MAX_SAMPLES * sizeof(double)) };
	uint64_t begin, cpu;
	char why[256];
	int error;

	if (!l.sample || pool_open(&l.pool, &config, why, sizeof(why))) {
		free(l.sample);
		return -1;
	}
	begin = bench_now();
	cpu = cpu_now();
	l.until = begin + (uint64_t)(seconds * 1e9);
	error = load == POOL_PING_PONG ? ping_pong(&l) : messages(&l);
	collect(&l, (double)(bench_now() - begin) / 1e9, (double)(cpu_now() - cpu) / 1e9, out);
	pool_close(l.pool, false);
	free(l.sample);
	return error ? -1 : 0;
}
