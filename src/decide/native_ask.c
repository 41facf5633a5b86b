/* SPDX-License-Identifier: MIT */
/*
 * find_busiest_group as a native instance is asked. The usual question comes from a cpu without
 * tasks, about a level that saves no power and where every cpu may give. It is answered here, from
 * counts alone: work that waits is found, or nothing at all is to be done. Only where a running
 * task may have to be pushed do the rules take a thorough look (native_busiest.c).
 */
#include "busiest.h"
#include "native_answer.h"
#include "native_queue.h"

/* A level as the tree has it; groups are counted over the tree. */
struct place {
	uint32_t flags, first, groups, own;
};

/* P1: the group with the most waiting tasks for its capacity. */
struct waiting {
	uint32_t group;
	uint32_t giver;             /* NONE16 = not known yet */
	uint64_t queued, capacity;
};

/* 1 = the level is there; nonsense of a lost race ends here or is dropped by the caller. */
static inline int find_place(const struct sdpower_i_view *v, uint32_t pos, uint32_t depth,
	struct place *at)
{
	const struct sdpower_i_link *link = sdpower_i_link_at(v, pos, depth);
	const struct sdpower_i_domain *domain = &v->tree->domains[sdpower_i_below(
		sdpower_i_load16(&link->domain), v->forest->bounds.domains)];
	const uint32_t own = sdpower_i_load16(&link->own_group);

	at->flags = sdpower_i_load(&link->flags);
	at->first = sdpower_i_load(&domain->group);
	at->groups = sdpower_i_load16(&domain->groups);
	at->own = at->first + own;
	return own < at->groups && at->first + at->groups <= v->forest->bounds.groups;
}

static inline int is_usual(const struct sdpower *s, uint32_t pos, uint32_t flags,
	const struct sdpower_busiest_request *request)
{
	const uint32_t unusual = SDPOWER_SD_POWERSAVINGS | SDPOWER_SD_OVERLAP | SDPOWER_SD_NUMA;

	return request->idle != SDPOWER_CPU_NOT_IDLE && !(flags & unusual) &&
		!request->candidates && !s->forest.priority &&
		!sdpower_i_load(&s->slots[pos].nr);
}

/* True iff the level below wants its siblings used first. */
static int spreads(const struct sdpower_i_native_search *q)
{
	return q->depth && sdpower_i_load(&sdpower_i_link_at(q->view, q->pos, q->depth - 1)->flags) &
		SDPOWER_SD_PREFER_SIBLING;
}

/* True iff a group has so many more tasks than the local one that P4 may want to move one. */
static SDPOWER_NOINLINE int any_crowded(const struct sdpower_i_native_search *q, struct place at)
{
	const struct sdpower_i_native_sums local = sdpower_i_native_sum(q, at.own,
		SDPOWER_I_SUM_COUNTS);

	for (uint32_t group = at.first; group < at.first + at.groups; group++) {
		struct sdpower_i_native_sums sums;

		if (group == at.own)
			continue;
		sums = sdpower_i_native_sum(q, group, SDPOWER_I_SUM_COUNTS);
		if (sdpower_i_is_crowded(&local, &sums))
			return 1;
	}
	return 0;
}

/* Of equals the highest first cpu. */
static inline void consider(struct waiting *best, const struct sdpower_i_group *array,
	uint32_t group, const struct sdpower_i_native_sums *sums)
{
	const uint64_t queued = sdpower_i_queued(sums, sdpower_i_load16(&array[group].weight));

	if (best->group != SDPOWER_ID_NONE) {
		const uint64_t mine = queued * best->capacity, its = best->queued * sums->capacity;

		if (mine < its || (mine == its && sdpower_i_load16(&array[group].first_cpu) <
				sdpower_i_load16(&array[best->group].first_cpu)))
			return;
	}
	best->group = group;
	best->giver = sums->giver;
	best->queued = queued;
	best->capacity = sums->capacity;
}

/* Whether anybody has a task that is too large for its cpu. */
static inline uint32_t look_at_others(const struct sdpower_i_native_search *q, struct place at,
	struct waiting *best)
{
	const struct sdpower_i_group *array = q->view->tree->groups;
	uint32_t misfits = 0;

	for (uint32_t group = at.first; group < at.first + at.groups; group++) {
		struct sdpower_i_native_sums sums;

		if (group == at.own)
			continue;
		sums = sdpower_i_native_sum(q, group, SDPOWER_I_SUM_COUNTS);
		misfits |= sums.misfit;
		if (sums.over)
			consider(best, array, group, &sums);
	}
	return misfits;
}

/* 1 = answered. Whoever asks: waiting work is anybody's who is idle. */
static inline int answer_quickly(const struct sdpower_i_native_search *q, struct place at,
	struct sdpower_busiest *answer)
{
	struct waiting best = { SDPOWER_ID_NONE, SDPOWER_I_NONE16, 0, 0 };
	const uint32_t misfits = look_at_others(q, at, &best);
	uint32_t from;

	if (SDPOWER_UNLIKELY(best.group == SDPOWER_ID_NONE)) {
		answer->reason = SDPOWER_REASON_NO_BUSIEST;
		return !misfits && !(spreads(q) && any_crowded(q, at));
	}
	from = best.giver != SDPOWER_I_NONE16 ? best.giver :
		sdpower_i_native_loaded_any(q, best.group);
	if (SDPOWER_UNLIKELY(from == SDPOWER_I_NONE16))
		return 0;
	sdpower_i_answer_waiting(q, answer, best.group, from);
	answer->group = sdpower_i_in_ring(best.group, at.own, at.groups);
	return 1;
}

static sdpower_status search(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_busiest_request *request, struct sdpower_busiest *answer)
{
	const uint32_t pos = s->forest.pos_of[request->cpu];
	struct sdpower_i_native_search q;
	struct place at;

	if (request->depth >= sdpower_i_depth(v, pos))
		return SDPOWER_ENOENT;
	if (request->group_power_count)
		return SDPOWER_EINVAL;
	if (!find_place(v, pos, request->depth, &at))
		return SDPOWER_ENOENT;
	sdpower_i_empty_answer(answer, 0);
	answer->domain = sdpower_i_handle(v, pos, request->depth);
	sdpower_i_native_begin(&q, s, v, pos, request->depth);
	q.level.link.flags = at.flags; /* of the level all that a quick answer needs */
	q.idle = request->idle;
	q.flags = request->flags;
	q.candidates = (struct sdpower_i_mask){ request->candidates, request->candidate_words };
	if (!is_usual(s, pos, at.flags, request) || !answer_quickly(&q, at, answer))
		sdpower_i_native_decide(&q, answer);
	return SDPOWER_OK;
}

sdpower_status sdpower_i_native_find_busiest(const struct sdpower *s,
	const struct sdpower_busiest_request *request, struct sdpower_busiest *answer)
{
	sdpower_status status;
	struct sdpower_i_view v;

	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		v = sdpower_i_view_of(&s->forest);
		status = search(s, &v, request, answer);
		/* A refusal must not follow a try that wrote to the answer. */
		if (SDPOWER_LIKELY(sdpower_i_view_holds(&v)) && (!status || i == 0))
			return status;
	}
	sdpower_i_empty_answer(answer, 0);
	answer->reason = SDPOWER_REASON_SWAPPED;
	return SDPOWER_OK;
}
