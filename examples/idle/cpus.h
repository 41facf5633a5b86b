/* SPDX-License-Identifier: MIT */
/*
 * The cpus: who runs and who waits on each of them, told to the library. This is what a kernel's
 * run queues are; one lock guards all, as there are few jobs and each runs for milliseconds.
 *
 * Times are those of the played load: all of it may go slower than the clock by a factor.
 */
#ifndef IDLE_CPUS_H
#define IDLE_CPUS_H

#include <atomic_ops.h>
#include <pthread.h>
#include "meter.h"

/* Who decides, and how. */
struct rules {
	const char *name;
	uint32_t decisions; /* enum sdpower_decision_rules */
	uint32_t smt, mc;
};

/* What runs: one process of a build at a time, as in one of the N slots of make -jN. */
struct job {
	struct cpus *cpus;
	pthread_t thread;
	pthread_cond_t changed; /* it was given a cpu, lost it, or all is over */
	uint32_t cpu;           /* where it runs or waits, or ran last */
	bool queued;
	struct job *next;       /* behind it on its cpu */
	AO_t interrupted;       /* lost its cpu while it was busy without the lock */
	uint32_t pinned;        /* cpu its thread is pinned to */
	uint32_t burst_ns;      /* average length of a burst */
	uint64_t left_ns;       /* of this burst */
	uint64_t since_ns;      /* running since, and left_ns counted up to */
	uint64_t ran_ns;        /* when it ran last */
	struct sdpower_util util;
	uint64_t random;
};

/* The first one runs, the others wait. */
struct queue {
	struct job *head;
	uint32_t count;
	bool kicked; /* has pushes to serve */
};

struct cpus {
	pthread_mutex_t lock; /* for everything below */
	const struct machine *machine;
	struct sdpower *sd;
	void *memory, *walk;
	size_t walk_size;
	struct queue *queues; /* by cpu */
	struct meter meter;
	uint32_t slow;        /* times slower than the clock */
	uint64_t start_ns;    /* of the clock */
	uint32_t make;        /* cpu where make runs, which starts the jobs */
	uint32_t moves;       /* jobs moved by balancing */
	bool over;
	uint32_t refused;     /* calls of the library or the system that failed */
};

/* 0, or -1 with the reason in why. */
int cpus_open(struct cpus *c, const struct machine *m, const struct rules *rules, uint32_t slow,
	char *why, size_t size);
void cpus_close(struct cpus *c);
uint64_t cpus_now(const struct cpus *c);
void cpus_check(struct cpus *c, sdpower_status status);

/* All below: with the lock. */
void cpus_add(struct cpus *c, struct job *job, uint32_t cpu, uint64_t now_ns);
void cpus_remove(struct cpus *c, struct job *job, uint64_t now_ns);
/* The running job goes behind the others. */
void cpus_rotate(struct cpus *c, uint32_t cpu, uint64_t now_ns);
bool cpus_runs(const struct cpus *c, const struct job *job);
/* Counts what a running job has done up to now. */
void cpus_settle(struct job *job, uint64_t now_ns);
/* Tells the library what is on a cpu. */
void cpus_publish(struct cpus *c, uint32_t cpu, uint64_t now_ns);

#endif
