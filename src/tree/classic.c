/* SPDX-License-Identifier: MIT */
/* The levels of the classic rules before pruning, and the power of their groups (B4, B9). */
#include "build.h"

#include <sdpower/topology.h>

#define SHARES ((uint32_t)SDPOWER_SD_SHARE_CPUPOWER | (uint32_t)SDPOWER_SD_SHARE_PKG)

static int saves(const struct sdpower_i_tree *t)
{
	return t->mc || t->smt;
}

/* The key of the MC level: the package as soon as power is saved. */
static uint32_t mc_key(const struct sdpower_i_family *family, const struct sdpower_i_tree *t)
{
	return family->mc == SDPOWER_I_MC_CACHE && !saves(t) ? SDPOWER_I_KEY_LLC :
		SDPOWER_I_KEY_PACKAGE;
}

static int masks_overlap(const struct sdpower_i_forest *f, const struct sdpower_i_family *family,
	const struct sdpower_i_tree *t)
{
	uint32_t needed = family->sibling ? SDPOWER_OVERLAP_CORE : 0u;

	if (family->mc != SDPOWER_I_MC_NONE)
		needed |= mc_key(family, t) == SDPOWER_I_KEY_LLC ? SDPOWER_OVERLAP_LLC :
			SDPOWER_OVERLAP_PACKAGE;
	return (f->overlapping & needed) != 0;
}

/* A level of which every cpu is its own class: as if it were not there. */
static void class_layer(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t index, const uint16_t *ids, const struct sdpower_i_layer *below)
{
	struct sdpower_i_layer *l = &f->scratch->layers[index];

	l->level = index;
	l->flags = sdpower_i_classic_flags(f, index, t->mc, t->smt);
	l->group_of = below ? below->lead : NULL;
	sdpower_i_classes(f, t, ids, below, l);
	sdpower_i_measure(f, t, l);
}

/* Power of every group of a layer from the groups of the layer below, or 1024 each. */
static void sum_power(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const struct sdpower_i_layer *below, struct sdpower_i_layer *l)
{
	const int one_task = below && (below->flags & SHARES) &&
		!(l->flags & (uint32_t)SDPOWER_SD_POWERSAVINGS) &&
		l->level <= SDPOWER_I_LEVEL_CPU;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		l->power[pos] = !below || one_task ? SDPOWER_SCALE : 0;
	if (!below || one_task)
		return;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_in_map(t, pos) && sdpower_i_group_leader(below, pos) == pos)
			l->power[below->lead[pos]] += below->power[pos];
}

/* NODE: spans are sets of nodes, named by the leader of the own node. */
static void measure_near(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const struct sdpower_i_layer *cpu, struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		l->lead[pos] = cpu->lead[pos];
		l->weight[pos] = l->groups[pos] = 0;
		l->domain[pos] = SDPOWER_I_NONE16;
	}
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint32_t node = f->key[SDPOWER_I_KEY_NODE][pos];

		if (!sdpower_i_in_map(t, pos) || cpu->lead[pos] != pos)
			continue;
		sdpower_i_near_nodes(f, node);
		for (uint32_t other = 0; other < f->node_count; other++) {
			if (!f->scratch->taken[other])
				continue;
			for (uint32_t q = f->node_first[other]; q < f->node_first[other + 1]; q++) {
				if (cpu->lead[q] != q || !sdpower_i_in_map(t, q) ||
						t->partition[q] != t->partition[pos])
					continue;
				l->weight[pos] = (uint16_t)(l->weight[pos] + cpu->weight[q]);
				l->groups[pos]++;
			}
		}
	}
}

static void numa_layers(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	struct sdpower_i_layer *l = f->scratch->layers;
	const struct sdpower_i_layer *cpu = &l[SDPOWER_I_LAYER_CPU];
	struct sdpower_i_layer *node = &l[SDPOWER_I_LAYER_NODE];

	node->level = SDPOWER_I_LAYER_NODE;
	node->flags = sdpower_i_classic_flags(f, node->level, t->mc, t->smt);
	node->group_of = cpu->lead;
	measure_near(f, t, cpu, node);
	class_layer(f, t, SDPOWER_I_LAYER_ALLNODES, NULL, cpu);
	sum_power(f, t, cpu, node);
	sum_power(f, t, cpu, &l[SDPOWER_I_LAYER_ALLNODES]);
}

sdpower_status sdpower_i_classic_layers(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(f->arch);
	struct sdpower_i_layer *l = f->scratch->layers;
	const struct sdpower_i_layer *below = NULL;
	const uint16_t *ids[3];

	if (masks_overlap(f, family, t))
		return SDPOWER_EOVERLAP;
	ids[SDPOWER_I_LAYER_SIBLING] = family->sibling ? f->key[SDPOWER_I_KEY_CORE] : NULL;
	ids[SDPOWER_I_LAYER_MC] = family->mc ? f->key[mc_key(family, t)] : NULL;
	ids[SDPOWER_I_LAYER_CPU] = f->key[SDPOWER_I_KEY_NODE];
	for (uint32_t i = SDPOWER_I_LAYER_SIBLING; i <= SDPOWER_I_LAYER_CPU; i++) {
		l[i].level = SDPOWER_I_LEVELS;
		if (!ids[i])
			continue;
		class_layer(f, t, i, ids[i], below);
		sum_power(f, t, below, &l[i]);
		below = &l[i];
	}
	l[SDPOWER_I_LAYER_NODE].level = l[SDPOWER_I_LAYER_ALLNODES].level = SDPOWER_I_LEVELS;
	if (family->numa)
		numa_layers(f, t);
	f->scratch->layer_count = SDPOWER_I_LAYER_ALLNODES + 1;
	return SDPOWER_OK;
}

/* ALLNODES exists for a cpu iff its map is larger than what NODE could span at best. */
static int has_allnodes(const struct sdpower_i_layer *l, uint32_t pos)
{
	return l[SDPOWER_I_LAYER_ALLNODES].weight[l[SDPOWER_I_LAYER_ALLNODES].lead[pos]] >
		SDPOWER_I_NEAR_NODES *
		(uint32_t)l[SDPOWER_I_LAYER_CPU].weight[l[SDPOWER_I_LAYER_CPU].lead[pos]];
}

uint32_t sdpower_i_classic_steps(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t pos, struct sdpower_i_step *steps)
{
	const struct sdpower_i_layer *l = f->scratch->layers;
	uint32_t count = 0;

	(void)t;
	for (uint32_t i = 0; i < f->scratch->layer_count; i++) {
		if (l[i].level == SDPOWER_I_LEVELS ||
				(i == SDPOWER_I_LAYER_ALLNODES && !has_allnodes(l, pos)))
			continue;
		steps[count].shape.flags = l[i].flags;
		steps[count].shape.weight = l[i].weight[l[i].lead[pos]];
		steps[count].shape.groups = l[i].groups[l[i].lead[pos]];
		steps[count].imb_numa_nr = 0;
		steps[count].layer = (uint16_t)i;
		count++;
	}
	return count;
}
