/* SPDX-License-Identifier: MIT */
/*
 * Description: on random machines of every family, with any knobs, tuning, relax level, online
 * and allowed cpus and partitions, the classic tree is the model's: levels, numbers, flags,
 * spans, groups in ring order and their power; overlapping masks are refused where needed.
 * test_model_tree [SEED [ROUNDS]]: a failure names the seed of its machine.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tree.h"

#define WORDS (RANDOM_CPUS / 32u)

static struct random_machine machine;
static struct tree_input in;
static uint64_t seed;
static unsigned long compared, refused;
static uint32_t cpu_now, depth_now;

static void same(const char *what, uint64_t wanted, uint64_t got)
{
	compared++;
	if (wanted == got)
		return;
	printf("seed %" PRIu64 ", arch %u, rules %u, tuning %u, knobs %u %u, relax %d, cpu %u depth %u: "
		"%s: the model says %" PRIx64 ", the library %" PRIx64 " (hexadecimal)\n", seed,
		in.machine->arch, in.rules, in.tuning, in.mc, in.smt, (int)in.relax, cpu_now, depth_now,
		what, wanted, got);
	exit(EXIT_FAILURE);
}

static void same_set(const char *what, const struct tree_set *set, const uint32_t *mask)
{
	for (uint32_t w = 0; w < WORDS; w++) {
		uint32_t word = 0;

		for (uint32_t i = 0; i < 32; i++)
			word |= (uint32_t)set->has[32 * w + i] << i;
		same(what, word, mask[w]);
	}
}

static uint32_t first_of(const struct tree_set *set)
{
	uint32_t i = 0;

	while (!set->has[i])
		i++;
	return i;
}

static void same_groups(const sdpower *s, struct sdpower_domain d, const struct tree_level *l)
{
	for (uint32_t i = 0; i < l->groups; i++) {
		struct sdpower_group_info g = { .struct_size = sizeof(g) };
		uint32_t mask[WORDS];

		same("group", 0, (uint64_t)sdpower_domain_group(s, d, i, &g, mask, WORDS));
		same_set("cpus of a group", &l->group[i].cpus, mask);
		same("power", l->group[i].power, g.power);
		same("weight of a group", tree_weight(&l->group[i].cpus), g.weight);
		same("first cpu of a group", first_of(&l->group[i].cpus), g.first_cpu);
	}
}

static void same_level(const sdpower *s, struct sdpower_domain d, const struct tree_level *l)
{
	struct sdpower_domain_info got = { .struct_size = sizeof(got) }, want = l->params;
	uint32_t mask[WORDS];

	same("describe", 0, (uint64_t)sdpower_domain_describe(s, d, &got));
	same("level", l->level, got.level);
	same("flags", l->flags, got.flags);
	want.struct_size = sizeof(want);
	want.cpu = cpu_now;
	want.depth = depth_now;
	want.level = l->level;
	want.flags = l->flags;
	want.weight = tree_weight(&l->span);
	want.first_cpu = first_of(&l->span);
	want.groups = l->groups;
	same("groups", want.groups, got.groups);
	same("max_interval", want.max_interval, got.max_interval);
	same("everything else of the level", 0, memcmp(&want, &got, sizeof(got)) != 0);
	same("span", 0, (uint64_t)sdpower_domain_span(s, d, mask, WORDS));
	same_set("cpus of the span", &l->span, mask);
	same_groups(s, d, l);
}

static void same_tree(const sdpower *s)
{
	static struct tree_chain chain;
	struct sdpower_domain d;

	for (cpu_now = 0; cpu_now < in.machine->cpu_count; cpu_now++) {
		tree_classic(&in, cpu_now, &chain);
		for (depth_now = 0; depth_now < chain.depth; depth_now++) {
			same("a level", 0, (uint64_t)sdpower_domain_at(s, cpu_now, depth_now, &d));
			same_level(s, d, &chain.level[depth_now]);
		}
		same("the end", (uint64_t)SDPOWER_ENOENT,
			(uint64_t)sdpower_domain_at(s, cpu_now, depth_now, &d));
	}
	cpu_now = depth_now = 0;
}

static int any_usable(void)
{
	for (uint32_t i = 0; i < in.machine->cpu_count; i++)
		if (in.online[i] && in.allowed[i])
			return 1;
	return 0;
}

/* Changes everything a tree depends on at once. */
static void change(sdpower *s, uint32_t partitions)
{
	uint32_t online[WORDS] = { 0 }, allowed[WORDS] = { 0 }, masks[2][WORDS] = { { 0 } };
	struct sdpower_change c = { .struct_size = sizeof(c), .flags = SDPOWER_CHANGE_KNOBS |
		SDPOWER_CHANGE_ONLINE | SDPOWER_CHANGE_ALLOWED | SDPOWER_CHANGE_PARTITIONS,
		.mc = random_below(&machine, 3), .smt = random_below(&machine, 3), .online = online,
		.allowed = allowed, .partitions = masks[0], .partition_count = partitions,
		.words = WORDS };
	const uint32_t sparse = 2 + random_below(&machine, 12), cut = 1 + random_below(&machine, 12);
	const struct tree_input before = in;
	sdpower_status status = SDPOWER_OK;

	in.mc = c.mc;
	in.smt = c.smt;
	for (uint32_t i = 0; i < in.machine->cpu_count; i++) {
		in.online[i] = !one_in(&machine, sparse);
		in.allowed[i] = !one_in(&machine, 4 * sparse);
		in.partition[i] = one_in(&machine, 12) ? -1 : (int)(i / cut % partitions);
		online[i / 32] |= (uint32_t)in.online[i] << i % 32;
		allowed[i / 32] |= (uint32_t)in.allowed[i] << i % 32;
		if (in.partition[i] >= 0)
			masks[in.partition[i]][i / 32] |= 1u << i % 32;
	}
	if (!any_usable())
		status = SDPOWER_EMPTY;
	else if (in.machine->overlapping & tree_needed(&in))
		status = SDPOWER_EOVERLAP;
	same("status of the change", (uint64_t)status, (uint64_t)sdpower_apply(s, &c, NULL));
	refused += status != SDPOWER_OK;
	if (status != SDPOWER_OK)
		in = before;
	same_tree(s);
}

