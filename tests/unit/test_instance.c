/* SPDX-License-Identifier: MIT */
/*
 * Description: an instance fits exactly into the size asked for, refuses a smaller block
 * without touching it, refuses rules that do not belong together, and changes all or nothing.
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
#include "tree/view.h"

static struct sdpower_config config_for(const struct machine *m)
{
	return (struct sdpower_config){ .struct_size = sizeof(struct sdpower_config),
		.topology = &m->topology };
}

static sdpower *make(const struct sdpower_config *c)
{
	size_t size, align;
	sdpower *s = NULL;
	void *memory;

	assert_int_equal(sdpower_memory_needed(c, &size, &align), SDPOWER_OK);
	memory = aligned_alloc(align, size);
	assert_non_null(memory);
	assert_int_equal(sdpower_init(memory, size, c, &s), SDPOWER_OK);
	assert_ptr_equal(s, memory);
	return s;
}

static uint32_t depth_of(const sdpower *s, sdpower_cpu cpu)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);

	return sdpower_i_depth(&v, s->forest.pos_of[cpu]);
}

static void too_small_a_block_is_left_alone(void **state)
{
	struct machine m;
	struct sdpower_config c;
	size_t size, align;
	unsigned char *memory;
	sdpower *s = NULL;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "numa:2 pack:1 core:4 pu:2"), SDPOWER_OK);
	c = config_for(&m);
	assert_int_equal(sdpower_memory_needed(&c, &size, &align), SDPOWER_OK);
	assert_true(align && !(align & (align - 1)));
	memory = aligned_alloc(align, size + align);
	memset(memory, 0xa5, size + 1);
	assert_int_equal(sdpower_init(memory, size - 1, &c, &s), SDPOWER_ENOSPC);
	assert_int_equal(sdpower_init(memory + 1, size, &c, &s), SDPOWER_EINVAL);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(memory[i], 0xa5);
	assert_null(s);
	assert_int_equal(sdpower_init(memory, size, &c, &s), SDPOWER_OK);
	assert_int_equal(memory[size], 0xa5);
	assert_int_equal(sdpower_cpu_count(s), 16);
	free(memory);
	machine_free(&m);
}

/* aligned_alloc takes no other sizes, and the sanitizers end a program that asks for one. */
static void sizes_fit_for_aligned_alloc(void **state)
{
	static const char *const machines[] = {
		"pu:1", "pu:3", "pack:2 core:2 pu:2", "numa:3 pack:1 core:5", "numa:2 l3:3 core:7 pu:2",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		for (uint32_t tree = SDPOWER_TREE_DEFAULT; tree <= SDPOWER_TREE_MODERN; tree++) {
			struct sdpower_config c;
			struct machine m;
			size_t size, align;

			assert_int_equal(machine_synthetic(&m, machines[i]), SDPOWER_OK);
			c = config_for(&m);
			c.tree = tree;
			assert_int_equal(sdpower_memory_needed(&c, &size, &align), SDPOWER_OK);
			assert_int_equal(size % align, 0);
			machine_free(&m);
		}
	}
}

