/* SPDX-License-Identifier: MIT */
/* What a packing costs and saves, by the power table of the machine (rule P6). */
#ifndef SDPOWER_I_NATIVE_ENERGY_H
#define SDPOWER_I_NATIVE_ENERGY_H

#include "native.h"

/* The units of some groups, and those in use among them. */
struct sdpower_i_use {
	uint64_t demand;                       /* shares of time asked for */
	uint64_t capacity;                     /* what the cpus in use can give */
	uint32_t units[SDPOWER_ENERGY_UNITS];
	uint32_t active[SDPOWER_ENERGY_UNITS]; /* with at least one task */
	uint32_t last[SDPOWER_ENERGY_UNITS], last_active[SDPOWER_ENERGY_UNITS]; /* counted last */
};

struct sdpower_i_use sdpower_i_no_use(void);

/* Adds a group, by its index in the tree's array. */
void sdpower_i_use_add(const struct sdpower_i_native_search *q, uint32_t group,
	struct sdpower_i_use *use);

/*
 * True iff the same work takes less energy after all than before. `woken` more units are put to
 * use by it, of each kind.
 */
int sdpower_i_saves_energy(const struct sdpower *s, const struct sdpower_i_use *before,
	const struct sdpower_i_use *after, const uint32_t woken[SDPOWER_ENERGY_UNITS]);

#endif
