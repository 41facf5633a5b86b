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
#include "order.h"
#include "templates.h"

#include <sdpower/instance.h>

#define BIT SDPOWER_I_BIT
#define NO_KEY SDPOWER_I_KEYS

/* Cpus are in one class iff all keys are equal and the last one is known. */
struct classing {
	uint32_t keys;
	uint32_t known;
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
	struct extent below; /* the level under the next one */
	struct classing below_by;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static int same_class(const struct sdpower_topology *t, const struct classing *c, sdpower_cpu a,
	sdpower_cpu b)
{
	return sdpower_i_same_ids(t, c->keys, a, b) &&
		(c->known == NO_KEY || sdpower_i_id_of(t, a, c->known) != SDPOWER_ID_NONE);
}

static int ids_above(const struct sdpower_topology *t, uint32_t keys, sdpower_cpu a, sdpower_cpu b)
{
	for (uint32_t key = 0; key < SDPOWER_I_KEYS; key++) {
		const uint32_t x = sdpower_i_id_of(t, a, key), y = sdpower_i_id_of(t, b, key);

		if ((keys & BIT(key)) && x != y)
			return x > y;
	}
	return 0;
}

/*
 * Nearest lower cpu of the same class, or NONE. `highest` is the cpu with the highest ids so
 * far: on machines numbered in order it saves the first cpu of a class the search.
 */
static sdpower_cpu previous_in_class(const struct sdpower_topology *t, const struct classing *c,
	sdpower_cpu cpu, sdpower_cpu *highest)
{
	if (cpu == 0 || ids_above(t, c->keys, cpu, *highest)) {
		*highest = cpu;
		return SDPOWER_CPU_NONE;
	}
	for (sdpower_cpu other = cpu; other-- > 0;)
		if (same_class(t, c, other, cpu))
			return other;
	return SDPOWER_CPU_NONE;
}

static uint32_t count_classes(const struct sdpower_topology *t, const struct classing *c)
{
	sdpower_cpu highest = 0;
	uint32_t count = 0;

	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
		count += previous_in_class(t, c, cpu, &highest) == SDPOWER_CPU_NONE;
	return count;
}

/* True iff every class of `inner` lies within one class of `outer`. */
static int classes_nest(const struct sdpower_topology *t, const struct classing *inner,
	const struct classing *outer)
{
	sdpower_cpu highest = 0;

	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		const sdpower_cpu other = previous_in_class(t, inner, cpu, &highest);

		if (other != SDPOWER_CPU_NONE && !same_class(t, outer, other, cpu))
			return 0;
	}
	return 1;
}

static struct classing classing_by(uint32_t key)
{
	struct classing c;

	c.keys = BIT(SDPOWER_I_KEY_NODE) | BIT(key);
	if (key == SDPOWER_I_KEY_CORE)
		c.keys |= BIT(SDPOWER_I_KEY_PACKAGE);
	c.known = key == SDPOWER_I_KEY_NODE ? NO_KEY : key;
	return c;
}

/* A class split by the ids that are more significant in the numbering: its runs. */
static struct classing runs_by(uint32_t key)
{
	struct classing c = classing_by(key);

	c.keys = BIT(key + 1) - 1;
	return c;
}

static void start(struct counting *c, const struct sdpower_topology *t, uint32_t partitions,
	struct sdpower_i_bounds *b)
{
	const struct classing blocks = { SDPOWER_I_BLOCK_KEYS, NO_KEY };
	const struct classing nodes = { BIT(SDPOWER_I_KEY_NODE), NO_KEY };

	c->t = t;
	c->b = b;
	c->partitions = partitions;
	c->below.classes = c->below.runs = t->cpu_count;
	c->below.domains = 0;
	c->below_by.keys = 0;
	b->cpus = t->cpu_count;
	b->blocks = count_classes(t, &blocks) + t->cpu_count / SDPOWER_I_BLOCK_CPUS;
	b->nodes = count_classes(t, &nodes);
	b->depth = b->domains = b->groups = b->runs = 0;
}

/* Room for `domains` domains with together `groups` groups and `runs` runs. */
static void add(struct counting *c, uint32_t domains, uint32_t groups, uint32_t runs)
{
	c->b->domains += domains;
	c->b->groups += groups;
	c->b->runs += runs;
	c->b->depth += domains > 0;
}

/* A level whose classes go by one key, or by another one under other knobs. */
static void add_level(struct counting *c, uint32_t key, uint32_t other_key)
{
	const uint32_t keys[2] = { key, other_key };
	const uint32_t n = c->t->cpu_count, p = c->partitions;
	const struct classing below_by = c->below_by;
	struct extent e = { 0, 0, 0 };
	int nested = 1;

	for (uint32_t i = 0; i < (key == other_key ? 1u : 2u); i++) {
		const struct classing by = classing_by(keys[i]), runs = runs_by(keys[i]);
		const uint32_t classes = count_classes(c->t, &by);

		e.classes = most(e.classes, classes);
		e.domains = most(e.domains, least(classes, n - classes));
		e.runs = most(e.runs, count_classes(c->t, &runs));
		nested &= !below_by.keys || classes_nest(c->t, &below_by, &by);
		c->below_by = by;
	}
	if (!nested)
		e.domains = least(n / 2, e.domains + c->below.domains);
	if (p > 1) {
		e.classes = least(n, e.classes * p);
		e.domains = least(n / 2, e.classes);
		e.runs = n;
	}
	e.classes = least(e.classes, c->below.classes);
	e.runs = least(e.runs, c->below.runs);
	add(c, e.domains, e.domains ? c->below.classes : 0,
		e.domains ? e.runs + c->below.runs : 0);
	c->below = e;
}

/* NODE and ALLNODES: groups are nodes; c->below is the level of the nodes. */
static void add_classic_numa(struct counting *c)
{
	const uint32_t n = c->t->cpu_count, m = c->b->nodes, p = c->partitions;
	const uint32_t near = least(m, SDPOWER_I_NEAR_NODES);
	const uint32_t seen = m > near ? m : 1; /* distinct spans in one partition */

	if (n == 1)
		return;
	add(c, least(n, seen * p), least(n, seen * p) * near,
		p > 1 ? 2 * seen * n : seen * 2 * near);
	if (m > 1)
		add(c, p, least(n, m * p), p > 1 ? 2 * n : m + 1);
}

static void add_classic(struct counting *c)
{
	const struct sdpower_i_family *family = sdpower_i_family_of(c->t->arch);

	if (family->sibling)
		add_level(c, SDPOWER_I_KEY_CORE, SDPOWER_I_KEY_CORE);
	if (family->mc != SDPOWER_I_MC_NONE)
		add_level(c, SDPOWER_I_KEY_PACKAGE, family->mc == SDPOWER_I_MC_CACHE ?
			SDPOWER_I_KEY_LLC : SDPOWER_I_KEY_PACKAGE);
	c->below_by.keys = 0; /* everything is cut to the node, so it nests */
	add_level(c, SDPOWER_I_KEY_NODE, SDPOWER_I_KEY_NODE);
	if (family->numa)
		add_classic_numa(c);
}

void sdpower_i_bounds_of(const struct sdpower_topology *t, uint32_t tree_rules,
	uint32_t partitions, struct sdpower_i_bounds *b)
{
	struct counting c;

	(void)tree_rules;
	start(&c, t, partitions, b);
	b->distances = t->node_count ? t->node_count : 1;
	add_classic(&c);
	b->depth += b->depth == 0;
}
