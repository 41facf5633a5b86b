/* SPDX-License-Identifier: MIT */
/* Rule D7: where a task goes at fork or exec. */
#include "native.h"

/* A level of a chain that spreads tasks; NONE = stay. */
#define NO_LEVEL UINT32_MAX

/* The highest level with the flag below the first one that saves power. */
static uint32_t highest_spreading_level(const struct sdpower_i_view *v, uint32_t pos,
	uint32_t flag)
{
	const uint32_t levels = sdpower_i_depth(v, pos);
	uint32_t found = NO_LEVEL;

	for (uint32_t depth = 0; depth < levels; depth++) {
		const uint32_t flags = sdpower_i_get_link(v, pos, depth).flags;

		if (flags & SDPOWER_SD_POWERSAVINGS)
			break;
		if (flags & flag)
			found = depth;
	}
	return found;
}

/* The highest level with the flag that is smaller than the one just used. */
static uint32_t highest_smaller_level(const struct sdpower_i_view *v, uint32_t pos,
	uint32_t flag, uint32_t weight)
{
	const uint32_t levels = sdpower_i_depth(v, pos);
	uint32_t found = NO_LEVEL;

	for (uint32_t depth = 0; depth < levels; depth++) {
		const struct sdpower_i_level_view l = sdpower_i_level_at(v, pos, depth);

		if (weight <= l.domain.weight)
			break;
		if (l.link.flags & flag)
			found = depth;
	}
	return found;
}

/* The idlest cpu of the idlest group of a level; NONE = nothing better than the local group. */
static sdpower_cpu better_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_level_view *l, struct sdpower_i_mask affinity, sdpower_cpu cpu)
{
	uint64_t this_load, min_load;
	uint32_t group;

	if (l->link.own_group >= l->domain.groups)
		return SDPOWER_CPU_NONE;
	group = sdpower_i_idlest_group(s, v, l, affinity, &this_load, &min_load);
	if (group == SDPOWER_ID_NONE)
		return SDPOWER_CPU_NONE;
	return sdpower_i_idlest_cpu(s, v, l, group, affinity, cpu);
}

struct sdpower_pick sdpower_i_place_task(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request)
{
	const struct sdpower_i_mask affinity = { request->affinity, request->affinity_words };
	struct sdpower_pick pick = { request->cpu, SDPOWER_REASON_LOCAL };
	uint32_t depth = highest_spreading_level(v, sdpower_i_position(s, pick.cpu), request->flag);
	/* Each cpu taken lies in a smaller span; the bound is for trees that change meanwhile. */
	uint32_t steps = v->forest->depth_max * v->forest->depth_max;

	while (depth != NO_LEVEL && steps--) {
		const struct sdpower_i_level_view l =
			sdpower_i_level_at(v, sdpower_i_position(s, pick.cpu), depth);
		sdpower_cpu cpu = SDPOWER_CPU_NONE;

		if (l.link.flags & request->flag)
			cpu = better_cpu(s, v, &l, affinity, pick.cpu);
		if (cpu == SDPOWER_CPU_NONE || cpu == pick.cpu) {
			depth = depth ? depth - 1 : NO_LEVEL;
			continue;
		}
		pick = (struct sdpower_pick){ cpu, SDPOWER_REASON_IDLEST };
		depth = highest_smaller_level(v, sdpower_i_position(s, cpu), request->flag,
			l.domain.weight);
	}
	return pick;
}

static sdpower_status check_request(const struct sdpower *s,
	const struct sdpower_placement *request, const struct sdpower_pick *pick)
{
	if (!s || !request || !pick || request->struct_size != sizeof(*request) || request->flags ||
	    request->reserved)
		return SDPOWER_EINVAL;
	if (request->flag != SDPOWER_SD_BALANCE_FORK && request->flag != SDPOWER_SD_BALANCE_EXEC)
		return SDPOWER_EINVAL;
	if (request->cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	return SDPOWER_OK;
}

sdpower_status sdpower_place(const struct sdpower *s, const struct sdpower_placement *request,
	struct sdpower_pick *pick)
{
	const sdpower_status status = check_request(s, request, pick);

	if (status)
		return status;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		const struct sdpower_pick found = sdpower_i_permitted(&v,
			sdpower_i_native(s) ? sdpower_i_native_place(s, &v, request) :
				sdpower_i_place_task(s, &v, request),
			(struct sdpower_i_mask){ request->affinity, request->affinity_words });

		if (!sdpower_i_view_holds(&v))
			continue;
		*pick = found;
		return SDPOWER_OK;
	}
	*pick = (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_SWAPPED };
	return SDPOWER_OK;
}
