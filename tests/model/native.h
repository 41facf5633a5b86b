/* SPDX-License-Identifier: MIT */
/*
 * The native balancing rules P0 to P5, P7 and P10 once more, slow and plain, written from
 * docs/POLICY.md: each group is summed cpu by cpu, each choice looks at every cpu. Of the
 * library it takes the public walk, and two facts of numbering that the rules name: blocks of
 * neighbours and the balance masks of overlapping groups.
 */
#ifndef SDPOWER_TEST_NATIVE_MODEL_H
#define SDPOWER_TEST_NATIVE_MODEL_H

#include "model.h"

#define NATIVE_GROUPS 96u

struct native_cpu {
	uint64_t load, nr, share, capacity;
	bool claimed;
};

struct native_group {
	uint32_t mask[MODEL_WORDS];
	sdpower_cpu first;
	uint64_t nr, load, share, capacity, cpus, unused;
};

/* One question. */
struct native_model {
	const sdpower *s;
	const struct sdpower_topology *table;
	const struct sdpower_busiest_request *q;
	struct sdpower_tunables tuning;
	uint32_t mc, smt;
	struct model_level level;
	uint32_t child_flags;  /* of the asker's next inner level */
	uint32_t groups;       /* the own one first */
	struct native_group group[NATIVE_GROUPS];
};

/* What the rules come to; P6 is the planner's: `may_pack` says that it is asked. */
struct native_answer {
	uint32_t kind, reason;
	sdpower_cpu group_first, from, target;
	uint64_t imbalance, most;
	uint32_t util_most;
	bool spreading, waiting, may_pack;
	bool in_charge;        /* P7, for what P6 may say */
};

/* native_cpu.c: P0 and P7. */
struct native_cpu native_cpu(const struct native_model *m, sdpower_cpu cpu);
bool native_over(const struct native_model *m, sdpower_cpu cpu);
bool native_misfit(const struct native_model *m, sdpower_cpu cpu);
bool native_may_give(const struct native_model *m, sdpower_cpu cpu);
bool native_shares_busy_core(const struct native_model *m, sdpower_cpu cpu);
uint32_t native_cores(const struct native_model *m, const struct native_group *g);
bool native_node_is_fuller(const struct native_model *m, sdpower_cpu cpu);
bool native_in_charge(const struct native_model *m);
uint32_t native_block(const struct native_model *m, const struct native_group *g, sdpower_cpu cpu);

/* native.c */
bool native_ask(struct native_model *m, struct native_answer *a);

#endif
