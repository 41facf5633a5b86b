/* SPDX-License-Identifier: MIT */
/*
 * Where a worker sleeps: one parker per worker, holding at most one token.
 *
 * The duty that keeps a wake-up from being lost has two halves.
 * - Who brings work: publish the work, full fence, then ask whom to wake and signal it.
 * - Who goes to sleep: publish being idle, full fence, then look for work once more; park
 *   only when there is none.
 * Whatever way the two interleave, one sees the other's publication. A signal that comes
 * between the last look and the sleep leaves its token here, and the sleep ends at once.
 */
#ifndef POOL_PARK_H
#define POOL_PARK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "atomic.h"

struct parker {
	pthread_mutex_t lock;
	pthread_cond_t given;
	AO_t token;    /* written under lock */
	bool sleeping; /* under lock */
};

/* 0 or an error number. */
int parker_init(struct parker *p);
void parker_destroy(struct parker *p);

/* Owner only: sleeps until there is a token and consumes it; true when it really slept. A full
 * fence. */
bool parker_park(struct parker *p);

/* The same until a time (clock_now) at most. */
bool parker_park_until(struct parker *p, uint64_t until);

/* Any thread, after a full fence: leaves a token; true when the owner was asleep. Where there is a
 * token already, that is all it looks at. */
bool parker_signal(struct parker *p);

#endif
