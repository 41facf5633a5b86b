/* SPDX-License-Identifier: MIT */
/* The balance driver: one walk over the levels of a cpu, cut where the host has to act. */
#include "driver.h"

#define TICK_BITS 64u

size_t sdpower_balance_size(const struct sdpower *s)
{
	return s ? offsetof(struct sdpower_i_driver, candidates) +
		(sdpower_i_mask_words(s) * sizeof(uint32_t) + 7u) / 8u * 8u : 0;
}

int sdpower_i_give(struct sdpower_i_drive *w, uint32_t kind, uint32_t from)
{
	struct sdpower_i_driver *d = w->d;

	d->pending = kind;
	d->magic = kind == SDPOWER_BALANCE_DONE ? 0 : SDPOWER_I_WALKING;
	w->action->kind = kind;
	w->action->cpu = w->s->forest.cpu_at[d->pos];
	w->action->from = from < w->s->forest.cpu_count ? w->s->forest.cpu_at[from] :
		SDPOWER_CPU_NONE;
	w->action->depth = d->depth < d->levels ? d->depth : 0;
	return 1;
}

static void give_done(struct sdpower_i_drive *w)
{
	(void)sdpower_i_give(w, SDPOWER_BALANCE_DONE, SDPOWER_I_NONE16);
}

/*
 * A cpu that has fallen idle does not keep the deadline of a busy one: the levels' intervals
 * without busy factor count from now on, whatever the walk came to.
 */
static uint64_t native_deadline(const struct sdpower_i_drive *w, struct sdpower_i_balancer *own)
{
	const struct sdpower_i_driver *d = w->d;
	const int newidle = d->kind == SDPOWER_BALANCE_NEWIDLE;

	sdpower_i_store16(&own->push[SDPOWER_I_NATIVE_IDLE],
		newidle || d->idle == SDPOWER_CPU_IDLE);
	if (newidle && sdpower_i_ticks_due(&w->ticks, own->next, d->climb.limit))
		return d->climb.limit;
	return sdpower_i_climb_end(&d->climb, &w->ticks, own->next);
}

/* The helper will tick no later than the cpu it helped needs it. */
static void finish(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	struct sdpower_i_balancer *own = &w->s->balancers[d->pos];
	struct sdpower_i_balancer *helper = &w->s->balancers[d->helper];

	own->next = sdpower_i_native(w->s) ? native_deadline(w, own) :
		sdpower_i_climb_end(&d->climb, &w->ticks, own->next);
	if (helper != own && sdpower_i_ticks_due(&w->ticks, helper->next, own->next))
		helper->next = own->next;
	give_done(w);
}

/* The modern tree has no flag for it: all its levels are balanced. */
static uint32_t balancing_flags(const struct sdpower_i_drive *w, uint32_t flags)
{
	return flags | (sdpower_i_native(w->s) ? (uint32_t)SDPOWER_SD_LOAD_BALANCE : 0u);
}

/* One wrong time, or one that ran backwards, must not silence a level: no pass lies ahead of us. */
static void mend_last_pass(const struct sdpower_i_drive *w)
{
	struct sdpower_i_pace *pace = sdpower_i_pace_at(w->s, w->d->pos, w->d->depth);

	if (!sdpower_i_native(w->s) && !sdpower_i_ticks_due(&w->ticks, w->d->now, pace->last))
		pace->last = w->d->now;
}

/* 1 = the host has to act, 0 = the level is done with. */
static int visit(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;
	const struct sdpower_i_link link = sdpower_i_get_link(&w->view, d->pos, d->depth);
	const struct sdpower_i_domain domain = sdpower_i_get_domain(&w->view, link.domain);
	struct sdpower_i_pace pace;

	mend_last_pass(w);
	pace = sdpower_i_pace_of(w);
	switch (sdpower_i_climb_enter(&d->climb, &w->ticks, &pace, balancing_flags(w, link.flags),
			sdpower_i_level_params(&w->view, &domain).busy_factor)) {
	case SDPOWER_I_VISIT_LOCK:
		return sdpower_i_give(w, SDPOWER_BALANCE_LOCK, SDPOWER_I_NONE16);
	case SDPOWER_I_VISIT_CALL:
		return sdpower_i_level_start(w);
	case SDPOWER_I_VISIT_WAIT:
		sdpower_i_climb_leave(&d->climb, &w->ticks, &pace);
		return 0;
	default:
		return 0;
	}
}

