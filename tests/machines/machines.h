/* SPDX-License-Identifier: MIT */
/* What the parts of the machines program share. */
#ifndef SDPOWER_TEST_MACHINES_H
#define SDPOWER_TEST_MACHINES_H

#include <stddef.h>

struct tally {
	unsigned cases;
	unsigned mismatches;
};

/* Compares the columns of <directory>/expected.tsv, where there is one. */
void check_reported(const char *directory, struct tally *tally);

#endif
