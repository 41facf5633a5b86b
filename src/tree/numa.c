/* SPDX-License-Identifier: MIT */
/* Distances between nodes with online cpus, and what they make of the nodes (B13). */
#include "numa.h"

static uint32_t distance(const struct sdpower_i_forest *f, uint32_t from, uint32_t to)
{
	return f->distances[(size_t)from * f->node_count + to];
}

/* The least distance above a limit between nodes with online cpus, or a value above all. */
static uint32_t next_distance(const struct sdpower_i_forest *f, uint32_t above)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t from = 0; from < f->node_count; from++)
		for (uint32_t to = 0; f->scratch->node_online[from] && to < f->node_count; to++) {
			const uint32_t d = distance(f, from, to);

			if (f->scratch->node_online[to] && d > above && d < least)
				least = d;
		}
	return least;
}

/* The lowest node whose ball holds this one; in an equivalence both have the same ball. */
static uint32_t lowest_around(const struct sdpower_i_forest *f, uint32_t level, uint32_t node)
{
	uint32_t other = 0;

	while (!f->scratch->node_online[other] || !sdpower_i_ball_has(f, level, other, node))
		other++;
	return other;
}

static int is_equivalence(const struct sdpower_i_forest *f, uint32_t level)
{
	for (uint32_t node = 0; node < f->node_count; node++) {
		if (!f->scratch->node_online[node])
			continue;
		const uint32_t other = lowest_around(f, level, node);

		for (uint32_t third = 0; third < f->node_count; third++)
			if (f->scratch->node_online[third] &&
					(sdpower_i_ball_has(f, level, node, third) !=
					sdpower_i_ball_has(f, level, other, third) ||
					sdpower_i_ball_has(f, level, node, third) !=
					sdpower_i_ball_has(f, level, third, node)))
				return 0;
	}
	return 1;
}

void sdpower_i_numa_levels(const struct sdpower_i_forest *f)
{
	struct sdpower_i_numa *numa = &f->scratch->numa;
	uint32_t d = next_distance(f, 0);

	numa->node = UINT32_MAX; /* no weights known */
	numa->levels = 0;
	numa->equivalences = 0;
	if (d < SDPOWER_I_DISTANCE_LEAST)
		return;
	for (; d <= SDPOWER_I_DISTANCE_MOST; d = next_distance(f, d))
		numa->distance[numa->levels++] = (uint16_t)d;
	if (d != UINT32_MAX)
		numa->levels = 0;
	while (numa->equivalences < numa->levels && is_equivalence(f, numa->equivalences))
		numa->equivalences++;
}

static uint32_t ball_weight(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level, uint32_t node, uint32_t partition)
{
	uint32_t weight = 0;

	for (uint32_t other = 0; other < f->node_count; other++) {
		if (!sdpower_i_ball_has(f, level, node, other))
			continue;
		for (uint32_t pos = f->node_first[other]; pos < f->node_first[other + 1]; pos++)
			weight += sdpower_i_in_map(t, pos) && t->partition[pos] == partition;
	}
	return weight;
}

uint32_t sdpower_i_ball_weight(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level, uint32_t pos)
{
	struct sdpower_i_numa *numa = &f->scratch->numa;
	const uint32_t node = f->key[SDPOWER_I_KEY_NODE][pos], partition = t->partition[pos];

	if (numa->node != node || numa->partition != partition) {
		numa->node = node;
		numa->partition = partition;
		for (uint32_t i = 0; i < numa->levels; i++)
			numa->weight[i] = ball_weight(f, t, i, node, partition);
	}
	return numa->weight[level];
}

void sdpower_i_ball_leaders(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level, uint16_t *lead)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint32_t node = f->key[SDPOWER_I_KEY_NODE][pos];
		uint32_t first = 0;

		lead[pos] = (uint16_t)pos;
		if (!sdpower_i_in_map(t, pos))
			continue;
		if (pos > f->node_first[node] && sdpower_i_in_map(t, pos - 1) &&
				t->partition[pos - 1] == t->partition[pos]) {
			lead[pos] = lead[pos - 1];
			continue;
		}
		while (!sdpower_i_in_map(t, first) || t->partition[first] != t->partition[pos] ||
				!sdpower_i_ball_has(f, level, node, f->key[SDPOWER_I_KEY_NODE][first]))
			first++;
		lead[pos] = (uint16_t)first;
	}
}
