/* SPDX-License-Identifier: MIT */
/* A line on the terminal that says how far the work is; silent when stderr is none. */
#ifndef POOL_PROGRESS_H
#define POOL_PROGRESS_H

#include <stdbool.h>
#include "work.h"

struct progress {
	bool shown;          /* stderr is a terminal */
	const char *what;    /* name of the run */
	uint64_t start, last;
};

void progress_open(struct progress *p);
void progress_start(struct progress *p, const char *what);

/* Cheap to call often: redraws ten times a second at most. */
void progress_draw(struct progress *p, const struct work_pass *pass);

/* Removes the line. */
void progress_end(struct progress *p);

#endif
