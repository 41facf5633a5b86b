/* SPDX-License-Identifier: MIT */
/*
 * Masks of the modern levels over the online cpus, as labels: cpus with equal labels are in
 * one mask. A label is a position of the mask, so that labels of different origin (a cluster
 * here, threads there) never meet.
 */
#include "modern.h"

#include <sdpower/topology.h>

static int online(const struct sdpower_i_tree *t, uint32_t pos)
{
	return t->state[pos] & SDPOWER_I_ONLINE;
}

/* Labels the cpus of one node that are not labelled yet by a key; unknown ids stay alone. */
static void label_by(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t, uint32_t key,
	uint16_t *label)
{
	const uint16_t *ids = f->key[key], *node = f->key[SDPOWER_I_KEY_NODE];
	uint16_t *first_of = f->scratch->first_of;

	for (uint32_t id = 0; id < f->id_count; id++)
		first_of[id] = SDPOWER_I_NONE16;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint16_t id = key == SDPOWER_I_KEY_NODE ? 0 : ids[pos];

		if (!online(t, pos) || label[pos] != SDPOWER_I_NONE16 || id == SDPOWER_I_NONE16)
			continue;
		if (first_of[id] == SDPOWER_I_NONE16 || first_of[id] < f->node_first[node[pos]])
			first_of[id] = (uint16_t)pos;
		label[pos] = first_of[id];
	}
}

static void unlabel(const struct sdpower_i_forest *f, uint16_t *label)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		label[pos] = SDPOWER_I_NONE16;
}

/* Whether two positions have the same known id. */
static int share(const struct sdpower_i_forest *f, uint32_t key, uint32_t a, uint32_t b)
{
	return f->key[key][a] == f->key[key][b] && f->key[key][a] != SDPOWER_I_NONE16;
}

static int any_known(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t, uint32_t key)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (online(t, pos) && f->key[key][pos] != SDPOWER_I_NONE16)
			return 1;
	return 0;
}

/*
 * Marks in first_of[id] whether everybody online with that id of `key` agrees in `other`:
 * NONE16 = nobody yet, WANTED = they differ, else the common value.
 */
#define DIFFER 0xfffeu

static void find_agreement(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t key, uint32_t other)
{
	uint16_t *common = f->scratch->first_of;

	for (uint32_t id = 0; id < f->id_count; id++)
		common[id] = SDPOWER_I_NONE16;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint16_t id = f->key[key][pos];

		if (!online(t, pos) || id == SDPOWER_I_NONE16)
			continue;
		if (common[id] == SDPOWER_I_NONE16)
			common[id] = (uint16_t)pos;
		else if (common[id] != DIFFER && f->key[other][common[id]] != f->key[other][pos])
			common[id] = DIFFER;
	}
}

/* Keeps labels only of cpus whose whole id lies within one id of `other`; 1 = all kept. */
static void drop_crossing(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t key, uint32_t other, uint16_t *label)
{
	find_agreement(f, t, key, other);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (online(t, pos) && f->key[key][pos] != SDPOWER_I_NONE16 &&
				f->scratch->first_of[f->key[key][pos]] == DIFFER)
			label[pos] = SDPOWER_I_NONE16;
}

/*
 * Two cpus of one id of `key` and one node must both have or both lack a label of their own:
 * else the mask that takes the place of the missing one overlaps the other.
 */
static sdpower_status check_whole(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t key, const uint16_t *label)
{
	uint16_t *first_of = f->scratch->first_of;

	for (uint32_t id = 0; id < f->id_count; id++)
		first_of[id] = SDPOWER_I_NONE16;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint16_t id = f->key[key][pos];
		uint32_t first;

		if (!online(t, pos) || id == SDPOWER_I_NONE16)
			continue;
		first = first_of[id];
		if (first == SDPOWER_I_NONE16 ||
				first < f->node_first[f->key[SDPOWER_I_KEY_NODE][pos]])
			first_of[id] = (uint16_t)pos;
		else if ((label[first] == SDPOWER_I_NONE16) != (label[pos] == SDPOWER_I_NONE16))
			return SDPOWER_EOVERLAP;
	}
	return SDPOWER_OK;
}

