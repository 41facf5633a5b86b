/* SPDX-License-Identifier: MIT */
/*
 * How large the arrays of a tree can ever get on a machine.
 *
 * Why counts of the whole machine bound every later tree: the classes of a level are cpus
 * with equal ids, joined further where the level below crosses them. Taking cpus away never
 * adds a class, and joining only reduces them; so a level has at most as many classes as it
 * has distinct ids, and at most as many as the level below. In position order a class is one
 * run per distinct set of more significant ids; runs skip positions outside the map, so that
 * taking cpus away never splits one either. Partitions multiply classes, and cut runs at
 * worst into single positions.
 */
#include "bounds.h"
#include "build.h"
#include "finder.h"
#include "order.h"
#include "templates.h"

#include "../topology/table.h"

#include <sdpower/instance.h>

#define BIT SDPOWER_I_BIT
#define NO_KEY SDPOWER_I_KEYS

/*
 * Cpus are in one class iff all keys are equal and one of them is known. Where it is unknown
 * to both, another key may take its place.
 */
struct classing {
	uint32_t keys;      /* compared without exception */
	uint32_t known;     /* compared, and must be known */
	uint32_t otherwise; /* takes the place of `known`, or NO_KEY */
};

/* What is known of one level so far. */
struct extent {
	uint32_t classes; /* classes of any size */
	uint32_t domains; /* classes of two cpus or more */
	uint32_t runs;    /* runs of all classes together */
};

struct counting {
	const struct sdpower_topology *t;
	struct sdpower_i_bounds *b;
	uint32_t partitions;
	uint32_t groups_least; /* modern levels with one group are always pruned */
	struct extent below; /* the level under the next one */
	struct classing below_by[3];
	uint32_t below_count;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* How cpus of a machine are classed. */
struct classes {
	const struct sdpower_topology *t;
	const struct classing *by;
};

/* 0 for one class; cpus whose ids are unknown are never compared. */
static int order_of(const void *context, uint32_t a, uint32_t b)
{
	const struct classes *c = context;
	const uint32_t known = c->by->known == NO_KEY ? 0u : BIT(c->by->known);
	const int order = sdpower_i_compare_ids(c->t, c->by->keys | known, a, b);

	if (order || !known || sdpower_i_id_of(c->t, a, c->by->known) != SDPOWER_ID_NONE)
		return order;
	return sdpower_i_compare_ids(c->t, BIT(c->by->otherwise), a, b);
}

/* The key that stands for a cpu's class; unknown = it is alone. */
static int is_alone(const struct classes *c, sdpower_cpu cpu)
{
	if (c->by->known == NO_KEY || sdpower_i_id_of(c->t, cpu, c->by->known) != SDPOWER_ID_NONE)
		return 0;
	return c->by->otherwise == NO_KEY ||
		sdpower_i_id_of(c->t, cpu, c->by->otherwise) == SDPOWER_ID_NONE;
}

static int same_class(const struct sdpower_topology *t, const struct classing *by, sdpower_cpu a,
	sdpower_cpu b)
{
	const struct classes c = { t, by };

	return !is_alone(&c, a) && !is_alone(&c, b) && order_of(&c, a, b) == 0;
}

/* Some lower cpu of the same class, or NOT_FOUND. */
static uint32_t earlier(struct sdpower_i_finder *finder, const struct classes *c, sdpower_cpu cpu)
{
	uint32_t known = c->by->known, hash = 0;

	if (is_alone(c, cpu))
		return SDPOWER_I_NOT_FOUND;
	if (known != NO_KEY && sdpower_i_id_of(c->t, cpu, known) == SDPOWER_ID_NONE)
		known = c->by->otherwise;
	for (uint32_t key = 0; key < SDPOWER_I_KEYS; key++)
		if ((c->by->keys & BIT(key)) || key == known)
			hash = sdpower_i_finder_mix(hash, sdpower_i_id_of(c->t, cpu, key));
	return sdpower_i_finder_earlier(finder, cpu, hash, order_of, c);
}

static uint32_t count_classes(const struct sdpower_topology *t, const struct classing *by)
{
	const struct classes c = { t, by };
	struct sdpower_i_finder finder;
	uint32_t count = 0;

	sdpower_i_finder_start(&finder);
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
		count += earlier(&finder, &c, cpu) == SDPOWER_I_NOT_FOUND;
	return count;
}

/* True iff every class of `inner` lies within one class of `outer`. */
static int classes_nest(const struct sdpower_topology *t, const struct classing *inner,
	const struct classing *outer)
{
	const struct classes c = { t, inner };
	struct sdpower_i_finder finder;

	sdpower_i_finder_start(&finder);
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		const uint32_t other = earlier(&finder, &c, cpu);

		if (other != SDPOWER_I_NOT_FOUND && !same_class(t, outer, other, cpu))
			return 0;
	}
	return 1;
}

