/* SPDX-License-Identifier: MIT */
/* A list in order of arrival. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bound.h"

struct bound_task {
	struct pool_task task;
	struct bound_task *next;
	uint32_t words;
	uint32_t cpus[];
};

int bound_init(struct bound *b)
{
	b->first = NULL;
	b->end = &b->first;
	AO_store(&b->count, 0);
	return pthread_mutex_init(&b->lock, NULL);
}

void bound_destroy(struct bound *b)
{
	pthread_mutex_destroy(&b->lock);
}

int bound_push(struct bound *b, const struct pool_task *task, const uint32_t *cpus, uint32_t words)
{
	struct bound_task *new = malloc(sizeof(*new) + words * sizeof(cpus[0]));

	if (!new)
		return ENOMEM;
	new->task = *task;
	new->next = NULL;
	new->words = words;
	memcpy(new->cpus, cpus, words * sizeof(cpus[0]));
	pthread_mutex_lock(&b->lock);
	*b->end = new;
	b->end = &new->next;
	(void)AO_fetch_and_add1_full(&b->count);
	pthread_mutex_unlock(&b->lock);
	return 0;
}

static bool may_run(const struct bound_task *t, uint32_t cpu)
{
	return cpu / 32 < t->words && t->cpus[cpu / 32] >> cpu % 32 & 1;
}

bool bound_take(struct bound *b, uint32_t cpu, struct pool_task *task)
{
	struct bound_task **link, *found;

	if (!AO_load_acquire(&b->count))
		return false;
	pthread_mutex_lock(&b->lock);
	for (link = &b->first; *link && !may_run(*link, cpu); link = &(*link)->next)
		;
	found = *link;
	if (found) {
		*link = found->next;
		if (!found->next)
			b->end = link;
		(void)AO_fetch_and_sub1_full(&b->count);
	}
	pthread_mutex_unlock(&b->lock);
	if (found)
		*task = found->task;
	free(found);
	return found != NULL;
}
