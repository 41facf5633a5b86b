/* SPDX-License-Identifier: MIT */
/* What the parts of the machines program share. */
#ifndef SDPOWER_TEST_MACHINES_H
#define SDPOWER_TEST_MACHINES_H

#include <stddef.h>

/* Mismatches that are printed; the rest is only counted. */
#define SHOWN 40u

struct tally {
	unsigned cases;
	unsigned mismatches;
	unsigned shown;
};

/* Compares the columns of <directory>/expected.tsv, where there is one. */
void check_reported(const char *directory, struct tally *tally);

/* Compares every NAME.expected of the directory with the trees of NAME.topo. */
void check_expected(const char *directory, struct tally *tally);

#endif
