/* SPDX-License-Identifier: MIT */
/* Description of a machine in a string to a table: ns a call, and the memory of the table. */
#include <sdpower.h>
#include "bench.h"
#include "machines.h"

struct job {
	const char *text;
	void *memory;
	size_t size;
	struct sdpower_topology machine;
};

static void parse(void *context)
{
	struct job *job = context;

	job->machine.struct_size = sizeof(job->machine);
	if (sdpower_topology_synthetic(job->text, job->memory, job->size, &job->machine, NULL) < 0)
		abort();
}

int main(void)
{
	printf("machine\tcpus\tbest_ns\tmedian_ns\tbytes\n");
	for (size_t i = 0; i < BENCH_MACHINES; i++) {
		struct job job = { .text = bench_machines[i] };
		struct bench_result result;

		job.machine.struct_size = sizeof(job.machine);
		if (sdpower_topology_synthetic(job.text, NULL, 0, &job.machine, NULL) != SDPOWER_ENOSPC)
			return EXIT_FAILURE;
		job.size = job.machine.memory_needed;
		job.memory = malloc(job.size);
		if (!job.memory)
			return EXIT_FAILURE;
		result = bench_run(parse, &job);
		printf("%s\t%u\t%.0f\t%.0f\t%zu\n", job.text, (unsigned)job.machine.cpu_count,
			result.best, result.median, job.size);
		free(job.memory);
	}
	return EXIT_SUCCESS;
}
