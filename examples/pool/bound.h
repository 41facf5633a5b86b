/* SPDX-License-Identifier: MIT */
/*
 * Tasks that only some cpus may run. They wait apart from the others, as a thief takes what comes
 * first; they are few, so each carries its mask and is looked for.
 */
#ifndef POOL_BOUND_H
#define POOL_BOUND_H

#include <pthread.h>
#include <stdbool.h>
#include "task.h"

struct bound_task;

struct bound {
	pthread_mutex_t lock;
	struct bound_task *first, **end;  /* under lock */
	AO_t count;                       /* written under lock, read by anyone */
};

int bound_init(struct bound *b);
void bound_destroy(struct bound *b);

/* Any thread: 0 or ENOMEM. Copies the mask, a word for 32 cpus. A full fence when it succeeds. */
int bound_push(struct bound *b, const struct pool_task *task, const uint32_t *cpus, uint32_t words);

/* Any thread: the oldest task that the cpu may run. */
bool bound_take(struct bound *b, uint32_t cpu, struct pool_task *task);

#endif
