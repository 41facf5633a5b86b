/* SPDX-License-Identifier: MIT */
/* Description: the Linux loader's survey, caches, nodes and failures. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <linux_machine.h>

static void without_lists_directories_are_looked_for(void **state)
{
	struct machine m;

	(void)state;
	memset(&files, 0, sizeof(files));
	put(&files, "0", CPU "cpu3/topology/core_id");
	put(&files, "3", CPU "cpu40/topology/thread_siblings");
	put(&files, "0", CPU "cpu41/online");
	put(&files, "1", CPU "cpu41/topology/core_id");
	put(&files, "", CPU "cpu42/");
	m = load();
	assert_int_equal(m.topology.cpu_count, 4);
	assert_int_equal(m.topology.cpus[0].os_id, 3);
	assert_int_equal(m.topology.cpus[2].flags, SDPOWER_CPU_OFFLINE);
	assert_int_equal(m.topology.cpus[3].flags, SDPOWER_CPU_OFFLINE);
	machine_free(&m);
	expect_usable("no lists", "3 40");
}

static void without_an_online_list_states_are_asked(void **state)
{
	(void)state;
	memset(&files, 0, sizeof(files));
	put(&files, "0-4", CPU "present");
	for (unsigned cpu = 0; cpu < 4; cpu++)
		put(&files, "0", CPU "cpu%u/topology/core_id", cpu);
	put(&files, "0", CPU "cpu1/online");
	put(&files, "1", CPU "cpu2/online");
	expect_usable("no online", "0 2 3");
}

static void ids_may_have_holes(void **state)
{
	struct machine m;

	(void)state;
	start("2,7-8,1000");
	put(&files, "7,1000", CPU "cpu7/topology/thread_siblings_list");
	m = load();
	assert_int_equal(m.topology.cpu_count, 4);
	assert_int_equal(m.topology.cpus[3].os_id, 1000);
	assert_int_equal(machine_summary(&m).cores, 3);
	machine_free(&m);
}

static void put_cache(unsigned cpu, unsigned index, const char *level, const char *type, const char *set)
{
	put(&files, level, CPU "cpu%u/cache/index%u/level", cpu, index);
	put(&files, type, CPU "cpu%u/cache/index%u/type", cpu, index);
	put(&files, set, CPU "cpu%u/cache/index%u/shared_cpu_list", cpu, index);
}

static void the_last_level_is_the_highest_that_holds_data(void **state)
{
	struct machine m;

	(void)state;
	start("0-3");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_cache(cpu, 0, "3", "Instruction", "0-3"); /* neither order nor numbers are fixed */
		put_cache(cpu, 2, "2", "Instruction", "0-3");
		put_cache(cpu, 7, "2", "Data", cpu < 2 ? "0-1" : "2-3");
		put_cache(cpu, 8, "1", "Data", "0");
	}
	m = load();
	assert_int_equal(m.topology.cpus[1].llc, 0);
	assert_int_equal(m.topology.cpus[3].llc, 2);
	assert_int_equal(m.topology.cpus[3].l2, 2);
	machine_free(&m);
}

static void cpus_may_differ_in_caches(void **state)
{
	struct machine m;

	(void)state;
	start("0-4");
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		put_cache(cpu, 2, "2", "Unified", cpu < 2 ? "0-1" : "2");
		put_cache(cpu, 3, "3", "Unified", "0-2");
	}
	put_cache(3, 1, "2", "Unified", "3"); /* a small core without an L3; cpu 4 has nothing */
	m = load();
	assert_int_equal(m.topology.cpus[2].llc, 0);
	assert_int_equal(m.topology.cpus[2].l2, 2);
	assert_int_equal(m.topology.cpus[3].llc, 3);
	assert_int_equal(m.topology.cpus[3].l2, 3);
	assert_int_equal(m.topology.cpus[4].llc, SDPOWER_ID_NONE);
	assert_int_equal(m.topology.cpus[4].l2, SDPOWER_ID_NONE);
	assert_int_equal(m.topology.overlapping, 0);
	machine_free(&m);
	put_cache(2, 3, "3", "Unified", "2-3");
	m = load();
	assert_int_equal(m.topology.overlapping, SDPOWER_OVERLAP_LLC);
	machine_free(&m);
}

static void nodes_have_cpus_and_distances(void **state)
{
	struct machine m;

	(void)state;
	start("0-7");
	put(&files, "0,3,64", NODE "online");
	put(&files, "0-3", NODE "node0/cpulist");
	put(&files, "fc", NODE "node3/cpumap"); /* 2-7: 2 and 3 stay in node 0 */
	put(&files, "", NODE "node64/cpulist");
	put(&files, "10 16  22", NODE "node0/distance");
	put(&files, "17 10 22", NODE "node3/distance");
	m = load();
	assert_int_equal(m.topology.node_count, 3);
	assert_int_equal(m.topology.nodes[2], 64);
	assert_int_equal(m.topology.cpus[3].node, 0);
	assert_int_equal(m.topology.cpus[4].node, 3);
	assert_int_equal(m.topology.distances[3], 17);
	assert_int_equal(m.topology.distances[6], 20);
	assert_int_equal(m.topology.distances[8], 10);
	machine_free(&m);
}

