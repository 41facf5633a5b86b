/* SPDX-License-Identifier: MIT */
/* Description: packed texts are read in any order of lines, and broken ones refused by line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <topology_help.h>
#include <cmocka.h>

#define CPU "sys/devices/system/cpu/"

static void text_is_read(void **state)
{
	static const char text[] =
		"# a comment\n"
		"\n"
		CPU "online\t0-1\\n\n"
		CPU "cpu1/topology/physical_package_id\t7\n"
		CPU "cpu0/topology/thread_siblings_list\t0-1\n"
		CPU "cpu1/topology/thread_siblings_list\t0-1\n"
		CPU "cpu0/topology/physical_package_id\t7\n"
		"meta/arch\taarch64";
	struct machine m;

	(void)state;
	assert_int_equal(machine_text(&m, text, sizeof(text) - 1), SDPOWER_OK);
	assert_int_equal(m.topology.cpu_count, 2);
	assert_int_equal(m.topology.arch, SDPOWER_ARCH_ARM64);
	assert_int_equal(m.topology.cpus[1].package, 7);
	assert_int_equal(machine_summary(&m).cores, 1);
	assert_int_equal(m.topology.cpus[1].smt, 1);
	machine_free(&m);
}

static void paths_end_at_the_first_tab(void **state)
{
	static const char text[] =
		CPU "online\t0-3\n"
		"proc/self/status\tName:\tx\\nCpus_allowed_list:\t1-2\\n\n";
	struct machine m;

	(void)state;
	assert_int_equal(machine_text(&m, text, sizeof(text) - 1), SDPOWER_OK);
	assert_int_equal(machine_summary(&m).usable_cpus, 2);
	machine_free(&m);
}

static const struct {
	const char *text;
	sdpower_status status;
	uint32_t line;
} broken[] = {
	{ "", SDPOWER_EMPTY, 0 },
	{ "# nothing\n", SDPOWER_EMPTY, 0 },
	{ "no tab here\n", SDPOWER_EPARSE, 1 },
	{ CPU "online\t0\nno tab here", SDPOWER_EPARSE, 2 },
	{ CPU "online\t0\n\tno path\n", SDPOWER_EPARSE, 2 },
	{ "# x\n" CPU "online\t0\\x\n", SDPOWER_EPARSE, 2 },
	{ CPU "online\t0\\", SDPOWER_EPARSE, 1 },
	{ "# x\n\n" CPU "online\t0-\n", SDPOWER_EPARSE, 3 },
	{ CPU "online\t70000\n", SDPOWER_ERANGE, 1 },
	{ CPU "online\t0\n" CPU "cpu0/topology/core_id\tabc\n", SDPOWER_EPARSE, 2 },
	{ "sdpower/version\t2\n", SDPOWER_ENOSYS, 0 },
	{ "sdpower/version\tx\n", SDPOWER_EPARSE, 1 },
	{ "sdpower/version\t1 1\n", SDPOWER_EPARSE, 1 },
	{ "sdpower/version\t1\n", SDPOWER_EMPTY, 0 },
	{ "sdpower/version\t1\nsdpower/os_id\t0+99999999\n", SDPOWER_EPARSE, 2 },
	{ "sdpower/version\t1\nsdpower/os_id\t5+\n", SDPOWER_EPARSE, 2 },
	{ "sdpower/version\t1\nsdpower/os_id\t5+0\n", SDPOWER_EPARSE, 2 },
	{ "sdpower/version\t1\nsdpower/os_id\t4294967290+9\n", SDPOWER_EPARSE, 2 },
	{ "sdpower/version\t1\nsdpower/os_id\t0+2\nsdpower/core\t1\n", SDPOWER_EPARSE, 3 },
	{ "sdpower/version\t1\nsdpower/os_id\t0+2\nsdpower/core\t1*3\n", SDPOWER_EPARSE, 3 },
	{ "sdpower/version\t1\nsdpower/os_id\t0+2\nsdpower/core\t1;2\n", SDPOWER_EPARSE, 3 },
	{ "sdpower/version\t1\nsdpower/os_id\t1 0\n", SDPOWER_EINVAL, 0 },
	{ "sdpower/version\t1\nsdpower/os_id\t0\nsdpower/arch\tz80\n", SDPOWER_EPARSE, 3 },
	{ "sdpower/version\t1\nsdpower/os_id\t0\nsdpower/nodes\t0 1\nsdpower/distances\t10\n",
		SDPOWER_EPARSE, 4 },
	{ "sdpower/version\t1\nsdpower/os_id\t0\nsdpower/nodes\t0+4097\nsdpower/distances\t10\n",
		SDPOWER_ERANGE, 0 },
	{ "sdpower/version\t1\nsdpower/os_id\t0\nsdpower/nodes\t0\nsdpower/distances\t70000\n",
		SDPOWER_EPARSE, 4 },
};

static void broken_texts_are_refused_by_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct machine m;
		const sdpower_status status = machine_text(&m, broken[i].text, strlen(broken[i].text));

		if (status != broken[i].status || !m.diag.text[0] || m.diag.line != broken[i].line)
			fail_msg("case %zu: status %d, line %u, \"%s\"", i, status, m.diag.line, m.diag.text);
		machine_free(&m);
	}
}

static void wrong_arguments_are_refused(void **state)
{
	struct machine m = machine_new();

	(void)state;
	assert_int_equal(sdpower_topology_text(NULL, 5, NULL, 0, &m.topology, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_text("", 0, NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	m.topology.struct_size = 1;
	assert_int_equal(sdpower_topology_text("", 0, NULL, 0, &m.topology, NULL), SDPOWER_EINVAL);
}

/* Every part of both tables, pointers followed. */
static void assert_same(const struct sdpower_topology *a, const struct sdpower_topology *b)
{
	assert_int_equal(a->arch, b->arch);
	assert_int_equal(a->cpu_count, b->cpu_count);
	assert_int_equal(a->node_count, b->node_count);
	assert_int_equal(a->allowed_words, b->allowed_words);
	assert_int_equal(a->overlapping, b->overlapping);
	assert_int_equal(a->quota_milli, b->quota_milli);
	assert_int_equal(!a->distances, !b->distances);
	assert_int_equal(!a->name, !b->name);
	assert_memory_equal(a->cpus, b->cpus, sizeof(a->cpus[0]) * a->cpu_count);
	if (a->node_count)
		assert_memory_equal(a->nodes, b->nodes, sizeof(a->nodes[0]) * a->node_count);
	if (a->distances)
		assert_memory_equal(a->distances, b->distances,
			sizeof(a->distances[0]) * a->node_count * a->node_count);
	if (a->allowed_words)
		assert_memory_equal(a->allowed, b->allowed, sizeof(a->allowed[0]) * a->allowed_words);
	if (a->name)
		assert_string_equal(a->name, b->name);
}

