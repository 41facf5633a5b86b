/* SPDX-License-Identifier: MIT */
/* Tunables, the energy table, and the utilisation a host feeds or the library keeps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "../support/instance.h"

static void make(struct test_instance *t, uint32_t flags)
{
	memset(t, 0, sizeof(*t));
	t->config.flags = flags;
	assert_int_equal(test_make(t, "pack:2 core:2"), SDPOWER_OK);
}

static void zeros_are_the_defaults(void **state)
{
	struct sdpower_tunables t = { .struct_size = sizeof(t) };
	struct test_instance i;

	(void)state;
	make(&i, 0);
	t.fill_percent = 60;
	t.dwell_us = 5;
	assert_int_equal(sdpower_set_tunables(i.s, &t), SDPOWER_OK);
	assert_int_equal(sdpower_get_tunables(i.s, &t), SDPOWER_OK);
	assert_int_equal(t.fill_percent, 60);
	assert_int_equal(t.spread_percent, 95);
	assert_int_equal(t.dwell_us, 5);
	t = (struct sdpower_tunables){ .struct_size = sizeof(t) };
	assert_int_equal(sdpower_set_tunables(i.s, &t), SDPOWER_OK);
	assert_int_equal(sdpower_get_tunables(i.s, &t), SDPOWER_OK);
	assert_int_equal(t.fill_percent, 80);
	assert_int_equal(t.fit_percent, 80);
	assert_int_equal(t.dwell_us, 32000);
	assert_int_equal(t.latency_bound_us, 10000);
	assert_int_equal(t.smt_percent, 128);
	test_drop(&i);
}

static void what_is_out_of_range_changes_nothing(void **state)
{
	struct sdpower_tunables t = { .struct_size = sizeof(t) }, now = t;
	struct test_instance i;

	(void)state;
	make(&i, 0);
#define REFUSED(field, value, status) do { \
		t = (struct sdpower_tunables){ .struct_size = sizeof(t), .latency_bound_us = 7 }; \
		t.field = (value); \
		assert_int_equal(sdpower_set_tunables(i.s, &t), (status)); \
		assert_int_equal(sdpower_get_tunables(i.s, &now), SDPOWER_OK); \
		assert_int_equal(now.latency_bound_us, 10000); \
	} while (0)
	REFUSED(struct_size, 4, SDPOWER_EINVAL);
	REFUSED(reserved, 1, SDPOWER_EINVAL);
	REFUSED(fill_percent, 101, SDPOWER_ERANGE);
	REFUSED(fill_percent, 96, SDPOWER_ERANGE); /* above where spreading begins */
	REFUSED(spread_percent, 79, SDPOWER_ERANGE);
	REFUSED(fit_percent, 101, SDPOWER_ERANGE);
	REFUSED(smt_percent, 99, SDPOWER_ERANGE);
	REFUSED(smt_percent, 201, SDPOWER_ERANGE);
#undef REFUSED
	/* The ends of the ranges, and spreading where filling ends. */
	t = (struct sdpower_tunables){ .struct_size = sizeof(t), .fill_percent = 100,
		.spread_percent = 100, .fit_percent = 100, .dwell_us = UINT32_MAX,
		.latency_bound_us = UINT32_MAX, .smt_percent = 200 };
	assert_int_equal(sdpower_set_tunables(i.s, &t), SDPOWER_OK);
	t = (struct sdpower_tunables){ .struct_size = sizeof(t), .fill_percent = 1,
		.spread_percent = 1, .fit_percent = 1, .dwell_us = 1, .latency_bound_us = 1,
		.smt_percent = 100 };
	assert_int_equal(sdpower_set_tunables(i.s, &t), SDPOWER_OK);
	assert_int_equal(sdpower_set_tunables(i.s, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_set_tunables(NULL, &now), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_tunables(i.s, NULL), SDPOWER_EINVAL);
	test_drop(&i);
}

static void a_table_that_saves_by_working_is_refused(void **state)
{
	struct sdpower_energy e = { .struct_size = sizeof(e) };
	struct test_instance i;
	size_t size;

	(void)state;
	make(&i, 0);
	e.row[SDPOWER_ENERGY_CORE] = (struct sdpower_energy_row){ 10, 10, 3 };
	i.config.energy = &e;
	assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_OK);
	e.row[SDPOWER_ENERGY_CORE].active = 9;
	assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_ERANGE);
	e.row[SDPOWER_ENERGY_CORE].active = SDPOWER_ENERGY_MOST + 1;
	assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_ERANGE);
	for (uint32_t unit = 0; unit < SDPOWER_ENERGY_UNITS; unit++) {
		e = (struct sdpower_energy){ .struct_size = sizeof(e) };
		e.row[unit] = (struct sdpower_energy_row){ SDPOWER_ENERGY_MOST, SDPOWER_ENERGY_MOST,
			SDPOWER_ENERGY_MOST };
		assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_OK);
		e.row[unit].wake_us++;
		assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_ERANGE);
		e.row[unit] = (struct sdpower_energy_row){ 1, 0, 0 };
		assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_ERANGE);
	}
	e = (struct sdpower_energy){ .struct_size = sizeof(e), .reserved = 1 };
	assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_EINVAL);
	e = (struct sdpower_energy){ .struct_size = 0 };
	assert_int_equal(sdpower_memory_needed(&i.config, &size, NULL), SDPOWER_EINVAL);
	test_drop(&i);
}

