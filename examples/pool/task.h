/* SPDX-License-Identifier: MIT */
/* A task as queues hold it: by value, so that handing one over allocates nothing. */
#ifndef POOL_TASK_H
#define POOL_TASK_H

#include <stddef.h>
#include <stdint.h>
#include "atomic.h"

struct pool_group;

struct pool_task {
	int (*fn)(void *arg);
	void *arg;
	struct pool_group *group; /* or NULL */
	uintptr_t home;           /* worker it was put with */
};

/* One of a row of tasks that differ in their args; NULL: in nothing. */
static inline struct pool_task task_nth(const struct pool_task *first, void *const *args, size_t i)
{
	struct pool_task task = *first;

	if (args)
		task.arg = args[i];
	return task;
}

/* The same as words that one thread may read while another writes them. */
#define TASK_WORDS 4

static inline void task_store(AO_t words[TASK_WORDS], const struct pool_task *task)
{
	AO_store(&words[0], (AO_t)task->fn);
	AO_store(&words[1], (AO_t)task->arg);
	AO_store(&words[2], (AO_t)task->group);
	AO_store(&words[3], (AO_t)task->home);
}

static inline void task_load(const AO_t words[TASK_WORDS], struct pool_task *task)
{
	task->fn = (int (*)(void *))AO_load(&words[0]);
	task->arg = (void *)AO_load(&words[1]);
	task->group = (struct pool_group *)AO_load(&words[2]);
	task->home = (uintptr_t)AO_load(&words[3]);
}

#endif
