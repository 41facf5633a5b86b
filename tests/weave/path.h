/* SPDX-License-Identifier: MIT */
/* The choices of a schedule, and which schedule comes next. */
#ifndef WEAVE_PATH_H
#define WEAVE_PATH_H

#include <stdbool.h>
#include <stdio.h>

/* "12.1,40.2": at those choices not the plain one; "" or anything else: at none. */
void path_read(const char *text);

/* A run begins, with as many departures from the plain one as this. */
void path_begin(unsigned bound);

/* 0, the plain one, or one of the others while departures are left. */
unsigned path_choose(unsigned count);

/* How many choices there were so far. */
unsigned path_position(void);

/* What there was, as path_read takes it; "plain". */
void path_print(FILE *out);

/* The next schedule within the bound, as far as it differs from the last one; false: that was all. */
bool path_next(void);

#endif
