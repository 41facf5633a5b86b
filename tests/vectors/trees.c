/* SPDX-License-Identifier: MIT */
/*
 * Reads trees.vec, builds every tree with the library from its parameters, and compares all
 * the file says of it: levels, parameters, spans, groups and their power.
 */
#include "trees.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/instance.h"
#include "tree/templates.h"
#include "tree/view.h"

#define NAME 32
#define LINE 65536

struct vec_span {
	uint64_t mask;
	unsigned groups;
	uint64_t *group_mask;
	unsigned long *power;
};

/* The numbers of an L line after the name, in file order. */
enum { L_FLAGS, L_PCT, L_TRIES, L_BUSY, L_IDLE, L_NEWIDLE, L_WAKE, L_FORKEXEC, L_MIN, L_MAX,
	L_FACTOR, L_SPANS, L_NUMBERS };

struct vec_level {
	char name[NAME];
	unsigned long number[L_NUMBERS];
	struct vec_span *spans;
};

struct vec_tree {
	unsigned nodes, packages, cores, threads, interleaved, class, cpus, levels;
	int v4;
	struct vec_level *level;
	struct sdpower_cpu_desc cpu[64];
	uint32_t node_ids[64];
	struct sdpower_topology topology;
};

struct vec_instance {
	unsigned tree;
	uint32_t mc, smt, decisions, wake_flags;
	struct sdpower *s;
	struct vec_instance *next;
};

struct vec_trees {
	unsigned count;
	struct vec_tree *tree;
	struct vec_instance *instances;
	char line[LINE];
	unsigned long number;
};

static int fail(const struct vec_trees *t, const char *what)
{
	fprintf(stderr, "trees.vec:%lu: %s\n", t->number, what);
	return -1;
}

/* The next line that says something; 0 at the end. */
static int next_line(struct vec_trees *t, FILE *f)
{
	while (fgets(t->line, sizeof(t->line), f)) {
		t->number++;
		if (t->line[0] != '#' && t->line[0] != '\n')
			return 1;
	}
	return 0;
}

static uint32_t cpu_number(const struct vec_tree *t, unsigned package, unsigned core, unsigned thread)
{
	const unsigned packages = t->nodes * t->packages;

	if (t->interleaved)
		return thread * packages * t->cores + core * packages + package;
	return (package * t->cores + core) * t->threads + thread;
}

static void describe_cpu(struct vec_tree *t, unsigned package, unsigned core, unsigned thread)
{
	const uint32_t number = cpu_number(t, package, core, thread);
	struct sdpower_cpu_desc *d = &t->cpu[number];

	d->os_id = number;
	d->core = core;
	d->smt = thread;
	d->l2 = package * t->cores + core;
	d->cluster = d->book = d->drawer = SDPOWER_ID_NONE;
	d->llc = d->package = package;
	d->die = 0;
	d->node = package / t->packages;
	d->capacity = 1024;
}

static void describe(struct vec_tree *t)
{
	for (unsigned p = 0; p < t->nodes * t->packages; p++)
		for (unsigned c = 0; c < t->cores; c++)
			for (unsigned h = 0; h < t->threads; h++)
				describe_cpu(t, p, c, h);
	for (unsigned n = 0; n < t->nodes; n++)
		t->node_ids[n] = n;
	t->topology.struct_size = sizeof(t->topology);
	t->topology.arch = SDPOWER_ARCH_X86_64;
	t->topology.cpu_count = t->cpus;
	t->topology.cpu_stride = sizeof(t->cpu[0]);
	t->topology.cpus = t->cpu;
	t->topology.node_count = t->nodes;
	t->topology.nodes = t->node_ids;
}

