/* SPDX-License-Identifier: MIT */
/* B1 to B5 and B8 to B12, rule by rule, one chain at a time. */
#include "tree.h"

#define F(name) ((uint32_t)SDPOWER_SD_##name)
#define SAVINGS F(POWERSAVINGS)
#define NEED_GROUPS (F(LOAD_BALANCE) | F(BALANCE_NEWIDLE) | F(BALANCE_FORK) | F(BALANCE_EXEC) | \
	F(SHARE_CPUPOWER) | F(SHARE_PKG))
#define WAKES (F(WAKE_IDLE) | F(WAKE_AFFINE) | F(WAKE_BALANCE))

int tree_in_map(const struct tree_input *in, uint32_t cpu)
{
	return in->online[cpu] && in->allowed[cpu] && in->partition[cpu] >= 0;
}

uint32_t tree_weight(const struct tree_set *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < RANDOM_CPUS; i++)
		n += s->has[i];
	return n;
}

static uint32_t node_of(const struct tree_input *in, uint32_t cpu)
{
	for (uint32_t n = 0; n < in->machine->node_count; n++)
		if (in->machine->nodes[n] == in->machine->cpus[cpu].node)
			return n;
	return 0;
}

/* B1: only cpus of the map and of one partition ever share a set. */
static int together(const struct tree_input *in, uint32_t a, uint32_t b)
{
	return tree_in_map(in, a) && tree_in_map(in, b) && in->partition[a] == in->partition[b];
}

static int saves(const struct tree_input *in)
{
	return in->mc || in->smt;
}

uint32_t tree_needed(const struct tree_input *in)
{
	const uint32_t arch = in->machine->arch;
	uint32_t needed = tree_has_sibling(arch) ? SDPOWER_OVERLAP_CORE : 0;

	if (tree_mc_of(arch) == TREE_MC_CACHE && !saves(in))
		needed |= SDPOWER_OVERLAP_LLC;
	else if (tree_mc_of(arch) != TREE_NO_MC)
		needed |= SDPOWER_OVERLAP_PACKAGE;
	return needed;
}

static int same_known(uint32_t a, uint32_t b)
{
	return a == b && a != SDPOWER_ID_NONE;
}

/* Whether two cpus have one id at a level, before anything is widened. */
static int same_id(const struct tree_input *in, uint32_t level, uint32_t a, uint32_t b)
{
	const struct sdpower_cpu_desc *x = &in->machine->cpus[a], *y = &in->machine->cpus[b];

	if (a == b)
		return 1;
	if (!together(in, a, b) || node_of(in, a) != node_of(in, b))
		return 0;
	if (level == SDPOWER_LEVEL_SIBLING)
		return same_known(x->core, y->core) && x->package == y->package;
	if (level == SDPOWER_LEVEL_CPU)
		return 1;
	return tree_mc_of(in->machine->arch) == TREE_MC_CACHE && !saves(in) ?
		same_known(x->llc, y->llc) : same_known(x->package, y->package);
}

/* B4: which level lies below; LEVELS = cpus. */
static uint32_t below(const struct tree_input *in, uint32_t level)
{
	if (level >= SDPOWER_LEVEL_NODE_CLASSIC)
		return SDPOWER_LEVEL_CPU;
	if (level == SDPOWER_LEVEL_CPU && tree_mc_of(in->machine->arch) != TREE_NO_MC)
		return SDPOWER_LEVEL_MC_CLASSIC;
	if (level != SDPOWER_LEVEL_SIBLING && tree_has_sibling(in->machine->arch))
		return SDPOWER_LEVEL_SIBLING;
	return SDPOWER_LEVELS;
}

/* B2: grown until whoever shares an id of this level or of one below is inside. */
static struct tree_set class_of(const struct tree_input *in, uint32_t level, uint32_t cpu)
{
	struct tree_set s = { { 0 } };
	int grows = 1;

