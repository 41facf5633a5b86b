/* SPDX-License-Identifier: MIT */
/*
 * What a worker does: its own work first (newest first: still in the cache), then its inbox,
 * then what others have, where a search is worth it; then it lingers, then it sleeps.
 *
 * Why no work is left waiting beside a sleeper. Whoever hands out work is told to wake one, or
 * that a searcher comes, or that nobody is free. The searcher, and the one that was woken, owe a
 * look at who else has work waiting, when they have found some (worker_work); and who gives up
 * owes the same look after saying that it sleeps (worker_sleep), which covers all that was handed
 * out before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "worker.h"

/* Room for this many tasks (as a power of two) before a deque grows for the first time. */
#define DEQUE_LOG2 8

static _Thread_local struct worker *this_worker;

struct worker *worker_self(void)
{
	return this_worker;
}

int worker_init(struct worker *w, struct pool *p, uint32_t index)
{
	int error;

	w->pool = p;
	w->index = index;
	w->since = clock_now();
	w->newidle = newidle_open(p->brain, index, p->newidle, w->since);
	if (!w->newidle)
		return ENOMEM;
	error = deque_init(&w->deque, DEQUE_LOG2);
	if (error)
		goto no_deque;
	error = inbox_init(&w->inbox);
	if (error)
		goto no_inbox;
	error = parker_init(&w->parker);
	if (error)
		goto no_parker;
	error = pthread_mutex_init(&w->lock, NULL);
	if (!error)
		return 0;
	parker_destroy(&w->parker);
no_parker:
	inbox_destroy(&w->inbox);
no_inbox:
	deque_destroy(&w->deque);
no_deque:
	newidle_close(w->newidle);
	return error;
}

void worker_destroy(struct worker *w)
{
	pthread_mutex_destroy(&w->lock);
	parker_destroy(&w->parker);
	inbox_destroy(&w->inbox);
	deque_destroy(&w->deque);
	newidle_close(w->newidle);
}

size_t worker_queued(const struct worker *w)
{
	return deque_size(&w->deque) + inbox_size(&w->inbox);
}

static void publish_locked(struct worker *w)
{
	size_t nr = worker_queued(w) + (w->state == WORKER_BUSY);

	brain_publish(w->pool->brain, w->index, (uint32_t)nr);
}

void worker_publish(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	publish_locked(w);
	pthread_mutex_unlock(&w->lock);
}

static void account(struct worker *w, uint64_t now)
{
	uint64_t spent = now - w->since;

	w->since = now;
	switch (w->state) {
	case WORKER_BUSY:
		w->stats.busy += spent;
		break;
	case WORKER_IDLE:
		w->stats.idle += spent;
		break;
	case WORKER_OTHER:
		w->stats.other += spent;
		break;
	}
}

static void tell_units(struct worker *w, enum worker_state from, enum worker_state to, uint64_t now)
{
	const struct brain_seat *seat = brain_seat(w->pool->brain, w->index);

	if (to == WORKER_BUSY) {
		unit_enter(&w->pool->cores[seat->core], now);
		unit_enter(&w->pool->packages[seat->package], now);
	} else if (from == WORKER_BUSY) {
		unit_leave(&w->pool->cores[seat->core], now);
		unit_leave(&w->pool->packages[seat->package], now);
	}
}

/* What the brain hears of it; falling asleep ends a search too. */
static void tell_brain(struct worker *w, enum worker_state from, uint64_t now)
{
	if (w->state == WORKER_IDLE || from == WORKER_IDLE)
		brain_idle(w->pool->brain, w->index, w->state == WORKER_IDLE, now);
	else if (w->searching)
		brain_search_end(w->pool->brain, w->index);
	w->searching = false;
}

static void enter(struct worker *w, enum worker_state state)
{
	enum worker_state from = w->state;
	uint64_t now;

	if (from == state)
		return;
	pthread_mutex_lock(&w->lock);
	now = clock_now();
	account(w, now);
	w->state = state;
	publish_locked(w);
	tell_brain(w, from, now);
	pthread_mutex_unlock(&w->lock);
	tell_units(w, from, state, now);
}

void pool_stats(struct pool *p, unsigned worker, struct pool_stats *out)
{
	struct worker *w = &p->workers[worker];

	pthread_mutex_lock(&w->lock);
	account(w, clock_now());
	*out = w->stats;
	pthread_mutex_unlock(&w->lock);
}

