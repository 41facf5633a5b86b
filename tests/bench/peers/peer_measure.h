/* SPDX-License-Identifier: MIT */
/* What the system counts for a process, and what a peer counts, over a while. */
#ifndef SDPOWER_PEER_MEASURE_H
#define SDPOWER_PEER_MEASURE_H

#include <stdint.h>
#include "peer_outcome.h"

struct peer_while {
	uint64_t wall, cpu;          /* ns */
	long voluntary, involuntary; /* context switches */
	long own;                    /* voluntary ones of the calling thread */
};

/* The while begins; it ends by the same thread. */
void peer_measure_begin(struct peer_while *w);

/* cpu per second when `paced`; what is counted is for each of `pieces`. */
void peer_measure_end(const struct peer_while *w, double pieces, int paced,
	struct peer_outcome *out);

#endif