/* What is too much for a cpu is counted in records: all are made anew with the next question. */
static void records_follow_the_tunables(void **state)
{
	struct sdpower_tunables t = { .struct_size = sizeof(t), .fill_percent = 40,
		.spread_percent = 50 };
	struct sdpower_busiest a = { .struct_size = sizeof(a) };

	(void)state;
	for (sdpower_cpu cpu = 0; cpu < 4; cpu++) {
		const struct sdpower_busiest_request r = { .struct_size = sizeof(r),
			.cpu = cpu < 2 ? 2 : 0, .depth = 1, .idle = SDPOWER_CPU_IDLE,
			.flags = SDPOWER_ASK_IMPATIENT };
		struct test_instance i = { .config = { .decisions = SDPOWER_DECIDE_NATIVE, .mc = 2,
			.smt = 2 } };

		assert_int_equal(test_make(&i, "pack:2 core:2"), SDPOWER_OK);
		assert_int_equal(sdpower_set_load(i.s, cpu, 2, 2048), SDPOWER_OK);
		assert_int_equal(sdpower_set_util(i.s, cpu, 700), SDPOWER_OK);
		for (sdpower_cpu each = 0; each < 4; each++)
			assert_true(sdpower_refresh(i.s, each) >= 0);
		assert_int_equal(sdpower_find_busiest_group(i.s, &r, &a), SDPOWER_OK);
		assert_int_not_equal(a.kind, SDPOWER_PULL_TASK);
		assert_int_equal(sdpower_set_tunables(i.s, &t), SDPOWER_OK);
		assert_int_equal(sdpower_find_busiest_group(i.s, &r, &a), SDPOWER_OK);
		assert_int_equal(a.kind, SDPOWER_PULL_TASK);
		assert_int_equal(a.from, cpu);
		test_drop(&i);
	}
}

static struct sdpower_cpu_state look(const sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_get_cpu(s, cpu, &c), SDPOWER_OK);
	return c;
}

static void a_host_feeds_utilisation(void **state)
{
	struct test_instance i;

	(void)state;
	make(&i, 0);
	assert_int_equal(look(i.s, 1).has_util, 0);
	assert_int_equal(sdpower_set_util(i.s, 1, 300), SDPOWER_OK);
	assert_int_equal(look(i.s, 1).has_util, 1);
	assert_int_equal(look(i.s, 1).util, 300);
	assert_int_equal(sdpower_set_util(i.s, 1, SDPOWER_LOAD_MAX + 1u), SDPOWER_OK);
	assert_int_equal(look(i.s, 1).util, SDPOWER_LOAD_MAX);
	assert_int_equal(sdpower_set_util(i.s, 1, UINT32_MAX), SDPOWER_OK);
	assert_int_equal(look(i.s, 1).has_util, 0);
	assert_int_equal(look(i.s, 1).util, 0);
	assert_int_equal(sdpower_set_util(i.s, 4, 1), SDPOWER_ENOENT);
	assert_int_equal(sdpower_set_util(NULL, 0, 1), SDPOWER_EINVAL);
	test_drop(&i);
}

/* Two half-lives busy after a long idle time: three quarters. */
static void the_library_keeps_utilisation(void **state)
{
	const uint64_t second = 1000000000u, half = 32000000u;
	struct test_instance i;

	(void)state;
	make(&i, SDPOWER_CONFIG_UTIL);
	assert_int_equal(sdpower_set_util(i.s, 1, 300), SDPOWER_EBUSY);
	assert_int_equal(sdpower_idle_exit(i.s, 1, 10 * second), SDPOWER_OK);
	assert_int_equal(look(i.s, 1).util, 0);
	assert_int_equal(sdpower_tick(i.s, 1, 10 * second + half), SDPOWER_OK);
	assert_in_range(look(i.s, 1).util, 510, 514);
	assert_int_equal(sdpower_idle_enter(i.s, 1, 10 * second + 2 * half), SDPOWER_OK);
	assert_in_range(look(i.s, 1).util, 766, 770);
	assert_int_equal(sdpower_tick(i.s, 1, 10 * second + 3 * half), SDPOWER_OK);
	assert_in_range(look(i.s, 1).util, 382, 386);
	test_drop(&i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeros_are_the_defaults),
		cmocka_unit_test(what_is_out_of_range_changes_nothing),
		cmocka_unit_test(a_table_that_saves_by_working_is_refused),
		cmocka_unit_test(records_follow_the_tunables),
		cmocka_unit_test(a_host_feeds_utilisation),
		cmocka_unit_test(the_library_keeps_utilisation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