static void assert_survives_saving(const struct machine *m)
{
	struct machine again;
	struct sdpower_diag diag = m->diag;
	size_t length = 0, asked = 0;
	char *text;

	assert_int_equal(sdpower_topology_write(&m->topology, NULL, 0, &asked, &diag), SDPOWER_ENOSPC);
	text = malloc(asked);
	assert_int_equal(sdpower_topology_write(&m->topology, text, asked, &length, &diag), SDPOWER_OK);
	assert_int_equal(length, asked);
	if (machine_text(&again, text, length) != SDPOWER_OK)
		fail_msg("%s in\n%.*s", again.diag.text, (int)length, text);
	assert_same(&m->topology, &again.topology);
	machine_free(&again);
	free(text);
}

static void saved_tables_come_back_equal(void **state)
{
	static const char *const strings[] = {
		"core:1", "numa:2 pack:1 l3:1 core:4 pu:2 indexes=numa:core dist=10,21",
		"core:4 cap=100,1024 indexes=4294967294,4294967293,4294967292,0 arch=s390x",
		"pack:2 die:2 l2:2 core:2 pu:2 arch=i386",
	};
	struct machine m;

	(void)state;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		assert_int_equal(machine_synthetic(&m, strings[i]), SDPOWER_OK);
		m.topology.name = "a name";
		m.topology.quota_milli = 1500;
		m.topology.overlapping = SDPOWER_OVERLAP_L2;
		assert_survives_saving(&m);
		machine_free(&m);
	}
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Values near both ends of the range, and runs of all kinds. */
static uint32_t random_id(uint64_t *seed, uint32_t last)
{
	switch (next_random(seed) % 6u) {
	case 0: return last;
	case 1: return last + 1u;
	case 2: return SDPOWER_ID_NONE;
	case 3: return SDPOWER_ID_NONE - next_random(seed) % 3u;
	default: return next_random(seed) % 5u;
	}
}

