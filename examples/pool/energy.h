/* SPDX-License-Identifier: MIT */
/*
 * Energy of a run: measured by RAPL where the kernel lets us read it, modelled elsewhere, and
 * always called what it is.
 */
#ifndef POOL_ENERGY_H
#define POOL_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#define ENERGY_ZONES 64u

struct energy_zone {
	char path[320];
	uint64_t last;   /* uJ at the last sample */
	uint64_t range;  /* uJ at which the counter starts again */
};

struct energy {
	struct energy_zone zones[ENERGY_ZONES];
	unsigned count;  /* 0: not readable */
	uint64_t sum;    /* uJ since energy_start */
};

/* How long what was in use, in seconds. */
struct energy_use {
	double elapsed;
	double packages; /* summed over packages */
	double cores;    /* summed over cores */
	double threads;  /* summed over workers */
};

/* Where the kernel shows RAPL. */
#define ENERGY_ROOT "/sys/class/powercap"

/* Finds the package counters below root. */
void energy_open(struct energy *e, const char *root);

static inline bool energy_measurable(const struct energy *e)
{
	return e->count > 0;
}

void energy_start(struct energy *e);

/* Call it now and then: a counter that starts again twice between samples loses a range. */
void energy_sample(struct energy *e);

/* J since energy_start. */
double energy_joules(const struct energy *e);

/* J of a machine that is not this one; see energy.c. */
double energy_model(const struct energy_use *use);

/* One line that says which of the two it is. */
const char *energy_source(bool measured);

#endif
