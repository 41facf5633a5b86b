/* SPDX-License-Identifier: MIT */
/*
 * Description: knobs, online and allowed cpus and partitions of arbitrary machines change in any
 * order; every tree is sound, fits the memory asked for, and is the one a fresh start would give.
 */
#include "fuzz.h"

const char *const fuzz_seeds[] = { "", NULL };
const char *const fuzz_words[] = { "\x01\x01\x01\x01", "\xff\xff\xff\xff", NULL };
const uint32_t fuzz_rounds = 12000;
const uint32_t fuzz_longest = 1100;

struct changes {
	struct fuzz_drawn drawn;
	struct sdpower_config config;
	struct fuzz_block block, fresh;
	sdpower *s;
	uint32_t online, allowed, partitions[8], partition_count, mc, smt;
};

static int make(struct fuzz_input *in, struct changes *c)
{
	size_t size, align;
	sdpower_status status;

	fuzz_draw_table(in, &c->drawn);
	c->config = (struct sdpower_config){ .struct_size = sizeof(c->config),
		.topology = &c->drawn.topology, .tree = fuzz_u8(in) % 4u, .tuning = fuzz_u8(in) % 2u,
		.max_partitions = fuzz_u8(in) % 9u };
	if (c->config.max_partitions > c->drawn.topology.cpu_count)
		c->config.max_partitions = 0;
	if (sdpower_memory_needed(&c->config, &size, &align) != SDPOWER_OK)
		return 0;
	c->block = fuzz_block_of(size, align);
	c->fresh = fuzz_block_of(size, align);
	status = sdpower_init(c->block.memory, size, &c->config, &c->s);
	if (status != SDPOWER_OK) {
		FUZZ_CHECK(status == SDPOWER_EOVERLAP);
		return 0;
	}
	for (uint32_t i = 0; i < c->drawn.topology.cpu_count; i++)
		c->online |= (uint32_t)!(c->drawn.cpus[i].flags & SDPOWER_CPU_OFFLINE) << i;
	c->allowed = c->drawn.topology.allowed ? c->drawn.allowed[0] : UINT32_MAX;
	c->partition_count = 1;
	c->partitions[0] = UINT32_MAX;
	return 1;
}

static void draw_partitions(struct fuzz_input *in, struct changes *c)
{
	const uint32_t most = c->config.max_partitions ? c->config.max_partitions : 1;

	memset(c->partitions, 0, sizeof(c->partitions));
	c->partition_count = fuzz_u8(in) % (most + 1);
	for (uint32_t cpu = 0; cpu < 32; cpu++) {
		const uint32_t p = fuzz_u8(in) % (most + 1);

		if (p < c->partition_count)
			c->partitions[p] |= 1u << cpu;
	}
}

/* One change of several things; a refused one leaves c as it was. */
static void change(struct fuzz_input *in, struct changes *c)
{
	const struct changes before = *c;
	struct sdpower_change ch = { .struct_size = sizeof(ch), .words = 1 };
	struct sdpower_change_report report = { .struct_size = sizeof(report) };
	sdpower_status status;

	ch.flags = fuzz_u8(in) % 16u;
	if (ch.flags & SDPOWER_CHANGE_KNOBS) {
		c->mc = fuzz_u8(in) % 3u;
		c->smt = fuzz_u8(in) % 3u;
	}
	if (ch.flags & SDPOWER_CHANGE_ONLINE)
		c->online = fuzz_u32(in);
	if (ch.flags & SDPOWER_CHANGE_ALLOWED)
		c->allowed = fuzz_u32(in);
	if (ch.flags & SDPOWER_CHANGE_PARTITIONS)
		draw_partitions(in, c);
	ch.mc = c->mc;
	ch.smt = c->smt;
	ch.online = &c->online;
	ch.allowed = &c->allowed;
	ch.partitions = c->partitions;
	ch.partition_count = c->partition_count;
	status = sdpower_apply(c->s, &ch, &report);
	if (status != SDPOWER_OK) {
		FUZZ_CHECK(status == SDPOWER_EMPTY || status == SDPOWER_EOVERLAP);
		*c = before;
	}
	fuzz_check(c->s);
}

/* The tree does not depend on how it came to be. */
static void compare_with_fresh(struct changes *c)
{
	struct sdpower_change ch = { .struct_size = sizeof(ch), .words = 1, .flags = 15,
		.mc = c->mc, .smt = c->smt, .online = &c->online, .allowed = &c->allowed,
		.partitions = c->partitions, .partition_count = c->partition_count };
	size_t length, other_length;
	char *text, *other;
	sdpower *s;

	FUZZ_CHECK(sdpower_init(c->fresh.memory, c->fresh.size, &c->config, &s) == SDPOWER_OK);
	FUZZ_CHECK(sdpower_apply(s, &ch, NULL) == SDPOWER_OK);
	text = fuzz_dump(c->s, &length);
	other = fuzz_dump(s, &other_length);
	FUZZ_CHECK(length == other_length && !memcmp(text, other, length));
	free(other);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, data + size };
	struct changes c;

	memset(&c, 0, sizeof(c));
	if (make(&in, &c)) {
		struct fuzz_model m = { .s = c.s, .one_way = fuzz_one_way(&c.drawn.topology) };

		while (in.at < in.end)
			change(&in, &c);
		compare_with_fresh(&c);
		for (sdpower_cpu cpu = 0; cpu < c.drawn.topology.cpu_count; cpu += 3)
			fuzz_walk(&m, cpu);
		fuzz_check_untouched(&c.block, c.block.size);
	}
	free(c.fresh.memory);
	free(c.block.memory);
	return 0;
}
