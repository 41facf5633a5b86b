/* SPDX-License-Identifier: MIT */
/*
 * What the native rules see of one cpu, and the sums of it that block records keep. The same
 * words decide here and where slots are read, so that an answer never depends on whether a
 * record was up to date.
 */
#ifndef SDPOWER_I_CROWD_H
#define SDPOWER_I_CROWD_H

#include "state.h"

/* One cpu as the native rules see it. */
struct sdpower_i_cpu_view {
	uint32_t load, nr;
	uint32_t util;      /* share of time of its tasks, 1024 = a whole cpu */
	uint32_t capacity;  /* what is left of the cpu, 1 .. 1024 */
	uint32_t status;    /* enum sdpower_i_status */
};

/* What of the tuning the sums depend on. */
struct sdpower_i_limits {
	uint32_t spread_percent, fit_percent;
	uint32_t stacking;  /* several tasks may share a cpu to save power */
	uint32_t outside;   /* other programs may have taken something */
};

static inline struct sdpower_i_limits sdpower_i_limits_of(const struct sdpower *s,
	const struct sdpower_i_tree *tree)
{
	struct sdpower_i_limits l;

	l.spread_percent = sdpower_i_load(&s->tuning.spread_percent);
	l.fit_percent = sdpower_i_load(&s->tuning.fit_percent);
	l.stacking = sdpower_i_load(&tree->mc) == 2 && sdpower_i_load(&tree->smt) == 2;
	l.outside = sdpower_i_load(&s->outside_used);
	return l;
}

/* Capacity that other programs leave; never 0, so that it may divide. */
static inline uint32_t sdpower_i_capacity_left(const struct sdpower *s, uint32_t pos)
{
	uint32_t capacity = s->forest.capacity[pos], others, most;

	if (SDPOWER_LIKELY(!sdpower_i_load(&s->outside_used)))
		return capacity;
	others = sdpower_i_load(&s->outside[pos].util);
	most = sdpower_i_load(&s->outside[pos].capacity);
	capacity = most < capacity ? most : capacity;
	return capacity > others ? capacity - others : 1u;
}

/* Without a measure every runnable task counts as a whole cpu. */
static inline uint32_t sdpower_i_util_now(const struct sdpower_i_slot *slot, uint32_t nr)
{
	return sdpower_i_load(&slot->has_util) ? sdpower_i_load(&slot->util) :
		nr * SDPOWER_SCALE;
}

static inline struct sdpower_i_cpu_view sdpower_i_look(const struct sdpower *s, uint32_t pos)
{
	const struct sdpower_i_slot *slot = &s->slots[pos];
	struct sdpower_i_cpu_view c;

	c.load = sdpower_i_load(&slot->load);
	c.nr = sdpower_i_load(&slot->nr);
	c.util = sdpower_i_util_now(slot, c.nr);
	c.capacity = sdpower_i_capacity_left(s, pos);
	c.status = sdpower_i_load(&slot->status);
	return c;
}

/* More tasks than it should keep: one at a time, or, stacking, as many as it can do. */
static inline int sdpower_i_is_over(const struct sdpower_i_limits *l,
	const struct sdpower_i_cpu_view *c)
{
	if (c->nr < 2)
		return 0;
	return !l->stacking || (uint64_t)100 * c->util > (uint64_t)l->spread_percent * c->capacity;
}

/* One task that is too large for the cpu, and would not be for the largest one. */
static inline int sdpower_i_is_misfit(const struct sdpower_i_limits *l,
	const struct sdpower_i_cpu_view *c)
{
	return c->nr == 1 && c->capacity < SDPOWER_SCALE &&
		(uint64_t)100 * c->util > (uint64_t)l->fit_percent * c->capacity;
}

/* Where the counts of a record lie, 8 bits each; a block has at most 16 cpus. */
enum sdpower_i_count {
	SDPOWER_I_UNUSED = 0,     /* cpus without tasks */
	SDPOWER_I_OVER = 8,       /* that must give tasks away */
	SDPOWER_I_MISFIT = 16,    /* whose one task is too large for them */
	SDPOWER_I_SEARCHING_CPUS = 24 /* that look for work */
};

static inline uint32_t sdpower_i_count_of(uint32_t counts, enum sdpower_i_count which)
{
	return counts >> which & 0xffu;
}

/* True iff a gives before b: more load for its capacity; of equals the higher cpu number. */
static inline int sdpower_i_gives_before(const struct sdpower_i_cpu_view *a, sdpower_cpu a_cpu,
	const struct sdpower_i_cpu_view *b, sdpower_cpu b_cpu)
{
	const uint64_t mine = (uint64_t)a->load * b->capacity, its = (uint64_t)b->load * a->capacity;

	return mine > its || (mine == its && a_cpu > b_cpu);
}

/* Share of time that a task may have to join the tasks of a cpu, filling it to so many per cent. */
static inline uint32_t sdpower_i_room_beside(const struct sdpower_i_cpu_view *c, uint32_t fill)
{
	const uint32_t full = fill * c->capacity / 100u;

	return c->nr && full > c->util ? full - c->util : 0;
}

/* True iff no active thread of the same core comes before: positions of a core are neighbours. */
static inline uint32_t sdpower_i_leads_core(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *tree, uint32_t pos)
{
	const uint16_t *core = f->key[SDPOWER_I_KEY_CORE];

	if (!f->threads || core[pos] == SDPOWER_I_NONE16)
		return 1;
	while (pos-- > 0 && core[pos] == core[pos + 1]) {
		const uint32_t block = f->block_at[pos];
		const uint32_t active = sdpower_i_load16(&tree->active[block]);

		if (active >> (pos - f->blocks[block].first) & 1u)
			return 0;
	}
	return 1;
}

static inline void sdpower_i_crowd_add(struct sdpower_i_crowd *sums,
	const struct sdpower_i_limits *l, const struct sdpower_i_cpu_view *c)
{
	sums->load += c->load;
	sums->util += c->util;
	sums->capacity += c->capacity;
	sums->counts += (uint32_t)(c->nr == 0) << SDPOWER_I_UNUSED |
		(uint32_t)sdpower_i_is_over(l, c) << SDPOWER_I_OVER |
		(uint32_t)sdpower_i_is_misfit(l, c) << SDPOWER_I_MISFIT |
		(uint32_t)(c->status == SDPOWER_I_SEARCHING) << SDPOWER_I_SEARCHING_CPUS;
}

#endif
