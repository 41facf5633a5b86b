/* SPDX-License-Identifier: MIT */
/* Sections of NAME.expected, and how a line of one is compared with a domain. */
#ifndef SDPOWER_TEST_SECTION_H
#define SDPOWER_TEST_SECTION_H

#include "machines.h"

#include <sdpower.h>

/* A distinct domain; fields point into the text that was read. */
struct line {
	unsigned depth;
	const char *level, *span, *flags, *imb, *groups; /* imb "" when 0 */
	struct set *cpus;
};

struct section {
	const char *name;
	const char *bad;  /* why it cannot be read, or NULL */
	const char *skip; /* why there is nothing to compare, or NULL */
	int refuse;
	struct line *lines;
	unsigned count;
	struct set *none; /* cpus said to have no domain, or NULL */
	int borrowed;     /* lines belong to the section it is the same as */
};

/* Where a comparison is. */
struct recorded {
	const char *machine, *section;
	const struct sdpower_topology *topology;
	struct tally *tally;
};

/* Splits the text, which is changed; returns how many sections it has. */
unsigned sections_read(char *text, struct section *sections, unsigned room);
void sections_free(struct section *sections, unsigned count);

/* The line of a cpu at a depth, or NULL; how many lines name it. */
const struct line *section_line(const struct section *s, uint32_t os_id, unsigned depth);
unsigned section_levels(const struct section *s, uint32_t os_id);

/* True iff a line names a cpu that is not in the table, or that is said to have no domain. */
int section_contradicts(const struct section *s, const struct sdpower_topology *t);

/* Rules and knobs a section name stands for; 0 for an unknown name. */
int section_config(const char *name, struct sdpower_config *config);

/* Builds the instance of a section, allowed cpus included; to be freed. */
sdpower_status section_build(const struct recorded *r, const char *name,
	struct sdpower_config *config, sdpower **instance);

/* NULL, or the text of the first field that differs, to be freed. */
char *line_differs(const struct recorded *r, const sdpower *s, struct sdpower_domain d,
	const struct line *l, const char **field, const char **expected);

#endif
