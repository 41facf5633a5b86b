/* SPDX-License-Identifier: MIT */
/*
 * Whom to wake. The brain decides; this says when it has to be asked.
 *
 * Why no work is left waiting beside a sleeper. Whoever hands out work so that some of it begins to
 * wait asks: one is woken, or a searcher is on its way, or nobody is free. The searcher, and the one
 * that was woken, owe a look at what else waits when they have found something (worker_work). Who
 * gives up owes the same look after saying that it sleeps (worker_sleep), which covers all that was
 * handed out before. Whoever publishes that some work waits asks too, whoever handed it out. And a
 * worker with a backlog asks again at its next task when somebody has fallen asleep since it last
 * did. A napper counts as a searcher; who hands out work and finds nobody to wake ends its nap.
 * All orders of all this are explored in tests/model/pool_wakeups.pml, and of this code in tests/weave.
 */
#include "clock.h"
#include "worker.h"

static void trace_wake(struct worker *woken, uint32_t home)
{
	struct trace_event event = { .kind = TRACE_WAKE, .who = home };

	if (!woken->trace)
		return;
	event.begin = event.end = clock_now();
	trace_add(woken->trace, &event);
}

/* The pick was made for that work: the woken one looks there before it asks. */
bool worker_wake_for(struct pool *p, uint32_t home)
{
	uint32_t index;

	if (!AO_load_acquire(&p->sleepers))
		return false;
	index = brain_whom_to_wake(p->brain, home);
	if (index == BRAIN_NOBODY)
		return false;
	trace_wake(&p->workers[index], home);
	AO_store_release(&p->workers[index].hint, (AO_t)home + 1);
	parker_signal(&p->workers[index].parker);
	return true;
}

/* A worker that has been stopped between taking a task and saying so still looks as if work
 * waited there; one that has taken a task that it does not run yet will look around itself. */
uint32_t worker_waiting(const struct pool *p)
{
	uint32_t most = BRAIN_NOBODY, i;
	size_t most_queued = 0;

	for (i = 0; i < p->count; i++) {
		size_t n = worker_queued(&p->workers[i]);

		if (n > most_queued && brain_nr(p->brain, i) > 1) {
			most = i;
			most_queued = n;
		}
	}
	return most;
}

void worker_wake_for_any(struct pool *p)
{
	uint32_t home;

	if (!AO_load_acquire(&p->sleepers) && !AO_load_acquire(&p->napper))
		return;
	home = worker_waiting(p);
	if (home != BRAIN_NOBODY && !worker_wake_for(p, home))
		worker_end_nap(p);
}

static bool asked_since_one_slept(struct worker *w)
{
	AO_t slept = AO_load_acquire(&w->pool->slept);
	bool asked = w->slept == slept;

	w->slept = slept;
	return asked;
}

void worker_ask_once(struct worker *w)
{
	if (!w->unasked)
		return;
	w->unasked = false;
	if (!worker_wake_for(w->pool, w->index))
		worker_end_nap(w->pool);
}

static void ask_for_what_is_left(struct worker *w)
{
	w->unasked |= worker_publish(w);
	if (!worker_queued(w)) {
		w->unasked = false;
		return;
	}
	w->unasked |= !asked_since_one_slept(w);
	worker_ask_once(w);
}

/* One wake-up brings one worker, which brings the next if there is more to do. */
void worker_work(struct worker *w)
{
	if (AO_load(&w->state) == WORKER_BUSY) {
		ask_for_what_is_left(w);
		return;
	}
	worker_enter(w, WORKER_BUSY);
	worker_wake_for_any(w->pool);
	w->unasked = false;
}

void worker_tick(struct worker *w)
{
	const uint32_t now = (uint32_t)(clock_coarse() >> 20);

	if (now == w->ticks)
		return;
	w->ticks = now;
	if (now >> 10 != w->seconds) {
		w->seconds = now >> 10;
		(void)pool_adapt(w->pool);
	}
	if (brain_tick(w->pool->brain, clock_now()))
		worker_wake_for_any(w->pool);
}
