/* SPDX-License-Identifier: MIT */
/* Rule D5: which cpu of the busiest group to pull from. */
#include "native.h"

static sdpower_status check_request(const struct sdpower *s,
	const struct sdpower_queue_request *request, const struct sdpower_pick *pick)
{
	if (!s || !request || !pick || request->struct_size != sizeof(*request) || request->flags)
		return SDPOWER_EINVAL;
	return SDPOWER_OK;
}

static sdpower_cpu busiest_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_group *group, uint64_t imbalance, struct sdpower_i_mask candidates)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(v, group->run, group->runs);
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t pos, most = 0;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const uint32_t cpu = v->forest->cpu_at[pos];
		const uint32_t load = sdpower_i_load(&s->slots[pos].load);

		if (!load || load < most || (load == most && cpu > found))
			continue;
		if (!sdpower_i_mask_has(candidates, cpu))
			continue;
		if (sdpower_i_load(&s->slots[pos].nr) == 1 && load > imbalance)
			continue;
		most = load;
		found = cpu;
	}
	return found;
}

/* The group that a handle and a number in ring order name. */
static sdpower_status find_group(const struct sdpower_i_view *v,
	const struct sdpower_queue_request *request, struct sdpower_i_group *group)
{
	const uint32_t pos = request->domain.index / v->forest->depth_max;
	const uint32_t depth = request->domain.index % v->forest->depth_max;
	struct sdpower_i_level_view l;

	if (pos >= v->forest->cpu_count || depth >= sdpower_i_depth(v, pos))
		return SDPOWER_ENOENT;
	l = sdpower_i_level_at(v, pos, depth);
	if (l.link.own_group >= l.domain.groups || request->group >= l.domain.groups)
		return SDPOWER_ENOENT;
	*group = sdpower_i_get_group(v, sdpower_i_ring(&l, request->group));
	return SDPOWER_OK;
}

sdpower_status sdpower_find_busiest_queue(const struct sdpower *s,
	const struct sdpower_queue_request *request, struct sdpower_pick *pick)
{
	sdpower_status status = check_request(s, request, pick);
	sdpower_cpu cpu = SDPOWER_CPU_NONE;
	struct sdpower_i_group group;
	struct sdpower_i_view v;

	if (status)
		return status;
	if (sdpower_i_native(s))
		return sdpower_i_native_find_queue(s, request, pick);
	v = sdpower_i_view_of(&s->forest);
	if (request->domain.generation != v.generation)
		return SDPOWER_ESTALE;
	status = find_group(&v, request, &group);
	if (!status)
		cpu = busiest_cpu(s, &v, &group, request->imbalance, (struct sdpower_i_mask){
			request->candidates, request->candidate_words });
	if (!sdpower_i_view_holds(&v))
		return SDPOWER_ESTALE;
	if (!status)
		*pick = (struct sdpower_pick){ cpu, cpu == SDPOWER_CPU_NONE ?
			SDPOWER_REASON_NO_CPU : SDPOWER_REASON_IMBALANCE };
	return status;
}
