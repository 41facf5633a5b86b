/* SPDX-License-Identifier: MIT */
/* Description: every question refuses what cannot be asked, and answers stay inside masks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "decide/decide.h"

static struct test_instance on;

static int setup(void **state)
{
	(void)state;
	memset(&on, 0, sizeof(on));
	on.config.mc = 2;
	on.config.decisions = SDPOWER_DECIDE_CLASSIC;
	return test_make(&on, "numa:2 pack:1 l3:1 core:4 pu:2");
}

static int teardown(void **state)
{
	(void)state;
	test_drop(&on);
	return 0;
}

static struct sdpower_busiest_request busiest_request(sdpower_cpu cpu, uint32_t depth)
{
	return (struct sdpower_busiest_request){ .struct_size =
		sizeof(struct sdpower_busiest_request), .cpu = cpu, .depth = depth };
}

static void busiest_refuses(sdpower_status wanted, struct sdpower_busiest_request r)
{
	struct sdpower_busiest a, before;

	memset(&a, 0xa5, sizeof(a));
	a.struct_size = sizeof(a);
	before = a;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), wanted);
	assert_memory_equal(&a, &before, sizeof(a));
}

static void the_busiest_group_refuses_nonsense(void **state)
{
	static const uint32_t powers[3] = { 1024, 1024, 1024 };
	struct sdpower_busiest_request r = busiest_request(0, 0);
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	(void)state;
	assert_int_equal(sdpower_find_busiest_group(NULL, &r, &a), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_busiest_group(on.s, NULL, &a), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, NULL), SDPOWER_EINVAL);
	a.struct_size = 1;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_EINVAL);
	busiest_refuses(SDPOWER_ENOENT, busiest_request(16, 0));
	busiest_refuses(SDPOWER_ENOENT, busiest_request(0, 9));
	r.struct_size--;
	busiest_refuses(SDPOWER_EINVAL, r);
	r = busiest_request(0, 0);
	r.flags = 2;
	busiest_refuses(SDPOWER_EINVAL, r);
	r = busiest_request(0, 0);
	r.idle = 3;
	busiest_refuses(SDPOWER_EINVAL, r);
	r = busiest_request(0, 0);
	r.sd_idle = 2;
	busiest_refuses(SDPOWER_EINVAL, r);
	r = busiest_request(0, 0);
	r.group_power_count = 2;
	busiest_refuses(SDPOWER_EINVAL, r);
	r.group_power_count = 3;
	r.group_power = powers;
	busiest_refuses(SDPOWER_EINVAL, r);
}

static void a_quiet_machine_is_balanced(void **state)
{
	struct sdpower_busiest_request r = busiest_request(3, 0);
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	(void)state;
	r.sd_idle = 1;
	assert_int_equal(sdpower_find_busiest_group(on.s, &r, &a), SDPOWER_OK);
	assert_int_equal(a.reason, SDPOWER_REASON_NO_BUSIEST);
	assert_int_equal(a.group, SDPOWER_ID_NONE);
	assert_int_equal(a.sd_idle, 1);
	assert_int_equal(a.balance, 1);
	assert_int_equal(a.nominee, SDPOWER_CPU_NONE);
}

static void an_overloaded_group_is_found_and_its_queue(void **state)
{
	struct sdpower_busiest_request r = busiest_request(0, 0);
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	struct sdpower_queue_request q = { .struct_size = sizeof(q) };
	struct sdpower_pick pick = { 0, 0 };
	uint32_t depth = 0;

	(void)state;
	for (sdpower_cpu cpu = 8; cpu < 16; cpu++) {
		assert_int_equal(sdpower_set_load(on.s, cpu, 3, 3072 + (cpu == 13)), SDPOWER_OK);
		for (int i = 0; i < 200; i++)
			assert_int_equal(sdpower_tick(on.s, cpu, 0), SDPOWER_OK);
	}
	do {
		r.depth = depth++;
	} while (!sdpower_find_busiest_group(on.s, &r, &a) && a.group == SDPOWER_ID_NONE);
	assert_int_equal(a.group_first, 8);
	assert_true(a.reason & SDPOWER_REASON_IMBALANCE);
	assert_true(a.imbalance > 0);
	q.domain = a.domain;
	q.group = a.group;
	q.imbalance = a.imbalance;
	assert_int_equal(sdpower_find_busiest_queue(on.s, &q, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 13);
	q.group = 99;
	assert_int_equal(sdpower_find_busiest_queue(on.s, &q, &pick), SDPOWER_ENOENT);
	q.group = a.group;
	q.domain.index = UINT32_MAX;
	assert_int_equal(sdpower_find_busiest_queue(on.s, &q, &pick), SDPOWER_ENOENT);
	q.domain = a.domain;
	q.flags = 1;
	assert_int_equal(sdpower_find_busiest_queue(on.s, &q, &pick), SDPOWER_EINVAL);
	q.flags = 0;
	assert_int_equal(sdpower_set_knobs(on.s, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_find_busiest_queue(on.s, &q, &pick), SDPOWER_ESTALE);
}

/*
 * Average loads above 2^32 times powers near it leave 64 bits. Group 1 has the average
 * 2^33 - 1; group 2 has next to nothing, but (2^33 - 1 + 1) * 2^31 is 0 modulo 2^64.
 */
