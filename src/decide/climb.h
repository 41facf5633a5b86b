/* SPDX-License-Identifier: MIT */
/*
 * Rules D12 and D13: one walk over the levels of a cpu, innermost first, and when the next
 * one is due. Pure: the caller looks levels up, takes the lock and balances.
 */
#ifndef SDPOWER_I_CLIMB_H
#define SDPOWER_I_CLIMB_H

#include "../state/pace.h"

/* Ticks are counted modulo a power of two; all comparisons are of signed differences. */
struct sdpower_i_ticks {
	uint64_t mask;   /* highest tick number */
	uint32_t hz;     /* ticks per second */
	uint64_t longest;/* longest wait of a periodic level, ticks */
};

struct sdpower_i_climb {
	uint64_t now;    /* tick */
	uint64_t limit;  /* earliest tick something is due, as far as known */
	uint64_t wait;   /* of the level being visited, ticks */
	uint32_t idle;   /* enum sdpower_idle; becomes NOT_IDLE once something moved */
	uint32_t found;  /* a level has set the limit, or the limit holds anyway */
	uint32_t over;   /* no further level is visited */
};

/* What to do about a level. */
enum sdpower_i_visit {
	SDPOWER_I_VISIT_PASS,  /* the level takes no part */
	SDPOWER_I_VISIT_WAIT,  /* it counts for the deadline only: leave it */
	SDPOWER_I_VISIT_LOCK,  /* try the one lock, then sdpower_i_climb_locked */
	SDPOWER_I_VISIT_CALL   /* balance it, then sdpower_i_climb_called */
};

static inline struct sdpower_i_ticks sdpower_i_ticks_of(uint32_t bits, uint32_t hz, uint32_t cpus)
{
	const uint64_t longest = (uint64_t)hz * cpus / 10u;
	/* With ticks as long as that, every tick: a wait of none would be due again at once. */
	const struct sdpower_i_ticks t = { UINT64_MAX >> (64u - bits), hz, longest ? longest : 1u };

	return t;
}

/* True iff tick `now` is at or behind tick `when`. */
int sdpower_i_ticks_due(const struct sdpower_i_ticks *t, uint64_t now, uint64_t when);

/* False iff no walk up to tick `now` can have set this deadline: time has run backwards since. */
int sdpower_i_ticks_plausible(const struct sdpower_i_ticks *t, uint64_t now, uint64_t next);

void sdpower_i_climb_start(struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	uint64_t now, uint32_t idle);

/* The next level up, by its flags. */
enum sdpower_i_visit sdpower_i_climb_enter(struct sdpower_i_climb *c,
	const struct sdpower_i_ticks *t, const struct sdpower_i_pace *pace, uint32_t flags,
	uint32_t busy_factor);

/* After the lock was had: WAIT or CALL. */
enum sdpower_i_visit sdpower_i_climb_locked(struct sdpower_i_climb *c,
	const struct sdpower_i_ticks *t, const struct sdpower_i_pace *pace);

/* After balancing: what it returned, and whether this cpu is the one to balance. */
void sdpower_i_climb_called(struct sdpower_i_climb *c, struct sdpower_i_pace *pace,
	int32_t moved, uint32_t balancer);

/* Every level that was not passed, at its end: called, waiting, or refused by the lock. */
void sdpower_i_climb_leave(struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	const struct sdpower_i_pace *pace);

/* After the last level: the tick the next walk is due at, given the present one. */
uint64_t sdpower_i_climb_end(const struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	uint64_t next);

#endif
