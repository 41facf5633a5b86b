/* SPDX-License-Identifier: MIT */
/* Rule D6: the idlest group of a level and the idlest cpu of a group. */
#include "native.h"

/*
 * Load of a group per S of power, biased to stay: the local group by source loads, others by
 * target loads. 0 and *permitted = 0 if the task may run on none of it.
 */
static uint64_t group_load(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_group *group, uint32_t index, int local,
	struct sdpower_i_mask affinity, int *permitted)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(v, group->run, group->runs);
	uint64_t sum = 0;
	uint32_t pos;

	*permitted = 0;
	while (sdpower_i_walk_next(&walk, &pos)) {
		const struct sdpower_i_slot *slot = &s->slots[pos];
		const uint32_t load = sdpower_i_load(&slot->load);

		sum += local ? sdpower_i_source(slot, index, load) :
			sdpower_i_target(slot, index, load);
		if (sdpower_i_mask_has(affinity, v->forest->cpu_at[pos]))
			*permitted = 1;
	}
	if (!*permitted)
		return 0;
	return sdpower_i_divide(sum * SDPOWER_SCALE, group->power ? group->power : 1);
}

uint32_t sdpower_i_idlest_group(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_level_view *l, struct sdpower_i_mask affinity,
	uint64_t *this_load, uint64_t *min_load)
{
	const uint32_t percent = sdpower_i_half_percent(l);
	uint32_t found = SDPOWER_ID_NONE;

	*this_load = 0;
	*min_load = UINT64_MAX;
	for (uint32_t nth = 0; nth < l->domain.groups; nth++) {
		const uint32_t index = sdpower_i_ring(l, nth);
		const struct sdpower_i_group group = sdpower_i_get_group(v, index);
		int permitted;
		uint64_t load = group_load(s, v, &group, l->params->forkexec_idx, nth == 0,
			affinity, &permitted);

		if (nth == 0) {
			*this_load = load;
		} else if (permitted && load < *min_load) {
			*min_load = load;
			found = nth;
		}
	}
	if (found == SDPOWER_ID_NONE || 100 * *this_load < percent * *min_load)
		return SDPOWER_ID_NONE;
	return found;
}

sdpower_cpu sdpower_i_idlest_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_level_view *l, uint32_t nth, struct sdpower_i_mask affinity,
	sdpower_cpu asker)
{
	const struct sdpower_i_group g = sdpower_i_get_group(v, sdpower_i_ring(l, nth));
	struct sdpower_i_walk walk = sdpower_i_walk_of(v, g.run, g.runs);
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t pos, least = UINT32_MAX;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const uint32_t cpu = v->forest->cpu_at[pos];
		const uint32_t load = sdpower_i_load(&s->slots[pos].load);

		if (load > least || (load == least && (found == asker || (cpu > found && cpu != asker))))
			continue;
		if (!sdpower_i_mask_has(affinity, cpu) ||
		    sdpower_i_load(&s->slots[pos].status) == SDPOWER_I_CLAIMED)
			continue;
		least = load;
		found = cpu;
	}
	return found;
}

