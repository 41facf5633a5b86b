/* SPDX-License-Identifier: MIT */
/* Description: cores, packages and the levels between, also where files contradict each other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <linux_help.h>
#include <cmocka.h>

static struct files files;

/* cpus 0 .. n-1, online, without a topology. */
static void start(unsigned n)
{
	char list[16];

	memset(&files, 0, sizeof(files));
	snprintf(list, sizeof(list), "0-%u", n - 1u);
	put(&files, list, CPU "possible");
	put(&files, list, CPU "online");
}

static void put_id(unsigned cpu, const char *file, int id)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", id);
	put(&files, text, CPU "cpu%u/topology/%s", cpu, file);
}

static void put_set(unsigned cpu, const char *file, const char *set)
{
	put(&files, set, CPU "cpu%u/topology/%s", cpu, file);
}

/* Loads group by group and file by file; unless told otherwise both must agree. */
static struct machine load(void)
{
	struct machine m, all;

	if (machine_files(&m, &files, 0) != SDPOWER_OK)
		fail_msg("%s", m.diag.text);
	if (machine_files(&all, &files, SDPOWER_LINUX_EVERY_FILE) != SDPOWER_OK)
		fail_msg("%s", all.diag.text);
	assert_memory_equal(m.topology.cpus, all.topology.cpus, sizeof(m.topology.cpus[0]) * m.topology.cpu_count);
	machine_free(&all);
	return m;
}

static void expect_parts(unsigned cores, unsigned packages, unsigned threads)
{
	struct machine m = load();
	const struct sdpower_topology_summary s = machine_summary(&m);

	if (s.cores != cores || s.packages != packages || s.threads_per_core_max != threads)
		fail_msg("%u cores, %u packages, %u threads", s.cores, s.packages, s.threads_per_core_max);
	machine_free(&m);
}

static void siblings_beat_core_ids(void **state)
{
	(void)state;
	start(4); /* one core_id for all, in one package: only the siblings tell */
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_id(cpu, "physical_package_id", 0);
		put_id(cpu, "core_id", 0);
		put_set(cpu, "thread_siblings_list", cpu < 2 ? "0-1" : "2-3");
	}
	expect_parts(2, 1, 2);
}

static void core_ids_count_within_packages(void **state)
{
	(void)state;
	start(4); /* no siblings: core 0 of both packages are two cores */
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_id(cpu, "physical_package_id", (int)cpu / 2);
		put_id(cpu, "core_id", 0);
	}
	expect_parts(2, 2, 2);
}

static void core_ids_alone_group_when_nothing_else_does(void **state)
{
	struct machine m;

	(void)state;
	start(4);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		put_id(cpu, "core_id", (int)cpu % 2);
	expect_parts(2, 1, 2);
	m = load();
	assert_int_equal(m.topology.cpus[1].smt, 0);
	assert_int_equal(m.topology.cpus[2].smt, 1);
	machine_free(&m);
}

static void siblings_are_worthless_where_core_id_is_unknown(void **state)
{
	(void)state;
	start(4);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_id(cpu, "physical_package_id", 0);
		put_id(cpu, "core_id", -1);
		put_set(cpu, "thread_siblings_list", "0-3");
	}
	expect_parts(4, 1, 1);
}

static void package_ids_beat_their_siblings(void **state)
{
	(void)state;
	start(4); /* the list says one, the ids say two */
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_id(cpu, "physical_package_id", cpu < 2 ? 5 : 9);
		put_set(cpu, "core_siblings_list", "0-3");
		put_set(cpu, "thread_siblings_list", cpu < 2 ? "0-1" : "2-3");
	}
	expect_parts(2, 2, 2);
	for (unsigned cpu = 0; cpu < 4; cpu++) { /* and the other way round */
		put_id(cpu, "physical_package_id", 5);
		put_set(cpu, "core_siblings_list", cpu < 2 ? "0-1" : "2-3");
	}
	expect_parts(2, 1, 2);
}

static void package_siblings_are_left_where_the_id_is_unknown(void **state)
{
	(void)state;
	start(4);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		put_id(cpu, "physical_package_id", -1);
		put_set(cpu, "core_siblings_list", cpu < 3 ? "0-2" : "3");
	}
	expect_parts(4, 2, 1);
	put_id(0, "physical_package_id", 0); /* its id must not meet the names of the others */
	expect_parts(4, 3, 1);
}

