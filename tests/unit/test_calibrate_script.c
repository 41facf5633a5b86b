/* SPDX-License-Identifier: MIT */
/*
 * Description: the calibrator over pairs that a script measures instead of threads: which pairs it
 * asks for and how, and what it makes of what they say. What it would ask of the system is defined
 * here, so that the linker takes nothing else.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "hosted/affinity.h"
#include "hosted/calibrate.h"

#define MS UINT64_C(1000000)
/* Threads of a core, cores of a cache, packages: 16 cpus, and 9 pairs to be asked for. */
#define MACHINE "pack:2 l3:1 core:4 pu:2"
#define DISTANCES 3u
#define MOST 16u

static struct test_instance on;
static struct sdpower_i_pair asked[MOST], said[MOST];
static uint32_t count, shared_until; /* os ids below share a cache with those below */
static uint32_t allowed[SDPOWER_I_AFFINITY_WORDS];
static int has_affinity;

int sdpower_i_affinity(uint32_t *mask)
{
	memcpy(mask, allowed, sizeof(allowed));
	return has_affinity;
}

void sdpower_i_caches_of(int root, uint32_t os_id, uint32_t other, struct sdpower_i_caches *caches)
{
	(void)root;
	caches->private_size = 4096u * (os_id + 1);
	caches->is_shared = os_id < shared_until && other < shared_until;
}

/* Says what the script has, to whom asks. */
void sdpower_i_pair_measure(struct sdpower_i_pair *pair)
{
	assert_true(count < MOST);
	asked[count] = *pair;
	pair->flags = said[count].flags;
	pair->dropped = said[count].dropped;
	pair->ping_ps = said[count].ping_ps;
	pair->curve = said[count].curve;
	pair->point_count = said[count].point_count;
	memcpy(pair->points, said[count].points, sizeof(pair->points));
	count++;
}

/* Without a word in between: each pair costs 1000 ns more than the one before. */
static void begin(void)
{
	memset(&on, 0, sizeof(on));
	assert_int_equal(test_make(&on, MACHINE), SDPOWER_OK);
	memset(asked, 0, sizeof(asked));
	memset(said, 0, sizeof(said));
	memset(allowed, 0xff, sizeof(allowed));
	has_affinity = 1;
	count = 0;
	shared_until = 8;
	for (uint32_t i = 0; i < MOST; i++) {
		said[i].ping_ps = 50000 + i;
		said[i].curve.end = SDPOWER_CURVE_END_EARLY;
		said[i].curve.best = (struct sdpower_curve_point){ .size = 65536u * (i + 1),
			.cost_ns = 10000 + 1000 * i, .low_ns = 9000 + i, .high_ns = 11000 + i,
			.there_ns = 9900 + i, .back_ns = 10100 + i, .rounds = 5 + i,
			.is_certain = 1 };
	}
}

static struct sdpower_calibration measured(const struct sdpower_calibrate_options *options,
	sdpower_status expected)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_calibrate(on.s, &on.machine, options, &c), expected);
	return c;
}

static void the_first_pair_searches_and_others_take_its_size(void **state)
{
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.near_budget_ns = 50 * MS, .far_budget_ns = 500 * MS, .most_size = 1 << 20 };
	struct sdpower_calibration c;

	(void)state;
	begin();
	c = measured(&options, 0);
	assert_int_equal(c.count, DISTANCES);
	assert_int_equal(count, 3 * DISTANCES);
	for (uint32_t i = 0; i < count; i++) {
		const struct sdpower_i_pair *const p = &asked[i], *const first = &asked[i / 3 * 3];
		const uint64_t fifths = i % 3 ? 1 : 3;
		const int near = first->os_id[0] < 8 && first->os_id[1] < 8;

		assert_ptr_equal(p->system, &sdpower_i_this_system);
		assert_int_equal(p->rules.struct_size, sizeof(p->rules));
		assert_int_equal(p->rules.most_size, 1 << 20);
		assert_int_equal(p->rules.private_size, 4096u * (first->os_id[0] + 1));
		assert_int_equal(p->rules.only_size,
			i % 3 ? said[i / 3 * 3].curve.best.size : 0);
		assert_int_equal(p->far_budget_ns, 100 * MS * fifths);
		assert_int_equal(p->rules.budget_ns, (near ? 10 : 100) * MS * fifths);
	}
	assert_true(asked[0].os_id[0] < 8 && asked[6].os_id[1] >= 8);
	test_drop(&on);
}

