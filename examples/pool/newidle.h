/* SPDX-License-Identifier: MIT */
/*
 * Before a worker sleeps: which levels are worth a search, and how long to stay awake. One
 * tracker per worker, used by that worker only. The second seam to libsdpower, beside brain.h.
 */
#ifndef POOL_NEWIDLE_H
#define POOL_NEWIDLE_H

#include "brain.h"

enum newidle_mode {
	NEWIDLE_DQ,   /* the library's own tracker */
	NEWIDLE_K515, /* Linux of that version, for comparison */
	NEWIDLE_K516,
	NEWIDLE_K617,
	NEWIDLE_K619,
	NEWIDLE_K70,
	NEWIDLE_ALL,  /* no tracker: every level, every time */
	NEWIDLE_NONE, /* no tracker: none */
	NEWIDLE_MODES
};

/* Level of a walk that is over. */
#define NEWIDLE_STOP UINT32_MAX

struct newidle;

const char *newidle_name(enum newidle_mode mode);

/* NULL: no memory. */
struct newidle *newidle_open(const struct brain *b, uint32_t worker, enum newidle_mode mode,
	uint64_t now);
void newidle_close(struct newidle *n);

/* The worker has run dry: the first level to search. `waiting`: there is work that waits
 * somewhere; without any no mode but ALL wants a search. */
uint32_t newidle_begin(struct newidle *n, bool waiting, uint64_t now);

/* That level has been searched: the next one. `pulled`: with success; `arrived`: the worker's
 * own work has come meanwhile. */
uint32_t newidle_next(struct newidle *n, bool pulled, bool arrived, uint64_t now);

/* How long to stay awake from now on. */
uint64_t newidle_linger_ns(const struct newidle *n, uint64_t now);

/* Idleness is over, other than by a search of this walk. */
void newidle_wake(struct newidle *n, uint64_t now);

#endif
