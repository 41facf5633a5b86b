/* SPDX-License-Identifier: MIT */
/* Newidle trackers: the periodic pass over all levels (rule N5). */
#include "newidle.h"

/* The longest time without a pass. */
#define PASS_SECONDS 60u
#define PASS_FACTS (SDPOWER_NEWIDLE_PULLED | SDPOWER_NEWIDLE_STOP | SDPOWER_NEWIDLE_BUSY)

/* k515 remembers a decay at any level; later ones forget all but the last level visited. */
static void decay(const struct sdpower_newidle *t, struct sdpower_newidle_level *l,
	struct sdpower_newidle_pass *p)
{
	int decayed;

	/* dq forgets by itself. */
	if (sdpower_i_newidle_is_dq(t->rules))
		return;
	decayed = sdpower_i_newidle_decay(t->rules, l, p->tick);
	if (t->rules->mode == SDPOWER_NEWIDLE_K515)
		p->decayed |= (uint32_t)decayed;
	else
		p->decayed = (uint32_t)decayed;
	p->sum_ns += l->cost_ns;
}

static void note_due(const struct sdpower_newidle *t, const struct sdpower_newidle_level *l,
	struct sdpower_newidle_pass *p)
{
	p->next_balance = sdpower_i_tick_earlier(t->rules, p->next_balance,
		sdpower_i_newidle_due(t->rules, l, (int)p->busy));
}

static void finish(const struct sdpower_newidle *t, struct sdpower_newidle_pass *p)
{
	const uint64_t least = t->rules->migration_cost_ns;

	if (p->decayed)
		t->cpu->max_cost_ns = p->sum_ns > least ? p->sum_ns : least;
	/* Still the start value: no level named a time, and what was planned stays. */
	if (p->next_balance != sdpower_i_tick_add(t->rules, p->tick, PASS_SECONDS * t->rules->hz))
		t->cpu->next_balance = p->next_balance;
	p->step = SDPOWER_NEWIDLE_DONE;
}

/* From p->level on: the next level to balance, or the end. */
static void find_level(const struct sdpower_newidle *t, struct sdpower_newidle_pass *p)
{
	for (; p->level < t->level_count; p->level++) {
		struct sdpower_newidle_level *l = sdpower_i_newidle_level(t, p->level);

		decay(t, l, p);
		if (p->stopped && !p->decayed)
			break;
		if (p->stopped)
			continue;
		if (!sdpower_i_tick_after(t->rules, sdpower_i_newidle_due(t->rules, l, (int)p->busy),
				p->tick)) {
			p->step = SDPOWER_NEWIDLE_BALANCE;
			return;
		}
		note_due(t, l, p);
	}
	finish(t, p);
}

sdpower_status sdpower_newidle_pass_begin(const struct sdpower_newidle *t, uint32_t facts,
	uint64_t tick, struct sdpower_newidle_pass *pass)
{
	const sdpower_status status = sdpower_i_newidle_check(t);

	if (status)
		return status;
	if (!pass || pass->struct_size != sizeof(*pass) || (facts & ~(uint32_t)SDPOWER_NEWIDLE_BUSY))
		return SDPOWER_EINVAL;
	*pass = (struct sdpower_newidle_pass) { .struct_size = sizeof(*pass), .busy = facts != 0,
		.tick = sdpower_i_tick_add(t->rules, tick, 0),
		.next_balance = sdpower_i_tick_add(t->rules, tick, PASS_SECONDS * t->rules->hz) };
	find_level(t, pass);
	return SDPOWER_OK;
}

sdpower_status sdpower_newidle_pass_next(const struct sdpower_newidle *t, uint32_t facts,
	struct sdpower_newidle_pass *pass)
{
	const sdpower_status status = sdpower_i_newidle_check(t);
	struct sdpower_newidle_level *l;

	if (status)
		return status;
	if (!pass || pass->struct_size != sizeof(*pass) || (facts & ~(uint32_t)PASS_FACTS) ||
	    pass->step != SDPOWER_NEWIDLE_BALANCE || pass->level >= t->level_count)
		return SDPOWER_EINVAL;
	l = sdpower_i_newidle_level(t, pass->level);
	if (facts & SDPOWER_NEWIDLE_STOP)
		pass->stopped = 1;
	if (facts & SDPOWER_NEWIDLE_PULLED)
		pass->busy = (facts & SDPOWER_NEWIDLE_BUSY) != 0;
	l->last_balance = pass->tick;
	note_due(t, l, pass);
	pass->level++;
	find_level(t, pass);
	return SDPOWER_OK;
}
