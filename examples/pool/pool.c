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
static void submit_inside(struct worker *w, struct pool_task *task)
{
	task->home = w->index;
	if (deque_push(&w->deque, task))
		inbox_push(&w->inbox, task);
	worker_publish(w);
	pool_fence();
	worker_wake_for(w->pool, w->index);
}

/* A worker that sleeps on its own inbox is always woken: nobody else has the duty to run
 * what lies there. If it is awake, somebody idle may be better than waiting for it. */
static void submit_outside(struct pool *p, struct pool_task *task)
{
	uint32_t home = brain_place(p->brain);
	struct worker *w = &p->workers[home];

	task->home = home;
	inbox_push(&w->inbox, task);
	worker_publish(w);
	pool_fence();
	if (AO_load_acquire(&w->asleep))
		parker_signal(&w->parker);
	else
		worker_wake_for(p, home);
}

int pool_submit(struct pool *p, struct pool_group *group, pool_fn *fn, void *arg)
{
	struct worker *w = worker_self();
	struct pool_task *task;

	if (!p || !fn)
		return EINVAL;
	if (AO_load_acquire(&p->discard))
		return ECANCELED;
	task = malloc(sizeof(*task));
	if (!task)
		return ENOMEM;
	*task = (struct pool_task){ .fn = fn, .arg = arg, .group = group };
	if (group)
		group_begin(group);
	if (w && w->pool == p)
		submit_inside(w, task);
	else
		submit_outside(p, task);
	worker_tick(p);
	return 0;
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
