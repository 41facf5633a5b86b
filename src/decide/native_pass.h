/* SPDX-License-Identifier: MIT */
/*
 * The pass of the native rules over the groups of a level: all are summed, and the ones that the
 * rules P1, P4 and P5 could take from are remembered. Expanded into the one question that asks.
 */
#ifndef SDPOWER_I_NATIVE_PASS_H
#define SDPOWER_I_NATIVE_PASS_H

#include "native_queue.h"

/* Work that waits is pulled, work that runs is pushed: the largest of groups by some measure. */
struct choice {
	uint32_t group, first_cpu;
	uint64_t amount, capacity;
	uint32_t nr;
};

/* What the pass over the groups has found. */
struct pass {
	struct sdpower_i_native_search q;
	struct sdpower_i_native_sums local;
	struct choice waiting;      /* P1: most queued tasks for its capacity */
	struct choice crowded;      /* P4: most tasks for its capacity */
	struct choice loaded;       /* P5: most load for its capacity */
	uint32_t own;               /* index of the local group */
	uint32_t misfits;           /* P2: cpus whose task is too large for them */
	uint32_t saves, patient;    /* the level saves power; and leaves work to others for a while */
	uint32_t prioritised;       /* P3 applies */
	uint32_t spreads;           /* P4 applies */
	uint32_t idle;              /* the asker has no tasks */
	uint32_t picky;             /* not every cpu of a group may give */
	uint32_t uneven;            /* or not to a cpu as small as the asker */
	uint32_t room_elsewhere;    /* an active group other than the local one has an unused cpu */
	uint32_t core_elsewhere;    /* or fewer tasks than cores */
	uint32_t left_alone;        /* work waits where an unused cpu is near */
	uint32_t over_utilised;     /* a group has more to do than it can */
};

static inline void consider(struct choice *best, const struct pass *p, uint32_t group,
	uint64_t amount, const struct sdpower_i_native_sums *sums)
{
	const uint32_t first = sdpower_i_load16(&p->q.view->tree->groups[group].first_cpu);

	if (best->group != SDPOWER_ID_NONE) {
		const uint64_t mine = amount * best->capacity, its = best->amount * sums->capacity;

		if (mine < its || (mine == its && first < best->first_cpu))
			return;
	}
	*best = (struct choice){ group, first, amount, sums->capacity, sums->nr };
}

/* P1, and P5 for who is busy itself. */
static SDPOWER_NOINLINE void consider_over(struct pass *p, uint32_t group,
	const struct sdpower_i_native_sums *sums)
{
	const uint32_t weight = sdpower_i_get_group(p->q.view, group).weight;

	if (p->picky && sdpower_i_native_loaded(&p->q, group) == SDPOWER_I_NONE16)
		return;
	if (!p->idle) {
		consider(&p->loaded, p, group, sums->load, sums);
		return;
	}
	if (p->patient && sums->unused)
		p->left_alone = 1;
	else
		consider(&p->waiting, p, group, sdpower_i_queued(sums, weight), sums);
}

/* Nodes are left to differ by a few tasks. */
static inline int differs_enough(const struct pass *p, const struct sdpower_i_native_sums *local,
	const struct sdpower_i_native_sums *sums)
{
	const uint32_t allowed = p->q.level.link.imb_numa_nr;

	return !(p->q.level.link.flags & SDPOWER_SD_NUMA) || (sums->nr > local->nr &&
		sums->nr - local->nr > (allowed > 1 ? allowed : 1));
}

/* P4: a level that saves power only gives away what goes beyond one task for each core. */
static inline void consider_crowded(struct pass *p, uint32_t group,
	const struct sdpower_i_native_sums *sums)
{
	if (!sdpower_i_is_crowded(&p->local, sums) || !differs_enough(p, &p->local, sums))
		return;
	if (p->saves && sums->nr <= sdpower_i_native_cores(&p->q, group))
		return;
	if (p->uneven && sdpower_i_native_crowded(&p->q, group) == SDPOWER_I_NONE16)
		return;
	consider(&p->crowded, p, group, sums->nr, sums);
}

static inline void look_at_use(struct pass *p, uint32_t group,
	const struct sdpower_i_native_sums *sums)
{
	p->over_utilised |= sums->util > sums->capacity;
	if (group == p->own || !sums->nr)
		return;
	p->room_elsewhere |= sums->unused != 0;
	if (p->spreads)
		p->core_elsewhere |= sums->nr < sdpower_i_native_cores(&p->q, group);
}

/* Anybody's question. */
static inline void look_at_groups(struct pass *p)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;

	p->local = sdpower_i_native_sum(&p->q, p->own, SDPOWER_I_SUM_ALL);
	if (p->saves)
		look_at_use(p, p->own, &p->local);
	for (uint32_t group = first; group < end; group++) {
		struct sdpower_i_native_sums sums;

		if (group == p->own)
			continue;
		sums = sdpower_i_native_sum(&p->q, group, SDPOWER_I_SUM_ALL);
		if (sums.over)
			consider_over(p, group, &sums);
		p->misfits += sums.misfit;
		if (p->spreads)
			consider_crowded(p, group, &sums);
		if (p->saves)
			look_at_use(p, group, &sums);
	}
}

#endif