static void rules_must_belong_together(void **state)
{
	static const struct { uint32_t tree, decisions; sdpower_status status; } pairs[] = {
		{ SDPOWER_TREE_DEFAULT, SDPOWER_DECIDE_DEFAULT, SDPOWER_OK },
		{ SDPOWER_TREE_CLASSIC, SDPOWER_DECIDE_CLASSIC_30, SDPOWER_OK },
		{ SDPOWER_TREE_CLASSIC_30, SDPOWER_DECIDE_CLASSIC, SDPOWER_OK },
		{ SDPOWER_TREE_CLASSIC, SDPOWER_DECIDE_NATIVE, SDPOWER_EINVAL },
		{ SDPOWER_TREE_DEFAULT, SDPOWER_DECIDE_NATIVE, SDPOWER_OK },
		{ SDPOWER_TREE_DEFAULT, SDPOWER_DECIDE_CLASSIC_30, SDPOWER_OK },
		{ SDPOWER_TREE_MODERN, SDPOWER_DECIDE_CLASSIC, SDPOWER_EINVAL },
		{ SDPOWER_TREE_MODERN, SDPOWER_DECIDE_NATIVE, SDPOWER_OK },
		{ SDPOWER_TREE_MODERN + 1, SDPOWER_DECIDE_DEFAULT, SDPOWER_EINVAL },
		{ SDPOWER_TREE_DEFAULT, SDPOWER_DECIDE_NATIVE + 1, SDPOWER_EINVAL },
	};
	struct machine m;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "pack:2 core:2"), SDPOWER_OK);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct sdpower_config c = config_for(&m);
		size_t size;

		c.tree = pairs[i].tree;
		c.decisions = pairs[i].decisions;
		assert_int_equal(sdpower_memory_needed(&c, &size, NULL), pairs[i].status);
	}
	machine_free(&m);
}

static void odd_settings_are_refused(void **state)
{
	struct machine m;
	struct sdpower_config c;
	size_t size;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "pack:2 core:2"), SDPOWER_OK);
#define REFUSED(field, value, status) do { \
		c = config_for(&m); \
		c.field = (value); \
		assert_int_equal(sdpower_memory_needed(&c, &size, NULL), (status)); \
	} while (0)
	REFUSED(struct_size, 4, SDPOWER_EINVAL);
	REFUSED(topology, NULL, SDPOWER_EINVAL);
	REFUSED(mc, 3, SDPOWER_EINVAL);
	REFUSED(smt, 3, SDPOWER_EINVAL);
	REFUSED(flags, 16, SDPOWER_EINVAL);
	REFUSED(hz, 1000001, SDPOWER_EINVAL);
	REFUSED(interval_cpus, SDPOWER_MAX_CPUS + 1, SDPOWER_EINVAL);
	REFUSED(tuning, 2, SDPOWER_EINVAL);
	REFUSED(wake_flags, SDPOWER_SD_LOAD_BALANCE, SDPOWER_EINVAL);
	REFUSED(relax_level, -2, SDPOWER_EINVAL);
	REFUSED(max_partitions, 5, SDPOWER_ERANGE);
	REFUSED(reserved, 1, SDPOWER_EINVAL);
	REFUSED(util_half_life_ns, 1, SDPOWER_ERANGE);
#undef REFUSED
	machine_free(&m);
}

static void knobs_above_two_change_nothing(void **state)
{
	struct machine m;
	struct sdpower_config c;
	uint32_t mc, smt;
	sdpower *s;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "pack:2 core:2 pu:2"), SDPOWER_OK);
	c = config_for(&m);
	s = make(&c);
	assert_int_equal(sdpower_set_knobs(s, 1, 2), SDPOWER_OK);
	assert_int_equal(sdpower_set_knobs(s, 3, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_knobs(s, 0, 3), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_level(s, 3), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_knobs(s, &mc, &smt), SDPOWER_OK);
	assert_int_equal(mc, 1);
	assert_int_equal(smt, 2);
	assert_int_equal(sdpower_set_level(s, SDPOWER_BALANCED), SDPOWER_OK);
	assert_int_equal(sdpower_get_knobs(s, &mc, &smt), SDPOWER_OK);
	assert_int_equal(mc, 2);
	assert_int_equal(smt, 0);
	free(s);
	machine_free(&m);
}

