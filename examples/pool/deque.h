/* SPDX-License-Identifier: MIT */
/* A work-stealing deque: its owner pushes and takes at the bottom, everyone steals at the top. */
#ifndef POOL_DEQUE_H
#define POOL_DEQUE_H

#include <stddef.h>
#include "atomic.h"

struct deque_array;

/* top and bottom on lines of their own: thieves write one, the owner the other. */
struct deque {
	AO_t top;
	char pad_top[64 - sizeof(AO_t)];
	AO_t bottom;
	AO_t array;                  /* struct deque_array *, grows, never shrinks */
	char pad_bottom[64 - 2 * sizeof(AO_t)];
	struct deque_array *retired; /* outgrown arrays: a slow thief may still read one */
};

enum deque_result {
	DEQUE_GOT,   /* an item */
	DEQUE_EMPTY, /* there was none */
	DEQUE_LOST   /* another thief, or the owner, was faster: try again or elsewhere */
};

/* Room for 2^log2 items at first. 0, or ENOMEM. */
int deque_init(struct deque *d, unsigned log2);

/* Only when no thread uses the deque any more; items left inside are the caller's. */
void deque_destroy(struct deque *d);

/* Owner only. 0, or ENOMEM with nothing changed. */
int deque_push(struct deque *d, void *item);

/* Owner only: the item pushed last, or NULL. */
void *deque_take(struct deque *d);

/* Any thread: the item pushed first. */
enum deque_result deque_steal(struct deque *d, void **item);

/* Any thread: how many items there were a moment ago. */
size_t deque_size(const struct deque *d);

#endif