static void without_any_word_there_is_one_package(void **state)
{
	(void)state;
	start(3);
	expect_parts(3, 1, 1);
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		char self[8];

		snprintf(self, sizeof(self), "%u", cpu);
		put_id(cpu, "physical_package_id", -1);
		put_set(cpu, "core_siblings_list", self);
	}
	expect_parts(3, 1, 1);
}

static void both_generations_of_names_and_sets_are_read(void **state)
{
	static const char *const names[][3] = {
		{ "thread_siblings_list", "0-1", "2-3" }, { "thread_siblings", "3", "c" },
		{ "core_cpus_list", "0-1", "2-3" }, { "core_cpus", "00000000,00000003", "0000000c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		start(4);
		for (unsigned cpu = 0; cpu < 4; cpu++)
			put_set(cpu, names[i][0], names[i][1 + cpu / 2]);
		expect_parts(2, 1, 2);
	}
}

static void sets_are_cut_to_the_cpus_that_run(void **state)
{
	struct machine m;

	(void)state;
	start(4);
	put(&files, "0,2-3", CPU "online");
	put_set(0, "thread_siblings_list", "0-1");
	put_set(2, "thread_siblings_list", "2-3");
	put_set(3, "thread_siblings_list", "2-3");
	expect_parts(2, 1, 2);
	m = load();
	assert_int_equal(m.topology.cpu_count, 4);
	assert_int_equal(m.topology.cpus[1].flags, SDPOWER_CPU_OFFLINE);
	assert_int_equal(m.topology.cpus[1].core, SDPOWER_ID_NONE);
	assert_int_equal(m.topology.overlapping, 0);
	machine_free(&m);
}

static void clusters_dies_books_and_drawers_are_told_apart(void **state)
{
	struct machine m;

	(void)state;
	start(8);
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		static const char *const pairs[] = { "0-1", "2-3", "4-5", "6-7" };

		put_set(cpu, "cluster_cpus_list", pairs[cpu / 2]);
		put_set(cpu, "die_cpus_list", cpu < 4 ? "0-3" : "4-7");
		put_set(cpu, "book_siblings", cpu < 4 ? "f" : "f0");
		put_set(cpu, "drawer_siblings_list", "0-7");
	}
	m = load();
	assert_int_equal(m.topology.cpus[3].cluster, 2);
	assert_int_equal(m.topology.cpus[3].die, 0);
	assert_int_equal(m.topology.cpus[7].die, 4);
	assert_int_equal(m.topology.cpus[7].book, 4);
	assert_int_equal(m.topology.cpus[7].drawer, 0);
	machine_free(&m);
	for (unsigned cpu = 0; cpu < 8; cpu++)
		put_id(cpu, "cluster_id", cpu < 4 ? 65535 : -1);
	m = load();
	for (unsigned cpu = 0; cpu < 8; cpu++)
		assert_int_equal(m.topology.cpus[cpu].cluster, SDPOWER_ID_NONE);
	machine_free(&m);
}

static void capacity_and_priority_are_told_apart(void **state)
{
	struct machine m;

	(void)state;
	start(3);
	for (unsigned cpu = 0; cpu < 3; cpu++)
		put(&files, cpu ? "200" : "160", CPU "cpu%u/acpi_cppc/highest_perf", cpu);
	m = load();
	assert_int_equal(m.topology.cpus[0].capacity, 1024);
	assert_int_equal(m.topology.cpus[0].priority, 160);
	assert_int_equal(m.topology.cpus[2].priority, 200);
	machine_free(&m);
	put(&files, "446", CPU "cpu0/cpu_capacity");
	put(&files, "1024", CPU "cpu2/cpu_capacity");
	m = load();
	assert_int_equal(m.topology.cpus[0].capacity, 446);
	assert_int_equal(m.topology.cpus[1].capacity, 1024);
	machine_free(&m);
}

