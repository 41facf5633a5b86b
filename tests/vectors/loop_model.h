/* SPDX-License-Identifier: MIT */
/*
 * A small model of run queues, and a host of the balance driver on it: the conventions of
 * recorded closed loops. Every move is told to a listener.
 */
#ifndef SDPOWER_TEST_LOOP_MODEL_H
#define SDPOWER_TEST_LOOP_MODEL_H

#include <stdint.h>
#include <sdpower.h>

#define LOOP_CPUS 64u
#define LOOP_TASKS 512u
#define LOOP_TICK_NS 4000000u
#define LOOP_NOBODY (-1)

struct loop_task {
	uint32_t weight;
	uint32_t util;        /* share of a cpu's time; told to the library if loop::tells_util */
	uint64_t affinity;
	uint64_t ran_ns;      /* last known to have run */
	int cpu;              /* -1 = away */
};

struct loop_queue {
	unsigned count;
	int current;          /* -1 = idle */
	int task[LOOP_TASKS]; /* head first */
};

struct loop {
	struct sdpower *s;
	void *walk;
	size_t walk_size;
	unsigned cpus;
	uint32_t cost_ns;
	uint64_t tick;
	struct loop_task task[LOOP_TASKS];
	struct loop_queue queue[LOOP_CPUS];
	void (*moved)(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
		unsigned kind); /* 0 periodic, 1 newly idle, 2 active */
	void *listener;
	int tells_util;        /* set by the caller: the host knows the tasks' shares of time */
	int tickless;          /* set by the caller: walk only when the deadline has come */
	uint64_t lottery;      /* set by the caller: not 0 = the lock of serialised levels is had by lot */
	int locked;
	unsigned long refused; /* calls of the library that failed */
	unsigned long unpaired;/* locks taken twice, given back twice, or kept */
	unsigned long kicks, pulled, pushed; /* kicks, and tasks moved */
};

/* Empties all queues and publishes that; s, walk, cpus and listener are set by the caller. */
void loop_start(struct loop *l);
void loop_arrive(struct loop *l, int task, unsigned cpu);
void loop_depart(struct loop *l, int task);
/* One walk alone, all actions done; says whether there were any. */
int loop_walk(struct loop *l, unsigned cpu, uint32_t kind, uint32_t idle);
/* The steps of all cpus, then the pushes; the tick number advances. */
void loop_step(struct loop *l);

#endif
