/* SPDX-License-Identifier: MIT */
/*
 * A work-stealing thread pool that leaves every scheduling decision to libsdpower.
 *
 * One worker per cpu, each with a deque of its own and an inbox for work from outside. The
 * pool moves tasks, sleeps and wakes; whom to wake, where to steal, how much, and where new
 * work goes is asked through brain.h.
 */
#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "atomic.h"
#include "brain.h"
#include "newidle.h"

struct pool;

/* A task: 0, or an error number that its group (or the pool) reports. */
typedef int pool_fn(void *arg);

/* Which of its tasks a worker takes up first, and a thief. */
enum pool_priority { POOL_HIGH, POOL_NORMAL, POOL_PRIORITIES };

/* Tasks that are waited for together. Lives where its user wants, until the wait is over. */
struct pool_group {
	AO_t cancelled;           /* those not begun are not to be */
	pthread_mutex_t lock;
	pthread_cond_t finished;
	struct pool_waiter *waiters; /* workers asleep in pool_wait; under lock */
	int error;                /* first error of a task; under lock */
	uint64_t errors;          /* how many failed; under lock */
	char apart[POOL_LINE];    /* what every task looks at from what every one changes */
	AO_t pending;             /* tasks not finished */
};

struct pool_config {
	const char *topology;   /* see brain_config; NULL = this machine */
	unsigned threads;       /* workers; 0 = one per usable cpu */
	enum brain_level level;
	const char *costs;      /* see brain_config; NULL = not measured */
	enum newidle_mode newidle;
	size_t limit;           /* tasks that may be queued; 0 = as many as memory holds */
	size_t trace;           /* events that each worker keeps; 0 = none */
	const char *name;       /* of the threads, before their number; NULL = "pool" */
};

/* How a task is to be treated; all zero but the priority is the usual. */
struct pool_hint {
	enum pool_priority priority;
	bool sync;              /* the submitter is about to wait for it: it stays on its cpu */
	const uint32_t *cpus;   /* [words], bit 0 of word 0 = cpu 0 of the machine; NULL = all. The
	                           task runs on one of these, before others that may run anywhere */
	uint32_t words;
};

/* What one worker did. Times in ns. */
struct pool_stats {
	uint64_t busy;          /* running tasks */
	uint64_t idle;          /* asleep */
	uint64_t other;         /* looking for work, waking up */
	uint64_t tasks;         /* executed */
	uint64_t wakeups;       /* sleeps ended by a signal */
	uint64_t useless;       /* of those: nothing was found */
	uint64_t naps;          /* short sleeps in a stream of small tasks, ended by time mostly */
	uint64_t searches;      /* looks at a level, or another worker, for work */
	uint64_t found;         /* of those: there was */
	uint64_t steals;        /* tasks taken from another worker */
	uint64_t migrations;    /* tasks run by a worker they were not put with */
	uint64_t errors;        /* tasks that failed */
};

/* 0, or an error number with a sentence in why[size]; those of brain_open among them. */
int pool_open(struct pool **out, const struct pool_config *config, char *why, size_t size);

/*
 * Ends the pool; no other thread may use it any more. Tasks still queued are run, or with
 * `discard` finished with ECANCELED without running. Returns how many tasks without a group
 * had failed (their errors have no other way out). In a child process it leaves all as it is.
 */
uint64_t pool_close(struct pool *p, bool discard);

int pool_group_init(struct pool_group *g);
void pool_group_destroy(struct pool_group *g);

/*
 * Any thread, tasks included. `group` may be NULL, as may `hint`: normal priority, on any cpu. 0,
 * ENOMEM, EINVAL, which is also a mask without a cpu that takes part; EAGAIN when as many tasks are
 * queued as the limit says; ECANCELED when the pool is being closed with discard; ESRCH in a child
 * process: fork() takes no threads along. Nothing has changed unless it is 0. Reads no clock; one
 * or two locks of a few instructions, and the brain's answer while somebody sleeps. Where tasks come
 * from outside more often than every us, one may wait 0.25 ms until somebody looks (nap.c).
 */
int pool_submit(struct pool *p, struct pool_group *group, pool_fn *fn, void *arg);
int pool_submit_hinted(struct pool *p, struct pool_group *group, pool_fn *fn, void *arg,
	const struct pool_hint *hint);

/* n tasks at once, one for each arg: all of them, or none and an error as above. */
int pool_submit_many(struct pool *p, struct pool_group *group, pool_fn *fn, void *const *args,
	size_t n);

/*
 * n tasks and the wait for them. The caller takes part: from outside it may run all of them, one after
 * the other, as what it runs is not queued; so none may wait for another one. The first error of a
 * task, or one as above but EAGAIN: without room for more the caller works alone. Reads the clock.
 */
int pool_fork_join(struct pool *p, pool_fn *fn, void *const *args, size_t n);

/* Any thread: tasks of the group that nobody has begun are finished with ECANCELED unrun, also
 * those that are submitted later; those under way run on, and may ask. */
void pool_group_cancel(struct pool_group *g);
bool pool_group_cancelled(const struct pool_group *g);

/*
 * Waits until every task of the group is finished; returns the first error, 0 when none
 * failed. A worker that waits runs other tasks meanwhile. ESRCH at once in a child process.
 */
int pool_wait(struct pool *p, struct pool_group *g);

/* From outside only: waits at most `ms`; true when all are finished. */
bool pool_wait_ms(struct pool_group *g, unsigned ms);

/* Any thread: from the next decision on. 0, EINVAL, or ESRCH in a child process. */
int pool_set_level(struct pool *p, enum brain_level level);

/*
 * Any thread: how many workers take part, 1 to pool_workers. What waits with the others is handed on;
 * what they run, they finish. 0, EINVAL, ENOMEM, or ESRCH in a child process.
 */
int pool_resize(struct pool *p, unsigned n);

/*
 * Any thread: looks at which cpus the process may use now (cpusets, affinity, hotplug) and does without
 * the workers of the others until they are back. Workers do so by themselves every second or so between
 * tasks. 0, ENOMEM, or ESRCH in a child process.
 */
int pool_adapt(struct pool *p);

/* Workers that take part now. */
unsigned pool_active(const struct pool *p);

unsigned pool_workers(const struct pool *p);
const struct brain *pool_brain(const struct pool *p);

/* The worker that calls, or -1 from outside. */
int pool_self(const struct pool *p);

/* Any thread: counters of one worker until now; zeros in a child process. */
void pool_stats(struct pool *p, unsigned worker, struct pool_stats *out);

/*
 * Any thread: the latest events of all workers as JSON for Perfetto: tasks, searches, sleeps, steals
 * and wake-ups. A time that is not over yet is not in it. 0, EIO, ENODATA: none are kept, or ESRCH in a child process.
 */
int pool_trace_write(struct pool *p, FILE *out);

/* Any thread: ns during which some worker of the worker's core, or package, ran a task; 0 in a child
 * process. */
uint64_t pool_core_busy(struct pool *p, unsigned core);
uint64_t pool_package_busy(struct pool *p, unsigned package);

#endif
