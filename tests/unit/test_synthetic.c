/* SPDX-License-Identifier: MIT */
/* Description: synthetic strings make the machines they say, numbered as hwloc numbers them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <time.h>
#include <topology_help.h>
#include <cmocka.h>

static void a_string_makes_a_machine(void **state)
{
	struct machine m;
	const struct sdpower_cpu_desc *c;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "numa:2 pack:1 l3:1 core:4 pu:2"), SDPOWER_OK);
	assert_int_equal(m.topology.cpu_count, 16);
	assert_int_equal(m.topology.node_count, 2);
	assert_int_equal(m.topology.arch, SDPOWER_ARCH_X86_64);
	assert_null(m.topology.distances);
	c = machine_cpu(&m, 11);
	assert_int_equal(c->node, 1);
	assert_int_equal(c->package, 1);
	assert_int_equal(c->llc, 1);
	assert_int_equal(c->core, 1);
	assert_int_equal(c->smt, 1);
	assert_int_equal(c->capacity, 1024);
	assert_int_equal(c->l2, SDPOWER_ID_NONE);
	assert_int_equal(sdpower_topology_check(&m.topology, &m.diag), SDPOWER_OK);
	machine_free(&m);
}

/* Logical cpu k of the string must have os id ids[k]; read from hwloc 2.9.0's lstopo. */
static void expect_numbering(const char *text, const char *ids)
{
	struct machine m, plain;
	const char *hole = strstr(text, "indexes=");
	char bare[128] = "";
	uint32_t k = 0;

	assert_int_equal(machine_synthetic(&m, text), SDPOWER_OK);
	memcpy(bare, text, (size_t)(hole - text - 1));
	assert_int_equal(machine_synthetic(&plain, bare), SDPOWER_OK);
	for (const char *p = ids; *p; k++) {
		const uint32_t id = (uint32_t)strtoul(p, (char **)(uintptr_t)&p, 10);
		const struct sdpower_cpu_desc *got = machine_cpu(&m, id);
		struct sdpower_cpu_desc want = plain.topology.cpus[k];

		want.os_id = id;
		assert_non_null(got);
		if (memcmp(got, &want, sizeof(want)) != 0)
			fail_msg("%s: cpu %u of the string is not id %u", text, k, id);
		while (*p == ' ')
			p++;
	}
	assert_int_equal(k, m.topology.cpu_count);
	machine_free(&m);
	machine_free(&plain);
}

static void numbering_agrees_with_hwloc(void **state)
{
	(void)state;
	expect_numbering("node:2 core:4 pu:2(indexes=node:core)", "0 8 2 10 4 12 6 14 1 9 3 11 5 13 7 15");
	expect_numbering("node:2 core:4 pu:2(indexes=core)", "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15");
	expect_numbering("pack:2 core:4 pu:2(indexes=numa:core)",
		"0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15");
	expect_numbering("pack:2 core:4 pu:2 (indexes=numa:core)",
		"0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15");
	expect_numbering("node:2 core:2 pu:2(indexes=4*2:2*2)", "0 4 2 6 1 5 3 7");
	expect_numbering("node:2 core:2 pu:2(indexes=2*4:4*1)", "0 4 1 5 2 6 3 7");
	expect_numbering("pack:2 numa:2 core:2 pu:2(indexes=numa:core)",
		"0 8 4 12 1 9 5 13 2 10 6 14 3 11 7 15");
	expect_numbering("pack:2 numa:2 core:2 pu:2(indexes=pack:core)",
		"0 8 2 10 4 12 6 14 1 9 3 11 5 13 7 15");
	expect_numbering("pack:2 numa:2 core:2 pu:2(indexes=core:pack)",
		"0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15");
	expect_numbering("node:2 l3:2 core:2 pu:2(indexes=0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15)",
		"0 2 4 6 8 10 12 14 1 3 5 7 9 11 13 15");
	expect_numbering("numa:3 l3:1 core:2 pu:1(indexes=core:l3:numa)", "0 1 2 3 4 5");
	expect_numbering("pack:1 l3:2 l2:2 core:1 pu:1(indexes=core:l3:pack:l2)", "0 2 1 3");
	expect_numbering("core:2 pu:2(indexes=7,100,3,90)", "7 100 3 90");
}

static void expect_summary(const char *text, uint32_t cpus, uint32_t cores, uint32_t packages,
	uint32_t caches, uint32_t nodes)
{
	struct machine m;
	struct sdpower_topology_summary s;

	if (machine_synthetic(&m, text) != SDPOWER_OK)
		fail_msg("%s: %s", text, m.diag.text);
	s = machine_summary(&m);
	if (s.usable_cpus != cpus || s.cores != cores || s.packages != packages || s.llc_groups != caches ||
			s.nodes != nodes)
		fail_msg("%s: cpus %u cores %u packages %u caches %u nodes %u", text, s.usable_cpus, s.cores,
			s.packages, s.llc_groups, s.nodes);
	machine_free(&m);
}