static void climb_on(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;

	while (!d->climb.over && ++d->depth < d->levels)
		if (visit(w))
			return;
	finish(w);
}

static void leave_level(struct sdpower_i_drive *w)
{
	if (w->d->locked)
		(void)sdpower_i_give(w, SDPOWER_BALANCE_UNLOCK, SDPOWER_I_NONE16);
	else
		climb_on(w);
}

/* Records of a chain that is no longer there: a fresh start, as after init. */
static void renew_records(const struct sdpower_i_drive *w)
{
	const struct sdpower_i_driver *d = w->d;
	struct sdpower_i_balancer *b = &w->s->balancers[d->pos];
	const uint16_t epoch = sdpower_i_load16(&w->s->epochs[d->pos]);

	if (b->epoch == epoch)
		return;
	if (sdpower_i_native(w->s))
		sdpower_i_native_push_cancel(w);
	for (uint32_t depth = 0; depth < d->levels; depth++) {
		struct sdpower_i_pace *pace = sdpower_i_pace_at(w->s, d->pos, depth);
		const struct sdpower_i_link link = sdpower_i_get_link(&w->view, d->pos, depth);
		const struct sdpower_i_domain domain = sdpower_i_get_domain(&w->view, link.domain);

		pace->last = d->now;
		pace->interval = sdpower_i_native(w->s) ? SDPOWER_I_NATIVE_INTERVAL :
			sdpower_i_level_params(&w->view, &domain).balance_interval;
		sdpower_i_store(&pace->failed, 0);
		sdpower_i_counters_clear(w->s, d->pos, depth);
	}
	for (uint32_t i = 0; i < SDPOWER_I_PUSHES; i++)
		sdpower_i_store16(&b->push[i], SDPOWER_I_NONE16);
	if (sdpower_i_native(w->s))
		sdpower_i_store16(&b->push[SDPOWER_I_NATIVE_IDLE], 0);
	b->next = d->now;
	sdpower_i_store16(&b->epoch, epoch);
}

/* Nor may a wrong time silence a cpu. */
static void mend_deadline(const struct sdpower_i_drive *w)
{
	struct sdpower_i_balancer *own = &w->s->balancers[w->d->pos];

	if (!sdpower_i_ticks_plausible(&w->ticks, w->d->now, own->next))
		own->next = w->d->now;
}

/* A deadline made while busy says nothing to a cpu that is idle. */
static int is_due(const struct sdpower_i_drive *w)
{
	const struct sdpower_i_balancer *own = &w->s->balancers[w->d->pos];

	return sdpower_i_ticks_due(&w->ticks, w->d->now, own->next) || (sdpower_i_native(w->s) &&
		w->d->idle == SDPOWER_CPU_IDLE && !own->push[SDPOWER_I_NATIVE_IDLE]);
}

static void start(struct sdpower_i_drive *w)
{
	struct sdpower_i_driver *d = w->d;

	renew_records(w);
	mend_deadline(w);
	if (d->kind == SDPOWER_BALANCE_TICK && (!d->levels || !is_due(w))) {
		give_done(w);
		return;
	}
	if (sdpower_i_native(w->s))
		sdpower_i_native_push_cancel(w);
	sdpower_i_climb_start(&d->climb, &w->ticks, d->now,
		d->kind == SDPOWER_BALANCE_NEWIDLE ? (uint32_t)SDPOWER_CPU_NEWLY_IDLE : d->idle);
	d->depth = UINT32_MAX;
	climb_on(w);
}

static void serve_pushes(struct sdpower_i_drive *w)
{
	if (!(sdpower_i_native(w->s) ? sdpower_i_native_push_next(w) : sdpower_i_push_next(w)))
		give_done(w);
}

