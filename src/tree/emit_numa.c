/* SPDX-License-Identifier: MIT */
/*
 * Domains of the NUMA levels. While the balls of a level and of all below it are
 * equivalences, spans and groups are classes like those of any other level. Beyond that,
 * groups may overlap and depend on where the ring starts: cpus of one node that follow each
 * other in cpu order share a ring, and rings that come out equal are stored once.
 */
#include "emit.h"
#include "numa.h"

/* A ring under construction: whose, and what is covered already. */
struct making {
	const struct sdpower_i_forest *f;
	struct sdpower_i_tree *t;
	uint32_t level, node, partition, whole;
	uint16_t *in_span, *covered, *cpus; /* [node] */
};

/* Cpus of the map and partition by node; asked often, counted once. */
static void count_cpus(struct making *m, uint32_t partition)
{
	m->partition = partition;
	for (uint32_t node = 0; node < m->f->node_count; node++)
		m->cpus[node] = 0;
	for (uint32_t pos = 0; pos < m->f->cpu_count; pos++)
		if (sdpower_i_in_map(m->t, pos) && m->t->partition[pos] == partition)
			m->cpus[m->f->key[SDPOWER_I_KEY_NODE][pos]]++;
}

/* True iff the chain of the node's cpus reaches the level: nothing below it spans the map. */
static int is_built(const struct making *m, uint32_t node)
{
	uint32_t weight = 0;

	for (uint32_t other = 0; other < m->f->node_count; other++)
		if (m->cpus[other] && sdpower_i_ball_has(m->f, m->level - 1, node, other))
			weight += m->cpus[other];
	return weight < m->whole;
}

static int ball_fits(const struct making *m, uint32_t level, uint32_t node)
{
	for (uint32_t other = 0; other < m->f->node_count; other++)
		if (!m->in_span[other] && sdpower_i_ball_has(m->f, level, node, other) &&
				m->cpus[other])
			return 0;
	return 1;
}

/*
 * Level of the ball that is the group of a node: its child's, or the widest one below that
 * does not stick out of the span. A ball that fits below one that does not is smaller than
 * it, so there is no level to skip for being equal to its child.
 */
static uint32_t group_level(const struct making *m, uint32_t node)
{
	uint32_t level = m->level - 1;

	while (level > 0 && !ball_fits(m, level, node))
		level--;
	return level;
}

/* Appends the runs of the cpus whose nodes are marked. */
static struct sdpower_i_runner emit_marked(const struct making *m, const uint16_t *marked,
	uint32_t *weight, uint32_t *first_cpu, uint32_t *capacity)
{
	const struct sdpower_i_forest *f = m->f;
	struct sdpower_i_runner r;

	*weight = *capacity = 0;
	*first_cpu = SDPOWER_I_NONE16;
	sdpower_i_runner_start(&r, m->t);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const int member = sdpower_i_in_map(m->t, pos) && m->t->partition[pos] == m->partition &&
			marked[f->key[SDPOWER_I_KEY_NODE][pos]];

		if (!sdpower_i_in_map(m->t, pos))
			continue;
		sdpower_i_runner_feed(&r, pos, member);
		if (!member)
			continue;
		(*weight)++;
		*capacity += f->capacity[pos];
		if (f->cpu_at[pos] < *first_cpu)
			*first_cpu = f->cpu_at[pos];
	}
	return r;
}

static void emit_group(const struct making *m, struct sdpower_i_domain *d, uint32_t node,
	uint32_t level)
{
	uint16_t *marked = m->f->scratch->taken;
	uint32_t weight, first_cpu, capacity;
	struct sdpower_i_runner r;
	struct sdpower_i_group *g;

	/* Even the least ball may stick out where distances differ by direction: it is cut. */
	for (uint32_t other = 0; other < m->f->node_count; other++) {
		marked[other] = (uint16_t)(m->in_span[other] &&
			sdpower_i_ball_has(m->f, level, node, other));
		m->covered[other] = (uint16_t)(m->covered[other] | marked[other]);
	}
	r = emit_marked(m, marked, &weight, &first_cpu, &capacity);
	g = &m->t->groups[d->group + sdpower_i_new_group(m->t, d, 1, first_cpu, capacity)];
	sdpower_i_store(&m->t->group_count, d->group + d->groups);
	sdpower_i_store16(&g->weight, (uint16_t)weight);
	sdpower_i_store(&g->run, r.first);
	sdpower_i_store16(&g->runs, (uint16_t)r.count);
}