static void levels_left_out_have_a_meaning(void **state)
{
	(void)state;
	expect_summary("pack:2 core:4 pu:2", 16, 8, 2, 2, 1);
	expect_summary("Pack:2 [NUMA] l3:2 Core:8 PU:2", 64, 32, 2, 4, 2);
	expect_summary("pack:2 [numa(memory=1GB)] core:2", 4, 4, 2, 2, 2);
	expect_summary("Package:2 [NUMANode(memory=1048576)] L3Cache:2(size=4194304) L2Cache:4(size=262144) "
		"L1dCache:1(size=32768) L1iCache:1 Core:1 PU:2(indexes=4*8:2*2)", 32, 16, 2, 4, 2);
	expect_summary("Package:2 Group:2 [NUMANode(memory=1073741824)] Core:2 PU:2(indexes=4*4:2*2:1*2)",
		16, 8, 2, 4, 4);
	expect_summary("numa:4 core:2", 8, 8, 4, 4, 4);
	expect_summary("pu:5", 5, 5, 1, 1, 1);
	expect_summary("numa:2 pu:4", 8, 8, 2, 2, 2);
	expect_summary("pack:2 die:2 l3:2(size=4MB) l2:3 core:2 pu:4", 192, 48, 2, 8, 1);
}

static void bare_counts_take_types_by_number(void **state)
{
	(void)state;
	expect_summary("6", 6, 6, 1, 1, 1);
	expect_summary("4 2", 8, 4, 1, 1, 1);
	expect_summary("2 4 2", 16, 8, 2, 2, 1);
	expect_summary("2 2 4 2", 32, 16, 2, 4, 4);
	expect_summary("2 2 2 4 2", 64, 32, 2, 4, 4);
	expect_summary("numa:3 2 2", 12, 6, 3, 3, 3);
}

static void capacities_go_by_core(void **state)
{
	struct machine m;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "core:4 pu:2 cap=160*2,1024 arch=aarch64"), SDPOWER_OK);
	assert_int_equal(m.topology.arch, SDPOWER_ARCH_ARM64);
	assert_int_equal(machine_cpu(&m, 3)->capacity, 160);
	assert_int_equal(machine_cpu(&m, 4)->capacity, 1024);
	assert_int_equal(machine_cpu(&m, 7)->capacity, 160);
	machine_free(&m);
	assert_int_equal(machine_synthetic(&m, "core:2 pu:2 cap=5,6 indexes=9,8,7,6"), SDPOWER_OK);
	assert_int_equal(machine_cpu(&m, 9)->capacity, 5);
	assert_int_equal(machine_cpu(&m, 7)->capacity, 6);
	machine_free(&m);
	assert_int_equal(machine_synthetic(&m, "core:2 pu:2 cap=5,6 indexes=core"), SDPOWER_OK);
	assert_int_equal(machine_cpu(&m, 1)->capacity, 6);
	assert_int_equal(machine_cpu(&m, 2)->capacity, 5);
	machine_free(&m);
}

static void distances_are_a_matrix_or_a_pair(void **state)
{
	struct machine m;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "numa:3 core:1 dist=10,16,22,16,10,16,22,16,10"), SDPOWER_OK);
	assert_int_equal(m.topology.distances[2], 22);
	assert_int_equal(m.topology.distances[7], 16);
	machine_free(&m);
	assert_int_equal(machine_synthetic(&m, "numa:3 core:1 (dist=10,21)"), SDPOWER_OK);
	assert_int_equal(m.topology.distances[4], 10);
	assert_int_equal(m.topology.distances[5], 21);
	machine_free(&m);
}