static sdpower_status check_request(const struct sdpower *s,
	const struct sdpower_placement *request, const void *answer)
{
	if (!s || !request || !answer || request->struct_size != sizeof(*request) || request->flags ||
	    request->reserved)
		return SDPOWER_EINVAL;
	if (request->cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	return SDPOWER_OK;
}

static sdpower_status level_of(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, struct sdpower_i_level_view *l)
{
	const uint32_t pos = sdpower_i_position(s, request->cpu);

	if (request->depth >= sdpower_i_depth(v, pos))
		return SDPOWER_ENOENT;
	*l = sdpower_i_level_at(v, pos, request->depth);
	return l->link.own_group < l->domain.groups ? SDPOWER_OK : SDPOWER_ENOENT;
}

/* Fills the answer; the loads are there already. */
static void answer_group(const struct sdpower_i_view *v, const struct sdpower_i_level_view *l,
	uint32_t nth, struct sdpower_idlest *answer)
{
	if (nth == SDPOWER_ID_NONE)
		return;
	answer->reason = SDPOWER_REASON_IDLEST;
	answer->group = nth;
	answer->group_first = sdpower_i_get_group(v, sdpower_i_ring(l, nth)).first_cpu;
}

static uint32_t group_by_rules(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, const struct sdpower_i_level_view *l,
	struct sdpower_idlest *answer)
{
	if (sdpower_i_native(s))
		return sdpower_i_native_idlest_group(s, v, request, l, answer);
	return sdpower_i_idlest_group(s, v, l,
		(struct sdpower_i_mask){ request->affinity, request->affinity_words },
		&answer->this_load, &answer->min_load);
}

static sdpower_cpu cpu_by_rules(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, const struct sdpower_i_level_view *l, uint32_t group)
{
	if (sdpower_i_native(s))
		return sdpower_i_native_idlest_cpu(s, v, request, l, group);
	return sdpower_i_idlest_cpu(s, v, l, group,
		(struct sdpower_i_mask){ request->affinity, request->affinity_words }, request->cpu);
}

sdpower_status sdpower_find_idlest_group(const struct sdpower *s,
	const struct sdpower_placement *request, struct sdpower_idlest *answer)
{
	sdpower_status status = check_request(s, request, answer);
	struct sdpower_i_level_view l;
	struct sdpower_i_view v;

	if (!status && answer->struct_size != sizeof(*answer))
		status = SDPOWER_EINVAL;
	for (uint32_t i = 0; !status && i < SDPOWER_I_TRIES; i++) {
		struct sdpower_idlest found = { .struct_size = sizeof(found),
			.reason = SDPOWER_REASON_LOCAL, .group = SDPOWER_ID_NONE,
			.group_first = SDPOWER_CPU_NONE };
		sdpower_status at_level;

		v = sdpower_i_view_of(&s->forest);
		at_level = level_of(s, &v, request, &l);
		found.domain = sdpower_i_handle(&v, sdpower_i_position(s, request->cpu),
			request->depth);
		if (!at_level)
			answer_group(&v, &l, group_by_rules(s, &v, request, &l, &found), &found);
		if (!sdpower_i_view_holds(&v))
			continue;
		if (!at_level)
			*answer = found;
		return at_level;
	}
	if (!status)
		*answer = (struct sdpower_idlest){ .struct_size = sizeof(*answer),
			.reason = SDPOWER_REASON_SWAPPED, .group = SDPOWER_ID_NONE,
			.group_first = SDPOWER_CPU_NONE };
	return status;
}

sdpower_status sdpower_find_idlest_cpu(const struct sdpower *s,
	const struct sdpower_placement *request, uint32_t group, struct sdpower_pick *pick)
{
	sdpower_status status = check_request(s, request, pick);
	struct sdpower_i_level_view l;
	struct sdpower_i_view v;

	for (uint32_t i = 0; !status && i < SDPOWER_I_TRIES; i++) {
		sdpower_cpu cpu = SDPOWER_CPU_NONE;
		sdpower_status at_level;

		v = sdpower_i_view_of(&s->forest);
		at_level = level_of(s, &v, request, &l);
		if (!at_level && group >= l.domain.groups)
			at_level = SDPOWER_ENOENT;
		if (!at_level)
			cpu = cpu_by_rules(s, &v, request, &l, group);
		if (!sdpower_i_view_holds(&v))
			continue;
		if (!at_level)
			*pick = (struct sdpower_pick){ cpu, cpu == SDPOWER_CPU_NONE ?
				SDPOWER_REASON_NO_CPU : SDPOWER_REASON_IDLEST };
		return at_level;
	}
	if (!status)
		*pick = (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_SWAPPED };
	return status;
}
