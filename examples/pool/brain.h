/* SPDX-License-Identifier: MIT */
/*
 * The seam between the pool and libsdpower: the pool thinks in workers, the library in cpus.
 *
 * Nothing here wakes, moves or waits for anything; the locks inside are one per cpu and held
 * for a few stores. Several workers may sit on one cpu (more threads than cpus): the seam adds
 * them up, and the cpu is idle when all of them are.
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
	uint32_t cache;   /* equal: they share a last-level cache, or what stands for it */
	bool pinnable;    /* the cpu exists on this machine */
};

/*
 * `topology` NULL: this machine, and the cpus this process may use; with a slash in it: a
 * recorded machine (.topo file); else a synthetic string such as "pack:2 core:4 pu:2".
 */
struct brain_config {
	const char *topology;
	unsigned threads;       /* 0: one worker per usable cpu */
	enum brain_level level;
	const char *costs;      /* file of `sdpower calibrate --keep`, or NULL */
};

/* What the machine looks like to the workers. */
struct brain_machine {
	uint32_t workers;   /* as asked, or one per usable cpu */
	uint32_t cpus;      /* usable cpus of the described machine */
	uint32_t cores, packages;
	uint32_t real_cpus; /* usable cpus of the real one */
	bool synthetic;     /* described by the user */
};

/* An answer of the brain: fetch up to `amount` tasks from worker `from`. */
struct brain_pull {
	uint32_t from;
	uint32_t amount;
};

/* What moving a task between workers of a level costs. */
struct brain_cost {
	uint32_t move_ns;
	bool measured; /* else assumed */
};

/* 0, or an error number with a sentence in why[size]: EINVAL for the topology, EBADMSG for costs
 * that cannot be read, ESTALE for those of another tree. */
int brain_open(struct brain **out, const struct brain_config *config, char *why, size_t size);
void brain_close(struct brain *b);

const struct brain_machine *brain_machine(const struct brain *b);
const struct brain_seat *brain_seat(const struct brain *b, uint32_t worker);
const char *brain_level_name(enum brain_level level);

/* One caller at a time: from the next decision on. 0 or EINVAL. */
int brain_set_level(struct brain *b, enum brain_level level);

/* One caller at a time: which workers take part, [workers], at least one. 0, ENOMEM or EINVAL, and
 * then nothing has changed. */
int brain_set_working(struct brain *b, const bool *works);

/* Under the worker's lock: nr tasks are queued or running there. */
void brain_publish(struct brain *b, uint32_t worker, uint32_t nr);

/* The worker itself, under its lock: about to sleep, or back. Ends a claim. */
void brain_idle(struct brain *b, uint32_t worker, bool idle, uint64_t now);

/* Any thread: no other worker of its cpu is awake. */
bool brain_is_alone(struct brain *b, uint32_t worker);

/*
 * The worker itself, under its lock and awake: it has run dry and looks for work; repeating it
 * changes nothing. False: enough others do. From then until the end, or until it sleeps, whoever
 * has work to hand out may be told that a searcher comes.
 */
bool brain_search_begin(struct brain *b, uint32_t worker);
void brain_search_end(struct brain *b, uint32_t worker);

/* After the fence: the worker to signal for work queued at worker `home`, already claimed, or
 * BRAIN_NOBODY: nobody sleeps, or somebody is coming, or awake and looking. */
uint32_t brain_whom_to_wake(struct brain *b, uint32_t home);

/* Where work from outside goes: to one who looks for some, or claimed if it slept. `near`: a worker
 * of the cpu that the caller runs on, or BRAIN_NOBODY. `quiet`: all sleep, so that there is nothing
 * to weigh against a warm cpu. Never BRAIN_NOBODY. */
uint32_t brain_place(struct brain *b, uint32_t near, bool quiet);

/* The same for work that only some cpus may run, a bit each; BRAIN_NOBODY: none of them is ours. */
uint32_t brain_place_within(struct brain *b, const uint32_t *cpus, uint32_t words);

/* What a mask of all cpus takes, in words of 32. */
uint32_t brain_words(const struct brain *b);

/* How many levels a worker may search. */
uint32_t brain_levels(const struct brain *b, uint32_t worker);

/* costs.c: of a level below that, for moves to this worker. */
struct brain_cost brain_cost(const struct brain *b, uint32_t worker, uint32_t level);

/* A worker without work looks at one of its levels, 0 = the innermost: is there something to
 * pull? False too for a level that there is not. */
bool brain_busiest(const struct brain *b, uint32_t worker, uint32_t level, struct brain_pull *pull);

/* The same for workers that share the cpu of this one, which no level holds. */
bool brain_beside(const struct brain *b, uint32_t worker, struct brain_pull *pull);

/* What was published of a worker last. */
uint32_t brain_nr(const struct brain *b, uint32_t worker);

/* Half of that, at least one: an even share of it for who comes to help. */
uint32_t brain_half(const struct brain *b, uint32_t worker);

/* Any thread, now and then. True when a tick was due, and has been told the library. */
bool brain_tick(struct brain *b, uint64_t now);

#endif
