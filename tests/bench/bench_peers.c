/* SPDX-License-Identifier: MIT */
/*
 * The example pool beside the pools that people use, and beside none. Each run is a process of
 * its own; in a round every peer has every load once, and each round begins with another peer.
 *
 * Medians over the rounds; bounds are 95 per cent ones by rank. "time_by_performance" is the
 * peer's time in proportion to ours at that level, round by round: above 1 ours is quicker.
 *
 * bench_peers [--quick] [--rounds N] [NAME...]: a few short rounds, to see that all works; how
 * many rounds; only these loads and peers (those of ours always take part).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "peers/peer_work.h"
#include "peers_table.h"
#include "summary.h"

/* Longer than any run should take: a peer that needs more has failed, and is not asked again. */
#define DEADLINE_S 10u

/* What a pool adds to a task of its own, about; for how many tasks make a run. */
#define OVERHEAD_NS 400u

static const struct peers_case {
	const char *name;
	enum peer_load load;
	unsigned threads, work_us, period_us, burst;
} cases[] = {
	{ "outside", PEER_LOAD_outside, 2, 0, 0, 0 },
	{ "outside", PEER_LOAD_outside, 2, 1, 0, 0 },
	{ "outside", PEER_LOAD_outside, 2, 10, 0, 0 },
	{ "outside", PEER_LOAD_outside, 2, 100, 0, 0 },
	{ "outside", PEER_LOAD_outside, 8, 0, 0, 0 },
	{ "outside", PEER_LOAD_outside, 8, 1, 0, 0 },
	{ "outside", PEER_LOAD_outside, 8, 10, 0, 0 },
	{ "outside", PEER_LOAD_outside, 8, 100, 0, 0 },
	{ "outside", PEER_LOAD_outside, 16, 1, 0, 0 },
	{ "tree", PEER_LOAD_tree, 2, 0, 0, 0 },
	{ "tree", PEER_LOAD_tree, 2, 1, 0, 0 },
	{ "tree", PEER_LOAD_tree, 2, 10, 0, 0 },
	{ "tree", PEER_LOAD_tree, 2, 100, 0, 0 },
	{ "tree", PEER_LOAD_tree, 8, 0, 0, 0 },
	{ "tree", PEER_LOAD_tree, 8, 1, 0, 0 },
	{ "tree", PEER_LOAD_tree, 8, 10, 0, 0 },
	{ "tree", PEER_LOAD_tree, 8, 100, 0, 0 },
	{ "tree", PEER_LOAD_tree, 16, 1, 0, 0 },
	{ "regions", PEER_LOAD_regions, 2, 1, 0, 0 },
	{ "regions", PEER_LOAD_regions, 8, 1, 0, 0 },
	{ "latency_1ms", PEER_LOAD_paced, 2, 0, 1000, 1 },
	{ "latency_10ms", PEER_LOAD_paced, 2, 0, 10000, 1 },
	{ "low_single", PEER_LOAD_paced, 2, 100, 5000, 1 },
	{ "low_single", PEER_LOAD_paced, 16, 100, 5000, 1 },
	{ "low_bursts", PEER_LOAD_paced, 2, 100, 40000, 8 },
	{ "low_bursts", PEER_LOAD_paced, 8, 100, 40000, 8 },
	{ "start", PEER_LOAD_start, 2, 0, 0, 0 },
	{ "start", PEER_LOAD_start, 8, 0, 0, 0 },
};

#define CASES (sizeof(cases) / sizeof(cases[0]))

struct options {
	int rounds;
	unsigned run_ms, paced_ms; /* how long a run takes, about */
	char **name;               /* up to NULL; none = all */
};

static struct peers_cell cells[CASES][PEERS_COUNT];

/* The least of some tries: nobody else was on the cpu. */
static uint64_t turns_per_us(void)
{
	const uint64_t turns = 1000000;
	double best = INFINITY;

	for (int i = 0; i < 20; i++) {
		const uint64_t begin = bench_now();

		peer_work(turns);
		best = fmin(best, (double)(bench_now() - begin));
	}
	return (uint64_t)((double)turns * 1000 / best);
}

static uint64_t amount_of(const struct peers_case *c, const struct options *o)
{
	const uint64_t run_us = o->run_ms * 1000, task_ns = c->work_us * 1000 + OVERHEAD_NS;

	switch (c->load) {
	case PEER_LOAD_paced:
		return o->paced_ms * 1000 / c->period_us;
	case PEER_LOAD_regions:
		return run_us * 1000 / (c->threads * task_ns);
	case PEER_LOAD_start:
		return 1;
	default:
		return run_us * 1000 / task_ns;
	}
}

