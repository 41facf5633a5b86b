/* SPDX-License-Identifier: MIT */
/* The inside of the pool, shared by its files. */
#ifndef POOL_WORKER_H
#define POOL_WORKER_H

#include "bound.h"
#include "deque.h"
#include "inject.h"
#include "newidle.h"
#include "park.h"
#include "pool.h"
#include "trace.h"
#include "unit.h"

enum worker_state { WORKER_OTHER, WORKER_BUSY, WORKER_IDLE };

/* How often; the owner writes, anybody reads. */
struct worker_counts {
	AO_t tasks, migrations, errors, wakeups, useless, naps, searches, found, steals;
};

/* What is queued at a worker of one priority. */
struct lane {
	struct deque deque;
	struct inbox inbox;
};

struct worker {
	struct lane lanes[POOL_PRIORITIES];
	struct bound bound;     /* for this worker's cpu, among others */
	struct parker parker;
	_Alignas(POOL_LINE) pthread_mutex_t lock; /* the run-queue lock: guards publishing, state and times */
	AO_t state;             /* enum worker_state; the owner writes, under lock */
	AO_t shown;             /* tasks as last published; written under lock */
	AO_t asleep;            /* between publishing idleness and being back; owner writes */
	AO_t retired;           /* takes no part; written under the control lock */
	AO_t hint;              /* 1 + worker that has work for us, 0 = none; any thread */
	uint64_t since;         /* when state began; under lock */
	uint64_t busy, idle, other; /* ns in each state until then; under lock */
	_Alignas(POOL_LINE) struct worker_counts counts;
	struct newidle *newidle;
	struct trace *trace;    /* or NULL */
	struct pool *pool;
	uint32_t index;
	pthread_t thread;
	/* What follows is the owner's alone. */
	struct pool_group *ended; /* a group of which tasks have ended that it does not know of */
	uint32_t ended_count;
	uint32_t seconds;       /* coarse time of the last look at the cpus */
	uint32_t ticks;         /* coarse time of the last look at the tick */
	AO_t slept;             /* pool->slept when it last asked whom to wake for what waits here */
	AO_t given;             /* of the pool, and when that was looked at */
	uint64_t looked;
	uint32_t row;           /* tasks taken since the others had a turn */
	bool unasked;           /* published that work waits, and asked nobody yet */
	bool woken;             /* slept, and has found nothing since */
	bool searching;         /* told the brain so */
	uint64_t woke;          /* when it slept last, until then; 0: the tracker knows */
	uint64_t no_linger;     /* until then */
};

/* Of fork and join; see region.c. */
struct pool_regions {
	pthread_mutex_t lock;
	struct pool_region *all, *unused; /* under lock */
	AO_t are_short;         /* the latest one would not have been worth calling anybody */
};

/* In three parts: what all read and few write; what submitters write; what changes with every sleep. */
struct pool {
	struct brain *brain;
	struct worker *workers;
	uint32_t count;
	enum newidle_mode newidle;
	struct unit *cores, *packages;
	size_t limit;           /* or 0 */
	size_t trace;           /* events that a worker keeps */
	AO_t forks;             /* of the process when the pool was opened */
	AO_t active;            /* workers that take part */
	AO_t started;           /* threads there are; set when they are to leave */
	AO_t stop;              /* no more work comes from outside */
	AO_t drained;           /* nor from inside: workers leave */
	AO_t discard;           /* tasks are finished without being run */
	AO_t failed;            /* tasks without a group that failed */
	pthread_mutex_t control; /* one change of what follows, or of the level, at a time */
	uint32_t wanted;        /* workers, under control */
	struct pool_regions regions;

	_Alignas(POOL_LINE) AO_t door; /* worker that work from outside was put with last */
	AO_t settled;           /* slept, when the brain found no better one than the door; or 0 */
	AO_t given;             /* tasks from outside, about: submitters may overlook each other */
	AO_t queued;            /* tasks that nobody has begun; counted if there is a limit */

	_Alignas(POOL_LINE) AO_t sleepers; /* workers that are asleep or about to be */
	AO_t slept;             /* how often one fell asleep, from 1 */
	AO_t napper;            /* 1 + worker that naps, 0 = none */
	AO_t stream;            /* small tasks keep coming from outside */
	AO_t waiting;           /* threads from outside that wait for a group */
	AO_t bound;             /* tasks that only some cpus may run */
	AO_t resting;           /* workers asleep without a task that waits for others */
	AO_t rested;            /* how often one has come to rest */
};

/* A worker asleep in pool_wait; on its stack. */
struct pool_waiter {
	struct worker *worker;
	struct pool_waiter *next;
};

/* 0 or an error number. */
int worker_init(struct worker *w, struct pool *p, uint32_t index);
void worker_destroy(struct worker *w);

/* pin.c. Any thread: to its cpu. */
void worker_pin(const struct worker *w);

/* Body of the thread. */
void *worker_main(void *worker);

