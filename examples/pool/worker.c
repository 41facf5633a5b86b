/* SPDX-License-Identifier: MIT */
/*
 * What a worker does: its own work first (newest first: still in the cache), then its inbox,
 * then what others have, as far as the brain thinks that worth while; then it sleeps.
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
	error = deque_init(&w->deque, DEQUE_LOG2);
	if (error)
		return error;
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
	return error;
}

void worker_destroy(struct worker *w)
{
	pthread_mutex_destroy(&w->lock);
	parker_destroy(&w->parker);
	inbox_destroy(&w->inbox);
	deque_destroy(&w->deque);
}

static size_t queued(const struct worker *w)
{
	return deque_size(&w->deque) + inbox_size(&w->inbox);
}

static void publish_locked(struct worker *w)
{
	size_t nr = queued(w) + (w->state == WORKER_BUSY);

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

void worker_enter(struct worker *w, enum worker_state state)
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
	if (state == WORKER_IDLE || from == WORKER_IDLE)
		brain_idle(w->pool->brain, w->index, state == WORKER_IDLE, now);
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

static void count(struct worker *w, uint64_t *counter, uint64_t n)
{
	pthread_mutex_lock(&w->lock);
	*counter += n;
	pthread_mutex_unlock(&w->lock);
}

/* The pick was made for that work: the woken one looks there before it asks. */
static void send(struct pool *p, const struct brain_pull *pull)
{
	struct worker *w = &p->workers[pull->worker];

	AO_store(&w->hint_amount, pull->amount);
	AO_store_release(&w->hint, (AO_t)pull->from + 1);
	parker_signal(&w->parker);
}

void worker_wake_for(struct pool *p, uint32_t home)
{
	struct brain_pull pull = { brain_whom_to_wake(p->brain, home), home, 1 };

	if (pull.worker != BRAIN_NOBODY)
		send(p, &pull);
}

void worker_tick(struct pool *p)
{
	struct brain_pull pulls[BRAIN_PULLS];
	uint32_t n = brain_tick(p->brain, clock_now(), pulls);

	while (n > 0)
		send(p, &pulls[--n]);
}

static struct pool_task *take_own(struct worker *w)
{
	struct pool_task *task = deque_take(&w->deque);

	if (!task)
		task = inbox_pop(&w->inbox);
	if (task)
		worker_publish(w);
	return task;
}

static struct pool_task *steal_one(struct worker *victim)
{
	void *item = NULL;
	enum deque_result result;

	/* Lost means that somebody else got one, so this ends. */
	do {
		result = deque_steal(&victim->deque, &item);
	} while (result == DEQUE_LOST);
	return result == DEQUE_GOT ? item : inbox_pop(&victim->inbox);
}

static void keep(struct worker *w, struct pool_task *task)
{
	if (deque_push(&w->deque, task))
		inbox_push(&w->inbox, task);
}

/* At most `amount` tasks; the first is returned, the others become our own. */
static struct pool_task *steal_from(struct worker *w, uint32_t from, uint32_t amount)
{
	struct worker *victim = &w->pool->workers[from];
	struct pool_task *first = NULL, *task;
	uint32_t taken = 0;

	while (taken < amount && (task = steal_one(victim)) != NULL) {
		if (taken++ == 0)
			first = task;
		else
			keep(w, task);
	}
	if (!taken)
		return NULL;
	count(w, &w->stats.steals, taken);
	worker_publish(victim);
	worker_publish(w);
	/* Each wake-up brings one worker; if there is more to do, that worker brings the next. */
	if (queued(victim)) {
		pool_fence();
		worker_wake_for(w->pool, from);
	}
	return first;
}

static struct pool_task *follow_hint(struct worker *w)
{
	AO_t hint = AO_load_acquire(&w->hint);

	if (!hint)
		return NULL;
	AO_store(&w->hint, 0);
	if (hint - 1 == w->index)
		return NULL;
	return steal_from(w, (uint32_t)(hint - 1), (uint32_t)AO_load(&w->hint_amount));
}

static struct pool_task *search(struct worker *w)
{
	struct brain_walk walk = { .worker = w->index, .newly_idle = true };
	struct pool_task *task = follow_hint(w);
	struct brain_pull pull;

	while (!task && brain_busiest(w->pool->brain, &walk, &pull))
		task = steal_from(w, pull.from, pull.amount);
	count(w, &w->stats.searches, 1);
	return task;
}

static bool anything_queued(const struct pool *p)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		if (queued(&p->workers[i]))
			return true;
	return false;
}

static bool must_stay_awake(const struct worker *w, const struct pool_group *g)
{
	if (g)
		return group_finished(g);
	return AO_load_acquire(&w->pool->stop) != 0;
}

/* The second half of the duty in park.h: idleness is published, now look once more. Own
 * work is always taken; work of others only if the brain says so, for it will be run there. */
static struct pool_task *last_look(struct worker *w)
{
	struct pool_task *task = take_own(w);

	if (!task && anything_queued(w->pool))
		task = search(w);
	return task;
}

static void doze(struct worker *w)
{
	if (w->woken)
		count(w, &w->stats.useless, 1);
	w->woken = parker_park(&w->parker);
	if (w->woken)
		count(w, &w->stats.wakeups, 1);
}

static struct pool_task *worker_sleep(struct worker *w, struct pool_group *g)
{
	struct pool_waiter waiter = { .worker = w };
	struct pool_task *task;

	if (g && !group_enlist(g, &waiter))
		return NULL;
	AO_store_release(&w->asleep, 1);
	worker_enter(w, WORKER_IDLE);
	pool_fence();
	task = last_look(w);
	if (!task && !must_stay_awake(w, g))
		doze(w);
	AO_store_release(&w->asleep, 0);
	worker_enter(w, WORKER_OTHER);
	if (g)
		group_withdraw(g, &waiter);
	return task;
}

struct pool_task *worker_next(struct worker *w, struct pool_group *g)
{
	struct pool_task *task = NULL;

	while (!task) {
		/* Read before the queues: whatever was submitted before the stop is then seen. */
		bool stop = AO_load_acquire(&w->pool->stop) != 0;

		if (g && group_finished(g))
			return NULL;
		task = take_own(w);
		if (task)
			break;
		worker_enter(w, WORKER_OTHER);
		task = search(w);
		if (!task && stop && !g)
			return NULL;
		if (!task)
			task = worker_sleep(w, g);
	}
	w->woken = false;
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
		worker_enter(w, WORKER_BUSY);
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
	return NULL;
}
