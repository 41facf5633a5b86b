/* SPDX-License-Identifier: MIT */
/* Description: distances, the pairs that stand for them, and the times of levels and tasks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/migration.h>

#define MOST_CPUS 16u
#define MOST_SPANS 128u

/* A machine of at most 16 cpus, each mask one word. */
struct tables {
	struct sdpower_migration_machine machine;
	uint32_t level_end[MOST_CPUS], masks[MOST_SPANS];
	const uint32_t *spans[MOST_SPANS];
};

static void start(struct tables *t, uint32_t cpus)
{
	memset(t, 0, sizeof(*t));
	t->machine = (struct sdpower_migration_machine) { .struct_size = sizeof(t->machine),
		.cpu_count = cpus, .words = 1, .level_end = t->level_end, .spans = t->spans };
}

/* Adds the levels of the next cpu, up to a mask of 0. */
static void add_cpu(struct tables *t, uint32_t cpu, const uint32_t *masks)
{
	uint32_t *const end = &t->machine.span_count;

	for (; *masks; masks++) {
		t->masks[*end] = *masks;
		t->spans[*end] = &t->masks[*end];
		(*end)++;
	}
	t->level_end[cpu] = *end;
}

/* Cpus 0 and 1 have a level of their own, 2 and 3 have not; 4 has none at all. */
static void start_lopsided(struct tables *t)
{
	static const uint32_t pair[] = { 0x3, 0xf, 0 }, flat[] = { 0xf, 0 }, none[] = { 0 };

	start(t, 5);
	add_cpu(t, 0, pair);
	add_cpu(t, 1, pair);
	add_cpu(t, 2, flat);
	add_cpu(t, 3, flat);
	add_cpu(t, 4, none);
}

static void only_the_first_cpu_counts_unless_symmetric(void **state)
{
	struct tables t;

	(void)state;
	start_lopsided(&t);
	assert_int_equal(sdpower_migration_distance(&t.machine, 0, 1), 0);
	assert_int_equal(sdpower_migration_distance(&t.machine, 0, 2), 1);
	assert_int_equal(sdpower_migration_distance(&t.machine, 2, 0), 0);
	assert_int_equal(sdpower_migration_distance(&t.machine, 0, 4), 2);
	assert_int_equal(sdpower_migration_distance(&t.machine, 4, 0), 0);
	t.machine.flags = SDPOWER_MIGRATION_SYMMETRIC;
	assert_int_equal(sdpower_migration_distance(&t.machine, 2, 0), 1);
	assert_int_equal(sdpower_migration_distance(&t.machine, 4, 0), 2);
	assert_int_equal(sdpower_migration_distance(&t.machine, 5, 0), SDPOWER_ENOENT);
	assert_int_equal(sdpower_migration_distance(&t.machine, 0, 5), SDPOWER_ENOENT);
}

/* Whether a level is common beyond the last distance or never. */
static void far_is_far(void **state)
{
	uint32_t deep[42], single[] = { 0x2, 0 };
	struct tables t;

	(void)state;
	for (uint32_t i = 0; i < 41; i++)
		deep[i] = 0x1;
	for (uint32_t common = 30; common < 41; common++) {
		deep[common] = 0x3;
		deep[41] = 0;
		start(&t, 2);
		add_cpu(&t, 0, deep);
		add_cpu(&t, 1, single);
		assert_int_equal(sdpower_migration_distance(&t.machine, 0, 1),
			common < 31 ? common : 31);
		deep[common] = 0x1;
	}
}

static void an_instance_counts_alike(void **state)
{
	static const char *const machines[] = { "pack:2 core:3 pu:2", "pack:4 core:2", "core:8" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct test_instance instance = { .s = NULL };
		struct sdpower_domain d;
		struct tables t;
		uint32_t cpus;

		assert_int_equal(test_make(&instance, machines[i]), SDPOWER_OK);
		cpus = instance.machine.cpu_count;
		start(&t, cpus);
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			uint32_t masks[8] = { 0 };

			for (uint32_t k = 0; !sdpower_domain_at(instance.s, cpu, k, &d); k++)
				assert_int_equal(sdpower_domain_span(instance.s, d, &masks[k], 1), 0);
			add_cpu(&t, cpu, masks);
		}
		for (uint32_t a = 0; a < cpus; a++)
			for (uint32_t b = 0; b < cpus; b++)
				if (a != b)
					assert_int_equal(sdpower_migration_distance(&t.machine, a, b),
						sdpower_domain_distance(instance.s, a, b) - 1);
		test_drop(&instance);
	}
}

