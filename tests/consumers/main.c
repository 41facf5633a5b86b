/* SPDX-License-Identifier: MIT */
/* A host as small as can be: header and library have the same version, and know a machine. */
#include <stdint.h>
#include <stdio.h>
#include <sdpower.h>

int main(void)
{
	static uint64_t memory[512];
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	sdpower_status status;

	status = sdpower_topology_synthetic("pack:2 core:2 pu:2", memory, sizeof(memory), &machine, NULL);
	printf("libsdpower %u: %s, %u cpus\n", (unsigned)sdpower_version(), sdpower_strstatus(status),
		(unsigned)machine.cpu_count);
	return sdpower_version() == SDPOWER_VERSION && machine.cpu_count == 8 ? 0 : 1;
}