static void count(struct worker *w, uint64_t *counter)
{
	pthread_mutex_lock(&w->lock);
	(*counter)++;
	pthread_mutex_unlock(&w->lock);
}

/* The pick was made for that work: the woken one looks there before it asks. */
void worker_wake_for(struct pool *p, uint32_t home)
{
	uint32_t index = brain_whom_to_wake(p->brain, home);

	if (index == BRAIN_NOBODY)
		return;
	AO_store_release(&p->workers[index].hint, (AO_t)home + 1);
	parker_signal(&p->workers[index].parker);
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

/* One wake-up brings one worker, which brings the next if there is more to do. */
static void wake_for_what_waits(struct pool *p)
{
	uint32_t home = worker_waiting(p);

	if (home != BRAIN_NOBODY)
		worker_wake_for(p, home);
}

void worker_tick(struct pool *p)
{
	if (brain_tick(p->brain, clock_now()))
		wake_for_what_waits(p);
}

void worker_work(struct worker *w)
{
	if (w->state == WORKER_BUSY) {
		worker_publish(w);
		return;
	}
	enter(w, WORKER_BUSY);
	pool_fence();
	wake_for_what_waits(w->pool);
}

struct pool_task *worker_take_own(struct worker *w)
{
	struct pool_task *task = deque_take(&w->deque);

	return task ? task : inbox_pop(&w->inbox);
}

bool worker_must_stay_awake(const struct worker *w, const struct pool_group *g)
{
	if (g)
		return group_finished(g);
	return AO_load_acquire(&w->pool->stop) != 0;
}

static void doze(struct worker *w)
{
	if (w->woken)
		count(w, &w->stats.useless);
	w->woken = parker_park(&w->parker);
	if (w->woken)
		count(w, &w->stats.wakeups);
}

/* The last look is for our own work, and for who is to fetch what waits elsewhere: us perhaps,
 * and then the parker has its token already. */
static struct pool_task *worker_sleep(struct worker *w, struct pool_group *g)
{
	struct pool_waiter waiter = { .worker = w };
	struct pool_task *task;

	if (g && !group_enlist(g, &waiter))
		return NULL;
	AO_store_release(&w->asleep, 1);
	enter(w, WORKER_IDLE);
	pool_fence();
	task = worker_take_own(w);
	if (!task && !worker_must_stay_awake(w, g)) {
		wake_for_what_waits(w->pool);
		doze(w);
	}
	AO_store_release(&w->asleep, 0);
	enter(w, WORKER_OTHER);
	newidle_wake(w->newidle, w->since);
	if (g)
		group_withdraw(g, &waiter);
	return task;
}

static struct pool_task *find_task(struct worker *w, struct pool_group *g)
{
	struct pool_task *task = NULL;

	while (!task) {
		/* Read before the queues: whatever was submitted before the stop is then seen. */
		bool stop = AO_load_acquire(&w->pool->stop) != 0;

		if (g && group_finished(g))
			return NULL;
		task = worker_take_own(w);
		if (task)
			break;
		enter(w, WORKER_OTHER);
		task = worker_search(w, g);
		if (!task && stop && !g)
			return NULL;
		if (!task)
			task = worker_sleep(w, g);
	}
	return task;
}

struct pool_task *worker_next(struct worker *w, struct pool_group *g)
{
	struct pool_task *task = find_task(w, g);

	if (task) {
		w->woken = false;
		worker_work(w);
	}
	return task;
}

static void count_run(struct worker *w, const struct pool_task *task, int error)
{
	pthread_mutex_lock(&w->lock);
	w->stats.tasks++;
	w->stats.migrations += task->home != w->index;
	w->stats.errors += error != 0;
	pthread_mutex_unlock(&w->lock);
}

void worker_run(struct worker *w, struct pool_task *task)
{
	struct pool_group *group = task->group;
	int error = ECANCELED;

	if (!AO_load_acquire(&w->pool->discard)) {
		error = task->fn(task->arg);
		count_run(w, task, error);
		if (error && !group)
			(void)AO_fetch_and_add1_full(&w->pool->failed);
	}
	free(task);
	if (group)
		group_finish(group, error);
	worker_tick(w->pool);
}

void *worker_main(void *worker)
{
	struct worker *w = worker;
	struct pool_task *task;

	this_worker = w;
	while ((task = worker_next(w, NULL)) != NULL)
		worker_run(w, task);
	brain_search_end(w->pool->brain, w->index);
	return NULL;
}
