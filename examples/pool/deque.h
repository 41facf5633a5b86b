/* SPDX-License-Identifier: MIT */
/* A work-stealing deque: its owner pushes and takes at the bottom, everyone steals at the top. */
#ifndef POOL_DEQUE_H
#define POOL_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include "task.h"

struct deque_array;

/* top and bottom on lines of their own: thieves write one, the owner the other. */
struct deque {
	_Alignas(POOL_LINE) AO_t top;
	_Alignas(POOL_LINE) AO_t bottom;
	AO_t array;                  /* struct deque_array *, grows, never shrinks */
	struct deque_array *retired; /* outgrown arrays: a slow thief may still read one */
};

enum deque_result {
	DEQUE_GOT,   /* a task */
	DEQUE_EMPTY, /* there was none */
	DEQUE_LOST   /* another thief, or the owner, was faster: try again or elsewhere */
};

/* Room for 2^log2 tasks at first. 0, or ENOMEM. */
int deque_init(struct deque *d, unsigned log2);

/* Only when no thread uses the deque any more; tasks left inside are gone. */
void deque_destroy(struct deque *d);

/* Owner only: room for n more tasks. 0, or ENOMEM with nothing changed. */
int deque_reserve(struct deque *d, size_t n);

/* Owner only. 0, or ENOMEM with nothing changed; never that after a reservation. */
int deque_push(struct deque *d, const struct pool_task *task);

/* Owner only: the task pushed last; false: there is none. */
bool deque_take(struct deque *d, struct pool_task *task);

/* Any thread: the task pushed first. */
enum deque_result deque_steal(struct deque *d, struct pool_task *task);

/* Any thread: how many tasks there were a moment ago. */
size_t deque_size(const struct deque *d);

#endif
