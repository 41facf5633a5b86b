/* SPDX-License-Identifier: MIT */
/* State blocks of records, and how they get into an instance. */
#include "vectors.h"
#include "tree/view.h"

void vec_read_cpus(struct vec_line *line, struct vec_state *state)
{
	uint64_t count = vec_number(line);

	for (unsigned i = 0; i < 64; i++)
		state->cpu[i] = (struct vec_cpu){ .idle = 1 };
	for (uint64_t i = 0; i < count && !line->bad; i++) {
		const uint64_t cpu = vec_number(line);
		struct vec_cpu c;

		c.nr = (uint32_t)vec_number(line);
		c.weight = (uint32_t)vec_number(line);
		c.cl = (uint32_t)vec_number(line);
		c.idle = (uint32_t)vec_number(line);
		if (cpu < 64)
			state->cpu[cpu] = c;
		else
			line->bad = 1;
	}
}

void vec_read_state(struct vec_line *line, struct vec_state *state)
{
	state->step = (uint32_t)vec_number(line);
	vec_read_cpus(line, state);
}

void vec_store_state(struct sdpower *s, const struct vec_state *state, unsigned cpus,
	uint64_t seed)
{
	for (unsigned i = 0; i < cpus; i++) {
		const struct vec_cpu *c = &state->cpu[i];
		struct sdpower_cpu_state full = { .struct_size = sizeof(full), .nr = c->nr,
			.load = c->weight, .outside_capacity = SDPOWER_SCALE,
			.activity = c->idle ? SDPOWER_CPU_SLEEPING : SDPOWER_CPU_RUNNING };

		for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
			full.cpu_load[k] = c->cl + k * state->step;
		if (sdpower_set_cpu(s, i, &full))
			printf("a state was refused\n");
	}
	for (unsigned i = 0; i < cpus; i++)
		if (seed * 0x9e3779b97f4a7c15u >> (i % 64) & 1u)
			(void)sdpower_refresh(s, i);
}

uint64_t vec_group_mask(const struct sdpower_i_view *v, uint32_t group)
{
	const struct sdpower_i_group g = sdpower_i_get_group(v, group);
	uint64_t mask = 0;

	for (uint32_t pos = 0; pos < v->forest->cpu_count; pos++)
		if (sdpower_i_runs_hold(v, g.run, g.runs, pos))
			mask |= UINT64_C(1) << v->forest->cpu_at[pos];
	return mask;
}
