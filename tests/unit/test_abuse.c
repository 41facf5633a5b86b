/* SPDX-License-Identifier: MIT */
/*
 * Description: calls nobody should make. Missing pointers, wrong sizes, numbers at and beyond
 * every limit, machines of one cpu and of as many as there can be: each is refused or answered
 * as the headers say.
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

static struct test_instance made(const char *machine)
{
	struct test_instance t;

	memset(&t, 0, sizeof(t));
	t.config.decisions = SDPOWER_DECIDE_CLASSIC;
	assert_int_equal(test_make(&t, machine), SDPOWER_OK);
	return t;
}

static void missing_pointers_are_refused(void **state)
{
	struct test_instance t = made("pack:2 core:2");
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	struct sdpower_domain d = { 1, 0 };
	struct sdpower_pick pick;
	uint32_t number;
	size_t size;
	sdpower *s;

	(void)state;
	assert_int_equal(sdpower_topology_check(NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_synthetic(NULL, NULL, 0, &machine, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_synthetic("2", NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_text(NULL, 1, NULL, 0, &machine, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_text("", 0, NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_linux(NULL, NULL, 0, &machine, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_write(NULL, NULL, 0, &size, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_write(&t.machine, NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_topology_summarise(&t.machine, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_memory_needed(NULL, &size, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_memory_needed(&t.config, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_init(NULL, 1u << 20, &t.config, &s), SDPOWER_EINVAL);
	assert_int_equal(sdpower_init(t.memory, 1u << 20, &t.config, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_init(t.memory, 1u << 20, NULL, &s), SDPOWER_EINVAL);
	assert_int_equal(sdpower_apply(NULL, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_apply(t.s, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_knobs(NULL, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_level(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_knobs(t.s, &number, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_knobs(NULL, &number, &number), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_allowed(t.s, NULL, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_partitions(t.s, 1, NULL, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_cpu_count(NULL), 0);
	assert_int_equal(sdpower_domain_at(NULL, 0, 0, &d), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_bottom(t.s, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_parent(t.s, d, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_child(NULL, d, &d), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_common(t.s, 0, 1, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_distance(NULL, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_describe(t.s, d, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_span(t.s, d, NULL, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_group(NULL, d, 0, NULL, NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_ilb(t.s, 0, NULL, 1, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_ilb(t.s, 0, NULL, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_preferred_wakeup_cpu(NULL), SDPOWER_CPU_NONE);
	test_drop(&t);
}

static void owners_calls_refuse_what_does_not_exist(void **state)
{
	static const sdpower_cpu none[] = { 4, 5, 65534, 65535, 65536, SDPOWER_CPU_NONE };
	struct test_instance t = made("pack:2 core:2");
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		assert_int_equal(sdpower_set_load(t.s, none[i], 1, 1), SDPOWER_ENOENT);
		assert_int_equal(sdpower_idle_enter(t.s, none[i], 1), SDPOWER_ENOENT);
		assert_int_equal(sdpower_idle_exit(t.s, none[i], 1), SDPOWER_ENOENT);
		assert_int_equal(sdpower_tick(t.s, none[i], 1), SDPOWER_ENOENT);
		assert_int_equal(sdpower_refresh(t.s, none[i]), SDPOWER_ENOENT);
		assert_int_equal(sdpower_claim(t.s, none[i]), SDPOWER_ENOENT);
		assert_int_equal(sdpower_unclaim(t.s, none[i]), SDPOWER_ENOENT);
		assert_int_equal(sdpower_set_outside(t.s, none[i], 0, 0), SDPOWER_ENOENT);
		assert_int_equal(sdpower_get_cpu(t.s, none[i], &c), SDPOWER_ENOENT);
		assert_int_equal(sdpower_set_cpu(t.s, none[i], &c), SDPOWER_ENOENT);
		assert_int_equal(sdpower_nominate(t.s, none[i]), SDPOWER_ENOENT);
	}
	assert_int_equal(sdpower_set_load(NULL, 0, 1, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_claim(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_refresh(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_cpu(t.s, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_outside(t.s, 0, 1025, 0), SDPOWER_ERANGE);
	assert_int_equal(sdpower_set_outside(t.s, 0, 0, 1025), SDPOWER_ERANGE);
	test_drop(&t);
}

static void claims_end_once(void **state)
{
	struct test_instance t = made("core:2");

	(void)state;
	assert_int_equal(sdpower_unclaim(t.s, 0), SDPOWER_EBUSY);
	assert_int_equal(sdpower_claim(t.s, 0), SDPOWER_OK);
	assert_int_equal(sdpower_claim(t.s, 0), SDPOWER_EBUSY);
	assert_int_equal(sdpower_unclaim(t.s, 0), SDPOWER_OK);
	assert_int_equal(sdpower_unclaim(t.s, 0), SDPOWER_EBUSY);
	assert_int_equal(sdpower_claim(t.s, 0), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(t.s, 0, 5), SDPOWER_OK);
	assert_int_equal(sdpower_unclaim(t.s, 0), SDPOWER_EBUSY);
	assert_int_equal(sdpower_claim(t.s, 0), SDPOWER_EBUSY);
	test_drop(&t);
}

static void time_may_run_backwards(void **state)
{
	struct test_instance t = made("core:2");
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	(void)state;
	assert_int_equal(sdpower_idle_exit(t.s, 0, 1000), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(t.s, 0, 1), SDPOWER_OK);
	assert_int_equal(sdpower_idle_enter(t.s, 0, UINT64_MAX), SDPOWER_OK);
	assert_int_equal(sdpower_tick(t.s, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(t.s, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_get_cpu(t.s, 0, &c), SDPOWER_OK);
	assert_int_equal(c.clamped, 1);
	assert_int_equal(c.activity, SDPOWER_CPU_RUNNING);
	assert_int_equal(sdpower_set_load(t.s, 0, UINT32_MAX, UINT32_MAX), SDPOWER_OK);
	assert_int_equal(sdpower_get_cpu(t.s, 0, &c), SDPOWER_OK);
	assert_int_equal(c.nr, SDPOWER_NR_MAX);
	assert_int_equal(c.load, SDPOWER_LOAD_MAX);
	test_drop(&t);
}

static void one_cpu_has_no_domain_but_answers(void **state)
{
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = SDPOWER_CPU_NONE,
		.prev = SDPOWER_CPU_NONE };
	struct test_instance t = made("1");
	struct sdpower_pick pick;
	struct sdpower_domain d;

	(void)state;
	assert_int_equal(sdpower_domain_bottom(t.s, 0, &d), SDPOWER_ENOENT);
	assert_int_equal(sdpower_domain_describe(t.s, (struct sdpower_domain){ 1, UINT32_MAX },
		&(struct sdpower_domain_info){ .struct_size = sizeof(struct sdpower_domain_info) }),
		SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_distance(t.s, 0, 0), 0);
	assert_int_equal(sdpower_select_cpu(t.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 0);
	test_drop(&t);
}

/* Cores of one thread, 64 in a package, dealt to the nodes in turn. */
static sdpower_status size_of(uint32_t cpus, uint32_t nodes, uint32_t tree, uint32_t partitions)
{
	struct sdpower_cpu_desc *table = calloc(cpus, sizeof(*table));
	uint32_t *ids = calloc(nodes + 1, sizeof(*ids));
	const struct sdpower_topology t = { .struct_size = sizeof(t), .cpu_count = cpus, .cpus = table,
		.cpu_stride = sizeof(*table), .node_count = nodes, .nodes = ids };
	const struct sdpower_config c = { .struct_size = sizeof(c), .topology = &t, .tree = tree,
		.max_partitions = partitions };
	sdpower_status status;
	size_t size = 0;

	for (uint32_t i = 0; i < nodes; i++)
		ids[i] = i;
	for (uint32_t i = 0; i < cpus; i++) {
		table[i].os_id = i;
		table[i].core = i;
		table[i].package = table[i].llc = i / 64;
		table[i].node = nodes ? i % nodes : 0;
	}
	status = sdpower_memory_needed(&c, &size, NULL);
	/* A line a cpu at least: not what is left of a wrapped product. */
	if (status == SDPOWER_OK)
		assert_true(size > (size_t)cpus * 64u);
	free(ids);
	free(table);
	return status;
}

