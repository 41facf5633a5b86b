/* SPDX-License-Identifier: MIT */
/* Builds what a section asks for, and compares its lines with domains. */
#include "section.h"
#include "set.h"

#include <stdio.h>
#include <string.h>

#define WORDS (SET_IDS / 32)

/* A text that grows. */
struct text {
	char *at;
	size_t used, room;
};

static void add(struct text *t, const char *what)
{
	const size_t length = strlen(what);

	while (t->used + length + 1 > t->room) {
		t->room = t->room ? 2 * t->room : 256;
		t->at = realloc(t->at, t->room);
	}
	memcpy(t->at + t->used, what, length + 1);
	t->used += length;
}

static void add_number(struct text *t, unsigned number)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%u", number);
	add(t, digits);
}

/* Cpus of a mask as a list of os ids; neighbours in os ids make a range. */
static void add_cpus(struct text *t, const struct recorded *r, const uint32_t *mask)
{
	const struct sdpower_topology *m = r->topology;
	const char *comma = "";

	for (uint32_t cpu = 0; cpu < m->cpu_count; cpu++) {
		uint32_t last = cpu;

		if (!(mask[cpu / 32] >> (cpu % 32) & 1u))
			continue;
		while (last + 1 < m->cpu_count && (mask[(last + 1) / 32] >> ((last + 1) % 32) & 1u) &&
				m->cpus[last + 1].os_id == m->cpus[last].os_id + 1)
			last++;
		add(t, comma);
		add_number(t, m->cpus[cpu].os_id);
		if (last > cpu) {
			add(t, "-");
			add_number(t, m->cpus[last].os_id);
		}
		comma = ",";
		cpu = last;
	}
}

static void add_flags(struct text *t, uint32_t flags, int modern)
{
	static const struct { uint32_t bit; char classic, modern; } letters[] = {
#define SDPOWER_X(name, bit, classic, modern) { bit, classic, modern },
		SDPOWER_FLAG_LIST(SDPOWER_X)
#undef SDPOWER_X
	};
	/* The order the files print the letters in. */
	const char *order = modern ? "nefasclzpuoyYP" : "LnefiawsPlzI";

	for (const char *c = order; *c; c++)
		for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
			if ((flags & letters[i].bit) && *c == (modern ? letters[i].modern : letters[i].classic)) {
				const char one[2] = { *c, '\0' };

				add(t, one);
			}
}

static char *differs(struct text *got, const char *expected)
{
	if (!got->at)
		add(got, "");
	if (strcmp(got->at, expected))
		return got->at;
	free(got->at);
	return NULL;
}

static char *span_differs(const struct recorded *r, const sdpower *s, struct sdpower_domain d,
	const struct line *l)
{
	static uint32_t mask[WORDS];
	struct text t = { NULL, 0, 0 };

	if (sdpower_domain_span(s, d, mask, WORDS) == SDPOWER_OK)
		add_cpus(&t, r, mask);
	return differs(&t, l->span);
}

static char *groups_differ(const struct recorded *r, const sdpower *s, struct sdpower_domain d,
	uint32_t groups, int powers, const struct line *l)
{
	struct sdpower_group_info g = { .struct_size = sizeof(g) };
	static uint32_t mask[WORDS];
	struct text t = { NULL, 0, 0 };

	for (uint32_t i = 0; i < groups; i++) {
		if (sdpower_domain_group(s, d, i, &g, mask, WORDS) != SDPOWER_OK)
			break;
		if (i)
			add(&t, "|");
		add_cpus(&t, r, mask);
		if (powers) {
			add(&t, "@");
			add_number(&t, g.power);
		}
	}
	return differs(&t, l->groups);
}

char *line_differs(const struct recorded *r, const sdpower *s, struct sdpower_domain d,
	const struct line *l, const char **field, const char **expected)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	const int modern = !strncmp(r->section, "today", 5);
	struct text t = { NULL, 0, 0 };
	char *got;

	if (sdpower_domain_describe(s, d, &info) != SDPOWER_OK)
		memset(&info, 0, sizeof(info));
	*field = "level";
	*expected = l->level;
	add(&t, sdpower_level_name(info.level));
	if ((got = differs(&t, l->level)) != NULL)
		return got;
	*field = "span";
	*expected = l->span;
	if ((got = span_differs(r, s, d, l)) != NULL)
		return got;
	*field = "flags";
	*expected = l->flags;
	t = (struct text){ NULL, 0, 0 };
	add_flags(&t, info.flags, modern);
	if ((got = differs(&t, l->flags)) != NULL)
		return got;
	*field = "imb";
	*expected = l->imb;
	t = (struct text){ NULL, 0, 0 };
	if (info.imb_numa_nr)
		add_number(&t, info.imb_numa_nr);
	if ((got = differs(&t, l->imb)) != NULL)
		return got;
	*field = "groups";
	*expected = l->groups;
	return groups_differ(r, s, d, info.groups, !modern, l);
}

int section_config(const char *name, struct sdpower_config *c)
{
	char rest;

	if (!strcmp(name, "today") || !strncmp(name, "today allowed=", 14)) {
		c->tree = SDPOWER_TREE_MODERN;
		return 1;
	}
	c->tree = SDPOWER_TREE_CLASSIC_30;
	if (sscanf(name, "2.6.30 mc=%u smt=%u%c", &c->mc, &c->smt, &rest) == 2)
		return 1;
	if (sscanf(name, "2.6.30 seed001-reverted mc=%u smt=%u%c", &c->mc, &c->smt, &rest) == 2) {
		c->tuning = SDPOWER_TUNING_REVERTED;
		return 1;
	}
	c->tree = SDPOWER_TREE_CLASSIC;
	return sscanf(name, "2.6.30+v4 mc=%u smt=%u%c", &c->mc, &c->smt, &rest) == 2;
}

static int allow(const struct sdpower_topology *t, const char *list, uint32_t *mask)
{
	struct set *s = set_read(list);

	if (!s)
		return 0;
	for (uint32_t cpu = 0; cpu < t->cpu_count; cpu++)
		if (set_has(s, t->cpus[cpu].os_id))
			mask[cpu / 32] |= 1u << (cpu % 32);
	free(s);
	return 1;
}

sdpower_status section_build(const struct recorded *r, const char *name,
	struct sdpower_config *config, sdpower **instance)
{
	static uint32_t mask[WORDS];
	struct sdpower_topology t = *r->topology;
	const char *list = strstr(name, "allowed=");
	size_t size, align;
	sdpower_status status;
	void *memory;

	/* Sections without a list are about all online cpus, whatever the process may use. */
	memset(mask, list ? 0 : 0xff, sizeof(mask));
	if (list && !allow(&t, list + 8, mask))
		return SDPOWER_EPARSE;
	t.allowed = mask;
	t.allowed_words = WORDS;
	config->topology = &t;
	status = sdpower_memory_needed(config, &size, &align);
	if (status != SDPOWER_OK)
		return status;
	memory = aligned_alloc(align, size);
	status = sdpower_init(memory, size, config, instance);
	if (status != SDPOWER_OK)
		free(memory);
	return status;
}