static void averages_beyond_32_bits_compare_right(void **state)
{
	static const uint32_t power[3] = { 1024, 1025, UINT32_C(1) << 31 };
	struct sdpower_busiest_request r = busiest_request(0, 0);
	struct sdpower_busiest a = { .struct_size = sizeof(a) };
	uint64_t left = (UINT64_C(1025) << 23) - 1;
	struct test_instance large;

	(void)state;
	memset(&large, 0, sizeof(large));
	large.config.decisions = SDPOWER_DECIDE_CLASSIC;
	assert_int_equal(test_make(&large, "pack:3 core:40"), SDPOWER_OK);
	for (sdpower_cpu cpu = 40; cpu < 80; cpu++) {
		const uint32_t load = left < SDPOWER_LOAD_MAX ? (uint32_t)left : SDPOWER_LOAD_MAX;

		assert_int_equal(sdpower_set_load(large.s, cpu, 2, load), SDPOWER_OK);
		left -= load;
	}
	assert_int_equal(sdpower_set_load(large.s, 80, 1, 1024), SDPOWER_OK);
	r.depth = 1;
	r.group_power = power;
	r.group_power_count = 3;
	for (int i = 0; i < 400; i++)
		for (sdpower_cpu cpu = 40; cpu < 81; cpu++)
			assert_int_equal(sdpower_tick(large.s, cpu, 0), SDPOWER_OK);
	assert_int_equal(sdpower_find_busiest_group(large.s, &r, &a), SDPOWER_OK);
	assert_int_equal(a.stats.max_load, (UINT64_C(1) << 33) - 1);
	test_drop(&large);
}

/*
 * D4: a busiest group of half a cpu with less load than one task can hand over no more than
 * it has: 1000 * 512 / 1024 = 500. The throughput stays 600, so that nothing is moved.
 */
static void a_weak_group_hands_over_what_it_has(void **state)
{
	struct sdpower_i_amounts a = { .max = 1000, .this = 100, .busiest_lpt = 1024,
		.asker_lpt = 5000, .busiest_power = 512, .this_power = 1024 };

	(void)state;
	sdpower_i_small_imbalance(&a);
	assert_int_equal(a.imbalance, 0);
	a.asker_lpt = 50; /* now = 550, after = 0 + 50 */
	sdpower_i_small_imbalance(&a);
	assert_int_equal(a.imbalance, 0);
	a.busiest_power = 1024; /* now = 1000 + 100, after = 0 + 1100: no gain */
	a.asker_lpt = 5000;
	sdpower_i_small_imbalance(&a);
	assert_int_equal(a.imbalance, 0);
}