/* Classes of one key, cut to the node. */
static struct classing classing_by(uint32_t key)
{
	struct classing c = { BIT(SDPOWER_I_KEY_NODE), key, NO_KEY };

	if (key == SDPOWER_I_KEY_CORE)
		c.keys |= BIT(SDPOWER_I_KEY_PACKAGE);
	if (key == SDPOWER_I_KEY_NODE)
		c.known = NO_KEY;
	return c;
}

/* A class split by the ids that are more significant in the numbering: its runs. */
static struct classing runs_by(const struct classing *c)
{
	struct classing r = *c;

	if (r.known != NO_KEY)
		r.keys |= BIT(r.known) - 1;
	return r;
}

static void start(struct counting *c, const struct sdpower_topology *t, uint32_t tree_rules,
	uint32_t partitions, struct sdpower_i_bounds *b)
{
	const struct classing blocks = { SDPOWER_I_BLOCK_KEYS, NO_KEY, NO_KEY };
	const struct classing nodes = { BIT(SDPOWER_I_KEY_NODE), NO_KEY, NO_KEY };

	c->t = t;
	c->b = b;
	c->partitions = partitions;
	c->below.classes = c->below.runs = t->cpu_count;
	c->below.domains = 0;
	c->below_count = 0;
	c->groups_least = tree_rules == SDPOWER_TREE_MODERN ? 2 : 1;
	b->cpus = t->cpu_count;
	b->blocks = count_classes(t, &blocks) + t->cpu_count / SDPOWER_I_BLOCK_CPUS;
	b->nodes = count_classes(t, &nodes);
	b->distances = t->node_count ? t->node_count : 1;
	b->depth = b->domains = b->groups = b->runs = 0;
	b->levels = 1;
	b->layers = SDPOWER_I_LAYER_ALLNODES + 1u;
}

/* Room for `domains` domains with together `groups` groups and `runs` runs. */
static void add(struct counting *c, uint32_t domains, uint64_t groups, uint64_t runs)
{
	sdpower_i_bound_add(&c->b->domains, domains);
	sdpower_i_bound_add(&c->b->groups, groups);
	sdpower_i_bound_add(&c->b->runs, runs);
	c->b->depth += domains > 0;
}

/* True iff all ways to class the level below nest in this one. */
static int below_nests(const struct counting *c, const struct classing *by)
{
	for (uint32_t i = 0; i < c->below_count; i++)
		if (!classes_nest(c->t, &c->below_by[i], by))
			return 0;
	return 1;
}

/* A level that is classed in one of several ways, depending on knobs or on who is online. */
static void add_level(struct counting *c, const struct classing *ways, uint32_t count)
{
	const uint32_t n = c->t->cpu_count, p = c->partitions;
	struct extent e = { 0, 0, 0 };
	int nested = 1;

	for (uint32_t i = 0; i < count; i++) {
		const struct classing runs = runs_by(&ways[i]);
		const uint32_t classes = count_classes(c->t, &ways[i]);

		e.classes = most(e.classes, classes);
		e.domains = most(e.domains, least(classes, n - classes));
		e.runs = most(e.runs, count_classes(c->t, &runs));
		nested &= below_nests(c, &ways[i]);
	}
	if (!nested)
		e.domains = least(n / 2, e.domains + c->below.domains);
	if (p > 1) {
		e.classes = least(n, e.classes * p);
		e.domains = least(n / 2, e.classes);
		e.runs = n;
	}
	e.classes = least(e.classes, c->below.classes);
	if (c->groups_least > 1)
		e.domains = least(e.domains, c->below.classes / c->groups_least);
	e.runs = least(e.runs, c->below.runs);
	add(c, e.domains, e.domains ? c->below.classes : 0,
		e.domains ? e.runs + c->below.runs : 0);
	c->below = e;
	for (c->below_count = 0; c->below_count < count; c->below_count++)
		c->below_by[c->below_count] = ways[c->below_count];
}

