/* SPDX-License-Identifier: MIT */
/*
 * Description: any sequence of calls with any arguments, also on damaged slots and records: no
 * answer outside affinity, online, allowed and partitions, no output touched by a refusal.
 */
#include "fuzz.h"
#include "state/state.h"

const char *const fuzz_seeds[] = { "", NULL };
const char *const fuzz_words[] = { "\xff\xff\xff\xff", "\xff\xff", "\x0a\xff\xff\xff\xff", "\x0b", NULL };
const uint32_t fuzz_rounds = 5000;
const uint32_t fuzz_longest = 1200;

static const char *const machines[] = { "1", "pack:2 core:2 pu:2", "numa:4 core:4", "core:3 pu:2",
	"pack:2 [numa] l3:2 core:5 pu:2", "numa:3 pack:1 l3:2 core:4 pu:2 dist=10,20,30,20,10,20,30,20,10",
	"pack:2 core:20", "numa:2 pack:2 l3:2 core:8 pu:2 indexes=core:pack:numa" };

struct calls {
	struct fuzz_model model;
	struct fuzz_block table, block;
	uint32_t online[8], allowed[8], partitions[8][8], partition_count, most_partitions;
	uint64_t now;
};

static void renew_map(struct calls *c)
{
	for (uint32_t w = 0; w < 8; w++) {
		uint32_t any = 0;

		for (uint32_t p = 0; p < c->partition_count; p++)
			any |= c->partitions[p][w];
		c->model.map[w] = c->online[w] & c->allowed[w] & any;
	}
}

static int make(struct fuzz_input *in, struct calls *c)
{
	const char *text = machines[fuzz_u8(in) % (sizeof(machines) / sizeof(machines[0]))];
	struct sdpower_topology t = { .struct_size = sizeof(t) };
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = &t };
	size_t size, align;

	FUZZ_CHECK(sdpower_topology_synthetic(text, NULL, 0, &t, NULL) == SDPOWER_ENOSPC);
	c->table = fuzz_block_of(t.memory_needed, 8);
	FUZZ_CHECK(!sdpower_topology_synthetic(text, c->table.memory, c->table.size, &t, NULL));
	config.tree = fuzz_u8(in) % 4u;
	config.tuning = fuzz_u8(in) % 2u;
	config.decisions = fuzz_u8(in) % 8u ? 0 : fuzz_u8(in) % 4u;
	config.mc = fuzz_u8(in) % 3u;
	config.smt = fuzz_u8(in) % 3u;
	config.flags = fuzz_u8(in) % 2u;
	config.relax_level = (int32_t)(fuzz_u8(in) % 8u) - 1;
	config.wake_flags = fuzz_u8(in) % 2u ? 0 : 16u | (fuzz_u8(in) & 1u) << 11;
	config.migration_cost_ns = fuzz_number(in, 1000000);
	c->most_partitions = 1 + fuzz_u8(in) % 8u;
	if (c->most_partitions > t.cpu_count)
		c->most_partitions = t.cpu_count;
	config.max_partitions = c->most_partitions;
	if (sdpower_memory_needed(&config, &size, &align))
		return 0;
	c->block = fuzz_block_of(size, align);
	FUZZ_CHECK(sdpower_init(c->block.memory, size, &config, &c->model.s) == SDPOWER_OK);
	c->model.cpus = t.cpu_count;
	c->model.words = (t.cpu_count + 31) / 32;
	c->partition_count = 1;
	for (uint32_t cpu = 0; cpu < t.cpu_count; cpu++) {
		c->online[cpu / 32] |= 1u << (cpu % 32);
		c->allowed[cpu / 32] |= 1u << (cpu % 32);
		c->partitions[0][cpu / 32] |= 1u << (cpu % 32);
	}
	renew_map(c);
	return 1;
}

/* The bits of a change that exist on the machine; 0 = none usable. */
static int usable(const struct calls *c, const uint32_t *online, const uint32_t *allowed)
{
	for (uint32_t cpu = 0; cpu < c->model.cpus; cpu++)
		if (online[cpu / 32] & allowed[cpu / 32] & 1u << (cpu % 32))
			return 1;
	return 0;
}

static void set_mask(struct fuzz_input *in, struct calls *c, int online)
{
	const uint32_t words = fuzz_u8(in) % 9u;
	uint32_t mask[9] = { 0 }, *mine = online ? c->online : c->allowed;
	sdpower_status status, expected;

	for (uint32_t w = 0; w < words && w < 8; w++)
		mask[w] = fuzz_u8(in) % 4u ? UINT32_MAX : fuzz_u32(in);
	expected = usable(c, online ? mask : c->online, online ? c->allowed : mask) ? SDPOWER_OK :
		SDPOWER_EMPTY;
	status = online ? sdpower_set_online(c->model.s, mask, words) :
		sdpower_set_allowed(c->model.s, mask, words);
	FUZZ_CHECK(status == expected);
	if (status == SDPOWER_OK)
		memcpy(mine, mask, sizeof(c->online));
}

