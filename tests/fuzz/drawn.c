/* SPDX-License-Identifier: MIT */
/* A table of arbitrary fields, mostly near the limits of what the check lets through. */
#include "fuzz.h"

static uint32_t id(struct fuzz_input *in, uint32_t few)
{
	const uint32_t byte = fuzz_u8(in);

	if (byte >= 250)
		return byte == 255 ? SDPOWER_ID_NONE : fuzz_u32(in);
	return byte % few;
}

/* Wild ones hold what the check refuses too. */
static void fill_cpu(struct fuzz_input *in, struct sdpower_cpu_desc *d, uint32_t os_id, int wild)
{
	const uint32_t byte = fuzz_u8(in);

	*d = (struct sdpower_cpu_desc){ .os_id = os_id + (byte & 3u) / 3u, .core = id(in, 8),
		.smt = byte >> 2 & 1u, .l2 = id(in, 6), .cluster = id(in, 6), .llc = id(in, 4),
		.die = byte >> 3 & 1u, .package = id(in, 3), .book = id(in, 2), .drawer = id(in, 2),
		.node = fuzz_u8(in) % 4u, .capacity = byte & 16u ? 512 + (byte >> 5) : 0,
		.priority = byte >> 5, .flags = byte % 5u == 0 };
	if (!wild || fuzz_u8(in) % 16u)
		return;
	d->os_id = id(in, 24);
	d->node = fuzz_number(in, 20);
	d->flags = id(in, 4);
	d->capacity = fuzz_number(in, 1025);
}

static uint16_t distance(uint32_t byte)
{
	return (uint16_t)(byte < 250 ? 10 + 10 * (byte % 4u) : (byte - 249) * 13u * (byte % 2u) * 700u);
}

static void draw_nodes(struct fuzz_input *in, struct fuzz_drawn *d)
{
	const uint32_t nodes = d->topology.node_count;

	for (uint32_t i = 0; i < nodes; i++)
		d->nodes[i] = (i ? d->nodes[i - 1] : 0) + (i > 0) +
			(fuzz_u8(in) % 8u ? 0 : id(in, 3));
	for (uint32_t i = 0; i < nodes * nodes; i++)
		d->distances[i] = distance(fuzz_u8(in));
	/* Most machines are as far there as back. */
	for (uint32_t i = 0; fuzz_u8(in) % 4u && i < nodes; i++)
		for (uint32_t j = 0; j < i; j++)
			d->distances[i * nodes + j] = d->distances[j * nodes + i];
	d->topology.distances = fuzz_u8(in) % 4u ? d->distances : NULL;
}

static void draw_allowed(struct fuzz_input *in, struct fuzz_drawn *d)
{
	memset(d->allowed, 0xff, sizeof(d->allowed));
	if (fuzz_u8(in) % 2u)
		return;
	d->allowed[0] = fuzz_u32(in);
	d->topology.allowed = d->allowed;
	d->topology.allowed_words = fuzz_u8(in) % 8u != 0;
	if (d->topology.allowed_words && fuzz_u8(in) % 16u == 0)
		d->topology.allowed_words = sizeof(d->allowed) / sizeof(*d->allowed);
}

void fuzz_draw_table(struct fuzz_input *in, struct fuzz_drawn *d)
{
	struct sdpower_topology *t = &d->topology;
	int wild;

	memset(d, 0, sizeof(*d));
	*t = (struct sdpower_topology){ .struct_size = sizeof(*t), .cpu_stride = sizeof(*d->cpus),
		.cpus = d->cpus, .nodes = d->nodes };
	t->cpu_count = 1 + fuzz_u8(in) % FUZZ_DRAWN_CPUS;
	t->node_count = fuzz_u8(in) % 4u ? fuzz_u8(in) % 5u : fuzz_u8(in) % (FUZZ_DRAWN_NODES + 1);
	t->arch = id(in, SDPOWER_ARCH_RISCV + 1);
	t->quota_milli = id(in, 2);
	t->overlapping = fuzz_u8(in) % 4u ? 0 : id(in, 128);
	if (fuzz_u8(in) % 4u == 0) {
		fuzz_fill(in, d->name, sizeof(d->name) - 1);
		t->name = d->name;
	}
	draw_nodes(in, d);
	draw_allowed(in, d);
	wild = fuzz_u8(in) % 4u == 0;
	for (uint32_t i = 0; i < t->cpu_count; i++)
		fill_cpu(in, &d->cpus[i], i ? d->cpus[i - 1].os_id + 1 : 0, wild);
}
