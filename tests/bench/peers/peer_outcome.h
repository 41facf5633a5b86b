/* SPDX-License-Identifier: MIT */
/*
 * What one run of a peer gives. The peer's program prints the quantities in this order, on one
 * line; NaN is what the load has not, or the peer cannot tell.
 */
#ifndef SDPOWER_PEER_OUTCOME_H
#define SDPOWER_PEER_OUTCOME_H

/* Name, digits after the point. Times in ns. */
#define PEER_QUANTITIES(X) \
	/* of a task, a leaf or a region in turn; paced: median from handing out to all done */ \
	X(time, 1) \
	/* paced only: from handing out a task to its first instruction */ \
	X(begin_p50, 0) \
	X(begin_p99, 0) \
	/* cpu time of a task, a leaf or a region; paced: of a second */ \
	X(cpu, 1) \
	/* context switches of all threads, for each task, leaf or region */ \
	X(voluntary, 4) \
	X(involuntary, 4) \
	/* likewise: voluntary ones of all threads but the one that hands out */ \
	X(sleeps, 4) \
	/* likewise: what the peer tells, see peer.h */ \
	X(wakes, 4) \
	X(failed, 4) \
	X(cpus, 0) \
	X(idle_least, 3) \
	X(idle_most, 3) \
	/* the most the process had in memory, KiB */ \
	X(memory, 0)

#define PEER_QUANTITY(name, digits) PEER_##name,
enum peer_quantity { PEER_QUANTITIES(PEER_QUANTITY) PEER_QUANTITY_COUNT };
#undef PEER_QUANTITY

struct peer_outcome {
	double value[PEER_QUANTITY_COUNT];
};

#endif
