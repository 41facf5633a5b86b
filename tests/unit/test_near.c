/* SPDX-License-Identifier: MIT */
/*
 * Description: a classic NODE level spans the 16 nearest nodes, found by a slow model here,
 * in node order from the own one; ALLNODES comes above it where the map is much larger.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include <sdpower.h>

#include "unit/random_machine.h"

#define NODES 24u
#define MACHINES 60u

static struct random_machine machine;

/* Two cpus a node, cpu 2n and 2n + 1; node 5 has none online. */
static void make_machine(uint64_t seed)
{
	struct random_machine *m = &machine;

	memset(m, 0, sizeof(*m));
	m->state = seed | 1;
	for (uint32_t cpu = 0; cpu < 2 * NODES; cpu++) {
		struct sdpower_cpu_desc *d = &m->cpus[cpu];

		d->os_id = cpu;
		d->core = cpu;
		d->l2 = d->cluster = d->book = d->drawer = SDPOWER_ID_NONE;
		d->llc = d->package = d->node = cpu / 2;
		d->flags = cpu / 2 == 5 ? SDPOWER_CPU_OFFLINE : 0;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		m->nodes[i] = i;
		for (uint32_t j = 0; j < NODES; j++)
			m->distances[i * NODES + j] = (uint16_t)(i == j ? 10 : 11 + random_below(m, 6));
	}
	m->topology = (struct sdpower_topology){ .struct_size = sizeof(m->topology),
		.arch = SDPOWER_ARCH_X86_64, .cpu_count = 2 * NODES, .cpu_stride = sizeof(m->cpus[0]),
		.cpus = m->cpus, .node_count = NODES, .nodes = m->nodes, .distances = m->distances };
}

/* Sorts all other nodes by distance, then by how far up they are; takes the first fifteen. */
static uint64_t nearest(uint32_t node)
{
	uint64_t span = UINT64_C(3) << (2 * node);
	uint32_t taken = 0;

	for (uint32_t d = 0; d < 64; d++)
		for (uint32_t up = 1; up < NODES && taken < 15; up++) {
			const uint32_t other = (node + up) % NODES;

			if (other == 5 || machine.distances[node * NODES + other] != d)
				continue;
			span |= UINT64_C(3) << (2 * other);
			taken++;
		}
	return span;
}

static uint64_t mask64(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

static void compare_node(const sdpower *s, uint32_t node, uint64_t seed)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_group_info g = { .struct_size = sizeof(g) };
	const uint64_t expected = nearest(node);
	struct sdpower_domain d;
	uint32_t words[2], at = node;

	assert_int_equal(sdpower_domain_at(s, 2 * node, 1, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_OK);
	assert_int_equal(info.level, SDPOWER_LEVEL_NODE_CLASSIC);
	assert_int_equal(sdpower_domain_span(s, d, words, 2), SDPOWER_OK);
	if (mask64(words) != expected)
		print_error("seed %llu node %u\n", (unsigned long long)seed, node);
	assert_true(mask64(words) == expected);
	assert_int_equal(info.groups, 16);
	for (uint32_t i = 0; i < 16; i++) {
		assert_int_equal(sdpower_domain_group(s, d, i, &g, words, 2), SDPOWER_OK);
		assert_true(mask64(words) == UINT64_C(3) << (2 * at));
		do
			at = (at + 1) % NODES;
		while (!(expected >> (2 * at) & 1));
	}
	assert_int_equal(sdpower_domain_parent(s, d, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_OK);
	assert_int_equal(info.level, SDPOWER_LEVEL_ALLNODES);
	assert_int_equal(info.weight, 2 * NODES - 2);
	assert_int_equal(info.groups, NODES - 1);
	assert_int_equal(info.max_interval, 64 * (2 * NODES - 2));
}

static void the_nearest_sixteen_are_spanned(void **state)
{
	const uint64_t first = (uint64_t)time(NULL) * 1000u;

	(void)state;
	print_message("seeds %llu and up\n", (unsigned long long)first);
	for (uint64_t seed = first; seed < first + MACHINES; seed++) {
		struct sdpower_config c = { .struct_size = sizeof(c), .topology = &machine.topology,
			.decisions = SDPOWER_DECIDE_CLASSIC };
		size_t size, align;
		sdpower *s = NULL;
		void *memory;

		make_machine(seed);
		assert_int_equal(sdpower_memory_needed(&c, &size, &align), SDPOWER_OK);
		memory = aligned_alloc(align, size);
		assert_int_equal(sdpower_init(memory, size, &c, &s), SDPOWER_OK);
		for (uint32_t node = 0; node < NODES; node++)
			if (node != 5)
				compare_node(s, node, seed);
		free(memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_nearest_sixteen_are_spanned) };

	return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
