/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include "../bench.h"
#include "peer.h"
#include "peer_measure.h"

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct peer_while now(void)
{
	struct rusage all, own;

	getrusage(RUSAGE_SELF, &all);
	getrusage(RUSAGE_THREAD, &own);
	return (struct peer_while){ bench_now(), cpu_now(), all.ru_nvcsw, all.ru_nivcsw,
		own.ru_nvcsw };
}

/* Of this program alone: ru_maxrss remembers the parent's from before exec(). */
static double most_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	double kib = NAN;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "VmHWM:", 6))
			kib = strtod(line + 6, NULL);
	if (f)
		fclose(f);
	return kib;
}

void peer_measure_begin(struct peer_while *w)
{
	if (peer.mark)
		peer.mark();
	*w = now();
}

void peer_measure_end(const struct peer_while *w, double pieces, int paced,
	struct peer_outcome *out)
{
	const struct peer_while end = now();
	struct peer_counts told = { NAN, NAN, NAN, NAN, NAN };
	const double wall = (double)(end.wall - w->wall), cpu = (double)(end.cpu - w->cpu);
	const long voluntary = end.voluntary - w->voluntary;

	if (peer.count)
		peer.count(&told);
	for (int i = 0; i < PEER_QUANTITY_COUNT; i++)
		out->value[i] = NAN;
	out->value[PEER_time] = wall / pieces;
	out->value[PEER_cpu] = paced ? cpu / wall * 1e9 : cpu / pieces;
	out->value[PEER_voluntary] = (double)voluntary / pieces;
	out->value[PEER_involuntary] = (double)(end.involuntary - w->involuntary) / pieces;
	out->value[PEER_sleeps] = (double)(voluntary - (end.own - w->own)) / pieces;
	out->value[PEER_wakes] = told.wakes / pieces;
	out->value[PEER_failed] = told.failed / pieces;
	out->value[PEER_cpus] = told.cpus;
	out->value[PEER_idle_least] = told.idle_least;
	out->value[PEER_idle_most] = told.idle_most;
	out->value[PEER_memory] = most_memory();
}
