/* SPDX-License-Identifier: MIT */
/* Description: slots hold what is published, saturate, refuse nonsense and keep idle averages. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "state/state.h"

static struct test_instance on;

static int setup(void **state)
{
	(void)state;
	memset(&on, 0, sizeof(on));
	on.config.decisions = SDPOWER_DECIDE_CLASSIC;
	return test_make(&on, "pack:2 l3:1 core:4 pu:2");
}

static int teardown(void **state)
{
	(void)state;
	test_drop(&on);
	return 0;
}

static struct sdpower_cpu_state get(sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_get_cpu(on.s, cpu, &c), SDPOWER_OK);
	return c;
}

static void cpus_start_idle_and_empty(void **state)
{
	struct sdpower_cpu_state c = get(15);

	(void)state;
	assert_int_equal(c.nr, 0);
	assert_int_equal(c.load, 0);
	assert_int_equal(c.activity, SDPOWER_CPU_SLEEPING);
	assert_int_equal(c.avg_idle_ns, 1000000);
	assert_int_equal(c.outside_capacity, SDPOWER_SCALE);
}

static void loads_saturate(void **state)
{
	(void)state;
	assert_int_equal(sdpower_set_load(on.s, 3, 7, 7168), SDPOWER_OK);
	assert_int_equal(get(3).nr, 7);
	assert_int_equal(get(3).load, 7168);
	assert_int_equal(sdpower_set_load(on.s, 3, UINT32_MAX, UINT32_MAX), SDPOWER_OK);
	assert_int_equal(get(3).nr, SDPOWER_NR_MAX);
	assert_int_equal(get(3).load, SDPOWER_LOAD_MAX);
}

static void every_call_refuses_what_is_not_there(void **state)
{
	struct sdpower_cpu_state c = get(0), short_one = { .struct_size = 4 };

	(void)state;
	assert_int_equal(sdpower_set_load(NULL, 0, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_load(on.s, 16, 0, 0), SDPOWER_ENOENT);
	assert_int_equal(sdpower_idle_enter(NULL, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_idle_enter(on.s, SDPOWER_CPU_NONE, 0), SDPOWER_ENOENT);
	assert_int_equal(sdpower_idle_exit(NULL, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_idle_exit(on.s, 16, 0), SDPOWER_ENOENT);
	assert_int_equal(sdpower_tick(NULL, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_tick(on.s, 16, 0), SDPOWER_ENOENT);
	assert_int_equal(sdpower_refresh(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_refresh(on.s, 16), SDPOWER_ENOENT);
	assert_int_equal(sdpower_claim(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_claim(on.s, 16), SDPOWER_ENOENT);
	assert_int_equal(sdpower_unclaim(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_unclaim(on.s, 16), SDPOWER_ENOENT);
	assert_int_equal(sdpower_set_outside(NULL, 0, 0, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_outside(on.s, 16, 0, 0), SDPOWER_ENOENT);
	assert_int_equal(sdpower_set_outside(on.s, 0, 1025, 0), SDPOWER_ERANGE);
	assert_int_equal(sdpower_set_outside(on.s, 0, 0, 1025), SDPOWER_ERANGE);
	assert_int_equal(sdpower_get_cpu(NULL, 0, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_cpu(on.s, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_cpu(on.s, 0, &short_one), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_cpu(on.s, 16, &c), SDPOWER_ENOENT);
	assert_int_equal(sdpower_set_cpu(NULL, 0, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_cpu(on.s, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_cpu(on.s, 0, &short_one), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_cpu(on.s, 16, &c), SDPOWER_ENOENT);
}

static void a_state_out_of_range_changes_nothing(void **state)
{
	struct sdpower_cpu_state good = get(1), c;
	uint32_t *field[] = { &c.nr, &c.load, &c.activity, &c.cpu_load[0], &c.cpu_load[4],
		&c.outside_util, &c.outside_capacity };

	(void)state;
	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		struct sdpower_cpu_state after;

		c = good;
		c.clamped = 99;
		*field[i] = SDPOWER_LOAD_MAX + 1;
		assert_int_equal(sdpower_set_cpu(on.s, 1, &c), SDPOWER_ERANGE);
		after = get(1);
		assert_memory_equal(&after, &good, sizeof(after));
	}
	c = good;
	c.reserved = 1;
	assert_int_equal(sdpower_set_cpu(on.s, 1, &c), SDPOWER_EINVAL);
}

static void any_state_comes_back_as_it_went_in(void **state)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = 3, .load = 5000, .activity = 2,
		.cpu_load = { 1, 2, 3, 4, 5 }, .avg_idle_ns = 77, .idle_since_ns = 0x123456789abcu,
		.clamped = 4, .outside_util = 10, .outside_capacity = 20 }, back;

	(void)state;
	assert_int_equal(sdpower_set_cpu(on.s, 9, &c), SDPOWER_OK);
	back = get(9);
	assert_memory_equal(&back, &c, sizeof(c));
	assert_int_equal(sdpower_set_outside(on.s, 9, 30, 40), SDPOWER_OK);
	assert_int_equal(get(9).outside_util, 30);
	assert_int_equal(get(9).outside_capacity, 40);
}

static void a_claim_is_had_once_and_ends_with_a_publish(void **state)
{
	(void)state;
	assert_int_equal(sdpower_claim(on.s, 2), SDPOWER_OK);
	assert_int_equal(get(2).activity, SDPOWER_CPU_IS_CLAIMED);
	assert_int_equal(sdpower_claim(on.s, 2), SDPOWER_EBUSY);
	assert_int_equal(sdpower_unclaim(on.s, 2), SDPOWER_OK);
	assert_int_equal(sdpower_unclaim(on.s, 2), SDPOWER_EBUSY);
	assert_int_equal(sdpower_claim(on.s, 2), SDPOWER_OK);
	assert_int_equal(sdpower_set_load(on.s, 2, 0, 0), SDPOWER_OK);
	assert_int_equal(get(2).activity, SDPOWER_CPU_SLEEPING);
	assert_int_equal(sdpower_claim(on.s, 2), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(on.s, 2, 0), SDPOWER_OK);
	assert_int_equal(get(2).activity, SDPOWER_CPU_RUNNING);
	assert_int_equal(sdpower_claim(on.s, 2), SDPOWER_EBUSY);
	assert_int_equal(sdpower_idle_enter(on.s, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_claim(on.s, 2), SDPOWER_OK);
	assert_int_equal(sdpower_idle_enter(on.s, 2, 5), SDPOWER_OK);
	assert_int_equal(get(2).activity, SDPOWER_CPU_SLEEPING);
	assert_int_equal(get(2).idle_since_ns, 0);
}

/* One idle period from `begin` to `end`, with a given average before it. */
static struct sdpower_cpu_state idle_period(uint32_t before, uint64_t begin, uint64_t end)
{
	struct sdpower_cpu_state c = get(4);

