/* SPDX-License-Identifier: MIT */
/*
 * Building a tree: first every level's classes for all cpus (layers), then each cpu's chain
 * pruned into links, then the domains the links name, with their groups and runs.
 */
#ifndef SDPOWER_I_BUILD_H
#define SDPOWER_I_BUILD_H

#include "templates.h"
#include "tree.h"

/* Layers of the classic rules, by index. */
enum sdpower_i_classic_layer {
	SDPOWER_I_LAYER_SIBLING,
	SDPOWER_I_LAYER_MC,
	SDPOWER_I_LAYER_CPU,
	SDPOWER_I_LAYER_NODE,
	SDPOWER_I_LAYER_ALLNODES
};

/* Most layers whose spans are classes: s390 today (SMT MC BOOK DRAWER PKG NODE), and the map. */
#define SDPOWER_I_LAYER_MAP 6u
#define SDPOWER_I_LAYERS 7u

/* A level before pruning. Leaders are the lowest positions of their class. */
struct sdpower_i_layer {
	uint32_t level;         /* enum sdpower_i_level */
	uint32_t flags;         /* before pruning */
	const uint16_t *group_of; /* [position] leader of its group; NULL = every cpu is a group */
	uint16_t *lead;         /* [position] leader of its class */
	uint16_t *weight;       /* [leader] */
	uint16_t *groups;       /* [leader] */
	uint16_t *domain;       /* [leader] index in the tree; NONE16 = no chain holds it */
	uint32_t *power;        /* [leader of a group]; modern, until emitted: capacities [leader] */
};

/* Distances between nodes with online cpus. */
struct sdpower_i_numa {
	uint16_t *distance;     /* [level], ascending; the first one is that of NODE */
	uint32_t levels;        /* 0 = no NODE and no NUMA levels */
	uint32_t equivalences;  /* levels before the first one whose balls overlap */
	uint32_t *weight;       /* [level] weight of the balls of this node in this partition: */
	uint32_t node, partition;
};

/* One level of one cpu's chain while it is pruned. */
struct sdpower_i_step {
	struct sdpower_i_shape shape;
	uint32_t imb_numa_nr;
	uint16_t layer;
};

/* Room for one build; only control calls use it. */
struct sdpower_i_scratch {
	struct sdpower_i_layer layers[SDPOWER_I_LAYERS];
	uint32_t layer_count;
	struct sdpower_i_step *steps; /* one chain before pruning */
	uint16_t *first_of;     /* [id] or [position] */
	uint16_t *group_index;  /* [leader of a group] */
	uint16_t *next_depth;   /* [position] */
	uint16_t *node_online;  /* [node] online cpus */
	uint16_t *taken;        /* [node] */
	uint16_t *next_span;    /* [node] */
	uint16_t *covered;      /* [node] */
	uint16_t *node_cpus;    /* [node] cpus of one partition */
	uint16_t *label;        /* [position] modern: mask of a level */
	uint16_t *other_label;  /* [position] */
	struct sdpower_i_numa numa; /* modern */
	uint32_t *verdicts;     /* [domain] of compare.c */
};

/* True iff the position is in the tree being built. */
static inline int sdpower_i_in_map(const struct sdpower_i_tree *t, uint32_t pos)
{
	return t->state[pos] == (SDPOWER_I_ONLINE | SDPOWER_I_ALLOWED) &&
		t->partition[pos] != SDPOWER_I_NONE16;
}

static inline uint32_t sdpower_i_group_leader(const struct sdpower_i_layer *l, uint32_t pos)
{
	return l->group_of ? l->group_of[pos] : pos;
}

/*
 * Builds the tree for the knobs, states and partitions that are in it. Answers EOVERLAP when
 * a level is needed whose masks overlap; the tree is then of no use, but nobody reads it.
 */
sdpower_status sdpower_i_build(const struct sdpower_i_forest *f, struct sdpower_i_tree *t);

/*
 * classes.c: joins cpus of the map with equal ids in one node and partition (ids NULL: all of
 * a partition) into classes, wide enough to hold the classes of the level below (NULL: none).
 */
void sdpower_i_classes(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const uint16_t *ids, const struct sdpower_i_layer *below, struct sdpower_i_layer *l);

/* classes.c: weight and groups of every class; group_of must be set. */
void sdpower_i_measure(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_i_layer *l);

/* classic.c: fills the layers and their powers. */
sdpower_status sdpower_i_classic_layers(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t);

/* classic.c: the steps of one cpu before pruning, inner first; returns how many. */
uint32_t sdpower_i_classic_steps(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t pos, struct sdpower_i_step *steps);

/* modern.c: the same two for the modern rules; EOVERLAP also for masks that cross. */
sdpower_status sdpower_i_modern_layers(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t);
uint32_t sdpower_i_modern_steps(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t pos, struct sdpower_i_step *steps);

/* prune.c: drops the steps that add nothing, handing flags on; returns how many stay. */
uint32_t sdpower_i_prune(const struct sdpower_i_forest *f, struct sdpower_i_step *steps,
	uint32_t count);

/* emit.c: turns the layers that links name into domains, groups and runs. */
void sdpower_i_emit(const struct sdpower_i_forest *f, struct sdpower_i_tree *t);

/* near.c: marks in scratch->taken the nearest nodes of a node that have online cpus. */
void sdpower_i_near_nodes(const struct sdpower_i_forest *f, uint32_t node);

#endif