/* Nodes that see the own group as theirs: who balances for it. */
static void emit_mask(const struct making *m, struct sdpower_i_domain *d)
{
	const struct sdpower_i_forest *f = m->f;
	uint16_t *marked = f->scratch->taken;
	uint32_t weight, first_cpu, capacity;
	struct sdpower_i_runner r;

	for (uint32_t node = 0; node < f->node_count; node++) {
		marked[node] = (uint16_t)(sdpower_i_ball_has(f, m->level - 1, m->node, node) &&
			m->cpus[node] && is_built(m, node));
		for (uint32_t other = 0; marked[node] && other < f->node_count; other++)
			if (m->cpus[other] && sdpower_i_ball_has(f, m->level - 1, m->node, other) !=
					sdpower_i_ball_has(f, m->level - 1, node, other))
				marked[node] = 0;
	}
	r = emit_marked(m, marked, &weight, &first_cpu, &capacity);
	sdpower_i_store(&d->mask_run, r.first);
	sdpower_i_store16(&d->mask_runs, (uint16_t)r.count);
}

static uint32_t online_in_ball(const struct making *m)
{
	uint32_t count = 0;

	for (uint32_t node = 0; node < m->f->node_count; node++)
		if (sdpower_i_ball_has(m->f, m->level, m->node, node))
			count += m->f->scratch->node_online[node];
	return count;
}

/* The node of a cpu, if the span holds it and no group covers it yet; else NONE16. */
static uint32_t next_uncovered(const struct making *m, uint32_t cpu)
{
	const uint32_t pos = m->f->pos_of[cpu], node = m->f->key[SDPOWER_I_KEY_NODE][pos];

	if (!sdpower_i_in_map(m->t, pos) || m->t->partition[pos] != m->partition ||
			!m->in_span[node] || m->covered[node])
		return SDPOWER_I_NONE16;
	return node;
}

static uint16_t emit_ring(const struct making *m, uint32_t start)
{
	const struct sdpower_i_forest *f = m->f;
	uint32_t weight, first_cpu, capacity;
	struct sdpower_i_domain *d;
	struct sdpower_i_runner r;
	uint16_t index;

	for (uint32_t node = 0; node < f->node_count; node++) {
		m->in_span[node] = (uint16_t)sdpower_i_ball_has(f, m->level, m->node, node);
		m->covered[node] = 0;
	}
	r = emit_marked(m, m->in_span, &weight, &first_cpu, &capacity);
	index = sdpower_i_new_domain(f, m->t, SDPOWER_I_LEVEL_NUMA, first_cpu, weight);
	d = &m->t->domains[index];
	sdpower_i_store(&d->run, r.first);
	sdpower_i_store16(&d->runs, (uint16_t)r.count);
	sdpower_i_store16(&d->numa, (uint16_t)(m->level - 1));
	sdpower_i_store16(&d->mask_weight, (uint16_t)online_in_ball(m));
	for (uint32_t i = 0; i < f->cpu_count; i++) {
		const uint32_t node = next_uncovered(m, (start + i) % f->cpu_count);

		if (node != SDPOWER_I_NONE16 && is_built(m, node))
			emit_group(m, d, node, group_level(m, node));
	}
	/* Only distances that differ by direction leave nodes over; groups must cover the span. */
	for (uint32_t i = 0; i < f->cpu_count; i++) {
		const uint32_t node = next_uncovered(m, (start + i) % f->cpu_count);

		if (node != SDPOWER_I_NONE16)
			emit_group(m, d, node, 0);
	}
	emit_mask(m, d);
	return index;
}

static int same_groups(const struct sdpower_i_tree *t, const struct sdpower_i_domain *a,
	const struct sdpower_i_domain *b)
{
	if (a->groups != b->groups)
		return 0;
	for (uint32_t i = 0; i < a->groups; i++) {
		const struct sdpower_i_group *x = &t->groups[a->group + i], *y = &t->groups[b->group + i];

		if (x->runs != y->runs || x->weight != y->weight || x->first_cpu != y->first_cpu)
			return 0;
		for (uint32_t j = 0; j < x->runs; j++)
			if (t->runs[x->run + j].first != t->runs[y->run + j].first ||
					t->runs[x->run + j].count != t->runs[y->run + j].count)
				return 0;
	}
	return 1;
}