struct pair {
	uint32_t distance, cpu, other;
};

/* Calibrates: each pair takes 100 * first + second; what is measured must be as listed. */
static void calibrate(const struct tables *t, struct sdpower_migration_costs *costs,
	const struct pair *expected, uint32_t count)
{
	struct sdpower_migration_pairs pairs = { .struct_size = sizeof(pairs) };
	uint32_t i = 0;

	assert_int_equal(sdpower_migration_pairs_begin(&t->machine, costs, &pairs), SDPOWER_OK);
	for (; pairs.step == SDPOWER_MIGRATION_MEASURE; i++) {
		assert_true(i < count);
		assert_int_equal(pairs.distance, expected[i].distance);
		assert_int_equal(pairs.cpu, expected[i].cpu);
		assert_int_equal(pairs.other, expected[i].other);
		assert_int_equal(sdpower_migration_pairs_next(&t->machine, costs,
			100 * pairs.cpu + pairs.other, &pairs), SDPOWER_OK);
	}
	assert_int_equal(i, count);
	assert_int_equal(sdpower_migration_pairs_next(&t->machine, costs, 1, &pairs),
		SDPOWER_EINVAL);
}

static void the_lowest_pair_stands_for_a_distance(void **state)
{
	static const struct pair all[] = { { 0, 0, 1 }, { 1, 0, 2 }, { 2, 0, 4 } };
	static const struct pair some[] = { { 1, 1, 2 }, { 0, 2, 1 } };
	const uint32_t four = 0xf, three = 0xe;
	struct sdpower_migration_costs costs;
	struct tables t;

	(void)state;
	start_lopsided(&t);
	assert_int_equal(sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED), 0);
	calibrate(&t, &costs, all, 3);
	assert_int_equal(costs.max_distance, 2);
	assert_int_equal(costs.cost_ns[2], 4);
	assert_int_equal(costs.cost_ns[3], SDPOWER_MIGRATION_UNMEASURED);

	/* What is known is not measured again; the range of distances is that of the cpus. */
	t.machine.cpus = &four;
	costs.cost_ns[1] = SDPOWER_MIGRATION_UNMEASURED;
	calibrate(&t, &costs, &all[1], 1);
	assert_int_equal(costs.max_distance, 1);

	t.machine.cpus = &three;
	assert_int_equal(sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED), 0);
	calibrate(&t, &costs, some, 2);

	assert_int_equal(sdpower_migration_start(&costs, 1000000), 0);
	calibrate(&t, &costs, NULL, 0);
	assert_int_equal(costs.max_distance, 1);
	assert_int_equal(costs.cost_ns[31], 1000000);
}

static void damaged_tables_are_refused(void **state)
{
	struct sdpower_migration_pairs pairs = { .struct_size = sizeof(pairs) };
	struct sdpower_migration_costs costs;
	struct tables good, t;

	(void)state;
	(void)sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED);
	start_lopsided(&good);
	for (unsigned damage = 0; damage < 8; damage++) {
		struct sdpower_migration_machine m;

		t = good;
		m = t.machine;
		m.level_end = t.level_end;
		m.spans = t.spans;
		switch (damage) {
		case 0: m.struct_size = 0; break;
		case 1: m.flags = 2; break;
		case 2: m.reserved = 1; break;
		case 3: m.level_end = NULL; break;
		case 4: m.spans = NULL; break;
		case 5: t.level_end[2] = 1; break;
		case 6: m.span_count--; break;
		default: t.spans[3] = NULL;
		}
		assert_int_equal(sdpower_migration_distance(&m, damage == 6 ? 3 : 1, 2),
			SDPOWER_EINVAL);
		assert_int_equal(sdpower_migration_pairs_begin(&m, &costs, &pairs),
			SDPOWER_EINVAL);
		assert_int_equal(pairs.step, SDPOWER_MIGRATION_DONE);
	}
	good.machine.cpu_count = SDPOWER_MAX_CPUS + 1;
	assert_int_equal(sdpower_migration_distance(&good.machine, 0, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_distance(NULL, 0, 1), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_start(NULL, 0), SDPOWER_EINVAL);
}