	s.has[cpu] = 1;
	while (grows && level != SDPOWER_LEVELS) {
		grows = 0;
		for (uint32_t a = 0; a < in->machine->cpu_count; a++)
			for (uint32_t b = 0; s.has[a] && b < in->machine->cpu_count; b++)
				for (uint32_t l = level; !s.has[b] && l != SDPOWER_LEVELS; l = below(in, l))
					if (same_id(in, l, a, b))
						s.has[b] = 1, grows = 1;
	}
	return s;
}

static uint32_t distance(const struct tree_input *in, uint32_t a, uint32_t b)
{
	if (!in->machine->node_count || !in->machine->distances)
		return a == b ? 10 : 20;
	return in->machine->distances[a * in->machine->node_count + b];
}

/* B5 */
static void near_nodes(const struct tree_input *in, uint32_t own, unsigned char *taken)
{
	const uint32_t nodes = in->machine->node_count ? in->machine->node_count : 1;
	unsigned char online[RANDOM_NODES] = { 0 };

	for (uint32_t cpu = 0; cpu < in->machine->cpu_count; cpu++)
		if (in->online[cpu])
			online[node_of(in, cpu)] = 1;
	taken[own] = 1;
	for (int i = 0; i < 15; i++) {
		uint32_t best = nodes;

		for (uint32_t k = 0; k < nodes; k++) {
			const uint32_t n = (own + k) % nodes;

			if (online[n] && !taken[n] &&
					(best == nodes || distance(in, own, n) < distance(in, own, best)))
				best = n;
		}
		if (best < nodes)
			taken[best] = 1;
	}
}

static struct tree_set span_of(const struct tree_input *in, uint32_t level, uint32_t cpu)
{
	unsigned char taken[RANDOM_NODES] = { 0 };
	struct tree_set s = { { 0 } };

	if (level < SDPOWER_LEVEL_NODE_CLASSIC)
		return class_of(in, level, cpu);
	near_nodes(in, node_of(in, cpu), taken);
	for (uint32_t i = 0; i < in->machine->cpu_count; i++)
		s.has[i] = together(in, cpu, i) &&
			(level == SDPOWER_LEVEL_ALLNODES || taken[node_of(in, i)]);
	return s;
}

/* B9: the power of the group of `level` that holds a cpu. Levels go down by at most three. */
static uint32_t power_of(const struct tree_input *in, uint32_t level, uint32_t cpu)
{
	const uint32_t child = below(in, level);
	struct tree_level here, under;
	struct tree_set group, seen = { { 0 } };
	uint32_t power = 0;

	if (child == SDPOWER_LEVELS)
		return SDPOWER_SCALE;
	tree_params(in, level, &here);
	tree_params(in, child, &under);
	if (level < SDPOWER_LEVEL_NODE_CLASSIC && !(here.flags & SAVINGS) &&
			under.flags & (F(SHARE_CPUPOWER) | F(SHARE_PKG)))
		return SDPOWER_SCALE;
	group = class_of(in, child, cpu);
	for (uint32_t i = 0; i < in->machine->cpu_count; i++) {
		struct tree_set part;

		if (!group.has[i] || seen.has[i])
			continue;
		part = class_of(in, below(in, child), i);
		for (uint32_t j = 0; j < in->machine->cpu_count; j++)
			seen.has[j] = seen.has[j] || part.has[j];
		power += power_of(in, child, i);
	}
	return power;
}

