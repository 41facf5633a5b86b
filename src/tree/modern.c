/* SPDX-License-Identifier: MIT */
/* The levels of the modern rules before pruning (docs/POLICY.md B13). */
#include "modern.h"
#include "numa.h"

#include <sdpower/topology.h>

#define FLAG(name) ((uint32_t)SDPOWER_SD_##name)

/* Whether a package holds several nodes: then PKG, which is the node, would lie in it. */
static int packages_hold_nodes(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	const uint16_t *package = f->key[SDPOWER_I_KEY_PACKAGE], *node = f->key[SDPOWER_I_KEY_NODE];
	uint16_t *node_of = f->scratch->first_of;

	for (uint32_t id = 0; id < f->id_count; id++)
		node_of[id] = SDPOWER_I_NONE16;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		if (!(t->state[pos] & SDPOWER_I_ONLINE) || package[pos] == SDPOWER_I_NONE16)
			continue;
		if (node_of[package[pos]] == SDPOWER_I_NONE16)
			node_of[package[pos]] = node[pos];
		else if (node_of[package[pos]] != node[pos])
			return 1;
	}
	return 0;
}

/* The class levels of this machine, inner first; returns how many. */
static uint32_t levels_of(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t *levels)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(f->arch);
	uint32_t count = 0;

	levels[count++] = SDPOWER_I_LEVEL_SMT;
	if (family->cache)
		levels[count++] = SDPOWER_I_LEVEL_CACHE;
	if (family->cluster)
		levels[count++] = SDPOWER_I_LEVEL_CLS;
	if (family->modern_mc)
		levels[count++] = SDPOWER_I_LEVEL_MC;
	if (family->socket) {
		levels[count++] = SDPOWER_I_LEVEL_BOOK;
		levels[count++] = SDPOWER_I_LEVEL_DRAWER;
	}
	if (!family->x86 || !packages_hold_nodes(f, t))
		levels[count++] = SDPOWER_I_LEVEL_PKG;
	if (f->scratch->numa.levels)
		levels[count++] = SDPOWER_I_LEVEL_NODE;
	return count;
}

/* Whether some online cpu's id of a key is known, or unknown. */
static int any_id(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t, uint32_t key,
	int known)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if ((t->state[pos] & SDPOWER_I_ONLINE) &&
				(f->key[key][pos] != SDPOWER_I_NONE16) == known)
			return 1;
	return 0;
}

/* Masks that clusters are made of; which of them may differ by cpu. */
static uint32_t cluster_masks(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const struct sdpower_i_family *family)
{
	uint32_t needed = 0;

	if (any_id(f, t, SDPOWER_I_KEY_CLUSTER, 1))
		needed |= SDPOWER_OVERLAP_CLUSTER;
	if (family->x86 && any_id(f, t, SDPOWER_I_KEY_CLUSTER, 0))
		needed |= SDPOWER_OVERLAP_L2;
	return needed;
}

/* Masks the levels are made of. */
static uint32_t masks_needed(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(f->arch);
	uint32_t needed = SDPOWER_OVERLAP_CORE;

	if (family->cache)
		needed |= SDPOWER_OVERLAP_L2;
	if (family->cluster)
		needed |= cluster_masks(f, t, family);
	if (family->socket)
		needed |= SDPOWER_OVERLAP_PACKAGE | SDPOWER_OVERLAP_BOOK | SDPOWER_OVERLAP_DRAWER;
	else if (family->modern_mc)
		needed |= SDPOWER_OVERLAP_LLC | (family->x86 ? 0u : (uint32_t)SDPOWER_OVERLAP_PACKAGE);
	return needed;
}

static void layer_of(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t, uint32_t index,
	uint32_t level)
{
	struct sdpower_i_layer *l = &f->scratch->layers[index];

	l->level = level;
	l->flags = sdpower_i_modern_flags(level, 0);
	l->group_of = index ? l[-1].lead : NULL;
	if (level == SDPOWER_I_LEVEL_NODE) {
		sdpower_i_ball_leaders(f, t, 0, l->lead);
	} else {
		sdpower_i_classes(f, t, f->scratch->label, index ? &l[-1] : NULL, l);
	}
	sdpower_i_measure(f, t, l);
}

/* Marks, in l->power, how many different capacities each class holds. */
static void count_capacities(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_i_layer *l)
{
	uint16_t *last = f->scratch->first_of;
	uint32_t value = 0;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		l->power[pos] = 0;
		last[pos] = 0;
	}
	do {
		uint32_t next = UINT32_MAX;

		for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
			const uint32_t capacity = f->capacity[pos];

			if (!sdpower_i_in_map(t, pos))
				continue;
			if (capacity > value && capacity < next)
				next = capacity;
			if (capacity == value && last[l->lead[pos]] != value) {
				last[l->lead[pos]] = (uint16_t)value;
				l->power[l->lead[pos]]++;
			}
		}
		value = next;
	} while (value != UINT32_MAX);
}

static void map_layer(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	struct sdpower_i_layer *map = &f->scratch->layers[SDPOWER_I_LAYER_MAP];

	map->level = SDPOWER_I_LEVELS;
	map->group_of = NULL;
	sdpower_i_classes(f, t, NULL, NULL, map);
	sdpower_i_measure(f, t, map);
	count_capacities(f, t, map);
}

/* Cores in each class of a layer, so that a level whose groups are cores can be told. */
static void count_cores(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_i_layer *l)
{
	const struct sdpower_i_layer *smt = &f->scratch->layers[0];

	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		l->domain[pos] = 0;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_in_map(t, pos) && smt->lead[pos] == pos)
			l->domain[l->lead[pos]]++;
}

