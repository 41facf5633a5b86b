/* SPDX-License-Identifier: MIT */
/* Newidle trackers: the walk of a newly idle cpu through its levels (rule N4). */
#include "newidle.h"

#define ASK_FACTS (SDPOWER_NEWIDLE_OVERLOADED | SDPOWER_NEWIDLE_ACTIVE | \
	SDPOWER_NEWIDLE_PENDING | SDPOWER_NEWIDLE_LOAD_DUE)
#define BUSY_FACTS (SDPOWER_NEWIDLE_PENDING | SDPOWER_NEWIDLE_QUEUED)
#define SEARCH_FACTS (BUSY_FACTS | SDPOWER_NEWIDLE_PULLED | SDPOWER_NEWIDLE_STOP)
#define LOOK_FACTS (SDPOWER_NEWIDLE_QUEUED | SDPOWER_NEWIDLE_HIGHER)

/* k515 and k516 stop between two levels when something runs; later the next search would. */
static int stops_between(const struct sdpower_newidle_rules *r)
{
	return r->mode <= SDPOWER_NEWIDLE_K516;
}

static void done(struct sdpower_newidle_walk *w, uint32_t end)
{
	w->step = SDPOWER_NEWIDLE_DONE;
	w->end = end;
}

/* The way out of all but an inactive cpu; next_balance is only ever moved earlier. */
static void leave(const struct sdpower_newidle *t, struct sdpower_newidle_walk *w, uint32_t end)
{
	struct sdpower_newidle_cpu *cpu = t->cpu;

	cpu->next_balance = sdpower_i_tick_earlier(t->rules, cpu->next_balance, w->next_balance);
	if (w->result)
		cpu->idle_since_ns = 0;
	else if (cpu->avg_idle_ns >= t->rules->migration_cost_ns)
		w->update_load = (w->facts & SDPOWER_NEWIDLE_LOAD_DUE) != 0;
	done(w, end);
}

/* Before any level is looked at; dq has no gate for all of them. */
static int not_worth_it(const struct sdpower_newidle *t, uint32_t facts)
{
	const uint64_t avg = t->cpu->avg_idle_ns;

	if (!(facts & SDPOWER_NEWIDLE_OVERLOADED))
		return 1;
	if (sdpower_i_newidle_is_dq(t->rules))
		return 0;
	if (t->rules->mode == SDPOWER_NEWIDLE_K515)
		return avg < t->rules->migration_cost_ns;
	return t->level_count && avg < sdpower_i_newidle_level(t, 0)->cost_ns;
}

static void note_due(const struct sdpower_newidle *t, const struct sdpower_newidle_level *l,
	struct sdpower_newidle_walk *w)
{
	w->next_balance = sdpower_i_tick_earlier(t->rules, w->next_balance,
		sdpower_i_newidle_due(t->rules, l, 0));
}

static void enter_level(const struct sdpower_newidle *t, struct sdpower_newidle_walk *w)
{
	const int glance = !stops_between(t->rules) && (w->facts & BUSY_FACTS);

	w->step = glance ? SDPOWER_NEWIDLE_GLANCE : SDPOWER_NEWIDLE_SEARCH;
}

static int may_search(const struct sdpower_newidle_level *l)
{
	return (l->flags & SDPOWER_SD_BALANCE_NEWIDLE) != 0;
}

/* From w->level on, the first level whose search is worth it or a probe: N8, N10. */
static void find_worthy(const struct sdpower_newidle *t, struct sdpower_newidle_walk *w)
{
	for (; w->level < t->level_count; w->level++) {
		const struct sdpower_newidle_level *l = sdpower_i_newidle_level(t, w->level);

		note_due(t, l, w);
		if (may_search(l) && sdpower_dq_should_search(t->dq, w->level, w->spent_ns) > 0) {
			w->step = SDPOWER_NEWIDLE_SEARCH;
			return;
		}
	}
	w->step = SDPOWER_NEWIDLE_LOOK;
}

/* From w->level on, the first level to do something about. */
static void find_level(const struct sdpower_newidle *t, struct sdpower_newidle_walk *w)
{
	for (; w->level < t->level_count; w->level++) {
		const struct sdpower_newidle_level *l = sdpower_i_newidle_level(t, w->level);

		note_due(t, l, w);
		if (t->cpu->avg_idle_ns < w->spent_ns + l->cost_ns)
			break;
		if (!may_search(l))
			continue;
		w->weight = 1;
		if (sdpower_i_newidle_needs_draw(t->rules, l))
			w->step = SDPOWER_NEWIDLE_DRAW;
		else
			enter_level(t, w);
		return;
	}
	w->step = SDPOWER_NEWIDLE_LOOK;
}

