/* SPDX-License-Identifier: MIT */
/* What a worker without work does while it is awake: steal where a search is worth it, linger. */
#include "clock.h"
#include "worker.h"

/* Between two looks; a look takes a hundred ns, a fetch with all its locks a few us. */
#define LOST_CPU_NS 50000u
/* Long against a time slice, short against what other programs do. */
#define NO_LINGER_NS 100000000u

/* What a thief takes from an inbox under one lock. */
#define HANDFUL 32u

static void keep(struct lane *lane, const struct pool_task *task, uint32_t *taken,
	struct pool_task *first)
{
	if ((*taken)++ == 0)
		*first = *task;
	else
		(void)deque_push(&lane->deque, task);
}

/* Of one priority: the oldest, first from the deque. Lost means that somebody else got one, so
 * this ends. */
static void steal_lane(struct lane *own, struct lane *victim, uint32_t most, uint32_t *taken,
	struct pool_task *first)
{
	enum deque_result result = DEQUE_LOST;
	struct pool_task tasks[HANDFUL];
	size_t n, i;

	while (*taken < most && result != DEQUE_EMPTY) {
		result = deque_steal(&victim->deque, &tasks[0]);
		if (result == DEQUE_GOT)
			keep(own, &tasks[0], taken, first);
	}
	n = inbox_take(&victim->inbox, tasks, most - *taken < HANDFUL ? most - *taken : HANDFUL);
	for (i = 0; i < n; i++)
		keep(own, &tasks[i], taken, first);
}

/* At most `most` tasks, high ones first; how many. */
static uint32_t steal_some(struct worker *w, struct worker *victim, uint32_t most,
	struct pool_task *first)
{
	uint32_t taken = 0;
	int i;

	for (i = 0; i < POOL_PRIORITIES && taken < most; i++) {
		/* Without room for more one is taken, which needs none. */
		if (deque_reserve(&w->lanes[i].deque, most))
			most = taken ? taken : 1;
		steal_lane(&w->lanes[i], &victim->lanes[i], most, &taken, first);
	}
	return taken;
}

static void count_search(struct worker *w, uint32_t taken)
{
	worker_count(&w->counts.searches, 1);
	worker_count(&w->counts.found, taken > 0);
	worker_count(&w->counts.steals, taken);
}

static void trace_steal(struct worker *w, uint32_t from, uint32_t taken)
{
	struct trace_event event = { .kind = TRACE_STEAL, .who = from, .what = taken };

	if (!w->trace)
		return;
	event.begin = event.end = clock_now();
	trace_add(w->trace, &event);
}

/* At most `amount` tasks; the first is handed out, the others become our own. */
static bool steal_from(struct worker *w, uint32_t from, uint32_t amount, struct pool_task *task)
{
	struct worker *victim = &w->pool->workers[from];
	uint32_t taken;

	taken = steal_some(w, victim, amount, task);
	count_search(w, taken);
	if (taken) {
		trace_steal(w, from, taken);
		pool_fence();
		(void)worker_publish(victim);
	}
	return taken > 0;
}

static bool follow_hint(struct worker *w, struct pool_task *task)
{
	const AO_t hint = AO_load_acquire(&w->hint);
	const uint32_t from = (uint32_t)(hint - 1);

	if (!hint)
		return false;
	AO_store(&w->hint, 0);
	return from != w->index && steal_from(w, from, brain_half(w->pool->brain, from), task);
}

static bool search_level(struct worker *w, uint32_t level, struct pool_task *task)
{
	struct brain_pull pull;

	if (brain_busiest(w->pool->brain, w->index, level, &pull))
		return steal_from(w, pull.from, pull.amount, task);
	count_search(w, 0);
	return false;
}

static bool search_from(struct worker *w, uint32_t level, struct pool_task *task)
{
	bool got = false;

	while (level != NEWIDLE_STOP) {
		got = search_level(w, level, task);
		level = newidle_next(w->newidle, got, worker_queued(w) > 0, clock_now());
	}
	return got;
}

/* Work waits, and we are awake: all levels, as that is the end of waiting either way. */
static bool search_all(struct worker *w, struct pool_task *task)
{
	uint32_t levels = brain_levels(w->pool->brain, w->index), level;
	bool got = false;

	for (level = 0; level < levels && !got; level++)
		got = search_level(w, level, task);
	return got;
}

/* Who loses its cpu while it lingers keeps it from somebody: it stops that for a while. Nor does one
 * linger beside others. */
static uint64_t linger_ns(const struct worker *w, uint64_t now)
{
	if (now < w->no_linger || !brain_is_alone(w->pool->brain, w->index))
		return 0;
	return newidle_linger_ns(w->newidle, now);
}

static bool linger(struct worker *w, const struct pool_group *g, struct pool_task *task)
{
	uint64_t now = clock_now(), until = now + linger_ns(w, now), before;
	bool got = false;

	while (!got && now < until && !AO_load(&w->pool->stream) && !worker_must_stay_awake(w, g)) {
		pool_relax();
		got = worker_take_own(w, task);
		if (!got && worker_waiting(w->pool) != BRAIN_NOBODY) {
			got = search_all(w, task);
			until = now;
		}
		before = now;
		now = clock_now();
		if (now - before > LOST_CPU_NS)
			w->no_linger = now + NO_LINGER_NS;
	}
	if (got)
		newidle_wake(w->newidle, now);
	return got;
}

/* Awake only if there is something to do, and if not enough others are. */
static bool stay_awake(struct worker *w, const struct pool_group *g, struct pool_task *task)
{
	uint64_t now = clock_now();
	bool waiting = worker_waiting(w->pool) != BRAIN_NOBODY;
	uint32_t level;

	if (w->woke)
		newidle_wake(w->newidle, w->woke);
	w->woke = 0;
	level = newidle_begin(w->newidle, waiting, now);
	if (level == NEWIDLE_STOP && !linger_ns(w, now))
		return false;
	w->searching = brain_search_begin(w->pool->brain, w->index);
	if (!w->searching)
		return false;
	return search_from(w, level, task) || linger(w, g, task);
}

bool worker_search(struct worker *w, const struct pool_group *g, struct pool_task *task)
{
	struct brain_pull pull;

	if (!g && worker_nap(w, task))
		return true;
	if (worker_take_bound(w, task) || follow_hint(w, task))
		return true;
	if (brain_beside(w->pool->brain, w->index, &pull) &&
	    steal_from(w, pull.from, pull.amount, task))
		return true;
	return stay_awake(w, g, task);
}
