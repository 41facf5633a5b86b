/* SPDX-License-Identifier: MIT */
/* Rules D12 and D13: the order of the levels, due times, and the next deadline. */
#include "climb.h"

#include <sdpower/types.h>

/* How far ahead a walk looks at most; what lies beyond is found by the next walk. */
#define PERIODIC_SECONDS 60u
#define NEWIDLE_SECONDS 1u

static int64_t difference(const struct sdpower_i_ticks *t, uint64_t to, uint64_t from)
{
	const uint64_t d = (to - from) & t->mask;

	return d > t->mask / 2 ? -(int64_t)(t->mask - d) - 1 : (int64_t)d;
}

static int is_before(const struct sdpower_i_ticks *t, uint64_t a, uint64_t b)
{
	return difference(t, a, b) < 0;
}

int sdpower_i_ticks_due(const struct sdpower_i_ticks *t, uint64_t now, uint64_t when)
{
	return difference(t, now, when) >= 0;
}

int sdpower_i_ticks_plausible(const struct sdpower_i_ticks *t, uint64_t now, uint64_t next)
{
	return difference(t, next, now) <= (int64_t)((uint64_t)t->hz * PERIODIC_SECONDS);
}

static uint64_t ticks_of_ms(const struct sdpower_i_ticks *t, uint64_t ms)
{
	return (ms * t->hz + 999u) / 1000u;
}

static int is_newidle(const struct sdpower_i_climb *c)
{
	return c->idle == SDPOWER_CPU_NEWLY_IDLE;
}

void sdpower_i_climb_start(struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	uint64_t now, uint32_t idle)
{
	c->now = now & t->mask;
	c->idle = idle;
	c->limit = (c->now + (uint64_t)t->hz * (is_newidle(c) ? NEWIDLE_SECONDS : PERIODIC_SECONDS)) &
		t->mask;
	c->wait = 0;
	c->found = c->over = 0;
}

static uint64_t periodic_wait(const struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	uint32_t interval, uint32_t busy_factor)
{
	uint64_t ms = interval, wait;

	if (c->idle != SDPOWER_CPU_IDLE)
		ms *= busy_factor;
	wait = ticks_of_ms(t, ms);
	if (wait == 0)
		wait = 1;
	return wait < t->longest ? wait : t->longest;
}

enum sdpower_i_visit sdpower_i_climb_enter(struct sdpower_i_climb *c,
	const struct sdpower_i_ticks *t, const struct sdpower_i_pace *pace, uint32_t flags,
	uint32_t busy_factor)
{
	if (!(flags & SDPOWER_SD_LOAD_BALANCE))
		return SDPOWER_I_VISIT_PASS;
	if (is_newidle(c))
		return flags & SDPOWER_SD_BALANCE_NEWIDLE ? SDPOWER_I_VISIT_CALL : SDPOWER_I_VISIT_WAIT;
	c->wait = periodic_wait(c, t, pace->interval, busy_factor);
	if (flags & SDPOWER_SD_SERIALIZE)
		return SDPOWER_I_VISIT_LOCK;
	return sdpower_i_climb_locked(c, t, pace);
}

enum sdpower_i_visit sdpower_i_climb_locked(struct sdpower_i_climb *c,
	const struct sdpower_i_ticks *t, const struct sdpower_i_pace *pace)
{
	return sdpower_i_ticks_due(t, c->now, pace->last + c->wait) ? SDPOWER_I_VISIT_CALL :
		SDPOWER_I_VISIT_WAIT;
}

void sdpower_i_climb_called(struct sdpower_i_climb *c, struct sdpower_i_pace *pace,
	int32_t moved, uint32_t balancer)
{
	if (is_newidle(c)) {
		c->over = moved != 0;
		return;
	}
	if (moved)
		c->idle = SDPOWER_CPU_NOT_IDLE;
	pace->last = c->now;
	c->over = !balancer;
}

void sdpower_i_climb_leave(struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	const struct sdpower_i_pace *pace)
{
	uint64_t due;

	if (is_newidle(c))
		c->wait = ticks_of_ms(t, pace->interval);
	due = (pace->last + c->wait) & t->mask;
	if (is_before(t, due, c->limit)) {
		c->limit = due;
		c->found = !is_newidle(c);
	}
}

uint64_t sdpower_i_climb_end(const struct sdpower_i_climb *c, const struct sdpower_i_ticks *t,
	uint64_t next)
{
	if (is_newidle(c))
		return c->over || is_before(t, next, c->now) ? c->limit : next;
	return c->found ? c->limit : next;
}