static void what_the_pairs_say_is_put_together(void **state)
{
	struct sdpower_calibration c;
	uint32_t flags = 0;

	(void)state;
	begin();
	said[1].flags = SDPOWER_CALIBRATION_NOISY;
	said[2].flags = SDPOWER_CALIBRATION_UNSTABLE;
	said[3].dropped = 2;
	said[4].dropped = 30;
	said[5].dropped = 400;
	said[7].curve.best.cost_ns = 100000;
	c = measured(NULL, 0);
	for (uint32_t i = 0; i < DISTANCES; i++) {
		const struct sdpower_calibration_distance *const d = &c.distance[i];

		assert_int_equal(d->pairs, 3);
		assert_int_equal(d->rounds, 5 + 3 * i);
		assert_int_equal(d->size, 65536u * (3 * i + 1));
		assert_int_equal(d->low_ns, 9000 + 3 * i);
		assert_int_equal(d->high_ns, 11000 + 3 * i);
		assert_int_equal(d->there_ns, 9900 + 3 * i);
		assert_int_equal(d->back_ns, 10100 + 3 * i);
		assert_int_equal(d->ping_ps, 50000 + 3 * i);
		assert_int_equal(d->end, SDPOWER_CURVE_END_EARLY);
		assert_int_equal(d->shares_cache, i < 2);
		assert_int_equal(on.machine.cpus[d->cpu].os_id, asked[3 * i].os_id[0]);
		assert_int_equal(on.machine.cpus[d->other].os_id, asked[3 * i].os_id[1]);
		flags |= d->flags;
	}
	assert_int_equal(c.distance[0].flags, SDPOWER_CALIBRATION_NOISY |
		SDPOWER_CALIBRATION_UNSTABLE);
	assert_int_equal(c.distance[0].cost_ns, 11000);
	assert_int_equal(c.distance[0].hot_ns, 22000);
	assert_int_equal(c.distance[1].flags, 0);
	assert_int_equal(c.distance[1].dropped, 432);
	assert_int_equal(c.distance[2].flags, SDPOWER_CALIBRATION_WIDE);
	assert_int_equal(c.distance[2].cost_ns, 18000);
	assert_int_equal(c.flags, flags);
	test_drop(&on);
}

/* Pairs after one without a cost are not asked; without a first one there is the default. */
static void a_pair_without_a_cost_ends_its_distance(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	begin();
	said[0].curve.best.cost_ns = 0;
	said[0].flags = SDPOWER_CALIBRATION_NOISY;
	said[2].curve.best.cost_ns = 0;
	c = measured(NULL, 0);
	assert_int_equal(count, 1 + 2 + 3);
	assert_int_equal(c.distance[0].pairs, 0);
	assert_int_equal(c.distance[0].flags, SDPOWER_CALIBRATION_NOISY |
		SDPOWER_CALIBRATION_DEFAULTED);
	assert_int_equal(c.distance[0].hot_ns, SDPOWER_CALIBRATION_DEFAULT_NS);
	assert_int_equal(c.distance[1].pairs, 1);
	assert_int_equal(c.distance[1].cost_ns, 11000);
	assert_int_equal(c.distance[2].pairs, 3);
	test_drop(&on);
}

