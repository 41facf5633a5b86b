/* SPDX-License-Identifier: MIT */
/* The example of README.md; a test compares the two. */
#include <stdio.h>
#include <stdlib.h>
#include <sdpower.h>
#include <sdpower/hosted.h>

int main(void)
{
	struct sdpower_config config = { .struct_size = sizeof(config) };
	struct sdpower_busiest_request ask = { .struct_size = sizeof(ask), .cpu = 4, .depth = 1,
		.idle = SDPOWER_CPU_NEWLY_IDLE }; /* depth 0: its package, 1: the machine */
	struct sdpower_busiest from = { .struct_size = sizeof(from) };
	struct sdpower_topology *machine;
	size_t size, align;
	sdpower *s;

	if (sdpower_hosted_topology_synthetic("pack:2 core:4", &machine, NULL))
		return EXIT_FAILURE;
	config.topology = machine;
	if (sdpower_memory_needed(&config, &size, &align) ||
			sdpower_init(aligned_alloc(align, size), size, &config, &s))
		return EXIT_FAILURE;
	sdpower_idle_exit(s, 0, 0);        /* cpu 0 runs one task and has two waiting, */
	sdpower_set_load(s, 0, 3, 3072);   /* each of weight 1024 */
	if (sdpower_find_busiest_group(s, &ask, &from)) /* cpu 4 is about to sleep: */
		return EXIT_FAILURE;
	printf("pull tasks of weight %u in all, at most, from cpu %u\n", (unsigned)from.imbalance,
		(unsigned)from.from);
	return EXIT_SUCCESS;
}
