/* SPDX-License-Identifier: MIT */
/* The policy of 2013: its words, and its tables checked before they are believed. */
#include "policy.h"

#define LEVEL_FLAGS (SDPOWER_SHI2013_SHARES_CORE | SDPOWER_SHI2013_WAKE_AFFINE | \
	SDPOWER_SHI2013_BALANCE_FORK | SDPOWER_SHI2013_BALANCE_WAKE | SDPOWER_SHI2013_BALANCE_EXEC)

static int is_policy(uint32_t policy)
{
	return policy == SDPOWER_SHI2013_PERFORMANCE || policy == SDPOWER_SHI2013_POWERSAVING;
}

const char *sdpower_shi2013_policy_name(uint32_t policy)
{
	if (policy == SDPOWER_SHI2013_PERFORMANCE)
		return "performance";
	return policy == SDPOWER_SHI2013_POWERSAVING ? "powersaving" : "unknown policy";
}

static int same_word(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

sdpower_status sdpower_shi2013_read_policy(const char *word, uint32_t *policy)
{
	if (!word || !policy)
		return SDPOWER_EINVAL;
	for (uint32_t p = SDPOWER_SHI2013_PERFORMANCE; is_policy(p); p++) {
		if (same_word(word, sdpower_shi2013_policy_name(p))) {
			*policy = p;
			return SDPOWER_OK;
		}
	}
	return SDPOWER_EPARSE;
}

uint32_t sdpower_i_policy_group_of(const struct sdpower_shi2013_level *level, sdpower_cpu cpu)
{
	for (uint32_t i = 0; i < level->group_count; i++) {
		const struct sdpower_i_policy_group g = sdpower_i_policy_group(level, i);

		for (const sdpower_cpu *c = g.first; c < g.end; c++)
			if (*c == cpu)
				return i;
	}
	return SDPOWER_ID_NONE;
}

sdpower_status sdpower_i_policy_check(const struct sdpower_shi2013_machine *machine,
	sdpower_cpu cpu, uint32_t policy)
{
	if (machine->struct_size != sizeof(*machine) || !machine->cpus ||
	    machine->cpu_stride != sizeof(*machine->cpus) || !is_policy(policy))
		return SDPOWER_EINVAL;
	if (machine->level_count && !machine->levels)
		return SDPOWER_EINVAL;
	if (machine->cpu_count > SDPOWER_MAX_CPUS)
		return SDPOWER_ERANGE;
	return cpu < machine->cpu_count ? SDPOWER_OK : SDPOWER_ENOENT;
}

/* Members are numbers of cpus, ascending, and there is at least one. */
static int is_group(const struct sdpower_shi2013_machine *machine,
	struct sdpower_i_policy_group group)
{
	if (group.first >= group.end || *group.first >= machine->cpu_count)
		return 0;
	for (const sdpower_cpu *c = group.first + 1; c < group.end; c++)
		if (*c <= c[-1] || *c >= machine->cpu_count)
			return 0;
	return 1;
}

sdpower_status sdpower_i_policy_check_level(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_level *level, sdpower_cpu cpu)
{
	uint32_t begin = 0;

	if (!level->group_end || !level->members || level->flags & ~(uint32_t)LEVEL_FLAGS ||
	    !level->group_count || level->group_count > machine->cpu_count)
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < level->group_count; i++) {
		const uint32_t end = level->group_end[i];

		/* Ends are looked at before anything behind them is read. */
		if (end <= begin || end > machine->cpu_count)
			return SDPOWER_EINVAL;
		if (!is_group(machine, sdpower_i_policy_group(level, i)))
			return SDPOWER_EINVAL;
		begin = end;
	}
	return sdpower_i_policy_group_of(level, cpu) == SDPOWER_ID_NONE ? SDPOWER_EINVAL :
		SDPOWER_OK;
}
