/* SPDX-License-Identifier: MIT */
/*
 * A slow model of the classic trees, written from docs/POLICY.md B1 to B12: levels as sets of
 * cpu numbers, chain by chain. What differs by family stands in a table of its own here.
 */
#ifndef SDPOWER_TEST_MODEL_TREE_H
#define SDPOWER_TEST_MODEL_TREE_H

#include <sdpower.h>
#include "unit/random_machine.h"

#define TREE_LEVELS 5u

struct tree_set {
	unsigned char has[RANDOM_CPUS];
};

struct tree_group {
	struct tree_set cpus;
	uint32_t power;
};

/* One level of one cpu's chain, groups in ring order. */
struct tree_level {
	uint32_t level, flags, groups;
	struct tree_set span;
	struct tree_group group[RANDOM_CPUS];
	struct sdpower_domain_info params; /* only what B6 gives */
};

/* Everything a tree depends on. */
struct tree_input {
	const struct sdpower_topology *machine;
	uint32_t rules, tuning, mc, smt, wake_flags;
	int32_t relax;
	unsigned char online[RANDOM_CPUS], allowed[RANDOM_CPUS];
	int partition[RANDOM_CPUS];        /* -1 = in none */
};

struct tree_chain {
	uint32_t depth;
	struct tree_level level[TREE_LEVELS];
};

int tree_in_map(const struct tree_input *in, uint32_t cpu);
uint32_t tree_weight(const struct tree_set *s);

/* The overlapping levels (enum sdpower_overlap) that these rules refuse. */
uint32_t tree_needed(const struct tree_input *in);

/* tree_classic.c: the chain of a cpu; depth 0 for a cpu outside the map. */
void tree_classic(const struct tree_input *in, uint32_t cpu, struct tree_chain *chain);

/* tree_params.c: numbers and flags of a level before pruning (B6, B7). */
void tree_params(const struct tree_input *in, uint32_t level, struct tree_level *l);

/* Families. */
int tree_has_sibling(uint32_t arch);
int tree_has_numa(uint32_t arch);
enum tree_mc { TREE_NO_MC, TREE_MC_CACHE, TREE_MC_SOCKET };
enum tree_mc tree_mc_of(uint32_t arch);

#endif
