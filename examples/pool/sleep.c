/* SPDX-License-Identifier: MIT */
/* How a worker falls asleep, and how the last one to rest finds that a pool being closed is empty. */
#include "worker.h"

bool worker_must_stay_awake(const struct worker *w, const struct pool_group *g)
{
	if (g)
		return group_finished(g);
	return AO_load_acquire(&w->pool->drained) != 0;
}

static void doze(struct worker *w)
{
	if (w->woken)
		worker_count(&w->counts.useless, 1);
	w->woken = parker_park(&w->parker);
	if (w->woken)
		worker_count(&w->counts.wakeups, 1);
}

static void fall_asleep(struct worker *w)
{
	AO_store_release(&w->asleep, 1);
	(void)AO_fetch_and_add1_full(&w->pool->sleepers);
	(void)AO_fetch_and_add1_full(&w->pool->slept);
	worker_enter(w, WORKER_IDLE);
	pool_fence();
}

/* With a task it is busy next, and enters no state in between. */
static void be_back(struct worker *w, bool got)
{
	AO_store_release(&w->asleep, 0);
	(void)AO_fetch_and_sub1_full(&w->pool->sleepers);
	if (!got)
		worker_enter(w, WORKER_OTHER);
}

static bool all_rest(const struct pool *p)
{
	return AO_load_acquire(&p->resting) == AO_load(&p->started);
}

/* Nobody has a task in its hands, and none is left. Work that is queued for one who rests has woken
 * it already: then it is that one who will find the pool drained. One who gets up while this looks
 * may hold what was queued; if it rests again by the end, it has looked itself. */
static bool is_drained(const struct pool *p)
{
	const AO_t rested = AO_load_acquire(&p->rested);
	uint32_t i;

	if (!all_rest(p) || AO_load_acquire(&p->bound))
		return false;
	for (i = 0; i < p->count; i++)
		if (worker_queued(&p->workers[i]))
			return false;
	return all_rest(p) && AO_load_acquire(&p->rested) == rested;
}

/* The last one to rest sends all home. */
static void leave_if_last(struct pool *p)
{
	uint32_t i;

	if (!AO_load_acquire(&p->stop) || !is_drained(p))
		return;
	AO_store_release(&p->drained, 1);
	pool_fence();
	for (i = 0; i < p->count; i++)
		parker_signal(&p->workers[i].parker);
}

/* Without a task in its hands, from when it is said until it is taken back. */
static void rest(struct worker *w)
{
	(void)AO_fetch_and_add1_full(&w->pool->rested);
	(void)AO_fetch_and_add1_full(&w->pool->resting);
	leave_if_last(w->pool);
}

/* Who waits for a group has a task under way. */
static void sleep_soundly(struct worker *w, const struct pool_group *g)
{
	if (!g)
		rest(w);
	if (!worker_must_stay_awake(w, g)) {
		worker_wake_for_any(w->pool);
		doze(w);
	}
	if (!g)
		(void)AO_fetch_and_sub1_full(&w->pool->resting);
}

/* The last look is for our own work, and for who is to fetch what waits elsewhere: us perhaps,
 * and then the parker has its token already. */
bool worker_sleep(struct worker *w, struct pool_group *g, struct pool_task *task)
{
	struct pool_waiter waiter = { .worker = w };
	bool got;

	if (g && !group_enlist(g, &waiter))
		return false;
	fall_asleep(w);
	got = worker_take_own(w, task) || worker_take_bound(w, task);
	if (!got) {
		sleep_soundly(w, g);
		got = !worker_must_stay_awake(w, g) && worker_take_own(w, task);
	}
	be_back(w, got);
	if (g)
		group_withdraw(g, &waiter);
	return got;
}
