/* SPDX-License-Identifier: MIT */
/* The seam without threads: seats, and the answers of the library in situations where every
 * level has exactly one right one. */
#include "pool_test.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "brain.h"

/* cpus 0-7 are package 0, 8-15 package 1; neighbours 2n and 2n+1 are one core's threads. */
#define MACHINE "pack:2 core:4 pu:2"
#define MS 1048576u

static struct brain *open_brain(const char *topology, unsigned threads, enum brain_level level)
{
	const struct brain_config config = { .topology = topology, .threads = threads,
		.level = level };
	struct brain *b = NULL;
	char why[256] = "";

	if (brain_open(&b, &config, why, sizeof(why)))
		fail_msg("brain_open(\"%s\"): %s", topology ? topology : "this machine", why);
	return b;
}

static void everybody_sleeps(struct brain *b)
{
	uint32_t w;

	for (w = 0; w < brain_machine(b)->workers; w++)
		brain_idle(b, w, true, MS);
}

static void runs(struct brain *b, uint32_t worker, uint32_t nr)
{
	brain_idle(b, worker, false, 2 * MS);
	brain_publish(b, worker, nr);
}

static void seats_follow_the_machine(void **state)
{
	struct brain *b = open_brain(MACHINE, 0, BRAIN_PERFORMANCE);
	const struct brain_machine *m = brain_machine(b);
	uint32_t w;

	(void)state;
	assert_int_equal(m->workers, 16);
	assert_int_equal(m->cpus, 16);
	assert_int_equal(m->cores, 8);
	assert_int_equal(m->packages, 2);
	assert_true(m->synthetic);
	for (w = 0; w < 16; w++) {
		assert_int_equal(brain_seat(b, w)->cpu, w);
		assert_int_equal(brain_seat(b, w)->core, w / 2);
		assert_int_equal(brain_seat(b, w)->package, w / 8);
		assert_false(brain_seat(b, w)->pinnable);
	}
	brain_close(b);
}

static void threads_narrow_or_share(void **state)
{
	struct brain *b = open_brain(MACHINE, 3, BRAIN_PERFORMANCE);

	(void)state;
	assert_int_equal(brain_machine(b)->workers, 3);
	assert_int_equal(brain_machine(b)->cpus, 3);
	assert_int_equal(brain_machine(b)->cores, 2);
	assert_int_equal(brain_machine(b)->packages, 1);
	brain_close(b);
	b = open_brain("core:2", 5, BRAIN_PERFORMANCE);
	assert_int_equal(brain_machine(b)->workers, 5);
	assert_int_equal(brain_machine(b)->cpus, 2);
	assert_int_equal(brain_seat(b, 4)->cpu, 0);
	assert_int_equal(brain_seat(b, 3)->core, 1);
	brain_close(b);
}

static void this_machine_can_be_pinned_to(void **state)
{
	struct brain *b = open_brain(NULL, 0, BRAIN_BALANCED);

	(void)state;
	assert_int_equal(brain_machine(b)->cpus, brain_machine(b)->real_cpus);
	assert_false(brain_machine(b)->synthetic);
	assert_true(brain_seat(b, 0)->pinnable);
	brain_close(b);
}

static void wrong_machines_are_explained(void **state)
{
	struct brain_config config = { .topology = "pack:2 bogus:3" };
	struct brain *b;
	char why[256] = "";

	(void)state;
	assert_int_equal(brain_open(&b, &config, why, sizeof(why)), EINVAL);
	assert_non_null(strstr(why, "bogus"));
	config.topology = "/nowhere/at.topo";
	assert_int_equal(brain_open(&b, &config, why, sizeof(why)), EINVAL);
	assert_non_null(strstr(why, "/nowhere/at.topo"));
}

/* One busy worker on cpu 0 has spawned a task: whom does it wake? */
static uint32_t first_helper(enum brain_level level)
{
	struct brain *b = open_brain(MACHINE, 0, level);
	uint32_t helper;

	everybody_sleeps(b);
	runs(b, 0, 2);
	helper = brain_whom_to_wake(b, 0);
	brain_close(b);
	return helper;
}

