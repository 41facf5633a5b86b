/* SPDX-License-Identifier: MIT */
/*
 * How many workers take part, and which: as many as are asked for, of those whose cpus this process
 * may use at the time. The threads of the others stay, asleep; what waits with them is handed on.
 * They still run what may run on their cpus only.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include "worker.h"

/* Room for more cpus than any Linux has. */
#define CPUS 8192

/* Of the process, which is that of its first thread: workers are bound to a cpu each. */
static cpu_set_t *usable_cpus(size_t *size)
{
	cpu_set_t *set = CPU_ALLOC(CPUS);

	*size = CPU_ALLOC_SIZE(CPUS);
	if (set && sched_getaffinity(getpid(), *size, set)) {
		CPU_FREE(set);
		set = NULL;
	}
	return set;
}

static bool is_usable(const struct pool *p, uint32_t worker, const cpu_set_t *set, size_t size)
{
	const struct brain_seat *seat = brain_seat(p->brain, worker);

	return !seat->pinnable || !set || CPU_ISSET_S(seat->os_id, size, set);
}

/* The first ones that are usable, so many as are wanted; if none is, the first one has to do. */
static uint32_t choose(const struct pool *p, bool *works)
{
	uint32_t n = 0, i;
	size_t size;
	cpu_set_t *set = usable_cpus(&size);

	for (i = 0; i < p->count; i++) {
		works[i] = n < p->wanted && is_usable(p, i, set, size);
		n += works[i];
	}
	if (set)
		CPU_FREE(set);
	if (!n)
		works[0] = true;
	return n ? n : 1;
}

static bool differs(const struct pool *p, const bool *works)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		if (works[i] == (AO_load(&p->workers[i].retired) != 0))
			return true;
	return false;
}

static void tell(struct worker *w, bool works)
{
	if (works == (AO_load(&w->retired) == 0))
		return;
	AO_store_release(&w->retired, !works);
	pool_fence();
	parker_signal(&w->parker);
}

/* A cpu that comes back does not get back those that were bound to it. */
static void pin_all(const struct pool *p)
{
	uint32_t i;

	for (i = 0; i < p->count; i++)
		worker_pin(&p->workers[i]);
}

/* Under the control lock. */
static int adapt(struct pool *p)
{
	bool *works = calloc(p->count, sizeof(*works));
	uint32_t n, i;
	int error = 0;
	bool new;

	if (!works)
		return ENOMEM;
	n = choose(p, works);
	new = differs(p, works);
	if (new)
		error = brain_set_working(p->brain, works);
	if (!error) {
		AO_store(&p->settled, 0);
		AO_store(&p->active, n);
		for (i = 0; i < p->count; i++)
			tell(&p->workers[i], works[i]);
	}
	if (new && !error)
		pin_all(p);
	free(works);
	return error;
}

int pool_adapt(struct pool *p)
{
	int error;

	if (pool_is_forked(p))
		return ESRCH;
	pthread_mutex_lock(&p->control);
	error = adapt(p);
	pthread_mutex_unlock(&p->control);
	return error;
}

int pool_resize(struct pool *p, unsigned n)
{
	uint32_t before;
	int error;

	if (!n || n > p->count)
		return EINVAL;
	if (pool_is_forked(p))
		return ESRCH;
	pthread_mutex_lock(&p->control);
	before = p->wanted;
	p->wanted = n;
	error = adapt(p);
	if (error)
		p->wanted = before;
	pthread_mutex_unlock(&p->control);
	return error;
}

unsigned pool_active(const struct pool *p)
{
	return (unsigned)AO_load(&p->active);
}

int pool_set_level(struct pool *p, enum brain_level level)
{
	int error;

	if (pool_is_forked(p))
		return ESRCH;
	pthread_mutex_lock(&p->control);
	error = brain_set_level(p->brain, level);
	pthread_mutex_unlock(&p->control);
	return error;
}
