/* SPDX-License-Identifier: MIT */
/* Sets of os ids, read from lists. */
#ifndef SDPOWER_TEST_SET_H
#define SDPOWER_TEST_SET_H

#include <stdint.h>
#include <stdlib.h>

#define SET_IDS 65536u

struct set {
	uint32_t words[SET_IDS / 32];
};

static inline int set_has(const struct set *s, uint32_t id)
{
	return id < SET_IDS && (s->words[id / 32] >> (id % 32) & 1u);
}

static inline void set_add(struct set *s, uint32_t id)
{
	s->words[id / 32] |= 1u << (id % 32);
}

/* Reads "0-3,8" up to the end of the text; NULL when it is anything else. */
static inline struct set *set_read(const char *text)
{
	struct set *s = calloc(1, sizeof(*s));

	for (;;) {
		char *end;
		const unsigned long from = strtoul(text, &end, 10);
		unsigned long to = from;

		if (end != text && *end == '-') {
			text = end + 1;
			to = strtoul(text, &end, 10);
		}
		if (end == text || to >= SET_IDS || from > to || (*end && *end != ','))
			break;
		for (unsigned long id = from; id <= to; id++)
			set_add(s, (uint32_t)id);
		if (!*end)
			return s;
		text = end + 1;
	}
	free(s);
	return NULL;
}

#endif