static struct sdpower_i_drive drive_of(struct sdpower *s, void *memory,
	struct sdpower_balance_action *action)
{
	struct sdpower_i_drive w;

	w.s = s;
	w.view = sdpower_i_view_of(&s->forest);
	w.ticks = sdpower_i_ticks_of(TICK_BITS, s->hz, s->interval_cpus);
	w.d = memory;
	w.action = action;
	action->swapped = 0;
	action->move = (struct sdpower_move){ .struct_size = sizeof(action->move) };
	return w;
}

static sdpower_status check_request(const struct sdpower *s, const void *memory, size_t size,
	const struct sdpower_balance_request *r, const struct sdpower_balance_action *action)
{
	if (!s || !memory || (uintptr_t)memory % sizeof(uint64_t) || !r || !action ||
			r->struct_size != sizeof(*r) || action->struct_size != sizeof(*action))
		return SDPOWER_EINVAL;
	if (r->kind > SDPOWER_BALANCE_PUSH || r->flags ||
			(r->kind == SDPOWER_BALANCE_TICK && r->idle > SDPOWER_CPU_NOT_IDLE))
		return SDPOWER_EINVAL;
	if (size < sdpower_balance_size(s))
		return SDPOWER_ENOSPC;
	if (r->cpu >= s->forest.cpu_count ||
			(r->helper != SDPOWER_CPU_NONE && r->helper >= s->forest.cpu_count))
		return SDPOWER_ENOENT;
	return s->balancers ? SDPOWER_OK : SDPOWER_ENOSYS;
}

sdpower_status sdpower_balance_begin(struct sdpower *s, void *memory, size_t size,
	const struct sdpower_balance_request *request, struct sdpower_balance_action *action)
{
	const sdpower_status status = check_request(s, memory, size, request, action);
	struct sdpower_i_drive w;
	struct sdpower_i_driver *d;

	if (status)
		return status;
	w = drive_of(s, memory, action);
	d = w.d;
	d->kind = request->kind;
	d->pos = sdpower_i_position(s, request->cpu);
	d->helper = request->helper == SDPOWER_CPU_NONE ? d->pos :
		sdpower_i_position(s, request->helper);
	d->generation = w.view.generation;
	d->levels = sdpower_i_depth(&w.view, d->pos);
	d->idle = request->idle;
	d->now = request->now_ns / sdpower_i_tick_ns(s);
	d->depth = d->locked = d->requester = d->slot = 0;
	if (d->kind == SDPOWER_BALANCE_PUSH)
		serve_pushes(&w);
	else if (d->helper != d->pos)
		(void)sdpower_i_give(&w, SDPOWER_BALANCE_TAKE_OVER, SDPOWER_I_NONE16);
	else
		start(&w);
	return SDPOWER_OK;
}

/* The tree was replaced: what was learnt belongs to levels that may be gone. */
static void give_up(struct sdpower_i_drive *w)
{
	if (w->d->locked) {
		(void)sdpower_i_give(w, SDPOWER_BALANCE_UNLOCK, SDPOWER_I_NONE16);
		return;
	}
	give_done(w);
	w->action->swapped = 1;
}

static void lock_tried(struct sdpower_i_drive *w, int had)
{
	struct sdpower_i_driver *d = w->d;
	const struct sdpower_i_pace pace = sdpower_i_pace_of(w);

	d->locked = had != 0;
	if (had && sdpower_i_climb_locked(&d->climb, &w->ticks, &pace) == SDPOWER_I_VISIT_CALL) {
		if (sdpower_i_level_start(w))
			return;
	} else {
		sdpower_i_climb_leave(&d->climb, &w->ticks, &pace);
	}
	leave_level(w);
}

/* What must be noted even if the tree was replaced meanwhile. */
static void note(struct sdpower_i_drive *w, const struct sdpower_balance_outcome *outcome)
{
	if (w->d->pending == SDPOWER_BALANCE_LOCK)
		w->d->locked = outcome->done != 0;
	else if (w->d->pending == SDPOWER_BALANCE_UNLOCK)
		w->d->locked = 0;
	else if (w->d->pending == SDPOWER_BALANCE_PUSH_ONE && sdpower_i_native(w->s))
		sdpower_i_native_push_served(w, &outcome->move);
	else if (w->d->pending == SDPOWER_BALANCE_PUSH_ONE)
		sdpower_i_push_served(w, &outcome->move);
}

