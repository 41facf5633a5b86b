/* SPDX-License-Identifier: MIT */
/* What a person, or a program, gets to read. */
#ifndef POOL_REPORT_H
#define POOL_REPORT_H

#include <stdio.h>
#include "run.h"

struct report {
	const struct options *options;
	const struct walk *walk;
	double serial;                 /* seconds of the reference */
	const struct work_pass *reference;
	bool measured;                 /* energy */
	struct run_result runs[BRAIN_LEVELS];
	unsigned count;                /* of runs */
	bool complete;                 /* not interrupted, nothing failed */
};

void report_table(const struct report *r, FILE *out);
void report_json(const struct report *r, FILE *out);

/* Unreadable files that are named; the others are only counted. */
#define REPORT_NAMES 10u

/* No run differs from the reference. */
bool report_good(const struct report *r);

#endif
