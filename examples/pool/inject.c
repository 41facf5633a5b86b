/* SPDX-License-Identifier: MIT */
/*
 * Inboxes: only the owner may push to a deque, so work from outside needs a door of its own. The
 * owner fetches what lies there by the handful, so that it meets its submitters at the lock once
 * in many tasks.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "inject.h"

#define FIRST_CAPACITY 64u

int inbox_init(struct inbox *in)
{
	int error;

	in->ring = malloc(FIRST_CAPACITY * sizeof(*in->ring));
	if (!in->ring)
		return ENOMEM;
	in->mask = FIRST_CAPACITY - 1;
	in->first = 0;
	AO_store(&in->count, 0);
	error = pthread_mutex_init(&in->lock, NULL);
	if (error)
		free(in->ring);
	return error;
}

void inbox_destroy(struct inbox *in)
{
	pthread_mutex_destroy(&in->lock);
	free(in->ring);
}

/* Under lock. */
static int make_room(struct inbox *in, size_t n)
{
	size_t count = AO_load(&in->count), capacity = in->mask + 1, i;
	struct pool_task *ring;

	if (n <= capacity - count)
		return 0;
	while (capacity - count < n) {
		if (capacity > SIZE_MAX / 2 / sizeof(*ring))
			return ENOMEM;
		capacity *= 2;
	}
	ring = malloc(capacity * sizeof(*ring));
	if (!ring)
		return ENOMEM;
	for (i = 0; i < count; i++)
		ring[i] = in->ring[(in->first + i) & in->mask];
	free(in->ring);
	in->ring = ring;
	in->mask = capacity - 1;
	in->first = 0;
	return 0;
}

int inbox_push(struct inbox *in, const struct pool_task *task, void *const *args, size_t n)
{
	size_t i, end;
	int error;

	pthread_mutex_lock(&in->lock);
	error = make_room(in, n);
	if (!error) {
		end = in->first + AO_load(&in->count);
		for (i = 0; i < n; i++)
			in->ring[(end + i) & in->mask] = task_nth(task, args, i);
		(void)AO_fetch_and_add_full(&in->count, n);
	}
	pthread_mutex_unlock(&in->lock);
	return error;
}

size_t inbox_take(struct inbox *in, struct pool_task *tasks, size_t most)
{
	size_t count, i;

	if (!inbox_size(in))
		return 0;
	pthread_mutex_lock(&in->lock);
	count = AO_load(&in->count);
	if (count > most)
		count = most;
	for (i = 0; i < count; i++)
		tasks[i] = in->ring[(in->first + i) & in->mask];
	in->first = (in->first + count) & in->mask;
	(void)AO_fetch_and_add_full(&in->count, (AO_t)0 - count);
	pthread_mutex_unlock(&in->lock);
	return count;
}