static void a_walk_over_pairs_is_not_believed(void **state)
{
	struct sdpower_migration_pairs pairs = { .struct_size = sizeof(pairs) }, before;
	struct sdpower_migration_costs costs;
	struct tables t;

	(void)state;
	(void)sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED);
	start_lopsided(&t);
	assert_int_equal(sdpower_migration_pairs_begin(&t.machine, &costs, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_pairs_begin(&t.machine, NULL, &pairs), SDPOWER_EINVAL);
	assert_int_equal(sdpower_migration_pairs_begin(&t.machine, &costs, &pairs), SDPOWER_OK);
	before = pairs;
	for (unsigned damage = 0; damage < 4; damage++) {
		pairs = before;
		switch (damage) {
		case 0: pairs.struct_size = 0; break;
		case 1: pairs.cpu = 5; break;
		case 2: pairs.other = 5; break;
		default: pairs.distance = SDPOWER_MIGRATION_DISTANCES;
		}
		assert_int_equal(sdpower_migration_pairs_next(&t.machine, &costs, 1, &pairs),
			SDPOWER_EINVAL);
	}
	costs.max_distance = SDPOWER_MIGRATION_DISTANCES;
	assert_int_equal(sdpower_migration_pairs_next(&t.machine, &costs, 1, &before),
		SDPOWER_EINVAL);
	assert_int_equal(costs.cost_ns[0], SDPOWER_MIGRATION_UNMEASURED);
}

static void levels_without_a_time(void **state)
{
	struct sdpower_migration_costs costs;

	(void)state;
	(void)sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED);
	costs.cost_ns[1] = 7;
	costs.cost_ns[3] = 9;
	for (uint32_t level = 0; level < 40; level++) {
		const int64_t expected = level < 1 ? -1 : level < 3 ? 7 : 9;

		assert_int_equal(sdpower_migration_level_ns(&costs, level, SDPOWER_MIGRATION_EXACT),
			expected);
		assert_int_equal(sdpower_migration_level_ns(&costs, level, SDPOWER_MIGRATION_LEGACY),
			level == 1 || level == 3 ? expected : -1);
	}
	assert_int_equal(sdpower_migration_level_ns(&costs, 2, SDPOWER_MIGRATION_DEFAULT), 7);
	assert_int_equal(sdpower_migration_level_ns(&costs, 1, SDPOWER_MIGRATION_MODES), -1);
	assert_int_equal(sdpower_migration_level_ns(NULL, 1, SDPOWER_MIGRATION_LEGACY), -1);
}

static void a_task_is_cold_at_the_time_itself(void **state)
{
	(void)state;
	assert_int_equal(sdpower_migration_is_hot(100, 51, 50), 1);
	assert_int_equal(sdpower_migration_is_hot(100, 50, 50), 0);
	assert_int_equal(sdpower_migration_is_hot(100, 100, 0), 0);
	assert_int_equal(sdpower_migration_is_hot(100, 101, 0), 1);
	assert_int_equal(sdpower_migration_is_hot(100, 100, SDPOWER_MIGRATION_UNMEASURED), 0);
	assert_int_equal(sdpower_migration_is_hot(5, UINT64_MAX, 7), 1);
	assert_int_equal(sdpower_migration_is_hot(5, UINT64_MAX, 6), 0);
}

static void the_walk_touches_two_thirds_and_stays_inside(void **state)
{
	static uint64_t words[4096 + 2];

	(void)state;
	for (size_t count = 0; count <= 4096; count = count < 64 ? count + 1 : count * 2) {
		size_t touched = 0;

		memset(words, 0, sizeof(words));
		sdpower_migration_walk(words + 1, count);
		assert_int_equal(words[0], 0);
		assert_int_equal(words[count + 1], 0);
		for (size_t i = 1; i <= count; i++)
			touched += words[i] != 0;
		if (count >= 2048)
			assert_in_range(touched * 8 * 3, 2 * count - 200, 2 * count + 200);
	}
	sdpower_migration_walk(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_first_cpu_counts_unless_symmetric),
		cmocka_unit_test(far_is_far),
		cmocka_unit_test(an_instance_counts_alike),
		cmocka_unit_test(the_lowest_pair_stands_for_a_distance),
		cmocka_unit_test(damaged_tables_are_refused),
		cmocka_unit_test(a_walk_over_pairs_is_not_believed),
		cmocka_unit_test(levels_without_a_time),
		cmocka_unit_test(a_task_is_cold_at_the_time_itself),
		cmocka_unit_test(the_walk_touches_two_thirds_and_stays_inside),
	};

	return cmocka_run_group_tests_name("migration_table", tests, NULL, NULL);
}
