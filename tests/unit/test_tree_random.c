/* SPDX-License-Identifier: MIT */
/*
 * Description: on random machines, whatever knobs, online cpus and partitions are set, every
 * tree holds its invariants within its bounds and its block, and depends on nothing else.
 * Run with a seed as argument to repeat one machine.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include <sdpower.h>

#include "unit/random_machine.h"
#include "state/instance.h"

#define MACHINES 800u
#define CHANGES 12u
#define GUARD 64u

static uint64_t first_seed;
static unsigned trees, refused;

struct trial {
	uint64_t seed;
	struct random_machine machine;
	struct sdpower_config config;
	unsigned char *memory;
	size_t size;
	sdpower *s;
};

static char *dump(struct trial *t)
{
	size_t length = 0;
	char *text;

	assert_int_equal(sdpower_dump_text(t->s, NULL, 0, &length), SDPOWER_ENOSPC);
	text = malloc(length + 1);
	assert_int_equal(sdpower_dump_text(t->s, text, length + 1, &length), SDPOWER_OK);
	return text;
}

static void check(struct trial *t, const char *when)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };

	trees++;
	if (sdpower_check(t->s, &diag) != SDPOWER_OK) {
		char *text = dump(t);

		print_error("seed %llu, rules %u, %s: %s\n%s", (unsigned long long)t->seed,
			t->config.tree, when, diag.text, text);
		free(text);
		fail();
	}
	for (size_t i = 0; i < GUARD; i++)
		if (t->memory[t->size + i] != 0x5a) {
			print_error("seed %llu, %s: wrote past the block\n", (unsigned long long)t->seed, when);
			fail();
		}
}

/* What the library may say to a machine whose masks cross; then nothing must have changed. */
static int accepted(sdpower_status status)
{
	assert_true(status == SDPOWER_OK || status == SDPOWER_EOVERLAP || status == SDPOWER_EMPTY);
	refused += status != SDPOWER_OK;
	return status == SDPOWER_OK;
}

static void change_knobs(struct trial *t)
{
	for (uint32_t mc = 0; mc < 3; mc++)
		for (uint32_t smt = 0; smt < 3; smt++)
			if (accepted(sdpower_set_knobs(t->s, mc, smt)))
				check(t, "knobs");
}

static void change_online(struct trial *t)
{
	uint32_t mask[RANDOM_CPUS / 32 + 1] = { 0 };
	struct random_machine *m = &t->machine;
	const uint32_t dense = 1 + random_below(m, 8);

	for (uint32_t cpu = 0; cpu < m->topology.cpu_count; cpu++)
		if (random_below(m, 8) < dense)
			mask[cpu / 32] |= 1u << (cpu % 32);
	if (accepted(one_in(m, 4) ? sdpower_set_allowed(t->s, mask, RANDOM_CPUS / 32) :
			sdpower_set_online(t->s, mask, RANDOM_CPUS / 32)))
		check(t, "online");
}

static void change_partitions(struct trial *t)
{
	uint32_t masks[4][RANDOM_CPUS / 32] = { { 0 } };
	struct random_machine *m = &t->machine;
	const uint32_t count = random_below(m, t->s->forest.max_partitions + 1);
	const uint32_t runs = 1 + random_below(m, 16);

	for (uint32_t cpu = 0, p = 0; count && cpu < m->topology.cpu_count; cpu++) {
		if (one_in(m, runs))
			p = random_below(m, count + 1);
		if (p < count)
			masks[p][cpu / 32] |= 1u << (cpu % 32);
	}
	if (accepted(sdpower_set_partitions(t->s, count, masks[0], RANDOM_CPUS / 32)))
		check(t, "partitions");
}

/* Taking cpus away and giving them back is as if nothing had happened (I20). */
static void remove_and_add(struct trial *t)
{
	uint32_t all[RANDOM_CPUS / 32], one[RANDOM_CPUS / 32];
	struct random_machine *m = &t->machine;
	const uint32_t cpu = random_below(m, m->topology.cpu_count);
	char *before, *after;

	memset(all, 0xff, sizeof(all));
	memset(one, 0xff, sizeof(one));
	one[cpu / 32] &= ~(1u << (cpu % 32));
	if (!accepted(sdpower_set_online(t->s, all, RANDOM_CPUS / 32)))
		return;
	before = dump(t);
	if (accepted(sdpower_set_online(t->s, one, RANDOM_CPUS / 32)))
		check(t, "one removed");
	assert_int_equal(sdpower_set_online(t->s, all, RANDOM_CPUS / 32), SDPOWER_OK);
	check(t, "one added");
	after = dump(t);
	if (strcmp(before, after)) {
		print_error("seed %llu: without cpu %u and back:\n%s---\n%s", (unsigned long long)t->seed,
			cpu, before, after);
		fail();
	}
	free(before);
	free(after);
}

