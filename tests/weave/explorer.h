/* SPDX-License-Identifier: MIT */
/* The explorer, as its program uses it. */
#ifndef WEAVE_EXPLORER_H
#define WEAVE_EXPLORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weave_run {
	const char *name;
	void (*body)(void);
	bool timeouts;     /* sleeps with an end may end by time while others can go on, or must */
	unsigned bound;    /* departures from the plain order */
	const char *only;  /* departures of this one schedule, which is told step by step; or NULL */
};

/* Runs every schedule within the bound; how many. A fault ends the program, with the schedule. */
uint64_t weave_run(const struct weave_run *run);

#endif