sdpower_status sdpower_i_modern_layers(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t)
{
	uint32_t levels[SDPOWER_I_LAYER_MAP];
	sdpower_status status = SDPOWER_OK;

	if (f->overlapping & masks_needed(f, t))
		return SDPOWER_EOVERLAP;
	sdpower_i_numa_levels(f);
	if (f->scratch->numa.levels && !f->scratch->numa.equivalences)
		return SDPOWER_EOVERLAP;
	f->scratch->layer_count = levels_of(f, t, levels);
	for (uint32_t i = 0; i < f->scratch->layer_count && status == SDPOWER_OK; i++) {
		status = sdpower_i_labels(f, t, levels[i]);
		layer_of(f, t, i, levels[i]);
		count_capacities(f, t, &f->scratch->layers[i]);
		count_cores(f, t, &f->scratch->layers[i]);
	}
	map_layer(f, t);
	return status;
}

/* Flags a span has for holding some or all of the capacities of the map. */
static uint32_t asymmetry(uint32_t values, uint32_t all)
{
	if (values < 2)
		return 0;
	return FLAG(ASYM_CPUCAPACITY) | (values == all ? FLAG(ASYM_CPUCAPACITY_FULL) : 0u);
}

/* A level that saves power, or whose cpus differ, does not want its child to spread first. */
static void stop_spreading(struct sdpower_i_step *steps, uint32_t index)
{
	if (index && (steps[index].shape.flags & (FLAG(POWERSAVINGS) | FLAG(ASYM_CPUCAPACITY))))
		steps[index - 1].shape.flags &= ~FLAG(PREFER_SIBLING);
}

static void class_step(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t pos, uint32_t index, struct sdpower_i_step *step)
{
	const struct sdpower_i_layer *l = &f->scratch->layers[index];
	const struct sdpower_i_layer *map = &f->scratch->layers[SDPOWER_I_LAYER_MAP];
	const uint32_t lead = l->lead[pos];

	step->layer = (uint16_t)index;
	step->shape.weight = l->weight[lead];
	step->shape.groups = l->groups[lead];
	step->shape.flags = l->flags | asymmetry(l->power[lead], map->power[map->lead[pos]]);
	if (l->level == SDPOWER_I_LEVEL_SMT)
		return;
	if (t->smt || (t->mc && l->groups[lead] != l->domain[lead]))
		step->shape.flags |= FLAG(POWERSAVINGS);
}

/* Different capacities in a ball. */
static uint32_t ball_capacities(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level, uint32_t pos)
{
	const uint32_t node = f->key[SDPOWER_I_KEY_NODE][pos];
	uint32_t value = 0, count = 0;

	for (;;) {
		uint32_t next = UINT32_MAX;

		for (uint32_t q = 0; q < f->cpu_count; q++)
			if (sdpower_i_in_map(t, q) && t->partition[q] == t->partition[pos] &&
					f->capacity[q] > value && f->capacity[q] < next &&
					sdpower_i_ball_has(f, level, node, f->key[SDPOWER_I_KEY_NODE][q]))
				next = f->capacity[q];
		if (next == UINT32_MAX)
			return count;
		value = next;
		count++;
	}
}

static void numa_step(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t, uint32_t pos,
	uint32_t level, uint32_t child_weight, struct sdpower_i_step *step)
{
	const struct sdpower_i_layer *map = &f->scratch->layers[SDPOWER_I_LAYER_MAP];
	const uint32_t all = map->power[map->lead[pos]];
	const uint32_t distance = f->scratch->numa.distance[level];

	step->layer = (uint16_t)(SDPOWER_I_LAYERS + level);
	step->shape.weight = sdpower_i_ball_weight(f, t, level, pos);
	step->shape.groups = step->shape.weight == child_weight ? 1 : 2; /* or more: all the same here */
	step->shape.flags = sdpower_i_modern_flags(SDPOWER_I_LEVEL_NUMA, distance);
	if (all > 1)
		step->shape.flags |= asymmetry(ball_capacities(f, t, level, pos), all);
	if ((t->mc || t->smt) && !sdpower_i_is_far(distance))
		step->shape.flags |= FLAG(POWERSAVINGS);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Tasks by which nodes may differ, on the chain before pruning. */
static void allow_imbalance(struct sdpower_i_step *steps, uint32_t count)
{
	uint32_t value = 0, span = 1;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t weight = steps[i].shape.weight;
		uint32_t k, up = i + 1;

		if (!i || (steps[i].shape.flags & FLAG(SHARE_PKG)) ||
				!(steps[i - 1].shape.flags & FLAG(SHARE_PKG))) {
			steps[i].imb_numa_nr = value * larger(1, weight / span);
			continue;
		}
		k = weight / steps[i - 1].shape.weight;
		value = larger(1, k == 1 ? weight / 8 : k);
		steps[i].imb_numa_nr = value;
		while (up < count && !(steps[up].shape.flags & FLAG(NUMA)))
			up++;
		span = steps[up < count ? up : i].shape.weight;
	}
}

uint32_t sdpower_i_modern_steps(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t pos, struct sdpower_i_step *steps)
{
	const struct sdpower_i_layer *map = &f->scratch->layers[SDPOWER_I_LAYER_MAP];
	const uint32_t whole = map->weight[map->lead[pos]];
	uint32_t count = 0, weight = 0;

	for (uint32_t i = 0; i < f->scratch->layer_count && weight < whole; i++) {
		class_step(f, t, pos, i, &steps[count]);
		weight = steps[count].shape.weight;
		stop_spreading(steps, count++);
	}
	for (uint32_t level = 1; level < f->scratch->numa.levels && weight < whole; level++) {
		numa_step(f, t, pos, level, weight, &steps[count]);
		weight = steps[count].shape.weight;
		stop_spreading(steps, count++);
	}
	allow_imbalance(steps, count);
	return count;
}
