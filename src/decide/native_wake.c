/* SPDX-License-Identifier: MIT */
/* Rules W1 to W8: where a task that wakes up should run. */
#include "native_wake.h"
#include "wakeup.h"

/* A wake-up in positions. */
struct wake {
	const struct sdpower_wake *request;
	uint32_t waker, prev;    /* or NONE16: not permitted */
	uint32_t center;         /* whose neighbourhood is searched first */
	uint32_t hot;            /* the task's data is still in the cache of prev */
	uint32_t makes_room;     /* the waker is about to sleep */
};

static struct sdpower_pick pick_of(const struct sdpower_i_seek *q, uint32_t pos, uint32_t reason)
{
	return (struct sdpower_pick){ q->view->forest->cpu_at[pos], reason };
}

/* W2: it is awake, without work, and sees the work before it gives up (state.h). */
static int searcher_comes(const struct sdpower_i_seek *q)
{
	const uint32_t pos = sdpower_i_position(q->s, sdpower_i_load(&q->s->searcher));

	return pos != SDPOWER_I_NONE16 &&
		sdpower_i_load_acquire(&q->s->slots[pos].status) == SDPOWER_I_SEARCHING &&
		sdpower_i_may_run(q, pos) && sdpower_i_fits(q, sdpower_i_capacity_left(q->s, pos));
}

/*
 * How long a task stays hot that would move between the two cpus; with one cpu, within its
 * last-level cache, which is as far as a task is sent without need.
 */
static uint32_t hot_ns(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *w)
{
	const uint32_t pos = sdpower_i_position(s, w->prev);
	const uint32_t waker = sdpower_i_position(s, w->waker);
	uint32_t depth = 0, levels;

	if (SDPOWER_LIKELY(!sdpower_i_load(&s->costs.valid)) || pos == SDPOWER_I_NONE16)
		return s->migration_cost_ns;
	levels = sdpower_i_depth(v, pos);
	for (; depth + 1 < levels; depth++) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);
		const struct sdpower_i_domain d = sdpower_i_get_domain(v, link.domain);

		if (waker != pos && waker != SDPOWER_I_NONE16 ?
				sdpower_i_runs_hold(v, d.run, d.runs, waker) :
				!(sdpower_i_get_link(v, pos, depth + 1).flags & SDPOWER_SD_SHARE_PKG))
			break;
	}
	return sdpower_i_hot_ns(s, depth);
}

/* Nothing but the task that wakes is there, and it goes to sleep soon after. */
static int makes_room(const struct sdpower *s, const struct sdpower_wake *w, uint32_t waker,
	uint32_t cost)
{
	return w->flags & SDPOWER_WAKE_SYNC && w->waker_overlap_ns <= cost &&
		w->task_overlap_ns <= cost && waker != SDPOWER_I_NONE16 &&
		sdpower_i_load(&s->slots[waker].nr) <= 1;
}

/* True iff the lowest level of the waker that holds prev lets wake-ups move. */
static int may_pull(const struct sdpower_i_view *v, uint32_t waker, uint32_t prev)
{
	const uint32_t levels = sdpower_i_depth(v, waker);

	for (uint32_t depth = 0; depth < levels; depth++) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, waker, depth);
		const struct sdpower_i_domain domain = sdpower_i_get_domain(v, link.domain);

		if (sdpower_i_runs_hold(v, domain.run, domain.runs, prev))
			return link.flags & SDPOWER_SD_WAKE_AFFINE ? 1 : 0;
	}
	return 0;
}

/* Load per capacity, the task included; what the waker runs is left out if it makes room. */
static int waker_is_less_loaded(const struct sdpower *s, const struct wake *w)
{
	const struct sdpower_i_cpu_view a = sdpower_i_look(s, w->waker), b = sdpower_i_look(s, w->prev);
	uint64_t here = a.load;

	if (w->makes_room)
		here = here > w->request->waker_weight ? here - w->request->waker_weight : 0;
	return (here + w->request->weight) * b.capacity <
		((uint64_t)b.load + w->request->weight) * a.capacity;
}

/* W1: the previous cpu, unless the waker's cpu is the better neighbourhood. */
static int waker_is_center(const struct sdpower_i_seek *q, const struct wake *w)
{
	if (sdpower_i_is_near(q, w->waker) || !may_pull(q->view, w->waker, w->prev))
		return 0;
	if (w->makes_room)
		return 1;
	return !sdpower_i_unused(q->s, w->prev) && waker_is_less_loaded(q->s, w);
}

