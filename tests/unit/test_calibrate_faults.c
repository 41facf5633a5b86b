/* SPDX-License-Identifier: MIT */
/* Description: the calibrator while one part of the system after the other fails. */
#define _GNU_SOURCE 1 /* gettid, sched_setaffinity */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include "calibrate_help.h"

static uint32_t good_cpu;

static int pin_one(uint32_t os_id)
{
	return os_id == sdpower_i_load(&good_cpu) ? sdpower_i_this_system.pin(os_id) : -1;
}

static void threads_that_cannot_be_pinned(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	if (!has_pairs())
		skip();
	for (int which = 0; which < 3; which++) {
		repair();
		broken->pin = pin_one;
		sdpower_i_store(&good_cpu,
			which < 2 ? machine->cpus[which].os_id : SDPOWER_ID_NONE);
		assert_int_equal(calibrated(NULL, &c), SDPOWER_CALIBRATION_UNPINNED |
			SDPOWER_CALIBRATION_DEFAULTED);
		assert_int_equal(c.distance[0].hot_ns, SDPOWER_CALIBRATION_DEFAULT_NS);
		c.distance[0].cpu = 0;
		c.distance[0].other = 1;
		c.distance[0].ping_ps = 30000;
		assert_int_equal(sdpower_i_recheck(broken, machine, &c), SDPOWER_EBUSY);
	}
}

/* Who did start is not waited for. */
static void threads_that_cannot_be_started(void **state)
{
	const struct sdpower_calibrate_options patient = { .struct_size = sizeof(patient),
		.hard_ns = 3000 * MS, .total_ns = 3000 * MS };
	struct sdpower_calibration c;
	uint64_t began;

	(void)state;
	if (!has_pairs())
		skip();
	for (int good = 0; good <= 1; good++) {
		repair();
		broken->start = start_sometimes;
		starts_left = good;
		began = sdpower_i_now();
		assert_int_equal(calibrated(&patient, &c), SDPOWER_CALIBRATION_NO_THREADS |
			SDPOWER_CALIBRATION_DEFAULTED);
		assert_true(sdpower_i_now() - began < 2000 * MS);
	}
}

static uint32_t maps_left;

static void *map_sometimes(size_t size)
{
	const uint32_t left = sdpower_i_load(&maps_left);

	sdpower_i_store(&maps_left, left ? left - 1 : 0);
	return left ? sdpower_i_this_system.map(size) : NULL;
}

/* Without any it is the default; without fresh memory later, what the first one gave. */
static void memory_that_is_not_there(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	if (!has_pairs())
		skip();
	for (uint32_t good = 0; good <= 2; good++) {
		uint32_t flags;

		repair();
		broken->map = map_sometimes;
		sdpower_i_store(&maps_left, good);
		flags = calibrated(NULL, &c);
		if (!good && !(flags & SDPOWER_CALIBRATION_TIMEOUT))
			assert_int_equal(flags & ~(uint32_t)SDPOWER_CALIBRATION_UNSTABLE,
				SDPOWER_CALIBRATION_NO_MEMORY | SDPOWER_CALIBRATION_DEFAULTED);
	}
}

static uint32_t nowhere(void)
{
	return UINT32_MAX;
}

static uint64_t ever_more_switches(void)
{
	static _Thread_local uint64_t switches;

	return switches++;
}

static void rounds_that_are_always_disturbed(void **state)
{
	struct sdpower_calibration c;
	uint32_t flags;

	(void)state;
	if (!has_pairs())
		skip();
	for (int which = 0; which < 2; which++) {
		repair();
		if (which)
			broken->cpu = nowhere;
		else
			broken->switches = ever_more_switches;
		flags = calibrated(NULL, &c);
		assert_true(flags & SDPOWER_CALIBRATION_DEFAULTED);
		assert_true(flags & (SDPOWER_CALIBRATION_NOISY | SDPOWER_CALIBRATION_TIMEOUT));
	}
}

/* Threads that get no cpu: they wait in a call of the system until the test lets them go. */
static uint32_t gate_is_open, late_cpu;

static void wait_at_the_gate(void)
{
	while (!sdpower_i_load_acquire(&gate_is_open))
		sleep_ms(1);
}

static int pin_later(uint32_t os_id)
{
	wait_at_the_gate();
	return sdpower_i_this_system.pin(os_id);
}

static int pin_one_later(uint32_t os_id)
{
	if (os_id == sdpower_i_load(&late_cpu))
		wait_at_the_gate();
	return sdpower_i_this_system.pin(os_id);
}

static void *map_later(size_t size)
{
	wait_at_the_gate();
	return sdpower_i_this_system.map(size);
}

static uint32_t unpinned;

static int count_unpinned(pthread_t thread)
{
	unpinned++; /* by the caller only */
	return sdpower_i_this_system.unpin(thread);
}

/* Returns how many threads had begun. */
static uint32_t returns_in_time_without_them(void)
{
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.hard_ns = 30 * MS, .total_ns = 40 * MS };
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	const struct before before = look();
	const uint64_t began = sdpower_i_now();

	broken->unpin = count_unpinned;
	unpinned = 0;
	sdpower_i_store_release(&gate_is_open, 0);
	assert_int_equal(sdpower_i_calibrate(broken, instance, machine, &options, &c), 0);
	assert_true(sdpower_i_now() - began < 40 * MS + 10 * MS + SLACK_NS);
	assert_int_equal(c.flags, SDPOWER_CALIBRATION_TIMEOUT | SDPOWER_CALIBRATION_DEFAULTED);
	assert_sound(&c);
	/* What they hold is theirs until they run again, and then goes with them. */
	sdpower_i_store_release(&gate_is_open, 1);
	assert_nothing_is_left(&before);
	return c.distance[0].cpu == SDPOWER_CPU_NONE ? 0 : 2;
}

static void partners_that_never_run(void **state)
{
	uint32_t begun;

	(void)state;
	if (!has_pairs())
		skip();
	repair();
	broken->pin = pin_later;
	begun = returns_in_time_without_them();
	assert_int_equal(unpinned, begun);
	for (uint32_t late = 0; late < 2; late++) {
		repair();
		broken->pin = pin_one_later;
		sdpower_i_store(&late_cpu, machine->cpus[late].os_id);
		(void)returns_in_time_without_them();
	}
	repair();
	broken->map = map_later;
	(void)returns_in_time_without_them();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_cannot_be_pinned),
		cmocka_unit_test(threads_that_cannot_be_started),
		cmocka_unit_test(memory_that_is_not_there),
		cmocka_unit_test(rounds_that_are_always_disturbed),
		cmocka_unit_test(partners_that_never_run),
	};

	return cmocka_run_group_tests_name("calibrate_faults", tests, set_up, tear_down);
}
