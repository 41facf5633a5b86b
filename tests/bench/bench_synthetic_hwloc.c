/* SPDX-License-Identifier: MIT */
/* The same machines built by hwloc, for scale: it also builds objects, sets and distances. */
#include "bench.h"

#ifndef HAVE_HWLOC
int main(void)
{
	return bench_skip("built without hwloc");
}
#else
#include <hwloc.h>
#include "machines.h"

struct job {
	const char *text;
	int cpus;
};

static void load(void *context)
{
	struct job *job = context;
	hwloc_topology_t machine;

	if (hwloc_topology_init(&machine) || hwloc_topology_set_synthetic(machine, job->text) ||
	    hwloc_topology_load(machine))
		abort();
	job->cpus = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU);
	hwloc_topology_destroy(machine);
}

int main(void)
{
	printf("machine\tcpus\tbest_ns\tmedian_ns\n");
	for (size_t i = 0; i < BENCH_MACHINES; i++) {
		struct job job = { .text = bench_machines[i] };
		struct bench_result result = bench_run(load, &job);

		printf("%s\t%d\t%.0f\t%.0f\n", job.text, job.cpus, result.best, result.median);
	}
	return EXIT_SUCCESS;
}
#endif
