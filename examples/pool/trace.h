/* SPDX-License-Identifier: MIT */
/*
 * What each worker did when, for Perfetto (ui.perfetto.dev) and other readers of Chrome's trace
 * event format. A worker keeps its latest events; only a pool that is asked to reads the clock for
 * every task.
 */
#ifndef POOL_TRACE_H
#define POOL_TRACE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind {
	TRACE_RUN,     /* a task; what = its function */
	TRACE_SLEEP,
	TRACE_LOOK,    /* awake without a task: looking for one, lingering, waking up */
	TRACE_STEAL,   /* a moment; who = victim, what = tasks */
	TRACE_WAKE,    /* a moment, of the woken one; who = whose work it is called for */
	TRACE_KINDS
};

struct trace_event {
	uint64_t begin, end;   /* ns, monotonic; the same for a moment */
	enum trace_kind kind;
	uint32_t who;
	uintptr_t what;
};

struct trace {
	pthread_mutex_t lock;
	struct trace_event *ring;  /* under lock */
	size_t capacity;
	uint64_t next;             /* counts on; under lock */
};

/* NULL: no memory. */
struct trace *trace_new(size_t events);
void trace_free(struct trace *t);

/* Any thread; nothing with t NULL. */
void trace_add(struct trace *t, const struct trace_event *event);

#endif
