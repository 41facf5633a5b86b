/* SPDX-License-Identifier: MIT */
/* An instance of arbitrary rules on one of a few machines, and what changes its tree. */
#include "fuzz.h"

static const char *const machines[] = { "1", "pack:2 core:2 pu:2", "numa:4 core:4", "core:3 pu:2",
	"pack:2 [numa] l3:2 core:5 pu:2", "numa:3 pack:1 l3:2 core:4 pu:2 dist=10,20,30,20,10,20,30,20,10",
	"pack:2 core:20", "numa:2 pack:2 l3:2 core:8 pu:2 indexes=core:pack:numa" };

static void renew_map(struct fuzz_host *h)
{
	for (uint32_t w = 0; w < 8; w++) {
		uint32_t any = 0;

		for (uint32_t p = 0; p < h->partition_count; p++)
			any |= h->partitions[p][w];
		h->model.map[w] = h->online[w] & h->allowed[w] & any;
	}
}

/* Some machines have cores of several strengths, and some prefer a few. */
static void vary_cores(struct fuzz_input *in, unsigned char *table, const struct sdpower_topology *t)
{
	const size_t first = (size_t)((const unsigned char *)t->cpus - table);
	const uint32_t kind = fuzz_u8(in);

	for (uint32_t i = 0; i < t->cpu_count; i++) {
		struct sdpower_cpu_desc d;

		memcpy(&d, table + first + (size_t)i * t->cpu_stride, sizeof(d));
		d.capacity = kind & 1u ? 1024u >> d.core % 3u : 1024u;
		d.priority = kind & 2u ? d.core % 4u : 0;
		memcpy(table + first + (size_t)i * t->cpu_stride, &d, sizeof(d));
	}
}

static void make_machine(struct fuzz_input *in, struct fuzz_host *h, struct sdpower_topology *t)
{
	const char *text = machines[fuzz_u8(in) % (sizeof(machines) / sizeof(machines[0]))];

	FUZZ_CHECK(sdpower_topology_synthetic(text, NULL, 0, t, NULL) == SDPOWER_ENOSPC);
	h->table = fuzz_block_of(t->memory_needed, 8);
	FUZZ_CHECK(!sdpower_topology_synthetic(text, h->table.memory, h->table.size, t, NULL));
	vary_cores(in, h->table.memory, t);
}

static void draw_rules(struct fuzz_input *in, struct sdpower_config *config)
{
	const uint32_t kind = fuzz_u8(in) % 8u;

	config->tree = kind == 7 ? fuzz_u8(in) % 4u : (const uint32_t[]){ SDPOWER_TREE_MODERN,
		SDPOWER_TREE_MODERN, SDPOWER_TREE_MODERN, SDPOWER_TREE_CLASSIC, SDPOWER_TREE_CLASSIC,
		SDPOWER_TREE_CLASSIC_30, SDPOWER_TREE_DEFAULT }[kind];
	config->decisions = kind == 7 ? fuzz_u8(in) % 4u : kind == 5 ? SDPOWER_DECIDE_CLASSIC_30 : 0u;
	config->tuning = config->tree == SDPOWER_TREE_MODERN ? 0 : fuzz_u8(in) % 2u;
	config->mc = fuzz_u8(in) % 3u;
	config->smt = fuzz_u8(in) % 3u;
	config->relax_level = (int32_t)(fuzz_u8(in) % 8u) - 1;
	config->wake_flags = fuzz_u8(in) % 2u ? 0 : 16u | (fuzz_u8(in) & 1u) << 11;
}

/* The default, a limit, anything in between, or seldom what is refused. */
static uint32_t within(struct fuzz_input *in, uint32_t least, uint32_t most)
{
	const uint32_t kind = fuzz_u8(in);

	if (kind == 255)
		return fuzz_u32(in);
	switch (kind & 3u) {
	case 0: return 0;
	case 1: return kind & 4u ? least : most;
	default: return least + fuzz_u32(in) % (most - least + 1u);
	}
}