static void set_partitions(struct fuzz_input *in, struct calls *c)
{
	const uint32_t count = fuzz_u8(in) % 10u;
	uint32_t masks[10][8] = { { 0 } }, overlap = 0, shift = fuzz_u8(in) % 6u;
	sdpower_status status, expected = SDPOWER_OK;

	for (uint32_t cpu = 0; cpu < c->model.cpus; cpu++) {
		const uint32_t p = cpu >> shift, also = fuzz_u8(in) == 99 ? p + 1 : p;

		if (p < count)
			masks[p][cpu / 32] |= 1u << (cpu % 32);
		if (also != p && also < count) {
			masks[also][cpu / 32] |= 1u << (cpu % 32);
			overlap |= p < count;
		}
	}
	if (count > c->most_partitions)
		expected = SDPOWER_ERANGE;
	else if (overlap)
		expected = SDPOWER_EINVAL;
	status = sdpower_set_partitions(c->model.s, count, masks[0], 8);
	FUZZ_CHECK(status == expected);
	if (status != SDPOWER_OK)
		return;
	c->partition_count = count;
	memcpy(c->partitions, masks, sizeof(c->partitions));
}

/* Settings of the tree; whatever is refused must leave the model true. */
static void control(struct fuzz_input *in, struct calls *c)
{
	uint32_t mc, smt, a = fuzz_number(in, 3), b = fuzz_number(in, 3);
	struct sdpower_change odd = { .struct_size = sizeof(odd) };
	sdpower_status status;

	switch (fuzz_u8(in) % 6u) {
	case 0: set_mask(in, c, 1); break;
	case 1: set_mask(in, c, 0); break;
	case 2: set_partitions(in, c); break;
	case 3:
		status = sdpower_set_knobs(c->model.s, a, b);
		FUZZ_CHECK(status == (a <= 2 && b <= 2 ? SDPOWER_OK : SDPOWER_EINVAL));
		FUZZ_CHECK(sdpower_get_knobs(c->model.s, &mc, &smt) == SDPOWER_OK);
		FUZZ_CHECK(status != SDPOWER_OK || (mc == a && smt == b));
		break;
	case 4:
		status = sdpower_set_level(c->model.s, a);
		FUZZ_CHECK(status == (a <= 2 ? SDPOWER_OK : SDPOWER_EINVAL));
		break;
	default:
		odd.flags = fuzz_u32(in) | SDPOWER_CHANGE_DRY_RUN;
		odd.mc = a;
		odd.smt = b;
		odd.words = fuzz_u8(in) % 9u;
		odd.online = fuzz_u8(in) % 2u ? c->online : NULL;
		odd.allowed = fuzz_u8(in) % 2u ? c->allowed : NULL;
		odd.partitions = fuzz_u8(in) % 2u ? c->partitions[0] : NULL;
		odd.partition_count = fuzz_number(in, 8);
		if (odd.partition_count > 8)
			odd.partition_count = UINT32_MAX;
		if (odd.words > 8)
			odd.words = 8;
		status = sdpower_apply(c->model.s, &odd, NULL);
		FUZZ_CHECK(fuzz_known_status(status));
	}
	fuzz_check(c->model.s);
	renew_map(c);
}

static void set_cpu(struct fuzz_input *in, struct calls *c, sdpower_cpu cpu)
{
	struct sdpower_cpu_state was = { .struct_size = sizeof(was) }, now = was, set = was;
	sdpower_status status, known = sdpower_get_cpu(c->model.s, cpu, &was);

	set.nr = fuzz_number(in, SDPOWER_NR_MAX + 1);
	set.load = fuzz_number(in, 4096);
	set.activity = fuzz_number(in, 3);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		set.cpu_load[k] = fuzz_number(in, SDPOWER_LOAD_MAX + 1) & SDPOWER_LOAD_MAX;
	set.avg_idle_ns = fuzz_u32(in);
	set.idle_since_ns = (uint64_t)fuzz_u32(in) << 32 | fuzz_u32(in);
	set.outside_util = fuzz_number(in, 1025);
	set.outside_capacity = fuzz_number(in, 1025);
	set.clamped = fuzz_u32(in);
	if (fuzz_u8(in) == 7)
		set.struct_size = fuzz_u8(in);
	status = sdpower_set_cpu(c->model.s, cpu, &set);
	FUZZ_CHECK(fuzz_known_status(status));
	if (known != SDPOWER_OK) {
		FUZZ_CHECK(status != SDPOWER_OK && known == SDPOWER_ENOENT);
		return;
	}
	FUZZ_CHECK(sdpower_get_cpu(c->model.s, cpu, &now) == SDPOWER_OK);
	if (status == SDPOWER_OK && set.activity == SDPOWER_CPU_RUNNING)
		set.idle_since_ns = 0;
	FUZZ_CHECK(!memcmp(&now, status == SDPOWER_OK ? &set : &was, sizeof(now)));
}

