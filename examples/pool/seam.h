/* SPDX-License-Identifier: MIT */
/* The inside of the seam, shared by brain.c and pull.c. */
#ifndef POOL_SEAM_H
#define POOL_SEAM_H

#include <pthread.h>
#include <sdpower.h>
#include "atomic.h"
#include "machine.h"

/* sdpower_config::relax_level: no rule set numbers its levels that high. */
#define EVERY_LEVEL 99

enum { SEAM_AWAKE, SEAM_SLEEPS, SEAM_CLAIMED };

/* A usable cpu. */
struct brain_slot {
	pthread_mutex_t lock;  /* the run-queue lock the library asks its publishers to hold */
	uint32_t nr;           /* tasks of all its workers; under lock */
	uint32_t awake;        /* workers that do not sleep; under lock */
};

struct brain_worker {
	AO_t nr;     /* tasks queued or running; written under the slot's lock */
	AO_t state;
};

struct brain {
	struct machine machine;
	void *memory;
	struct sdpower *sd;
	uint32_t *slot_of;            /* [cpu_count]: usable cpu -> slot */
	struct brain_slot *slots;     /* [summary.cpus]; worker w sits on slot w % cpus */
	struct brain_worker *workers; /* [summary.workers] */
	uint32_t locks;               /* how many slots have their lock */
	AO_t last;                    /* cpu that got the last work from outside */
	AO_t tick;                    /* number of the last tick */
	AO_t ticking;                 /* somebody is at it, and owns what follows */
	uint32_t *sleepers;           /* mask over cpus */
	uint32_t next_slot;           /* whom to ask for next */
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

/* A sleeping worker of that cpu, now ours, or BRAIN_NOBODY. */
uint32_t seam_claim(struct brain *b, uint32_t cpu);

/* The worker of that cpu with the longest, or shortest, queue; the first of equals. */
uint32_t seam_queue(const struct brain *b, uint32_t cpu, bool longest);

#endif
