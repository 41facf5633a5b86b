/* SPDX-License-Identifier: MIT */
/*
 * What newly idle cpus win by each way of deciding about searches, in us per second: seven
 * workloads, two whose searches are dear, and 300 drawn ones, where regret is the distance to
 * the best fixed set of levels in hindsight. See newidle_world.h for the world.
 *
 * bench_newidle [SECONDS [SWEEP [FIRST_SEED]]]: length of a run, workloads of the sweep.
 */
#include <math.h>
#include "bench.h"
#include "newidle_world.h"

#define US *1e3
#define SEEDS 3
#define FIRST_SEED 42
#define TOLERANCE 50 /* us/s: less apart is no worse */

#define SCHBENCH { 25 US, 15 US, 60 US, { .002, .002, .002 }, { 2 US, 9 US, 30 US }, \
	{ 1 US, 5 US, 15 US }, 0, 1 }
#define HACKBENCH { 180 US, 120 US, 150 US, { .25, .12, .05 }, { 3 US, 12 US, 40 US }, \
	{ 1 US, 6 US, 25 US }, .002, 8 }
#define MOVE { 1 US, 6 US, 20 US }

static const struct workload workloads[] = {
	{ "schbench: tiny idles, .2 %", 1, 0, { SCHBENCH } },
	{ "fio: rare long idles, 3 %", 1, 0, { { 6000 US, 3000 US, 3000 US, { .03, .03, .03 },
		{ 3 US, 15 US, 45 US }, { 1 US, 10 US, 30 US }, 0, 1 } } },
	{ "hackbench: 25/12/5 %", 1, 0, { HACKBENCH } },
	{ "cost spikes x100", 1, 0, { { 300 US, 200 US, 250 US, { .30, .15, .08 },
		{ 2 US, 8 US, 25 US }, MOVE, .002, 100 } } },
	{ "large LLC: level 1 120 us", 1, 0, { { 500 US, 300 US, 400 US, { .05, .06, .02 },
		{ 3 US, 120 US, 90 US }, { 1 US, 6 US, 30 US }, .002, 6 } } },
	{ "phases of 2 s", 2, 2e9, { SCHBENCH, HACKBENCH } },
	{ "bimodal idles, 15 %", 1, 0, { { -1, 100 US, 400 US, { .15, .10, .08 },
		{ 3 US, 15 US, 45 US }, MOVE, .001, 8 } } },
	/* Ours: no search below the 2 ms that the proposal saves up for probes. */
	{ "dear 3-8 ms, phases of 5 s", 2, 5e9, { { 60000 US, 30000 US, 40000 US,
		{ .01, .01, .01 }, { 3000 US, 4000 US, 8000 US }, MOVE, 0, 1 },
		{ 60000 US, 30000 US, 40000 US, { .5, .3, .2 }, { 3000 US, 4000 US, 8000 US },
		MOVE, 0, 1 } } },
	{ "dear, then cheap, 5 s each", 2, 5e9, { { 3000 US, 1500 US, 1500 US,
		{ .01, .01, .01 }, { 3000 US, 6000 US, 9000 US }, MOVE, 0, 1 },
		{ 3000 US, 1500 US, 1500 US, { .3, .2, .1 }, { 3 US, 12 US, 40 US }, MOVE, 0, 1 } } },
};

/* Of the best set of levels that never changes, with all regimes weighed alike. */
static double best_fixed(const struct workload *w, double duration, uint64_t seed)
{
	double sum = 0;

	for (int regime = 0; regime < w->regimes; regime++) {
		double best = 0;

		for (uint32_t mask = 1; mask < 1u << PLAYER_LEVELS; mask++) {
			const struct result r = world_run(w, PLAYER_FIXED, mask, PLAYER_TELLS_ALL,
				duration / w->regimes, seed, w->regimes > 1 ? regime : -1);

			best = fmax(best, r.score / r.time);
		}
		sum += best * 1e6;
	}
	return sum / w->regimes;
}

static double score(const struct workload *w, enum player_kind kind, double duration)
{
	double points = 0, time = 0;

	for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
		const struct result r = world_run(w, kind, 0, PLAYER_TELLS_ALL, duration, seed, -1);

		points += r.score;
		time += r.time;
	}
	return points / time * 1e6;
}

