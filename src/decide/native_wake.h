/* SPDX-License-Identifier: MIT */
/*
 * Choosing a cpu for a task under the native rules (docs/POLICY.md, part W): a search that is
 * carried from span to span and remembers the best cpu it has seen.
 */
#ifndef SDPOWER_I_NATIVE_WAKE_H
#define SDPOWER_I_NATIVE_WAKE_H

#include "native.h"

/* No such level of a chain. */
#define SDPOWER_I_NO_LEVEL UINT32_MAX

/* Blocks looked at beyond the last-level cache, so that a wake-up has a price (W6). */
#define SDPOWER_I_FAR_BLOCKS 32u

/* Times a fuller group is looked for after the one that was found turned out to have no room. */
#define SDPOWER_I_HOMES 4u

/* Set in the rank of a cpu the task fits on. */
#define SDPOWER_I_FITS 0x80000000u

struct sdpower_i_seek {
	const struct sdpower *s;
	const struct sdpower_i_view *view;
	struct sdpower_i_mask affinity;
	uint32_t demand;      /* share of time of the task, S when it is not known */
	uint32_t fit_percent;
	uint32_t fill;        /* per cent a cpu in use may be filled to; 0 = tasks share none */
	uint32_t level;       /* active level: 0 none, 1 basic, 2 wake-up */
	uint32_t threads;     /* 1 = a thread of a core in use before an idle core */
	uint32_t small;       /* 1 = of the cpus that fit, the smallest first */
	uint32_t top;         /* rank of the best cpu there can be */
	uint32_t self;        /* the cpu whose only task this is, or NONE16 */
	uint32_t blocks;      /* that may still be looked at */
	uint32_t pos, rank;   /* best so far, or NONE16 and 0 */
	uint32_t awake;       /* first cpu seen that is awake without work, or NONE16 */
	uint32_t avoid[SDPOWER_I_HOMES]; /* groups that have no room, whatever their sums say */
	uint32_t avoided;
};

/* native_seek.c: starts a search; util 0 = not known. */
void sdpower_i_seek_start(struct sdpower_i_seek *q, const struct sdpower *s,
	const struct sdpower_i_view *v, struct sdpower_i_mask affinity, uint32_t util);

/* Looks at one cpu; 1 = no cpu can be better. */
int sdpower_i_seek_cpu(struct sdpower_i_seek *q, uint32_t pos);

/* Looks at runs, from `start` around; 1 = no cpu can be better. */
int sdpower_i_seek_runs(struct sdpower_i_seek *q, uint32_t run, uint32_t runs, uint32_t start);

/* Looks at the cpus that share the last-level cache of a position, its nearest ones first. */
int sdpower_i_seek_cache(struct sdpower_i_seek *q, uint32_t pos);

/* W6: outwards from that cache until a cpu is found or the budget is used up. */
void sdpower_i_seek_far(struct sdpower_i_seek *q, uint32_t pos);

/* The cpu in use with the least room that the task fits beside, or NONE16 (W5). */
uint32_t sdpower_i_seek_shared(const struct sdpower_i_seek *q, uint32_t pos);

/* The permitted cpu with the least load per capacity; the first in position order of equals. */
uint32_t sdpower_i_seek_least(const struct sdpower_i_seek *q, uint32_t run, uint32_t runs,
	uint32_t asker);

/* The highest level that shares a cache, or NO_LEVEL. */
uint32_t sdpower_i_cache_level(const struct sdpower_i_view *v, uint32_t pos);

/* True iff both share the last-level cache of the first. */
int sdpower_i_same_cache(const struct sdpower_i_view *v, uint32_t a, uint32_t b);

/* The lowest permitted cpu's position, or NONE16. */
uint32_t sdpower_i_first_permitted(const struct sdpower_i_view *v, struct sdpower_i_mask affinity);

static inline int sdpower_i_may_run(const struct sdpower_i_seek *q, uint32_t pos)
{
	return pos < q->view->forest->cpu_count &&
		sdpower_i_mask_has(q->affinity, q->view->forest->cpu_at[pos]) &&
		sdpower_i_is_active(q->view, pos);
}

/* Whatever is too much for the strongest cpu fits there all the same. */
static inline int sdpower_i_fits(const struct sdpower_i_seek *q, uint32_t capacity)
{
	return capacity >= SDPOWER_SCALE ||
		(uint64_t)100 * q->demand <= (uint64_t)q->fit_percent * capacity;
}

/* Runs nothing, has nothing to run, and nobody is waking it. */
static inline int sdpower_i_unused(const struct sdpower *s, uint32_t pos)
{
	const struct sdpower_i_slot *slot = &s->slots[pos];

	return sdpower_i_load(&slot->status) == SDPOWER_I_IDLE && !sdpower_i_load(&slot->nr);
}

static inline int sdpower_i_fits_beside(const struct sdpower_i_seek *q, uint32_t pos)
{
	const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);

	return q->fill && c.nr && (uint64_t)100 * ((uint64_t)c.util + q->demand) <=
		(uint64_t)q->fill * c.capacity;
}

/* What a group is asked for when tasks are placed. */
struct sdpower_i_tenants {
	uint64_t load, util, capacity;
	uint32_t cpus, cores, used;
	uint32_t usable;      /* cpus that the task could be given, as far as affinity says */
	uint32_t last_core;   /* of the positions counted so far */
};

void sdpower_i_count_tenants(const struct sdpower_i_seek *q, const struct sdpower_i_group *group,
	struct sdpower_i_tenants *t);

/*
 * native_home.c, W4: a position in the fullest group with room, level by level from the
 * outermost that saves power; pos itself when it is there. *in_use = 0: that wakes a group.
 */
uint32_t sdpower_i_home(struct sdpower_i_seek *q, uint32_t pos, int *in_use);

/* Which group of a level that saves power that would be, in the tree's array; or none: ID_NONE. */
uint32_t sdpower_i_fullest(const struct sdpower_i_seek *q, const struct sdpower_i_link *link,
	const struct sdpower_i_domain *domain, int *in_use);

/*
 * native_margin.c, W8: true iff running on the other cpu takes enough less energy than on the
 * previous one, which is idle; without a power table always.
 */
int sdpower_i_pays_to_leave(const struct sdpower_i_seek *q, uint32_t prev, uint32_t other);

/* The innermost group in which a home lies has no room after all. 0 = enough were tried. */
int sdpower_i_avoid(struct sdpower_i_seek *q, uint32_t pos);

#endif
