/* SPDX-License-Identifier: MIT */
/*
 * What a worker does: its own work first (newest first: still in the cache), then its inbox,
 * then what others have, where a search is worth it; then it lingers, then it sleeps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "worker.h"

/* Room for this many tasks (as a power of two) before a deque grows for the first time. */
#define DEQUE_LOG2 8

/* How much an owner fetches from its inbox at once: others may steal it meanwhile. */
#define HANDFUL 32u

static _Thread_local struct worker *this_worker;

struct worker *worker_self(void)
{
	return this_worker;
}

static int lane_init(struct lane *lane)
{
	int error = deque_init(&lane->deque, DEQUE_LOG2);

	if (error)
		return error;
	error = inbox_init(&lane->inbox);
	if (error)
		deque_destroy(&lane->deque);
	return error;
}

static void lanes_destroy(struct worker *w, int n)
{
	while (n-- > 0) {
		inbox_destroy(&w->lanes[n].inbox);
		deque_destroy(&w->lanes[n].deque);
	}
}

static int lanes_init(struct worker *w)
{
	int error, i;

	for (i = 0; i < POOL_PRIORITIES; i++) {
		error = lane_init(&w->lanes[i]);
		if (error) {
			lanes_destroy(w, i);
			return error;
		}
	}
	return 0;
}

static int locks_init(struct worker *w)
{
	int error = parker_init(&w->parker);

	if (error)
		return error;
	error = pthread_mutex_init(&w->lock, NULL);
	if (error)
		goto no_lock;
	error = bound_init(&w->bound);
	if (!error)
		return 0;
	pthread_mutex_destroy(&w->lock);
no_lock:
	parker_destroy(&w->parker);
	return error;
}

int worker_init(struct worker *w, struct pool *p, uint32_t index)
{
	int error = ENOMEM;

	w->pool = p;
	w->index = index;
	w->since = clock_now();
	w->newidle = newidle_open(p->brain, index, p->newidle, w->since);
	if (!w->newidle)
		return ENOMEM;
	if (p->trace) {
		w->trace = trace_new(p->trace);
		if (!w->trace)
			goto no_trace;
	}
	error = lanes_init(w);
	if (!error) {
		error = locks_init(w);
		if (!error)
			return 0;
		lanes_destroy(w, POOL_PRIORITIES);
	}
	trace_free(w->trace);
no_trace:
	newidle_close(w->newidle);
	return error;
}

void worker_destroy(struct worker *w)
{
	bound_destroy(&w->bound);
	pthread_mutex_destroy(&w->lock);
	parker_destroy(&w->parker);
	lanes_destroy(w, POOL_PRIORITIES);
	trace_free(w->trace);
	newidle_close(w->newidle);
}

/* The oldest is run first, the newest is stolen first: it would have waited longest. */
static bool fetch_handful(struct lane *lane, struct pool_task *task)
{
	struct pool_task tasks[HANDFUL];
	const size_t most = deque_reserve(&lane->deque, HANDFUL) ? 1 : HANDFUL;
	size_t n = inbox_take(&lane->inbox, tasks, most);

	if (!n)
		return false;
	while (--n > 0)
		(void)deque_push(&lane->deque, &tasks[n]);
	*task = tasks[0];
	return true;
}

static bool take_bound_of(struct worker *w, struct worker *of, struct pool_task *task)
{
	if (!bound_take(&of->bound, brain_seat(w->pool->brain, w->index)->cpu, task))
		return false;
	(void)AO_fetch_and_sub1_full(&w->pool->bound);
	return true;
}

bool worker_take_bound(struct worker *w, struct pool_task *task)
{
	uint32_t i;

	if (!AO_load_acquire(&w->pool->bound))
		return false;
	for (i = 0; i < w->pool->count; i++)
		if (take_bound_of(w, &w->pool->workers[i], task))
			return true;
	return false;
}

/* Newest first leaves the oldest to thieves; where nobody is idle none comes, and tasks that hand out
 * tasks would keep all others waiting for ever. So after so many in a row the others have a turn. */
#define ROW 61u

static bool take_other(struct worker *w, struct pool_task *task)
{
	struct lane *lane;

	if (worker_take_bound(w, task))
		return true;
	for (lane = w->lanes + POOL_PRIORITIES; lane-- > w->lanes;)
		if (inbox_take(&lane->inbox, task, 1) || deque_steal(&lane->deque, task) == DEQUE_GOT)
			return true;
	return false;
}

