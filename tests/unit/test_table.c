/* SPDX-License-Identifier: MIT */
/* Description: tables are checked with a reason, and their parts counted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <topology_help.h>
#include <cmocka.h>

#define CPUS 6u

/* Two packages of three cpus; the first two of each share a core. */
struct table {
	struct sdpower_topology topology;
	struct sdpower_diag diag;
	struct sdpower_cpu_desc cpus[CPUS];
	uint32_t nodes[2];
	uint32_t allowed[1];
};

static void make(struct table *t)
{
	memset(t, 0, sizeof(*t));
	t->diag.struct_size = sizeof(t->diag);
	for (uint32_t i = 0; i < CPUS; i++) {
		t->cpus[i].os_id = 2u * i;
		t->cpus[i].package = i / 3u * 7000u;
		t->cpus[i].core = i % 3u / 2u;
		t->cpus[i].llc = i < 3u ? 5u : SDPOWER_ID_NONE;
		t->cpus[i].node = i / 3u ? 9u : 4u;
	}
	t->nodes[0] = 4;
	t->nodes[1] = 9;
	t->topology.struct_size = sizeof(t->topology);
	t->topology.arch = SDPOWER_ARCH_ARM64;
	t->topology.cpu_count = CPUS;
	t->topology.cpu_stride = sizeof(t->cpus[0]);
	t->topology.cpus = t->cpus;
	t->topology.node_count = 2;
	t->topology.nodes = t->nodes;
}

static void expect(const struct table *t, sdpower_status status)
{
	struct sdpower_diag diag = t->diag;

	assert_int_equal(sdpower_topology_check(&t->topology, &diag), status);
	assert_int_equal(diag.status, status);
	assert_int_equal(diag.text[0] == '\0', status == SDPOWER_OK);
}

static void a_right_table_passes(void **state)
{
	struct table t;

	(void)state;
	make(&t);
	expect(&t, SDPOWER_OK);
	t.topology.node_count = 0;
	t.topology.nodes = NULL;
	expect(&t, SDPOWER_OK);
	assert_int_equal(sdpower_topology_check(&t.topology, NULL), SDPOWER_OK);
}

#define EXPECT_AFTER(change, status) do { \
	make(&t); \
	change; \
	expect(&t, status); \
} while (0)

static void wrong_tables_are_refused(void **state)
{
	struct table t;

	(void)state;
	assert_int_equal(sdpower_topology_check(NULL, NULL), SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.struct_size = 8, SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.cpus = NULL, SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.cpu_stride = 52, SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.cpu_stride = 57, SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.arch = 99, SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.nodes = NULL, SDPOWER_EINVAL);
	EXPECT_AFTER(t.topology.cpu_count = SDPOWER_MAX_CPUS + 1u, SDPOWER_ERANGE);
	EXPECT_AFTER(t.topology.cpu_count = 0, SDPOWER_EMPTY);
	EXPECT_AFTER(t.cpus[3].os_id = 4, SDPOWER_EINVAL);
	EXPECT_AFTER(t.cpus[3].flags = 64, SDPOWER_EINVAL);
	EXPECT_AFTER(t.cpus[3].capacity = 1025, SDPOWER_ERANGE);
	EXPECT_AFTER(t.cpus[3].node = 5, SDPOWER_ERANGE);
	EXPECT_AFTER(t.nodes[1] = 4, SDPOWER_EINVAL);
	EXPECT_AFTER((t.topology.allowed = t.allowed, t.topology.allowed_words = 1), SDPOWER_EMPTY);
}

static void offline_cpus_need_no_node(void **state)
{
	struct table t;

	(void)state;
	EXPECT_AFTER((t.cpus[3].node = SDPOWER_ID_NONE, t.cpus[3].flags = SDPOWER_CPU_OFFLINE), SDPOWER_OK);
}

static struct sdpower_topology_summary summary(const struct table *t)
{
	struct sdpower_topology_summary s;

	memset(&s, 0, sizeof(s));
	s.struct_size = sizeof(s);
	assert_int_equal(sdpower_topology_summarise(&t->topology, &s), SDPOWER_OK);
	return s;
}

static void parts_are_counted(void **state)
{
	struct sdpower_topology_summary s;
	struct table t;

	(void)state;
	make(&t);
	s = summary(&t);
	assert_int_equal(s.usable_cpus, 6);
	assert_int_equal(s.cores, 4);
	assert_int_equal(s.packages, 2);
	assert_int_equal(s.threads_per_core_max, 2);
	assert_int_equal(s.llc_groups, 4); /* the cache of package 0, and three cpus that share none */
	assert_int_equal(s.nodes, 2);
	for (uint32_t i = 0; i < CPUS; i++)
		t.cpus[i].llc = SDPOWER_ID_NONE;
	assert_int_equal(summary(&t).llc_groups, 2);
}

static void only_usable_cpus_count(void **state)
{
	struct sdpower_topology_summary s;
	struct table t;

	(void)state;
	make(&t);
	t.cpus[0].flags = SDPOWER_CPU_OFFLINE;
	t.allowed[0] = 0x07;
	t.topology.allowed = t.allowed;
	t.topology.allowed_words = 1;
	t.topology.quota_milli = 1500;
	s = summary(&t);
	assert_int_equal(s.usable_cpus, 2);
	assert_int_equal(s.cores, 2);
	assert_int_equal(s.packages, 1);
	assert_int_equal(s.threads_per_core_max, 1);
	assert_int_equal(s.llc_groups, 1);
	assert_int_equal(s.nodes, 1);
	assert_int_equal(s.quota_milli, 1500);
}

static void unknown_cores_are_cores_of_their_own(void **state)
{
	struct sdpower_topology_summary s;
	struct table t;

	(void)state;
	make(&t);
	for (uint32_t i = 0; i < CPUS; i++)
		t.cpus[i].core = t.cpus[i].package = SDPOWER_ID_NONE;
	s = summary(&t);
	assert_int_equal(s.cores, 6);
	assert_int_equal(s.packages, 1);
	assert_int_equal(s.threads_per_core_max, 1);
}

static void ids_at_the_end_of_the_range_count(void **state)
{
	struct table t;

	(void)state;
	make(&t);
	t.cpus[0].core = t.cpus[1].core = SDPOWER_ID_NONE - 1u;
	t.cpus[2].core = SDPOWER_ID_NONE - 2u;
	assert_int_equal(summary(&t).cores, 4);
}

static void summaries_refuse_wrong_arguments(void **state)
{
	struct sdpower_topology_summary s;
	struct table t;

	(void)state;
	make(&t);
	memset(&s, 0, sizeof(s));
	assert_int_equal(sdpower_topology_summarise(&t.topology, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_summarise(&t.topology, &s), SDPOWER_EINVAL);
	s.struct_size = sizeof(s);
	assert_int_equal(sdpower_topology_summarise(NULL, &s), SDPOWER_EINVAL);
	t.topology.cpu_count = 0;
	assert_int_equal(sdpower_topology_summarise(&t.topology, &s), SDPOWER_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_table_passes),
		cmocka_unit_test(wrong_tables_are_refused),
		cmocka_unit_test(offline_cpus_need_no_node),
		cmocka_unit_test(parts_are_counted),
		cmocka_unit_test(only_usable_cpus_count),
		cmocka_unit_test(unknown_cores_are_cores_of_their_own),
		cmocka_unit_test(ids_at_the_end_of_the_range_count),
		cmocka_unit_test(summaries_refuse_wrong_arguments),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