/* Goes there: q->near is its neighbourhood. */
static void find_center(struct sdpower_i_seek *q, struct wake *w)
{
	w->center = w->prev != SDPOWER_I_NONE16 ? w->prev : w->waker;
	if (w->center == SDPOWER_I_NONE16)
		w->center = sdpower_i_first_permitted(q->view, q->affinity);
	if (w->center == SDPOWER_I_NONE16)
		return;
	sdpower_i_seek_near(q, w->center);
	if (w->waker == w->center || w->waker == SDPOWER_I_NONE16 || !waker_is_center(q, w))
		return;
	w->center = w->waker;
	sdpower_i_seek_near(q, w->center);
}

static uint32_t permitted(const struct sdpower_i_seek *q, sdpower_cpu cpu)
{
	const uint32_t pos = sdpower_i_position(q->s, cpu);

	return sdpower_i_may_run(q, pos) ? pos : SDPOWER_I_NONE16;
}

static int is_hot(const struct sdpower_wake *w, uint32_t cost)
{
	return w->flags & SDPOWER_WAKE_CACHE_HOT || w->since_ran_ns < cost;
}

static struct wake wake_of(struct sdpower_i_seek *q, const struct sdpower_wake *request)
{
	const uint32_t cost = hot_ns(q->s, q->view, request);
	struct wake w;

	w.request = request;
	w.prev = permitted(q, request->prev);
	w.waker = request->waker == request->prev ? w.prev : permitted(q, request->waker);
	w.hot = (uint32_t)is_hot(request, cost);
	w.makes_room = (uint32_t)makes_room(q->s, request, w.waker, cost);
	find_center(q, &w);
	return w;
}

/* W7: nobody is idle. Who is awake without work, else the less loaded one of the two. */
static struct sdpower_pick busy_cpu(const struct sdpower_i_seek *q, const struct wake *w)
{
	if (w->waker != SDPOWER_I_NONE16 && w->makes_room && w->center == w->waker)
		return pick_of(q, w->waker, SDPOWER_REASON_AFFINE);
	if (q->awake != SDPOWER_I_NONE16)
		return pick_of(q, q->awake, SDPOWER_REASON_IDLEST);
	if (w->waker == SDPOWER_I_NONE16 && w->prev == SDPOWER_I_NONE16)
		return pick_of(q, w->center, SDPOWER_REASON_AFFINITY);
	if (w->prev == SDPOWER_I_NONE16)
		return pick_of(q, w->waker, SDPOWER_REASON_AFFINE);
	if (w->waker != SDPOWER_I_NONE16 && w->waker != w->prev &&
	    may_pull(q->view, w->waker, w->prev) && waker_is_less_loaded(q->s, w))
		return pick_of(q, w->waker, w->makes_room ? SDPOWER_REASON_AFFINE :
			SDPOWER_REASON_WAKE_BALANCE);
	return pick_of(q, w->prev, SDPOWER_REASON_PREVIOUS);
}

/* What the search found, if anything. */
static struct sdpower_pick found_cpu(const struct sdpower_i_seek *q, const struct wake *w,
	uint32_t reason)
{
	if (q->pos == SDPOWER_I_NONE16)
		return busy_cpu(q, w);
	if (q->pos == w->prev)
		reason |= SDPOWER_REASON_PREVIOUS;
	if (!(q->rank & SDPOWER_I_FITS))
		reason |= SDPOWER_REASON_MISFIT;
	return pick_of(q, q->pos, reason | SDPOWER_REASON_IDLE);
}

/* The previous cpu is idle, near, and good enough: no search. */
static int keeps_previous(struct sdpower_i_seek *q, const struct wake *w)
{
	if (w->prev == SDPOWER_I_NONE16 || !sdpower_i_is_near(q, w->prev))
		return 0;
	if (sdpower_i_seek_cpu(q, w->prev))
		return 1;
	if (q->pos != w->prev || !(q->rank & SDPOWER_I_FITS))
		return 0;
	/* Sparing cores goes before a warm cache, but only where wake-ups are to save power. */
	if (q->level >= SDPOWER_I_WAKEUP_LEVEL)
		return w->hot && !q->threads;
	return w->hot || q->level;
}

