/* SPDX-License-Identifier: MIT */
/* Machines that this library and hwloc spell alike, so that both can be timed on them. */
#ifndef SDPOWER_BENCH_MACHINES_H
#define SDPOWER_BENCH_MACHINES_H

static const char *const bench_machines[] = {
	"pack:1 l3:1 core:4 pu:1",
	"pack:2 l3:2 core:4 pu:2",
	"pack:4 l3:4 core:8 pu:2",
	"pack:8 l3:8 core:8 pu:2",
};

#define BENCH_MACHINES (sizeof(bench_machines) / sizeof(bench_machines[0]))

#endif
