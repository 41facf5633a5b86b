/* SPDX-License-Identifier: MIT */
/* What a synthetic string says, between its parser and the code that fills the table. */
#ifndef SDPOWER_I_SYNTHETIC_H
#define SDPOWER_I_SYNTHETIC_H

#include <sdpower/topology.h>
#include "scan.h"

/* Types in the order they nest; a NUMA node may stand anywhere above the core. */
enum sdpower_i_type {
	SDPOWER_I_PACK, SDPOWER_I_DIE, SDPOWER_I_L3, SDPOWER_I_L2, SDPOWER_I_CORE, SDPOWER_I_PU,
	SDPOWER_I_NUMA, SDPOWER_I_TYPES
};

struct sdpower_i_synthetic {
	uint32_t arch;
	uint32_t cpus;                     /* product of all counts */
	uint32_t depth;                    /* levels written */
	uint8_t type[SDPOWER_I_TYPES];     /* by level, outermost first */
	uint32_t count[SDPOWER_I_TYPES];   /* by level */
	uint32_t step[SDPOWER_I_TYPES];    /* by level: cpus in one object */
	uint32_t level_of[SDPOWER_I_TYPES];/* by type; SDPOWER_ID_NONE = left out */
	struct sdpower_i_scan indexes;     /* values of the words; empty = not given */
	struct sdpower_i_scan capacities;
	struct sdpower_i_scan distances;
};

/* Reads the whole string; no numbering, capacity or distance is looked into yet. */
sdpower_status sdpower_i_synthetic_parse(const char *text, struct sdpower_i_synthetic *spec,
	struct sdpower_diag *diag);

/* Type named by a word, in any case; SDPOWER_I_TYPES when unknown. */
uint32_t sdpower_i_synthetic_type(const char *word, size_t length);

/*
 * Numbering of the cpus. Interleaving: loop k takes every step[k]-th cpu, nb[k] times, and
 * the first loop varies fastest in os ids. depth 0 and an empty list: os ids in order.
 */
struct sdpower_i_numbering {
	uint32_t depth;
	uint32_t step[SDPOWER_I_TYPES + 1];
	uint32_t nb[SDPOWER_I_TYPES + 1];
	int is_list;                 /* explicit ids, read in order from list */
	struct sdpower_i_scan list;
};

sdpower_status sdpower_i_numbering_parse(const struct sdpower_i_synthetic *spec,
	struct sdpower_i_numbering *numbering, struct sdpower_diag *diag);

/* Os id of the i-th cpu of an interleaved numbering. */
uint32_t sdpower_i_numbering_of(const struct sdpower_i_numbering *numbering, uint32_t i);

#endif
