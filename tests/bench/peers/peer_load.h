/* SPDX-License-Identifier: MIT */
/* The loads that all peers get. */
#ifndef SDPOWER_PEER_LOAD_H
#define SDPOWER_PEER_LOAD_H

#include <stdint.h>
#include "peer_outcome.h"

#define PEER_LOADS(X) \
	/* one thread outside hands out tasks, then waits for all */ \
	X(outside) \
	/* a binary tree of tasks with its work in the leaves */ \
	X(tree) \
	/* one task per thread and a wait, again and again */ \
	X(regions) \
	/* a burst of tasks each period, from a thread that sleeps in between */ \
	X(paced) \
	/* from nothing: open, one task, close */ \
	X(start)

#define PEER_LOAD(name) PEER_LOAD_##name,
enum peer_load { PEER_LOADS(PEER_LOAD) PEER_LOAD_COUNT };
#undef PEER_LOAD

#define PEER_MOST_THREADS 64u

struct peer_run {
	enum peer_load load;
	unsigned threads;
	uint64_t turns;     /* of peer_work() in a task */
	uint64_t amount;    /* tasks; leaves: the power of two below; regions; bursts */
	uint64_t period_us; /* paced */
	uint64_t burst;
};

/* 0, PEER_UNABLE when the peer has no such thing, or another number when it failed. */
int peer_load_run(const struct peer_run *run, struct peer_outcome *out);

#endif