static void next_level(const struct sdpower_newidle *t, struct sdpower_newidle_walk *w)
{
	w->level++;
	if (sdpower_i_newidle_is_dq(t->rules))
		find_worthy(t, w);
	else
		find_level(t, w);
}

static void refreshed(const struct sdpower_newidle *t, const struct sdpower_newidle_report *report,
	struct sdpower_newidle_walk *w)
{
	/* Later modes charge the refresh to the first level that is searched. */
	if (t->rules->mode == SDPOWER_NEWIDLE_K515)
		w->clock_ns = report->now_ns;
	w->facts |= report->facts;
	/* dq has settled on a level, whose cost the refresh is a part of. */
	if (!sdpower_i_newidle_is_dq(t->rules))
		find_level(t, w);
	else
		w->step = report->facts ? SDPOWER_NEWIDLE_LOOK : SDPOWER_NEWIDLE_SEARCH;
}

static void drawn(const struct sdpower_newidle *t, const struct sdpower_newidle_report *report,
	struct sdpower_newidle_walk *w)
{
	struct sdpower_newidle_level *l = sdpower_i_newidle_level(t, w->level);

	if (sdpower_i_newidle_draw_wins(l, report->draw, &w->weight)) {
		enter_level(t, w);
		return;
	}
	sdpower_i_newidle_count(t->rules, l, 0, report->now_ns);
	next_level(t, w);
}

static void charge(const struct sdpower_newidle *t, const struct sdpower_newidle_walk *w,
	uint64_t cost_ns, uint32_t success)
{
	if (sdpower_i_newidle_is_dq(t->rules))
		(void)sdpower_dq_account(t->dq, w->level, cost_ns, success, w->clock_ns);
	else
		sdpower_i_newidle_charge(t->rules, sdpower_i_newidle_level(t, w->level), cost_ns,
			success, w->tick, w->clock_ns);
}

/* What ends a walk between two levels. */
static uint32_t ends_of(const struct sdpower_newidle_rules *r)
{
	if (sdpower_i_newidle_is_dq(r))
		return SEARCH_FACTS;
	return (uint32_t)SDPOWER_NEWIDLE_PULLED |
		(stops_between(r) ? (uint32_t)BUSY_FACTS : (uint32_t)SDPOWER_NEWIDLE_STOP);
}

static void searched(const struct sdpower_newidle *t, const struct sdpower_newidle_report *report,
	struct sdpower_newidle_walk *w)
{
	const uint32_t facts = w->step == SDPOWER_NEWIDLE_GLANCE ? SDPOWER_NEWIDLE_STOP : report->facts;
	const uint64_t cost = report->now_ns - w->clock_ns;
	uint32_t success = 0;

	if (facts & SDPOWER_NEWIDLE_PULLED)
		success = w->weight;
	w->spent_ns += cost;
	w->clock_ns = report->now_ns;
	w->facts |= facts;
	charge(t, w, cost, success);
	if (facts & ends_of(t->rules))
		w->step = SDPOWER_NEWIDLE_LOOK;
	else
		next_level(t, w);
}

static void looked(const struct sdpower_newidle *t, const struct sdpower_newidle_report *report,
	struct sdpower_newidle_walk *w)
{
	if (t->cpu->max_cost_ns < w->spent_ns && !sdpower_i_newidle_is_dq(t->rules))
		t->cpu->max_cost_ns = w->spent_ns;
	if (report->facts & SDPOWER_NEWIDLE_HIGHER)
		w->result = -1;
	else if ((w->facts & SDPOWER_NEWIDLE_PULLED) || (report->facts & SDPOWER_NEWIDLE_QUEUED))
		w->result = 1;
	leave(t, w, SDPOWER_NEWIDLE_END_WALKED);
}

