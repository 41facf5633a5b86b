/* SPDX-License-Identifier: MIT */
/*
 * Description: positions follow the topology whatever the cpus are called, so that spans and
 * groups of usual machines are one run and blocks nest in them.
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

static const char *const machines[] = {
	"numa:2 pack:1 l3:3 core:4 pu:2",
	"numa:2 pack:1 l3:3 core:4 pu:2 indexes=pu:core:l3:numa",
	"numa:2 pack:1 l3:3 core:4 pu:2 indexes=numa:l3:core:pu",
	"numa:4 pack:1 l3:1 core:20 pu:1 indexes=core:numa",
	"pack:2 core:3 pu:3",
};

static void spans_and_groups_are_one_run(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		for (uint32_t tree = SDPOWER_TREE_CLASSIC; tree <= SDPOWER_TREE_MODERN; tree++) {
			struct test_instance t = { .config = { .tree = tree } };
			const struct sdpower_i_tree *now;

			assert_int_equal(test_make(&t, machines[i]), SDPOWER_OK);
			now = &t.s->forest.trees[1];
			assert_int_not_equal(now->domain_count, 0);
			for (uint32_t d = 0; d < now->domain_count; d++)
				assert_int_equal(now->domains[d].runs, 1);
			for (uint32_t g = 0; g < now->group_count; g++)
				assert_int_equal(now->groups[g].runs, 1);
			test_drop(&t);
		}
}

static void names_do_not_matter(void **state)
{
	struct test_instance a = { .config = { .tree = SDPOWER_TREE_CLASSIC } }, b = a;

	(void)state;
	assert_int_equal(test_make(&a, machines[0]), SDPOWER_OK);
	assert_int_equal(test_make(&b, machines[2]), SDPOWER_OK);
	assert_int_equal(a.s->forest.block_count, 6);
	assert_int_equal(b.s->forest.block_count, 6);
	for (uint32_t pos = 0; pos < 48; pos++) {
		assert_int_equal(a.s->forest.block_at[pos], b.s->forest.block_at[pos]);
		assert_int_equal(a.s->forest.trees[1].depth[pos], b.s->forest.trees[1].depth[pos]);
	}
	test_drop(&a);
	test_drop(&b);
}

static void blocks_hold_at_most_sixteen(void **state)
{
	struct test_instance t = { .config = { .tree = SDPOWER_TREE_CLASSIC } };
	const struct sdpower_i_forest *f;

	(void)state;
	assert_int_equal(test_make(&t, "numa:2 core:20"), SDPOWER_OK);
	f = &t.s->forest;
	assert_int_equal(f->block_count, 4);
	assert_int_equal(f->blocks[0].count, 16);
	assert_int_equal(f->blocks[1].count, 4);
	assert_int_equal(f->blocks[2].first, 20);
	assert_int_equal(f->trees[1].active[1], 0xf);
	test_drop(&t);
}

/* Cpus that differ in nothing keep no priorities; others keep theirs, the highest cut to 16 bits. */
static void priorities_are_kept_where_they_differ(void **state)
{
	struct test_instance t = { .config = { .tree = SDPOWER_TREE_MODERN } };
	struct sdpower_cpu_desc cpus[3];
	struct sdpower_topology machine = { .struct_size = sizeof(machine), .cpus = cpus,
		.cpu_count = 3, .cpu_stride = sizeof(cpus[0]) };
	size_t plain, ranked;

	(void)state;
	memset(cpus, 0, sizeof(cpus));
	for (uint32_t i = 0; i < 3; i++)
		cpus[i] = (struct sdpower_cpu_desc)SDPOWER_CPU_DESC(i, i, 0, 0, 0);
	t.config.struct_size = sizeof(t.config);
	t.config.topology = &machine;
	assert_int_equal(sdpower_memory_needed(&t.config, &plain, NULL), SDPOWER_OK);
	cpus[1].priority = UINT32_MAX;
	cpus[2].priority = 7;
	assert_int_equal(sdpower_memory_needed(&t.config, &ranked, NULL), SDPOWER_OK);
	assert_true(ranked >= plain);
	t.memory = aligned_alloc(64, (ranked + 63) / 64 * 64);
	assert_int_equal(sdpower_init(t.memory, ranked, &t.config, &t.s), SDPOWER_OK);
	assert_int_equal(sdpower_i_priority(&t.s->forest, t.s->forest.pos_of[0]), 0);
	assert_int_equal(sdpower_i_priority(&t.s->forest, t.s->forest.pos_of[1]), UINT16_MAX);
	assert_int_equal(sdpower_i_priority(&t.s->forest, t.s->forest.pos_of[2]), 7);
	for (uint32_t i = 0; i < 3; i++)
		cpus[i].priority = 9;
	assert_int_equal(sdpower_init(t.memory, ranked, &t.config, &t.s), SDPOWER_OK);
	assert_null(t.s->forest.priority);
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_and_groups_are_one_run),
		cmocka_unit_test(names_do_not_matter),
		cmocka_unit_test(blocks_hold_at_most_sixteen),
		cmocka_unit_test(priorities_are_kept_where_they_differ),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
