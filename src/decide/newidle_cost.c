/* SPDX-License-Identifier: MIT */
/* Newidle trackers: cost and success of a level, and its intervals (rules N3, N5, N6). */
#include "newidle.h"

/* A window of the success ratio, and what the ratio is a share of. */
#define WINDOW 1024u
/* k70: 2^22 ns of window count as one success, so that 4.29 s fill it. */
#define RATE_SHIFT 22
/* k617: no search is believed to cost more than a migration and this. */
#define BUMP_SLACK_NS 200u
/* cost * 253 / 256: half of it is left after 59 steps. */
#define DECAY_FACTOR 253u
#define DECAY_SHIFT 8

/* Milliseconds as ticks, rounded up; exact below 2^32 ms, where every interval is capped. */
static uint64_t ms_to_ticks(const struct sdpower_newidle_rules *r, uint64_t ms)
{
	const uint32_t all = ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;

	return (uint64_t)(all / 1000) * r->hz + (all % 1000 * r->hz + 999) / 1000;
}

/* A tenth of a second for every cpu, but never no time at all. */
static uint64_t longest_interval(const struct sdpower_newidle_rules *r)
{
	const uint64_t ticks = (uint64_t)(r->hz / 10) * r->cpus + r->hz % 10 * r->cpus / 10;

	return ticks ? ticks : 1;
}

static uint64_t interval(const struct sdpower_newidle_rules *r,
	const struct sdpower_newidle_level *l, int busy)
{
	const uint64_t longest = longest_interval(r);
	uint64_t ticks;

	ticks = ms_to_ticks(r, busy ? (uint64_t)l->interval_ms * l->busy_factor : l->interval_ms);
	/* One less keeps the levels' periods from being multiples of each other. */
	if (busy && ticks)
		ticks--;
	if (!ticks)
		return 1;
	return ticks < longest ? ticks : longest;
}

uint64_t sdpower_i_newidle_due(const struct sdpower_newidle_rules *r,
	const struct sdpower_newidle_level *l, int busy)
{
	return sdpower_i_tick_add(r, l->last_balance, interval(r, l, busy));
}

/* k515 keeps when the next step is due, the others when the last change was. */
int sdpower_i_newidle_decay(const struct sdpower_newidle_rules *r,
	struct sdpower_newidle_level *l, uint64_t tick)
{
	const int keeps_due = r->mode == SDPOWER_NEWIDLE_K515;
	const uint64_t due = keeps_due ? l->stamp : sdpower_i_tick_add(r, l->stamp, r->hz);

	if (!sdpower_i_tick_after(r, tick, due))
		return 0;
	l->cost_ns = l->cost_ns * DECAY_FACTOR >> DECAY_SHIFT;
	l->stamp = keeps_due ? sdpower_i_tick_add(r, tick, r->hz) : tick;
	return 1;
}

static uint64_t believed(const struct sdpower_newidle_rules *r, uint64_t cost_ns)
{
	const uint64_t most = r->migration_cost_ns + BUMP_SLACK_NS;

	return r->mode == SDPOWER_NEWIDLE_K617 && cost_ns > most ? most : cost_ns;
}

void sdpower_i_newidle_charge(const struct sdpower_newidle_rules *r,
	struct sdpower_newidle_level *l, uint64_t cost_ns, uint32_t success, uint64_t tick,
	uint64_t now_ns)
{
	if (r->mode == SDPOWER_NEWIDLE_K515) {
		if (cost_ns > l->cost_ns)
			l->cost_ns = cost_ns;
		return;
	}
	if (sdpower_i_newidle_draws(r) && cost_ns)
		sdpower_i_newidle_count(r, l, success, now_ns);
	/* k617 makes a failure dearer than it was, in steps of a half. */
	if (r->mode == SDPOWER_NEWIDLE_K617 && !success)
		cost_ns = l->cost_ns * 3 / 2;
	if (cost_ns > l->cost_ns) {
		l->cost_ns = believed(r, cost_ns);
		l->stamp = tick;
	} else {
		(void)sdpower_i_newidle_decay(r, l, tick);
	}
}

/* k70: what a window that took long adds to its successes. */
static uint64_t slowness(const struct sdpower_newidle_level *l, uint64_t now_ns)
{
	const uint64_t window = now_ns - l->window_ns;

	return window >> 63 ? 0 : window >> RATE_SHIFT;
}

void sdpower_i_newidle_count(const struct sdpower_newidle_rules *r,
	struct sdpower_newidle_level *l, uint32_t success, uint64_t now_ns)
{
	uint64_t ratio;

	l->calls++;
	l->hits += success;
	if (l->calls < WINDOW)
		return;
	ratio = l->hits;
	if (r->mode == SDPOWER_NEWIDLE_K70) {
		ratio += slowness(l, now_ns);
		ratio = ratio < WINDOW ? ratio : WINDOW;
		l->window_ns = now_ns;
	}
	l->ratio = (uint32_t)ratio;
	l->calls /= 2;
	l->hits /= 2;
}

int sdpower_i_newidle_needs_draw(const struct sdpower_newidle_rules *r,
	const struct sdpower_newidle_level *l)
{
	return r->mode == SDPOWER_NEWIDLE_K619 ||
		(r->mode == SDPOWER_NEWIDLE_K70 && l->ratio < WINDOW);
}

int sdpower_i_newidle_draw_wins(const struct sdpower_newidle_level *l, uint32_t draw,
	uint32_t *weight)
{
	const uint32_t share = l->ratio < 2 * WINDOW ? l->ratio + 1 : 2 * WINDOW + 1;

	if (draw % WINDOW > share)
		return 0;
	/* Rounded to nearest; 0 above twice the window, which only k619 reaches. */
	*weight = (WINDOW + share / 2) / share;
	return 1;
}
