/* SPDX-License-Identifier: MIT */
/*
 * Fork and join. Who waits for tasks has a cpu to run them on: it takes part.
 *
 * A worker hands out all but one, which it runs itself, and then helps as at any wait. A thread from
 * outside has no deque that others could take from; so there the tasks stay where they are, and who
 * takes part fetches their numbers from a counter. Workers are called by tasks that do so, one each.
 * Waking one takes longer than many a region lasts: while regions are short, the caller begins alone,
 * and calls only when a region has lasted as long as that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "worker.h"

/* From calling a worker on another cpu until it runs, and what that costs both. */
#define CALL_NS 20000u

/* Kept for the next one when nobody uses it any more: a worker may come when all is done and the
 * caller gone. The pool frees them all, as a called worker need not come at all. */
struct pool_region {
	struct pool_group group; /* of the tasks, not of those that call workers */
	pool_fn *fn;
	void *const *args;       /* [n], the caller's; not looked at once all are taken */
	size_t n;
	struct pool *pool;
	struct pool_region *all, *unused; /* next ones; under the lock of the regions */
	AO_t users;
	_Alignas(POOL_LINE) AO_t next;
	_Alignas(POOL_LINE) uint32_t cpus[]; /* all but the caller's */
};

int regions_init(struct pool_regions *all)
{
	all->all = NULL;
	all->unused = NULL;
	AO_store(&all->are_short, 0);
	return pthread_mutex_init(&all->lock, NULL);
}

void regions_destroy(struct pool_regions *all)
{
	struct pool_region *r = all->all, *next;

	for (; r; r = next) {
		next = r->all;
		pool_group_destroy(&r->group);
		free(r);
	}
	pthread_mutex_destroy(&all->lock);
}

static struct pool_region *region_new(struct pool *p)
{
	const size_t lines = (brain_words(p->brain) * sizeof(uint32_t) + POOL_LINE - 1) / POOL_LINE;
	struct pool_region *r = aligned_alloc(POOL_LINE, sizeof(*r) + lines * POOL_LINE);

	if (!r)
		return NULL;
	memset(r, 0, sizeof(*r));
	if (pool_group_init(&r->group)) {
		free(r);
		return NULL;
	}
	r->pool = p;
	return r;
}

/* One for these tasks; NULL: no memory. */
static struct pool_region *region_enter(struct pool *p, pool_fn *fn, void *const *args, size_t n)
{
	struct pool_regions *all = &p->regions;
	struct pool_region *r;

	pthread_mutex_lock(&all->lock);
	r = all->unused;
	if (r) {
		all->unused = r->unused;
	} else if ((r = region_new(p)) != NULL) {
		r->all = all->all;
		all->all = r;
	}
	pthread_mutex_unlock(&all->lock);
	if (!r)
		return NULL;
	r->fn = fn;
	r->args = args;
	r->n = n;
	AO_store(&r->users, 1);
	AO_store(&r->next, 0);
	r->group.error = 0;
	group_begin(&r->group, n);
	return r;
}

static void region_leave(struct pool_region *r)
{
	struct pool_regions *all = &r->pool->regions;

	if (AO_fetch_and_sub1_full(&r->users) > 1)
		return;
	pthread_mutex_lock(&all->lock);
	r->unused = all->unused;
	all->unused = r;
	pthread_mutex_unlock(&all->lock);
}

/* Runs what is left, as long as it lasts; how many. */
static size_t take_part(struct pool_region *r)
{
	struct worker *w = worker_self();
	size_t i, done = 0;
	int error;

	while (AO_load(&r->next) < r->n) {
		i = AO_fetch_and_add1_full(&r->next);
		if (i >= r->n)
			break;
		error = w && w->pool == r->pool ? worker_call(w, r->fn, r->args[i]) : r->fn(r->args[i]);
		if (error)
			group_note_error(&r->group, error);
		done++;
	}
	if (done)
		group_finish(&r->group, done);
	return done;
}

