/* SPDX-License-Identifier: MIT */
/*
 * Description: every load state of small machines, and from each of them the whole walk of every
 * cpu with the real driver, so that any order of balancing cpus is a way through the graph.
 * test_explore [full | classic]: equal tasks and three pairs of knobs, which CI has time for;
 * full: also tasks that differ, and equal ones with the other knobs, about ten minutes; classic:
 * equal tasks under the rules of 2009, which fail.
 */
#include <stdio.h>
#include <string.h>
#include "graph.h"
#include "claims.h"

static const char *const machines[] = { "core:2", "core:1 pu:2", "core:4", "core:2 pu:2",
	"pack:2 core:2", "numa:2 core:2", "pack:2 core:2 pu:2", "pack:4 core:2", "core:4 pu:2",
	"pack:2 core:4", "core:8", "pack:8 core:1", "l3:2 core:4", "numa:2 core:2 pu:2",
	"numa:4 core:2 dist=10,20,30,20,20,10,20,30,30,20,10,20,20,30,20,10",
	"core:8 cap=1024*4,512*4", "core:4 cap=1024*2,400*2", "pack:2 core:4 cap=1024,1024,512,512" };

/* Those of the words for people first. */
static const uint32_t knobs[][2] = { { 0, 0 }, { 2, 0 }, { 2, 2 }, { 1, 0 }, { 0, 1 } };
#define WORDS 3u

/* What runs: one or two kinds of task. */
static const struct mix {
	const char *name;
	uint32_t kinds;
	struct world_kind kind[WORLD_KINDS];
} mixes[] = {
	{ "equal", 1, { { 1024, 0, UINT32_MAX } } },
	{ "heavy and light", 2, { { 1024, 0, UINT32_MAX }, { 300, 0, UINT32_MAX } } },
	{ "pinned", 2, { { 1024, 0, UINT32_MAX }, { 1024, 0, 3 } } },
	{ "large and small", 2, { { 1024, 900, UINT32_MAX }, { 1024, 150, UINT32_MAX } } },
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define TASKS 6u
/* Of six tasks on one cpu, until each has its own. */
#define HALVINGS 3u

static struct graph_report sum;

static void explore(const char *machine, const uint32_t *knob, const struct mix *m, int classic)
{
	static struct world w;
	const uint32_t most[WORLD_KINDS] = { TASKS, TASKS };
	const struct graph_claims claims = { claims_of_walk, claims_of_rest };
	struct graph_report r;

	w.machine = machine;
	w.mc = knob[0];
	w.smt = knob[1];
	w.decisions = classic ? SDPOWER_DECIDE_CLASSIC : SDPOWER_DECIDE_NATIVE;
	w.tree = classic ? SDPOWER_TREE_CLASSIC : SDPOWER_TREE_MODERN;
	w.kinds = m->kinds;
	memcpy(w.kind, m->kind, sizeof(w.kind));
	if (!world_open(&w)) {
		printf("%s: refused\n", machine);
		sum.faults++;
		return;
	}
	graph_explore(&w, most, TASKS, &claims, &r);
	if (r.longest > TASKS * (w.depth + HALVINGS)) {
		printf("%s, %s tasks: I10: a way of %u moves\n", machine, m->name, r.longest);
		r.faults++;
	}
	if (r.first[0])
		printf("%s, %s tasks: %u faults, first: %s\n", machine, m->name, r.faults, r.first);
	sum.states += r.states;
	sum.walks += r.walks;
	sum.rests += r.rests;
	sum.faults += r.faults;
	sum.longest = r.longest > sum.longest ? r.longest : sum.longest;
	world_close(&w);
}

int main(int argc, char **argv)
{
	const int full = argc > 1 && strcmp(argv[1], "full") == 0;
	const int classic = argc > 1 && strcmp(argv[1], "classic") == 0;

	for (size_t m = 0; m < COUNT(machines); m++)
		for (size_t k = 0; k < (full ? COUNT(knobs) : WORDS); k++)
			for (size_t i = 0; i < (full && k < WORDS ? COUNT(mixes) : 1); i++)
				explore(machines[m], knobs[k], &mixes[i], classic);
	printf("%llu states, %llu walks, %llu states at rest, %u moves on the longest way, %u faults\n",
		(unsigned long long)sum.states, (unsigned long long)sum.walks,
		(unsigned long long)sum.rests, sum.longest, sum.faults);
	return sum.faults != 0;
}
