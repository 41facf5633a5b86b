/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include "peers_table.h"
#include "summary.h"

static const struct {
	const char *name;
	int digits;
} quantities[] = {
#define QUANTITY(name, digits) { #name, digits },
	PEER_QUANTITIES(QUANTITY)
#undef QUANTITY
};

static const char *const levels[] = { "performance", "powersave" };

/* Bounds where they decide something; the rest is there to explain. */
static bool is_compared(int q)
{
	return q == PEER_time || q == PEER_cpu;
}

void peers_table_head(void)
{
	printf("load\tthreads\twork_us\tpeer\trounds");
	for (int q = 0; q < PEER_QUANTITY_COUNT; q++) {
		printf("\t%s", quantities[q].name);
		if (!is_compared(q))
			continue;
		printf("\tlow\thigh");
		for (int l = 0; l < 2; l++)
			printf("\t%s_by_%s\tlow\thigh", quantities[q].name, levels[l]);
	}
	putchar('\n');
}

/* NaN is no round. */
static int keep(double *round, int rounds)
{
	int n = 0;

	for (int i = 0; i < rounds; i++)
		if (!isnan(round[i]))
			round[n++] = round[i];
	return n;
}

static void print_summary(double *round, int rounds, int digits, bool bounds)
{
	const int n = keep(round, rounds);
	struct bench_summary s;

	if (!n) {
		printf(bounds ? "\t-\t-\t-" : "\t-");
		return;
	}
	s = bench_summarise(round, n);
	printf("\t%.*f", digits, s.median);
	if (bounds)
		printf("\t%.*f\t%.*f", digits, s.low, digits, s.high);
}

/* The peer's in proportion to that of one of ours, in the same round. */
static void print_ratio(const struct peers_cell *mine, const struct peers_cell *ours, int q,
	int rounds)
{
	double round[PEERS_MOST_ROUNDS];

	for (int i = 0; i < rounds; i++)
		round[i] = ours->round[i].value[q] > 0 ?
			mine->round[i].value[q] / ours->round[i].value[q] : NAN;
	print_summary(round, rounds, 3, true);
}

static void print_quantity(const struct peers_cell cells[PEERS_COUNT], enum peers_id id, int q,
	int rounds)
{
	double round[PEERS_MOST_ROUNDS];

	for (int i = 0; i < rounds; i++)
		round[i] = cells[id].round[i].value[q];
	print_summary(round, rounds, quantities[q].digits, is_compared(q));
	if (!is_compared(q))
		return;
	print_ratio(&cells[id], &cells[PEERS_sdpower_performance], q, rounds);
	print_ratio(&cells[id], &cells[PEERS_sdpower_powersave], q, rounds);
}

static int rounds_done(const struct peers_cell *cell, int rounds)
{
	int n = 0;

	for (int i = 0; i < rounds; i++)
		n += !isnan(cell->round[i].value[PEER_time]);
	return n;
}

void peers_table_rows(const char *load, const struct peer_run *run, unsigned work_us,
	const struct peers_cell cells[PEERS_COUNT], int rounds)
{
	for (enum peers_id id = 0; id < PEERS_COUNT; id++) {
		const struct peers_cell *cell = &cells[id];

		if (!peers_built(id))
			continue;
		printf("%s\t%u\t%u\t%s\t", load, run->threads, work_us, peers_name(id));
		printf(cell->unable ? "unable" : cell->failed ? "%d, then failed" : "%d",
			rounds_done(cell, rounds));
		for (int q = 0; q < PEER_QUANTITY_COUNT; q++)
			print_quantity(cells, id, q, rounds);
		putchar('\n');
	}
}