static int help(void *arg)
{
	struct pool_region *r = arg;

	(void)take_part(r);
	region_leave(r);
	return 0;
}

/* As many workers as there are tasks for, without the one whose cpu the caller has. None if there is
 * no room for the call: the caller does it all. */
static void call_workers(struct pool *p, struct pool_region *r)
{
	const uint32_t own = worker_of_caller(p), words = brain_words(p->brain);
	size_t workers = AO_load(&p->active), i;

	memset(r->cpus, 0xff, words * sizeof(r->cpus[0]));
	if (own != BRAIN_NOBODY && workers > 1) {
		workers--;
		r->cpus[brain_seat(p->brain, own)->cpu / 32] &=
			~(UINT32_C(1) << brain_seat(p->brain, own)->cpu % 32);
	}
	for (i = 0; i < workers && i + 1 < r->n; i++) {
		(void)AO_fetch_and_add1_full(&r->users);
		if (worker_submit_near(p, help, r, r->cpus, words)) {
			(void)AO_fetch_and_sub1_full(&r->users);
			break;
		}
	}
	worker_end_nap(p);
}

/* As long as sleeping and being called would cost. */
static void linger(const struct pool_group *g)
{
	const uint64_t until = clock_now() + CALL_NS;

	while (!group_finished(g) && clock_now() < until)
		pool_relax();
}

/* Goes on until all are run or a time is over; adds how many. The first error. */
static int run_alone(pool_fn *fn, void *const *args, size_t n, uint64_t until, size_t *done)
{
	int error = 0, first = 0;

	do {
		error = fn(args[(*done)++]);
		if (!first)
			first = error;
	} while (*done < n && clock_now() < until);
	return first;
}

/* Learns from its own share how long all would have taken the caller alone. */
static int run_together(struct pool *p, pool_fn *fn, void *const *args, size_t n)
{
	struct pool_region *r = region_enter(p, fn, args, n);
	size_t done = 0;
	uint64_t begin;
	int error;

	if (!r)
		return run_alone(fn, args, n, UINT64_MAX, &done);
	call_workers(p, r);
	begin = clock_now();
	done = take_part(r);
	AO_store(&p->regions.are_short, done && (clock_now() - begin) / done * n < CALL_NS);
	linger(&r->group);
	error = pool_wait(p, &r->group);
	region_leave(r);
	return error;
}

static int join_outside(struct pool *p, pool_fn *fn, void *const *args, size_t n)
{
	int error, first = 0;
	size_t done = 0;

	if (n == 1 || AO_load(&p->regions.are_short))
		first = run_alone(fn, args, n, clock_now() + CALL_NS, &done);
	if (done == n)
		return first;
	error = run_together(p, fn, args + done, n - done);
	return first ? first : error;
}

/* Those that it kept. The first error. */
static int run_own(struct worker *w, pool_fn *fn, void *const *args, size_t n)
{
	int error, first = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		error = worker_call(w, fn, args[i]);
		if (!first)
			first = error;
	}
	return first;
}

/* One, or all if there is no room for the others. */
static int join_inside(struct worker *w, pool_fn *fn, void *const *args, size_t n)
{
	struct pool_group g;
	int first, error = pool_group_init(&g);

	if (error)
		return error;
	error = pool_submit_many(w->pool, &g, fn, args + 1, n - 1);
	if (!error || error == EAGAIN) {
		first = run_own(w, fn, args, error ? n : 1);
		error = pool_wait(w->pool, &g);
		error = first ? first : error;
	}
	pool_group_destroy(&g);
	return error;
}

int pool_fork_join(struct pool *p, pool_fn *fn, void *const *args, size_t n)
{
	struct worker *w = worker_self();
	int error = pool_check(p, fn, n);

	if (error || !n)
		return error;
	if (!args)
		return EINVAL;
	return w && w->pool == p ? join_inside(w, fn, args, n) : join_outside(p, fn, args, n);
}