static const struct {
	const char *text;
	sdpower_status status;
	uint32_t column; /* 0 = not looked at */
} refused[] = {
	{ "", SDPOWER_EPARSE, 1 },
	{ "   ", SDPOWER_EPARSE, 4 },
	{ "core", SDPOWER_EPARSE, 5 },
	{ "core:", SDPOWER_EPARSE, 6 },
	{ "core:0", SDPOWER_EPARSE, 0 },
	{ "core:-1", SDPOWER_EPARSE, 6 },
	{ "core:4x", SDPOWER_EPARSE, 7 },
	{ "core:4 blob:2", SDPOWER_EPARSE, 8 },
	{ "core:99999999999", SDPOWER_ERANGE, 0 },
	{ "pack:65534 core:2", SDPOWER_ERANGE, 0 },
	{ "core:65535", SDPOWER_ERANGE, 0 },
	{ "core:2 core:2", SDPOWER_EPARSE, 8 },
	{ "pu:2 core:2", SDPOWER_EPARSE, 6 },
	{ "core:2 numa:2", SDPOWER_EPARSE, 8 },
	{ "core:2 (cap=5*2) [numa]", SDPOWER_EPARSE, 18 },
	{ "pu:1 group:2 [numa] core:2", SDPOWER_EPARSE, 6 },
	{ "core:2 (", SDPOWER_EPARSE, 0 },
	{ "core:2 (indexes=core", SDPOWER_EPARSE, 0 },
	{ "core:2 )", SDPOWER_EPARSE, 0 },
	{ "core:2 [numa", SDPOWER_EPARSE, 0 },
	{ "core:2 [core]", SDPOWER_EPARSE, 9 },
	{ "core:2 (colour=red)", SDPOWER_EPARSE, 9 },
	{ "core:2 indexes=", SDPOWER_EPARSE, 0 },
	{ "core:2 indexes=l3", SDPOWER_EPARSE, 0 },
	{ "core:2 indexes=core:core", SDPOWER_EPARSE, 0 },
	{ "core:2 indexes=thing", SDPOWER_EPARSE, 16 },
	{ "numa:2(indexes=1,0) core:2", SDPOWER_EPARSE, 16 },
	{ "pack:2 [numa(indexes=1,0)] core:2", SDPOWER_EPARSE, 0 },
	{ "group:2 core:2", SDPOWER_EPARSE, 9 },
	{ "group:x [numa] core:2", SDPOWER_EPARSE, 7 },
	{ "l2:2 l1d:2 core:2", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=core:2*2", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=2*", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=2*0", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=2*3", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=2*2:2*2", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=0,1,2", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=0,1,2,3,4", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=0,1,2,2", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=0,1,2,", SDPOWER_EPARSE, 0 },
	{ "core:4 indexes=0,1,2,99999999999", SDPOWER_ERANGE, 0 },
	{ "core:4 indexes=0,1,2,4294967295", SDPOWER_ERANGE, 0 },
	{ "core:4 indexes=core indexes=core", SDPOWER_EPARSE, 0 },
	{ "core:4 cap=0", SDPOWER_ERANGE, 0 },
	{ "core:4 cap=1025", SDPOWER_ERANGE, 0 },
	{ "core:4 cap=5*0", SDPOWER_EPARSE, 0 },
	{ "core:1 cap=5,x", SDPOWER_EPARSE, 0 },
	{ "core:4 cap=5,", SDPOWER_EPARSE, 0 },
	{ "core:4 dist=10,20", SDPOWER_ERANGE, 0 },
	{ "numa:2 core:4 dist=10,20,20", SDPOWER_EPARSE, 0 },
	{ "numa:2 core:4 dist=10,20,20,0", SDPOWER_ERANGE, 0 },
	{ "numa:2 core:4 dist=10,20,20,70000", SDPOWER_ERANGE, 0 },
	{ "core:4 arch=z80", SDPOWER_EPARSE, 13 },
	{ "1 1 1 1 1 1", SDPOWER_EPARSE, 0 },
	{ "pack:2 2 2 2", SDPOWER_EPARSE, 8 },
};

static void wrong_strings_are_refused_with_a_position(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct machine m;
		const sdpower_status status = machine_synthetic(&m, refused[i].text);

		if (status != refused[i].status || !m.diag.text[0] || m.diag.status != status)
			fail_msg("\"%s\": status %d, \"%s\"", refused[i].text, status, m.diag.text);
		if (refused[i].column && m.diag.column != refused[i].column)
			fail_msg("\"%s\": column %u", refused[i].text, m.diag.column);
		machine_free(&m);
	}
}

static void wrong_arguments_are_refused(void **state)
{
	struct machine m = machine_new();
	char memory[8];

	(void)state;
	assert_int_equal(sdpower_topology_synthetic(NULL, NULL, 0, &m.topology, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_synthetic("core:2", NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	m.topology.struct_size = 4;
	assert_int_equal(sdpower_topology_synthetic("core:2", NULL, 0, &m.topology, NULL), SDPOWER_EINVAL);
	m = machine_new();
	assert_int_equal(sdpower_topology_synthetic("core:2", memory, 8, &m.topology, NULL), SDPOWER_ENOSPC);
	assert_null(m.topology.cpus);
}

static void large_machines_are_quick(void **state)
{
	struct machine m;
	const clock_t start = clock();

	(void)state;
	assert_int_equal(machine_synthetic(&m, "numa:8 pack:1 l3:16 core:8 pu:4 indexes=core"), SDPOWER_OK);
	assert_int_equal(m.topology.cpu_count, 4096);
	assert_int_equal(machine_summary(&m).cores, 1024);
	assert_int_equal(machine_summary(&m).threads_per_core_max, 4);
	machine_free(&m);
	assert_int_equal(machine_synthetic(&m, "core:65534"), SDPOWER_OK);
	machine_free(&m);
	assert_true(clock() - start < CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_makes_a_machine),
		cmocka_unit_test(numbering_agrees_with_hwloc),
		cmocka_unit_test(levels_left_out_have_a_meaning),
		cmocka_unit_test(bare_counts_take_types_by_number),
		cmocka_unit_test(capacities_go_by_core),
		cmocka_unit_test(distances_are_a_matrix_or_a_pair),
		cmocka_unit_test(wrong_strings_are_refused_with_a_position),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(large_machines_are_quick),
	};

	return cmocka_run_group_tests_name("synthetic", tests, NULL, NULL);
}
