/* SPDX-License-Identifier: MIT */
/*
 * Consolidation in a closed loop, by seed: how many groups stay in use, beside what is possible,
 * and how many moves it took. bench_consolidation [SEEDS [FIRST]].
 */
#include <stdio.h>
#include <stdlib.h>
#include "consolidation.h"

static const char *const words[] = { "performance", "balanced", "powersave" };
static const char *const starts[] = { "distinct", "random" };

static void print_row(uint32_t seed, enum consolidation_word word, enum consolidation_start start,
	const struct consolidation *t)
{
	const uint32_t least = word == CONSOLIDATION_POWERSAVE ? t->least_80 : t->least;

	printf("%s\t%s\t%u\t%u\t%u\t%u\t%u\t%u\t%.4f\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\n",
		words[word], starts[start], seed, t->active_before, t->active_after, t->least,
		t->least_80, t->least_100, (double)t->active_after / least, t->away, t->moves,
		t->inner_moves, t->cpus_before, t->cpus_after, t->returns, t->worse, t->unspread,
		t->ticks_most);
}

int main(int argc, char **argv)
{
	const uint32_t seeds = argc > 1 ? (uint32_t)atoi(argv[1]) : 10;
	const uint32_t first = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;

	puts("word\tstart\tseed\tgroups before\tafter\tone per cpu\tFFD 80\tFFD 100\tratio\ttasks away"
		"\tmoves\tinner moves\tcpus before\tafter\treturns\tworse\tunspread\tticks");
	for (uint32_t word = 0; word < 3; word++)
		for (uint32_t start = 0; start < 2; start++)
			for (uint32_t seed = first; seed < first + seeds; seed++) {
				struct consolidation t;

				if (consolidation_run(&t, seed * CONSOLIDATION_RUNS, CONSOLIDATION_RUNS,
						(enum consolidation_word)word,
						(enum consolidation_start)start) || t.failed)
					return 1;
				print_row(seed, (enum consolidation_word)word,
					(enum consolidation_start)start, &t);
			}
	return 0;
}
