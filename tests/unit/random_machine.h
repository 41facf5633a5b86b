/* SPDX-License-Identifier: MIT */
/* Machines nobody built: any numbering, holes, levels that cross each other, odd distances. */
#ifndef SDPOWER_TEST_RANDOM_MACHINE_H
#define SDPOWER_TEST_RANDOM_MACHINE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>

#define RANDOM_CPUS 96u
#define RANDOM_NODES 24u

struct random_machine {
	uint64_t state;
	struct sdpower_topology topology;
	struct sdpower_cpu_desc cpus[RANDOM_CPUS];
	uint32_t nodes[RANDOM_NODES];
	uint16_t distances[RANDOM_NODES * RANDOM_NODES];
};

/* xorshift64*: the same numbers everywhere. */
static inline uint32_t random_below(struct random_machine *m, uint32_t limit)
{
	m->state ^= m->state >> 12;
	m->state ^= m->state << 25;
	m->state ^= m->state >> 27;
	return (uint32_t)(m->state * UINT64_C(2685821657736338717) >> 32) % limit;
}

static inline int one_in(struct random_machine *m, uint32_t n)
{
	return random_below(m, n) == 0;
}

static inline void random_distances(struct random_machine *m, uint32_t count)
{
	const uint32_t kind = random_below(m, 4);

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < count; j++) {
			const uint32_t apart = i > j ? i - j : j - i;
			const uint32_t around = apart < count - apart ? apart : count - apart;
			uint32_t d = 20;

			if (kind == 1)
				d = 10 + 10 * (i / 4 != j / 4) + 10; /* groups of nodes */
			if (kind == 2)
				d = 12 + 5 * around; /* a ring */
			if (kind == 3)
				d = 11 + random_below(m, 5) * 7; /* not even symmetric */
			if (i == j)
				d = kind == 3 && one_in(m, 6) ? 13 : 10;
			m->distances[i * count + j] = (uint16_t)d;
		}
}

/* Ids of a cpu from its place in a regular machine; now and then something crosses. */
static inline void random_cpu(struct random_machine *m, uint32_t place, const uint32_t *per,
	uint32_t nodes, struct sdpower_cpu_desc *d)
{
	const uint32_t core = place / per[0], l2 = core / per[1], llc = l2 / per[2];
	const uint32_t package = llc / per[3];

	memset(d, 0, sizeof(*d));
	d->core = core % (per[1] * per[2] * per[3]);
	d->smt = place % per[0];
	d->l2 = l2;
	d->cluster = per[5] ? core / per[5] : SDPOWER_ID_NONE;
	d->llc = llc;
	d->package = package;
	d->book = package / 2;
	d->drawer = package / 4;
	d->node = m->nodes[package / per[4] % nodes];
	d->capacity = per[6] ? 256 * (1 + core % per[6]) : 1024;
	if (per[7] && one_in(m, per[7])) {
		d->llc = one_in(m, 2) ? SDPOWER_ID_NONE : random_below(m, llc + 1);
		d->l2 = one_in(m, 2) ? SDPOWER_ID_NONE : d->l2;
		d->node = m->nodes[random_below(m, nodes)];
	}
	if (one_in(m, 12))
		d->flags = SDPOWER_CPU_OFFLINE;
}

static inline void shuffle(struct random_machine *m, uint32_t *order, uint32_t count)
{
	const uint32_t kind = random_below(m, 3), stride = 1 + random_below(m, 8);

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	if (kind == 1) /* round robin */
		for (uint32_t i = 0, to = 0; i < stride; i++)
			for (uint32_t j = i; j < count; j += stride)
				order[j] = to++;
	for (uint32_t i = count; kind == 2 && i > 1; i--) {
		const uint32_t j = random_below(m, i), swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}

static inline void random_machine_make(struct random_machine *m, uint64_t seed)
{
	uint32_t order[RANDOM_CPUS], per[8], nodes, count, id;

	memset(m, 0, sizeof(*m));
	m->state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int i = 0; i < 8; i++)
		random_below(m, 2);
	count = 1 + random_below(m, one_in(m, 3) ? RANDOM_CPUS : 16);
	nodes = 1 + random_below(m, one_in(m, 4) ? RANDOM_NODES : 4);
	per[0] = 1 + random_below(m, 3);
	per[1] = 1 + random_below(m, 3);
	per[2] = 1 + random_below(m, 4);
	per[3] = 1 + random_below(m, 2);
	per[4] = 1 + random_below(m, 2);
	per[5] = one_in(m, 2) ? 0 : 1 + random_below(m, 6);
	per[6] = one_in(m, 3) ? 2 + random_below(m, 2) : 0;
	per[7] = one_in(m, 3) ? 2 + random_below(m, 8) : 0;
	id = one_in(m, 4); /* the lowest node need not be 0 */
	for (uint32_t i = 0; i < nodes; i++)
		m->nodes[i] = id, id += 1 + random_below(m, 3);
	shuffle(m, order, count);
	for (uint32_t i = 0; i < count; i++)
		random_cpu(m, order[i], per, nodes, &m->cpus[i]);
	for (uint32_t i = 0, os_id = 0; i < count; i++) {
		os_id += 1 + (one_in(m, 8) ? random_below(m, 5) : 0);
		m->cpus[i].os_id = os_id;
	}
	m->cpus[random_below(m, count)].flags = 0;
	m->topology.struct_size = sizeof(m->topology);
	m->topology.arch = random_below(m, SDPOWER_ARCH_RISCV + 1);
	m->topology.cpu_count = count;
	m->topology.cpu_stride = sizeof(m->cpus[0]);
	m->topology.cpus = m->cpus;
	m->topology.node_count = one_in(m, 8) ? 0 : nodes;
	m->topology.nodes = m->nodes;
	random_distances(m, nodes);
	m->topology.distances = one_in(m, 4) ? NULL : m->distances;
}

#endif
