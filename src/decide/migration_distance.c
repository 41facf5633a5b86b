/* SPDX-License-Identifier: MIT */
/* Migration costs: how far apart two cpus are, and which pair stands for a distance (M1, M2). */
#include "migration.h"

static uint32_t levels_begin(const struct sdpower_migration_machine *m, sdpower_cpu cpu)
{
	return cpu ? m->level_end[cpu - 1] : 0;
}

static int has_counts(const struct sdpower_migration_machine *m)
{
	return m && m->struct_size == sizeof(*m) && !m->reserved && m->level_end &&
		!(m->flags & ~(uint32_t)SDPOWER_MIGRATION_SYMMETRIC) &&
		m->cpu_count <= SDPOWER_MAX_CPUS && (m->spans || !m->span_count);
}

static int has_levels(const struct sdpower_migration_machine *m, sdpower_cpu cpu)
{
	const uint32_t begin = levels_begin(m, cpu), end = m->level_end[cpu];

	if (begin > end || end > m->span_count)
		return 0;
	for (uint32_t i = begin; i < end; i++)
		if (!m->spans[i])
			return 0;
	return 1;
}

int sdpower_i_migration_is_machine(const struct sdpower_migration_machine *m)
{
	if (!has_counts(m))
		return 0;
	for (sdpower_cpu cpu = 0; cpu < m->cpu_count; cpu++)
		if (!has_levels(m, cpu))
			return 0;
	return 1;
}

/* The original read past its table for a common level beyond the last; this one stops there. */
static uint32_t one_sided(const struct sdpower_migration_machine *m, sdpower_cpu cpu,
	sdpower_cpu other)
{
	const uint32_t begin = levels_begin(m, cpu), levels = m->level_end[cpu] - begin;
	const uint32_t last = SDPOWER_MIGRATION_DISTANCES - 1;
	uint32_t distance = 0;

	while (distance < levels && distance < last &&
	       !sdpower_i_bits_has(m->spans[begin + distance], m->words, other))
		distance++;
	return distance;
}

uint32_t sdpower_i_migration_distance(const struct sdpower_migration_machine *m, sdpower_cpu cpu,
	sdpower_cpu other)
{
	const uint32_t there = one_sided(m, cpu, other);
	uint32_t back;

	if (!(m->flags & SDPOWER_MIGRATION_SYMMETRIC))
		return there;
	back = one_sided(m, other, cpu);
	return there > back ? there : back;
}

sdpower_status sdpower_migration_distance(const struct sdpower_migration_machine *machine,
	sdpower_cpu cpu, sdpower_cpu other)
{
	if (!has_counts(machine))
		return SDPOWER_EINVAL;
	if (cpu >= machine->cpu_count || other >= machine->cpu_count)
		return SDPOWER_ENOENT;
	if (!has_levels(machine, cpu) || !has_levels(machine, other))
		return SDPOWER_EINVAL;
	return (sdpower_status)sdpower_i_migration_distance(machine, cpu, other);
}

/* Notes the pair's distance; true iff the pair is the one to measure for it. */
static int stands_for_its_distance(const struct sdpower_migration_machine *m,
	struct sdpower_migration_costs *costs, struct sdpower_migration_pairs *pairs)
{
	const uint32_t distance = sdpower_i_migration_distance(m, pairs->cpu, pairs->other);

	if (distance > costs->max_distance)
		costs->max_distance = distance;
	pairs->distance = distance;
	return costs->cost_ns[distance] == SDPOWER_MIGRATION_UNMEASURED;
}

/* The next pair to measure, from this one on. */
static void find_pair(const struct sdpower_migration_machine *m,
	struct sdpower_migration_costs *costs, struct sdpower_migration_pairs *pairs)
{
	for (; pairs->cpu < m->cpu_count; pairs->cpu++, pairs->other = 0) {
		if (!sdpower_i_migration_calibrates(m, pairs->cpu))
			continue;
		for (; pairs->other < m->cpu_count; pairs->other++)
			if (pairs->other != pairs->cpu &&
			    sdpower_i_migration_calibrates(m, pairs->other) &&
			    stands_for_its_distance(m, costs, pairs))
				return;
	}
	pairs->step = SDPOWER_MIGRATION_DONE;
}

sdpower_status sdpower_migration_pairs_begin(const struct sdpower_migration_machine *machine,
	struct sdpower_migration_costs *costs, struct sdpower_migration_pairs *pairs)
{
	if (!sdpower_i_migration_is_machine(machine) || !sdpower_i_migration_is_table(costs) ||
	    !pairs || pairs->struct_size != sizeof(*pairs))
		return SDPOWER_EINVAL;
	*pairs = (struct sdpower_migration_pairs) { .struct_size = sizeof(*pairs),
		.step = SDPOWER_MIGRATION_MEASURE };
	costs->max_distance = 0;
	find_pair(machine, costs, pairs);
	return SDPOWER_OK;
}

sdpower_status sdpower_migration_pairs_next(const struct sdpower_migration_machine *machine,
	struct sdpower_migration_costs *costs, uint64_t result_ns,
	struct sdpower_migration_pairs *pairs)
{
	if (!sdpower_i_migration_is_machine(machine) || !sdpower_i_migration_is_table(costs) ||
	    !pairs || pairs->struct_size != sizeof(*pairs) ||
	    pairs->step != SDPOWER_MIGRATION_MEASURE || pairs->cpu >= machine->cpu_count ||
	    pairs->other >= machine->cpu_count || pairs->distance >= SDPOWER_MIGRATION_DISTANCES)
		return SDPOWER_EINVAL;
	costs->cost_ns[pairs->distance] = (int64_t)result_ns;
	pairs->other++;
	find_pair(machine, costs, pairs);
	return SDPOWER_OK;
}
