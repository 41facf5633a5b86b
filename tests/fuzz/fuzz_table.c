/* SPDX-License-Identifier: MIT */
/* Description: a table of arbitrary fields is refused by the check, or init and its kin are safe with it. */
#include "fuzz.h"

const char *const fuzz_seeds[] = { "", NULL };
const char *const fuzz_words[] = { "\x01\x01\x01\x01", "\xff\xff\xff\xff", NULL };
const uint32_t fuzz_rounds = 12000;
const uint32_t fuzz_longest = 700;

#define CPUS 24u
#define NODES 8u

static uint32_t id(struct fuzz_input *in, uint32_t few)
{
	const uint32_t byte = fuzz_u8(in);

	if (byte >= 250)
		return byte == 255 ? SDPOWER_ID_NONE : fuzz_u32(in);
	return byte % few;
}

static void fill_cpu(struct fuzz_input *in, struct sdpower_cpu_desc *d, uint32_t previous)
{
	*d = (struct sdpower_cpu_desc){ .os_id = previous + id(in, 3), .core = id(in, 8),
		.smt = id(in, 2), .l2 = id(in, 6), .cluster = id(in, 6), .llc = id(in, 4),
		.die = id(in, 2), .package = id(in, 3), .book = id(in, 2), .drawer = id(in, 2),
		.node = id(in, 4), .capacity = fuzz_number(in, 1025),
		.priority = fuzz_number(in, 5), .flags = id(in, 2) };
	if (fuzz_u8(in) % 8u == 0)
		d->flags = fuzz_u32(in);
	else if (d->capacity > SDPOWER_SCALE)
		d->capacity = 0;
	d->os_id += fuzz_u8(in) % 16u != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, data + size };
	const uint32_t cpus = 1 + fuzz_u8(&in) % CPUS, nodes = fuzz_u8(&in) % (NODES + 1);
	struct sdpower_cpu_desc *table = calloc(cpus, sizeof(*table));
	uint32_t *node_ids = calloc(nodes + 1, sizeof(*node_ids)), allowed[2050];
	uint16_t *distances = calloc((size_t)nodes * nodes + 1, sizeof(*distances));
	char name[8] = { 0 };
	struct sdpower_topology t = { .struct_size = sizeof(t), .cpu_count = cpus,
		.cpu_stride = sizeof(*table), .cpus = table, .node_count = nodes, .nodes = node_ids };

	memset(allowed, 0xff, sizeof(allowed));
	if (fuzz_u8(&in) % 4u == 0)
		fuzz_fill(&in, name, sizeof(name) - 1);
	t.name = fuzz_u8(&in) % 4u ? name : NULL;
	t.arch = id(&in, SDPOWER_ARCH_RISCV + 1);
	t.quota_milli = id(&in, 2);
	t.overlapping = fuzz_u8(&in) % 4u ? 0 : id(&in, 128);
	for (uint32_t i = 0; i < nodes; i++)
		node_ids[i] = (i ? node_ids[i - 1] : 0) + (i > 0) + (fuzz_u8(&in) % 8u ? 0 : id(&in, 3));
	for (uint32_t i = 0; i < nodes * nodes; i++)
		distances[i] = (uint16_t)(fuzz_u8(&in) % 8u ? 10 * (1 + fuzz_u8(&in) % 4u) :
			fuzz_u32(&in));
	t.distances = fuzz_u8(&in) % 4u ? distances : NULL;
	if (fuzz_u8(&in) % 2u) {
		allowed[0] = fuzz_u32(&in);
		t.allowed = allowed;
		t.allowed_words = fuzz_u8(&in) % 8u != 0;
		if (t.allowed_words && fuzz_u8(&in) % 16u == 0)
			t.allowed_words = sizeof(allowed) / sizeof(*allowed);
	}
	for (uint32_t i = 0; i < cpus; i++)
		fill_cpu(&in, &table[i], i ? table[i - 1].os_id : 0);
	if (fuzz_u8(&in) == 1)
		t.cpu_stride = fuzz_number(&in, sizeof(*table)) % sizeof(*table);
	if (fuzz_u8(&in) == 1)
		t.struct_size = fuzz_number(&in, sizeof(t)) % sizeof(t);
	fuzz_table(&t);
	free(distances);
	free(node_ids);
	free(table);
	return 0;
}
