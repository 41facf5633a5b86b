/* SPDX-License-Identifier: MIT */
/* The tables of the policy of 2013, checked once and then read: cpus, groups, potentials. */
#ifndef SDPOWER_I_POLICY_H
#define SDPOWER_I_POLICY_H

#include <sdpower/policy.h>

#define SDPOWER_I_FULL SDPOWER_SCALE

/* The members of one group: [first, end) of its level's table. */
struct sdpower_i_policy_group {
	const sdpower_cpu *first, *end;
};

static inline struct sdpower_i_policy_group sdpower_i_policy_group(
	const struct sdpower_shi2013_level *level, uint32_t group)
{
	struct sdpower_i_policy_group g;

	g.first = level->members + (group ? level->group_end[group - 1] : 0);
	g.end = level->members + level->group_end[group];
	return g;
}

/* Index of the nth group after the own one, around the ring. */
static inline uint32_t sdpower_i_policy_ring(const struct sdpower_shi2013_level *level,
	uint32_t own, uint32_t nth)
{
	const uint32_t left = level->group_count - own;

	return nth < left ? own + nth : nth - left;
}

static inline uint32_t sdpower_i_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t sdpower_i_policy_nr(const struct sdpower_shi2013_cpu *cpu)
{
	return sdpower_i_least(cpu->nr, SDPOWER_NR_MAX);
}

static inline uint32_t sdpower_i_policy_load(const struct sdpower_shi2013_cpu *cpu)
{
	return sdpower_i_least(cpu->load, SDPOWER_LOAD_MAX);
}

/* What interrupts and real-time tasks leave. */
static inline uint32_t sdpower_i_policy_left(const struct sdpower_shi2013_cpu *cpu)
{
	return SDPOWER_I_FULL - sdpower_i_least(cpu->stolen, SDPOWER_I_FULL);
}

/* Each task may need as much as the cpu was used; an idle cpu's past does not count. U2. */
static inline uint32_t sdpower_i_policy_potential(const struct sdpower_shi2013_cpu *cpu)
{
	return sdpower_i_least(cpu->util, sdpower_i_policy_left(cpu)) * sdpower_i_policy_nr(cpu);
}

/* Group that holds a cpu, or SDPOWER_ID_NONE. */
uint32_t sdpower_i_policy_group_of(const struct sdpower_shi2013_level *level, sdpower_cpu cpu);

/* The tables without their levels; the cpu that asks must exist. */
sdpower_status sdpower_i_policy_check(const struct sdpower_shi2013_machine *machine,
	sdpower_cpu cpu, uint32_t policy);

/* One level: groups, members, flags; the cpu that asks is one of them. */
sdpower_status sdpower_i_policy_check_level(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_level *level, sdpower_cpu cpu);

#endif
