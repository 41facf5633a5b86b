/* SPDX-License-Identifier: MIT */
/* The library at work: where a job goes, and what moves between cpus. All with the lock. */
#ifndef IDLE_BALANCE_H
#define IDLE_BALANCE_H

#include "cpus.h"

/* Where a job that waited for something goes on. */
uint32_t balance_wake(struct cpus *c, struct job *job, uint64_t now_ns);
/* Make is woken by the end of a process; where it runs then starts the next one, and this says
 * where that begins. */
uint32_t balance_fork(struct cpus *c, const struct job *ended);
/* A cpu has nothing left. */
void balance_newly_idle(struct cpus *c, uint32_t cpu, uint64_t now_ns);
/* One tick of all cpus. */
void balance_tick(struct cpus *c, uint64_t now_ns);

#endif
