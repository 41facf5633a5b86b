/* SPDX-License-Identifier: MIT */
/*
 * What the two threads of a pair share: whose turn it is, and what they walk through.
 *
 * Who waits for a turn sleeps, as a cpu does that a task comes to. After a busy wait the next walk
 * costs 1.8 times what a task meets that really migrates, at 512 KiB (tests/bench/bench_hop.c).
 */
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
	/* Written by the sides by turns, awake. */
	_Alignas(SDPOWER_I_APART) uint32_t ball;
	_Alignas(SDPOWER_I_APART) uint32_t stop; /* the caller's, or of a side that gave up */
	/* Handed over with an order, and back. */
	_Alignas(SDPOWER_I_APART) uint64_t *words;
	uint64_t lines; /* in memory */
	struct sdpower_i_walked second;
	/* Under the lock: */
	_Alignas(SDPOWER_I_APART) pthread_mutex_t lock;
	pthread_cond_t changed;  /* a thread has left */
	pthread_cond_t moved;    /* an order was given or done, or stop set */
	uint32_t order;          /* the last one given */
	uint32_t given, done;    /* orders, counted */
	uint32_t holders, running;
	void *memory; /* or NULL */
	size_t mapped;
	uint32_t second_flags;      /* what the second thread has to say */
	struct sdpower_i_pair pair; /* the first thread's until it has left */
};

/* The two sides. The first one leads, and leaves what it found in pair. */
void sdpower_i_turns_first(struct sdpower_i_turns *t);
void sdpower_i_turns_second(struct sdpower_i_turns *t);

/* Ends the waiting of both sides, now and later. */
void sdpower_i_turns_stop(struct sdpower_i_turns *t);

/* Waits for a condition until a time of sdpower_i_now, with the lock held: 0, or an error. */
int sdpower_i_turns_wait(struct sdpower_i_turns *t, pthread_cond_t *condition, uint64_t time_ns);

/* Gives the memory back, when no side can be walking through it. */
void sdpower_i_turns_unmap(struct sdpower_i_turns *t);

#endif
