/* SPDX-License-Identifier: MIT */
/* Asking a native instance for the busiest group, and short words for the answer. After cmocka.h. */
#ifndef SDPOWER_TEST_NATIVE_ASK_H
#define SDPOWER_TEST_NATIVE_ASK_H

#include "native_help.h"

/* Capacities and priorities by cpu; 0 = 1024 and none. */
static inline struct test_instance unequal_on(const char *machine, const uint32_t *capacity,
	const uint32_t *priority)
{
	struct test_instance t;
	struct sdpower_cpu_desc *cpus;
	size_t size = 0, align = 0;

	memset(&t, 0, sizeof(t));
	t.machine.struct_size = sizeof(t.machine);
	assert_int_equal(sdpower_topology_synthetic(machine, NULL, 0, &t.machine, NULL),
		SDPOWER_ENOSPC);
	size = t.machine.memory_needed;
	t.table = malloc(size);
	assert_int_equal(sdpower_topology_synthetic(machine, t.table, size, &t.machine, NULL),
		SDPOWER_OK);
	cpus = (struct sdpower_cpu_desc *)(uintptr_t)t.machine.cpus;
	for (uint32_t i = 0; i < t.machine.cpu_count; i++) {
		cpus[i].capacity = capacity && capacity[i] ? capacity[i] : 1024;
		cpus[i].priority = priority ? priority[i] : 0;
	}
	t.config = (struct sdpower_config){ .struct_size = sizeof(t.config),
		.topology = &t.machine, .decisions = SDPOWER_DECIDE_NATIVE };
	assert_int_equal(sdpower_memory_needed(&t.config, &size, &align), SDPOWER_OK);
	t.memory = aligned_alloc(align, size);
	assert_int_equal(sdpower_init(t.memory, size, &t.config, &t.s), SDPOWER_OK);
	return t;
}

static inline struct sdpower_busiest ask(const sdpower *s, sdpower_cpu cpu, uint32_t depth,
	uint32_t idle, uint32_t flags)
{
	const struct sdpower_busiest_request r = { .struct_size = sizeof(r), .cpu = cpu,
		.depth = depth, .idle = idle, .flags = flags };
	struct sdpower_busiest a;

	memset(&a, 0x5a, sizeof(a));
	a.struct_size = sizeof(a);
	assert_int_equal(sdpower_find_busiest_group(s, &r, &a), SDPOWER_OK);
	return a;
}

static inline void is_nothing(struct sdpower_busiest a)
{
	assert_int_equal(a.kind, SDPOWER_PULL_NONE);
	assert_int_equal(a.group, SDPOWER_ID_NONE);
	assert_int_equal(a.from, SDPOWER_CPU_NONE);
	assert_int_equal(a.target, SDPOWER_CPU_NONE);
	assert_int_equal(a.imbalance, 0);
	assert_int_equal(a.most, 0);
}

static inline void is_pull(struct sdpower_busiest a, uint32_t kind, sdpower_cpu from, sdpower_cpu target,
	uint64_t imbalance, uint64_t most)
{
	assert_int_equal(a.kind, kind);
	assert_int_equal(a.from, from);
	assert_int_equal(a.target, target);
	assert_int_equal(a.imbalance, imbalance);
	assert_int_equal(a.most, most);
}

#endif
