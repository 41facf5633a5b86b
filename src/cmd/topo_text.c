/* SPDX-License-Identifier: MIT */
/* A machine for people to read: its parts indented, then its domains by kind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpus.h"
#include "ink.h"
#include "topo.h"

#define WIDTH 96u      /* where a list of cores wraps */
#define CAPACITIES 32u /* classes that are told apart */

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void print_title(const struct topo *topo)
{
	const struct sdpower_topology_summary *s = &topo->summary;

	printf("%s%s%s: %u usable cpu%s, %u core%s, %u package%s, %u last-level cache%s, %u node%s",
		ink(INK_BOLD), topo->name, ink(INK_PLAIN), s->usable_cpus, plural(s->usable_cpus),
		s->cores, plural(s->cores), s->packages, plural(s->packages), s->llc_groups,
		plural(s->llc_groups), s->nodes, plural(s->nodes));
	if (s->quota_milli)
		printf(", limited to %.3g cpus' time", s->quota_milli / 1000.0);
	putchar('\n');
}

static void print_cpus(const struct topo *topo, uint32_t first, uint32_t count)
{
	uint32_t *mask = cpus_mask(topo->t);
	char *text;

	for (uint32_t i = first; i < first + count; i++)
		cpus_add(mask, topo->parts.order[i]);
	text = cpus_text(topo->t, mask);
	printf("cpu%s %s\n", plural(count), text);
	free(text);
	free(mask);
}

/* "3+15": the threads of a core. */
static uint32_t core_text(const struct topo *topo, const struct parts_one *core, char *text,
	size_t size)
{
	size_t used = 0;

	for (uint32_t i = 0; i < core->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%u", i ? "+" : "",
			(unsigned)cpus_at(topo->t, topo->parts.order[core->first + i])->os_id);
	return (uint32_t)strlen(text);
}

/* Is the part at this index one more core of the same parent? */
static bool goes_on(const struct parts *p, uint32_t index, uint32_t first)
{
	return index < p->count && p->one[index].level == p->one[first].level &&
		p->one[index].parent == p->one[first].parent;
}

/* All cores of a part in a few lines; returns the index behind the last one. */
static uint32_t print_cores(const struct topo *topo, uint32_t first)
{
	const struct parts *p = &topo->parts;
	const uint32_t indent = 2 * p->one[first].level;
	uint32_t index = first, at = WIDTH;

	for (; goes_on(p, index, first); index++) {
		char text[256];
		const uint32_t length = core_text(topo, &p->one[index], text, sizeof(text));

		if (at + length + 1 > WIDTH) {
			printf("%s%*s%score%s%s", index > first ? "\n" : "", (int)indent, "",
				ink(INK_DIM), goes_on(p, first + 1, first) ? "s" : "", ink(INK_PLAIN));
			at = indent + 5;
		}
		printf(" %s", text);
		at += length + 1;
	}
	putchar('\n');
	return index;
}

static void print_parts(const struct topo *topo)
{
	const struct parts *p = &topo->parts;
	uint32_t i = 0;

	while (i < p->count) {
		const struct parts_one *one = &p->one[i];
		char label[160];

		if (parts_is_core(p, one) && one->level + 1 == p->levels) {
			i = print_cores(topo, i);
			continue;
		}
		parts_label(p, one, label, sizeof(label));
		printf("%*s%s%-30s%s ", (int)(2 * one->level), "", ink(INK_PART), label,
			ink(INK_PLAIN));
		print_cpus(topo, one->first, one->count);
		i++;
	}
	if (!p->levels && p->cpus)
		print_cpus(topo, 0, p->cpus);
}

typedef bool chosen(const struct sdpower_topology *t, sdpower_cpu cpu);

static bool is_offline(const struct sdpower_topology *t, sdpower_cpu cpu)
{
	return !cpus_online(t, cpu);
}

static bool is_forbidden(const struct sdpower_topology *t, sdpower_cpu cpu)
{
	return cpus_online(t, cpu) && !cpus_allowed(t, cpu);
}

