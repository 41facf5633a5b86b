/* SPDX-License-Identifier: MIT */
/* How long cores and packages were busy: the union of their cpus' times, because a core or a
 * package can only save power while all of it is idle. */
#ifndef IDLE_METER_H
#define IDLE_METER_H

#include "machine.h"

/* Busy cpus of a core or a package, and since when it was measured how long there were any. */
struct meter_unit {
	uint32_t running;
	uint64_t busy_ns;
};

struct meter {
	const struct machine *machine;
	struct meter_unit *cores, *packages;
	uint64_t from_ns, last_ns;
};

/* 0, or -1 without memory. */
int meter_open(struct meter *m, const struct machine *machine);
void meter_close(struct meter *m);
/* Forgets what was measured before. */
void meter_restart(struct meter *m, uint64_t now_ns);
/* Adds the time up to now. */
void meter_advance(struct meter *m, uint64_t now_ns);
/* A cpu starts to be busy, or ends. */
void meter_set(struct meter *m, uint32_t cpu, bool busy, uint64_t now_ns);
/* Share of the time that was not busy, per cent. */
double meter_idle(const struct meter *m, const struct meter_unit *unit);

#endif