static void sizes_at_the_limits_do_not_wrap(void **state)
{
	(void)state;
	assert_int_equal(size_of(SDPOWER_MAX_CPUS, 0, SDPOWER_TREE_CLASSIC, 1), SDPOWER_OK);
	assert_int_equal(size_of(SDPOWER_MAX_CPUS + 1, 0, SDPOWER_TREE_CLASSIC, 1), SDPOWER_ERANGE);
	assert_int_equal(size_of(1, 4096, SDPOWER_TREE_CLASSIC, 1), SDPOWER_OK);
	assert_int_equal(size_of(1, 4097, SDPOWER_TREE_CLASSIC, 1), SDPOWER_ERANGE);
	assert_int_equal(size_of(4096, 64, SDPOWER_TREE_CLASSIC, 4096), SDPOWER_OK);
	assert_int_equal(size_of(20000, 4096, SDPOWER_TREE_CLASSIC, 20000), SDPOWER_ERANGE);
	assert_int_equal(size_of(4096, 4096, SDPOWER_TREE_CLASSIC, 4097), SDPOWER_ERANGE);
}

static void more_nodes_than_cpus_are_a_machine(void **state)
{
	const struct sdpower_cpu_desc cpus[2] = { { .os_id = 0, .node = 3 },
		{ .os_id = 1, .node = 7, .core = 1, .package = 1, .llc = 1 } };
	const uint32_t nodes[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const struct sdpower_topology machine = { .struct_size = sizeof(machine), .cpu_count = 2,
		.cpus = cpus, .cpu_stride = sizeof(cpus[0]), .node_count = 8, .nodes = nodes };

	(void)state;
	for (uint32_t tree = SDPOWER_TREE_CLASSIC; tree <= SDPOWER_TREE_MODERN; tree++) {
		const struct sdpower_config c = { .struct_size = sizeof(c), .topology = &machine,
			.tree = tree };
		struct sdpower_domain d;
		uint32_t span = 0;
		size_t size, align;
		void *memory;
		sdpower *s;

		assert_int_equal(sdpower_memory_needed(&c, &size, &align), SDPOWER_OK);
		assert_int_equal(size % align, 0);
		memory = aligned_alloc(align, size);
		assert_int_equal(sdpower_init(memory, size, &c, &s), SDPOWER_OK);
		assert_int_equal(sdpower_check(s, NULL), SDPOWER_OK);
		assert_int_equal(sdpower_domain_bottom(s, 0, &d), SDPOWER_OK);
		assert_int_equal(sdpower_domain_span(s, d, &span, 1), SDPOWER_OK);
		assert_int_equal(span, 3);
		free(memory);
	}
}

static void generations_start_again(void **state)
{
	struct test_instance t = made("pack:2 core:2");
	struct sdpower_domain old, d;

	(void)state;
	t.s->forest.generation = UINT32_MAX;
	t.s->forest.trees[1].serial = UINT32_MAX;
	assert_int_equal(sdpower_domain_bottom(t.s, 0, &old), SDPOWER_OK);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(sdpower_set_knobs(t.s, i % 3, 0), SDPOWER_OK);
		assert_int_not_equal(t.s->forest.generation, 0);
		assert_int_equal(sdpower_domain_parent(t.s, old, &d), SDPOWER_ESTALE);
		assert_int_equal(sdpower_domain_bottom(t.s, 0, &d), SDPOWER_OK);
		assert_int_equal(sdpower_check(t.s, NULL), SDPOWER_OK);
	}
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_pointers_are_refused),
		cmocka_unit_test(owners_calls_refuse_what_does_not_exist),
		cmocka_unit_test(claims_end_once),
		cmocka_unit_test(time_may_run_backwards),
		cmocka_unit_test(one_cpu_has_no_domain_but_answers),
		cmocka_unit_test(sizes_at_the_limits_do_not_wrap),
		cmocka_unit_test(more_nodes_than_cpus_are_a_machine),
		cmocka_unit_test(generations_start_again),
	};

	return cmocka_run_group_tests_name("abuse", tests, NULL, NULL);
}
