/* SPDX-License-Identifier: MIT */
/*
 * The ways into the pool. Nothing here reads a clock, and nobody is asked whom to wake while nobody
 * sleeps.
 */
#include <errno.h>
#include <sched.h>
#include "worker.h"

uint32_t worker_of_caller(const struct pool *p)
{
	int cpu = sched_getcpu();
	uint32_t i;

	for (i = 0; i < p->count; i++) {
		const struct brain_seat *seat = brain_seat(p->brain, i);

		if (seat->pinnable && cpu >= 0 && seat->os_id == (uint32_t)cpu)
			return i;
	}
	return BRAIN_NOBODY;
}

/* What is to be queued. */
struct batch {
	struct pool_task task;
	void *const *args;       /* [n], or NULL: as in task */
	size_t n;
	struct pool_hint hint;
	bool anywhere;           /* hint.cpus say where it begins, not where it may run */
};

/* Own work goes to the own deque; the brain may send somebody to fetch it. Who is about to wait
 * takes it up itself. */
static int submit_inside(struct worker *w, struct batch *b)
{
	struct deque *d = &w->lanes[b->hint.priority].deque;
	int error = deque_reserve(d, b->n);
	size_t i;

	if (error)
		return error;
	b->task.home = w->index;
	for (i = 0; i < b->n; i++) {
		struct pool_task task = task_nth(&b->task, b->args, i);

		(void)deque_push(d, &task);
	}
	pool_fence();
	w->unasked |= worker_publish(w);
	if (!b->hint.sync)
		worker_ask_once(w);
	return 0;
}

/* It has been signalled, and is not there yet. Who found work without sleeping may have a token, too. */
static bool is_called(const struct worker *w)
{
	return AO_load_acquire(&w->asleep) && AO_load_acquire(&w->parker.token);
}

/* Awake, without a task, and with no more work than that: it takes up what it is given at once. */
static bool is_at_hand(const struct worker *w, size_t queued)
{
	return AO_load_acquire(&w->state) == WORKER_OTHER && worker_queued(w) <= queued;
}

static bool all_sleep(const struct pool *p)
{
	return AO_load(&p->sleepers) == p->count;
}

/* Where work from outside goes: where the last one went, unless somebody sleeps who may be the
 * better one. Then the brain is asked, but once only while nothing changes. */
static struct worker *find_home(struct pool *p)
{
	const AO_t napper = AO_load_acquire(&p->napper);
	struct worker *home = &p->workers[napper ? napper - 1 : AO_load(&p->door)];
	AO_t slept = AO_load_acquire(&p->slept);

	if (AO_load_acquire(&home->retired))
		slept = 0;
	else if (napper || !AO_load_acquire(&p->sleepers) || is_called(home) || is_at_hand(home, 0) ||
		 AO_load(&p->settled) == slept)
		return home;
	home = &p->workers[brain_place(p->brain, worker_of_caller(p), all_sleep(p))];
	AO_store(&p->door, home->index);
	AO_store(&p->settled, AO_load_acquire(&home->state) == WORKER_BUSY ? slept : 0);
	return home;
}

/* The cache of that cpu has what the task is about. */
static struct worker *find_own_home(struct pool *p)
{
	const uint32_t own = worker_of_caller(p);

	return own == BRAIN_NOBODY ? find_home(p) : &p->workers[own];
}

static struct worker *find_home_within(struct pool *p, const struct pool_hint *hint)
{
	const uint32_t index = brain_place_within(p->brain, hint->cpus, hint->words);

	return index == BRAIN_NOBODY ? find_home(p) : &p->workers[index];
}

static struct worker *choose_home(struct pool *p, const struct pool_hint *hint)
{
	if (hint->cpus)
		return find_home_within(p, hint);
	return hint->sync ? find_own_home(p) : find_home(p);
}

/* Somebody idle may be better than waiting for one that has other work. It is asked for even if the
 * home was asleep a moment ago: it may have taken up what there is, and handed out more. */
static void tell_home(struct pool *p, struct worker *home, enum pool_priority priority, bool slept)
{
	const AO_t shown = AO_load_acquire(&home->shown);

	/* It is known that work waits there, and not twice as much of it. More of a look would take away
	 * from its owner what it is writing: half of the time of a small task. */
	if (shown > 1 && inbox_size(&home->lanes[priority].inbox) < 2 * shown)
		return;
	if ((!slept && is_at_hand(home, 1)) || !worker_publish(home) || worker_naps(home))
		return;
	AO_store(&p->settled, 0);
	(void)worker_wake_for(p, home->index);
}

/* A worker that sleeps on its own inbox is always woken: nobody else has the duty to run
 * what lies there. */
