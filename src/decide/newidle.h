/* SPDX-License-Identifier: MIT */
/* Newidle trackers: what state, cost, walk and pass share. Rules: docs/POLICY.md, part N. */
#ifndef SDPOWER_I_NEWIDLE_H
#define SDPOWER_I_NEWIDLE_H

#include <sdpower/newidle.h>

/* What differs by mode, as the table of part N names it. */
static inline int sdpower_i_newidle_is_dq(const struct sdpower_newidle_rules *r)
{
	return r->mode == SDPOWER_NEWIDLE_DQ;
}

static inline int sdpower_i_newidle_draws(const struct sdpower_newidle_rules *r)
{
	return r->mode >= SDPOWER_NEWIDLE_K619;
}

static inline struct sdpower_newidle_level *sdpower_i_newidle_level(
	const struct sdpower_newidle *t, uint32_t index)
{
	void *level = (char *)t->levels + (size_t)index * t->level_stride;

	return (struct sdpower_newidle_level *)level;
}

static inline uint64_t sdpower_i_tick_mask(const struct sdpower_newidle_rules *r)
{
	return r->tick_bits == 32 ? UINT32_MAX : UINT64_MAX;
}

/* Where a tick counter stands after a number of ticks more. */
static inline uint64_t sdpower_i_tick_add(const struct sdpower_newidle_rules *r, uint64_t tick,
	uint64_t ticks)
{
	return (tick + ticks) & sdpower_i_tick_mask(r);
}

/* a is later than b, if they are less than half the counter's range apart. */
static inline int sdpower_i_tick_after(const struct sdpower_newidle_rules *r, uint64_t a,
	uint64_t b)
{
	const uint64_t mask = sdpower_i_tick_mask(r);

	return ((b - a) & mask) > mask >> 1;
}

static inline uint64_t sdpower_i_tick_earlier(const struct sdpower_newidle_rules *r, uint64_t a,
	uint64_t b)
{
	return sdpower_i_tick_after(r, a, b) ? b : a;
}

/* OK, or why the rules and the state cannot be used. */
sdpower_status sdpower_i_newidle_check(const struct sdpower_newidle *t);

/* When the level is due for its next pass. */
uint64_t sdpower_i_newidle_due(const struct sdpower_newidle_rules *r,
	const struct sdpower_newidle_level *l, int busy);

/* N3: one step of decay if it is time for one: 1, else 0. */
int sdpower_i_newidle_decay(const struct sdpower_newidle_rules *r,
	struct sdpower_newidle_level *l, uint64_t tick);

/* N3: a search of the level has cost so much; success is its weight, or 0. */
void sdpower_i_newidle_charge(const struct sdpower_newidle_rules *r,
	struct sdpower_newidle_level *l, uint64_t cost_ns, uint32_t success, uint64_t tick,
	uint64_t now_ns);

/* N6: one call of the level, for its ratio of successes. */
void sdpower_i_newidle_count(const struct sdpower_newidle_rules *r,
	struct sdpower_newidle_level *l, uint32_t success, uint64_t now_ns);

/* N6: whether the level is searched only after a draw. */
int sdpower_i_newidle_needs_draw(const struct sdpower_newidle_rules *r,
	const struct sdpower_newidle_level *l);

/* N6: whether a draw lets the level be searched; if so, what a success will count. */
int sdpower_i_newidle_draw_wins(const struct sdpower_newidle_level *l, uint32_t draw,
	uint32_t *weight);

#endif
