/* SPDX-License-Identifier: MIT */
/*
 * The usual question under the native rules: a cpu without tasks asks about a level that saves no
 * power, where every cpu may give. It is answered from counts alone: work that waits is found, or
 * nothing at all is to be done, or the rules that push running tasks need a thorough look. What it
 * works with has no address of its own and stays in registers (see busiest.h).
 */
#ifndef SDPOWER_I_NATIVE_QUICK_H
#define SDPOWER_I_NATIVE_QUICK_H

#include "native_queue.h"

/* What a quick look comes to. */
enum sdpower_i_quick {
	SDPOWER_I_QUICK_NOTHING,
	SDPOWER_I_QUICK_WAITING,  /* P1: the group with the most waiting tasks is known */
	SDPOWER_I_QUICK_UNSURE    /* P2 to P4 may have something */
};

/* A level as the tree has it. */
struct sdpower_i_native_place {
	uint32_t flags;          /* of the level */
	uint32_t first, groups;  /* groups, counted over the tree */
	uint32_t own;            /* the local one */
	uint32_t spreads;        /* the level below wants its siblings used first */
};

static inline int sdpower_i_is_usual(const struct sdpower_i_native_search *q, uint32_t flags)
{
	const uint32_t unusual = SDPOWER_SD_POWERSAVINGS | SDPOWER_SD_OVERLAP | SDPOWER_SD_NUMA;

	return q->idle != SDPOWER_CPU_NOT_IDLE && !(flags & unusual) && !q->candidates.words &&
		!q->s->forest.priority && !sdpower_i_load(&q->s->slots[q->pos].nr);
}

/* Moving one task lowers the sum of squares of tasks per capacity; one alone crowds nobody. */
static inline int sdpower_i_is_crowded(const struct sdpower_i_native_sums *local,
	const struct sdpower_i_native_sums *other)
{
	return other->nr > 1 && (2 * (uint64_t)other->nr - 1) * local->capacity >
		(2 * (uint64_t)local->nr + 1) * other->capacity;
}

/* True iff a group has so many more tasks than the local one that P4 may want to move one. */
static inline int sdpower_i_any_crowded(const struct sdpower_i_native_search *q,
	struct sdpower_i_native_place at)
{
	const struct sdpower_i_native_sums local = sdpower_i_native_sum(q, at.own,
		SDPOWER_I_SUM_COUNTS);

	for (uint32_t group = at.first; group < at.first + at.groups; group++) {
		const struct sdpower_i_native_sums sums = sdpower_i_native_sum(q, group,
			SDPOWER_I_SUM_COUNTS);

		if (group != at.own && sdpower_i_is_crowded(&local, &sums))
			return 1;
	}
	return 0;
}

/*
 * The group with the most waiting tasks for its capacity; of equals the highest first cpu. Only
 * where nothing waits are the groups looked at again.
 */
static inline enum sdpower_i_quick sdpower_i_look_quickly(const struct sdpower_i_native_search *q,
	struct sdpower_i_native_place at, uint32_t *waiting)
{
	const struct sdpower_i_group *array = q->view->tree->groups;
	uint32_t found = SDPOWER_ID_NONE, misfits = 0;
	uint64_t most = 0, capacity = 0;

	for (uint32_t group = at.first; group < at.first + at.groups; group++) {
		struct sdpower_i_native_sums sums;
		uint64_t queued, mine, its;

		if (group == at.own)
			continue;
		sums = sdpower_i_native_sum(q, group, SDPOWER_I_SUM_COUNTS);
		misfits |= sums.misfit;
		if (!sums.over)
			continue;
		queued = sdpower_i_queued(&sums, sdpower_i_load16(&array[group].weight));
		mine = queued * capacity;
		its = most * sums.capacity;
		if (found != SDPOWER_ID_NONE && (mine < its || (mine == its &&
				sdpower_i_load16(&array[group].first_cpu) <
				sdpower_i_load16(&array[found].first_cpu))))
			continue;
		found = group;
		most = queued;
		capacity = sums.capacity;
	}
	*waiting = found;
	if (found != SDPOWER_ID_NONE)
		return SDPOWER_I_QUICK_WAITING;
	return misfits || (at.spreads && sdpower_i_any_crowded(q, at)) ? SDPOWER_I_QUICK_UNSURE :
		SDPOWER_I_QUICK_NOTHING;
}

#endif
