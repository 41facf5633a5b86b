/* SPDX-License-Identifier: MIT */
/*
 * The parts of a machine, one inside the other. Each kind of part cuts the online cpus into
 * classes; the kinds are put in order from coarse to fine, equal ones become one level, and a
 * kind that cuts across the one before it is left out and named. So packages larger or smaller
 * than nodes, and caches on either side of both, need no case of their own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpus.h"
#include "parts.h"

/* How one kind cuts the cpus. */
struct cut {
	uint32_t kind;
	uint32_t classes;
	uint32_t *class_of; /* by cpu: the lowest cpu of its class */
};

struct keyed {
	uint64_t key;
	sdpower_cpu cpu;
};

const char *parts_name(uint32_t kind)
{
	static const char *const names[] = {
#define PARTS_X(name, text) text,
		PARTS_LIST(PARTS_X)
#undef PARTS_X
	};

	return names[kind];
}

static uint32_t id_of(const struct sdpower_topology *t, uint32_t kind, sdpower_cpu cpu)
{
	const struct sdpower_cpu_desc *d = cpus_at(t, cpu);
	const uint32_t ids[PARTS_KINDS] = {
		[PARTS_DRAWER] = d->drawer, [PARTS_BOOK] = d->book, [PARTS_PACKAGE] = d->package,
		[PARTS_NODE] = t->node_count ? d->node : SDPOWER_ID_NONE, [PARTS_DIE] = d->die,
		[PARTS_CACHE] = d->llc, [PARTS_CLUSTER] = d->cluster, [PARTS_L2] = d->l2,
		[PARTS_CORE] = d->core,
	};

	return ids[kind];
}

uint32_t parts_id(const struct parts *p, uint32_t kind, sdpower_cpu cpu)
{
	return id_of(p->t, kind, cpu);
}

/* Dies and cores are numbered within their package; whoever has no id is alone. */
static uint64_t key_of(const struct sdpower_topology *t, uint32_t kind, sdpower_cpu cpu)
{
	const uint32_t id = id_of(t, kind, cpu);
	const bool within = kind == PARTS_DIE || kind == PARTS_CORE;

	if (id == SDPOWER_ID_NONE)
		return UINT64_MAX - cpu;
	return (within ? (uint64_t)cpus_at(t, cpu)->package << 32 : 0) + id;
}

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* False when nothing is known of that kind. */
static bool make_cut(const struct sdpower_topology *t, uint32_t kind, struct cut *cut)
{
	struct keyed *keys = cmd_alloc(t->cpu_count, sizeof(*keys));
	uint32_t count = 0, lowest = 0;
	bool known = false;

	cut->kind = kind;
	cut->classes = 0;
	cut->class_of = cmd_alloc(t->cpu_count, sizeof(*cut->class_of));
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		if (!cpus_online(t, cpu))
			continue;
		keys[count++] = (struct keyed){ key_of(t, kind, cpu), cpu };
		known = known || id_of(t, kind, cpu) != SDPOWER_ID_NONE;
	}
	qsort(keys, count, sizeof(*keys), by_key);
	for (uint32_t i = 0; i < count; i++) {
		if (!i || keys[i].key != keys[i - 1].key) {
			lowest = keys[i].cpu;
			cut->classes++;
		}
		cut->class_of[keys[i].cpu] = lowest;
	}
	free(keys);
	return known;
}

/* Does every class of the finer cut lie in one of the coarser? */
static bool nests(const struct parts *p, const struct cut *fine, const struct cut *coarse)
{
	for (uint32_t i = 0; i < p->cpus; i++) {
		const sdpower_cpu cpu = p->order[i];

		if (coarse->class_of[fine->class_of[cpu]] != coarse->class_of[cpu])
			return false;
	}
	return true;
}

