/* SPDX-License-Identifier: MIT */
/* The inbox of a worker: where work from outside is put, first in, first out. */
#ifndef POOL_INJECT_H
#define POOL_INJECT_H

#include <pthread.h>
#include <stddef.h>
#include "task.h"

struct inbox {
	_Alignas(POOL_LINE) pthread_mutex_t lock;
	struct pool_task *ring;      /* capacity is a power of two; under lock */
	size_t mask, first;          /* under lock */
	AO_t count;                  /* written under lock, read by anyone */
};

/* 0 or an error number. */
int inbox_init(struct inbox *in);
void inbox_destroy(struct inbox *in);

/* Any thread: n tasks that differ in their args, or, NULL, in nothing. All of them, or none and
 * ENOMEM. A full fence when it succeeds. */
int inbox_push(struct inbox *in, const struct pool_task *task, void *const *args, size_t n);

/* Any thread: the oldest tasks, at most `most`; how many. */
size_t inbox_take(struct inbox *in, struct pool_task *tasks, size_t most);

static inline size_t inbox_size(const struct inbox *in)
{
	return AO_load_acquire(&in->count);
}

#endif
