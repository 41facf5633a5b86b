/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef IDLE_OPTIONS_H
#define IDLE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_COUNTS 8u

struct options {
	const char *topology;           /* NULL = this machine */
	uint32_t jobs[OPTIONS_COUNTS];  /* make -jN, one block of the table each */
	uint32_t counts;
	uint32_t runs, ms, burst_ms, slow, seed;
	bool json;
};

enum options_result {
	OPTIONS_RUN,
	OPTIONS_DONE, /* help or version was asked for */
	OPTIONS_WRONG /* and was complained about */
};

enum options_result options_parse(struct options *o, int argc, char **argv);

#endif
