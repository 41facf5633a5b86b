/* SPDX-License-Identifier: MIT */
/*
 * Classes of a level: cpus with equal ids, cut to node and partition, then widened to hold
 * the level below (docs/POLICY.md B2).
 */
#include "build.h"

static uint16_t find(uint16_t *lead, uint16_t at)
{
	while (lead[at] != at) {
		lead[at] = lead[lead[at]];
		at = lead[at];
	}
	return at;
}

/* The lower leader wins, so that leaders stay the lowest positions of their class. */
static void join(uint16_t *lead, uint16_t a, uint16_t b)
{
	const uint16_t x = find(lead, a), y = find(lead, b);

	if (x < y)
		lead[y] = x;
	else
		lead[x] = y;
}

/* Positions of a node are neighbours: a first position before the node is another node's. */
static void join_equal_ids(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const uint16_t *ids, uint32_t partition, uint16_t *lead)
{
	const uint16_t *node = f->key[SDPOWER_I_KEY_NODE];
	uint16_t *first_of = f->scratch->first_of;

	for (uint32_t id = 0; id < f->id_count; id++)
		first_of[id] = SDPOWER_I_NONE16;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint16_t id = ids ? ids[pos] : 0;

		if (!sdpower_i_in_map(t, pos) || t->partition[pos] != partition)
			continue;
		lead[pos] = (uint16_t)pos;
		if (id == SDPOWER_I_NONE16)
			continue;
		if (first_of[id] == SDPOWER_I_NONE16 ||
				(ids && first_of[id] < f->node_first[node[pos]]))
			first_of[id] = (uint16_t)pos;
		lead[pos] = first_of[id];
	}
}

void sdpower_i_classes(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const uint16_t *ids, const struct sdpower_i_layer *below, struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		l->lead[pos] = (uint16_t)pos;
	for (uint32_t p = 0; p < t->partition_count; p++)
		join_equal_ids(f, t, ids, p, l->lead);
	for (uint32_t pos = 0; below && pos < f->cpu_count; pos++)
		if (sdpower_i_in_map(t, pos))
			join(l->lead, (uint16_t)pos, below->lead[pos]);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		l->lead[pos] = find(l->lead, (uint16_t)pos);
}

void sdpower_i_measure(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		l->weight[pos] = l->groups[pos] = 0;
		l->domain[pos] = SDPOWER_I_NONE16;
	}
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		if (!sdpower_i_in_map(t, pos))
			continue;
		l->weight[l->lead[pos]]++;
		if (sdpower_i_group_leader(l, pos) == pos)
			l->groups[l->lead[pos]]++;
	}
}