static void the_level_decides_who_is_woken(void **state)
{
	(void)state;
	/* A core of its own that shares the cache, and the sibling thread. */
	assert_in_range(first_helper(BRAIN_PERFORMANCE), 2, 7);
	assert_in_range(first_helper(BRAIN_BALANCED), 2, 7);
	assert_int_equal(first_helper(BRAIN_POWERSAVE), 1);
}

static void levels_can_change(void **state)
{
	struct brain *b = open_brain(MACHINE, 0, BRAIN_PERFORMANCE);

	(void)state;
	everybody_sleeps(b);
	runs(b, 0, 2);
	assert_int_equal(brain_set_level(b, BRAIN_POWERSAVE), 0);
	assert_int_equal(brain_whom_to_wake(b, 0), 1);
	assert_int_equal(brain_set_level(b, BRAIN_LEVELS), EINVAL);
	brain_close(b);
}

static void nobody_is_woken_twice(void **state)
{
	struct brain *b = open_brain("core:3", 0, BRAIN_PERFORMANCE);
	uint32_t first, second;

	(void)state;
	everybody_sleeps(b);
	runs(b, 0, 3);
	first = brain_whom_to_wake(b, 0);
	second = brain_whom_to_wake(b, 0);
	assert_int_equal(first + second, 1 + 2);
	assert_int_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	/* The claim ends when its worker is back and sleeps again. */
	brain_publish(b, first, 1);
	brain_idle(b, first, false, 3 * MS);
	assert_int_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	brain_publish(b, first, 0);
	brain_idle(b, first, true, 4 * MS);
	assert_int_equal(brain_whom_to_wake(b, 0), first);
	brain_close(b);
}

static void sharing_a_cpu_does_not_hide_sleepers(void **state)
{
	struct brain *b = open_brain("core:1", 2, BRAIN_PERFORMANCE);

	(void)state;
	everybody_sleeps(b);
	runs(b, 0, 2);
	assert_int_equal(brain_whom_to_wake(b, 0), 1);
	assert_int_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	brain_close(b);
}

static void sharing_a_cpu_one_is_woken_at_a_time_the_last_to_sleep_first(void **state)
{
	struct brain *b = open_brain("core:1", 4, BRAIN_PERFORMANCE);

	(void)state;
	everybody_sleeps(b);
	brain_idle(b, 2, false, 2 * MS);
	brain_idle(b, 2, true, 2 * MS);
	runs(b, 0, 5);
	assert_true(brain_is_alone(b, 0));
	assert_int_equal(brain_whom_to_wake(b, 0), 2);
	assert_int_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	/* Meanwhile work from outside waits where somebody is awake or coming. */
	assert_int_equal(brain_place(b, BRAIN_NOBODY, false), 2);
	brain_idle(b, 2, false, 3 * MS);
	brain_publish(b, 2, 1);
	assert_false(brain_is_alone(b, 0));
	assert_int_equal(brain_whom_to_wake(b, 0), 3);
	brain_idle(b, 3, false, 3 * MS);
	brain_publish(b, 3, 1);
	assert_int_equal(brain_whom_to_wake(b, 0), 1);
	brain_close(b);
}

/* Whether it slept when it was told to take no part, or fell asleep later. */
static void who_takes_no_part_is_not_woken(void **state)
{
	static const bool one_each[] = { true, true, false, false }, all[] = { true, true, true, true };
	struct brain *b = open_brain("core:2", 4, BRAIN_PERFORMANCE);

	(void)state;
	everybody_sleeps(b);
	brain_idle(b, 2, false, 2 * MS);
	assert_int_equal(brain_set_working(b, one_each), 0);
	brain_idle(b, 2, true, 2 * MS);
	runs(b, 0, 5);
	runs(b, 1, 5);
	assert_int_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	assert_in_range(brain_place(b, BRAIN_NOBODY, false), 0, 1);
	assert_int_equal(brain_set_working(b, all), 0);
	assert_in_range(brain_whom_to_wake(b, 0), 2, 3);
	brain_close(b);
}