static void random_tables_come_back_equal(void **state)
{
	uint64_t seed = 20261130;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	for (int round = 0; round < 2000; round++) {
		const uint64_t start = seed;
		struct sdpower_cpu_desc cpus[40];
		uint32_t allowed[2] = { 1, next_random(&seed) };
		struct machine m = machine_new();

		memset(cpus, 0, sizeof(cpus));
		m.topology.cpus = cpus;
		m.topology.cpu_stride = sizeof(cpus[0]);
		m.topology.cpu_count = 1u + next_random(&seed) % 40u;
		for (uint32_t i = 0; i < m.topology.cpu_count; i++) {
			const uint32_t before = i ? cpus[i - 1].core : 0;

			cpus[i].os_id = 3u * i + next_random(&seed) % 3u;
			cpus[i].core = random_id(&seed, before);
			cpus[i].llc = random_id(&seed, i ? cpus[i - 1].llc : 0);
			cpus[i].package = random_id(&seed, i ? cpus[i - 1].package : 0);
			cpus[i].drawer = random_id(&seed, i ? cpus[i - 1].drawer : 0);
			cpus[i].capacity = next_random(&seed) % 1025u;
			cpus[i].flags = i ? next_random(&seed) % 4u : 0;
		}
		if (round % 2) {
			m.topology.allowed = allowed;
			m.topology.allowed_words = 2;
		}
		if (sdpower_topology_check(&m.topology, &m.diag) != SDPOWER_OK)
			fail_msg("seed %llu: %s", (unsigned long long)start, m.diag.text);
		assert_survives_saving(&m);
	}
}

static void tables_that_do_not_pass_are_not_saved(void **state)
{
	struct machine m;
	size_t length = 0;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "core:4"), SDPOWER_OK);
	assert_int_equal(sdpower_topology_write(&m.topology, NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	m.topology.cpu_count = 0;
	assert_int_equal(sdpower_topology_write(&m.topology, NULL, 0, &length, NULL), SDPOWER_EMPTY);
	assert_int_equal(sdpower_topology_write(NULL, NULL, 0, &length, NULL), SDPOWER_EINVAL);
	machine_free(&m);
}

/* Readers skip what a newer writer adds without changing what was there. */
static void unknown_columns_are_skipped(void **state)
{
	static const char text[] = "sdpower/version\t1\nsdpower/new\t1 2 x\nsdpower/os_id\t0+2\n";
	struct machine m;

	(void)state;
	assert_int_equal(machine_text(&m, text, sizeof(text) - 1), SDPOWER_OK);
	assert_int_equal(m.topology.cpu_count, 2);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_read),
		cmocka_unit_test(paths_end_at_the_first_tab),
		cmocka_unit_test(broken_texts_are_refused_by_line),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(saved_tables_come_back_equal),
		cmocka_unit_test(random_tables_come_back_equal),
		cmocka_unit_test(tables_that_do_not_pass_are_not_saved),
		cmocka_unit_test(unknown_columns_are_skipped),
	};

	return cmocka_run_group_tests_name("topo_text", tests, NULL, NULL);
}
