/* SPDX-License-Identifier: MIT */
/* What the pool is put through, in every order. */
#ifndef WEAVE_SCENARIOS_H
#define WEAVE_SCENARIOS_H

#include <stdbool.h>

struct scenario {
	const char *name;
	void (*body)(void);
	bool timeouts;      /* see weave_run */
	unsigned quick, full; /* departures that every run tries, and those of a long one */
};

/* Up to one without a name. */
extern const struct scenario scenarios[];

#endif
