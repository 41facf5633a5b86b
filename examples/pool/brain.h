/* SPDX-License-Identifier: MIT */
/*
 * The seam between the pool and libsdpower: the pool thinks in workers, the library in cpus.
 *
 * Everything here is wait-free but for brain_open, brain_close and brain_set_level. Several
 * workers may sit on one cpu (more threads than cpus); the seam adds them up.
 */
#ifndef POOL_BRAIN_H
#define POOL_BRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BRAIN_NOBODY UINT32_MAX

struct brain;

enum brain_level { BRAIN_PERFORMANCE, BRAIN_BALANCED, BRAIN_POWERSAVE, BRAIN_LEVELS };

/* Where a worker sits; core and package count from 0 without holes. */
struct brain_seat {
	uint32_t cpu;     /* the library's number */
	uint32_t os_id;   /* the system's number */
	uint32_t core, package;
	bool pinnable;    /* the cpu exists on this machine */
};

/* What the machine looks like to the workers. */
struct brain_machine {
	uint32_t workers;   /* as asked, or one per usable cpu */
	uint32_t cpus;      /* usable cpus of the described machine */
	uint32_t cores, packages;
	uint32_t real_cpus; /* usable cpus of the real one */
	bool synthetic;     /* described by the user */
};

/*
 * `topology` NULL: this machine, and the cpus this process may use; else a synthetic string
 * such as "pack:2 core:4 pu:2". 0, or an error number with a sentence in why[size].
 */
int brain_open(struct brain **out, const char *topology, unsigned threads,
	enum brain_level level, char *why, size_t size);
void brain_close(struct brain *b);

const struct brain_machine *brain_machine(const struct brain *b);
const struct brain_seat *brain_seat(const struct brain *b, uint32_t worker);
const char *brain_level_name(enum brain_level level);

/* Control side: from the next decision on. 0 or EINVAL. */
int brain_set_level(struct brain *b, enum brain_level level);

/* Under the worker's lock: nr tasks queued or running there. */
void brain_publish(struct brain *b, uint32_t worker, uint32_t nr);

/* The worker itself: about to sleep, or back. Ends a claim. */
void brain_idle(struct brain *b, uint32_t worker, bool idle, uint64_t now);

/* After the fence: the worker to signal for work queued at `home`, already claimed, or
 * BRAIN_NOBODY. `submitter` may be BRAIN_NOBODY (outside). */
uint32_t brain_whom_to_wake(struct brain *b, uint32_t submitter, uint32_t home);

/* Where new work from outside goes. Never BRAIN_NOBODY. */
uint32_t brain_place(struct brain *b);

/*
 * Where a worker that has run dry may steal: call with step 0, 1, ... until BRAIN_NOBODY.
 * *amount says how many tasks at most.
 */
uint32_t brain_busiest(struct brain *b, uint32_t worker, uint32_t step, uint32_t *amount);

/* A whole search is over: what it cost and whether it found something. */
void brain_searched(struct brain *b, uint32_t worker, uint64_t cost, bool found, uint64_t now);

/* The worker, between tasks. */
void brain_tick(struct brain *b, uint32_t worker, uint64_t now);

#endif