static void print_chosen(const struct topo *topo, const char *title, chosen *is)
{
	uint32_t *mask = cpus_mask(topo->t), count = 0;
	char *text;

	for (sdpower_cpu cpu = 0; cpu < topo->t->cpu_count; cpu++)
		if (is(topo->t, cpu)) {
			cpus_add(mask, cpu);
			count++;
		}
	if (count) {
		text = cpus_text(topo->t, mask);
		printf("%s%s%s: cpu%s %s\n", ink(INK_NOTE), title, ink(INK_PLAIN), plural(count), text);
		free(text);
	}
	free(mask);
}

static uint32_t capacity_of(const struct sdpower_topology *t, sdpower_cpu cpu)
{
	const uint32_t capacity = cpus_at(t, cpu)->capacity;

	return capacity ? capacity : SDPOWER_SCALE;
}

static void print_capacities(const struct topo *topo)
{
	const struct sdpower_topology *t = topo->t;
	uint32_t seen[CAPACITIES], count = 0;

	for (sdpower_cpu cpu = 0; cpu < t->cpu_count && count < CAPACITIES; cpu++) {
		uint32_t i = 0;

		while (i < count && seen[i] != capacity_of(t, cpu))
			i++;
		if (i == count && cpus_online(t, cpu))
			seen[count++] = capacity_of(t, cpu);
	}
	for (uint32_t i = 0; count > 1 && i < count; i++) {
		uint32_t *mask = cpus_mask(t);
		char *text;

		for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
			if (cpus_online(t, cpu) && capacity_of(t, cpu) == seen[i])
				cpus_add(mask, cpu);
		text = cpus_text(t, mask);
		printf("capacity %u: cpus %s\n", (unsigned)seen[i], text);
		free(text);
		free(mask);
	}
}

static void print_notes(const struct topo *topo)
{
	print_chosen(topo, "offline", is_offline);
	print_chosen(topo, "not allowed", is_forbidden);
	print_capacities(topo);
	for (uint32_t kind = 0; kind < PARTS_KINDS; kind++)
		if (topo->parts.crossing >> kind & 1u)
			printf("%snote%s: the %ss cut across the parts above and are not drawn\n",
				ink(INK_NOTE), ink(INK_PLAIN), parts_name(kind));
}

static void print_kind(const struct chains_kind *k)
{
	char level[24], weight[24], groups[24], *flags = chains_flags(k->like->info.flags);

	chains_level(&k->like->info, level, sizeof(level));
	printf("%5u  %s%-9s%s %7u %7s %6s  %s\n", (unsigned)k->like->info.depth, ink(INK_PART),
		level, ink(INK_PLAIN), (unsigned)k->domains,
		chains_range(k->weight_min, k->weight_max, weight, sizeof(weight)),
		chains_range(k->groups_min, k->groups_max, groups, sizeof(groups)), flags);
	free(flags);
}

static void print_one(const struct topo *topo, const struct chains_one *one)
{
	char level[24], *span = cpus_text(topo->t, one->span);

	chains_level(&one->info, level, sizeof(level));
	printf("%5u  %s%-9s%s %s\n", (unsigned)one->info.depth, ink(INK_PART), level,
		ink(INK_PLAIN), span);
	free(span);
}

static void print_domains(const struct topo *topo)
{
	const struct chains *c = &topo->chains;
	struct chains_kind *kinds;
	uint32_t count;

	if (!c->count) {
		printf("no domains by the rules %s\n", topo->rules);
		return;
	}
	kinds = chains_kinds(c, &count);
	printf("%sdepth  level     domains    cpus groups  flags (rules: %s)%s\n", ink(INK_BOLD),
		topo->rules, ink(INK_PLAIN));
	for (uint32_t i = 0; i < count; i++)
		print_kind(&kinds[i]);
	free(kinds);
	if (!topo->all)
		return;
	printf("\n%sdepth  level     span%s\n", ink(INK_BOLD), ink(INK_PLAIN));
	for (uint32_t i = 0; i < c->count; i++)
		print_one(topo, &c->one[i]);
}

void topo_text(const struct topo *topo)
{
	print_title(topo);
	print_parts(topo);
	print_notes(topo);
	putchar('\n');
	print_domains(topo);
}
