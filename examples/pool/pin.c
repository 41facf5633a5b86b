/* SPDX-License-Identifier: MIT */
/*
 * On which cpus the thread of a worker may run. Under powersave on its own, as it was chosen so that
 * the others can rest. Else on those that share a last-level cache with it: which of them it gets,
 * the system knows better, as it sees other programs, and a cpu that is about to be free. Waking
 * a thread of ours across two cpus of a virtual machine took 82 us after 10 ms, a free one 27.
 *
 * A service only: that a cpu is refused is no error.
 */
#include <sched.h>
#include "worker.h"

static bool may_use(const struct worker *w, const struct worker *other)
{
	const struct brain *b = w->pool->brain;

	if (other == w)
		return true;
	return !AO_load(&w->bound_here) && AO_load(&w->pool->level) != BRAIN_POWERSAVE &&
		!AO_load_acquire(&other->retired) && brain_seat(b, other->index)->pinnable &&
		brain_seat(b, other->index)->cache == brain_seat(b, w->index)->cache;
}

static uint32_t os_cpus(const struct pool *p)
{
	uint32_t most = 0, i;

	for (i = 0; i < p->count; i++)
		if (brain_seat(p->brain, i)->pinnable && brain_seat(p->brain, i)->os_id >= most)
			most = brain_seat(p->brain, i)->os_id + 1;
	return most;
}

/* Under the worker's lock, so that the latest change is the last one that the system hears of. */
static void pin(struct worker *w)
{
	struct pool *p = w->pool;
	const uint32_t cpus = os_cpus(p);
	const size_t size = CPU_ALLOC_SIZE(cpus);
	cpu_set_t *set = brain_seat(p->brain, w->index)->pinnable ? CPU_ALLOC(cpus) : NULL;
	uint32_t i;

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	for (i = 0; i < p->count; i++)
		if (may_use(w, &p->workers[i]))
			CPU_SET_S(brain_seat(p->brain, i)->os_id, size, set);
	(void)pthread_setaffinity_np(w->thread, size, set);
	CPU_FREE(set);
}

void worker_pin(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	pin(w);
	pthread_mutex_unlock(&w->lock);
}

static void hold(struct worker *w, AO_t tasks)
{
	const bool changes = !tasks != !AO_load(&w->bound_here);

	pthread_mutex_lock(&w->lock);
	AO_store(&w->bound_here, tasks);
	if (changes && AO_load(&w->pool->level) != BRAIN_POWERSAVE)
		pin(w);
	pthread_mutex_unlock(&w->lock);
}

void worker_stay(struct worker *w)
{
	w->stays = true;
	hold(w, AO_load(&w->bound_here) + 1);
}

void worker_roam(struct worker *w)
{
	hold(w, AO_load(&w->bound_here) - 1);
}
