/* SPDX-License-Identifier: MIT */
/* The machine: its table, and which core and package each cpu belongs to. */
#ifndef IDLE_MACHINE_H
#define IDLE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sdpower.h>

/* One cpu, by its number; cores and packages are counted as they turn up. */
struct seat {
	bool usable;
	uint32_t os_id, core, package;
};

struct machine {
	struct sdpower_topology *table;
	struct seat *seats;
	uint32_t cpus, cores, packages;
	bool described; /* false: the machine this runs on, so that threads can be pinned */
};

/* topology: NULL = this machine; a text with a slash is the path of a .topo file. 0, or -1 with
 * the reason in why. */
int machine_open(struct machine *m, const char *topology, char *why, size_t size);
void machine_close(struct machine *m);
/* The lowest usable cpu. */
uint32_t machine_first(const struct machine *m);
/* The package of a core. */
uint32_t machine_package(const struct machine *m, uint32_t core);
/* How many cores a package has. */
uint32_t machine_cores(const struct machine *m, uint32_t package);

#endif
