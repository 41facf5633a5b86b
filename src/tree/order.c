/* SPDX-License-Identifier: MIT */
/* The numbering: positions in topology order, dense ids, blocks. */
#include "order.h"
#include "finder.h"

#include "../topology/table.h"

/* An offline cpu may name a node nobody lists; it then waits in the lowest one. */
static uint32_t node_of(const struct sdpower_topology *t, const struct sdpower_cpu_desc *d)
{
	if (!t->node_count)
		return 0;
	if ((d->flags & SDPOWER_CPU_OFFLINE) &&
			sdpower_i_table_node_index(t, d->node) == SDPOWER_ID_NONE)
		return t->nodes[0];
	return d->node;
}

uint32_t sdpower_i_id_of(const struct sdpower_topology *t, sdpower_cpu cpu, uint32_t key)
{
	const struct sdpower_cpu_desc *d = sdpower_i_table_cpu(t, cpu);

	switch (key) {
	case SDPOWER_I_KEY_NODE: return node_of(t, d);
	case SDPOWER_I_KEY_DRAWER: return d->drawer;
	case SDPOWER_I_KEY_BOOK: return d->book;
	case SDPOWER_I_KEY_PACKAGE: return d->package;
	case SDPOWER_I_KEY_LLC: return d->llc;
	case SDPOWER_I_KEY_CLUSTER: return d->cluster;
	case SDPOWER_I_KEY_L2: return d->l2;
	default: return d->core;
	}
}

