/* SPDX-License-Identifier: MIT */
/* A queue of tasks that grows, for pools that lock it themselves. */
#ifndef SDPOWER_PEERS_RING_H
#define SDPOWER_PEERS_RING_H

#include <stdlib.h>
#include "peer.h"

struct ring {
	struct peer_task **slot; /* [size], a power of two */
	size_t size;
	size_t first, next;      /* count on; modulo size */
};

static inline bool ring_empty(const struct ring *r)
{
	return r->first == r->next;
}

static inline void ring_grow(struct ring *r)
{
	const size_t size = r->size ? 2 * r->size : 1024;
	struct peer_task **slot = malloc(size * sizeof(slot[0]));

	peer_need(slot, "memory");
	for (size_t i = r->first; i != r->next; i++)
		slot[i & (size - 1)] = r->slot[i & (r->size - 1)];
	free(r->slot);
	r->slot = slot;
	r->size = size;
}

static inline void ring_put(struct ring *r, struct peer_task *t)
{
	if (r->next - r->first == r->size)
		ring_grow(r);
	r->slot[r->next++ & (r->size - 1)] = t;
}

/* Of a ring that is not empty. */
static inline struct peer_task *ring_take(struct ring *r)
{
	return r->slot[r->first++ & (r->size - 1)];
}

#endif
