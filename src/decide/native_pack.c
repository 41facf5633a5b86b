/* SPDX-License-Identifier: MIT */
/*
 * Rule P6: emptying groups to save power, one task at a time. The largest task that is to leave
 * goes first, to the cpu where it leaves the least room: the order in which the plan fitted them.
 */
#include "native_energy.h"
#include "native_pack.h"

/* A cpu and the group it is in. */
struct place {
	uint32_t pos, cpu, group;
	struct sdpower_i_cpu_view view;
};

/* Where a task could go; less room is better, then a fuller group. */
struct target {
	struct place at;
	uint32_t room, nr, util, first_cpu;
	int empty;
};

#define NOWHERE { .at = { .pos = SDPOWER_I_NONE16 } }

static struct sdpower_i_walk walk_of(const struct sdpower_i_plan *p, uint32_t group)
{
	const struct sdpower_i_group g = sdpower_i_get_group(p->q.view, group);

	return sdpower_i_walk_of(p->q.view, g.run, g.runs);
}

static struct place place_of(const struct sdpower_i_plan *p, uint32_t group, uint32_t pos)
{
	return (struct place){ pos, p->q.s->forest.cpu_at[pos], group,
		sdpower_i_look(p->q.s, pos) };
}

/* The only candidate, if there is just one. */
static uint32_t only_one(struct sdpower_i_mask mask)
{
	uint32_t found = SDPOWER_CPU_NONE;

	for (uint32_t i = 0; i < mask.count; i++) {
		const uint32_t word = mask.words[i];

		if (!word)
			continue;
		if (word & (word - 1u) || found != SDPOWER_CPU_NONE)
			return SDPOWER_CPU_NONE;
		for (found = 32u * i; !(word >> (found - 32u * i) & 1u); found++)
			;
	}
	return found;
}

/*
 * A group with a task that cannot come will not be empty, so the others stay too. Only a cpu
 * that is asked about alone gives what the plan wants of it.
 */
static int may_give(const struct sdpower_i_plan *p, struct sdpower_i_mask candidates, uint32_t only,
	uint32_t group)
{
	struct sdpower_i_walk walk = walk_of(p, group);
	uint32_t pos;

	while (candidates.words && only == SDPOWER_CPU_NONE && sdpower_i_walk_next(&walk, &pos))
		if (sdpower_i_load(&p->q.s->slots[pos].nr) &&
				!sdpower_i_mask_has(candidates, p->q.s->forest.cpu_at[pos]))
			return 0;
	return 1;
}

static void consider_giver(struct place *best, const struct place *at)
{
	if (!at->view.nr)
		return;
	if (best->pos != SDPOWER_I_NONE16) {
		const uint32_t mine = sdpower_i_share_of_one(&at->view);
		const uint32_t its = sdpower_i_share_of_one(&best->view);

		if (mine < its || (mine == its && at->cpu < best->cpu))
			return;
	}
	*best = *at;
}

/* The cpu with the largest task that is to leave; of equals the highest number gives. */
static struct place giver_of(const struct sdpower_i_plan *p, struct sdpower_i_mask candidates)
{
	const uint32_t only = candidates.words ? only_one(candidates) : SDPOWER_CPU_NONE;
	struct place best = { .pos = SDPOWER_I_NONE16 };

	for (uint32_t i = 0; i < p->emptied; i++) {
		const uint32_t group = p->victims[i].group;
		struct sdpower_i_walk walk = walk_of(p, group);
		uint32_t pos;

		if (!may_give(p, candidates, only, group))
			continue;
		while (sdpower_i_walk_next(&walk, &pos)) {
			const struct place at = place_of(p, group, pos);

			if (sdpower_i_mask_has(candidates, at.cpu))
				consider_giver(&best, &at);
		}
	}
	return best;
}

/* A cpu in use is better than one that must be woken for it. */
static int is_better(const struct target *a, const struct target *b)
{
	if (b->at.pos == SDPOWER_I_NONE16)
		return 1;
	if (a->empty != b->empty)
		return !a->empty;
	if (a->room != b->room)
		return a->room < b->room;
	if (a->nr != b->nr)
		return a->nr > b->nr;
	if (a->util != b->util)
		return a->util > b->util;
	return a->first_cpu != b->first_cpu ? a->first_cpu < b->first_cpu : a->at.cpu < b->at.cpu;
}

/* Room that a cpu offers a task, 0 = does not fit. A task that is too large for any is alone. */
static uint32_t room_for(const struct sdpower_i_plan *p, const struct target *to,
	const struct place *from)
{
	const uint32_t share = sdpower_i_share_of_one(&from->view);
	const uint32_t full = sdpower_i_plan_full(p, to->at.view.capacity);
	const uint32_t room = full > to->at.view.util ? full - to->at.view.util : 0;

	if (!to->at.view.nr) {
		if (!sdpower_i_plan_free(p, to->at.pos))
			return 0;
		if (share > full)
			return to->at.view.capacity >= from->view.capacity ? full + 1u : 0;
		return full;
	}
	return p->q.limits.stacking && room >= share ? room : 0;
}

static void consider_group(const struct sdpower_i_plan *p, uint32_t group,
	const struct place *from, struct target *best)
{
	const struct sdpower_i_native_sums sums = sdpower_i_native_sum(&p->q, group,
		SDPOWER_I_SUM_ALL);
	struct sdpower_i_walk walk = walk_of(p, group);
	struct target to = { .nr = sums.nr, .util = (uint32_t)sums.util,
		.first_cpu = sdpower_i_get_group(p->q.view, group).first_cpu };
	uint32_t pos;

	if (!sums.nr || !sdpower_i_plan_cores(p, group))
		return;
	while (sdpower_i_walk_next(&walk, &pos)) {
		to.at = place_of(p, group, pos);
		to.empty = !to.at.view.nr;
		to.room = room_for(p, &to, from);
		if (to.room && is_better(&to, best))
			*best = to;
	}
}