static sdpower *make(void **memory, uint32_t partitions)
{
	struct sdpower_config c = { .struct_size = sizeof(c), .topology = in.machine,
		.tree = in.rules, .tuning = in.tuning, .mc = in.mc, .smt = in.smt,
		.wake_flags = in.wake_flags, .max_partitions = partitions,
		.flags = in.relax >= 0 ? SDPOWER_CONFIG_RELAX : 0, .relax_level = in.relax };
	const sdpower_status wanted = in.machine->overlapping & tree_needed(&in) ? SDPOWER_EOVERLAP :
		SDPOWER_OK;
	size_t size = 0, align = 0;
	sdpower *s = NULL;

	same("memory_needed", 0, (uint64_t)sdpower_memory_needed(&c, &size, &align));
	*memory = aligned_alloc(align, size);
	same("init", (uint64_t)wanted, (uint64_t)sdpower_init(*memory, size, &c, &s));
	refused += wanted != SDPOWER_OK;
	return s;
}

static void try_machine(void)
{
	uint32_t partitions;
	void *memory;
	sdpower *s;

	random_machine_make(&machine, seed);
	machine.topology.overlapping = one_in(&machine, 4) ? 1u << random_below(&machine, 7) : 0;
	partitions = machine.topology.cpu_count > 1 ? 1 + random_below(&machine, 2) : 1;
	memset(&in, 0, sizeof(in));
	in.machine = &machine.topology;
	in.rules = SDPOWER_TREE_CLASSIC + random_below(&machine, 2);
	in.tuning = random_below(&machine, 2);
	in.mc = random_below(&machine, 2);
	in.smt = random_below(&machine, 2);
	in.relax = one_in(&machine, 2) ? (int32_t)random_below(&machine, 7) : -1;
	in.wake_flags = one_in(&machine, 4) ? SDPOWER_SD_WAKE_IDLE : 0;
	for (uint32_t i = 0; i < in.machine->cpu_count; i++) {
		in.online[i] = !(machine.cpus[i].flags & SDPOWER_CPU_OFFLINE);
		in.allowed[i] = 1;
	}
	s = make(&memory, partitions);
	if (s)
		same_tree(s);
	for (int i = 0; s && i < 3; i++)
		change(s, partitions);
	free(memory);
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 150;

	for (seed = first; seed < first + rounds; seed++)
		try_machine();
	printf("seeds %" PRIu64 " to %" PRIu64 ": %lu comparisons, %lu refusals\n", first,
		first + rounds - 1, compared, refused);
	return compared && refused ? EXIT_SUCCESS : EXIT_FAILURE;
}
