/* SPDX-License-Identifier: MIT */
/* Inboxes: only the owner may push to a deque, so work from outside needs a door of its own.
 * The lock is held for a few instructions, whatever the length of the queue. */
#include <stddef.h>
#include "inject.h"
#include "worker.h"

int inbox_init(struct inbox *in)
{
	in->first = NULL;
	in->last = NULL;
	AO_store(&in->count, 0);
	return pthread_mutex_init(&in->lock, NULL);
}

void inbox_destroy(struct inbox *in)
{
	pthread_mutex_destroy(&in->lock);
}

void inbox_push(struct inbox *in, struct pool_task *task)
{
	task->next = NULL;
	pthread_mutex_lock(&in->lock);
	if (in->last)
		in->last->next = task;
	else
		in->first = task;
	in->last = task;
	AO_store_release(&in->count, AO_load(&in->count) + 1);
	pthread_mutex_unlock(&in->lock);
}

struct pool_task *inbox_pop(struct inbox *in)
{
	struct pool_task *task;

	if (!AO_load_acquire(&in->count))
		return NULL;
	pthread_mutex_lock(&in->lock);
	task = in->first;
	if (task) {
		in->first = task->next;
		if (!in->first)
			in->last = NULL;
		AO_store_release(&in->count, AO_load(&in->count) - 1);
	}
	pthread_mutex_unlock(&in->lock);
	return task;
}

size_t inbox_size(const struct inbox *in)
{
	return AO_load_acquire(&in->count);
}