static int submit_outside(struct pool *p, struct batch *b)
{
	struct worker *home = choose_home(p, &b->hint);
	bool asleep;
	int error;

	b->task.home = home->index;
	error = inbox_push(&home->lanes[b->hint.priority].inbox, &b->task, b->args, b->n);
	if (error) {
		/* It may have been claimed for this, and nobody else would ever call it. */
		parker_signal(&home->parker);
		return error;
	}
	AO_store(&p->given, AO_load(&p->given) + b->n);
	asleep = AO_load_acquire(&home->asleep) != 0;
	if (asleep)
		parker_signal(&home->parker);
	if (asleep || !b->hint.sync)
		tell_home(p, home, b->hint.priority, asleep);
	return 0;
}

int worker_pass_on(struct pool *p, const struct pool_task *task, enum pool_priority priority)
{
	struct batch b = { *task, NULL, 1, { .priority = priority }, false };

	return submit_outside(p, &b);
}

static bool call_if_asleep(struct worker *w)
{
	if (!AO_load_acquire(&w->asleep))
		return false;
	parker_signal(&w->parker);
	return true;
}

/* Only where it may run. No thief comes for it: if all of them are busy, the first that is not will
 * find it, and one that has fallen asleep meanwhile is called. */
static int submit_bound(struct pool *p, struct batch *b)
{
	uint32_t index = brain_place_within(p->brain, b->hint.cpus, b->hint.words);
	struct worker *home;
	int error;

	if (index == BRAIN_NOBODY)
		return EINVAL;
	home = &p->workers[index];
	b->task.home = index;
	(void)AO_fetch_and_add1_full(&p->bound);
	error = bound_push(&home->bound, &b->task, b->hint.cpus, b->hint.words);
	if (error) {
		(void)AO_fetch_and_sub1_full(&p->bound);
		parker_signal(&home->parker);
		return error;
	}
	if (call_if_asleep(home))
		return 0;
	index = brain_place_within(p->brain, b->hint.cpus, b->hint.words);
	if (index == BRAIN_NOBODY || !call_if_asleep(&p->workers[index]))
		worker_end_nap(p);
	return 0;
}

static int queue(struct pool *p, struct batch *b)
{
	struct worker *w = worker_self();

	if (b->hint.cpus && !b->anywhere)
		return submit_bound(p, b);
	return w && w->pool == p ? submit_inside(w, b) : submit_outside(p, b);
}

/* 0 = there is room for that many tasks more, and it is taken. */
static int take_room(struct pool *p, size_t n)
{
	AO_t before;

	if (!p->limit)
		return 0;
	do {
		before = AO_load(&p->queued);
		if (n > p->limit || before > p->limit - n)
			return EAGAIN;
	} while (!AO_compare_and_swap_full(&p->queued, before, before + n));
	return 0;
}

int pool_check(const struct pool *p, pool_fn *fn, size_t n)
{
	if (!p || !fn)
		return EINVAL;
	if (pool_is_forked(p))
		return ESRCH;
	/* No memory holds so many, and no sum of two such numbers is too large for its type. */
	if (n > SIZE_MAX / sizeof(struct pool_task))
		return ENOMEM;
	return AO_load_acquire(&p->discard) ? ECANCELED : 0;
}

static int submit(struct pool *p, struct batch *b)
{
	int error = b->hint.priority < POOL_PRIORITIES ? pool_check(p, b->task.fn, b->n) : EINVAL;

	if (!error)
		error = take_room(p, b->n);
	if (error)
		return error;
	if (b->task.group)
		group_begin(b->task.group, b->n);
	error = queue(p, b);
	if (error && b->task.group)
		group_finish(b->task.group, b->n);
	if (error && p->limit)
		(void)AO_fetch_and_add_full(&p->queued, (AO_t)0 - b->n);
	return error;
}

int pool_submit(struct pool *p, struct pool_group *group, pool_fn *fn, void *arg)
{
	struct batch b = { { fn, arg, group, 0 }, NULL, 1, { .priority = POOL_NORMAL }, false };

	return submit(p, &b);
}

int pool_submit_hinted(struct pool *p, struct pool_group *group, pool_fn *fn, void *arg,
	const struct pool_hint *hint)
{
	struct batch b = { { fn, arg, group, 0 }, NULL, 1, { .priority = POOL_NORMAL }, false };

	if (hint)
		b.hint = *hint;
	return submit(p, &b);
}

int worker_submit_near(struct pool *p, pool_fn *fn, void *arg, const uint32_t *cpus, uint32_t words)
{
	struct batch b = { { fn, arg, NULL, 0 }, NULL, 1,
		{ .priority = POOL_NORMAL, .cpus = cpus, .words = words }, true };

	return submit(p, &b);
}

int pool_submit_many(struct pool *p, struct pool_group *group, pool_fn *fn, void *const *args,
	size_t n)
{
	struct batch b = { { fn, NULL, group, 0 }, args, n, { .priority = POOL_NORMAL }, false };

	if (!n)
		return pool_check(p, fn, 0);
	return args ? submit(p, &b) : EINVAL;
}
