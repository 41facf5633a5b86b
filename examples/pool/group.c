/* SPDX-License-Identifier: MIT */
/*
 * Wait groups. All but the last task leave with one swap; the last one leaves under the lock,
 * which every waiter takes once before it returns: so the group may be destroyed at once.
 */
#include <errno.h>
#include "clock.h"
#include "worker.h"

int pool_group_init(struct pool_group *g)
{
	int error = pthread_mutex_init(&g->lock, NULL);

	if (error)
		return error;
	error = clock_cond_init(&g->finished);
	if (error)
		pthread_mutex_destroy(&g->lock);
	AO_store(&g->pending, 0);
	AO_store(&g->cancelled, 0);
	g->waiters = NULL;
	g->error = 0;
	g->errors = 0;
	return error;
}

void pool_group_destroy(struct pool_group *g)
{
	pthread_cond_destroy(&g->finished);
	pthread_mutex_destroy(&g->lock);
}

void pool_group_cancel(struct pool_group *g)
{
	AO_store_release(&g->cancelled, 1);
}

bool pool_group_cancelled(const struct pool_group *g)
{
	return AO_load_acquire(&g->cancelled) != 0;
}

void group_begin(struct pool_group *g, size_t tasks)
{
	(void)AO_fetch_and_add_full(&g->pending, tasks);
}

void group_note_error(struct pool_group *g, int error)
{
	pthread_mutex_lock(&g->lock);
	if (!g->error)
		g->error = error;
	g->errors++;
	pthread_mutex_unlock(&g->lock);
}

static bool leave_unless_last(struct pool_group *g, size_t tasks)
{
	for (;;) {
		AO_t pending = AO_load_acquire(&g->pending);

		if (pending == tasks)
			return false;
		if (AO_compare_and_swap_full(&g->pending, pending, pending - tasks))
			return true;
	}
}

void group_finish(struct pool_group *g, size_t tasks)
{
	struct pool_waiter *waiter;

	if (leave_unless_last(g, tasks))
		return;
	pthread_mutex_lock(&g->lock);
	if (AO_fetch_and_add_full(&g->pending, (AO_t)0 - tasks) == tasks) {
		for (waiter = g->waiters; waiter; waiter = waiter->next)
			parker_signal(&waiter->worker->parker);
		pthread_cond_broadcast(&g->finished);
	}
	pthread_mutex_unlock(&g->lock);
}

bool group_enlist(struct pool_group *g, struct pool_waiter *waiter)
{
	bool listed;

	pthread_mutex_lock(&g->lock);
	listed = !group_finished(g);
	if (listed) {
		waiter->next = g->waiters;
		g->waiters = waiter;
	}
	pthread_mutex_unlock(&g->lock);
	return listed;
}

void group_withdraw(struct pool_group *g, struct pool_waiter *waiter)
{
	struct pool_waiter **link;

	pthread_mutex_lock(&g->lock);
	for (link = &g->waiters; *link != waiter; link = &(*link)->next)
		;
	*link = waiter->next;
	pthread_mutex_unlock(&g->lock);
}

int group_result(struct pool_group *g)
{
	int error;

	pthread_mutex_lock(&g->lock);
	error = g->error;
	pthread_mutex_unlock(&g->lock);
	return error;
}

static void wait_outside(struct pool *p, struct pool_group *g)
{
	(void)AO_fetch_and_add1_full(&p->waiting);
	worker_end_nap(p);
	pthread_mutex_lock(&g->lock);
	while (!group_finished(g))
		pthread_cond_wait(&g->finished, &g->lock);
	pthread_mutex_unlock(&g->lock);
	(void)AO_fetch_and_sub1_full(&p->waiting);
}

/* Blocking a worker would take a cpu out of the pool, and with one worker nobody would be
 * left to run what it waits for: it helps instead. What it helps with may wait in turn: the
 * stack grows by these few frames for every region open at once, as in other such pools. */
static void wait_helping(struct worker *w, struct pool_group *g)
{
	struct pool_task task;

	while (worker_next(w, g, &task))
		worker_run(w, &task);
	worker_work(w);
}

int pool_wait(struct pool *p, struct pool_group *g)
{
	struct worker *w = worker_self();

	if (pool_is_forked(p))
		return ESRCH;
	if (w && w->pool == p)
		wait_helping(w, g);
	else
		wait_outside(p, g);
	return group_result(g);
}

bool pool_wait_ms(struct pool_group *g, unsigned ms)
{
	const struct timespec t = clock_timespec(clock_now() + (uint64_t)ms * 1000000u);
	bool finished;
	int error = 0;

	pthread_mutex_lock(&g->lock);
	while (!(finished = group_finished(g)) && error != ETIMEDOUT)
		error = pthread_cond_timedwait(&g->finished, &g->lock, &t);
	pthread_mutex_unlock(&g->lock);
	return finished;
}
