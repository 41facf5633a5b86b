/* SPDX-License-Identifier: MIT */
/* The domains of an instance, each once, with the cpus that see it so. */
#ifndef CMD_CHAINS_H
#define CMD_CHAINS_H

#include <sdpower.h>
#include "cmd.h"
#include "json.h"

struct chains_one {
	struct sdpower_domain handle;     /* as its first viewer has it */
	struct sdpower_domain_info info;
	uint32_t *span;                   /* mask */
	uint32_t *viewers;                /* mask of the cpus whose chain holds it like this */
	uint32_t viewer_count;
	uint32_t next;                    /* private */
};

struct chains {
	const struct sdpower_topology *t;
	uint32_t words;   /* of a mask */
	uint32_t depth;   /* longest chain */
	uint32_t count;   /* sorted by depth and first cpu */
	struct chains_one *one;
};

/* Levels that differ only in which cpus they span: one line for people. */
struct chains_kind {
	const struct chains_one *like; /* the first of them */
	uint32_t domains;
	uint32_t cpus;                 /* that see one of them */
	uint32_t weight_min, weight_max, groups_min, groups_max;
};

sdpower_status chains_find(struct chains *c, const sdpower *s, const struct sdpower_topology *t);
void chains_drop(struct chains *c);

/* Puts the domains into kinds; the caller frees the array. */
struct chains_kind *chains_kinds(const struct chains *c, uint32_t *count);

/* "BALANCE_NEWIDLE SHARE_PKG"; the caller frees it. */
char *chains_flags(uint32_t flags);
void chains_json_flags(struct json *j, const char *key, uint32_t flags);

/* Name of a level, with the number of a NUMA level: "NUMA1". */
void chains_level(const struct sdpower_domain_info *info, char *text, size_t size);

/* "4", or "2-8". */
const char *chains_range(uint32_t low, uint32_t high, char *text, size_t size);

#endif
