/* SPDX-License-Identifier: MIT */
/*
 * Closed loops of equal tasks: where balancing leaves them, when it stops, and how often it
 * undoes its own consolidation. The machines, starts and knobs are those the original rules
 * were measured with, so that both can be put side by side.
 */
#ifndef SDPOWER_TEST_LOOPS_H
#define SDPOWER_TEST_LOOPS_H

#include <stdint.h>

#define LOOPS_TICKS 250u
/* A loop that moves something later than this never settles. */
#define LOOPS_LATE 200u

struct loops_machine {
	const char *name, *text;
	uint32_t packages, cores, threads;
};

/* Who decides; each brings its tree. */
enum loops_rules { LOOPS_CLASSIC_30, LOOPS_CLASSIC, LOOPS_NATIVE };

enum loops_start {
	LOOPS_PACKED,    /* tasks on the lowest cpus of package 0 */
	LOOPS_SCATTERED  /* one package after the other, each time on its lowest free cpu */
};

struct loops_case {
	const struct loops_machine *machine;
	uint32_t mc, smt;
	enum loops_rules rules;
	enum loops_start start;
	uint32_t tasks;
};

struct loops_result {
	uint32_t moves;
	uint32_t settled;  /* first tick without later moves */
	/* moves that woke a package although theirs had room: all of them, and those into one that
	 * had been emptied before */
	uint32_t woke, undone;
	uint32_t packages; /* packages with tasks, at the end */
	uint32_t shared;   /* cpus with more than one task, at the end */
	uint32_t refused;  /* calls of the library that failed */
};

/* All tasks numbers of one machine, knobs, rules and start. */
#define LOOPS_TEXT 512u
struct loops_cell {
	char undone[LOOPS_TEXT];   /* "k:count ..." */
	char never[LOOPS_TEXT];    /* k that do not settle */
	char apart[LOOPS_TEXT];    /* k that would fit one package, were to be there, and are not */
	uint32_t median, latest;   /* of the ticks the others settle at */
	uint32_t refused;          /* loops that could not be run, or in which a call failed */
};

extern const struct loops_machine loops_machines[];
extern const uint32_t loops_machine_count;
extern const uint32_t loops_knobs[][2];
extern const uint32_t loops_knob_count;

/* Tasks a package holds while power is saved; its cpus while it is not. */
uint32_t loops_capacity(const struct loops_machine *m, uint32_t mc, uint32_t smt);
/*
 * How often consolidation was undone: all waking moves of packed starts, returns of others. With
 * the knobs off tasks are to spread, so that only a return counts.
 */
uint32_t loops_undone(const struct loops_case *c, const struct loops_result *r);
/* 0 when the machine or the rules are refused. */
int loops_run(const struct loops_case *c, struct loops_result *r);
/* c->tasks is ignored: 1 or 2 up to the cpus of a package. */
void loops_fill(const struct loops_case *c, struct loops_cell *cell);

#endif