bool worker_take_own(struct worker *w, struct pool_task *task)
{
	struct lane *lane;

	if (take_bound_of(w, w, task))
		return true;
	if (++w->row > ROW && take_other(w, task)) {
		w->row = 0;
		return true;
	}
	for (lane = w->lanes; lane < w->lanes + POOL_PRIORITIES; lane++) {
		if (deque_take(&lane->deque, task))
			return true;
		if (inbox_size(&lane->inbox) && fetch_handful(lane, task)) {
			w->row = 0;
			return true;
		}
	}
	return false;
}

/* Of tasks in a row that are of one group it hears once, as it cannot be finished before. */
static void settle(struct worker *w)
{
	if (w->ended)
		group_finish(w->ended, w->ended_count);
	w->ended = NULL;
	w->ended_count = 0;
}

static bool take_next_own(struct worker *w, struct pool_task *task)
{
	if (!worker_take_own(w, task))
		return false;
	if (w->ended != task->group)
		settle(w);
	return true;
}

/* As much as there is now: who is put back to work meanwhile may be given it back. False: one is left
 * that nobody else can take. */
static bool pass_on_all(struct worker *w, struct pool_task *task)
{
	size_t left = worker_queued(w);
	int i;

	for (i = 0; i < POOL_PRIORITIES; i++) {
		struct lane *lane = &w->lanes[i];

		for (; left > 0; left--) {
			if (!deque_take(&lane->deque, task) && !inbox_take(&lane->inbox, task, 1))
				break;
			if (worker_pass_on(w->pool, task, (enum pool_priority)i))
				return false;
		}
	}
	return true;
}

/* A worker that takes no part. Nobody leaves before all rest, so that there is always who takes it. */
static bool hand_on(struct worker *w, struct pool_task *task)
{
	bool got = !pass_on_all(w, task);

	pool_fence();
	(void)worker_publish(w);
	return got || take_bound_of(w, w, task);
}

static bool find_task(struct worker *w, struct pool_group *g, struct pool_task *task)
{
	bool got, retired;

	for (;;) {
		if (g)
			settle(w);
		if (worker_must_stay_awake(w, g))
			return false;
		retired = !g && AO_load_acquire(&w->retired);
		if (!retired && take_next_own(w, task))
			return true;
		settle(w);
		worker_enter(w, WORKER_OTHER);
		got = retired ? hand_on(w, task) : worker_search(w, g, task);
		if (got || worker_sleep(w, g, task))
			return true;
	}
}

bool worker_next(struct worker *w, struct pool_group *g, struct pool_task *task)
{
	if (!find_task(w, g, task))
		return false;
	w->woken = false;
	worker_work(w);
	return true;
}

static void note_end(struct worker *w, const struct pool_task *task, int error)
{
	struct pool_group *group = task->group;

	if (error && group)
		group_note_error(group, error);
	if (!group)
		return;
	if (w->ended != group)
		settle(w);
	w->ended = group;
	w->ended_count++;
}

static int call(struct worker *w, pool_fn *fn, void *arg)
{
	struct trace_event event = { .kind = TRACE_RUN, .what = (uintptr_t)fn };
	int error;

	if (!w->trace)
		return fn(arg);
	event.begin = clock_now();
	error = fn(arg);
	event.end = clock_now();
	trace_add(w->trace, &event);
	return error;
}

int worker_call(struct worker *w, pool_fn *fn, void *arg)
{
	const int error = call(w, fn, arg);

	worker_count(&w->counts.tasks, 1);
	worker_count(&w->counts.errors, error != 0);
	return error;
}

static bool is_wanted(const struct worker *w, const struct pool_task *task)
{
	return !AO_load_acquire(&w->pool->discard) &&
		!(task->group && pool_group_cancelled(task->group));
}

void worker_run(struct worker *w, const struct pool_task *task)
{
	int error = ECANCELED;

	if (w->pool->limit)
		(void)AO_fetch_and_sub1_full(&w->pool->queued);
	if (is_wanted(w, task)) {
		error = worker_call(w, task->fn, task->arg);
		worker_count(&w->counts.migrations, task->home != w->index);
		if (error && !task->group)
			(void)AO_fetch_and_add1_full(&w->pool->failed);
	}
	note_end(w, task, error);
	worker_tick(w);
}

void *worker_main(void *worker)
{
	struct worker *w = worker;
	struct pool_task task;

	this_worker = w;
	while (worker_next(w, NULL, &task))
		worker_run(w, &task);
	brain_search_end(w->pool->brain, w->index);
	return NULL;
}
