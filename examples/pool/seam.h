/* SPDX-License-Identifier: MIT */
/* The inside of the seam, shared by brain.c, pull.c, online.c and costs.c. */
#ifndef POOL_SEAM_H
#define POOL_SEAM_H

#include <pthread.h>
#include <sdpower.h>
#include "atomic.h"
#include "machine.h"

enum { SEAM_AWAKE, SEAM_SEARCHES, SEAM_SLEEPS, SEAM_CLAIMED, SEAM_RETIRED };

/* A usable cpu. */
struct brain_slot {
	pthread_mutex_t lock;  /* the run-queue lock the library asks its publishers to hold */
	uint32_t nr;           /* tasks of all its workers; under lock */
	uint32_t awake;        /* workers that do not sleep; under lock */
	AO_t sleeps;           /* how often one fell asleep; under lock */
	uint32_t searcher;     /* its worker that looks for work, or BRAIN_NOBODY; under lock */
};

struct brain_worker {
	AO_t nr;     /* tasks queued or running; written under the slot's lock */
	AO_t state;
	AO_t retired; /* takes no part; written under the slot's lock */
	AO_t slept;  /* its number among those of its cpu that fell asleep */
};

struct brain {
	struct machine machine;
	void *memory;
	struct sdpower *sd;
	struct sdpower_calibration *costs; /* in use, or NULL */
	uint32_t *slot_of;            /* [cpu_count]: usable cpu -> slot */
	struct brain_slot *slots;     /* [summary.cpus]; worker w sits on slot w % cpus */
	struct brain_worker *workers; /* [summary.workers] */
	uint32_t locks;               /* how many slots have their lock */
	AO_t saving;                  /* work is packed, not spread */
	AO_t last;                    /* cpu from which work from outside is placed */
	AO_t searcher;                /* worker that began to search last; may have ended */
	AO_t tick;                    /* number of the last tick */
	AO_t ticking;                 /* somebody is at it */
};

static inline struct brain_slot *seam_slot(struct brain *b, uint32_t worker)
{
	return &b->slots[worker % b->machine.summary.cpus];
}

static inline uint32_t seam_cpu(const struct brain *b, uint32_t worker)
{
	return b->machine.seats[worker].cpu;
}

/* Tasks of a pool are ordinary ones; the library saturates what is too large for it. */
static inline uint32_t seam_load(uint32_t nr)
{
	return nr > SDPOWER_LOAD_MAX / SDPOWER_SCALE ? SDPOWER_LOAD_MAX : nr * SDPOWER_SCALE;
}

/* The worker of that cpu with the longest queue; the first of equals. */
uint32_t seam_longest(const struct brain *b, uint32_t cpu);

#endif
