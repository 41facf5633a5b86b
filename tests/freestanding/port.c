/* SPDX-License-Identifier: MIT */
/* Description: the core answers and claims when it is compiled with another port header. */
#include <stdint.h>
#include <stdio.h>
#include <sdpower.h>

uint32_t test_port_loads;

static _Alignas(64) unsigned char memory[16384];
static uint64_t table[256];

static sdpower *make(void)
{
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = &machine };
	size_t size, align;
	sdpower *s = NULL;

	if (sdpower_topology_synthetic("pack:2 core:2", table, sizeof(table), &machine, NULL) ||
	    sdpower_memory_needed(&config, &size, &align))
		return NULL;
	printf("%zu bytes on lines of %zu\n", size, align);
	if (align != 32 || size > sizeof(memory) || sdpower_init(memory, size, &config, &s))
		return NULL;
	return s;
}

int main(void)
{
	struct sdpower_busiest_request request = { .struct_size = sizeof(request), .cpu = 2,
		.depth = 1, .idle = SDPOWER_CPU_IDLE };
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };
	sdpower *s = make();
	uint32_t loads;

	if (!s || sdpower_set_load(s, 0, 4, 4 * SDPOWER_SCALE) || sdpower_set_load(s, 1, 4,
			4 * SDPOWER_SCALE))
		return 1;
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++)
		if (sdpower_tick(s, cpu, 1000000))
			return 1;
	loads = test_port_loads;
	if (sdpower_find_busiest_group(s, &request, &answer) || answer.group == SDPOWER_ID_NONE ||
	    answer.group_first != 0 || !answer.imbalance)
		return 2;
	if (test_port_loads == loads)
		return 3;
	if (sdpower_idle_enter(s, 2, 2000000) || sdpower_claim(s, 2) ||
	    sdpower_claim(s, 2) != SDPOWER_EBUSY)
		return 4;
	printf("pull %llu from the group of cpu %u\n", (unsigned long long)answer.imbalance,
		(unsigned)answer.group_first);
	return 0;
}
