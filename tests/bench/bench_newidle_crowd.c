/* SPDX-License-Identifier: MIT */
/*
 * What sixteen cpus that share work win by each way of deciding about searches; see
 * newidle_crowd.h for the world. Medians of several seeds, with the least and the most.
 *
 * bench_newidle_crowd [SECONDS [SEEDS [FIRST_SEED]]]
 */
#include "bench.h"
#include "newidle_crowd.h"

#define US *1e3
#define SEEDS_MAX 99
#define COST { 1 US, 8 US, 25 US }
#define MOVE { 1 US, 5 US, 20 US }
/* A worker for each cpu; whoever wakes one finds an idle cpu nearly always. */
#define SCHBENCH { CROWD_CPUS, 1, 15 US, 25 US, .98, 0 }
/* Eight messages at once, queued where their sender runs. */
#define HACKBENCH { 8, 8, 40 US, 60 US, .1, 0 }

static const struct crowd crowds[] = {
	{ "schbench: one worker a cpu", 0, { SCHBENCH }, COST, MOVE },
	{ "schbench, two workers a cpu", 0, { { CROWD_CPUS, 2, 12 US, 60 US, .9, 0 } }, COST, MOVE },
	{ "hackbench: gangs of 8", 0, { HACKBENCH }, COST, MOVE },
	{ "fio: rare, long", 0, { { 20, 1, 3000 US, 6000 US, .5, 0 } }, COST, MOVE },
	{ "bursts of 32 over small work", 0, { { 2, 32, 200 US, 20000 US, 0, 0 },
		{ CROWD_CPUS, 1, 15 US, 45 US, 0, 1 } }, COST, MOVE },
	{ "phases of 0.5 s", 5e8, { SCHBENCH, HACKBENCH }, COST, MOVE },
	{ "pinned work in queues", 0, { { CROWD_CPUS, 3, 40 US, 150 US, 0, 1 } }, COST, MOVE },
	{ "large machine: level 2 120 us", 0, { HACKBENCH }, { 1 US, 8 US, 120 US }, MOVE },
};

struct row {
	const char *name;
	enum player_kind kind;
	uint32_t fixed;
};

/* All ways that are told apart, and two that never learn. */
#define ROWS (PLAYER_KINDS + 1)

static struct row row_of(int i)
{
	if (i < PLAYER_KINDS)
		return (struct row) { player_name((enum player_kind)i), (enum player_kind)i, 0 };
	return (struct row) { "always", PLAYER_FIXED, (1u << PLAYER_LEVELS) - 1 };
}

static void print_number(double value)
{
	printf("\t%.*f", value > -10 && value < 10 ? 2 : 0, value);
}

/* Median, least, most. */
static void print_sorted(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(values[0]), bench_compare);
	print_number(values[count / 2]);
	print_number(values[0]);
	print_number(values[count - 1]);
}

static void print_row(const struct crowd *c, const struct row *row, double duration, int seeds,
	uint64_t first_seed)
{
	double score[SEEDS_MAX], wait[SEEDS_MAX], searching[SEEDS_MAX], misses[SEEDS_MAX],
		done[SEEDS_MAX];

	for (int i = 0; i < seeds; i++) {
		const struct crowd_result r = crowd_run(c, row->kind, row->fixed, duration,
			first_seed + (uint64_t)i);

		score[i] = r.score;
		wait[i] = r.wait;
		done[i] = r.done;
		searching[i] = r.searching * 100;
		misses[i] = r.misses;
	}
	printf("%s\t%s", c->name, row->name);
	print_sorted(score, seeds);
	print_sorted(wait, seeds);
	print_sorted(done, seeds);
	print_sorted(searching, seeds);
	print_sorted(misses, seeds);
	puts("");
}

int main(int argc, char **argv)
{
	const double duration = (argc > 1 ? atof(argv[1]) : 4) * 1e9;
	int seeds = argc > 2 ? atoi(argv[2]) : 5;
	const uint64_t first_seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 42;

	seeds = seeds < 1 ? 1 : seeds > SEEDS_MAX ? SEEDS_MAX : seeds;
	puts("workload\tmode\tscore us/s\tleast\tmost\twait us\tleast\tmost\ttasks/s\tleast\tmost\t"
		"searching %\tleast\tmost\tmisses/s\tleast\tmost");
	for (size_t i = 0; i < sizeof(crowds) / sizeof(crowds[0]); i++)
		for (int k = 0; k < ROWS; k++) {
			const struct row row = row_of(k);

			print_row(&crowds[i], &row, duration, seeds, first_seed);
		}
	return EXIT_SUCCESS;
}
