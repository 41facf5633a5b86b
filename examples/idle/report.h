/* SPDX-License-Identifier: MIT */
/* The table, line by line as it is measured, or as one JSON document. */
#ifndef IDLE_REPORT_H
#define IDLE_REPORT_H

#include <stdio.h>
#include "options.h"
#include "play.h"

struct report {
	const struct options *options;
	const struct machine *machine;
	FILE *out;
	uint32_t lines;
};

void report_begin(struct report *r);
/* sum: over all runs. */
void report_line(struct report *r, uint32_t jobs, const struct rules *rules,
	const struct played *sum);
void report_end(struct report *r);

#endif
