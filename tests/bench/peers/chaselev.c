/* SPDX-License-Identifier: MIT */
/*
 * A floor: a deque per worker after Chase and Lev, thieves that try everybody in turn, a queue
 * under a mutex for work from outside, and sleep after some looks in vain. No policy at all.
 */
#include <atomic_ops.h>
#include <pthread.h>
#include <sched.h>
#include "peer_load.h"
#include "ring.h"
#include "tally.h"

#define SLOTS 4096u
#define LOOKS 16u

/* Thieves take at `top`, the owner puts and takes at `bottom`; apart in the cache. */
struct worker {
	AO_t top;
	char apart[120];
	AO_t bottom, failed;
	AO_t slot[SLOTS];
	pthread_t thread;
};

/* Of a join, on the stack of who waits for it: the count is touched last. */
struct joined {
	struct peer_task task;
	struct peer_task *real;
	AO_t *unfinished;
};

static struct worker worker[PEER_MOST_THREADS];
static unsigned workers;
static _Thread_local unsigned self;

/* Work from outside and sleep, under the lock; the counts are also read without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct ring queue;
static AO_t queued, sleepers;
static bool closing;
static AO_t failed_before;

static void fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static bool deque_empty(const struct worker *w)
{
	const AO_t top = AO_load_acquire(&w->top);

	return (AO_t)(AO_load_acquire(&w->bottom) - top - 1) >= SLOTS;
}

static bool push(struct worker *w, struct peer_task *t)
{
	const AO_t b = AO_load(&w->bottom);

	if (b - AO_load_acquire(&w->top) >= SLOTS)
		return false;
	AO_store(&w->slot[b % SLOTS], (AO_t)t);
	AO_store_release(&w->bottom, b + 1);
	return true;
}

static struct peer_task *pop(struct worker *w)
{
	const AO_t b = AO_load(&w->bottom) - 1;
	struct peer_task *t;
	AO_t top;

	AO_store(&w->bottom, b);
	fence();
	top = AO_load(&w->top);
	if (b - top < SLOTS) {
		t = (struct peer_task *)AO_load(&w->slot[b % SLOTS]);
		if (b != top)
			return t;
		/* The last one: a thief may be after it too. */
		if (!AO_compare_and_swap_full(&w->top, top, top + 1))
			t = NULL;
	} else {
		t = NULL;
	}
	AO_store(&w->bottom, b + 1);
	return t;
}

static struct peer_task *steal(struct worker *w)
{
	const AO_t top = AO_load_acquire(&w->top);
	struct peer_task *t;

	fence();
	if ((AO_t)(AO_load_acquire(&w->bottom) - top - 1) >= SLOTS)
		return NULL;
	t = (struct peer_task *)AO_load(&w->slot[top % SLOTS]);
	return AO_compare_and_swap_full(&w->top, top, top + 1) ? t : NULL;
}

static struct peer_task *find(void)
{
	struct peer_task *t = pop(&worker[self]);

	for (unsigned i = 1; !t && i < workers; i++) {
		t = steal(&worker[(self + i) % workers]);
		if (!t)
			AO_store(&worker[self].failed, worker[self].failed + 1);
	}
	return t;
}

static bool run_one(void)
{
	struct peer_task *t = find();

	if (t)
		t->run(t);
	return t;
}

static bool run_queued(void)
{
	struct peer_task *t = NULL;

	if (!AO_load(&queued))
		return false;
	pthread_mutex_lock(&lock);
	if (!ring_empty(&queue)) {
		t = ring_take(&queue);
		AO_store(&queued, queued - 1);
	}
	pthread_mutex_unlock(&lock);
	if (!t)
		return false;
	t->run(t);
	tally_finished();
	return true;
}

static bool any_work(void)
{
	bool any = closing || !ring_empty(&queue);

	for (unsigned i = 0; i < workers; i++)
		any |= !deque_empty(&worker[i]);
	return any;
}

/* Counts itself, then looks; who pushes does so and then looks at the count. False: the end. */
static bool rest(void)
{
	bool open;

	pthread_mutex_lock(&lock);
	AO_store(&sleepers, sleepers + 1);
	fence();
	if (!any_work())
		pthread_cond_wait(&work, &lock);
	AO_store(&sleepers, sleepers - 1);
	open = !closing || !ring_empty(&queue);
	pthread_mutex_unlock(&lock);
	return open;
}

static void *serve(void *arg)
{
	unsigned looks = 0;

	self = (unsigned)((struct worker *)arg - worker);
	for (;;) {
		if (run_one() || run_queued())
			looks = 0;
		else if (looks++ < LOOKS)
			sched_yield();
		else if (!rest())
			return NULL;
	}
}

static void wake_one(void)
{
	fence();
	if (!AO_load(&sleepers))
		return;
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&work);
	pthread_mutex_unlock(&lock);
}

static void submit(struct peer_task *t)
{
	bool asleep;

	tally_begun();
	pthread_mutex_lock(&lock);
	ring_put(&queue, t);
	AO_store(&queued, queued + 1);
	asleep = AO_load(&sleepers) > 0;
	pthread_mutex_unlock(&lock);
	if (asleep)
		pthread_cond_signal(&work);
}

static void run_joined(struct peer_task *task)
{
	struct joined *j = (struct joined *)task;

	j->real->run(j->real);
	(void)AO_fetch_and_sub1_full(j->unfinished);
}

static void join(struct peer_task *left, struct peer_task *right)
{
	AO_t unfinished = 2;
	struct joined both[] = {
		{ { run_joined }, right, &unfinished }, { { run_joined }, left, &unfinished },
	};

	for (int i = 0; i < 2; i++) {
		if (push(&worker[self], &both[i].task))
			wake_one();
		else
			run_joined(&both[i].task);
	}
	while (AO_load_acquire(&unfinished))
		if (!run_one())
			sched_yield();
}

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	(void)outside;
	workers = threads;
	for (unsigned i = 0; i < threads; i++)
		peer_need(!pthread_create(&worker[i].thread, NULL, serve, &worker[i]), "a thread");
	body(arg);
	pthread_mutex_lock(&lock);
	closing = true;
	pthread_cond_broadcast(&work);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(worker[i].thread, NULL);
	free(queue.slot);
	return 0;
}

static AO_t all_failed(void)
{
	AO_t sum = 0;

	for (unsigned i = 0; i < workers; i++)
		sum += AO_load(&worker[i].failed);
	return sum;
}

static void mark(void)
{
	failed_before = all_failed();
}

static void count(struct peer_counts *out)
{
	out->failed = (double)(all_failed() - failed_before);
}

const struct peer peer = {
	.with = with, .submit = submit, .wait = tally_wait, .join = join,
	.mark = mark, .count = count,
};
