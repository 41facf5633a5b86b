/* SPDX-License-Identifier: MIT */
/*
 * The NODE level of the classic rules: a span is the own node and its nearest ones, groups
 * are nodes in node order, which from the own one on is the ring order (B8). With at most 16
 * nodes all spans of a partition are equal and one domain serves every node.
 */
#include "emit.h"

/* Which positions the span of a node in a partition holds; scratch->taken must be set. */
static int in_span(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t, uint32_t pos,
	uint32_t partition)
{
	return f->scratch->taken[f->key[SDPOWER_I_KEY_NODE][pos]] && t->partition[pos] == partition;
}

static uint32_t lowest_cpu(const struct sdpower_i_forest *f, const struct sdpower_i_layer *l,
	uint32_t lead, uint32_t end)
{
	uint32_t lowest = f->cpu_at[lead];

	for (uint32_t pos = lead; pos < end; pos++)
		if (l->lead[pos] == lead && f->cpu_at[pos] < lowest)
			lowest = f->cpu_at[pos];
	return lowest;
}

/* One node's cpus of a partition as a group; lead is their leader. */
static void emit_node(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const struct sdpower_i_layer *l, struct sdpower_i_domain *d, uint32_t groups, uint32_t lead)
{
	const uint32_t end = f->node_first[f->key[SDPOWER_I_KEY_NODE][lead] + 1u];
	const uint16_t index = sdpower_i_new_group(t, d, groups, lowest_cpu(f, l, lead, end),
		l->power[lead]);
	struct sdpower_i_group *g = &t->groups[d->group + index];
	struct sdpower_i_runner r;

	sdpower_i_runner_start(&r, t);
	for (uint32_t pos = lead; pos < end; pos++) {
		const int member = l->lead[pos] == lead;

		if (!sdpower_i_in_map(t, pos))
			continue;
		sdpower_i_runner_feed(&r, pos, member);
		if (member)
			sdpower_i_grow_group(g);
	}
	sdpower_i_store(&g->run, r.first);
	sdpower_i_store16(&g->runs, (uint16_t)r.count);
	if (g->first_cpu < d->first_cpu)
		sdpower_i_store16(&d->first_cpu, g->first_cpu);
}

static uint16_t emit_span(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const struct sdpower_i_layer *l, uint32_t lead)
{
	const uint32_t partition = t->partition[lead];
	const uint16_t index = sdpower_i_new_domain(f, t, l->level, f->cpu_at[lead], l->weight[lead]);
	struct sdpower_i_domain *d = &t->domains[index];
	struct sdpower_i_runner r;

	sdpower_i_runner_start(&r, t);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_in_map(t, pos))
			sdpower_i_runner_feed(&r, pos, in_span(f, t, pos, partition));
	sdpower_i_store(&d->run, r.first);
	sdpower_i_store16(&d->runs, (uint16_t)r.count);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_in_map(t, pos) && l->lead[pos] == pos && in_span(f, t, pos, partition))
			emit_node(f, t, l, d, l->groups[lead], pos);
	return index;
}

/* Index of the own node among the groups: nodes of the span before it. */
static uint16_t own_index(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const struct sdpower_i_layer *l, uint32_t lead)
{
	uint16_t index = 0;

	for (uint32_t pos = 0; pos < lead; pos++)
		if (sdpower_i_in_map(t, pos) && l->lead[pos] == pos &&
				in_span(f, t, pos, t->partition[lead]))
			index++;
	return index;
}

/* With few nodes every node of a partition has the span of the first one. */
static uint16_t span_made_before(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	const struct sdpower_i_layer *l, uint32_t lead)
{
	for (uint32_t pos = 0; f->bounds.nodes <= SDPOWER_I_NEAR_NODES && pos < lead; pos++)
		if (sdpower_i_in_map(t, pos) && l->lead[pos] == pos &&
				t->partition[pos] == t->partition[lead] && l->domain[pos] < SDPOWER_I_WANTED)
			return l->domain[pos];
	return SDPOWER_I_NONE16;
}

void sdpower_i_emit_near(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		if (!sdpower_i_in_map(t, pos) || l->lead[pos] != pos ||
				l->domain[pos] != SDPOWER_I_WANTED)
			continue;
		sdpower_i_near_nodes(f, f->key[SDPOWER_I_KEY_NODE][pos]);
		l->domain[pos] = span_made_before(f, t, l, pos);
		if (l->domain[pos] == SDPOWER_I_NONE16)
			l->domain[pos] = emit_span(f, t, l, pos);
		f->scratch->group_index[pos] = own_index(f, t, l, pos);
	}
}