static void points_are_kept_as_far_as_there_is_room(void **state)
{
	struct sdpower_calibrate_options options = { .struct_size = sizeof(options) };
	struct sdpower_calibrate_point points[12];

	(void)state;
	for (options.point_capacity = 0; options.point_capacity < 10; options.point_capacity++) {
		const uint32_t room = options.point_capacity;

		begin();
		for (uint32_t i = 0; i < MOST; i++) {
			said[i].point_count = i % 2 ? 0 : 2;
			said[i].points[0].size = 100 + i;
			said[i].points[1].size = 200 + i;
		}
		memset(points, 0x5a, sizeof(points));
		options.points = points;
		(void)measured(&options, (sdpower_status)room); /* of 10 */
		assert_int_equal(points[room].distance, 0x5a5a5a5a);
		for (uint32_t i = 0; i < room; i++) {
			const uint32_t pair = i / 2 * 2;

			assert_int_equal(points[i].distance, pair / 3);
			assert_int_equal(points[i].pair, pair % 3);
			assert_int_equal(points[i].point.size, (i % 2 ? 200 : 100) + pair);
		}
		test_drop(&on);
	}
}

static uint32_t told, enough;

static int progress(void *context, const struct sdpower_calibrate_progress *p)
{
	assert_ptr_equal(context, &told);
	assert_int_equal(p->distance, told);
	assert_int_equal(p->count, DISTANCES);
	assert_int_equal(p->found->pairs, 3);
	return ++told == enough;
}

static void nothing_is_measured_that_is_not_wanted(void **state)
{
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.progress = progress, .context = &told };
	struct sdpower_calibration c;

	(void)state;
	for (enough = 1; enough <= DISTANCES + 1; enough++) {
		const uint32_t wanted = enough < DISTANCES ? enough : DISTANCES;

		begin();
		told = 0;
		c = measured(&options, 0);
		assert_int_equal(told, wanted);
		assert_int_equal(count, 3 * wanted);
		for (uint32_t i = 0; i < DISTANCES; i++)
			assert_int_equal(c.distance[i].flags, i < wanted ? 0 :
				SDPOWER_CALIBRATION_TIMEOUT | SDPOWER_CALIBRATION_DEFAULTED);
		test_drop(&on);
	}
}

static void no_time_and_no_cpus(void **state)
{
	struct sdpower_calibrate_options options = { .struct_size = sizeof(options), .total_ns = 1 };
	struct sdpower_calibration c;
	uint64_t began;

	(void)state;
	begin();
	c = measured(&options, 0);
	assert_int_equal(count, 0);
	assert_int_equal(c.flags, SDPOWER_CALIBRATION_TIMEOUT | SDPOWER_CALIBRATION_DEFAULTED);
	options.total_ns = 0;
	has_affinity = 0;
	c = measured(&options, 0);
	assert_int_equal(count, 0);
	assert_int_equal(c.flags, SDPOWER_CALIBRATION_DEFAULTED);
	/* Only cpus 4 to 7: nothing to measure between packages. */
	has_affinity = 1;
	memset(allowed, 0, sizeof(allowed));
	allowed[0] = 0xf0;
	options.hard_ns = 3600000 * MS;
	options.total_ns = 7200000 * MS;
	began = sdpower_i_now();
	c = measured(&options, 0);
	assert_int_equal(c.distance[2].flags, SDPOWER_CALIBRATION_DEFAULTED);
	assert_true(count >= 2);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(0xf0u >> asked[i].os_id[0] & 0xf0u >> asked[i].os_id[1] & 1u);
		assert_in_range(asked[i].deadline_ns, began + 3600000 * MS,
			sdpower_i_now() + 3600000 * MS);
	}
	options.total_ns = 1800000 * MS;
	began = sdpower_i_now();
	count = 0;
	(void)measured(&options, 0);
	for (uint32_t i = 0; i < count; i++)
		assert_in_range(asked[i].deadline_ns, began + 1800000 * MS,
			sdpower_i_now() + 1800000 * MS);
	test_drop(&on);
}