/* Bits a cosmic ray could leave: slots and sums hold anything afterwards. */
static void damage(struct fuzz_input *in, struct calls *c, uint32_t kind)
{
	struct sdpower *s = c->model.s;
	const uint32_t pos = fuzz_u8(in) % c->model.cpus, block = s->forest.block_at[pos];

	switch (kind) {
	case 0:
		fuzz_fill(in, &s->slots[pos], sizeof(s->slots[pos]));
		break;
	case 1:
		fuzz_fill(in, &s->records[block], sizeof(s->records[block]));
		s->records[block].serial = s->forest.generation;
		s->records[block].seq |= 1u;
		break;
	case 2:
		fuzz_fill(in, &s->rests[block], sizeof(s->rests[block]));
		break;
	default: /* soon the generations start again */
		s->forest.generation = s->forest.generation % 2u ? UINT32_MAX : UINT32_MAX - 1u;
		s->forest.trees[s->forest.generation % 2u].serial = s->forest.generation;
	}
}

/* The native rules drop a nominee that cannot take work now. */
static int takes_the_nomination(const sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };
	const sdpower_cpu nominee = sdpower_preferred_wakeup_cpu(s);

	if (nominee == cpu || (s->decision_rules == SDPOWER_DECIDE_NATIVE && nominee == SDPOWER_CPU_NONE))
		return 1;
	return s->decision_rules == SDPOWER_DECIDE_NATIVE && !sdpower_get_cpu(s, nominee, &c) &&
		c.activity == SDPOWER_CPU_SLEEPING && !c.nr;
}

static void owner(struct fuzz_input *in, struct calls *c, uint32_t kind)
{
	struct sdpower *s = c->model.s;
	const sdpower_cpu cpu = fuzz_number(in, c->model.cpus);
	const int exists = cpu < c->model.cpus;
	struct sdpower_cpu_state before = { .struct_size = sizeof(before) };
	sdpower_status status;

	c->now += fuzz_number(in, 1u << 20);
	if (fuzz_u8(in) == 3)
		c->now = (uint64_t)fuzz_u32(in) << 32 | fuzz_u32(in);
	(void)sdpower_get_cpu(s, cpu, &before);
	switch (kind) {
	case 0: status = sdpower_set_load(s, cpu, fuzz_number(in, 4), fuzz_number(in, 4096)); break;
	case 1: status = sdpower_idle_enter(s, cpu, c->now); break;
	case 2: status = sdpower_idle_exit(s, cpu, c->now); break;
	case 3: status = sdpower_tick(s, cpu, c->now); break;
	case 4:
		status = sdpower_refresh(s, cpu);
		FUZZ_CHECK(status <= 1);
		status = status == 1 ? SDPOWER_OK : status;
		break;
	case 5:
		status = sdpower_claim(s, cpu);
		FUZZ_CHECK(!exists || status == (before.activity == SDPOWER_CPU_SLEEPING ?
			SDPOWER_OK : SDPOWER_EBUSY));
		status = exists ? SDPOWER_OK : status;
		break;
	case 6:
		status = sdpower_unclaim(s, cpu);
		FUZZ_CHECK(!exists || status == (before.activity == SDPOWER_CPU_IS_CLAIMED ?
			SDPOWER_OK : SDPOWER_EBUSY));
		status = exists ? SDPOWER_OK : status;
		break;
	default:
		status = sdpower_nominate(s, cpu);
		FUZZ_CHECK(!exists || takes_the_nomination(s, cpu));
	}
	FUZZ_CHECK(status == (exists ? SDPOWER_OK : SDPOWER_ENOENT));
}

static void step(struct fuzz_input *in, struct calls *c)
{
	const uint32_t kind = fuzz_u8(in) % 32u;

	if (kind < 8)
		owner(in, c, kind);
	else if (kind < 12)
		control(in, c);
	else if (kind < 16)
		damage(in, c, kind - 12);
	else if (kind < 18)
		set_cpu(in, c, fuzz_number(in, c->model.cpus));
	else if (kind == 18)
		fuzz_walk(&c->model, fuzz_u8(in) % c->model.cpus);
	else
		fuzz_ask(in, &c->model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = { data, data + size };
	struct calls c;

	memset(&c, 0, sizeof(c));
	if (make(&in, &c)) {
		while (in.at < in.end)
			step(&in, &c);
		fuzz_check_untouched(&c.block, c.block.size);
	}
	free(c.block.memory);
	free(c.table.memory);
	return 0;
}
