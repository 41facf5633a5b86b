/* SPDX-License-Identifier: MIT */
/*
 * What publishing a load costs: one writer alone, on a small and on a large machine; then two
 * writers on real cpus of their own, in blocks apart and in one block, whose record's line then
 * travels between them with every publish.
 *
 * A round publishes a million times over cpus drawn beforehand, in cpu time of its thread, so
 * that other programs do not count; the table has the median of the
 * rounds and its 95 per cent bounds by rank. `other_share` is how much the second writer got
 * done meanwhile, against the first: near 0 it was not running and the row says nothing.
 */
#define _GNU_SOURCE 1 /* pinning has no portable name */
#include <sdpower.h>
#include <sdpower/hosted.h>
#include "bench.h"
#include "bench_cpus.h"
#include "port.h"

#define ROUNDS 31
#define BOUND 10 /* ranks 10 and 22 of 31 hold the median with 95 per cent */
#define DRAWN 4096u
#define REPEAT 256u
#define AIM_NS 5.0

struct writer {
	sdpower *s;
	sdpower_cpu cpu[DRAWN];
	unsigned real_cpu;
	uint32_t running; /* the first writer clears it */
	uint32_t passes;  /* over cpu[], by the second writer */
};

static uint64_t my_cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void publish_all(const struct writer *w)
{
	for (unsigned i = 0; i < DRAWN; i++)
		(void)sdpower_set_load(w->s, w->cpu[i], i & 3u, (i & 3u) * SDPOWER_SCALE);
}

static void *second_writer(void *context)
{
	struct writer *w = context;

	bench_pin(w->real_cpu);
	while (sdpower_i_load_acquire(&w->running)) {
		publish_all(w);
		sdpower_i_store_release(&w->passes, sdpower_i_load(&w->passes) + 1);
	}
	return NULL;
}

static sdpower *make(const char *text)
{
	struct sdpower_config config = { .struct_size = sizeof(config) };
	struct sdpower_topology *machine;
	size_t size, align;
	sdpower *s;

	if (sdpower_hosted_topology_synthetic(text, &machine, NULL))
		exit(EXIT_FAILURE);
	config.topology = machine;
	if (sdpower_memory_needed(&config, &size, &align) ||
			sdpower_init(aligned_alloc(align, size), size, &config, &s))
		exit(EXIT_FAILURE);
	sdpower_hosted_topology_free(machine);
	return s;
}

static void fill(struct writer *w, sdpower *s, sdpower_cpu first, uint32_t count)
{
	w->s = s;
	for (uint32_t i = 0; i < DRAWN; i++)
		w->cpu[i] = first + i * 2654435761u % count;
	w->running = 1;
	w->passes = 0;
}

/* Publishes as w, with `other` beside it unless NULL, and prints the row. */
static void measure(const char *what, struct writer *w, struct writer *other)
{
	double rounds[ROUNDS];
	pthread_t thread;
	uint32_t before = 0;

	if (other && pthread_create(&thread, NULL, second_writer, other))
		exit(EXIT_FAILURE);
	while (other && !sdpower_i_load_acquire(&other->passes))
		sched_yield();
	if (other)
		before = sdpower_i_load(&other->passes);
	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t begin = my_cpu_time();

		for (unsigned r = 0; r < REPEAT; r++)
			publish_all(w);
		rounds[i] = (double)(my_cpu_time() - begin) / ((double)DRAWN * REPEAT);
	}
	before = other ? sdpower_i_load_acquire(&other->passes) - before : 0;
	if (other) {
		sdpower_i_store_release(&other->running, 0);
		pthread_join(thread, NULL);
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), bench_compare);
	printf("%s\t%u\t%.2f\t%.2f\t%.2f\t%.2f\t%g\t%s\n", what, (unsigned)sdpower_cpu_count(w->s),
		rounds[ROUNDS / 2], rounds[BOUND - 1], rounds[ROUNDS - BOUND],
		before / ((double)ROUNDS * REPEAT), other ? 0 : AIM_NS,
		other ? "-" : rounds[ROUNDS - BOUND] <= AIM_NS ? "yes" : "no");
}

int main(void)
{
	static struct writer mine, other;
	sdpower *small = make("pack:2 core:8"), *large = make("pack:8 core:32");
	unsigned cpus[2];

	puts("what\tcpus\tmedian_ns\tlow_ns\thigh_ns\tother_share\taim_ns\tmet");
	fill(&mine, small, 0, 16);
	measure("alone", &mine, NULL);
	fill(&mine, large, 0, 256);
	measure("alone", &mine, NULL);
	if (!bench_two_cpus(cpus)) {
		puts("# two writers: skipped, only one cpu to run on");
		return EXIT_SUCCESS;
	}
	bench_pin(cpus[0]);
	other.real_cpu = cpus[1];
	fill(&mine, large, 0, 1);
	fill(&other, large, 128, 1);
	measure("two_blocks_apart", &mine, &other);
	fill(&mine, large, 0, 1);
	fill(&other, large, 1, 1);
	measure("two_in_one_block", &mine, &other);
	return EXIT_SUCCESS;
}