/* The worker this thread is, or NULL. */
struct worker *worker_self(void);

/* Owner only: a task to run, already published as running; sleeps while there is none. False
 * when the group is finished or, without a group, when the pool stops. */
bool worker_next(struct worker *w, struct pool_group *g, struct pool_task *task);

/* Owner only: runs a task. Its group hears of it no later than at the next worker_next. */
void worker_run(struct worker *w, const struct pool_task *task);

/* Owner only, in a task: the same for one that was never queued; its error. */
int worker_call(struct worker *w, pool_fn *fn, void *arg);

/* Owner only: a task of its own. */
bool worker_take_own(struct worker *w, struct pool_task *task);

/* Owner only: a task with a mask that this worker may run too. O(workers) if there are any. */
bool worker_take_bound(struct worker *w, struct pool_task *task);

/* sleep.c */

/* What a worker waits for has happened: the group's end, without a group the pool's, when nothing is
 * left that could hand out work. */
bool worker_must_stay_awake(const struct worker *w, const struct pool_group *g);

/* Owner only, out of work: sleeps, unless there is a task after all. True: a task, without another look. */
bool worker_sleep(struct worker *w, struct pool_group *g, struct pool_task *task);

static inline void worker_count(AO_t *counter, AO_t n)
{
	AO_store(counter, AO_load(counter) + n);
}

/* search.c. Owner only: a task that others had, or that came while it lingered. */
bool worker_search(struct worker *w, const struct pool_group *g, struct pool_task *task);

/* nap.c */

/* Owner only, out of work: takes a nap if that is the best way to wait for more, and nobody else does.
 * True: a task. */
bool worker_nap(struct worker *w, struct pool_task *task);

static inline bool worker_naps(const struct worker *w)
{
	return AO_load_acquire(&w->pool->napper) == w->index + 1;
}

/* Any thread, after a full fence: nobody naps any longer. */
void worker_end_nap(struct pool *p);

/* state.c */

size_t worker_queued(const struct worker *w);

/* Any thread, after its change and a full fence: tells the brain how much is queued or running
 * here if that has changed enough. True: it has, and some of it waits. A full fence if true. */
bool worker_publish(struct worker *w);

/* Owner only, looking for work: it slept between these times. */
void worker_slept(struct worker *w, uint64_t begin, uint64_t end);

/* Owner only: another state, published. */
void worker_enter(struct worker *w, enum worker_state state);

/* wake.c */

/* The worker behind whose running task most work waits, or BRAIN_NOBODY. O(workers). */
uint32_t worker_waiting(const struct pool *p);

/* Any thread, after the fence: wakes somebody for work queued at `home`, if the brain says so. True:
 * it has. */
bool worker_wake_for(struct pool *p, uint32_t home);

/* The same for whatever waits anywhere. */
void worker_wake_for_any(struct pool *p);

/* Owner only: if it has published that work waits, wakes somebody for it. */
void worker_ask_once(struct worker *w);

/* Owner only: a task is in its hands, taken up or taken up again. */
void worker_work(struct worker *w);

/* Owner only, between tasks: does what is due at a tick, and wakes whom the brain names. */
void worker_tick(struct worker *w);

/* submit.c. Any thread: a task that was queued goes elsewhere. 0 or ENOMEM. */
int worker_pass_on(struct pool *p, const struct pool_task *task, enum pool_priority priority);

/* A task that begins on one of these cpus, [words], if it can; who steals it may run it anywhere. */
int worker_submit_near(struct pool *p, pool_fn *fn, void *arg, const uint32_t *cpus, uint32_t words);

/* A worker of the cpu that the caller runs on, or BRAIN_NOBODY. */
uint32_t worker_of_caller(const struct pool *p);

/* Whether n tasks may be handed out: 0, or what pool_submit answers. */
int pool_check(const struct pool *p, pool_fn *fn, size_t n);

/* region.c */
int regions_init(struct pool_regions *all);
void regions_destroy(struct pool_regions *all);

/* forks.c: how many lie behind this process; that they are counted: 0 or an error number. */
AO_t pool_forks(void);
int pool_watch_forks(void);

/* This process is not the one that opened it: its threads are not here, and any lock may be held. */
static inline bool pool_is_forked(const struct pool *p)
{
	return AO_load(&p->forks) != pool_forks();
}

/* group.c */

static inline bool group_finished(const struct pool_group *g)
{
	return AO_load_acquire(&g->pending) == 0;
}

void group_begin(struct pool_group *g, size_t tasks);
void group_note_error(struct pool_group *g, int error);
/* That many tasks have ended. */
void group_finish(struct pool_group *g, size_t tasks);

/* False when the group is finished, and then the waiter is not listed. */
bool group_enlist(struct pool_group *g, struct pool_waiter *waiter);
void group_withdraw(struct pool_group *g, struct pool_waiter *waiter);

/* The first error, once finished; the last finisher has left the group by then. */
int group_result(struct pool_group *g);

#endif