static int read_span(struct vec_trees *all, FILE *f, struct vec_span *s)
{
	char *at;

	if (!next_line(all, f) || all->line[0] != 'S')
		return fail(all, "an S line was expected");
	s->mask = strtoull(all->line + 1, &at, 16);
	s->groups = (unsigned)strtoul(at, &at, 10);
	if (s->groups == 0 || s->groups > 64)
		return fail(all, "groups of a span");
	s->group_mask = calloc(s->groups, sizeof(*s->group_mask));
	s->power = calloc(s->groups, sizeof(*s->power));
	for (unsigned i = 0; i < s->groups; i++) {
		if (*at != ' ')
			return fail(all, "a group is missing");
		s->group_mask[i] = strtoull(at, &at, 16);
		s->power[i] = strtoul(at, &at, 10);
	}
	return *at == '\n' || !*at ? 0 : fail(all, "text after the last group");
}

static int read_level(struct vec_trees *all, FILE *f, unsigned nth, struct vec_level *l)
{
	unsigned number;
	int used;
	char *at;

	if (!next_line(all, f) ||
			sscanf(all->line, "L %u %31s%n", &number, l->name, &used) != 2 ||
			number != nth)
		return fail(all, "an L line was expected");
	at = all->line + used;
	for (unsigned i = 0; i < L_NUMBERS; i++) {
		if (*at != ' ')
			return fail(all, "a number of the level is missing");
		l->number[i] = strtoul(at, &at, 10);
	}
	if (*at != '\n' && *at)
		return fail(all, "text after the last number of the level");
	if (l->number[L_SPANS] == 0 || l->number[L_SPANS] > 64)
		return fail(all, "spans of the level");
	l->spans = calloc(l->number[L_SPANS], sizeof(*l->spans));
	for (unsigned i = 0; i < l->number[L_SPANS]; i++)
		if (read_span(all, f, &l->spans[i]))
			return -1;
	return 0;
}

static int read_tree(struct vec_trees *all, FILE *f)
{
	struct vec_tree *t;
	unsigned number;
	char variant[NAME], rest[2];

	all->tree = realloc(all->tree, (all->count + 1) * sizeof(*all->tree));
	t = &all->tree[all->count];
	memset(t, 0, sizeof(*t));
	if (sscanf(all->line, "T %u %*s %u %u %u %u %u %u %*s %31s %u %u%1s", &number, &t->nodes,
			&t->packages, &t->cores, &t->threads, &t->interleaved, &t->class, variant,
			&t->cpus, &t->levels, rest) != 10 || number != all->count)
		return fail(all, "a T line was expected");
	t->v4 = !strcmp(variant, "v4");
	if (!t->v4 && strcmp(variant, "30"))
		return fail(all, "neither v4 nor 30");
	if (t->cpus == 0 || t->cpus > 64 || t->class > 2 || t->levels > 8 ||
			t->nodes * t->packages * t->cores * t->threads != t->cpus)
		return fail(all, "numbers of the tree");
	all->count++;
	t->level = calloc(t->levels ? t->levels : 1, sizeof(*t->level));
	for (unsigned i = 0; i < t->levels; i++)
		if (read_level(all, f, i, &t->level[i]))
			return -1;
	return 0;
}

static struct sdpower *make(struct vec_tree *t, uint32_t mc, uint32_t smt, uint32_t decisions,
	uint32_t wake_flags)
{
	struct sdpower_config c = { .struct_size = sizeof(c), .topology = &t->topology, .mc = mc,
		.smt = smt, .decisions = decisions, .wake_flags = wake_flags, .hz = 250, .interval_cpus = 64,
		.flags = SDPOWER_CONFIG_DRIVER,
		.tree = t->v4 ? SDPOWER_TREE_CLASSIC : SDPOWER_TREE_CLASSIC_30 };
	size_t size, align;
	sdpower *s = NULL;
	void *memory;

	describe(t);
	if (sdpower_memory_needed(&c, &size, &align))
		return NULL;
	memory = aligned_alloc(align, size);
	if (sdpower_init(memory, size, &c, &s))
		free(memory);
	return s;
}