	c.activity = SDPOWER_CPU_RUNNING;
	c.avg_idle_ns = before;
	c.clamped = 0;
	assert_int_equal(sdpower_set_cpu(on.s, 4, &c), SDPOWER_OK);
	assert_int_equal(sdpower_idle_enter(on.s, 4, begin), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(on.s, 4, end), SDPOWER_OK);
	return get(4);
}

static void average_idle_moves_by_an_eighth_toward_zero(void **state)
{
	(void)state;
	assert_int_equal(idle_period(1000, 50, 50 + 1800).avg_idle_ns, 1100);
	assert_int_equal(idle_period(1000, 50, 50 + 200).avg_idle_ns, 900);
	assert_int_equal(idle_period(1000, 50, 50 + 1007).avg_idle_ns, 1000);
	assert_int_equal(idle_period(1000, 50, 50 + 993).avg_idle_ns, 1000);
	assert_int_equal(idle_period(1000, 50, 50 + 1015).avg_idle_ns, 1001);
	assert_int_equal(idle_period(1000, 50, 50 + 985).avg_idle_ns, 999);
	assert_int_equal(idle_period(900000, 0, 100000000).avg_idle_ns, 1000000);
}

static void impossible_times_are_clamped_and_counted(void **state)
{
	struct sdpower_cpu_state c = idle_period(1000, 5000, 4000);

	(void)state;
	assert_int_equal(c.avg_idle_ns, 875);
	assert_int_equal(c.clamped, 1);
	c = idle_period(1000, 0, UINT64_MAX);
	assert_int_equal(c.avg_idle_ns, 1000000);
	assert_int_equal(c.clamped, 1);
	c = idle_period(1000, UINT64_MAX - 1000, UINT64_MAX);
	assert_int_equal(c.clamped, 0);
}