/* A dry run counts the cpus that then really change, and leaves the tree alone. */
static void foresee(struct trial *t)
{
	uint32_t online[RANDOM_CPUS / 32];
	struct sdpower_change change = { .struct_size = sizeof(change), .words = RANDOM_CPUS / 32,
		.online = online };
	struct sdpower_change_report dry = { .struct_size = sizeof(dry) }, wet = dry;
	struct random_machine *m = &t->machine;
	char *before = dump(t), *after;
	sdpower_status status;

	for (uint32_t i = 0; i < RANDOM_CPUS / 32; i++)
		online[i] = m->state >> 8 & 0xffffffffu;
	change.flags = SDPOWER_CHANGE_KNOBS | SDPOWER_CHANGE_DRY_RUN |
		(one_in(m, 2) ? (uint32_t)SDPOWER_CHANGE_ONLINE : 0u);
	change.mc = random_below(m, 3);
	change.smt = random_below(m, 3);
	status = sdpower_apply(t->s, &change, &dry);
	after = dump(t);
	assert_string_equal(before, after);
	change.flags &= ~(uint32_t)SDPOWER_CHANGE_DRY_RUN;
	assert_int_equal(sdpower_apply(t->s, &change, &wet), status);
	if (accepted(status)) {
		check(t, "foreseen");
		assert_memory_equal(&dry, &wet, sizeof(dry));
	}
	free(before);
	free(after);
}

static void try_rules(struct trial *t, uint32_t tree, uint32_t partitions)
{
	size_t align;
	sdpower_status status;

	t->config = (struct sdpower_config){ .struct_size = sizeof(t->config),
		.topology = &t->machine.topology, .tree = tree, .max_partitions = partitions,
		.tuning = random_below(&t->machine, 2) };
	if (one_in(&t->machine, 4)) {
		t->config.flags = SDPOWER_CONFIG_RELAX;
		t->config.relax_level = (int32_t)random_below(&t->machine, 6);
	}
	assert_int_equal(sdpower_memory_needed(&t->config, &t->size, &align), SDPOWER_OK);
	t->memory = aligned_alloc(align, (t->size + GUARD + align - 1) / align * align);
	memset(t->memory, 0x5a, t->size + GUARD);
	status = sdpower_init(t->memory, t->size, &t->config, &t->s);
	if (accepted(status)) {
		check(t, "init");
		change_knobs(t);
		for (uint32_t i = 0; i < CHANGES; i++)
			switch (random_below(&t->machine, 4)) {
			case 0: change_online(t); break;
			case 1: change_partitions(t); break;
			case 2: remove_and_add(t); break;
			default: foresee(t); break;
			}
	}
	free(t->memory);
}

static void try_seed(uint64_t seed)
{
	struct trial *t = calloc(1, sizeof(*t));

	for (uint32_t tree = SDPOWER_TREE_CLASSIC; tree <= SDPOWER_TREE_MODERN; tree++) {
		uint32_t partitions;

		t->seed = seed;
		random_machine_make(&t->machine, seed);
		partitions = 1 + random_below(&t->machine, 4);
		if (partitions > t->machine.topology.cpu_count)
			partitions = t->machine.topology.cpu_count;
		try_rules(t, tree, partitions);
	}
	free(t);
}

static void random_machines_hold_their_invariants(void **state)
{
	(void)state;
	for (unsigned i = 0; i < MACHINES; i++)
		try_seed(first_seed + i);
	print_message("%u trees, %u refused\n", trees, refused);
	assert_true(trees > 20 * MACHINES);
	assert_true(refused < trees / 4);
}

static void one_machine_holds_its_invariants(void **state)
{
	(void)state;
	try_seed(first_seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(random_machines_hold_their_invariants) };
	const struct CMUnitTest one[] = { cmocka_unit_test(one_machine_holds_its_invariants) };

	if (argc > 1) {
		first_seed = strtoull(argv[1], NULL, 10);
		return cmocka_run_group_tests_name("tree_random, one", one, NULL, NULL);
	}
	first_seed = (uint64_t)time(NULL) * 10000u;
	print_message("seeds %llu and up\n", (unsigned long long)first_seed);
	return cmocka_run_group_tests_name("tree_random", all, NULL, NULL);
}
