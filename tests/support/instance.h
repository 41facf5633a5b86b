/* SPDX-License-Identifier: MIT */
/* Instances for tests: from a machine in words, with random states. */
#ifndef SDPOWER_TEST_INSTANCE_H
#define SDPOWER_TEST_INSTANCE_H

#include <stdint.h>
#include <stdlib.h>
#include <sdpower.h>

/* A machine and an instance on it; free with test_drop. */
struct test_instance {
	struct sdpower_topology machine;
	struct sdpower_config config;
	void *table, *memory;
	sdpower *s;
};

static inline void test_drop(struct test_instance *t)
{
	free(t->memory);
	free(t->table);
	t->memory = t->table = NULL;
	t->s = NULL;
}

/* Fills t->s, or leaves it NULL with the reason as result. t->config may be filled before. */
static inline sdpower_status test_make(struct test_instance *t, const char *machine)
{
	sdpower_status status;
	size_t size = 0, align = 0;

	t->s = NULL;
	t->table = t->memory = NULL;
	t->machine.struct_size = sizeof(t->machine);
	status = sdpower_topology_synthetic(machine, NULL, 0, &t->machine, NULL);
	if (status != SDPOWER_ENOSPC)
		return status;
	size = t->machine.memory_needed;
	t->table = malloc(size);
	status = sdpower_topology_synthetic(machine, t->table, size, &t->machine, NULL);
	t->config.struct_size = sizeof(t->config);
	t->config.topology = &t->machine;
	if (!status)
		status = sdpower_memory_needed(&t->config, &size, &align);
	if (status)
		return status;
	t->memory = aligned_alloc(align, size);
	return sdpower_init(t->memory, size, &t->config, &t->s);
}

/* Numbers that can be drawn again from the printed seed. */
struct test_random {
	uint64_t state;
};

static inline uint32_t test_draw(struct test_random *r, uint32_t below)
{
	r->state = r->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((r->state >> 33) % below);
}

/* Any state a slot can hold, the odd ones included. */
static inline void test_random_cpu(struct test_random *r, sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .outside_capacity = SDPOWER_SCALE };
	const uint32_t kind = test_draw(r, 8);

	c.nr = kind < 3 ? 0 : kind < 7 ? 1 + test_draw(r, 4) : test_draw(r, SDPOWER_NR_MAX + 1);
	c.load = c.nr * (test_draw(r, 2) ? 1024 : 1 + test_draw(r, 3000));
	if (kind == 7)
		c.load = test_draw(r, 2) ? SDPOWER_LOAD_MAX : test_draw(r, SDPOWER_LOAD_MAX);
	if (test_draw(r, 16) == 0)
		c.load = test_draw(r, 4096);
	c.load = c.load > SDPOWER_LOAD_MAX ? SDPOWER_LOAD_MAX : c.load;
	c.activity = c.nr ? test_draw(r, 8) == 0 : 1 + (test_draw(r, 6) == 0);
	for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
		c.cpu_load[k] = test_draw(r, 3) ? c.load : test_draw(r, 2 * (c.load / 2 + 1) + 512);
	for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
		if (c.cpu_load[k] > SDPOWER_LOAD_MAX)
			c.cpu_load[k] = SDPOWER_LOAD_MAX;
	c.avg_idle_ns = test_draw(r, 1000000);
	c.idle_since_ns = c.activity ? test_draw(r, 1000000000) : 0;
	c.has_util = test_draw(r, 2);
	c.util = c.has_util ? test_draw(r, c.nr ? 1400 : 200) : 0;
	if (sdpower_set_cpu(s, cpu, &c))
		abort();
}

#endif
