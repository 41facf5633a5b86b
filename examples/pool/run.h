/* SPDX-License-Identifier: MIT */
/* One measured run of the work: serially, or on a pool at one level. */
#ifndef POOL_RUN_H
#define POOL_RUN_H

#include "energy.h"
#include "options.h"
#include "pool.h"
#include "progress.h"
#include "work.h"

/* Times in seconds. */
struct run_result {
	enum brain_level level;
	double elapsed, cpu;
	double joules;
	struct brain_machine machine;
	struct brain_seat *seats;     /* [machine.workers] */
	struct pool_stats *workers;   /* [machine.workers] */
	struct pool_stats total;
	struct brain_cost *costs;     /* [levels], of worker 0 */
	uint32_t levels;
	double *cores, *packages;     /* busy, [machine.cores] and [machine.packages] */
	struct work_difference difference;
};

/* The reference: fills pass; seconds it took. */
double run_serial(struct work_pass *pass, struct progress *progress);

/*
 * The same work on a pool. 0, or an error number with a sentence in why[size]; ECANCELED
 * when interrupted.
 */
int run_level(struct run_result *r, const struct options *o, enum brain_level level,
	const struct work_pass *reference, struct energy *energy, struct progress *progress,
	char *why, size_t size);
void run_free(struct run_result *r);

#endif
