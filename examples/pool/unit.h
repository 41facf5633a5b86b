/* SPDX-License-Identifier: MIT */
/* A core or a package: for how long at least one of its workers ran a task. */
#ifndef POOL_UNIT_H
#define POOL_UNIT_H

#include <pthread.h>
#include <stdint.h>

struct unit {
	pthread_mutex_t lock;
	uint32_t running; /* workers that run a task */
	uint64_t since;   /* when running left 0 */
	uint64_t busy;    /* ns, without the open interval */
};

/* An array of n, all idle, or NULL. */
struct unit *units_new(uint32_t n);
void units_free(struct unit *units, uint32_t n);

/* One worker more, or one less, runs a task. */
void unit_enter(struct unit *u, uint64_t now);
void unit_leave(struct unit *u, uint64_t now);

uint64_t unit_busy(struct unit *u, uint64_t now);

#endif