static void print_workloads(double duration)
{
	printf("workload");
	for (int kind = 0; kind < PLAYER_KINDS; kind++)
		printf("\t%s", player_name((enum player_kind)kind));
	puts("\tbest_fixed");
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		printf("%s", workloads[i].name);
		for (int kind = 0; kind < PLAYER_KINDS; kind++)
			printf("\t%.0f", score(&workloads[i], (enum player_kind)kind, duration));
		printf("\t%.0f\n", best_fixed(&workloads[i], duration, FIRST_SEED));
	}
}

/* A stationary workload whose lengths, costs and chances are spread over decades. */
static struct workload draw_workload(uint64_t seed)
{
	struct workload w = { .name = "drawn", .regimes = 1 };
	struct regime *r = &w.regime[0];
	double cost, chance;

	world_state = seed;
	(void)world_uniform();
	r->idle = 1e3 * exp(log(15) + world_uniform() * log(400));
	r->busy = r->idle * exp((world_uniform() - .5) * 3);
	r->work = r->idle * exp((world_uniform() - .4) * 3);
	cost = 1e3 * exp(world_uniform() * log(10));
	chance = exp(log(.001) + world_uniform() * log(400));
	for (int i = 0; i < PLAYER_LEVELS; i++) {
		r->cost[i] = cost;
		r->chance[i] = chance;
		r->move[i] = cost * .3;
		cost *= 2 + world_uniform() * 6;
		chance *= .3 + world_uniform() * .9;
	}
	r->spike_chance = world_uniform() < .5 ? 0 : .002;
	r->spike = 2 + world_uniform() * 60;
	return w;
}

/* Rows of the sweep: all kinds, and dq with hosts that say less. */
#define ROWS (PLAYER_KINDS + 3)

struct row {
	double regret, worst, never_pays;
	int no_worse; /* workloads where dq is not worse than this one */
};

static enum player_kind kind_of(int row)
{
	return row < PLAYER_KINDS ? (enum player_kind)row : PLAYER_DQ;
}

static uint32_t tells_of(int row)
{
	return row < PLAYER_KINDS ? PLAYER_TELLS_ALL : PLAYER_TELLS_ALL - 1 -
		(uint32_t)(row - PLAYER_KINDS);
}

static int add_workload(const struct workload *w, uint64_t seed, struct row *rows)
{
	const double best = best_fixed(w, 5e9, seed);
	double points[ROWS];

	for (int i = 0; i < ROWS; i++) {
		const struct result r = world_run(w, kind_of(i), 0, tells_of(i), 5e9, seed, -1);

		points[i] = r.score / r.time * 1e6;
		rows[i].regret += best - points[i];
		rows[i].worst = fmax(rows[i].worst, best - points[i]);
		if (best <= 0)
			rows[i].never_pays += -points[i];
	}
	for (int i = 0; i < ROWS; i++)
		rows[i].no_worse += points[PLAYER_DQ] >= points[i] - TOLERANCE;
	return best <= 0;
}

static void print_sweep(int count, uint64_t first_seed)
{
	static const char *const silent[] = { "dq, lengths not told", "dq, wake-ups not told",
		"dq, neither told" };
	struct row rows[ROWS] = { { .regret = 0 } };
	int never = 0;

	for (int i = 0; i < count; i++) {
		const struct workload w = draw_workload(first_seed + (uint64_t)i * 13);

		never += add_workload(&w, first_seed - 678 + (uint64_t)i, rows);
	}
	printf("sweep of %d\tmean_regret\tworst_regret\tregret_where_it_never_pays (%d)\t"
		"dq_no_worse_in\n", count, never);
	for (int i = 0; i < ROWS; i++)
		printf("%s\t%.0f\t%.0f\t%.0f\t%d\n",
			i < PLAYER_KINDS ? player_name(kind_of(i)) : silent[i - PLAYER_KINDS],
			rows[i].regret / count, rows[i].worst, never ? rows[i].never_pays / never : 0,
			rows[i].no_worse);
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 20;
	const int sweep = argc > 2 ? atoi(argv[2]) : 300;

	if (seconds > 0)
		print_workloads(seconds * 1e9);
	if (sweep > 0)
		print_sweep(sweep, argc > 3 ? strtoull(argv[3], NULL, 10) : 777);
	return EXIT_SUCCESS;
}