static int by_classes(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	if (x->classes != y->classes)
		return x->classes < y->classes ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* Keeps one cut a level, outermost first. */
static void choose_levels(struct parts *p, struct cut *cuts, uint32_t count, struct cut *kept)
{
	qsort(cuts, count, sizeof(*cuts), by_classes);
	for (uint32_t i = 0; i < count; i++) {
		const struct cut *outer = p->levels ? &kept[p->levels - 1] : NULL;

		if (cuts[i].classes == p->cpus)
			continue; /* each cpu alone: nothing to draw around it */
		if (outer && !nests(p, &cuts[i], outer)) {
			p->crossing |= 1u << cuts[i].kind;
		} else if (outer && outer->classes == cuts[i].classes) {
			p->kinds[p->levels - 1] |= 1u << cuts[i].kind;
		} else {
			p->kinds[p->levels] = 1u << cuts[i].kind;
			kept[p->levels++] = cuts[i];
		}
	}
}

/* A cpu and where it lies, outermost level first. */
struct ranked {
	uint32_t rank[PARTS_KINDS];
	sdpower_cpu cpu;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	for (uint32_t level = 0; level < PARTS_KINDS; level++)
		if (x->rank[level] != y->rank[level])
			return x->rank[level] < y->rank[level] ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void sort_cpus(struct parts *p, const struct cut *kept)
{
	struct ranked *ranked = cmd_alloc(p->cpus, sizeof(*ranked));

	for (uint32_t i = 0; i < p->cpus; i++) {
		ranked[i].cpu = p->order[i];
		for (uint32_t level = 0; level < p->levels; level++)
			ranked[i].rank[level] = kept[level].class_of[p->order[i]];
	}
	qsort(ranked, p->cpus, sizeof(*ranked), by_rank);
	for (uint32_t i = 0; i < p->cpus; i++)
		p->order[i] = ranked[i].cpu;
	free(ranked);
}

/* Opens a part wherever the class of its level changes; parents come first. */
static void list_parts(struct parts *p, const struct cut *kept)
{
	uint32_t open[PARTS_KINDS];

	p->one = cmd_alloc((size_t)p->cpus * p->levels, sizeof(*p->one));
	for (uint32_t i = 0; i < p->cpus; i++)
		for (uint32_t level = 0; level < p->levels; level++) {
			const uint32_t *class_of = kept[level].class_of;

			if (!i || class_of[p->order[i]] != class_of[p->order[i - 1]]) {
				open[level] = p->count++;
				p->one[open[level]] = (struct parts_one){ level,
					level ? open[level - 1] : PARTS_NONE, i, 0 };
			}
			p->one[open[level]].count++;
		}
}

void parts_find(struct parts *p, const struct sdpower_topology *t)
{
	struct cut cuts[PARTS_KINDS], kept[PARTS_KINDS];
	uint32_t count = 0;

	*p = (struct parts){ .t = t, .order = cmd_alloc(t->cpu_count, sizeof(*p->order)) };
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
		if (cpus_online(t, cpu))
			p->order[p->cpus++] = cpu;
	for (uint32_t kind = 0; kind < PARTS_KINDS; kind++) {
		if (make_cut(t, kind, &cuts[count]))
			count++;
		else
			free(cuts[count].class_of);
	}
	choose_levels(p, cuts, count, kept);
	sort_cpus(p, kept);
	list_parts(p, kept);
	for (uint32_t i = 0; i < count; i++)
		free(cuts[i].class_of);
}

void parts_drop(struct parts *p)
{
	free(p->order);
	free(p->one);
}

bool parts_is_core(const struct parts *p, const struct parts_one *one)
{
	return p->kinds[one->level] >> PARTS_CORE & 1u;
}

void parts_label(const struct parts *p, const struct parts_one *one, char *text, size_t size)
{
	/* A core says nothing new by being a private L2 as well. */
	const uint32_t kinds = parts_is_core(p, one) ? 1u << PARTS_CORE : p->kinds[one->level];
	size_t used = 0;

	*text = '\0';
	for (uint32_t kind = 0; kind < PARTS_KINDS; kind++) {
		const uint32_t id = parts_id(p, kind, p->order[one->first]);

		if (!(kinds >> kind & 1u) || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
			parts_name(kind));
		if (id != SDPOWER_ID_NONE && used < size)
			used += (size_t)snprintf(text + used, size - used, " %u", (unsigned)id);
	}
}
