/* SPDX-License-Identifier: MIT */
/*
 * Description: modern trees on machines small enough to work out by hand: rings and lines of
 * nodes, power savings by level, mixed capacities, clusters, odd distances.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sdpower.h>

#include "support/instance.h"
#include "state/instance.h"
#include "tree/view.h"

static char text[8192];

static struct test_instance make(const char *machine)
{
	struct test_instance t = { .config = { .tree = SDPOWER_TREE_MODERN } };

	assert_int_equal(test_make(&t, machine), SDPOWER_OK);
	assert_int_equal(sdpower_check(t.s, NULL), SDPOWER_OK);
	return t;
}

static void expect(const sdpower *s, const char *line)
{
	size_t length;

	assert_int_equal(sdpower_dump_text(s, text, sizeof(text), &length), SDPOWER_OK);
	if (!strstr(text, line)) {
		print_error("no line \"%s\" in\n%s", line, text);
		fail();
	}
}

/* Nodes 0 - 1 - 2 - 3 - 0: nobody is farther than two steps away. */
static void a_ring_of_four_nodes_overlaps(void **state)
{
	struct test_instance t = make("numa:4 core:1 "
		"dist=10,20,30,20,20,10,20,30,30,20,10,20,20,30,20,10");
	const struct sdpower_i_view v = sdpower_i_view_of(&t.s->forest);
	struct sdpower_i_domain d;

	(void)state;
	expect(t.s, "0\tNUMA\tcpus=0\tspan=0-1,3\tflags=nefazuo\timb=1\tgroups=0@1024|1@1024|3@1024\n");
	expect(t.s, "1\tNUMA\tcpus=0\tspan=0-3\tflags=nefazuo\timb=1\tgroups=0-1,3@3072|1-3@3072\n");
	expect(t.s, "1\tNUMA\tcpus=3\tspan=0-3\tflags=nefazuo\timb=1\tgroups=0,2-3@3072|0-2@3072\n");
	d = sdpower_i_get_domain(&v, sdpower_i_get_link(&v, 0, 1).domain);
	assert_int_equal(d.mask_runs, 1);
	assert_int_equal(v.tree->runs[d.mask_run].first, 0);
	assert_int_equal(v.tree->runs[d.mask_run].count, 1);
	test_drop(&t);
}

/* 0 - 1 - 2 - 3: the ball of a far node sticks out of the span, so a smaller one stands in. */
static void a_line_of_four_nodes_descends(void **state)
{
	struct test_instance t = make("numa:4 core:2 "
		"dist=10,15,20,25,15,10,15,20,20,15,10,15,25,20,15,10");

	(void)state;
	expect(t.s, "\tNUMA\tcpus=0-1\tspan=0-5\tflags=nefazuo\timb=1\tgroups=0-3@4096|4-5@2048\n");
	expect(t.s, "\tNUMA\tcpus=0-1\tspan=0-7\tflags=nefazuo\timb=2\tgroups=0-5@6144|2-7@6144\n");
	test_drop(&t);
}

static uint32_t flags_at(const sdpower *s, sdpower_cpu cpu, uint32_t depth)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_domain d;

	assert_int_equal(sdpower_domain_at(s, cpu, depth, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_OK);
	return info.flags & (SDPOWER_SD_POWERSAVINGS | SDPOWER_SD_PREFER_SIBLING);
}

/* SMT, MC of cores, PKG of caches, NUMA of nodes. */
static void savings_follow_what_groups_are(void **state)
{
	static const struct { uint32_t mc, smt, saves[4], spreads[4]; } cases[] = {
		{ 0, 0, { 0, 0, 0, 0 }, { 1, 1, 1, 0 } },
		{ 1, 0, { 0, 0, 1, 1 }, { 1, 0, 0, 0 } },
		{ 2, 0, { 0, 0, 1, 1 }, { 1, 0, 0, 0 } },
		{ 0, 1, { 0, 1, 1, 1 }, { 0, 0, 0, 0 } },
		{ 2, 2, { 0, 1, 1, 1 }, { 0, 0, 0, 0 } },
	};
	struct test_instance t = make("numa:2 pack:1 l3:2 core:4 pu:2");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(sdpower_set_knobs(t.s, cases[i].mc, cases[i].smt), SDPOWER_OK);
		for (uint32_t depth = 0; depth < 4; depth++)
			assert_int_equal(flags_at(t.s, 9, depth),
				(cases[i].saves[depth] ? SDPOWER_SD_POWERSAVINGS : 0) |
				(cases[i].spreads[depth] ? SDPOWER_SD_PREFER_SIBLING : 0));
	}
	test_drop(&t);
}

static void far_nodes_never_save(void **state)
{
	struct test_instance t = make("numa:2 core:2 dist=10,31");

	(void)state;
	assert_int_equal(sdpower_set_knobs(t.s, 2, 2), SDPOWER_OK);
	expect(t.s, "1\tNUMA\tcpus=0-1\tspan=0-3\tflags=nzuo\timb=1\tgroups=0-1@2048|2-3@2048\n");
	test_drop(&t);
}

