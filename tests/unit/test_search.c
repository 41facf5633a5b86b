/* SPDX-License-Identifier: MIT */
/*
 * Description: cpus that look for work awake: how many may, who hears of them, and that no work
 * is lost when they give up.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_help.h"

static uint32_t activity_of(const sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_get_cpu(s, cpu, &c), SDPOWER_OK);
	return c.activity;
}

static void about_half_of_the_active_cpus_may_search(void **state)
{
	struct test_instance t = native_on("l3:1 core:8", 0, 0);

	(void)state;
	for (sdpower_cpu cpu = 0; cpu < 8; cpu++)
		assert_int_equal(sdpower_idle_exit(t.s, cpu, 1), SDPOWER_OK);
	/* Alone: 2 <= 1 + 1. The second one: 4 > 2 + 1. */
	assert_int_equal(sdpower_search_begin(t.s, 3), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(t.s, 4), SDPOWER_EBUSY);
	assert_int_equal(activity_of(t.s, 4), SDPOWER_CPU_RUNNING);
	runs(t.s, 0, 1);
	assert_int_equal(sdpower_search_begin(t.s, 4), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(t.s, 5), SDPOWER_EBUSY);
	assert_int_equal(activity_of(t.s, 4), SDPOWER_CPU_IS_SEARCHING);
	/* Going on is asked for in the same way, and is refused once the work is gone. */
	assert_int_equal(sdpower_search_begin(t.s, 4), SDPOWER_OK);
	runs(t.s, 0, 0);
	assert_int_equal(sdpower_search_begin(t.s, 4), SDPOWER_EBUSY);
	assert_int_equal(sdpower_search_begin(t.s, 3), SDPOWER_OK);
	test_drop(&t);
}

static void what_cannot_search_is_refused(void **state)
{
	struct test_instance t = native_on("l3:1 core:2", 0, 0);

	(void)state;
	assert_int_equal(sdpower_search_begin(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_search_end(NULL, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_search_begin(t.s, 2), SDPOWER_ENOENT);
	assert_int_equal(sdpower_search_end(t.s, 2), SDPOWER_ENOENT);
	assert_int_equal(sdpower_search_begin(t.s, 0), SDPOWER_EINVAL); /* it sleeps */
	assert_int_equal(sdpower_claim(t.s, 0), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(t.s, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_search_end(t.s, 0), SDPOWER_OK);
	assert_int_equal(activity_of(t.s, 0), SDPOWER_CPU_IS_CLAIMED);
	test_drop(&t);
}

static void nobody_is_woken_while_somebody_searches(void **state)
{
	struct test_instance t = native_on("pack:2 l3:1 core:4", 0, 0);
	const uint32_t others[1] = { 0x0f };
	struct sdpower_wake w = wake_from(0, 1);

	(void)state;
	RUN_ON(t.s, 0);
	assert_int_equal(sdpower_idle_exit(t.s, 5, 1), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(t.s, 5), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, SDPOWER_CPU_NONE);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_SEARCHER);
	assert_int_equal(sdpower_claim(t.s, 5), SDPOWER_EBUSY);
	w.affinity = others; /* not for that searcher */
	w.affinity_words = 1;
	assert_int_equal(woken(t.s, &w).cpu, 1);
	w.affinity = NULL;
	assert_int_equal(sdpower_search_end(t.s, 5), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 1);
	test_drop(&t);
}

static void a_searcher_too_small_for_the_task_does_not_count(void **state)
{
	struct test_instance t = native_on("l3:1 core:4 cap=1024,1024,400,400", 0, 0);
	struct sdpower_wake w = wake_from(0, 0);

	(void)state;
	RUN_ON(t.s, 0);
	assert_int_equal(sdpower_idle_exit(t.s, 3, 1), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(t.s, 3), SDPOWER_OK);
	w.util = 500;
	assert_int_equal(woken(t.s, &w).cpu, 1);
	w.util = 300;
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_SEARCHER);
	test_drop(&t);
}

/* The instance names one searcher; when that one stops, by whatever call, it names another. */
static void another_searcher_is_named_when_one_stops(void **state)
{
	struct test_instance t = native_on("l3:1 core:8", 0, 0);
	struct sdpower_wake w = wake_from(0, 1);

	(void)state;
	RUN_ON(t.s, 0, 1, 2, 3);
	for (sdpower_cpu cpu = 4; cpu < 7; cpu++) {
		assert_int_equal(sdpower_idle_exit(t.s, cpu, 1), SDPOWER_OK);
		assert_int_equal(sdpower_search_begin(t.s, cpu), SDPOWER_OK);
	}
	assert_int_equal(sdpower_search_end(t.s, 6), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_SEARCHER);
	assert_int_equal(sdpower_idle_enter(t.s, 4, 2), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).reason, SDPOWER_REASON_SEARCHER);
	assert_int_equal(activity_of(t.s, 4), SDPOWER_CPU_SLEEPING);
	assert_int_equal(sdpower_idle_exit(t.s, 5, 2), SDPOWER_OK);
	assert_int_equal(woken(t.s, &w).cpu, 4);
	test_drop(&t);
}

/* Searching is neither idle time nor a period that ended. */
static void a_search_leaves_no_idle_period(void **state)
{
	struct test_instance t = native_on("l3:1 core:2", 0, 0);
	struct sdpower_cpu_state before = { .struct_size = sizeof(before) }, after = before;

	(void)state;
	RUN_ON(t.s, 0, 1);
	assert_int_equal(sdpower_set_load(t.s, 1, 0, 0), SDPOWER_OK);
	assert_int_equal(sdpower_get_cpu(t.s, 1, &before), SDPOWER_OK);
	assert_int_equal(sdpower_search_begin(t.s, 1), SDPOWER_OK);
	assert_int_equal(sdpower_idle_exit(t.s, 1, 5000), SDPOWER_OK);
	assert_int_equal(sdpower_get_cpu(t.s, 1, &after), SDPOWER_OK);
	assert_int_equal(after.avg_idle_ns, before.avg_idle_ns);
	assert_int_equal(after.clamped, before.clamped);
	assert_int_equal(sdpower_search_begin(t.s, 1), SDPOWER_OK);
	assert_int_equal(sdpower_idle_enter(t.s, 1, 7000), SDPOWER_OK);
	assert_int_equal(sdpower_get_cpu(t.s, 1, &after), SDPOWER_OK);
	assert_int_equal(after.idle_since_ns, 7000);
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(about_half_of_the_active_cpus_may_search),
		cmocka_unit_test(what_cannot_search_is_refused),
		cmocka_unit_test(nobody_is_woken_while_somebody_searches),
		cmocka_unit_test(a_searcher_too_small_for_the_task_does_not_count),
		cmocka_unit_test(another_searcher_is_named_when_one_stops),
		cmocka_unit_test(a_search_leaves_no_idle_period),
	};

	return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
