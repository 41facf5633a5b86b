/* SPDX-License-Identifier: MIT */
/* What a worker without work does while it is awake: steal where a search is worth it, linger. */
#include "clock.h"
#include "worker.h"

/* Between two looks; a look takes a hundred ns, a fetch with all its locks a few us. */
#define LOST_CPU_NS 50000u
/* Long against a time slice, short against what other programs do. */
#define NO_LINGER_NS 100000000u

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

static void count_search(struct worker *w, uint32_t taken)
{
	pthread_mutex_lock(&w->lock);
	w->stats.searches++;
	w->stats.found += taken > 0;
	w->stats.steals += taken;
	pthread_mutex_unlock(&w->lock);
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
	count_search(w, taken);
	if (taken)
		worker_publish(victim);
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
	return steal_from(w, (uint32_t)(hint - 1), 1);
}

static struct pool_task *search_level(struct worker *w, uint32_t level)
{
	struct brain_pull pull;

	if (brain_busiest(w->pool->brain, w->index, level, &pull))
		return steal_from(w, pull.from, pull.amount);
	count_search(w, 0);
	return NULL;
}

static struct pool_task *search_from(struct worker *w, uint32_t level)
{
	struct pool_task *task = NULL;

	while (level != NEWIDLE_STOP) {
		task = search_level(w, level);
		level = newidle_next(w->newidle, task != NULL, worker_queued(w) > 0, clock_now());
	}
	return task;
}

/* Work waits, and we are awake: all levels, as that is the end of waiting either way. */
static struct pool_task *search_all(struct worker *w)
{
	uint32_t levels = brain_levels(w->pool->brain, w->index), level;
	struct pool_task *task = NULL;

	for (level = 0; level < levels && !task; level++)
		task = search_level(w, level);
	return task;
}

/* Who loses its cpu while it lingers keeps it from somebody: it stops that for a while. */
static uint64_t linger_ns(const struct worker *w, uint64_t now)
{
	return now < w->no_linger ? 0 : newidle_linger_ns(w->newidle, now);
}

static struct pool_task *linger(struct worker *w, const struct pool_group *g)
{
	uint64_t now = clock_now(), until = now + linger_ns(w, now), before;
	struct pool_task *task = NULL;

	while (!task && now < until && !worker_must_stay_awake(w, g)) {
		pool_relax();
		task = worker_take_own(w);
		if (!task && worker_waiting(w->pool) != BRAIN_NOBODY) {
			task = search_all(w);
			until = now;
		}
		before = now;
		now = clock_now();
		if (now - before > LOST_CPU_NS)
			w->no_linger = now + NO_LINGER_NS;
	}
	if (task)
		newidle_wake(w->newidle, now);
	return task;
}

/* Awake only if there is something to do, and if not enough others are. */
static struct pool_task *stay_awake(struct worker *w, const struct pool_group *g)
{
	uint64_t now = clock_now();
	bool waiting = worker_waiting(w->pool) != BRAIN_NOBODY;
	uint32_t level = newidle_begin(w->newidle, waiting, now);
	struct pool_task *task;

	if (level == NEWIDLE_STOP && !linger_ns(w, now))
		return NULL;
	w->searching = brain_search_begin(w->pool->brain, w->index);
	if (!w->searching)
		return NULL;
	task = search_from(w, level);
	return task ? task : linger(w, g);
}

struct pool_task *worker_search(struct worker *w, const struct pool_group *g)
{
	struct pool_task *task = follow_hint(w);
	struct brain_pull pull;

	if (!task && brain_beside(w->pool->brain, w->index, &pull))
		task = steal_from(w, pull.from, pull.amount);
	return task ? task : stay_awake(w, g);
}
