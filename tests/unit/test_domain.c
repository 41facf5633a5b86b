/* SPDX-License-Identifier: MIT */
/*
 * Description: chains can be walked both ways, rings start at the own group, handles of a
 * replaced tree are stale, dumps say the same as the walk, and the check finds damage.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sdpower.h>

#include "topology_help.h"
#include "state/instance.h"

static sdpower *make(const char *text, uint32_t tree)
{
	struct sdpower_config c = { .struct_size = sizeof(c), .tree = tree };
	struct machine m;
	size_t size, align;
	sdpower *s = NULL;
	void *memory;

	assert_int_equal(machine_synthetic(&m, text), SDPOWER_OK);
	c.topology = &m.topology;
	assert_int_equal(sdpower_memory_needed(&c, &size, &align), SDPOWER_OK);
	memory = aligned_alloc(align, size);
	assert_int_equal(sdpower_init(memory, size, &c, &s), SDPOWER_OK);
	machine_free(&m);
	return s;
}

static void chains_go_out_and_back_in(void **state)
{
	static const uint32_t levels[] = { SDPOWER_LEVEL_SIBLING, SDPOWER_LEVEL_MC_CLASSIC,
		SDPOWER_LEVEL_NODE_CLASSIC };
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_domain d, e;
	sdpower *s = make("numa:2 core:4 pu:2", SDPOWER_TREE_CLASSIC);

	(void)state;
	assert_int_equal(sdpower_domain_bottom(s, 5, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_child(s, d, &e), SDPOWER_ENOENT);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_OK);
		assert_int_equal(info.cpu, 5);
		assert_int_equal(info.depth, i);
		assert_int_equal(info.level, levels[i]);
		assert_int_equal(sdpower_domain_parent(s, d, &e), i < 2 ? SDPOWER_OK : SDPOWER_ENOENT);
		if (i == 2)
			break;
		assert_int_equal(sdpower_domain_child(s, e, &d), SDPOWER_OK);
		assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_OK);
		assert_int_equal(info.depth, i);
		d = e;
	}
	assert_int_equal(info.weight, 16);
	assert_int_equal(info.groups, 2);
	assert_int_equal(info.max_interval, 32);
	assert_int_equal(sdpower_domain_at(s, 16, 0, &d), SDPOWER_ENOENT);
	assert_int_equal(sdpower_domain_at(s, 0, 3, &d), SDPOWER_ENOENT);
	assert_int_equal(sdpower_domain_at(NULL, 0, 0, &d), SDPOWER_EINVAL);
	d.index = UINT32_MAX;
	assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_EINVAL);
	free(s);
}

static void distances_grow_outward(void **state)
{
	sdpower *s = make("numa:2 core:4 pu:2", SDPOWER_TREE_CLASSIC);
	const uint32_t online = 0x7fff;
	struct sdpower_domain d;
	uint32_t mask = 0;

	(void)state;
	assert_int_equal(sdpower_domain_distance(s, 4, 4), 0);
	assert_int_equal(sdpower_domain_distance(s, 4, 5), 1);
	assert_int_equal(sdpower_domain_distance(s, 4, 0), 2);
	assert_int_equal(sdpower_domain_distance(s, 4, 15), 3);
	assert_int_equal(sdpower_domain_common(s, 4, 0, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_span(s, d, &mask, 1), SDPOWER_OK);
	assert_int_equal(mask, 0xff);
	assert_int_equal(sdpower_set_online(s, &online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_domain_distance(s, 4, 15), SDPOWER_ENOENT);
	assert_int_equal(sdpower_domain_common(s, 4, 99, &d), SDPOWER_ENOENT);
	free(s);
}

static void rings_start_at_the_own_group(void **state)
{
	static const uint32_t rings[] = { 0x22, 0x44, 0x88, 0x11 };
	struct sdpower_group_info g = { .struct_size = sizeof(g) };
	struct sdpower_domain d;
	uint32_t mask;

	(void)state;
	for (uint32_t tree = SDPOWER_TREE_CLASSIC; tree <= SDPOWER_TREE_MODERN; tree++) {
		sdpower *s = make("pack:1 core:4 pu:2 indexes=core:pu", tree);

		assert_int_equal(sdpower_domain_at(s, 5, 1, &d), SDPOWER_OK);
		for (uint32_t i = 0; i < 4; i++) {
			assert_int_equal(sdpower_domain_group(s, d, i, &g, &mask, 1), SDPOWER_OK);
			assert_int_equal(g.weight, 2);
			assert_int_equal(mask, rings[i]);
			assert_int_equal(g.first_cpu, (i + 1) % 4);
		}
		assert_int_equal(sdpower_domain_group(s, d, 4, &g, &mask, 1), SDPOWER_ENOENT);
		free(s);
	}
}

static void handles_of_a_replaced_tree_are_stale(void **state)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	sdpower *s = make("pack:2 core:2", SDPOWER_TREE_CLASSIC);
	struct sdpower_domain d;
	uint32_t mask;

	(void)state;
	assert_int_equal(sdpower_domain_bottom(s, 0, &d), SDPOWER_OK);
	assert_int_equal(sdpower_set_knobs(s, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_ESTALE);
	assert_int_equal(sdpower_domain_parent(s, d, &d), SDPOWER_ESTALE);
	assert_int_equal(sdpower_domain_span(s, d, &mask, 1), SDPOWER_ESTALE);
	assert_int_equal(sdpower_domain_group(s, d, 0, NULL, &mask, 1), SDPOWER_ESTALE);
	assert_int_equal(sdpower_domain_bottom(s, 0, &d), SDPOWER_OK);
	assert_int_equal(sdpower_domain_describe(s, d, &info), SDPOWER_OK);
	free(s);
}

static void a_dump_says_it_all(void **state)
{
	static const char expected[] =
		"0\tMC\tcpus=0\tspan=0-1\tflags=Lefawl\tgroups=0@1024|1@1024\n"
		"0\tMC\tcpus=1\tspan=0-1\tflags=Lefawl\tgroups=1@1024|0@1024\n"
		"0\tMC\tcpus=2\tspan=2-3\tflags=Lefawl\tgroups=2@1024|3@1024\n"
		"0\tMC\tcpus=3\tspan=2-3\tflags=Lefawl\tgroups=3@1024|2@1024\n"
		"1\tCPU\tcpus=0-1\tspan=0-3\tflags=Lefaw\tgroups=0-1@1024|2-3@1024\n"
		"1\tCPU\tcpus=2-3\tspan=0-3\tflags=Lefaw\tgroups=2-3@1024|0-1@1024\n";
	sdpower *s = make("pack:2 core:2", SDPOWER_TREE_CLASSIC);
	char buffer[1024];
	size_t length = 0;

	(void)state;
	assert_int_equal(sdpower_dump_text(s, buffer, sizeof(buffer), &length), SDPOWER_OK);
	assert_string_equal(buffer, expected);
	assert_int_equal(length, strlen(expected));
	assert_int_equal(sdpower_dump_text(s, buffer, length, &length), SDPOWER_ENOSPC);
	assert_int_equal(length, strlen(expected));
	assert_int_equal(strlen(buffer), length - 1);
	assert_int_equal(sdpower_dump_text(s, NULL, 5, &length), SDPOWER_EINVAL);
	assert_int_equal(sdpower_dump_dot(s, buffer, sizeof(buffer), &length), SDPOWER_OK);
	assert_non_null(strstr(buffer, "d0 [label=\"{MC 0-1\\nLefawl|{0\\n1024|1\\n1024}}\"];"));
	assert_non_null(strstr(buffer, "d0 -> d2;"));
	assert_non_null(strstr(buffer, "d1 -> d2;"));
	assert_null(strstr(buffer, "d2 ->"));
	free(s);
}

static void the_check_finds_damage(void **state)
{
	sdpower *s = make("numa:2 core:4 pu:2", SDPOWER_TREE_CLASSIC);
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_i_tree *t = &s->forest.trees[1];

	(void)state;
	assert_int_equal(sdpower_check(s, &diag), SDPOWER_OK);
	assert_string_equal(diag.text, "");
#define DAMAGE(type, place, value) do { \
		const type kept = (place); \
		(place) = (value); \
		assert_int_equal(sdpower_check(s, &diag), SDPOWER_ECORRUPT); \
		assert_string_not_equal(diag.text, ""); \
		(place) = kept; \
		assert_int_equal(sdpower_check(s, &diag), SDPOWER_OK); \
	} while (0)
	DAMAGE(uint16_t, t->domains[0].weight, 3);
	DAMAGE(uint16_t, t->domains[0].first_cpu, 1);
	DAMAGE(uint16_t, t->domains[0].groups, 1);
	DAMAGE(uint16_t, t->domains[0].level, SDPOWER_LEVEL_ALLNODES);
	DAMAGE(uint16_t, t->groups[0].weight, 2);
	DAMAGE(uint16_t, t->groups[1].first_cpu, 0);
	DAMAGE(uint16_t, t->runs[0].count, 3);
	DAMAGE(uint16_t, t->runs[0].first, 1);
	DAMAGE(uint16_t, t->links[0].domain, 1);
	DAMAGE(uint16_t, t->links[0].own_group, 1);
	DAMAGE(uint16_t, t->links[1].domain, 0);
	DAMAGE(uint16_t, t->depth[0], 9);
	DAMAGE(uint16_t, t->active[0], 1);
	DAMAGE(uint16_t, t->partition[3], SDPOWER_I_NONE16);
	DAMAGE(uint32_t, t->groups[0].power, 0);
	DAMAGE(uint32_t, t->links[0].flags, 0);
	DAMAGE(uint32_t, t->domains[0].run, 1000);
	DAMAGE(uint32_t, s->forest.block_count, 1);
#undef DAMAGE
	t->domain_count = s->forest.bounds.domains + 1;
	assert_int_equal(sdpower_check(s, &diag), SDPOWER_ECORRUPT);
	s->magic = 0;
	assert_int_equal(sdpower_check(s, &diag), SDPOWER_EINVAL);
	assert_int_equal(sdpower_check(NULL, NULL), SDPOWER_EINVAL);
	free(s);
}

static void everything_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(sdpower_level_name(SDPOWER_LEVEL_SIBLING), "SIBLING");
	assert_string_equal(sdpower_level_name(SDPOWER_LEVEL_NUMA), "NUMA");
	assert_string_equal(sdpower_level_name(SDPOWER_LEVELS), "?");
	assert_string_equal(sdpower_flag_name(SDPOWER_SD_BALANCE_NEWIDLE), "BALANCE_NEWIDLE");
	assert_string_equal(sdpower_flag_name(0), "?");
	assert_string_equal(sdpower_flag_name(3), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_go_out_and_back_in),
		cmocka_unit_test(distances_grow_outward),
		cmocka_unit_test(rings_start_at_the_own_group),
		cmocka_unit_test(handles_of_a_replaced_tree_are_stale),
		cmocka_unit_test(a_dump_says_it_all),
		cmocka_unit_test(the_check_finds_damage),
		cmocka_unit_test(everything_has_a_name),
	};

	return cmocka_run_group_tests_name("domain", tests, NULL, NULL);
}
