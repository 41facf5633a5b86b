/* SPDX-License-Identifier: MIT */
/* The inside of the pool, shared by pool.c, worker.c and group.c. */
#ifndef POOL_WORKER_H
#define POOL_WORKER_H

#include "deque.h"
#include "inject.h"
#include "newidle.h"
#include "park.h"
#include "pool.h"
#include "unit.h"

struct pool_task {
	pool_fn *fn;
	void *arg;
	struct pool_group *group; /* or NULL */
	uint32_t home;            /* worker it was put with */
	struct pool_task *next;   /* in an inbox */
};

enum worker_state { WORKER_OTHER, WORKER_BUSY, WORKER_IDLE };

struct worker {
	struct deque deque;
	struct inbox inbox;
	struct parker parker;
	struct newidle *newidle;
	struct pool *pool;
	uint32_t index;
	pthread_t thread;
	AO_t asleep;            /* between publishing idleness and being back; owner writes */
	AO_t hint;              /* 1 + worker that has work for us, 0 = none; any thread */
	bool woken;             /* slept, and has found nothing since; owner only */
	uint64_t no_linger;     /* until then; owner only */
	bool searching;         /* told the brain so; owner only */
	pthread_mutex_t lock;   /* the run-queue lock: guards publishing and what follows */
	struct pool_stats stats;
	enum worker_state state;
	uint64_t since;         /* when state began */
};

struct pool {
	struct brain *brain;
	struct worker *workers;
	uint32_t count;
	enum newidle_mode newidle;
	struct unit *cores, *packages;
	AO_t stop;              /* workers leave when they find nothing */
	AO_t discard;           /* tasks are finished without being run */
	AO_t failed;            /* tasks without a group that failed */
};

/* A worker asleep in pool_wait; on its stack. */
struct pool_waiter {
	struct worker *worker;
	struct pool_waiter *next;
};

/* 0 or an error number. */
int worker_init(struct worker *w, struct pool *p, uint32_t index);
void worker_destroy(struct worker *w);

/* Body of the thread. */
void *worker_main(void *worker);

/* The worker this thread is, or NULL. */
struct worker *worker_self(void);

/* Owner only: a task to run, already published as running; sleeps while there is none. NULL
 * when the group is finished or, without a group, when the pool stops. */
struct pool_task *worker_next(struct worker *w, struct pool_group *g);

/* Owner only: runs a task and reports it finished. */
void worker_run(struct worker *w, struct pool_task *task);

/* Owner only: a task is in its hands, taken up or taken up again. */
void worker_work(struct worker *w);

/* Owner only: a task of its own, or NULL. */
struct pool_task *worker_take_own(struct worker *w);

/* Owner only: a task that others had, or that came while it lingered, or NULL. */
struct pool_task *worker_search(struct worker *w, const struct pool_group *g);

/* What a worker waits for has happened: the group's end, without a group the pool's. */
bool worker_must_stay_awake(const struct worker *w, const struct pool_group *g);

size_t worker_queued(const struct worker *w);

/* The worker behind whose running task most work waits, or BRAIN_NOBODY. O(workers). */
uint32_t worker_waiting(const struct pool *p);

/* Any thread: tells the brain how much is queued or running here. */
void worker_publish(struct worker *w);

/* Any thread, after the fence: wakes somebody for work queued at `home`, if the brain says so. */
void worker_wake_for(struct pool *p, uint32_t home);

/* Any thread, often: does what is due at a tick, and wakes whom the brain names. */
void worker_tick(struct pool *p);

static inline bool group_finished(const struct pool_group *g)
{
	return AO_load_acquire(&g->pending) == 0;
}

void group_begin(struct pool_group *g);
void group_finish(struct pool_group *g, int error);

/* False when the group is finished, and then the waiter is not listed. */
bool group_enlist(struct pool_group *g, struct pool_waiter *waiter);
void group_withdraw(struct pool_group *g, struct pool_waiter *waiter);

/* The first error, once finished; the last finisher has left the group by then. */
int group_result(struct pool_group *g);

#endif