/* Takes the last ring back when one of the level before it is equal; both have one span. */
static uint16_t keep_once(struct sdpower_i_tree *t, uint32_t first, uint16_t last)
{
	const struct sdpower_i_domain *d = &t->domains[last];

	for (uint32_t i = first; i < last; i++) {
		if (!same_groups(t, &t->domains[i], d))
			continue;
		sdpower_i_store(&t->domain_count, last);
		sdpower_i_store(&t->group_count, d->group);
		sdpower_i_store(&t->run_count, d->run);
		return (uint16_t)i;
	}
	return last;
}

/* The cpu before this one in cyclic cpu order, within the map and partition. */
static uint32_t position_before(const struct making *m, uint32_t cpu)
{
	const struct sdpower_i_forest *f = m->f;
	uint32_t before = cpu, pos;

	do {
		before = before ? before - 1 : f->cpu_count - 1;
		pos = f->pos_of[before];
	} while (!sdpower_i_in_map(m->t, pos) || m->t->partition[pos] != m->partition);
	return pos;
}

/* A ring is that of the cpu before, when both are of one node: start there, if it is known. */
static uint16_t ring_of(struct making *m, uint32_t cpu, uint32_t first)
{
	uint16_t *known = m->f->scratch->first_of;
	const uint32_t before = position_before(m, cpu);

	if (m->f->key[SDPOWER_I_KEY_NODE][before] == m->node && known[before] != SDPOWER_I_NONE16)
		return known[before];
	return keep_once(m->t, first, emit_ring(m, cpu));
}

static void emit_overlapping(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t level)
{
	const struct sdpower_i_layer *map = &f->scratch->layers[SDPOWER_I_LAYER_MAP];
	struct making m = { f, t, level, 0, SDPOWER_I_NONE16, 0, f->scratch->next_span,
		f->scratch->covered, f->scratch->node_cpus };
	const uint32_t first = t->domain_count;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		f->scratch->first_of[pos] = SDPOWER_I_NONE16;
	for (uint32_t cpu = 0; cpu < f->cpu_count; cpu++) {
		const uint32_t pos = f->pos_of[cpu];
		struct sdpower_i_link *link = sdpower_i_unresolved(f, t, pos, SDPOWER_I_LAYERS + level);

		if (!link)
			continue;
		m.node = f->key[SDPOWER_I_KEY_NODE][pos];
		if (m.partition != t->partition[pos])
			count_cpus(&m, t->partition[pos]);
		m.whole = map->weight[map->lead[pos]];
		f->scratch->first_of[pos] = ring_of(&m, cpu, first);
		sdpower_i_resolve(f, pos, link, f->scratch->first_of[pos], 0);
	}
}

/* The class layers are done with, so two of them serve for the balls. */
static void emit_disjoint(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t level)
{
	struct sdpower_i_layer *below = &f->scratch->layers[0], *l = &f->scratch->layers[1];
	const uint32_t first = t->domain_count;

	sdpower_i_ball_leaders(f, t, level - 1, below->lead);
	sdpower_i_ball_leaders(f, t, level, l->lead);
	l->level = SDPOWER_I_LEVEL_NUMA;
	l->group_of = below->lead;
	sdpower_i_measure(f, t, l);
	sdpower_i_emit_layer(f, t, SDPOWER_I_LAYERS + level, l);
	for (uint32_t i = first; i < t->domain_count; i++) {
		const uint32_t pos = f->pos_of[t->domains[i].first_cpu];
		const struct making m = { .f = f, .t = t, .level = level,
			.node = f->key[SDPOWER_I_KEY_NODE][pos] };

		sdpower_i_store16(&t->domains[i].numa, (uint16_t)(level - 1));
		sdpower_i_store16(&t->domains[i].mask_weight, (uint16_t)online_in_ball(&m));
	}
}

void sdpower_i_emit_numa(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	for (uint32_t level = 1; level < f->scratch->numa.levels; level++) {
		if (level < f->scratch->numa.equivalences)
			emit_disjoint(f, t, level);
		else
			emit_overlapping(f, t, level);
	}
}