/* What each pair of sets must give, read in groups and read in full. */
static void expect_overlap(const char *second, unsigned cpu, int in_groups)
{
	struct machine m;

	start(4);
	for (unsigned i = 0; i < 4; i++)
		put_set(i, "thread_siblings_list", i < 2 ? "0-1" : "2-3");
	put_set(cpu, "thread_siblings_list", second);
	assert_int_equal(machine_files(&m, &files, SDPOWER_LINUX_EVERY_FILE), SDPOWER_OK);
	if (m.topology.overlapping != SDPOWER_OVERLAP_CORE || !strstr(m.diag.text, "overlap") ||
			!strstr(m.diag.text, "cpu0/topology/thread_siblings_list: cpus 0-1"))
		fail_msg("cpu %u says %s: %u \"%s\"", cpu, second, m.topology.overlapping, m.diag.text);
	machine_free(&m);
	assert_int_equal(machine_files(&m, &files, 0), SDPOWER_OK);
	if (!m.topology.overlapping != !in_groups)
		fail_msg("cpu %u says %s: %u in groups", cpu, second, m.topology.overlapping);
	machine_free(&m);
}

static void partial_overlap_is_noted_with_both_sets(void **state)
{
	(void)state;
	expect_overlap("1-2", 1, 1);
	expect_overlap("1", 1, 1);
	expect_overlap("1-3", 2, 1);
}

static void wrong_numbers_and_sets_are_refused_by_file(void **state)
{
	static const struct {
		const char *path, *content;
		sdpower_status status;
	} wrong[] = {
		{ CPU "cpu0/topology/core_id", "abc", SDPOWER_EPARSE },
		{ CPU "cpu0/topology/core_id", "-2", SDPOWER_EPARSE },
		{ CPU "cpu0/topology/core_id", "1 2", SDPOWER_EPARSE },
		{ CPU "cpu0/topology/physical_package_id", "99999999999", SDPOWER_ERANGE },
		{ CPU "cpu0/topology/thread_siblings_list", "0-", SDPOWER_EPARSE },
		{ CPU "cpu0/topology/thread_siblings_list", "1-0", SDPOWER_EPARSE },
		{ CPU "cpu0/topology/thread_siblings_list", "0-70000", SDPOWER_ERANGE },
		{ CPU "cpu0/topology/cluster_cpus", "zz", SDPOWER_EPARSE },
		{ CPU "cpu0/topology/cluster_cpus", "111111111", SDPOWER_EPARSE },
		{ CPU "cpu0/cpu_capacity", "1025", SDPOWER_ERANGE },
		{ CPU "cpu0/cpu_capacity", "much", SDPOWER_EPARSE },
		{ CPU "online", "0-1,", SDPOWER_EPARSE },
		{ CPU "possible", "0-65536", SDPOWER_ERANGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct machine m;
		sdpower_status status;

		start(2);
		put(&files, wrong[i].content, "%s", wrong[i].path);
		status = machine_files(&m, &files, 0);
		if (status != wrong[i].status || !strstr(m.diag.text, wrong[i].path))
			fail_msg("%s \"%s\": %d \"%s\"", wrong[i].path, wrong[i].content, status, m.diag.text);
		machine_free(&m);
	}
}

static void empty_files_say_nothing(void **state)
{
	(void)state;
	start(2);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		put_set(cpu, "thread_siblings_list", "");
		put_set(cpu, "core_siblings_list", "");
		put_set(cpu, "core_id", "");
		put_set(cpu, "physical_package_id", "");
		put(&files, "", CPU "cpu%u/cpu_capacity", cpu);
	}
	expect_parts(2, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siblings_beat_core_ids),
		cmocka_unit_test(core_ids_count_within_packages),
		cmocka_unit_test(core_ids_alone_group_when_nothing_else_does),
		cmocka_unit_test(siblings_are_worthless_where_core_id_is_unknown),
		cmocka_unit_test(package_ids_beat_their_siblings),
		cmocka_unit_test(package_siblings_are_left_where_the_id_is_unknown),
		cmocka_unit_test(without_any_word_there_is_one_package),
		cmocka_unit_test(both_generations_of_names_and_sets_are_read),
		cmocka_unit_test(sets_are_cut_to_the_cpus_that_run),
		cmocka_unit_test(clusters_dies_books_and_drawers_are_told_apart),
		cmocka_unit_test(capacity_and_priority_are_told_apart),
		cmocka_unit_test(partial_overlap_is_noted_with_both_sets),
		cmocka_unit_test(wrong_numbers_and_sets_are_refused_by_file),
		cmocka_unit_test(empty_files_say_nothing),
	};

	return cmocka_run_group_tests_name("linux_cpus", tests, NULL, NULL);
}