static void an_exit_while_running_is_no_sample(void **state)
{
	struct sdpower_cpu_state before = idle_period(1000, 0, 1000);

	(void)state;
	assert_int_equal(sdpower_idle_exit(on.s, 4, 999999), SDPOWER_OK);
	assert_int_equal(get(4).avg_idle_ns, before.avg_idle_ns);
}

static void shared_stamps_stay_old(void **state)
{
	const struct sdpower_i_slot *slot = &on.s->slots[sdpower_i_position(on.s, 6)];
	const uint64_t hour = UINT64_C(3600000000000);

	(void)state;
	assert_int_equal(sdpower_idle_exit(on.s, 6, 0), SDPOWER_OK);
	assert_int_equal(sdpower_idle_enter(on.s, 6, 1024), SDPOWER_OK);
	assert_int_equal(slot->idle_since, 1);
	for (uint64_t now = 0; now < 30 * hour; now += hour / 4) {
		assert_int_equal(sdpower_tick(on.s, 6, now), SDPOWER_OK);
		assert_true((uint32_t)(now >> 10) - slot->idle_since <= 0x80000000u || now < 1024);
	}
	assert_true((uint32_t)((30 * hour) >> 10) - slot->idle_since > 0x70000000u);
	assert_int_equal(get(6).idle_since_ns, 1024);
}

static struct sdpower_i_record *record_of(sdpower_cpu cpu)
{
	return sdpower_i_record_at(on.s, sdpower_i_position(on.s, cpu));
}

/* Cpu 0 sums the block of cpus 0 to 7. */
static void sum_first_block(void)
{
	assert_int_equal(sdpower_set_load(on.s, 0, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 0), 1);
	assert_int_equal(record_of(0)->serial, on.s->forest.generation);
}

static void every_publish_makes_sums_old(void **state)
{
	struct sdpower_cpu_state c = get(3);

	(void)state;
	sum_first_block();
	assert_int_equal(sdpower_set_load(on.s, 3, 1, 1024), SDPOWER_OK);
	assert_int_equal(record_of(3)->serial, 0);
	sum_first_block();
	assert_int_equal(sdpower_set_cpu(on.s, 3, &c), SDPOWER_OK);
	assert_int_equal(record_of(3)->serial, 0);
	sum_first_block();
	assert_int_equal(sdpower_idle_exit(on.s, 3, 0), SDPOWER_OK);
	assert_int_equal(record_of(3)->serial, 0);
	sum_first_block();
	assert_int_equal(sdpower_idle_enter(on.s, 3, 0), SDPOWER_OK);
	assert_int_equal(record_of(3)->serial, 0);
	sum_first_block();
	assert_int_equal(sdpower_tick(on.s, 3, 0), SDPOWER_OK);
	assert_int_equal(record_of(3)->serial, 0);
	assert_int_equal(sdpower_tick(on.s, 0, 0), SDPOWER_OK);
	assert_int_equal(record_of(3)->serial, on.s->forest.generation);
}