static void wake_ups_refuse_nonsense(void **state)
{
	struct sdpower_wake w = { .struct_size = sizeof(w) };
	struct sdpower_pick pick = { 77, 77 };

	(void)state;
	assert_int_equal(sdpower_select_cpu(NULL, &w, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_select_cpu(on.s, NULL, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_select_cpu(on.s, &w, NULL), SDPOWER_EINVAL);
	w.flags = 8;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_EINVAL);
	w.flags = 0;
	w.struct_size--;
	assert_int_equal(sdpower_wake_idle(on.s, &w, &pick), SDPOWER_EINVAL);
	w.struct_size++;
	w.waker = 16;
	assert_int_equal(sdpower_wake_idle(on.s, &w, &pick), SDPOWER_ENOENT);
	w.waker = 0;
	w.prev = 16;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_ENOENT);
	assert_int_equal(pick.cpu, 77);
}

static void somebody_outside_wakes_near_the_previous_cpu(void **state)
{
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = SDPOWER_CPU_NONE, .prev = 5,
		.flags = SDPOWER_WAKE_SYSTEM };
	struct sdpower_pick pick = { 0, 0 };

	(void)state;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 5);
	assert_int_equal(pick.reason, SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_IDLE);
	w.prev = SDPOWER_CPU_NONE;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 0);
	assert_int_equal(pick.reason, SDPOWER_REASON_AFFINITY);
}