static void capacities_mark_spans(void **state)
{
	struct test_instance t = make("pack:1 l3:2 core:2 cap=512,512,512,1024 arch=arm64");

	(void)state;
	expect(t.s, "0\tMC\tcpus=0\tspan=0-1\tflags=nefal\tgroups=0@512|1@512\n");
	expect(t.s, "0\tMC\tcpus=2\tspan=2-3\tflags=nefalyY\tgroups=2@512|3@1024\n");
	expect(t.s, "1\tPKG\tcpus=0-1\tspan=0-3\tflags=nefapyY\timb=2\tgroups=0-1@1024|2-3@1536\n");
	test_drop(&t);
}

/* Values that Linux takes for broken firmware. */
static void odd_distances_mean_no_numa_levels(void **state)
{
	struct test_instance t = make("numa:2 core:2 dist=10,256");

	(void)state;
	assert_int_equal(sdpower_domain_distance(t.s, 0, 1), 1);
	assert_int_equal(sdpower_domain_distance(t.s, 0, 2), SDPOWER_ENOENT);
	test_drop(&t);
	t = make("numa:3 core:2 dist=10,20,256,20,10,20,256,20,10");
	assert_int_equal(sdpower_domain_distance(t.s, 0, 2), SDPOWER_ENOENT);
	test_drop(&t);
	t = make("numa:2 core:2 dist=9,20");
	assert_int_equal(sdpower_domain_distance(t.s, 0, 2), SDPOWER_ENOENT);
	test_drop(&t);
	t = make("numa:2 core:2 dist=10,10");
	expect(t.s, "1\tNODE\tcpus=0-1\tspan=0-3\tflags=nefap\timb=2\tgroups=0-1@2048|2-3@2048\n");
	test_drop(&t);
}

/* Node 2, nearer to both others than they are to each other, and odd from node 0, is off. */
static void distances_to_nodes_without_cpus_are_no_levels(void **state)
{
	const uint32_t online[1] = { 0xfu };
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct test_instance t = make("numa:3 core:2 dist=10,20,15,20,10,15,300,15,10");
	struct sdpower_domain d;

	(void)state;
	assert_int_equal(sdpower_domain_distance(t.s, 0, 2), SDPOWER_ENOENT);
	assert_int_equal(sdpower_set_online(t.s, online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_domain_common(t.s, 0, 2, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(t.s, d, &info), SDPOWER_OK);
	assert_int_equal(info.numa_level, 0);
	test_drop(&t);
}

/* Which of all overlapping masks the rules of a machine refuse (B3). */
static uint32_t refused(const char *machine)
{
	struct test_instance t = make(machine);
	uint32_t needed = 0;
	size_t size;

	t.config.topology = &t.machine;
	assert_int_equal(sdpower_memory_needed(&t.config, &size, NULL), SDPOWER_OK);
	for (uint32_t bit = SDPOWER_OVERLAP_CORE; bit <= SDPOWER_OVERLAP_DRAWER; bit *= 2) {
		sdpower_status status;

		t.machine.overlapping = bit;
		status = sdpower_init(t.memory, size, &t.config, &t.s);
		assert_true(status == SDPOWER_OK || status == SDPOWER_EOVERLAP);
		needed |= status == SDPOWER_EOVERLAP ? bit : 0;
	}
	test_drop(&t);
	return needed;
}

static void only_masks_of_levels_are_refused(void **state)
{
	(void)state;
	assert_int_equal(refused("pack:2 l3:1 core:2 pu:2"), SDPOWER_OVERLAP_CORE |
		SDPOWER_OVERLAP_L2 | SDPOWER_OVERLAP_LLC);
	assert_int_equal(refused("pack:2 l3:1 l2:2 core:2 pu:2"), SDPOWER_OVERLAP_CORE |
		SDPOWER_OVERLAP_CLUSTER | SDPOWER_OVERLAP_LLC);
	assert_int_equal(refused("pack:2 l3:1 core:2 pu:2 arch=aarch64"), SDPOWER_OVERLAP_CORE |
		SDPOWER_OVERLAP_LLC | SDPOWER_OVERLAP_PACKAGE);
	assert_int_equal(refused("pack:2 l3:1 l2:2 core:2 pu:2 arch=s390x"), SDPOWER_OVERLAP_CORE |
		SDPOWER_OVERLAP_PACKAGE | SDPOWER_OVERLAP_BOOK | SDPOWER_OVERLAP_DRAWER);
	assert_int_equal(refused("pack:2 l3:1 l2:2 core:2 pu:2 arch=ppc64"), SDPOWER_OVERLAP_CORE |
		SDPOWER_OVERLAP_L2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_of_four_nodes_overlaps),
		cmocka_unit_test(a_line_of_four_nodes_descends),
		cmocka_unit_test(savings_follow_what_groups_are),
		cmocka_unit_test(far_nodes_never_save),
		cmocka_unit_test(capacities_mark_spans),
		cmocka_unit_test(odd_distances_mean_no_numa_levels),
		cmocka_unit_test(distances_to_nodes_without_cpus_are_no_levels),
		cmocka_unit_test(only_masks_of_levels_are_refused),
	};

	return cmocka_run_group_tests_name("modern", tests, NULL, NULL);
}
