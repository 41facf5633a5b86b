/* SPDX-License-Identifier: MIT */
/*
 * Naps. Tasks smaller than their submission leave who runs them dry after every few: handed over
 * one by one, or with a wake-up each time, a task of nothing took 0.7 us on two threads and 1.7 on
 * eight. Who has run dry of such a stream therefore sleeps for a limited time. To the others it is a
 * worker that looks for work, only slowly: what comes from outside is put with it, wakes nobody, and
 * is taken up by the handful when the nap is over: 0.25 us.
 *
 * So in a stream a task may wait beside sleepers for the length of a nap, but no longer. What workers
 * hand out does not wait for it, nor does who waits for a group: both end the nap.
 */
#include "clock.h"
#include "worker.h"

/* Some ten times what it takes to wake up, so that this takes little of the time; short against the
 * time slice that a task would wait for if a wake-up met a busy cpu. */
#define NAP_NS 250000u

/* So many tasks in the time of a nap are a stream: about one each us. Looking out for them costs more
 * than the few us of a nap's end; fewer are better served by who lingers. */
#define STREAM 256u

/* So few are no stream any longer: who hands them out may have had to wait for a cpu. */
#define TRICKLE 16u

/* Whether those that came since the last look came quickly enough. */
static void judge_stream(struct worker *w)
{
	const AO_t given = AO_load(&w->pool->given), new = given - w->given;
	uint64_t now;

	if (new < STREAM)
		return;
	now = clock_now();
	AO_store(&w->pool->stream, (now - w->looked) / (NAP_NS / STREAM) < new);
	w->given = given;
	w->looked = now;
}

/* A few that came meanwhile may wait as those do that are to come; not if they are waited for. True:
 * it slept. */
static bool sleep_a_while(struct worker *w, uint64_t begin)
{
	const struct pool *p = w->pool;
	const size_t queued = worker_queued(w);

	return queued < STREAM && !(queued && AO_load_acquire(&p->waiting)) &&
		worker_waiting(p) == BRAIN_NOBODY && parker_park_until(&w->parker, begin + NAP_NS);
}

static bool nap(struct worker *w, struct pool_task *task)
{
	const uint64_t begin = clock_now();
	uint64_t end;
	size_t found;
	bool slept;

	w->searching = brain_search_begin(w->pool->brain, w->index);
	slept = sleep_a_while(w, begin);
	AO_store_release(&w->pool->napper, 0);
	found = worker_queued(w);
	end = clock_now();
	if (slept) {
		AO_store(&w->pool->stream, found >= TRICKLE);
		worker_count(&w->counts.naps, 1);
		worker_slept(w, begin, end);
	}
	if (!worker_take_own(w, task))
		return false;
	/* Idle until the first of them came; they came evenly, as far as is known. */
	newidle_wake(w->newidle, begin + (end - begin) / (found + 1));
	return true;
}

bool worker_nap(struct worker *w, struct pool_task *task)
{
	judge_stream(w);
	return AO_load(&w->pool->stream) &&
		AO_compare_and_swap_full(&w->pool->napper, 0, w->index + 1) && nap(w, task);
}

void worker_end_nap(struct pool *p)
{
	const AO_t napper = AO_load_acquire(&p->napper);

	if (napper)
		(void)parker_signal(&p->workers[napper - 1].parker);
}