static uint64_t mask_of(const struct sdpower_i_view *v, uint32_t run, uint32_t runs)
{
	struct sdpower_i_span span = sdpower_i_span_of(run, runs);
	const struct sdpower_i_forest *f = v->forest;
	uint32_t block, bits;
	uint64_t mask = 0;

	while (sdpower_i_span_next(&span, v, &block, &bits))
		for (uint32_t i = 0; i < SDPOWER_I_BLOCK_CPUS; i++)
			if (bits & sdpower_i_active(v, block) & (1u << i))
				mask |= UINT64_C(1) << f->cpu_at[f->blocks[block].first + i];
	return mask;
}

static int differ(unsigned tree, unsigned level, uint32_t cpu, const char *what, uint64_t expected,
	uint64_t got)
{
	if (expected == got)
		return 0;
	fprintf(stderr, "trees.vec: tree %u level %u cpu %" PRIu32 ": %s: expected %" PRIx64
		", got %" PRIx64 " (hexadecimal)\n", tree, level, cpu, what, expected, got);
	return -1;
}

static int compare_numbers(unsigned tree, unsigned level, uint32_t cpu, const struct vec_level *l,
	const struct sdpower_i_view *v, const struct sdpower_i_domain *d, uint32_t flags)
{
	static const char *const names[] = { "flags", "imbalance_pct", "cache_nice_tries", "busy_idx",
		"idle_idx", "newidle_idx", "wake_idx", "forkexec_idx", "min_interval", "max_interval",
		"busy_factor" };
	struct sdpower_i_params p;

	sdpower_i_params_of(v->forest, d, v->tree->online_count, &p);
	const uint32_t got[] = { flags, p.imbalance_pct, p.cache_nice_tries, p.idx[SDPOWER_CPU_NOT_IDLE],
		p.idx[SDPOWER_CPU_IDLE], p.idx[SDPOWER_CPU_NEWLY_IDLE], p.wake_idx, p.forkexec_idx,
		p.min_interval, p.max_interval, p.busy_factor };

	if (strcmp(l->name, sdpower_level_name(d->level))) {
		fprintf(stderr, "trees.vec: tree %u level %u: expected %s, got %s\n", tree, level,
			l->name, sdpower_level_name(d->level));
		return -1;
	}
	for (unsigned i = 0; i < L_SPANS; i++)
		if (differ(tree, level, cpu, names[i], l->number[i], got[i]))
			return -1;
	return 0;
}

/* The span that holds a cpu; an empty one when the file has none. */
static const struct vec_span *span_with(const struct vec_level *l, uint32_t cpu)
{
	static const struct vec_span none;

	for (unsigned i = 0; i < l->number[L_SPANS]; i++)
		if (l->spans[i].mask >> cpu & 1)
			return &l->spans[i];
	return &none;
}

static int compare_groups(unsigned tree, unsigned level, uint32_t cpu, const struct vec_span *s,
	const struct sdpower_i_view *v, const struct sdpower_i_domain *d, uint32_t own)
{
	if (differ(tree, level, cpu, "span", s->mask, mask_of(v, d->run, d->runs)) ||
			differ(tree, level, cpu, "groups", s->groups, d->groups))
		return -1;
	for (unsigned i = 0; i < s->groups; i++) {
		const struct sdpower_i_group g = sdpower_i_get_group(v, d->group + i);

		if (differ(tree, level, cpu, "group", s->group_mask[i], mask_of(v, g.run, g.runs)) ||
				differ(tree, level, cpu, "power", s->power[i], g.power))
			return -1;
	}
	return differ(tree, level, cpu, "own group", 1, s->group_mask[own] >> cpu & 1);
}

static int compare_cpu(const struct vec_tree *t, unsigned tree, const struct sdpower_i_view *v,
	uint32_t cpu)
{
	const uint32_t pos = v->forest->pos_of[cpu];

	if (differ(tree, 0, cpu, "levels", t->levels, sdpower_i_depth(v, pos)))
		return -1;
	for (unsigned level = 0; level < t->levels; level++) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, pos, level);
		const struct sdpower_i_domain d = sdpower_i_get_domain(v, link.domain);

		if (compare_numbers(tree, level, cpu, &t->level[level], v, &d, link.flags) ||
				compare_groups(tree, level, cpu, span_with(&t->level[level], cpu), v, &d,
					link.own_group))
			return -1;
	}
	return 0;
}

