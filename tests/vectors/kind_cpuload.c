/* SPDX-License-Identifier: MIT */
/* Kind cpuload: the decayed loads, tick by tick, through the public calls. */
#include <stdlib.h>
#include "vectors.h"

/* A machine of one cpu. */
static sdpower *one_cpu(void **memory)
{
	static const struct sdpower_cpu_desc cpu = { .capacity = SDPOWER_SCALE };
	const struct sdpower_topology machine = { .struct_size = sizeof(machine),
		.arch = SDPOWER_ARCH_X86_64, .cpu_count = 1, .cpu_stride = sizeof(cpu), .cpus = &cpu };
	const struct sdpower_config config = { .struct_size = sizeof(config), .topology = &machine };
	size_t size, align;
	sdpower *s = NULL;

	if (sdpower_memory_needed(&config, &size, &align))
		return NULL;
	*memory = aligned_alloc(align, size);
	if (!*memory || sdpower_init(*memory, size, &config, &s))
		return NULL;
	return s;
}

static void replay_ticks(struct vec_run *run, sdpower *s, uint64_t ticks)
{
	struct vec_line *line = &run->line;

	for (uint64_t i = 0; i < ticks; i++) {
		struct sdpower_cpu_state state = { .struct_size = sizeof(state) };
		uint64_t weight, expected[SDPOWER_LOAD_INDICES];

		if (!vec_next(run)) {
			vec_malformed(run, "u");
			return;
		}
		vec_word(line, "u");
		weight = vec_number(line);
		vec_word(line, "=");
		for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
			expected[k] = vec_number(line);
		if (!vec_complete(line)) {
			vec_malformed(run, "u");
			continue;
		}
		(void)sdpower_set_load(s, 0, weight ? 1 : 0, (uint32_t)weight);
		(void)sdpower_tick(s, 0, i * 1000000u);
		(void)sdpower_get_cpu(s, 0, &state);
		for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++) {
			char field[48];

			snprintf(field, sizeof(field), "tick %u cpu_load[%u]", (unsigned)i, k);
			vec_expect(run, field, (int64_t)expected[k], state.cpu_load[k]);
		}
	}
}

void vec_cpuload(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	void *memory = NULL;
	sdpower *s = one_cpu(&memory);

	while (s && vec_next(run)) {
		struct sdpower_cpu_state state = { .struct_size = sizeof(state) };
		uint64_t id, ticks;

		vec_word(line, "U");
		id = vec_number(line);
		(void)sdpower_get_cpu(s, 0, &state);
		for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
			state.cpu_load[k] = (uint32_t)vec_number(line);
		ticks = vec_number(line);
		if (!vec_complete(line)) {
			vec_malformed(run, "U");
			continue;
		}
		vec_begin(run, id);
		if (sdpower_set_cpu(s, 0, &state))
			vec_malformed(run, "U");
		else
			replay_ticks(run, s, ticks);
	}
	free(memory);
}