static void outside_work_goes_where_the_last_was_warm(void **state)
{
	struct brain *b = open_brain(MACHINE, 0, BRAIN_PERFORMANCE);
	uint32_t first, second;

	(void)state;
	everybody_sleeps(b);
	first = brain_place(b, BRAIN_NOBODY, false);
	runs(b, first, 1);
	second = brain_place(b, BRAIN_NOBODY, false);
	assert_int_not_equal(brain_seat(b, second)->package, brain_seat(b, first)->package);
	runs(b, second, 1);
	brain_publish(b, second, 0);
	brain_idle(b, second, true, 3 * MS);
	assert_int_equal(brain_place(b, BRAIN_NOBODY, false), second);
	brain_close(b);
}

/* Not behind the others while cpus beside them sleep, whichever level the rules place within. */
static void outside_work_goes_next_door_when_all_is_busy(void **state)
{
	struct brain *b = open_brain(MACHINE, 0, BRAIN_POWERSAVE);
	bool used[16] = { false };
	uint32_t worker, i;

	(void)state;
	everybody_sleeps(b);
	for (i = 0; i < 16; i++) {
		worker = brain_place(b, BRAIN_NOBODY, false);
		assert_false(used[worker]);
		assert_int_equal(brain_seat(b, worker)->package, i / 8);
		used[worker] = true;
		runs(b, worker, 1);
	}
	/* What comes next begins where the first did, not where room was found in the end. */
	for (worker = 0; worker < 16; worker += 8) {
		brain_publish(b, worker, 0);
		brain_idle(b, worker, true, 3 * MS);
	}
	assert_int_equal(brain_place(b, BRAIN_NOBODY, false), 0);
	brain_close(b);
}

static void outside_work_stays_together_to_save_power(void **state)
{
	enum brain_level level;

	(void)state;
	for (level = BRAIN_BALANCED; level < BRAIN_LEVELS; level++) {
		struct brain *b = open_brain(MACHINE, 0, level);
		uint32_t first, second;

		everybody_sleeps(b);
		first = brain_place(b, BRAIN_NOBODY, false);
		runs(b, first, 1);
		second = brain_place(b, BRAIN_NOBODY, false);
		assert_int_not_equal(second, first);
		assert_int_equal(brain_seat(b, second)->package, brain_seat(b, first)->package);
		if (level == BRAIN_POWERSAVE)
			assert_int_equal(brain_seat(b, second)->core, brain_seat(b, first)->core);
		brain_close(b);
	}
}

static void a_searcher_is_not_woken_for(void **state)
{
	struct brain *b = open_brain("core:6", 0, BRAIN_PERFORMANCE);

	(void)state;
	everybody_sleeps(b);
	runs(b, 0, 2);
	runs(b, 1, 0);
	runs(b, 2, 0);
	runs(b, 3, 0);
	assert_true(brain_search_begin(b, 1));
	assert_true(brain_search_begin(b, 1));
	assert_true(brain_search_begin(b, 2));
	/* Three without work of four awake are too many. */
	assert_false(brain_search_begin(b, 3));
	brain_search_end(b, 2);
	assert_int_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	assert_int_equal(brain_place(b, BRAIN_NOBODY, false), 1);
	brain_search_end(b, 1);
	brain_search_end(b, 1);
	assert_in_range(brain_whom_to_wake(b, 0), 4, 5);
	/* Falling asleep ends it as well, and leaves the place to others. */
	assert_true(brain_search_begin(b, 2));
	assert_int_equal(brain_place(b, BRAIN_NOBODY, false), 2);
	brain_idle(b, 2, true, 3 * MS);
	assert_int_not_equal(brain_whom_to_wake(b, 0), BRAIN_NOBODY);
	assert_true(brain_search_begin(b, 1));
	brain_close(b);
}

static void sharing_a_cpu_one_searches(void **state)
{
	struct brain *b = open_brain("core:2", 4, BRAIN_PERFORMANCE);
	struct brain_pull pull;

	(void)state;
	everybody_sleeps(b);
	runs(b, 1, 0);
	runs(b, 3, 2);
	assert_true(brain_search_begin(b, 1));
	assert_false(brain_search_begin(b, 3));
	assert_int_equal(brain_whom_to_wake(b, 3), BRAIN_NOBODY);
	assert_true(brain_beside(b, 1, &pull));
	assert_int_equal(pull.from, 3);
	assert_int_equal(pull.amount, 1);
	assert_int_equal(brain_half(b, 3), 1);
	brain_publish(b, 3, 1);
	assert_int_equal(brain_half(b, 3), 1);
	brain_publish(b, 3, 9);
	assert_true(brain_beside(b, 1, &pull));
	assert_int_equal(pull.amount, 4);
	assert_false(brain_beside(b, 3, &pull));
	/* The other one still runs: the cpu is not idle, but neither is it in search. */
	brain_idle(b, 1, true, 3 * MS);
	assert_int_not_equal(brain_whom_to_wake(b, 3), BRAIN_NOBODY);
	assert_true(brain_search_begin(b, 3));
	brain_close(b);
}