static void the_lowest_active_cpu_sums_its_block(void **state)
{
	const uint32_t without_0[1] = { 0xfffeu };

	(void)state;
	assert_int_equal(sdpower_refresh(on.s, 1), 0);
	assert_int_equal(sdpower_refresh(on.s, 0), 1);
	assert_int_equal(sdpower_refresh(on.s, 0), 0);
	assert_int_equal(sdpower_set_online(on.s, without_0, 1), SDPOWER_OK);
	assert_int_equal(sdpower_refresh(on.s, 0), 0);
	assert_int_equal(sdpower_refresh(on.s, 2), 0);
	assert_int_equal(sdpower_refresh(on.s, 1), 1);
}

/* Tasks of the package of cpu 0, which is a block, as a question sees them. */
static uint32_t tasks_seen(void)
{
	struct sdpower_busiest_request r = { .struct_size = sizeof(r), .idle = SDPOWER_CPU_IDLE };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	struct sdpower_domain d;

	while (!sdpower_domain_at(on.s, 0, r.depth + 1, &d))
		r.depth++;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	return a.stats.this_nr;
}

/* The sums are falsified, so that an answer tells where it comes from. */
static void sums_being_written_are_not_believed(void **state)
{
	struct sdpower_i_record *record = record_of(0);

	(void)state;
	assert_int_equal(sdpower_set_load(on.s, 3, 2, 2048), SDPOWER_OK);
	sum_first_block();
	record->nr += 100;
	assert_int_equal(tasks_seen(), 102);
	record->seq = 0;
	assert_int_equal(tasks_seen(), 2);
	record->seq = record->last_seq;
	assert_int_equal(tasks_seen(), 102);
	record->serial += 2;
	assert_int_equal(tasks_seen(), 2);
}

static void loads_decay_within_32_bits(void **state)
{
	uint32_t high[5] = { SDPOWER_LOAD_MAX, SDPOWER_LOAD_MAX, SDPOWER_LOAD_MAX, SDPOWER_LOAD_MAX,
		SDPOWER_LOAD_MAX };
	uint32_t low[5] = { 0, 0, 0, 0, 0 };

	(void)state;
	for (int i = 0; i < 600; i++) {
		sdpower_i_decay(high, SDPOWER_LOAD_MAX);
		sdpower_i_decay(low, SDPOWER_LOAD_MAX);
	}
	for (int k = 0; k < 5; k++) {
		assert_int_equal(high[k], SDPOWER_LOAD_MAX);
		assert_int_equal(low[k], SDPOWER_LOAD_MAX);
	}
	for (int i = 0; i < 600; i++)
		sdpower_i_decay(high, 0);
	for (int k = 0; k < 5; k++)
		assert_int_equal(high[k], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cpus_start_idle_and_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(loads_saturate, setup, teardown),
		cmocka_unit_test_setup_teardown(every_call_refuses_what_is_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(a_state_out_of_range_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(any_state_comes_back_as_it_went_in, setup, teardown),
		cmocka_unit_test_setup_teardown(a_claim_is_had_once_and_ends_with_a_publish, setup,
			teardown),
		cmocka_unit_test_setup_teardown(average_idle_moves_by_an_eighth_toward_zero, setup,
			teardown),
		cmocka_unit_test_setup_teardown(impossible_times_are_clamped_and_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(an_exit_while_running_is_no_sample, setup, teardown),
		cmocka_unit_test_setup_teardown(shared_stamps_stay_old, setup, teardown),
		cmocka_unit_test_setup_teardown(every_publish_makes_sums_old, setup, teardown),
		cmocka_unit_test_setup_teardown(the_lowest_active_cpu_sums_its_block, setup, teardown),
		cmocka_unit_test_setup_teardown(sums_being_written_are_not_believed, setup, teardown),
		cmocka_unit_test(loads_decay_within_32_bits),
	};

	return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
