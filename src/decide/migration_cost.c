/* SPDX-License-Identifier: MIT */
/* Migration costs: the table of times, its use, and the walk behind it (rules M2, M5, M6). */
#include "migration.h"

const char *sdpower_migration_mode_name(uint32_t mode)
{
	switch (mode) {
	case SDPOWER_MIGRATION_DEFAULT:
		return "default";
#define SDPOWER_X(name, value, text) case value: return text;
	SDPOWER_MIGRATION_MODE_LIST(SDPOWER_X)
#undef SDPOWER_X
	default:
		return "?";
	}
}

sdpower_status sdpower_migration_start(struct sdpower_migration_costs *costs, int64_t all_ns)
{
	if (!costs)
		return SDPOWER_EINVAL;
	costs->struct_size = sizeof(*costs);
	costs->max_distance = 0;
	for (uint32_t i = 0; i < SDPOWER_MIGRATION_DISTANCES; i++)
		costs->cost_ns[i] = all_ns;
	return SDPOWER_OK;
}

int64_t sdpower_migration_level_ns(const struct sdpower_migration_costs *costs, uint32_t level,
	uint32_t mode)
{
	if (!sdpower_i_migration_is_table(costs) || sdpower_i_migration_mode(mode))
		return SDPOWER_MIGRATION_UNMEASURED;
	if (level >= SDPOWER_MIGRATION_DISTANCES)
		level = SDPOWER_MIGRATION_DISTANCES - 1;
	if (mode != SDPOWER_MIGRATION_LEGACY)
		while (level && costs->cost_ns[level] == SDPOWER_MIGRATION_UNMEASURED)
			level--;
	return costs->cost_ns[level];
}

int sdpower_migration_is_hot(uint64_t now_ns, uint64_t last_ran_ns, int64_t cost_ns)
{
	return (int64_t)(now_ns - last_ran_ns) < cost_ns;
}

void sdpower_migration_walk(uint64_t *words, size_t count)
{
	/* Nothing reads what is written, so a compiler could leave it out. */
	volatile uint64_t *const w = words;
	const size_t third = count / 3, two_thirds = 2 * count / 3;

	for (size_t i = 0; i < count / 6; i += 8) {
		const size_t touched[6] = { i, count - 1 - i, third - i, third + i, two_thirds - i,
			two_thirds + i };

		for (size_t stream = i % 6; stream < 6; stream++)
			w[touched[stream]] = w[touched[stream]] + 1;
	}
}
