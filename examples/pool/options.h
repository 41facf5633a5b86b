/* SPDX-License-Identifier: MIT */
/* The command line of sdpower-pool. */
#ifndef POOL_OPTIONS_H
#define POOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include "newidle.h"

struct options {
	const char *input;
	const char *topology;  /* NULL = this machine */
	const char *costs;     /* a file, or NULL */
	const char *trace;     /* a file, or NULL */
	unsigned threads;      /* 0 = one per cpu */
	unsigned jobs;         /* files at a time, 0 = all */
	uint64_t max_bytes;
	bool level[BRAIN_LEVELS];
	enum newidle_mode newidle;
	bool json;
};

enum options_result { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_WRONG };

/* Prints what --help and --version ask for, and what is wrong. */
enum options_result options_parse(struct options *o, int argc, char **argv);

#endif