static void cpus_without_a_node_go_to_the_lowest(void **state)
{
	struct machine m;

	(void)state;
	start("0-3");
	put(&files, "2-3", NODE "node5/cpulist");
	put(&files, "", NODE "node2/cpulist");
	m = load();
	assert_int_equal(m.topology.node_count, 2);
	assert_int_equal(m.topology.cpus[0].node, 2);
	assert_int_equal(m.topology.cpus[3].node, 5);
	assert_null(m.topology.distances);
	machine_free(&m);
}

static void wrong_nodes_are_refused(void **state)
{
	static const struct {
		const char *path, *content;
		sdpower_status status;
	} wrong[] = {
		{ NODE "online", "0-", SDPOWER_EPARSE },
		{ NODE "online", "x", SDPOWER_EPARSE },
		{ NODE "online", "0-99999", SDPOWER_ERANGE },
		{ NODE "online", "0-4096", SDPOWER_ERANGE },
		{ NODE "node0/cpulist", "3-1", SDPOWER_EPARSE },
		{ NODE "node0/distance", "10", SDPOWER_EPARSE },
		{ NODE "node0/distance", "10 20 20", SDPOWER_EPARSE },
		{ NODE "node0/distance", "10 far", SDPOWER_EPARSE },
		{ NODE "node0/distance", "10 65536", SDPOWER_ERANGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct machine m;
		sdpower_status status;

		start("0-1");
		put(&files, "0-1", NODE "online");
		put(&files, "0", NODE "node0/cpulist");
		put(&files, "1", NODE "node1/cpulist");
		put(&files, wrong[i].content, "%s", wrong[i].path);
		status = machine_files(&m, &files, 0);
		if (status != wrong[i].status || !strstr(m.diag.text, wrong[i].path))
			fail_msg("%s \"%s\": %d \"%s\"", wrong[i].path, wrong[i].content, status, m.diag.text);
		machine_free(&m);
	}
}

static void wrong_arguments_are_refused(void **state)
{
	struct sdpower_linux_source source;
	struct machine m;

	(void)state;
	start("0-3");
	source = files_source(&files, 8);
	assert_int_equal(machine_source(&m, &source), SDPOWER_EINVAL);
	source = files_source(&files, 0);
	source.arch = 99;
	assert_int_equal(machine_source(&m, &source), SDPOWER_EINVAL);
	source = files_source(&files, 0);
	source.read = NULL;
	assert_int_equal(machine_source(&m, &source), SDPOWER_EINVAL);
	assert_int_equal(machine_source(&m, NULL), SDPOWER_EINVAL);
	source = files_source(&files, 0);
	assert_int_equal(sdpower_topology_linux(&source, NULL, 0, NULL, NULL), SDPOWER_EINVAL);
}

static void failures_of_the_reader_are_passed_on(void **state)
{
	static const char *const paths[] = {
		"meta/arch", CPU "possible", CPU "cpu0/topology/thread_siblings_list", NODE "online",
		"proc/self/mountinfo", "proc/self/status", CPU "cpu0/cache/index9/level",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct machine m;
		sdpower_status status;

		start("0-3");
		files.broken = paths[i];
		status = machine_files(&m, &files, 0);
		if (status != SDPOWER_EIO || !strstr(m.diag.text, paths[i]))
			fail_msg("%s: %d \"%s\"", paths[i], status, m.diag.text);
		machine_free(&m);
	}
}

static void nothing_at_all_is_no_machine(void **state)
{
	struct machine m;

	(void)state;
	memset(&files, 0, sizeof(files));
	assert_int_equal(machine_files(&m, &files, 0), SDPOWER_EMPTY);
	put(&files, "", CPU "possible");
	put(&files, "", CPU "online");
	assert_int_equal(machine_files(&m, &files, 0), SDPOWER_EMPTY);
	machine_free(&m);
}

/* Two or three files a cpu, not one per cpu and attribute. */
static void files_are_read_by_group(void **state)
{
	struct machine m;

	(void)state;
	start("0-31");
	for (unsigned cpu = 0; cpu < 32; cpu++) {
		put(&files, "0-15", CPU "cpu%u/topology/thread_siblings_list", cpu);
		put(&files, "0", CPU "cpu%u/topology/physical_package_id", cpu);
		put(&files, "0-31", CPU "cpu%u/topology/core_siblings_list", cpu);
		put_cache(cpu, 2, "2", "Unified", "0-31");
	}
	for (unsigned cpu = 16; cpu < 32; cpu++)
		put(&files, "16-31", CPU "cpu%u/topology/thread_siblings_list", cpu);
	m = load();
	machine_free(&m);
	files.reads = 0;
	assert_int_equal(machine_files(&m, &files, 0), SDPOWER_OK);
	assert_in_range(files.reads, 1, 100 + 2 * 64 * 2); /* 64 node ids are looked for, twice */
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_lists_directories_are_looked_for),
		cmocka_unit_test(without_an_online_list_states_are_asked),
		cmocka_unit_test(ids_may_have_holes),
		cmocka_unit_test(the_last_level_is_the_highest_that_holds_data),
		cmocka_unit_test(cpus_may_differ_in_caches),
		cmocka_unit_test(nodes_have_cpus_and_distances),
		cmocka_unit_test(cpus_without_a_node_go_to_the_lowest),
		cmocka_unit_test(wrong_nodes_are_refused),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(failures_of_the_reader_are_passed_on),
		cmocka_unit_test(nothing_at_all_is_no_machine),
		cmocka_unit_test(files_are_read_by_group),
	};

	return cmocka_run_group_tests_name("linux_parts", tests, NULL, NULL);
}