static void times_rise_if_asked_for(void **state)
{
	struct sdpower_calibrate_options options = { .struct_size = sizeof(options), .percent = 100,
		.flags = SDPOWER_CALIBRATE_RISING };
	struct sdpower_calibration c;

	(void)state;
	for (int rising = 1; rising >= 0; rising--) {
		begin();
		for (uint32_t i = 0; i < 3; i++)
			said[i].curve.best.cost_ns = 15500;
		options.flags = rising ? SDPOWER_CALIBRATE_RISING : 0;
		c = measured(&options, 0);
		assert_int_equal(c.percent, 100);
		assert_int_equal(c.distance[0].hot_ns, 31000);
		assert_int_equal(c.distance[1].hot_ns, rising ? 31000 : 28000);
		assert_int_equal(c.distance[1].cost_ns, 14000);
		assert_int_equal(c.distance[2].hot_ns, 34000);
		test_drop(&on);
	}
}

static void another_machine_is_refused(void **state)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	struct sdpower_topology other;

	(void)state;
	begin();
	for (int more = -1; more <= 1; more += 2) {
		other = on.machine;
		other.cpu_count += (uint32_t)more;
		assert_int_equal(sdpower_calibrate(on.s, &other, NULL, &c), SDPOWER_EINVAL);
	}
	other = on.machine;
	other.cpu_stride = sizeof(struct sdpower_cpu_desc) - 1;
	assert_int_equal(sdpower_calibrate(on.s, &other, NULL, &c), SDPOWER_EINVAL);
	assert_int_equal(count, 0);
	test_drop(&on);
}

/* A way that takes half as long again is the same one. */
static void a_recheck_looks_at_what_was_measured(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	begin();
	c = measured(NULL, 0);
	c.distance[0].ping_ps = c.distance[1].ping_ps = c.distance[2].ping_ps = 60000;
	count = 0;
	said[0].ping_ps = 90000;
	said[1].ping_ps = 40000;
	said[2].ping_ps = 0; /* could not be looked at */
	assert_int_equal(sdpower_calibrate_recheck(&on.machine, &c), 0);
	assert_int_equal(count, 3);
	assert_int_equal(c.flags, 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(asked[i].rules.struct_size, 0);
		assert_int_equal(asked[i].os_id[0], on.machine.cpus[c.distance[i].cpu].os_id);
		assert_int_equal(asked[i].os_id[1], on.machine.cpus[c.distance[i].other].os_id);
	}
	count = 0;
	said[0].ping_ps++;
	said[1].ping_ps--;
	assert_int_equal(sdpower_calibrate_recheck(&on.machine, &c), 2);
	assert_int_equal(c.distance[0].flags, SDPOWER_CALIBRATION_UNSTABLE);
	assert_int_equal(c.distance[1].flags, SDPOWER_CALIBRATION_UNSTABLE);
	assert_int_equal(c.distance[2].flags, 0);
	assert_int_equal(c.flags, SDPOWER_CALIBRATION_UNSTABLE);
	/* Neither without a sign, nor of cpus that are not there. */
	c.distance[0].ping_ps = 0;
	c.distance[1].cpu = on.machine.cpu_count;
	c.distance[2].other = on.machine.cpu_count;
	count = 0;
	assert_int_equal(sdpower_calibrate_recheck(&on.machine, &c), SDPOWER_EBUSY);
	assert_int_equal(count, 0);
	c.count = SDPOWER_MIGRATION_DISTANCES + 1;
	assert_int_equal(sdpower_calibrate_recheck(&on.machine, &c), SDPOWER_EINVAL);
	test_drop(&on);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_pair_searches_and_others_take_its_size),
		cmocka_unit_test(what_the_pairs_say_is_put_together),
		cmocka_unit_test(a_pair_without_a_cost_ends_its_distance),
		cmocka_unit_test(points_are_kept_as_far_as_there_is_room),
		cmocka_unit_test(nothing_is_measured_that_is_not_wanted),
		cmocka_unit_test(no_time_and_no_cpus),
		cmocka_unit_test(times_rise_if_asked_for),
		cmocka_unit_test(another_machine_is_refused),
		cmocka_unit_test(a_recheck_looks_at_what_was_measured),
	};

	return cmocka_run_group_tests_name("calibrate_script", tests, NULL, NULL);
}
