/* SPDX-License-Identifier: MIT */
/* What the two threads of a pair share: whose turn it is, and what they walk through. */
#ifndef SDPOWER_I_CALIBRATE_TURNS_H
#define SDPOWER_I_CALIBRATE_TURNS_H

#include "calibrate.h"

/* No two of the words below share what a prefetcher takes at once. */
#define SDPOWER_I_APART 256u

/* What one side's walks took. */
struct sdpower_i_walked {
	uint64_t remote_ns, local_ns;
	uint32_t is_good; /* neither cut short nor disturbed */
};

struct sdpower_i_turns {
	/* Written by the owner of the turn only, read by the other side's waiting. */
	_Alignas(SDPOWER_I_APART) uint32_t turn;
	_Alignas(SDPOWER_I_APART) uint32_t ball;
	_Alignas(SDPOWER_I_APART) uint32_t stop; /* the caller's, or of a side that gave up */
	/* Handed over with the turn. */
	_Alignas(SDPOWER_I_APART) uint32_t order;
	uint64_t *words, lines; /* in memory */
	struct sdpower_i_walked second;
	/* The caller's and the last one's. */
	_Alignas(SDPOWER_I_APART) pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t holders, running;
	void *memory; /* or NULL */
	size_t mapped;
	uint32_t second_flags;      /* what the second thread has to say */
	struct sdpower_i_pair pair; /* the first thread's until it has left */
};

/* The two sides. The first one leads, and leaves what it found in pair. */
void sdpower_i_turns_first(struct sdpower_i_turns *t);
void sdpower_i_turns_second(struct sdpower_i_turns *t);

/* Gives the memory back, when no side can be walking through it. */
void sdpower_i_turns_unmap(struct sdpower_i_turns *t);

#endif