/* MC without any cache known: the package if it lies in the node, else the node. */
static sdpower_status label_without_caches(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t, uint16_t *label)
{
	sdpower_status status;

	label_by(f, t, SDPOWER_I_KEY_PACKAGE, label);
	drop_crossing(f, t, SDPOWER_I_KEY_PACKAGE, SDPOWER_I_KEY_NODE, label);
	status = check_whole(f, t, SDPOWER_I_KEY_NODE, label);
	label_by(f, t, SDPOWER_I_KEY_NODE, label);
	return status;
}

static sdpower_status label_mc(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint16_t *label)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(f->arch);
	sdpower_status status = SDPOWER_OK;

	unlabel(f, label);
	if (family->socket) {
		label_by(f, t, SDPOWER_I_KEY_PACKAGE, label);
		return SDPOWER_OK;
	}
	if (!any_known(f, t, SDPOWER_I_KEY_LLC))
		return label_without_caches(f, t, label);
	label_by(f, t, SDPOWER_I_KEY_LLC, label);
	if (family->x86)
		return SDPOWER_OK;
	drop_crossing(f, t, SDPOWER_I_KEY_LLC, SDPOWER_I_KEY_NODE, label);
	drop_crossing(f, t, SDPOWER_I_KEY_LLC, SDPOWER_I_KEY_PACKAGE, label);
	status = check_whole(f, t, SDPOWER_I_KEY_PACKAGE, label);
	label_by(f, t, SDPOWER_I_KEY_PACKAGE, label);
	return status;
}

/* A cluster that holds a cpu's whole MC mask would make MC vanish: its threads replace it. */
static void drop_swallowing(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const uint16_t *mc, uint16_t *label)
{
	uint16_t *whole = f->scratch->group_index;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		whole[pos] = 1;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (online(t, pos) && mc[pos] != SDPOWER_I_NONE16 &&
				!share(f, SDPOWER_I_KEY_CLUSTER, pos, mc[pos]) && mc[pos] != pos)
			whole[mc[pos]] = 0;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (online(t, pos) && label[pos] != SDPOWER_I_NONE16 &&
				(mc[pos] == SDPOWER_I_NONE16 || whole[mc[pos]]))
			label[pos] = SDPOWER_I_NONE16;
}

static sdpower_status label_clusters(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t, uint16_t *label)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(f->arch);
	uint16_t *mc = f->scratch->other_label;
	sdpower_status status = SDPOWER_OK;

	if (!family->x86)
		status = label_mc(f, t, mc);
	if (status != SDPOWER_OK)
		return status;
	unlabel(f, label);
	label_by(f, t, SDPOWER_I_KEY_CLUSTER, label);
	if (family->x86) {
		label_by(f, t, SDPOWER_I_KEY_L2, label);
		return SDPOWER_OK;
	}
	drop_swallowing(f, t, mc, label);
	status = check_whole(f, t, SDPOWER_I_KEY_CLUSTER, label);
	label_by(f, t, SDPOWER_I_KEY_CORE, label);
	return status;
}

sdpower_status sdpower_i_labels(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level)
{
	uint16_t *label = f->scratch->label;

	if (level == SDPOWER_I_LEVEL_CLS)
		return label_clusters(f, t, label);
	if (level == SDPOWER_I_LEVEL_MC)
		return label_mc(f, t, label);
	unlabel(f, label);
	switch (level) {
	case SDPOWER_I_LEVEL_SMT: label_by(f, t, SDPOWER_I_KEY_CORE, label); break;
	case SDPOWER_I_LEVEL_CACHE: label_by(f, t, SDPOWER_I_KEY_L2, label); break;
	case SDPOWER_I_LEVEL_BOOK: label_by(f, t, SDPOWER_I_KEY_BOOK, label); break;
	case SDPOWER_I_LEVEL_DRAWER: label_by(f, t, SDPOWER_I_KEY_DRAWER, label); break;
	default: label_by(f, t, SDPOWER_I_KEY_NODE, label); break;
	}
	return SDPOWER_OK;
}

void sdpower_i_mask_weights(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint16_t *weights)
{
	const uint16_t *label = f->scratch->label;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		weights[pos] = 0;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (online(t, pos) && label[pos] != SDPOWER_I_NONE16)
			weights[label[pos]]++;
}