static void add_level_by(struct counting *c, uint32_t key)
{
	const struct classing by = classing_by(key);

	add_level(c, &by, 1);
}

/* NODE and ALLNODES: groups are nodes; c->below is the level of the nodes. */
static void add_classic_numa(struct counting *c)
{
	const uint32_t n = c->t->cpu_count, m = c->b->nodes, p = c->partitions;
	const uint32_t near = least(m, SDPOWER_I_NEAR_NODES);
	const uint32_t seen = m > near ? m : 1; /* distinct spans in one partition */

	if (n == 1)
		return;
	add(c, least(n, seen * p), (uint64_t)least(n, seen * p) * near,
		p > 1 ? (uint64_t)seen * n * 2 : seen * 2 * near);
	if (m > 1)
		add(c, p, least(n, m * p), p > 1 ? 2 * n : m + 1);
}

static void add_classic(struct counting *c)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(c->t->arch);
	const struct classing mc[2] = { classing_by(SDPOWER_I_KEY_PACKAGE),
		classing_by(SDPOWER_I_KEY_LLC) };

	if (family->sibling)
		add_level_by(c, SDPOWER_I_KEY_CORE);
	if (family->mc != SDPOWER_I_MC_NONE)
		add_level(c, mc, family->mc == SDPOWER_I_MC_CACHE ? 2 : 1);
	c->below_count = 0; /* everything is cut to the node, so it nests */
	add_level_by(c, SDPOWER_I_KEY_NODE);
	if (family->numa)
		add_classic_numa(c);
}

/* Clusters: of firmware, else of the L2 on x86; threads may take the place of one elsewhere. */
static void add_clusters(struct counting *c, const struct sdpower_i_family *family)
{
	struct classing ways[2] = { classing_by(SDPOWER_I_KEY_CLUSTER),
		classing_by(SDPOWER_I_KEY_CORE) };

	if (family->x86) {
		ways[0].otherwise = SDPOWER_I_KEY_L2;
		add_level(c, ways, 1);
		return;
	}
	add_level(c, ways, 2);
}

static void add_modern_mc(struct counting *c, const struct sdpower_i_family *family)
{
	struct classing ways[3] = { classing_by(SDPOWER_I_KEY_PACKAGE),
		classing_by(SDPOWER_I_KEY_NODE), classing_by(SDPOWER_I_KEY_LLC) };

	if (!family->x86)
		ways[2].keys |= BIT(SDPOWER_I_KEY_PACKAGE);
	add_level(c, ways, family->socket ? 1 : 3);
}

static void add_modern(struct counting *c)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(c->t->arch);

	add_level_by(c, SDPOWER_I_KEY_CORE);
	if (family->cache)
		add_level_by(c, SDPOWER_I_KEY_L2);
	if (family->cluster)
		add_clusters(c, family);
	if (family->modern_mc)
		add_modern_mc(c, family);
	if (family->socket) {
		add_level_by(c, SDPOWER_I_KEY_BOOK);
		add_level_by(c, SDPOWER_I_KEY_DRAWER);
	}
	c->b->layers = 3u + family->cache + family->cluster + family->modern_mc + 2u * family->socket;
	c->below_count = 0;
	add_level_by(c, SDPOWER_I_KEY_NODE); /* PKG, or NODE in its place: equal spans are pruned */
	sdpower_i_numa_bounds(c->t, c->partitions, c->b);
}

/* Most machines have no priorities and need no room for them. */
static uint32_t priorities_of(const struct sdpower_topology *t)
{
	for (sdpower_cpu cpu = 1; cpu < t->cpu_count; cpu++)
		if (sdpower_i_table_cpu(t, cpu)->priority != sdpower_i_table_cpu(t, 0)->priority)
			return t->cpu_count;
	return 0;
}

void sdpower_i_bounds_of(const struct sdpower_topology *t, uint32_t tree_rules,
	uint32_t partitions, struct sdpower_i_bounds *b)
{
	struct counting c;

	start(&c, t, tree_rules, partitions, b);
	if (tree_rules == SDPOWER_TREE_MODERN)
		add_modern(&c);
	else
		add_classic(&c);
	b->depth += b->depth == 0;
	b->priorities = priorities_of(t);
}
