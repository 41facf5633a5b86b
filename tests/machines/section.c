/* SPDX-License-Identifier: MIT */
/* Reads the sections of NAME.expected. */
#include "section.h"
#include "set.h"

#include <stdio.h>
#include <string.h>

/* Cuts the text at the separator and returns the rest, NULL at the end. */
static char *cut(char *text, char separator)
{
	char *at = strchr(text, separator);

	if (at)
		*at++ = '\0';
	return at;
}

/* The value of "name=value", or NULL. */
static const char *value_of(const char *text, const char *name)
{
	const size_t length = strlen(name);

	return text && !strncmp(text, name, length) && text[length] == '=' ? text + length + 1 : NULL;
}

static const char *read_domain(struct section *s, char *text)
{
	struct line *l;
	const char *cpus;
	char *field, *end;

	s->lines = realloc(s->lines, (s->count + 1) * sizeof(*s->lines));
	l = &s->lines[s->count];
	memset(l, 0, sizeof(*l));
	l->imb = "";
	field = cut(text, '\t');
	l->depth = (unsigned)strtoul(text, &end, 10);
	if (*end || end == text || !field)
		return "a depth is not a number";
	l->level = field;
	field = cut(field, '\t');
	cpus = value_of(field, "cpus");
	while (field) {
		char *next = cut(field, '\t');

		if (value_of(field, "span"))
			l->span = value_of(field, "span");
		else if (value_of(field, "flags"))
			l->flags = value_of(field, "flags");
		else if (value_of(field, "imb"))
			l->imb = value_of(field, "imb");
		else if (value_of(field, "groups"))
			l->groups = value_of(field, "groups");
		else if (!value_of(field, "cpus"))
			return "unknown field";
		field = next;
	}
	if (!cpus || !l->span || !l->flags || !l->groups)
		return "a field is missing";
	l->cpus = set_read(cpus);
	if (!l->cpus)
		return "cpus is no list";
	s->count++;
	return NULL;
}

static const char *read_none(struct section *s, const char *text)
{
	const char *cpus = value_of(text, "cpus");

	if (!cpus) {
		s->skip = text;
		return NULL;
	}
	s->none = set_read(cpus);
	return s->none ? NULL : "none is no list";
}

static const char *read_same(struct section *s, const struct section *before, unsigned count,
	const char *name)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(before[i].name, name)) {
			const char *own = s->name;

			*s = before[i];
			s->name = own;
			s->borrowed = 1;
			return before[i].bad;
		}
	return "same as an unknown section";
}

static const char *read_line(struct section *sections, unsigned count, char *text)
{
	struct section *s = &sections[count - 1];

	if (!strcmp(text, "refuse")) {
		s->refuse = 1;
		return NULL;
	}
	if (!strncmp(text, "none\t", 5) || !strncmp(text, "none ", 5))
		return read_none(s, text + 5);
	if (!strncmp(text, "same-as\t", 8) || !strncmp(text, "same-as ", 8))
		return read_same(s, sections, count - 1, text + 8);
	return read_domain(s, text);
}

unsigned sections_read(char *text, struct section *sections, unsigned room)
{
	unsigned count = 0;
	char *next;

	for (; text; text = next) {
		next = cut(text, '\n');
		if (!*text || *text == '#')
			continue;
		if (*text == '[') {
			if (count == room)
				return 0;
			memset(&sections[count], 0, sizeof(sections[count]));
			sections[count].name = text + 1;
			cut(text, ']');
			count++;
		} else if (count == 0) {
			return 0;
		} else if (!sections[count - 1].bad) {
			sections[count - 1].bad = read_line(sections, count, text);
		}
	}
	for (unsigned i = 0; i < count; i++)
		if (!sections[i].bad && !sections[i].refuse && !sections[i].skip && !sections[i].count &&
				!sections[i].none)
			sections[i].bad = "the section is empty";
	return count;
}

void sections_free(struct section *sections, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (sections[i].borrowed)
			continue;
		for (unsigned j = 0; j < sections[i].count; j++)
			free(sections[i].lines[j].cpus);
		free(sections[i].lines);
		free(sections[i].none);
	}
}

const struct line *section_line(const struct section *s, uint32_t os_id, unsigned depth)
{
	for (unsigned i = 0; i < s->count; i++)
		if (s->lines[i].depth == depth && set_has(s->lines[i].cpus, os_id))
			return &s->lines[i];
	return NULL;
}

unsigned section_levels(const struct section *s, uint32_t os_id)
{
	unsigned levels = 0;

	for (unsigned i = 0; i < s->count; i++)
		levels += (unsigned)set_has(s->lines[i].cpus, os_id);
	return levels;
}

int section_contradicts(const struct section *s, const struct sdpower_topology *t)
{
	for (uint32_t id = 0, cpu = 0; id < SET_IDS; id++) {
		const int known = cpu < t->cpu_count && t->cpus[cpu].os_id == id;
		const unsigned levels = section_levels(s, id);

		if (levels && (!known || (s->none && set_has(s->none, id))))
			return 1;
		cpu += (uint32_t)known;
	}
	return 0;
}