/* Order in the ring: nodes by index, everything else by first cpu (B8). */
static void make_groups(const struct tree_input *in, uint32_t cpu, struct tree_level *l)
{
	const uint32_t n = in->machine->cpu_count;
	const uint32_t nodes = in->machine->node_count ? in->machine->node_count : 1;
	const int by_node = l->level == SDPOWER_LEVEL_NODE_CLASSIC;
	struct tree_set covered = { { 0 } };
	struct tree_group found[RANDOM_CPUS];
	uint32_t own = 0;

	l->groups = 0;
	for (uint32_t k = 0; k < (by_node ? nodes * n : n); k++) {
		const uint32_t i = k % n;
		struct tree_group *g = &found[l->groups];

		if (!l->span.has[i] || covered.has[i] || (by_node && node_of(in, i) != k / n))
			continue;
		g->cpus = class_of(in, below(in, l->level), i);
		g->power = power_of(in, l->level, i);
		for (uint32_t j = 0; j < n; j++)
			covered.has[j] = covered.has[j] || g->cpus.has[j];
		if (g->cpus.has[cpu])
			own = l->groups;
		l->groups++;
	}
	for (uint32_t i = 0; i < l->groups; i++)
		l->group[i] = found[(own + i) % l->groups];
}

/* B10 */
static int useless(const struct tree_level *l)
{
	if (tree_weight(&l->span) == 1)
		return 1;
	return !(l->flags & WAKES) && !(l->groups >= 2 && l->flags & NEED_GROUPS);
}

static int adds_nothing(const struct tree_input *in, const struct tree_level *child,
	const struct tree_level *parent)
{
	const uint32_t nodes = in->machine->node_count;
	uint32_t forget = 0;

	if (useless(parent))
		return 1;
	if (tree_weight(&child->span) != tree_weight(&parent->span))
		return 0;
	if (child->flags & F(WAKE_AFFINE))
		forget |= F(WAKE_BALANCE);
	if (parent->groups == 1) {
		forget |= NEED_GROUPS;
		if (nodes == 0 || in->machine->nodes[nodes - 1] == 0)
			forget |= F(SERIALIZE);
		if (in->rules == SDPOWER_TREE_CLASSIC) /* B12 */
			forget |= SAVINGS;
	}
	return !(parent->flags & ~forget & ~child->flags);
}

/* B11, B12; wake flags are added afterwards. */
static void attach(const struct tree_input *in, struct tree_chain *c)
{
	uint32_t top = 0, first;

	for (uint32_t i = 1; i < c->depth; i++) {
		if (!adds_nothing(in, &c->level[top], &c->level[i])) {
			c->level[++top] = c->level[i];
			continue;
		}
		if (in->rules == SDPOWER_TREE_CLASSIC && i + 1 < c->depth)
			c->level[i + 1].flags |= c->level[i].flags & SAVINGS;
	}
	first = (uint32_t)useless(&c->level[0]);
	c->depth = top + 1 - first;
	for (uint32_t i = 0; i < c->depth; i++) {
		c->level[i] = c->level[i + first];
		c->level[i].flags |= in->wake_flags;
	}
}

static int exists(const struct tree_input *in, uint32_t level, uint32_t cpu)
{
	const uint32_t arch = in->machine->arch;
	struct tree_set all, node;

	switch (level) {
	case SDPOWER_LEVEL_SIBLING: return tree_has_sibling(arch);
	case SDPOWER_LEVEL_MC_CLASSIC: return tree_mc_of(arch) != TREE_NO_MC;
	case SDPOWER_LEVEL_CPU: return 1;
	case SDPOWER_LEVEL_NODE_CLASSIC: return tree_has_numa(arch);
	default: break;
	}
	all = span_of(in, SDPOWER_LEVEL_ALLNODES, cpu);
	node = span_of(in, SDPOWER_LEVEL_CPU, cpu);
	return tree_has_numa(arch) && tree_weight(&all) > 16 * tree_weight(&node);
}

void tree_classic(const struct tree_input *in, uint32_t cpu, struct tree_chain *c)
{
	c->depth = 0;
	if (!tree_in_map(in, cpu))
		return;
	for (uint32_t level = 0; level <= SDPOWER_LEVEL_ALLNODES; level++) {
		struct tree_level *l = &c->level[c->depth];

		if (!exists(in, level, cpu))
			continue;
		tree_params(in, level, l);
		l->span = span_of(in, level, cpu);
		make_groups(in, cpu, l);
		c->depth++;
	}
	attach(in, c);
}
