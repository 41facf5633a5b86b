/* SPDX-License-Identifier: MIT */
/*
 * What the tracker dq costs: sdpower_dq_should_search and sdpower_dq_account of one level, and
 * the begin and wake of a period. Time of the thread, rounds of the pieces interleaved; the
 * table has the median of the rounds and its 95 per cent bounds by rank.
 *
 * A life is drawn beforehand and played over and over, so that branches are no better predicted
 * than a few thousand periods allow. A piece's time is that of a life with it, less that of the
 * same life without it, in the same round.
 */
#include <stdbool.h>
#include "bench.h"
#include <sdpower.h>

#define ROUNDS 31
#define BOUND 10 /* ranks 10 and 22 of 31 hold the median with 95 per cent */
#define PERIODS 4096u
#define REPEAT 24u
#define AIM_NS 100.0

struct drawn {
	uint32_t idle_ns, cost_ns, pulled;
};

static struct drawn life[PERIODS];
static struct sdpower_dq_rules rules = { .struct_size = sizeof(rules) };
static struct sdpower_dq_cpu cpu = { .struct_size = sizeof(cpu) };
static struct sdpower_dq_level level;
static const struct sdpower_dq dq = { .struct_size = sizeof(dq), .level_count = 1,
	.rules = &rules, .cpu = &cpu, .levels = &level };

static uint64_t now_ns, sum;

static uint64_t my_cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void draw_life(void)
{
	uint64_t seed = 1;

	for (uint32_t i = 0; i < PERIODS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		life[i].idle_ns = (uint32_t)(seed >> 46) + 1000;
		life[i].cost_ns = (uint32_t)(seed >> 20 & 8191) + 500;
		life[i].pulled = (seed >> 40 & 15) == 0;
	}
}

/* ns per period of a life that does only what is asked for. */
static double play(bool periods, bool searches)
{
	const uint64_t begin = my_cpu_time();

	for (uint32_t i = 0; i < PERIODS * REPEAT; i++) {
		const struct drawn *d = &life[i % PERIODS];

		if (periods)
			(void)sdpower_dq_begin(&dq, now_ns);
		if (searches) {
			sum += (uint64_t)sdpower_dq_should_search(&dq, 0, 0);
			(void)sdpower_dq_account(&dq, 0, d->cost_ns, d->pulled, now_ns);
		}
		now_ns += d->idle_ns;
		if (periods)
			(void)sdpower_dq_wake(&dq, now_ns);
	}
	return (double)(my_cpu_time() - begin) / (PERIODS * REPEAT);
}

static void row(const char *what, double *rounds, double aim)
{
	qsort(rounds, ROUNDS, sizeof(rounds[0]), bench_compare);
	printf("%s\t%.1f\t%.1f\t%.1f\t%g\t%s\n", what, rounds[ROUNDS / 2], rounds[BOUND - 1],
		rounds[ROUNDS - BOUND], aim,
		aim <= 0 ? "-" : rounds[ROUNDS - BOUND] <= aim ? "yes" : "no");
}

int main(void)
{
	double hot[ROUNDS], period[ROUNDS];

	draw_life();
	now_ns = 1000000000;
	if (sdpower_dq_init(&dq, now_ns))
		return EXIT_FAILURE;
	(void)play(true, true);
	for (int i = 0; i < ROUNDS; i++) {
		const double all = play(true, true), without = play(true, false);
		const double nothing = play(false, false);

		hot[i] = all - without;
		period[i] = without - nothing;
	}
	puts("what\tmedian_ns\tlow_ns\thigh_ns\taim_ns\tmet");
	row("should_search + account", hot, AIM_NS);
	row("begin + wake", period, 0);
	return sum ? EXIT_SUCCESS : EXIT_FAILURE;
}