static void go_on(struct sdpower_i_drive *w, const struct sdpower_balance_outcome *outcome)
{
	switch (w->d->pending) {
	case SDPOWER_BALANCE_TAKE_OVER:
		if (outcome->done)
			start(w);
		else
			give_done(w);
		break;
	case SDPOWER_BALANCE_LOCK:
		lock_tried(w, outcome->done != 0);
		break;
	case SDPOWER_BALANCE_UNLOCK:
		climb_on(w);
		break;
	default:
		if (!sdpower_i_level_resume(w, outcome))
			leave_level(w);
		break;
	}
}

static int needs_outcome(uint32_t pending)
{
	return pending != SDPOWER_BALANCE_UNLOCK && pending != SDPOWER_BALANCE_KICK;
}

static sdpower_status check_outcome(const struct sdpower *s, const void *memory,
	const struct sdpower_balance_outcome *o, const struct sdpower_balance_action *action)
{
	const struct sdpower_i_driver *d = memory;

	if (!s || !s->balancers || !d || (uintptr_t)memory % sizeof(uint64_t) || !action ||
			action->struct_size != sizeof(*action))
		return SDPOWER_EINVAL;
	if (d->magic != SDPOWER_I_WALKING || d->pos >= s->forest.cpu_count)
		return SDPOWER_EINVAL;
	if (!o)
		return needs_outcome(d->pending) ? SDPOWER_EINVAL : SDPOWER_OK;
	if (o->struct_size != sizeof(*o))
		return SDPOWER_EINVAL;
	if ((d->pending == SDPOWER_BALANCE_PULL || d->pending == SDPOWER_BALANCE_PUSH_ONE) &&
			o->move.struct_size != sizeof(o->move))
		return SDPOWER_EINVAL;
	return SDPOWER_OK;
}

sdpower_status sdpower_balance_next(struct sdpower *s, void *memory,
	const struct sdpower_balance_outcome *outcome, struct sdpower_balance_action *action)
{
	const sdpower_status status = check_outcome(s, memory, outcome, action);
	struct sdpower_i_drive w;

	if (status)
		return status;
	w = drive_of(s, memory, action);
	note(&w, outcome);
	if (w.d->kind == SDPOWER_BALANCE_PUSH) {
		serve_pushes(&w);
		return SDPOWER_OK;
	}
	if (w.view.generation != w.d->generation)
		give_up(&w);
	else
		go_on(&w, outcome);
	return SDPOWER_OK;
}

/* Times that no clock reaches are never. */
static uint64_t ns_of(const struct sdpower *s, uint64_t tick)
{
	const uint32_t tick_ns = sdpower_i_tick_ns(s);

	return tick <= UINT64_MAX / tick_ns ? tick * tick_ns : UINT64_MAX;
}

sdpower_status sdpower_next_deadline(const struct sdpower *s, sdpower_cpu cpu,
	uint64_t *deadline_ns)
{
	uint32_t pos;

	if (!s || !deadline_ns)
		return SDPOWER_EINVAL;
	if (!s->balancers)
		return SDPOWER_ENOSYS;
	pos = sdpower_i_position(s, cpu);
	if (pos == SDPOWER_I_NONE16)
		return SDPOWER_ENOENT;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		const uint32_t levels = sdpower_i_depth(&v, pos);
		const struct sdpower_i_balancer *b = &s->balancers[pos];

		if (!sdpower_i_view_holds(&v))
			continue;
		if (!levels)
			*deadline_ns = UINT64_MAX;
		else if (b->epoch != sdpower_i_load16(&s->epochs[pos]))
			*deadline_ns = 0;
		else
			*deadline_ns = ns_of(s, b->next);
		return SDPOWER_OK;
	}
	return SDPOWER_ESTALE;
}