static struct target target_of(const struct sdpower_i_plan *p, const struct place *from)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;
	struct target best = NOWHERE;

	for (uint32_t group = first; group < end; group++)
		if (!sdpower_i_plan_empties(p, group))
			consider_group(p, group, from, &best);
	return best;
}

static int has_unused(const struct sdpower_i_plan *p, uint32_t group)
{
	return sdpower_i_native_sum(&p->q, group, SDPOWER_I_SUM_COUNTS).unused != 0;
}

/*
 * One group acts on a plan: the one that gets the task, as it can take it at once; without an
 * unused cpu the one that gives it, and without one there whoever asks.
 */
static int is_to_act(const struct sdpower_i_plan *p, uint32_t from, uint32_t to)
{
	const uint32_t own = p->q.level.domain.group + p->q.level.link.own_group;

	if (own == to)
		return 1;
	return !has_unused(p, to) && (own == from || !has_unused(p, from));
}

/* Any unused cpu of its group that is as good will do: the asker is awake. */
static void prefer_asker(const struct sdpower_i_plan *p, const struct place *from,
	struct target *to)
{
	const uint32_t own = p->q.level.domain.group + p->q.level.link.own_group;
	struct target asker = *to;

	if (!to->empty || to->at.group != own)
		return;
	asker.at = place_of(p, own, p->q.pos);
	if (!asker.at.view.nr && room_for(p, &asker, from) == to->room)
		*to = asker;
}

/* A frame of its own: what it needs is not there while the plan is made. */
static SDPOWER_NOINLINE int saves_energy(const struct sdpower_i_plan *p)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;
	struct sdpower_i_use before = sdpower_i_no_use(), after = sdpower_i_no_use();
	uint32_t woken[SDPOWER_ENERGY_UNITS] = { 0 }, unused;

	for (uint32_t group = first; group < end; group++) {
		sdpower_i_use_add(&p->q, group, &before);
		if (!sdpower_i_plan_empties(p, group) &&
				sdpower_i_native_sum(&p->q, group, SDPOWER_I_SUM_COUNTS).nr)
			sdpower_i_use_add(&p->q, group, &after);
	}
	unused = after.units[SDPOWER_ENERGY_CORE] - after.active[SDPOWER_ENERGY_CORE];
	woken[SDPOWER_ENERGY_THREAD] = p->taken;
	woken[SDPOWER_ENERGY_CORE] = p->taken < unused ? p->taken : unused;
	after.active[SDPOWER_ENERGY_THREAD] += woken[SDPOWER_ENERGY_THREAD];
	after.active[SDPOWER_ENERGY_CORE] += woken[SDPOWER_ENERGY_CORE];
	after.demand = before.demand;
	after.capacity = before.capacity;
	return sdpower_i_saves_energy(p->q.s, &before, &after, woken);
}

static void answer(const struct place *from, const struct target *to,
	struct sdpower_i_native_pull *pull)
{
	pull->kind = SDPOWER_PULL_POWER;
	pull->group = from->group;
	pull->from = from->pos;
	pull->target = to->at.pos;
	pull->util_most = to->empty ? UINT32_MAX : to->room;
	pull->amount = sdpower_i_per_task(from->view.load, from->view.nr);
	pull->most = SDPOWER_LOAD_MAX;
	pull->reason = to->empty ? 0 : SDPOWER_REASON_PACKED;
}

/*
 * A cpu of the asker's group has a task on its way, which still counts where it is: what does
 * not fit now may fit in a moment.
 */
static int expects_tasks(const struct sdpower_i_plan *p)
{
	struct sdpower_i_walk walk = walk_of(p, p->q.level.domain.group + p->q.level.link.own_group);
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos))
		if (pos != p->q.pos &&
				sdpower_i_load(&p->q.s->slots[pos].status) == SDPOWER_I_CLAIMED)
			return 1;
	return 0;
}

int sdpower_i_native_pack(const struct sdpower_i_native_search *q,
	struct sdpower_i_native_pull *pull)
{
	struct sdpower_i_plan p;
	struct place from;
	struct target to;

	*pull = (struct sdpower_i_native_pull){ .kind = SDPOWER_PULL_NONE };
	if (!sdpower_i_plan(&p, q)) {
		pull->reason = (uint32_t)SDPOWER_REASON_NO_ROOM;
		if (p.bounded)
			pull->reason |= SDPOWER_REASON_LATENCY;
		if (expects_tasks(&p))
			pull->reason |= (uint32_t)SDPOWER_REASON_NOT_BALANCER;
		return 0;
	}
	from = giver_of(&p, q->candidates);
	if (from.pos == SDPOWER_I_NONE16)
		return 0;
	to = target_of(&p, &from);
	if (to.at.pos == SDPOWER_I_NONE16)
		return 0;
	pull->reason = SDPOWER_REASON_NOT_LEADER;
	if (!is_to_act(&p, from.group, to.at.group))
		return 0;
	pull->reason = SDPOWER_REASON_ENERGY;
	if (!saves_energy(&p))
		return 0;
	prefer_asker(&p, &from, &to);
	answer(&from, &to, pull);
	return 1;
}
