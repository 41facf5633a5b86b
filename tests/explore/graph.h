/* SPDX-License-Identifier: MIT */
/* All states of a world, all walks from them, and what holds of the graph they make. */
#ifndef SDPOWER_TEST_GRAPH_H
#define SDPOWER_TEST_GRAPH_H

#include "world.h"

/* What is asked of every walk and every state; NULL when all is well, else what is wrong. */
struct graph_claims {
	const char *(*walk)(const struct world *w, uint64_t before, uint64_t after);
	/* no walk changes this state */
	const char *(*rest)(const struct world *w, uint64_t state);
};

struct graph_report {
	uint64_t states, walks, moving, rests;
	uint32_t longest; /* moves on the longest way to rest */
	uint32_t faults;  /* broken claims; a cycle is one */
	char first[256];  /* the first of them */
};

/* Explores every state of up to most[kind] tasks of each kind and most_all in all. */
void graph_explore(struct world *w, const uint32_t *most, uint32_t most_all,
	const struct graph_claims *claims, struct graph_report *r);

#endif
