/* SPDX-License-Identifier: MIT */
/*
 * A small machine whose state is one number: how many tasks of each of two kinds every cpu has.
 * From any such state a cpu can walk its levels with the real driver, with every level due and
 * nothing remembered; what comes out is another number.
 */
#ifndef SDPOWER_TEST_WORLD_H
#define SDPOWER_TEST_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include "support/instance.h"
#include "vectors/loop_model.h"

#define WORLD_CPUS 8u
#define WORLD_KINDS 2u
#define WORLD_MOVES 16u
#define WORLD_LEVELS 4u
#define WORLD_GROUPS 8u

struct world_kind {
	uint32_t weight, util; /* util 0 = not told */
	uint32_t affinity;
};

struct world_move {
	unsigned from, to, kind; /* kind of task */
	bool pushed;
};

/* A domain: its groups as masks of cpus. */
struct world_domain {
	uint32_t flags, groups, group[WORLD_GROUPS], span;
};

struct world {
	/* set by the caller */
	const char *machine;
	uint32_t mc, smt, decisions, tree;
	uint32_t kinds;
	struct world_kind kind[WORLD_KINDS];
	/* filled */
	uint32_t cpus, capacity[WORLD_CPUS], domains, depth;
	bool first_thread[WORLD_CPUS];            /* of its core */
	uint32_t core[WORLD_CPUS], package[WORLD_CPUS], node[WORLD_CPUS]; /* machine-wide */
	struct world_domain domain[WORLD_CPUS * WORLD_LEVELS];
	/* of the walk made last */
	uint32_t moves;
	struct world_move move[WORLD_MOVES];
	bool impatient; /* it only moved something when it had waited */
	/* private */
	struct test_instance t;
	void *clean;
	size_t size;
	struct loop loop;
	uint64_t walk[64];
	uint8_t kind_of[WORLD_CPUS * 16];
};

enum world_walk { WORLD_NEWIDLE, WORLD_TICK_IDLE, WORLD_TICK_BUSY, WORLD_WALKS };

bool world_open(struct world *w);
void world_close(struct world *w);

unsigned world_count(uint64_t state, unsigned cpu, unsigned kind);
unsigned world_nr(uint64_t state, unsigned cpu);
unsigned world_tasks(uint64_t state);
/* Tasks on a set of cpus. */
unsigned world_nr_of(uint64_t state, uint32_t cpus);
uint64_t world_add(uint64_t state, unsigned cpu, unsigned kind);
/* Publishes a state afresh; in a queue that has both kinds, kind `front` is in front. */
void world_load(struct world *w, uint64_t state, unsigned front);
/* One cpu walks, the cpus it kicks push. */
uint64_t world_walk(struct world *w, uint64_t state, unsigned cpu, enum world_walk walk,
	unsigned front);
/* "2 1a 0 ..": tasks by cpu, those of the second kind with an a. */
const char *world_text(const struct world *w, uint64_t state);

#endif
