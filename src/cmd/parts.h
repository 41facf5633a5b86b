/* SPDX-License-Identifier: MIT */
/* The parts of a machine, one inside the other, as people draw it. */
#ifndef CMD_PARTS_H
#define CMD_PARTS_H

#include <sdpower.h>
#include "cmd.h"

/* Kinds of parts: X(name, text). Which lies in which differs by machine. */
#define PARTS_LIST(X) \
	X(DRAWER, "drawer") \
	X(BOOK, "book") \
	X(PACKAGE, "package") \
	X(NODE, "node") \
	X(DIE, "die") \
	X(CACHE, "cache") \
	X(CLUSTER, "cluster") \
	X(L2, "L2") \
	X(CORE, "core")

enum parts_kind {
#define PARTS_X(name, text) PARTS_##name,
	PARTS_LIST(PARTS_X)
#undef PARTS_X
	PARTS_KINDS
};

#define PARTS_NONE UINT32_MAX

/* A package, a cache, a core. Its cpus follow each other in parts::order. */
struct parts_one {
	uint32_t level;        /* 0 = outermost */
	uint32_t parent;       /* index, or NONE */
	uint32_t first, count; /* in order */
};

struct parts {
	const struct sdpower_topology *t;
	uint32_t levels;
	uint32_t kinds[PARTS_KINDS]; /* set of kinds that are the same at each level */
	uint32_t crossing;           /* set of kinds that fit into no level */
	uint32_t cpus;               /* online ones */
	sdpower_cpu *order;          /* those, by part */
	uint32_t count;
	struct parts_one *one;       /* a parent comes before its children */
};

void parts_find(struct parts *p, const struct sdpower_topology *t);
void parts_drop(struct parts *p);

const char *parts_name(uint32_t kind);

/* The number of a part as the machine has it, or NONE where it is not known. */
uint32_t parts_id(const struct parts *p, uint32_t kind, sdpower_cpu cpu);

/* "package 0, node 0": every kind of a part, with its number. */
void parts_label(const struct parts *p, const struct parts_one *one, char *text, size_t size);

/* Is this part a core with its threads? */
bool parts_is_core(const struct parts *p, const struct parts_one *one);

#endif