int sdpower_i_compare_ids(const struct sdpower_topology *t, uint32_t keys, sdpower_cpu a,
	sdpower_cpu b)
{
	for (uint32_t key = 0; keys >> key; key++) {
		uint32_t x, y;

		if (!(keys >> key & 1u))
			continue;
		x = sdpower_i_id_of(t, a, key);
		y = sdpower_i_id_of(t, b, key);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int comes_before(const struct sdpower_topology *t, sdpower_cpu a, sdpower_cpu b)
{
	const int order = sdpower_i_compare_ids(t, SDPOWER_I_BIT(SDPOWER_I_KEYS) - 1u, a, b);

	return order ? order < 0 : a < b;
}

static void sift(const struct sdpower_topology *t, uint16_t *heap, uint32_t at, uint32_t count)
{
	const uint16_t moved = heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && comes_before(t, heap[child], heap[child + 1]))
			child++;
		if (!comes_before(t, moved, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Heap sort: no recursion, no memory, and never worse than n log n. */
static void sort_cpus(const struct sdpower_topology *t, uint16_t *cpus, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift(t, cpus, i, count);
	for (uint32_t i = count; i-- > 1;) {
		const uint16_t last = cpus[i];

		cpus[i] = cpus[0];
		cpus[0] = last;
		sift(t, cpus, 0, i);
	}
}

/* Cores count within a package, everything else is machine-wide. */
static uint32_t identity_of(uint32_t key)
{
	if (key == SDPOWER_I_KEY_CORE)
		return SDPOWER_I_BIT(SDPOWER_I_KEY_CORE) | SDPOWER_I_BIT(SDPOWER_I_KEY_PACKAGE);
	return SDPOWER_I_BIT(key);
}

/* Positions whose cpus have the same ids. */
struct alike {
	const struct sdpower_topology *t;
	const uint16_t *cpu_at;
	uint32_t keys;
};

static int order_of(const void *context, uint32_t a, uint32_t b)
{
	const struct alike *c = context;

	return sdpower_i_compare_ids(c->t, c->keys, c->cpu_at[a], c->cpu_at[b]);
}

/* Gives equal ids equal small numbers. */
static void make_dense(const struct sdpower_topology *t, const uint16_t *cpu_at, uint32_t key,
	uint16_t *dense)
{
	const struct alike c = { t, cpu_at, identity_of(key) };
	struct sdpower_i_finder finder;
	uint16_t next = 0;

	sdpower_i_finder_start(&finder);
	for (uint32_t pos = 0; pos < t->cpu_count; pos++) {
		const uint32_t id = sdpower_i_id_of(t, cpu_at[pos], key);
		uint32_t hash = sdpower_i_finder_mix(0, id), other;

		dense[pos] = SDPOWER_I_NONE16;
		if (id == SDPOWER_ID_NONE)
			continue;
		if (key == SDPOWER_I_KEY_CORE)
			hash = sdpower_i_finder_mix(hash,
				sdpower_i_id_of(t, cpu_at[pos], SDPOWER_I_KEY_PACKAGE));
		other = sdpower_i_finder_earlier(&finder, pos, hash, order_of, &c);
		dense[pos] = other == SDPOWER_I_NOT_FOUND ? next++ : dense[other];
	}
}

static void make_blocks(const struct sdpower_topology *t, const struct sdpower_i_numbering *n)
{
	uint16_t block = 0;

	for (uint32_t pos = 0; pos < t->cpu_count; pos++) {
		if (pos == 0 || n->blocks[block].count == SDPOWER_I_BLOCK_CPUS ||
				sdpower_i_compare_ids(t, SDPOWER_I_BLOCK_KEYS, n->cpu_at[pos - 1], n->cpu_at[pos])) {
			block = (uint16_t)(block + (pos > 0));
			n->blocks[block].first = (uint16_t)pos;
			n->blocks[block].count = 0;
		}
		n->blocks[block].count++;
		n->block_at[pos] = block;
	}
}

static void make_nodes(const struct sdpower_topology *t, const struct sdpower_i_numbering *n)
{
	const uint32_t nodes = t->node_count ? t->node_count : 1;
	uint32_t pos = 0;

	for (uint32_t node = 0; node < nodes; node++) {
		n->node_id[node] = t->node_count ? t->nodes[node] : 0;
		while (pos < t->cpu_count && n->key[SDPOWER_I_KEY_NODE][pos] < node)
			pos++;
		n->node_first[node] = (uint16_t)pos;
	}
	n->node_first[nodes] = (uint16_t)t->cpu_count;
	for (uint32_t from = 0; from < nodes; from++)
		for (uint32_t to = 0; to < nodes; to++)
			n->distances[(size_t)from * nodes + to] = t->node_count && t->distances ?
				t->distances[(size_t)from * nodes + to] :
				(uint16_t)(from == to ? SDPOWER_I_LOCAL_DISTANCE : SDPOWER_I_REMOTE_DISTANCE);
}

/* Priorities are compared only: what does not fit is the highest there is. */
static uint16_t priority_of(const struct sdpower_cpu_desc *d)
{
	return (uint16_t)(d->priority < UINT16_MAX ? d->priority : UINT16_MAX);
}

void sdpower_i_order(const struct sdpower_topology *t, const struct sdpower_i_numbering *n)
{
	for (uint32_t cpu = 0; cpu < t->cpu_count; cpu++)
		n->cpu_at[cpu] = (uint16_t)cpu;
	sort_cpus(t, n->cpu_at, t->cpu_count);
	for (uint32_t pos = 0; pos < t->cpu_count; pos++) {
		const sdpower_cpu cpu = n->cpu_at[pos];
		const struct sdpower_cpu_desc *d = sdpower_i_table_cpu(t, cpu);

		n->pos_of[cpu] = (uint16_t)pos;
		n->os_id[cpu] = d->os_id;
		n->capacity[pos] = (uint16_t)(d->capacity ? d->capacity : SDPOWER_SCALE);
		if (n->priority)
			n->priority[pos] = priority_of(d);
		n->key[SDPOWER_I_KEY_NODE][pos] = t->node_count ?
			(uint16_t)sdpower_i_table_node_index(t, node_of(t, d)) : 0;
	}
	for (uint32_t key = SDPOWER_I_KEY_NODE + 1; key < SDPOWER_I_KEYS; key++)
		make_dense(t, n->cpu_at, key, n->key[key]);
	make_blocks(t, n);
	make_nodes(t, n);
}