static void sharing_a_cpu_adds_up(void **state)
{
	struct brain *b = open_brain("core:2", 4, BRAIN_PERFORMANCE);
	struct brain_pull pull;

	(void)state;
	everybody_sleeps(b);
	runs(b, 1, 2);
	runs(b, 3, 1);
	brain_publish(b, 3, 0);
	runs(b, 0, 0);
	assert_true(brain_busiest(b, 0, 0, &pull));
	assert_int_equal(pull.from, 1);
	assert_int_equal(pull.amount, 1);
	brain_close(b);
}

static void the_dry_worker_is_sent_to_the_longest_queue(void **state)
{
	struct brain *b = open_brain("core:4", 0, BRAIN_PERFORMANCE);
	struct brain_pull pull;
	uint32_t w;

	(void)state;
	everybody_sleeps(b);
	for (w = 0; w < 4; w++)
		runs(b, w, w == 3 ? 0 : 1);
	assert_int_equal(brain_levels(b, 3), 1);
	assert_false(brain_busiest(b, 3, 0, &pull));
	brain_publish(b, 2, 2);
	brain_publish(b, 1, 7);
	assert_true(brain_busiest(b, 3, 0, &pull));
	assert_int_equal(pull.from, 1);
	/* Half of the difference, in whole tasks. */
	assert_int_equal(pull.amount, 3);
	brain_publish(b, 1, 1);
	assert_true(brain_busiest(b, 3, 0, &pull));
	assert_int_equal(pull.from, 2);
	assert_int_equal(pull.amount, 1);
	assert_false(brain_busiest(b, 3, 1, &pull));
	brain_close(b);
}

static void a_tick_is_told_once(void **state)
{
	struct brain *b = open_brain("core:2", 0, BRAIN_PERFORMANCE);
	uint64_t t;

	(void)state;
	for (t = 3; t < 10; t++) {
		assert_true(brain_tick(b, t * MS));
		assert_false(brain_tick(b, t * MS + MS - 1));
	}
	brain_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(seats_follow_the_machine, watchdog),
		cmocka_unit_test_setup(threads_narrow_or_share, watchdog),
		cmocka_unit_test_setup(this_machine_can_be_pinned_to, watchdog),
		cmocka_unit_test_setup(wrong_machines_are_explained, watchdog),
		cmocka_unit_test_setup(the_level_decides_who_is_woken, watchdog),
		cmocka_unit_test_setup(levels_can_change, watchdog),
		cmocka_unit_test_setup(nobody_is_woken_twice, watchdog),
		cmocka_unit_test_setup(sharing_a_cpu_does_not_hide_sleepers, watchdog),
		cmocka_unit_test_setup(
			sharing_a_cpu_one_is_woken_at_a_time_the_last_to_sleep_first, watchdog),
		cmocka_unit_test_setup(who_takes_no_part_is_not_woken, watchdog),
		cmocka_unit_test_setup(outside_work_goes_where_the_last_was_warm, watchdog),
		cmocka_unit_test_setup(outside_work_goes_next_door_when_all_is_busy, watchdog),
		cmocka_unit_test_setup(outside_work_stays_together_to_save_power, watchdog),
		cmocka_unit_test_setup(a_searcher_is_not_woken_for, watchdog),
		cmocka_unit_test_setup(sharing_a_cpu_one_searches, watchdog),
		cmocka_unit_test_setup(sharing_a_cpu_adds_up, watchdog),
		cmocka_unit_test_setup(the_dry_worker_is_sent_to_the_longest_queue, watchdog),
		cmocka_unit_test_setup(a_tick_is_told_once, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