/* W3, W6: near the center, then further away. */
static struct sdpower_pick spread(struct sdpower_i_seek *q, const struct wake *w)
{
	if (!keeps_previous(q, w) && !sdpower_i_seek_cache(q)) {
		if (q->pos == SDPOWER_I_NONE16 && w->prev != SDPOWER_I_NONE16)
			(void)sdpower_i_seek_cpu(q, w->prev);
		if (!(q->rank & SDPOWER_I_FITS))
			sdpower_i_seek_far(q);
	}
	return found_cpu(q, w, 0);
}

/* W5 within a group that is to be filled; 0 = it has no room after all. */
static int settle(struct sdpower_i_seek *q, const struct wake *w, int in_use,
	struct sdpower_pick *pick)
{
	const uint32_t shared = sdpower_i_seek_shared(q);
	const uint32_t nominee = permitted(q, sdpower_i_load(&q->s->nominee));

	if (shared != SDPOWER_I_NONE16) {
		*pick = pick_of(q, shared, SDPOWER_REASON_PACKED);
		return 1;
	}
	if (!keeps_previous(q, w)) {
		if (nominee != SDPOWER_I_NONE16 && sdpower_i_is_near(q, nominee))
			(void)sdpower_i_seek_cpu(q, nominee);
		(void)sdpower_i_seek_cache(q);
	}
	if (q->pos == SDPOWER_I_NONE16)
		return 0;
	if (!(q->rank & SDPOWER_I_FITS))
		sdpower_i_seek_far(q);
	*pick = found_cpu(q, w, in_use && !sdpower_i_is_near(q, w->center) ? SDPOWER_REASON_NOMINEE : 0);
	return 1;
}

/* W4, W5: into the fullest group with room, and there where least has to wake. */
static struct sdpower_pick gather(struct sdpower_i_seek *q, const struct wake *w)
{
	struct sdpower_pick pick;
	uint32_t home;
	int in_use;

	if (w->prev != SDPOWER_I_NONE16 && sdpower_i_shares(q, w->prev))
		return pick_of(q, w->prev, SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_PACKED);
	do {
		home = sdpower_i_home(q, w->center, &in_use);
		if (home == SDPOWER_I_NONE16)
			break;
		sdpower_i_seek_near(q, home);
		if (settle(q, w, in_use, &pick))
			return pick;
	} while (sdpower_i_avoid(q, home));
	sdpower_i_seek_near(q, w->center);
	return spread(q, w);
}

/* W8: unless staying is as good. */
static struct sdpower_pick consolidate(struct sdpower_i_seek *q, const struct wake *w)
{
	const struct sdpower_pick pick = gather(q, w);
	const uint32_t pos = sdpower_i_position(q->s, pick.cpu);

	if (pos == w->prev || w->prev == SDPOWER_I_NONE16 || !sdpower_i_unused(q->s, w->prev) ||
	    !sdpower_i_fits(q, sdpower_i_capacity_left(q->s, w->prev)) ||
	    sdpower_i_pays_to_leave(q, w->prev, pos))
		return pick;
	return pick_of(q, w->prev, SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_IDLE |
		SDPOWER_REASON_ENERGY);
}

/* The usual case, which all that follows would decide alike: idle, warm, and nobody else is near. */
static int stays_at_once(const struct sdpower_i_seek *q, const struct sdpower_wake *w)
{
	const uint32_t pos = sdpower_i_position(q->s, w->prev);

	return !q->level && !(w->flags & SDPOWER_WAKE_SYNC) && is_hot(w, hot_ns(q->s, q->view, w)) &&
		sdpower_i_may_run(q, pos) && sdpower_i_unused(q->s, pos) &&
		sdpower_i_fits(q, sdpower_i_capacity_left(q->s, pos));
}

struct sdpower_pick sdpower_i_native_select(const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_wake *request)
{
	const struct sdpower_i_mask affinity = { request->affinity, request->affinity_words };
	struct sdpower_i_seek q;
	struct wake w;

	sdpower_i_seek_start(&q, s, v, affinity, request->util);
	if (searcher_comes(&q))
		return (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_SEARCHER };
	if (stays_at_once(&q, request))
		return (struct sdpower_pick){ request->prev,
			SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_IDLE };
	w = wake_of(&q, request);
	if (w.center == SDPOWER_I_NONE16)
		return (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU };
	if (!q.level)
		return spread(&q, &w);
	return consolidate(&q, &w);
}

struct sdpower_pick sdpower_i_native_wake_idle(const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_wake *request)
{
	struct sdpower_wake near = *request;

	near.waker = near.prev;
	return sdpower_i_native_select(s, v, &near);
}
