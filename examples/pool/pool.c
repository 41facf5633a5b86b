/* SPDX-License-Identifier: MIT */
/* Opening and closing the pool, and the ways into it. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "worker.h"

/* Only cpus that exist, and only as a service to the measurement: a refusal is no error. */
static void pin(struct worker *w)
{
	const struct brain_seat *seat = brain_seat(w->pool->brain, w->index);
	size_t size = CPU_ALLOC_SIZE(seat->os_id + 1);
	cpu_set_t *set;

	if (!seat->pinnable)
		return;
	set = CPU_ALLOC(seat->os_id + 1);
	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S(seat->os_id, size, set);
	(void)pthread_setaffinity_np(w->thread, size, set);
	CPU_FREE(set);
}

static void stop_workers(struct pool *p, uint32_t started)
{
	uint32_t i;

	AO_store_release(&p->stop, 1);
	pool_fence();
	for (i = 0; i < started; i++)
		parker_signal(&p->workers[i].parker);
	for (i = 0; i < started; i++)
		pthread_join(p->workers[i].thread, NULL);
}

static int start_workers(struct pool *p)
{
	uint32_t i;
	int error;

	for (i = 0; i < p->count; i++) {
		error = pthread_create(&p->workers[i].thread, NULL, worker_main, &p->workers[i]);
		if (error) {
			stop_workers(p, i);
			return error;
		}
		pin(&p->workers[i]);
	}
	return 0;
}

static void release(struct pool *p, uint32_t initialised)
{
	const struct brain_machine *m = brain_machine(p->brain);

	while (initialised > 0)
		worker_destroy(&p->workers[--initialised]);
	units_free(p->cores, m->cores);
	units_free(p->packages, m->packages);
	free(p->workers);
	brain_close(p->brain);
	free(p);
}

/* The caller releases what was reached, also after an error. */
static int fill(struct pool *p, uint32_t *initialised)
{
	const struct brain_machine *m = brain_machine(p->brain);
	int error;

	p->count = m->workers;
	p->cores = units_new(m->cores);
	p->packages = units_new(m->packages);
	p->workers = calloc(p->count, sizeof(*p->workers));
	if (!p->cores || !p->packages || !p->workers)
		return ENOMEM;
	for (; *initialised < p->count; (*initialised)++) {
		error = worker_init(&p->workers[*initialised], p, *initialised);
		if (error)
			return error;
	}
	return start_workers(p);
}

int pool_open(struct pool **out, const struct pool_config *config, char *why, size_t size)
{
	struct pool *p = calloc(1, sizeof(*p));
	uint32_t initialised = 0;
	int error;

	if (!p) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return ENOMEM;
	}
	error = brain_open(&p->brain, config->topology, config->threads, config->level, why, size);
	if (error) {
		free(p);
		return error;
	}
	p->newidle = config->newidle;
	AO_store(&p->slept, 1);
	error = fill(p, &initialised);
	if (error) {
		snprintf(why, size, "cannot start the workers: %s", strerror(error));
		release(p, initialised);
		return error;
	}
	*out = p;
	return 0;
}

uint64_t pool_close(struct pool *p, bool discard)
{
	uint64_t failed;

	if (discard)
		AO_store_release(&p->discard, 1);
	stop_workers(p, p->count);
	failed = AO_load_acquire(&p->failed);
	release(p, p->count);
	return failed;
}

/* Own work goes to the own deque; the brain may send somebody to fetch it. */
static int submit_inside(struct worker *w, struct pool_task *task)
{
	int error;

	task->home = w->index;
	error = deque_push(&w->deque, task);
	if (error)
		return error;
	pool_fence();
	if (worker_publish(w))
		worker_wake_for(w->pool, w->index);
	return 0;
}

/* Awake, without a task, and with no more work than that: it takes up what it is given at once. */
static bool is_at_hand(const struct worker *w, size_t queued)
{
	return AO_load_acquire(&w->state) == WORKER_OTHER && worker_queued(w) <= queued;
}

/* Where work from outside goes: where the last one went, unless somebody sleeps who may be the
 * better one. Then the brain is asked, but once only while nothing changes. */
static struct worker *find_home(struct pool *p)
{
	struct worker *home = &p->workers[AO_load(&p->door)];
	AO_t slept = AO_load_acquire(&p->slept);

	if (!AO_load_acquire(&p->sleepers) || is_at_hand(home, 0) || AO_load(&p->settled) == slept)
		return home;
	home = &p->workers[brain_place(p->brain)];
	AO_store(&p->door, home->index);
	AO_store(&p->settled, AO_load_acquire(&home->state) == WORKER_BUSY ? slept : 0);
	return home;
}

/* Somebody idle may be better than waiting for one that has other work. */
static void tell_home(struct pool *p, struct worker *home)
{
	if (is_at_hand(home, 1) || !worker_publish(home))
		return;
	AO_store(&p->settled, 0);
	worker_wake_for(p, home->index);
}

/* A worker that sleeps on its own inbox is always woken: nobody else has the duty to run
 * what lies there. */
static int submit_outside(struct pool *p, struct pool_task *task)
{
	struct worker *home = find_home(p);
	int error;

	task->home = home->index;
	error = inbox_push(&home->inbox, task, 1);
	if (error)
		return error;
	if (AO_load_acquire(&home->asleep)) {
		(void)worker_publish(home);
		parker_signal(&home->parker);
	} else {
		tell_home(p, home);
	}
	return 0;
}

int pool_submit(struct pool *p, struct pool_group *group, pool_fn *fn, void *arg)
{
	struct pool_task task = { .fn = fn, .arg = arg, .group = group };
	struct worker *w = worker_self();
	int error;

	if (!p || !fn)
		return EINVAL;
	if (AO_load_acquire(&p->discard))
		return ECANCELED;
	if (group)
		group_begin(group, 1);
	error = w && w->pool == p ? submit_inside(w, &task) : submit_outside(p, &task);
	if (error && group)
		group_finish(group, 1);
	return error;
}

int pool_set_level(struct pool *p, enum brain_level level)
{
	return brain_set_level(p->brain, level);
}

unsigned pool_workers(const struct pool *p)
{
	return p->count;
}

const struct brain *pool_brain(const struct pool *p)
{
	return p->brain;
}

int pool_self(const struct pool *p)
{
	const struct worker *w = worker_self();

	return w && w->pool == p ? (int)w->index : -1;
}

uint64_t pool_core_busy(struct pool *p, unsigned core)
{
	return unit_busy(&p->cores[core], clock_now());
}

uint64_t pool_package_busy(struct pool *p, unsigned package)
{
	return unit_busy(&p->packages[package], clock_now());
}