static bool is_load(const char *name)
{
	for (size_t i = 0; i < CASES; i++)
		if (!strcmp(name, cases[i].name))
			return true;
	return false;
}

static bool is_peer(const char *name)
{
	for (enum peers_id id = 0; id < PEERS_COUNT; id++)
		if (!strcmp(name, peers_name(id)))
			return true;
	return false;
}

/* Is it named, or is nothing of its kind? */
static bool is_wanted(const char *name, char **names)
{
	bool others = false;

	for (char **n = names; *n; n++) {
		if (!strcmp(*n, name))
			return true;
		others |= is_load(*n) == is_load(name);
	}
	return !others;
}

static bool takes_part(enum peers_id id, const struct options *o)
{
	return peers_built(id) && (id <= PEERS_sdpower_powersave ||
		is_wanted(peers_name(id), o->name));
}

static void run_cell(const struct peers_case *c, enum peers_id id, const struct peer_run *run,
	int round)
{
	struct peers_cell *cell = &cells[c - cases][id];

	if (cell->unable || cell->failed)
		return;
	switch (peers_run(id, run, DEADLINE_S, &cell->round[round])) {
	case PEERS_DONE:
		return;
	case PEERS_UNABLE:
		cell->unable = true;
		return;
	case PEERS_FAILED:
		cell->failed = true;
		fprintf(stderr, "peers: failed: %s: %s, %u threads, %u us\n", peers_name(id), c->name,
			c->threads, c->work_us);
	}
}

static struct peer_run run_of(const struct peers_case *c, const struct options *o, uint64_t turns)
{
	return (struct peer_run){ c->load, c->threads, c->work_us * turns, amount_of(c, o),
		c->period_us, c->burst };
}

static void forget_all(void)
{
	for (size_t i = 0; i < CASES; i++)
		for (int id = 0; id < PEERS_COUNT; id++)
			for (int r = 0; r < PEERS_MOST_ROUNDS; r++)
				for (int q = 0; q < PEER_QUANTITY_COUNT; q++)
					cells[i][id].round[r].value[q] = NAN;
}

static void run_all(const struct options *o, uint64_t turns)
{
	for (int r = 0; r < o->rounds; r++)
		for (size_t i = 0; i < CASES; i++) {
			const struct peer_run run = run_of(&cases[i], o, turns);

			if (!is_wanted(cases[i].name, o->name))
				continue;
			for (int p = 0; p < PEERS_COUNT; p++) {
				const enum peers_id id = (enum peers_id)((r + p) % PEERS_COUNT);

				if (takes_part(id, o))
					run_cell(&cases[i], id, &run, r);
			}
		}
}

static void print_table(const struct options *o, uint64_t turns)
{
	int absent = 0;

	peers_table_head();
	for (size_t i = 0; i < CASES; i++) {
		const struct peer_run run = run_of(&cases[i], o, turns);

		if (is_wanted(cases[i].name, o->name))
			peers_table_rows(cases[i].name, &run, cases[i].work_us, cells[i], o->rounds);
	}
	for (enum peers_id id = 0; id < PEERS_COUNT; id++)
		if (!peers_built(id)) {
			printf("absent\t-\t-\t%s\tskipped\n", peers_name(id));
			absent++;
		}
	printf("absent\t-\t-\t-\t%d of %d peers skipped\n", absent, PEERS_COUNT);
}

static bool read_options(char **argument, struct options *o)
{
	int rounds = 9;

	*o = (struct options){ .run_ms = 50, .paced_ms = 500 };
	if (*argument && !strcmp(*argument, "--quick")) {
		argument++;
		*o = (struct options){ .run_ms = 15, .paced_ms = 150 };
		rounds = 2;
	}
	if (*argument && !strcmp(*argument, "--rounds") && argument[1]) {
		rounds = atoi(argument[1]);
		argument += 2;
	}
	o->rounds = rounds;
	o->name = argument;
	for (; *argument; argument++)
		if (!is_load(*argument) && !is_peer(*argument)) {
			fprintf(stderr, "peers: no load and no peer \"%s\"\n", *argument);
			return false;
		}
	return rounds > 0 && rounds <= PEERS_MOST_ROUNDS;
}

int main(int argc, char **argv)
{
	struct options o;
	uint64_t turns;

	(void)argc;
	if (!read_options(argv + 1, &o))
		return EXIT_FAILURE;
	turns = turns_per_us();
	forget_all();
	run_all(&o, turns);
	print_table(&o, turns);
	return EXIT_SUCCESS;
}
