/* SPDX-License-Identifier: MIT */
/* The inbox of a worker: where work from outside is put, first in, first out. */
#ifndef POOL_INJECT_H
#define POOL_INJECT_H

#include <pthread.h>
#include "atomic.h"

struct pool_task;

struct inbox {
	pthread_mutex_t lock;
	struct pool_task *first, *last; /* under lock */
	AO_t count;                     /* written under lock, read by anyone */
};

int inbox_init(struct inbox *in);
void inbox_destroy(struct inbox *in);

/* Any thread. Cannot fail: tasks carry their link. */
void inbox_push(struct inbox *in, struct pool_task *task);

/* Any thread: the oldest task, or NULL. */
struct pool_task *inbox_pop(struct inbox *in);

size_t inbox_size(const struct inbox *in);

#endif
