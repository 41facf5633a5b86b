/* SPDX-License-Identifier: MIT */
/* Opening and closing the pool. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "worker.h"

static void stop_workers(struct pool *p, uint32_t started)
{
	uint32_t i;

	AO_store(&p->started, started);
	AO_store_release(&p->stop, 1);
	pool_fence();
	for (i = 0; i < started; i++)
		parker_signal(&p->workers[i].parker);
	for (i = 0; i < started; i++)
		pthread_join(p->workers[i].thread, NULL);
}

/* A service to whoever looks at the process; the system cuts names at 15 bytes. */
static void name(struct worker *w, const char *prefix)
{
	char text[16];

	snprintf(text, sizeof(text), "%.8s-%u", prefix ? prefix : "pool", w->index);
	(void)pthread_setname_np(w->thread, text);
}

static int start_workers(struct pool *p, const char *prefix)
{
	uint32_t i;
	int error;

	for (i = 0; i < p->count; i++) {
		error = pthread_create(&p->workers[i].thread, NULL, worker_main, &p->workers[i]);
		if (error) {
			stop_workers(p, i);
			return error;
		}
		worker_pin(&p->workers[i]);
		name(&p->workers[i], prefix);
	}
	return 0;
}

static int init_locks(struct pool *p)
{
	int error = pthread_mutex_init(&p->control, NULL);

	if (error)
		return error;
	error = regions_init(&p->regions);
	if (error)
		pthread_mutex_destroy(&p->control);
	return error;
}

static void destroy_locks(struct pool *p)
{
	regions_destroy(&p->regions);
	pthread_mutex_destroy(&p->control);
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
	destroy_locks(p);
	free(p);
}

/* The caller releases what was reached, also after an error. */
static int fill(struct pool *p, const char *prefix, uint32_t *initialised)
{
	const struct brain_machine *m = brain_machine(p->brain);
	int error;

	p->count = m->workers;
	p->wanted = m->workers;
	AO_store(&p->active, m->workers);
	p->cores = units_new(m->cores);
	p->packages = units_new(m->packages);
	p->workers = aligned_alloc(POOL_LINE, p->count * sizeof(*p->workers));
	if (!p->cores || !p->packages || !p->workers)
		return ENOMEM;
	memset(p->workers, 0, p->count * sizeof(*p->workers));
	for (; *initialised < p->count; (*initialised)++) {
		error = worker_init(&p->workers[*initialised], p, *initialised);
		if (error)
			return error;
	}
	return start_workers(p, prefix);
}

int pool_open(struct pool **out, const struct pool_config *config, char *why, size_t size)
{
	const struct brain_config brain = { .topology = config->topology,
		.threads = config->threads, .level = config->level, .costs = config->costs };
	struct pool *p = pool_watch_forks() ? NULL : aligned_alloc(POOL_LINE, sizeof(*p));
	uint32_t initialised = 0;
	int error;

	if (!p) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return ENOMEM;
	}
	memset(p, 0, sizeof(*p));
	error = init_locks(p);
	if (error) {
		snprintf(why, size, "%s", strerror(error));
		free(p);
		return error;
	}
	error = brain_open(&p->brain, &brain, why, size);
	if (error) {
		destroy_locks(p);
		free(p);
		return error;
	}
	p->newidle = config->newidle;
	p->limit = config->limit;
	p->trace = config->trace;
	AO_store(&p->slept, 1);
	AO_store(&p->forks, pool_forks());
	error = fill(p, config->name, &initialised);
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

	if (pool_is_forked(p))
		return 0;
	if (discard)
		AO_store_release(&p->discard, 1);
	stop_workers(p, p->count);
	failed = AO_load_acquire(&p->failed);
	release(p, p->count);
	return failed;
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
	return pool_is_forked(p) ? 0 : unit_busy(&p->cores[core], clock_now());
}

uint64_t pool_package_busy(struct pool *p, unsigned package)
{
	return pool_is_forked(p) ? 0 : unit_busy(&p->packages[package], clock_now());
}