static void draw_numbers(struct fuzz_input *in, struct sdpower_config *config)
{
	config->migration_cost_ns = fuzz_number(in, 1000000);
	config->hz = within(in, 1, 1000000);
	config->interval_cpus = within(in, 1, SDPOWER_MAX_CPUS);
	config->util_half_life_ns = within(in, SDPOWER_UTIL_HALF_LIFE_MIN, SDPOWER_UTIL_HALF_LIFE_MAX);
}

void fuzz_draw_tunables(struct fuzz_input *in, struct sdpower_tunables *t)
{
	t->fill_percent = within(in, 1, 100);
	t->spread_percent = within(in, t->fill_percent ? t->fill_percent % 101u : 80u, 100);
	t->fit_percent = within(in, 1, 100);
	t->dwell_us = within(in, 1, UINT32_MAX - 1u);
	t->latency_bound_us = within(in, 1, UINT32_MAX - 1u);
	t->smt_percent = within(in, 100, 200);
	t->reserved = fuzz_u8(in) == 255;
}

/* Mostly what is allowed: an active unit uses no less than an idle one. */
static void draw_energy(struct fuzz_input *in, struct sdpower_energy *e)
{
	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++) {
		struct sdpower_energy_row *row = &e->row[i];

		*row = (struct sdpower_energy_row){ within(in, 0, SDPOWER_ENERGY_MOST),
			within(in, 0, SDPOWER_ENERGY_MOST), within(in, 0, SDPOWER_ENERGY_MOST) };
		if (row->active < row->idle && fuzz_u8(in) % 64u)
			row->active = row->idle;
	}
}

int fuzz_host_make(struct fuzz_input *in, struct fuzz_host *h, uint32_t flags)
{
	struct sdpower_topology t = { .struct_size = sizeof(t) };
	struct sdpower_tunables tunables = { .struct_size = sizeof(tunables) };
	struct sdpower_energy energy = { .struct_size = sizeof(energy) };
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = &t };
	const uint32_t kind = fuzz_u8(in);
	size_t size, align;

	memset(h, 0, sizeof(*h));
	make_machine(in, h, &t);
	draw_rules(in, &config);
	draw_numbers(in, &config);
	fuzz_draw_tunables(in, &tunables);
	draw_energy(in, &energy);
	config.tunables = kind & 16u ? &tunables : NULL;
	config.energy = kind & 32u ? &energy : NULL;
	config.flags = flags | (kind & 15u);
	if (config.flags & SDPOWER_CONFIG_COUNTERS)
		config.flags |= SDPOWER_CONFIG_DRIVER;
	h->flags = config.flags;
	h->most_partitions = 1 + fuzz_u8(in) % 8u;
	if (h->most_partitions > t.cpu_count)
		h->most_partitions = t.cpu_count;
	config.max_partitions = h->most_partitions;
	if (sdpower_memory_needed(&config, &size, &align))
		return 0;
	h->block = fuzz_block_of(size, align);
	FUZZ_CHECK(sdpower_init(h->block.memory, size, &config, &h->model.s) == SDPOWER_OK);
	h->model.cpus = t.cpu_count;
	h->model.words = (t.cpu_count + 31) / 32;
	h->partition_count = 1;
	for (uint32_t cpu = 0; cpu < t.cpu_count; cpu++) {
		h->online[cpu / 32] |= 1u << (cpu % 32);
		h->allowed[cpu / 32] |= 1u << (cpu % 32);
		h->partitions[0][cpu / 32] |= 1u << (cpu % 32);
	}
	renew_map(h);
	return 1;
}

void fuzz_host_drop(struct fuzz_host *h)
{
	if (h->block.memory)
		fuzz_check_untouched(&h->block, h->block.size);
	free(h->block.memory);
	free(h->table.memory);
}

/* The bits of a change that exist on the machine; 0 = none usable. */
static int usable(const struct fuzz_host *h, const uint32_t *online, const uint32_t *allowed)
{
	for (uint32_t cpu = 0; cpu < h->model.cpus; cpu++)
		if (online[cpu / 32] & allowed[cpu / 32] & 1u << (cpu % 32))
			return 1;
	return 0;
}

