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

/* Where a domain or a group lies: some runs of the tree. */
struct sdpower_i_area {
	uint32_t run, runs;
};

/* A neighbourhood: the cpus that share the last-level cache of one. */
struct sdpower_i_near {
	uint32_t pos;         /* whose */
	uint32_t depth;       /* of the level, or NO_LEVEL: the cpu alone */
	struct sdpower_i_area area;
};

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
	struct sdpower_i_near near; /* what is searched */
	uint32_t avoid[SDPOWER_I_HOMES]; /* groups that have no room, whatever their sums say */
	uint32_t avoided;
};

/* native_seek.c: starts a search; util 0 = not known. */
void sdpower_i_seek_start(struct sdpower_i_seek *q, const struct sdpower *s,
	const struct sdpower_i_view *v, struct sdpower_i_mask affinity, uint32_t util);

/* Goes to the neighbourhood of a position. */
void sdpower_i_seek_near(struct sdpower_i_seek *q, uint32_t pos);

/* True iff a position is in that neighbourhood. */
int sdpower_i_is_near(const struct sdpower_i_seek *q, uint32_t pos);

/* Looks at one cpu; 1 = no cpu can be better. */
int sdpower_i_seek_cpu(struct sdpower_i_seek *q, uint32_t pos);

/* Looks at an area, from `start` around; 1 = no cpu can be better. */
int sdpower_i_seek_area(struct sdpower_i_seek *q, struct sdpower_i_area area, uint32_t start);

/* Looks at the neighbourhood, its nearest part first; 1 = no cpu can be better. */
int sdpower_i_seek_cache(struct sdpower_i_seek *q);

/* W6: outwards from it until a cpu is found or the budget is used up. */
void sdpower_i_seek_far(struct sdpower_i_seek *q);

/* The cpu in use of it with the least room that the task fits beside, or NONE16 (W5). */
uint32_t sdpower_i_seek_shared(const struct sdpower_i_seek *q);

/* The permitted cpu with the least load per capacity; the asker or the first one of equals. */
uint32_t sdpower_i_seek_least(const struct sdpower_i_seek *q, struct sdpower_i_area area,
	uint32_t asker);

/* The lowest permitted cpu's position, or NONE16. */
uint32_t sdpower_i_first_permitted(const struct sdpower_i_view *v, struct sdpower_i_mask affinity);

/* The first cpu of a group that the task may run on, or NONE16. */
uint32_t sdpower_i_first_of(const struct sdpower_i_seek *q, uint32_t group);

/* Single words of a level; a copy of all of it is more than most questions need. */
static inline uint32_t sdpower_i_flags_at(const struct sdpower_i_view *v, uint32_t pos,
	uint32_t depth)
{
	return sdpower_i_load(&sdpower_i_link_at(v, pos, depth)->flags);
}

static inline struct sdpower_i_area sdpower_i_area_of(const struct sdpower_i_view *v, uint32_t run,
	uint32_t runs)
{
	struct sdpower_i_area a;

	a.run = run;
	a.runs = SDPOWER_LIKELY(run + runs <= v->forest->bounds.runs) ? runs : 0;
	return a;
}

static inline struct sdpower_i_area sdpower_i_area_at(const struct sdpower_i_view *v, uint32_t pos,
	uint32_t depth)
{
	const uint32_t index = sdpower_i_load16(&sdpower_i_link_at(v, pos, depth)->domain);
	const struct sdpower_i_domain *d =
		&v->tree->domains[sdpower_i_below(index, v->forest->bounds.domains)];

	return sdpower_i_area_of(v, sdpower_i_load(&d->run), sdpower_i_load16(&d->runs));
}

/* Group by its index in the tree's array. */
static inline struct sdpower_i_area sdpower_i_area_of_group(const struct sdpower_i_view *v,
	uint32_t group)
{
	const struct sdpower_i_group *g =
		&v->tree->groups[sdpower_i_below(group, v->forest->bounds.groups)];

	return sdpower_i_area_of(v, sdpower_i_load(&g->run), sdpower_i_load16(&g->runs));
}

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

static inline int sdpower_i_fits_beside(const struct sdpower_i_seek *q,
	const struct sdpower_i_cpu_view *c)
{
	return q->fill && sdpower_i_room_beside(c, q->fill) >= q->demand;
}

/* The task may join the tasks of this cpu (W5). */
static inline int sdpower_i_shares(const struct sdpower_i_seek *q, uint32_t pos)
{
	const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);

	return sdpower_i_fits_beside(q, &c) && sdpower_i_may_run(q, pos);
}

/* What a group is asked for when tasks are placed. */
struct sdpower_i_tenants {
	uint64_t load, util, capacity;
	uint32_t cpus, cores;
	uint32_t used;        /* cpus with tasks */
	uint32_t room;        /* most share of time that one of these can still take */
	uint32_t usable;      /* cpus that the task could be given, as far as affinity says */
};

/* Takes the blocks it looks at from the budget. */
void sdpower_i_count_tenants(struct sdpower_i_seek *q, uint32_t group,
	struct sdpower_i_tenants *t);

/*
 * native_home.c, W4: a position in the fullest group with room, level by level from the
 * outermost that saves power; pos itself when it is there. *in_use = 0: that wakes a group.
 */
uint32_t sdpower_i_home(struct sdpower_i_seek *q, uint32_t pos, int *in_use);

/* Which group of a level that saves power that would be, in the tree's array; or none: ID_NONE. */
uint32_t sdpower_i_fullest(struct sdpower_i_seek *q, const struct sdpower_i_link *link,
	const struct sdpower_i_domain *domain, int *in_use);

/*
 * native_margin.c, W8: true iff running on the other cpu takes enough less energy than on the
 * previous one, which is idle; without a power table always.
 */
int sdpower_i_pays_to_leave(const struct sdpower_i_seek *q, uint32_t prev, uint32_t other);

/* The innermost group in which a home lies has no room after all. 0 = enough were tried. */
int sdpower_i_avoid(struct sdpower_i_seek *q, uint32_t pos);

#endif
