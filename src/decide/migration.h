/* SPDX-License-Identifier: MIT */
/* Migration costs: tables checked before they are believed, and distances counted in them. */
#ifndef SDPOWER_I_MIGRATION_H
#define SDPOWER_I_MIGRATION_H

#include <sdpower/migration.h>

#include "../topology/bits.h"

static inline sdpower_status sdpower_i_migration_mode(uint32_t mode)
{
	return mode < SDPOWER_MIGRATION_MODES ? SDPOWER_OK : SDPOWER_EINVAL;
}

/* The default mode has a search of its own, see <sdpower/curve.h>. */
static inline sdpower_status sdpower_i_migration_search_mode(uint32_t mode)
{
	return mode == SDPOWER_MIGRATION_DEFAULT ? SDPOWER_ENOSYS : sdpower_i_migration_mode(mode);
}

static inline int sdpower_i_migration_is_table(const struct sdpower_migration_costs *costs)
{
	return costs && costs->struct_size == sizeof(*costs) &&
		costs->max_distance < SDPOWER_MIGRATION_DISTANCES;
}

static inline int sdpower_i_migration_calibrates(const struct sdpower_migration_machine *m,
	sdpower_cpu cpu)
{
	return !m->cpus || sdpower_i_bits_has(m->cpus, m->words, cpu);
}

/* True iff every table of the machine can be read. */
int sdpower_i_migration_is_machine(const struct sdpower_migration_machine *m);

/* M1, of two cpus that exist in tables that can be read. */
uint32_t sdpower_i_migration_distance(const struct sdpower_migration_machine *m, sdpower_cpu cpu,
	sdpower_cpu other);

#endif