static void set_mask(struct fuzz_input *in, struct fuzz_host *h, int online)
{
	const uint32_t words = fuzz_u8(in) % 9u;
	uint32_t mask[9] = { 0 }, *mine = online ? h->online : h->allowed;
	sdpower_status status, expected;

	for (uint32_t w = 0; w < words && w < 8; w++)
		mask[w] = fuzz_u8(in) % 4u ? UINT32_MAX : fuzz_u32(in);
	expected = usable(h, online ? mask : h->online, online ? h->allowed : mask) ? SDPOWER_OK :
		SDPOWER_EMPTY;
	status = online ? sdpower_set_online(h->model.s, mask, words) :
		sdpower_set_allowed(h->model.s, mask, words);
	FUZZ_CHECK(status == expected);
	if (status == SDPOWER_OK)
		memcpy(mine, mask, sizeof(h->online));
}

static void set_partitions(struct fuzz_input *in, struct fuzz_host *h)
{
	const uint32_t count = fuzz_u8(in) % 10u;
	uint32_t masks[10][8] = { { 0 } }, overlap = 0, shift = fuzz_u8(in) % 6u;
	sdpower_status status, expected = SDPOWER_OK;

	for (uint32_t cpu = 0; cpu < h->model.cpus; cpu++) {
		const uint32_t p = cpu >> shift, also = fuzz_u8(in) == 99 ? p + 1 : p;

		if (p < count)
			masks[p][cpu / 32] |= 1u << (cpu % 32);
		if (also != p && also < count) {
			masks[also][cpu / 32] |= 1u << (cpu % 32);
			overlap |= p < count;
		}
	}
	if (count > h->most_partitions)
		expected = SDPOWER_ERANGE;
	else if (overlap)
		expected = SDPOWER_EINVAL;
	status = sdpower_set_partitions(h->model.s, count, masks[0], 8);
	FUZZ_CHECK(status == expected);
	if (status != SDPOWER_OK)
		return;
	h->partition_count = count;
	memcpy(h->partitions, masks, sizeof(h->partitions));
}

static void change_nothing(struct fuzz_input *in, struct fuzz_host *h, uint32_t mc, uint32_t smt)
{
	struct sdpower_change odd = { .struct_size = sizeof(odd) };

	odd.flags = fuzz_u32(in) | SDPOWER_CHANGE_DRY_RUN;
	odd.mc = mc;
	odd.smt = smt;
	odd.words = fuzz_u8(in) % 9u;
	odd.online = fuzz_u8(in) % 2u ? h->online : NULL;
	odd.allowed = fuzz_u8(in) % 2u ? h->allowed : NULL;
	odd.partitions = fuzz_u8(in) % 2u ? h->partitions[0] : NULL;
	odd.partition_count = fuzz_number(in, 8);
	if (odd.partition_count > 8)
		odd.partition_count = UINT32_MAX;
	if (odd.words > 8)
		odd.words = 8;
	FUZZ_CHECK(fuzz_known_status(sdpower_apply(h->model.s, &odd, NULL)));
}

void fuzz_host_change(struct fuzz_input *in, struct fuzz_host *h)
{
	uint32_t mc, smt, a = fuzz_number(in, 3), b = fuzz_number(in, 3);
	sdpower_status status;

	switch (fuzz_u8(in) % 6u) {
	case 0: set_mask(in, h, 1); break;
	case 1: set_mask(in, h, 0); break;
	case 2: set_partitions(in, h); break;
	case 3:
		status = sdpower_set_knobs(h->model.s, a, b);
		FUZZ_CHECK(status == (a <= 2 && b <= 2 ? SDPOWER_OK : SDPOWER_EINVAL));
		FUZZ_CHECK(sdpower_get_knobs(h->model.s, &mc, &smt) == SDPOWER_OK);
		FUZZ_CHECK(status != SDPOWER_OK || (mc == a && smt == b));
		break;
	case 4:
		status = sdpower_set_level(h->model.s, a);
		FUZZ_CHECK(status == (a <= 2 ? SDPOWER_OK : SDPOWER_EINVAL));
		break;
	default:
		change_nothing(in, h, a, b);
	}
	fuzz_check(h->model.s);
	renew_map(h);
}
