/* SPDX-License-Identifier: MIT */
/* Appending domains, groups and runs to a tree under construction. */
#ifndef SDPOWER_I_EMIT_H
#define SDPOWER_I_EMIT_H

#include "build.h"

/* A class some chain names, not emitted yet. */
#define SDPOWER_I_WANTED 0xfffeu

/* Collects positions, ascending, into runs at the end of tree->runs. */
struct sdpower_i_runner {
	struct sdpower_i_tree *tree;
	uint32_t first, count;
	int open;
};

void sdpower_i_runner_start(struct sdpower_i_runner *r, struct sdpower_i_tree *t);

/* Every position of the map in turn, member or not; positions outside it break no run. */
void sdpower_i_runner_feed(struct sdpower_i_runner *r, uint32_t pos, int member);

/* A domain without groups and runs yet; returns its index. */
uint16_t sdpower_i_new_domain(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t level, uint32_t first_cpu, uint32_t weight);

/*
 * The next group of a domain that will have `groups` of them (all are reserved with the
 * first one, so that domains can grow in turn); returns its index within the domain.
 */
uint16_t sdpower_i_new_group(struct sdpower_i_tree *t, struct sdpower_i_domain *d, uint32_t groups,
	uint32_t first_cpu, uint32_t power);

static inline void sdpower_i_grow_group(struct sdpower_i_group *g)
{
	sdpower_i_store16(&g->weight, (uint16_t)(g->weight + 1));
}

/* The link of a position that waits for this layer next, or NULL. */
struct sdpower_i_link *sdpower_i_unresolved(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t, uint32_t pos, uint32_t layer);

void sdpower_i_resolve(const struct sdpower_i_forest *f, uint32_t pos, struct sdpower_i_link *link,
	uint16_t domain, uint16_t own_group);

/* Marks in l->domain the classes that links name which wait for layer `index`. */
void sdpower_i_mark_wanted(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t index, struct sdpower_i_layer *l);

/* Emits a layer of classes and resolves the links that wait for layer `index`. */
void sdpower_i_emit_layer(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t index, struct sdpower_i_layer *l);

/* emit_near.c: the NODE level of the classic rules. */
void sdpower_i_emit_near(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	struct sdpower_i_layer *l);

#endif