/* The period has begun: is there anything to search in it? */
static void decide(const struct sdpower_newidle *t, uint32_t facts,
	struct sdpower_newidle_walk *w)
{
	if (not_worth_it(t, facts)) {
		if (t->level_count)
			note_due(t, sdpower_i_newidle_level(t, 0), w);
		leave(t, w, SDPOWER_NEWIDLE_END_DEFERRED);
	} else if (sdpower_i_newidle_is_dq(t->rules)) {
		find_worthy(t, w);
		if (w->step == SDPOWER_NEWIDLE_SEARCH)
			w->step = SDPOWER_NEWIDLE_REFRESH;
		else
			leave(t, w, SDPOWER_NEWIDLE_END_DEFERRED);
	}
}

static void start(const struct sdpower_newidle *t, const struct sdpower_newidle_ask *ask,
	struct sdpower_newidle_walk *w)
{
	*w = (struct sdpower_newidle_walk) { .struct_size = sizeof(*w),
		.step = SDPOWER_NEWIDLE_REFRESH, .weight = 1,
		.facts = ask->facts & SDPOWER_NEWIDLE_LOAD_DUE, .clock_ns = ask->now_ns,
		.tick = sdpower_i_tick_add(t->rules, ask->tick, 0),
		.next_balance = sdpower_i_tick_add(t->rules, ask->tick, t->rules->hz) };
}

sdpower_status sdpower_newidle_begin(const struct sdpower_newidle *t,
	const struct sdpower_newidle_ask *ask, struct sdpower_newidle_walk *walk)
{
	const sdpower_status status = sdpower_i_newidle_check(t);

	if (status)
		return status;
	if (!ask || ask->struct_size != sizeof(*ask) || (ask->facts & ~(uint32_t)ASK_FACTS) ||
	    !walk || walk->struct_size != sizeof(*walk))
		return SDPOWER_EINVAL;
	start(t, ask, walk);
	if (ask->facts & SDPOWER_NEWIDLE_PENDING) {
		done(walk, SDPOWER_NEWIDLE_END_PENDING);
		return SDPOWER_OK;
	}
	/* Before any search: the time spent searching is idle time too. */
	t->cpu->idle_since_ns = ask->now_ns;
	if (sdpower_i_newidle_is_dq(t->rules))
		(void)sdpower_dq_begin(t->dq, ask->now_ns);
	if (ask->facts & SDPOWER_NEWIDLE_ACTIVE)
		decide(t, ask->facts, walk);
	else
		done(walk, SDPOWER_NEWIDLE_END_INACTIVE);
	return SDPOWER_OK;
}

/* Facts that a report on this step may hold. */
static uint32_t facts_of(uint32_t step)
{
	switch (step) {
	case SDPOWER_NEWIDLE_REFRESH:
		return BUSY_FACTS;
	case SDPOWER_NEWIDLE_SEARCH:
	case SDPOWER_NEWIDLE_GLANCE:
		return SEARCH_FACTS;
	case SDPOWER_NEWIDLE_LOOK:
		return LOOK_FACTS;
	default:
		return 0;
	}
}

static int is_at_a_level(const struct sdpower_newidle_walk *w)
{
	return w->step == SDPOWER_NEWIDLE_DRAW || w->step == SDPOWER_NEWIDLE_SEARCH ||
		w->step == SDPOWER_NEWIDLE_GLANCE;
}

sdpower_status sdpower_newidle_next(const struct sdpower_newidle *t,
	const struct sdpower_newidle_report *report, struct sdpower_newidle_walk *walk)
{
	const sdpower_status status = sdpower_i_newidle_check(t);

	if (status)
		return status;
	if (!report || report->struct_size != sizeof(*report) || report->reserved || !walk ||
	    walk->struct_size != sizeof(*walk) || (report->facts & ~facts_of(walk->step)) ||
	    (is_at_a_level(walk) && walk->level >= t->level_count))
		return SDPOWER_EINVAL;
	switch (walk->step) {
	case SDPOWER_NEWIDLE_REFRESH:
		refreshed(t, report, walk);
		return SDPOWER_OK;
	case SDPOWER_NEWIDLE_DRAW:
		drawn(t, report, walk);
		return SDPOWER_OK;
	case SDPOWER_NEWIDLE_SEARCH:
	case SDPOWER_NEWIDLE_GLANCE:
		searched(t, report, walk);
		return SDPOWER_OK;
	case SDPOWER_NEWIDLE_LOOK:
		looked(t, report, walk);
		return SDPOWER_OK;
	default:
		return SDPOWER_EINVAL;
	}
}