static void a_dry_run_only_reports(void **state)
{
	struct sdpower_change change = { .struct_size = sizeof(change),
		.flags = SDPOWER_CHANGE_ONLINE | SDPOWER_CHANGE_DRY_RUN, .words = 1 };
	struct sdpower_change_report report = { .struct_size = sizeof(report) };
	const uint32_t online = 0x0f;
	uint32_t changed = 0, generation;
	struct machine m;
	struct sdpower_config c;
	sdpower *s;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "pack:2 core:2 pu:2"), SDPOWER_OK);
	c = config_for(&m);
	s = make(&c);
	generation = s->forest.generation;
	change.online = &online;
	report.changed = &changed;
	report.changed_words = 1;
	assert_int_equal(sdpower_apply(s, &change, &report), SDPOWER_OK);
	assert_int_equal(s->forest.generation, generation);
	assert_int_equal(depth_of(s, 7), 3);
	assert_int_equal(report.cpus_before, 8);
	assert_int_equal(report.cpus_after, 4);
	assert_int_equal(report.cpus_changed, 8);
	assert_int_equal(changed, 0xff);
	change.flags = SDPOWER_CHANGE_ONLINE;
	assert_int_equal(sdpower_apply(s, &change, &report), SDPOWER_OK);
	assert_int_equal(depth_of(s, 7), 0);
	assert_int_equal(depth_of(s, 0), 2);
	assert_int_equal(sdpower_apply(s, &change, &report), SDPOWER_OK);
	assert_int_equal(report.cpus_changed, 0);
	free(s);
	machine_free(&m);
}

static void partitions_do_not_touch_each_other(void **state)
{
	const uint32_t cut[2] = { 0x0f, 0xf0 }, recut[2] = { 0x0f, 0x30 }, overlap[2] = { 3, 2 };
	struct sdpower_change change = { .struct_size = sizeof(change),
		.flags = SDPOWER_CHANGE_PARTITIONS, .words = 1, .partition_count = 2 };
	struct sdpower_change_report report = { .struct_size = sizeof(report) };
	uint32_t changed = 0;
	struct machine m;
	struct sdpower_config c;
	sdpower *s;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "pack:2 core:2 pu:2"), SDPOWER_OK);
	c = config_for(&m);
	c.max_partitions = 2;
	s = make(&c);
	assert_int_equal(sdpower_set_partitions(s, 2, overlap, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_partitions(s, 3, cut, 1), SDPOWER_ERANGE);
	assert_int_equal(depth_of(s, 0), 3);
	assert_int_equal(sdpower_set_partitions(s, 2, cut, 1), SDPOWER_OK);
	assert_int_equal(depth_of(s, 0), 2);
	report.changed = &changed;
	report.changed_words = 1;
	change.partitions = recut;
	assert_int_equal(sdpower_apply(s, &change, &report), SDPOWER_OK);
	assert_int_equal(changed, 0xf0);
	assert_int_equal(depth_of(s, 7), 0);
	assert_int_equal(sdpower_set_partitions(s, 0, NULL, 0), SDPOWER_OK);
	assert_int_equal(depth_of(s, 0), 0);
	free(s);
	machine_free(&m);
}

static void an_empty_machine_is_refused(void **state)
{
	const uint32_t none = 0;
	struct machine m;
	struct sdpower_config c;
	sdpower *s;

	(void)state;
	assert_int_equal(machine_synthetic(&m, "core:2"), SDPOWER_OK);
	c = config_for(&m);
	s = make(&c);
	assert_int_equal(sdpower_set_online(s, &none, 1), SDPOWER_EMPTY);
	assert_int_equal(sdpower_set_allowed(s, &none, 1), SDPOWER_EMPTY);
	assert_int_equal(sdpower_set_online(s, NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(depth_of(s, 0), 1);
	free(s);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_small_a_block_is_left_alone),
		cmocka_unit_test(sizes_fit_for_aligned_alloc),
		cmocka_unit_test(rules_must_belong_together),
		cmocka_unit_test(odd_settings_are_refused),
		cmocka_unit_test(knobs_above_two_change_nothing),
		cmocka_unit_test(a_dry_run_only_reports),
		cmocka_unit_test(partitions_do_not_touch_each_other),
		cmocka_unit_test(an_empty_machine_is_refused),
	};

	return cmocka_run_group_tests_name("instance", tests, NULL, NULL);
}
