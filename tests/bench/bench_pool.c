/* SPDX-License-Identifier: MIT */
/*
 * The example pool under each way of deciding about searches: a ping-pong and a load of
 * messages, every mode once per round so that whatever else the machine does hits all alike.
 *
 * Median over the rounds, with its 95 per cent bounds by rank where they are printed. The column
 * "done_by_dq" is the throughput of dq in proportion to that of the row, round by round.
 *
 * bench_pool [ROUNDS [SECONDS]]: rounds, and seconds of a run.
 */
#include "bench.h"
#include "pool_load.h"
#include "summary.h"

#define MOST_ROUNDS 101

static double done(const struct pool_outcome *o) { return o->done; }
static double searches(const struct pool_outcome *o) { return o->searches; }
static double fruitless(const struct pool_outcome *o) { return o->fruitless; }
static double wakeups(const struct pool_outcome *o) { return o->wakeups; }
static double cpu(const struct pool_outcome *o) { return o->cpu; }
static double p50(const struct pool_outcome *o) { return o->p50 / 1000; }
static double p99(const struct pool_outcome *o) { return o->p99 / 1000; }

static const struct quantity {
	const char *name;
	double (*of)(const struct pool_outcome *o);
	int digits;
} quantities[] = {
	{ "done_per_s", done, 0 }, { "searches_per_s", searches, 1 },
	{ "fruitless_per_s", fruitless, 1 }, { "wakeups_per_s", wakeups, 0 },
	{ "cpu_s_per_s", cpu, 3 }, { "p50_us", p50, 1 }, { "p99_us", p99, 1 },
};

#define QUANTITIES (sizeof(quantities) / sizeof(quantities[0]))

static struct pool_outcome outcomes[POOL_LOADS][NEWIDLE_MODES][MOST_ROUNDS];

static void print_summary(double *round, int rounds, int digits)
{
	const struct bench_summary s = bench_summarise(round, rounds);

	printf("\t%.*f\t%.*f\t%.*f", digits, s.median, digits, s.low, digits, s.high);
}

static void print_row(enum pool_load load, enum newidle_mode mode, int rounds)
{
	const struct pool_outcome *mine = outcomes[load][mode], *dq = outcomes[load][NEWIDLE_DQ];
	double round[MOST_ROUNDS];

	printf("%s\t%s", pool_load_name(load), newidle_name(mode));
	for (size_t q = 0; q < QUANTITIES; q++) {
		for (int i = 0; i < rounds; i++)
			round[i] = quantities[q].of(&mine[i]);
		print_summary(round, rounds, quantities[q].digits);
	}
	for (int i = 0; i < rounds; i++)
		round[i] = mine[i].done > 0 ? dq[i].done / mine[i].done : 0;
	print_summary(round, rounds, 3);
	putchar('\n');
}

static void print_table(int rounds)
{
	printf("load\tmode");
	for (size_t q = 0; q < QUANTITIES; q++)
		printf("\t%s\tlow\thigh", quantities[q].name);
	puts("\tdone_by_dq\tlow\thigh");
	for (enum pool_load load = 0; load < POOL_LOADS; load++)
		for (enum newidle_mode mode = 0; mode < NEWIDLE_MODES; mode++)
			print_row(load, mode, rounds);
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 21;
	const double seconds = argc > 2 ? atof(argv[2]) : .5;

	if (rounds < 1 || rounds > MOST_ROUNDS || !(seconds > 0))
		return EXIT_FAILURE;
	/* Each round begins with another mode: whoever comes first may find the machine rested. */
	for (int i = 0; i < rounds; i++)
		for (enum pool_load load = 0; load < POOL_LOADS; load++)
			for (int m = 0; m < NEWIDLE_MODES; m++) {
				const enum newidle_mode mode = (enum newidle_mode)((i + m) %
					NEWIDLE_MODES);

				if (pool_load_run(load, mode, seconds, &outcomes[load][mode][i]))
					return EXIT_FAILURE;
			}
	print_table(rounds);
	return EXIT_SUCCESS;
}