/* Both ways: what the library builds is in the file, and every span of the file is used. */
static int compare_tree(struct vec_trees *all, unsigned tree)
{
	struct vec_tree *t = &all->tree[tree];
	struct sdpower *s = vec_tree_instance(all, tree, t->class == 1, t->class == 2, 0, 0);
	struct sdpower_i_view v;

	if (!s) {
		fprintf(stderr, "trees.vec: tree %u: the library refuses it\n", tree);
		return -1;
	}
	v = sdpower_i_view_of(&s->forest);
	for (uint32_t cpu = 0; cpu < t->cpus; cpu++)
		if (compare_cpu(t, tree, &v, cpu))
			return -1;
	for (unsigned level = 0; level < t->levels; level++) {
		uint64_t seen = 0;

		for (unsigned i = 0; i < t->level[level].number[L_SPANS]; i++) {
			if (differ(tree, level, 0, "span twice", 0, seen & t->level[level].spans[i].mask))
				return -1;
			seen |= t->level[level].spans[i].mask;
		}
		if (differ(tree, level, 0, "cpus of the level", t->cpus < 64 ?
				(UINT64_C(1) << t->cpus) - 1 : UINT64_MAX, seen))
			return -1;
	}
	return 0;
}

struct vec_trees *vec_trees_read(const char *path)
{
	struct vec_trees *all = calloc(1, sizeof(*all));
	FILE *f = fopen(path, "r");
	int bad = 0;

	if (!f) {
		fprintf(stderr, "%s: cannot be read\n", path);
		bad = 1;
	}
	while (!bad && next_line(all, f))
		bad = read_tree(all, f);
	if (f)
		fclose(f);
	if (!bad && all->count == 0)
		bad = fail(all, "no tree");
	for (unsigned tree = 0; !bad && tree < all->count; tree++)
		bad = compare_tree(all, tree);
	if (!bad)
		return all;
	vec_trees_free(all);
	return NULL;
}

static void free_tree(struct vec_tree *t)
{
	for (unsigned i = 0; t->level && i < t->levels; i++) {
		for (unsigned j = 0; t->level[i].spans && j < t->level[i].number[L_SPANS]; j++) {
			free(t->level[i].spans[j].group_mask);
			free(t->level[i].spans[j].power);
		}
		free(t->level[i].spans);
	}
	free(t->level);
}

void vec_trees_free(struct vec_trees *all)
{
	while (all->instances) {
		struct vec_instance *next = all->instances->next;

		free(all->instances->s);
		free(all->instances);
		all->instances = next;
	}
	for (unsigned i = 0; i < all->count; i++)
		free_tree(&all->tree[i]);
	free(all->tree);
	free(all);
}

unsigned vec_tree_cpus(const struct vec_trees *all, unsigned tree)
{
	return tree < all->count ? all->tree[tree].cpus : 0;
}

unsigned vec_tree_levels(const struct vec_trees *all, unsigned tree)
{
	return tree < all->count ? all->tree[tree].levels : 0;
}

struct sdpower *vec_tree_instance(struct vec_trees *all, unsigned tree, uint32_t mc, uint32_t smt,
	uint32_t decisions, uint32_t wake_flags)
{
	struct vec_instance *i;

	if (tree < all->count && mc == UINT32_MAX && smt == UINT32_MAX) {
		mc = all->tree[tree].class == 1;
		smt = all->tree[tree].class == 2;
	}
	for (i = all->instances; i; i = i->next)
		if (i->tree == tree && i->mc == mc && i->smt == smt && i->decisions == decisions &&
				i->wake_flags == wake_flags)
			return i->s;
	if (tree >= all->count)
		return NULL;
	i = calloc(1, sizeof(*i));
	i->tree = tree;
	i->mc = mc;
	i->smt = smt;
	i->decisions = decisions;
	i->wake_flags = wake_flags;
	i->s = make(&all->tree[tree], mc, smt, decisions, wake_flags);
	i->next = all->instances;
	all->instances = i;
	return i->s;
}
