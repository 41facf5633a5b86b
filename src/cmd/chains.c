/* SPDX-License-Identifier: MIT */
/* The domains of an instance, each once, with the cpus that see it so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chains.h"
#include "cpus.h"

#define NONE UINT32_MAX

/* Domains found so far, in lists by depth and first cpu of the span. */
struct finder {
	struct chains *c;
	const sdpower *s;
	uint32_t room;
	uint32_t *head; /* by first cpu, of one depth */
};

static bool alike(const struct chains *c, const struct chains_one *a, const struct chains_one *b)
{
	return a->info.level == b->info.level && a->info.numa_level == b->info.numa_level &&
		a->info.flags == b->info.flags && a->info.groups == b->info.groups &&
		!memcmp(a->span, b->span, c->words * sizeof(*a->span));
}

static void add_viewer(struct chains_one *one, sdpower_cpu cpu)
{
	cpus_add(one->viewers, cpu);
	one->viewer_count++;
}

/* Takes a domain in, or its viewer when it is known. */
static void take(struct finder *f, struct chains_one *one, sdpower_cpu cpu)
{
	struct chains *c = f->c;
	uint32_t *head = &f->head[one->info.first_cpu];

	for (uint32_t i = *head; i != NONE; i = c->one[i].next)
		if (alike(c, &c->one[i], one)) {
			add_viewer(&c->one[i], cpu);
			free(one->span);
			return;
		}
	if (c->count == f->room) {
		struct chains_one *larger = cmd_alloc((size_t)f->room * 2 + 64, sizeof(*larger));

		if (c->count)
			memcpy(larger, c->one, c->count * sizeof(*larger));
		free(c->one);
		c->one = larger;
		f->room = f->room * 2 + 64;
	}
	one->viewers = cpus_mask(c->t);
	add_viewer(one, cpu);
	one->next = *head;
	*head = c->count;
	c->one[c->count++] = *one;
}

static sdpower_status look(struct finder *f, sdpower_cpu cpu, uint32_t depth)
{
	struct chains_one one = { .info.struct_size = sizeof(one.info), .next = NONE };
	sdpower_status status = sdpower_domain_at(f->s, cpu, depth, &one.handle);

	if (status != SDPOWER_OK)
		return status;
	one.span = cpus_mask(f->c->t);
	status = sdpower_domain_describe(f->s, one.handle, &one.info);
	if (status == SDPOWER_OK)
		status = sdpower_domain_span(f->s, one.handle, one.span, f->c->words);
	if (status == SDPOWER_OK)
		take(f, &one, cpu);
	else
		free(one.span);
	return status;
}

/* 1 when some cpu has that level, 0 when none has, or what went wrong. */
static sdpower_status look_everywhere(struct finder *f, uint32_t depth)
{
	sdpower_status found = 0;

	for (sdpower_cpu cpu = 0; cpu < f->c->t->cpu_count; cpu++)
		f->head[cpu] = NONE;
	for (sdpower_cpu cpu = 0; cpu < f->c->t->cpu_count; cpu++) {
		const sdpower_status status = look(f, cpu, depth);

		if (status == SDPOWER_OK)
			found = 1;
		else if (status != SDPOWER_ENOENT)
			return status;
	}
	return found;
}

sdpower_status chains_find(struct chains *c, const sdpower *s, const struct sdpower_topology *t)
{
	struct finder f = { c, s, 0, cmd_alloc(t->cpu_count, sizeof(uint32_t)) };
	sdpower_status found;

	*c = (struct chains){ .t = t, .words = cpus_words(t) };
	while ((found = look_everywhere(&f, c->depth)) == 1)
		c->depth++;
	free(f.head);
	if (found < 0)
		chains_drop(c);
	return found;
}

void chains_drop(struct chains *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		free(c->one[i].span);
		free(c->one[i].viewers);
	}
	free(c->one);
	*c = (struct chains){ .t = c->t };
}

static bool same_kind(const struct chains_one *a, const struct chains_one *b)
{
	return a->info.depth == b->info.depth && a->info.level == b->info.level &&
		a->info.numa_level == b->info.numa_level && a->info.flags == b->info.flags;
}

static void count_in(struct chains_kind *k, const struct chains_one *one)
{
	const uint32_t weight = one->info.weight, groups = one->info.groups;

	if (!k->domains++)
		*k = (struct chains_kind){ one, 1, 0, weight, weight, groups, groups };
	k->cpus += one->viewer_count;
	k->weight_min = weight < k->weight_min ? weight : k->weight_min;
	k->weight_max = weight > k->weight_max ? weight : k->weight_max;
	k->groups_min = groups < k->groups_min ? groups : k->groups_min;
	k->groups_max = groups > k->groups_max ? groups : k->groups_max;
}

struct chains_kind *chains_kinds(const struct chains *c, uint32_t *count)
{
	struct chains_kind *kinds = cmd_alloc(c->count, sizeof(*kinds));

	*count = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t k = 0;

		while (k < *count && !same_kind(kinds[k].like, &c->one[i]))
			k++;
		count_in(&kinds[k], &c->one[i]);
		*count += k == *count;
	}
	return kinds;
}

char *chains_flags(uint32_t flags)
{
	char *text = cmd_alloc(32, 32), *at = text;

	for (uint32_t bit = 1; bit; bit <<= 1)
		if (flags & bit)
			at += sprintf(at, "%s%s", at == text ? "" : " ", sdpower_flag_name(bit));
	if (at == text)
		strcpy(text, "-");
	return text;
}

void chains_json_flags(struct json *j, const char *key, uint32_t flags)
{
	json_row(j, key);
	for (uint32_t bit = 1; bit; bit <<= 1)
		if (flags & bit)
			json_text(j, NULL, sdpower_flag_name(bit));
	json_close(j);
}

void chains_level(const struct sdpower_domain_info *info, char *text, size_t size)
{
	const char *name = sdpower_level_name(info->level);

	if (info->level == SDPOWER_LEVEL_NUMA)
		snprintf(text, size, "%s%u", name, (unsigned)info->numa_level);
	else
		snprintf(text, size, "%s", name);
}

const char *chains_range(uint32_t low, uint32_t high, char *text, size_t size)
{
	if (low == high)
		snprintf(text, size, "%u", (unsigned)low);
	else
		snprintf(text, size, "%u-%u", (unsigned)low, (unsigned)high);
	return text;
}