static void the_nominee_takes_ordinary_tasks_unless_claimed(void **state)
{
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = 1, .prev = 5 };
	struct sdpower_pick pick = { 0, 0 };

	(void)state;
	assert_int_equal(sdpower_nominate(on.s, 16), SDPOWER_ENOENT);
	assert_int_equal(sdpower_nominate(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_nominate(on.s, 9), SDPOWER_OK);
	assert_int_equal(sdpower_preferred_wakeup_cpu(on.s), 9);
	assert_int_equal(sdpower_preferred_wakeup_cpu(NULL), SDPOWER_CPU_NONE);
	assert_int_equal(sdpower_wake_idle(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 9);
	assert_int_equal(pick.reason, SDPOWER_REASON_NOMINEE);
	assert_int_equal(sdpower_claim(on.s, 9), SDPOWER_OK);
	assert_int_equal(sdpower_wake_idle(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 5);
}

static void picks_stay_inside_affinity_and_the_tree(void **state)
{
	const uint32_t only[1] = { 1u << 6 }, nobody[1] = { 0 }, online[1] = { 0xffffu & ~(1u << 6) };
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = 1, .prev = 5, .affinity = only,
		.affinity_words = 1 };
	struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = 2, .affinity = only,
		.affinity_words = 1, .flag = SDPOWER_SD_BALANCE_FORK };
	struct sdpower_pick pick = { 0, 0 };

	(void)state;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 6);
	assert_int_equal(sdpower_place(on.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 6);
	assert_int_equal(sdpower_set_online(on.s, online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, SDPOWER_CPU_NONE);
	assert_int_equal(pick.reason, SDPOWER_REASON_NO_CPU);
	w.affinity = nobody;
	assert_int_equal(sdpower_select_cpu(on.s, &w, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, SDPOWER_CPU_NONE);
	assert_int_equal(sdpower_place(on.s, &p, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, SDPOWER_CPU_NONE);
}

static void placement_refuses_nonsense(void **state)
{
	struct sdpower_placement p = { .struct_size = sizeof(p), .flag = SDPOWER_SD_BALANCE_EXEC };
	struct sdpower_idlest a = { .struct_size = sizeof(a) };
	struct sdpower_pick pick = { 0, 0 };

	(void)state;
	assert_int_equal(sdpower_place(NULL, &p, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_place(on.s, NULL, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_idlest_group(on.s, &p, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_idlest_cpu(on.s, &p, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_idlest_cpu(on.s, &p, 99, &pick), SDPOWER_ENOENT);
	a.struct_size = 3;
	assert_int_equal(sdpower_find_idlest_group(on.s, &p, &a), SDPOWER_EINVAL);
	a.struct_size = sizeof(a);
	p.depth = 9;
	assert_int_equal(sdpower_find_idlest_group(on.s, &p, &a), SDPOWER_ENOENT);
	p.depth = 0;
	p.flag = SDPOWER_SD_BALANCE_FORK | SDPOWER_SD_BALANCE_EXEC;
	assert_int_equal(sdpower_place(on.s, &p, &pick), SDPOWER_EINVAL);
	p.flag = SDPOWER_SD_BALANCE_FORK;
	p.cpu = 16;
	assert_int_equal(sdpower_place(on.s, &p, &pick), SDPOWER_ENOENT);
	p.cpu = 0;
	p.flags = 1;
	assert_int_equal(sdpower_place(on.s, &p, &pick), SDPOWER_EINVAL);
	p.flags = 0;
	p.reserved = 1;
	assert_int_equal(sdpower_place(on.s, &p, &pick), SDPOWER_EINVAL);
}

static void the_idle_balancer_is_in_the_tree(void **state)
{
	const uint32_t all[1] = { 0xffffffffu }, none[1] = { 0 }, one[1] = { 0x20 };
	struct sdpower_pick pick = { 0, 0 };

	(void)state;
	assert_int_equal(sdpower_find_ilb(NULL, 0, all, 1, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_ilb(on.s, 0, all, 1, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_ilb(on.s, 0, NULL, 1, &pick), SDPOWER_EINVAL);
	assert_int_equal(sdpower_find_ilb(on.s, 16, all, 1, &pick), SDPOWER_ENOENT);
	assert_int_equal(sdpower_find_ilb(on.s, 3, all, 1, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 0);
	assert_int_equal(sdpower_find_ilb(on.s, 3, one, 1, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, 5);
	assert_int_equal(pick.reason, SDPOWER_REASON_IDLE);
	assert_int_equal(sdpower_find_ilb(on.s, 3, none, 1, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, SDPOWER_CPU_NONE);
	assert_int_equal(sdpower_find_ilb(on.s, 3, NULL, 0, &pick), SDPOWER_OK);
	assert_int_equal(pick.cpu, SDPOWER_CPU_NONE);
}

static void every_reason_has_a_text_of_its_own(void **state)
{
	static const uint32_t bits[] = {
#define SDPOWER_X(name, bit, text) bit,
		SDPOWER_REASON_LIST(SDPOWER_X)
#undef SDPOWER_X
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		assert_int_equal(bits[i] & (bits[i] - 1), 0);
		assert_string_not_equal(sdpower_reason_text(bits[i]), "unknown reason");
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(sdpower_reason_text(bits[i]), sdpower_reason_text(bits[j]));
	}
	assert_string_equal(sdpower_reason_text(3), "unknown reason");
	assert_string_equal(sdpower_reason_text(0), "unknown reason");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_busiest_group_refuses_nonsense), CASE(a_quiet_machine_is_balanced),
		CASE(an_overloaded_group_is_found_and_its_queue), CASE(wake_ups_refuse_nonsense),
		CASE(a_weak_group_hands_over_what_it_has), CASE(averages_beyond_32_bits_compare_right),
		CASE(somebody_outside_wakes_near_the_previous_cpu),
		CASE(the_nominee_takes_ordinary_tasks_unless_claimed),
		CASE(picks_stay_inside_affinity_and_the_tree), CASE(placement_refuses_nonsense),
		CASE(the_idle_balancer_is_in_the_tree),
		CASE(every_reason_has_a_text_of_its_own),
	};

	return cmocka_run_group_tests_name("queries", tests, NULL, NULL);
}
