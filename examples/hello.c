/* SPDX-License-Identifier: MIT */
/* The smallest host: describes a machine in a string and asks what it is made of. */
#include <stdio.h>
#include <stdlib.h>
#include <sdpower.h>

static int complain(const struct sdpower_diag *diag)
{
	fprintf(stderr, "%s: %s (column %u)\n", sdpower_strstatus(diag->status), diag->text,
		(unsigned)diag->column);
	return EXIT_FAILURE;
}

static const char *s(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void print(const char *text, const struct sdpower_topology_summary *summary)
{
	printf("%s\n", text);
	printf("  %u cpu%s in %u core%s, up to %u thread%s a core\n",
		(unsigned)summary->usable_cpus, s(summary->usable_cpus), (unsigned)summary->cores,
		s(summary->cores), (unsigned)summary->threads_per_core_max,
		s(summary->threads_per_core_max));
	printf("  %u package%s, %u last-level cache%s, %u node%s\n", (unsigned)summary->packages,
		s(summary->packages), (unsigned)summary->llc_groups, s(summary->llc_groups),
		(unsigned)summary->nodes, s(summary->nodes));
}

int main(int argc, char **argv)
{
	const char *text = argc > 1 ? argv[1] : "numa:2 pack:1 l3:1 core:4 pu:2";
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	struct sdpower_topology_summary summary = { .struct_size = sizeof(summary) };
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	sdpower_status status;
	void *memory;

	/* The library never allocates: ask for the size, then give the memory. */
	status = sdpower_topology_synthetic(text, NULL, 0, &machine, &diag);
	if (status != SDPOWER_ENOSPC)
		return complain(&diag);
	memory = malloc(machine.memory_needed);
	if (!memory)
		return EXIT_FAILURE;
	status = sdpower_topology_synthetic(text, memory, machine.memory_needed, &machine, &diag);
	if (status == SDPOWER_OK)
		status = sdpower_topology_summarise(&machine, &summary);
	if (status == SDPOWER_OK)
		print(text, &summary);
	free(memory);
	return status == SDPOWER_OK ? EXIT_SUCCESS : complain(&diag);
}
