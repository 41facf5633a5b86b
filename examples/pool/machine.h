/* SPDX-License-Identifier: MIT */
/* Which machine the pool is told it runs on, and which worker sits on which cpu of it. */
#ifndef POOL_MACHINE_H
#define POOL_MACHINE_H

#include <sdpower/topology.h>
#include "brain.h"

struct machine {
	struct sdpower_topology *table;   /* as loaded; owns what topology points at */
	struct sdpower_topology topology; /* the same with our allowed mask */
	uint32_t *allowed;        /* our own copy: fewer threads than cpus narrow it */
	struct brain_machine summary;
	struct brain_seat *seats; /* [summary.workers] */
};

/* As brain_open. */
int machine_open(struct machine *m, const char *topology, unsigned threads, char *why, size_t size);
void machine_close(struct machine *m);

#endif
