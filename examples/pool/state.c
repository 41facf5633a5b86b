/* SPDX-License-Identifier: MIT */
/*
 * The states of a worker, and what the brain is told of it.
 *
 * How many tasks a worker has changes with every one of them; what the brain answers changes only
 * when there is one rather than none, when some begin to wait, and when the backlog doubles or falls
 * to a quarter. So only that is published: a few times in a thousand tasks, not two thousand.
 */
#include "clock.h"
#include "worker.h"

size_t worker_queued(const struct worker *w)
{
	size_t n = 0;
	int i;

	for (i = 0; i < POOL_PRIORITIES; i++)
		n += deque_size(&w->lanes[i].deque) + inbox_size(&w->lanes[i].inbox);
	return n;
}

static size_t count_of(const struct worker *w)
{
	return worker_queued(w) + (AO_load_acquire(&w->state) == WORKER_BUSY);
}

/* What is to be shown of so many tasks: exact up to two, then about, to be seldom changed. */
static AO_t about(size_t count, AO_t shown)
{
	size_t power = 2;

	if (count <= 2)
		return (AO_t)count;
	if (count < 2 * shown && count > shown / 4)
		return shown > 1 ? shown : 2;
	while (power <= count / 2)
		power *= 2;
	return (AO_t)power;
}

/* Who changes something later than this last look sees what is shown now. */
static bool publish(struct worker *w)
{
	AO_t shown = AO_load(&w->shown), next = about(count_of(w), shown);

	do {
		shown = next;
		brain_publish(w->pool->brain, w->index, (uint32_t)shown);
		AO_store_release(&w->shown, shown);
		pool_fence();
		next = about(count_of(w), shown);
	} while (next != shown);
	return shown > 1;
}

bool worker_publish(struct worker *w)
{
	AO_t shown = AO_load_acquire(&w->shown);
	bool waits;

	if (about(count_of(w), shown) == shown)
		return false;
	pthread_mutex_lock(&w->lock);
	waits = publish(w);
	pthread_mutex_unlock(&w->lock);
	return waits;
}

/* Tasks write themselves down, one by one. */
static void trace_state(struct worker *w, enum worker_state state, uint64_t now)
{
	const struct trace_event event = { .begin = w->since, .end = now,
		.kind = state == WORKER_IDLE ? TRACE_SLEEP : TRACE_LOOK };

	if (state != WORKER_BUSY)
		trace_add(w->trace, &event);
}

static uint64_t *time_in(struct worker *w, enum worker_state state)
{
	switch (state) {
	case WORKER_BUSY:
		return &w->busy;
	case WORKER_IDLE:
		return &w->idle;
	default:
		return &w->other;
	}
}

/* Under lock. */
static void spend(struct worker *w, enum worker_state state, uint64_t until)
{
	trace_state(w, state, until);
	*time_in(w, state) += until - w->since;
	w->since = until;
}

void worker_slept(struct worker *w, uint64_t begin, uint64_t end)
{
	pthread_mutex_lock(&w->lock);
	spend(w, WORKER_OTHER, begin);
	spend(w, WORKER_IDLE, end);
	pthread_mutex_unlock(&w->lock);
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

/* What the brain hears of it; falling asleep ends a search too. */
static void tell_brain(struct worker *w, enum worker_state from, enum worker_state to, uint64_t now)
{
	if (to == WORKER_IDLE || from == WORKER_IDLE)
		brain_idle(w->pool->brain, w->index, to == WORKER_IDLE, now);
	else if (w->searching)
		brain_search_end(w->pool->brain, w->index);
	w->searching = false;
}

void worker_enter(struct worker *w, enum worker_state to)
{
	enum worker_state from = (enum worker_state)AO_load(&w->state);
	uint64_t now;

	if (from == to)
		return;
	pthread_mutex_lock(&w->lock);
	now = clock_now();
	spend(w, from, now);
	AO_store_release(&w->state, to);
	(void)publish(w);
	tell_brain(w, from, to, now);
	if (from == WORKER_IDLE)
		w->woke = now;
	pthread_mutex_unlock(&w->lock);
	tell_units(w, from, to, now);
}

void pool_stats(struct pool *p, unsigned worker, struct pool_stats *out)
{
	struct worker *w = &p->workers[worker];
	const struct worker_counts *c = &w->counts;
	uint64_t under_way, *time;

	*out = (struct pool_stats){ 0 };
	if (pool_is_forked(p))
		return;
	pthread_mutex_lock(&w->lock);
	under_way = clock_now() - w->since;
	time = time_in(w, (enum worker_state)AO_load(&w->state));
	*time += under_way;
	*out = (struct pool_stats){ .busy = w->busy, .idle = w->idle, .other = w->other,
		.tasks = AO_load(&c->tasks), .wakeups = AO_load(&c->wakeups),
		.useless = AO_load(&c->useless), .naps = AO_load(&c->naps), .searches = AO_load(&c->searches),
		.found = AO_load(&c->found), .steals = AO_load(&c->steals),
		.migrations = AO_load(&c->migrations), .errors = AO_load(&c->errors) };
	*time -= under_way;
	pthread_mutex_unlock(&w->lock);
}
