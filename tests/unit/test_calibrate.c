/* SPDX-License-Identifier: MIT */
/* Description: the calibrator on this machine, as it is and with signals, few cpus, impatience. */
#define _GNU_SOURCE 1 /* gettid, sched_setaffinity */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/time.h>
#include "calibrate_help.h"

static void this_machine_is_measured(void **state)
{
	struct sdpower_calibrate_point points[64];
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.points = points, .point_capacity = 64, .hard_ns = 400 * MS };
	struct sdpower_calibration c;

	(void)state;
	repair();
	memset(points, 0, sizeof(points));
	(void)calibrated(&options, &c);
	for (uint32_t i = 0; i < c.count; i++)
		print_message("distance %u: %u KiB cost %u ns, flags %x, %u ms\n", i,
			(unsigned)(c.distance[i].size / 1024), (unsigned)c.distance[i].cost_ns,
			c.distance[i].flags, (unsigned)(c.distance[i].wall_ns / MS));
	if (c.count && c.distance[0].size) {
		assert_int_equal(points[0].distance, 0);
		assert_int_equal(points[0].point.size, 32768);
	}
	assert_int_equal(c.flags & (SDPOWER_CALIBRATION_UNPINNED | SDPOWER_CALIBRATION_NO_MEMORY |
		SDPOWER_CALIBRATION_NO_THREADS), 0);
}

static volatile sig_atomic_t signals, strays;
static pid_t caller;

static void on_signal(int signal)
{
	(void)signal;
	signals = signals + 1;
	if (gettid() != caller)
		strays = strays + 1;
}

static void a_storm_of_signals(void **state)
{
	const struct itimerval storm = { { 0, 500 }, { 0, 500 } }, calm = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_signal }, before;
	struct sdpower_calibration c;

	(void)state;
	caller = gettid();
	repair();
	signals = strays = 0;
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &storm, NULL), 0);
	(void)calibrated(NULL, &c);
	assert_int_equal(setitimer(ITIMER_REAL, &calm, NULL), 0);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	if (has_pairs())
		assert_true(signals > 0);
	assert_int_equal(strays, 0);
}

/* A cpu is taken from us after the instance was made. */
static void one_cpu_is_left(void **state)
{
	struct before b = look();
	struct sdpower_calibration c;
	cpu_set_t one;

	(void)state;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &b.affinity))
			CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	repair();
	broken->start = start_sometimes;
	starts_left = 1000;
	(void)calibrated(NULL, &c);
	assert_int_equal(starts_left, 1000);
	assert_int_equal(c.flags, c.count ? SDPOWER_CALIBRATION_DEFAULTED : 0);
	assert_int_equal(sched_setaffinity(0, sizeof(b.affinity), &b.affinity), 0);
}

static uint32_t told;

static int stop_at_once(void *context, const struct sdpower_calibrate_progress *progress)
{
	assert_ptr_equal(context, &told);
	assert_int_equal(progress->distance, told);
	assert_true(progress->distance < progress->count);
	told++;
	return 1;
}

static void a_caller_that_has_had_enough(void **state)
{
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.progress = stop_at_once, .context = &told };
	struct sdpower_calibration c;

	(void)state;
	repair();
	told = 0;
	(void)calibrated(&options, &c);
	assert_int_equal(told, c.count ? 1 : 0);
	for (uint32_t i = 1; i < c.count; i++)
		assert_int_equal(c.distance[i].flags, SDPOWER_CALIBRATION_DEFAULTED);
}

static void what_has_moved_is_noticed(void **state)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	sdpower_status moved;

	(void)state;
	if (!has_pairs())
		skip();
	assert_int_equal(sdpower_calibration_start(&c, 1, 0), SDPOWER_OK);
	c.distance[0].cpu = 0;
	c.distance[0].other = 1;
	assert_int_equal(sdpower_calibrate_recheck(machine, &c), SDPOWER_EBUSY);
	c.distance[0].ping_ps = 1000000000;
	moved = sdpower_calibrate_recheck(machine, &c);
	if (moved == SDPOWER_EBUSY) /* a loaded machine */
		skip();
	assert_int_equal(moved, 1);
	assert_true(c.distance[0].flags & c.flags & SDPOWER_CALIBRATION_UNSTABLE);
}

static void nonsense_is_refused(void **state)
{
	struct sdpower_calibrate_options options = { .struct_size = sizeof(options), .flags = 2 };
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	struct sdpower_topology other = *machine;

	(void)state;
	assert_int_equal(sdpower_calibrate(instance, machine, &options, &c), SDPOWER_EINVAL);
	options.flags = 0;
	options.percent = 10001;
	assert_int_equal(sdpower_calibrate(instance, machine, &options, &c), SDPOWER_ERANGE);
	options.struct_size = 1;
	assert_int_equal(sdpower_calibrate(instance, machine, &options, &c), SDPOWER_EINVAL);
	other.cpu_count--;
	assert_int_equal(sdpower_calibrate(instance, &other, NULL, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibrate(NULL, machine, NULL, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibrate(instance, NULL, NULL, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibrate(instance, machine, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibrate_recheck(machine, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibrate_recheck(NULL, &c), SDPOWER_EINVAL);
	c.struct_size = 0;
	assert_int_equal(sdpower_calibrate(instance, machine, NULL, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibrate_recheck(machine, &c), SDPOWER_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_machine_is_measured),
		cmocka_unit_test(a_storm_of_signals),
		cmocka_unit_test(one_cpu_is_left),
		cmocka_unit_test(a_caller_that_has_had_enough),
		cmocka_unit_test(what_has_moved_is_noticed),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests_name("calibrate", tests, set_up, tear_down);
}
