/* SPDX-License-Identifier: MIT */
/* Description: the calibrator on this machine, with every part of the system failing in turn. */
#define _GNU_SOURCE 1 /* gettid, sched_setaffinity */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/hosted.h>
#include "hosted/calibrate.h"
#include "port.h"

#define MS UINT64_C(1000000)
/* A loaded machine lets the caller wait for its cpu, which is no fault of the library. */
#define SLACK_NS (400 * MS)

static struct sdpower_topology *machine;
static void *block;
static sdpower *instance;
static struct sdpower_i_system broken; /* this system, with one part replaced */

static int set_up(void **state)
{
	struct sdpower_config config = { .struct_size = sizeof(config) };
	size_t size, align;

	(void)state;
	if (sdpower_hosted_topology(NULL, 0, &machine, NULL))
		return -1;
	config.topology = machine;
	if (sdpower_memory_needed(&config, &size, &align))
		return -1;
	block = aligned_alloc(align, (size + align - 1) / align * align);
	return sdpower_init(block, size, &config, &instance) ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	sdpower_hosted_topology_free(machine);
	free(block);
	return 0;
}

static unsigned entries_of(const char *path)
{
	DIR *const folder = opendir(path);
	unsigned count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void sleep_ms(unsigned ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	(void)nanosleep(&time, NULL);
}

/* What a call must leave as it was. */
struct before {
	cpu_set_t affinity;
	sigset_t mask;
	unsigned threads, files;
};

static struct before look(void)
{
	struct before b = { .threads = entries_of("/proc/self/task"),
		.files = entries_of("/proc/self/fd") };

	assert_int_equal(sched_getaffinity(0, sizeof(b.affinity), &b.affinity), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &b.mask), 0);
	return b;
}

/* A thread that got no cpu in time ends when it gets one; one that was joined leaves /proc soon. */
static void assert_nothing_is_left(const struct before *b)
{
	struct before now = look();

	for (int waits = 0; waits < 5000 && now.threads > b->threads; waits++) {
		sleep_ms(1);
		now = look();
	}
	assert_int_equal(now.threads, b->threads);
	assert_int_equal(now.files, b->files);
	assert_true(CPU_EQUAL(&now.affinity, &b->affinity));
	for (int signal = 1; signal < 32; signal++)
		assert_int_equal(sigismember(&now.mask, signal), sigismember(&b->mask, signal));
}

/* Whatever was found, it fits together. */
static void assert_sound(const struct sdpower_calibration *c)
{
	uint32_t flags = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		const struct sdpower_calibration_distance *const d = &c->distance[i];

		flags |= d->flags;
		assert_true(d->hot_ns > 0);
		if (d->flags & SDPOWER_CALIBRATION_DEFAULTED) {
			assert_int_equal(d->pairs, 0);
			continue;
		}
		assert_in_range(d->pairs, 1, SDPOWER_I_PAIRS);
		assert_true(d->least_ns <= d->cost_ns && d->cost_ns <= d->most_ns);
		assert_true(d->low_ns <= d->high_ns && d->size >= 64 && d->rounds >= 5);
		assert_int_equal(d->hot_ns, 2 * d->cost_ns * c->percent / 100);
		assert_true(d->ping_ps > 0);
	}
	assert_int_equal(c->flags, flags);
}

/* Calibrates with a broken system; returns the flags, in time and with nothing left behind. */
static uint32_t calibrated(const struct sdpower_calibrate_options *options,
	struct sdpower_calibration *c)
{
	const struct before before = look();
	const uint64_t hard_ns = options && options->hard_ns ? options->hard_ns : 250 * MS;
	const uint64_t began = sdpower_i_now();

	*c = (struct sdpower_calibration) { .struct_size = sizeof(*c) };
	assert_true(sdpower_i_calibrate(&broken, instance, machine, options, c) >= 0);
	assert_true(sdpower_i_now() - began < c->count * (hard_ns + 10 * MS) + SLACK_NS);
	assert_sound(c);
	assert_nothing_is_left(&before);
	return c->flags;
}

static int has_pairs(void)
{
	return sdpower_i_distances(instance) > 0;
}

static void this_machine_is_measured(void **state)
{
	struct sdpower_calibrate_point points[64];
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.points = points, .point_capacity = 64, .hard_ns = 400 * MS };
	struct sdpower_calibration c;

	(void)state;
	broken = sdpower_i_this_system;
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

static int pins_left;

static int pin_sometimes(uint32_t os_id)
{
	return pins_left-- > 0 ? sdpower_i_this_system.pin(os_id) : -1;
}

static void threads_that_cannot_be_pinned(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	if (!has_pairs())
		skip();
	for (int good = 0; good <= 1; good++) {
		broken = sdpower_i_this_system;
		broken.pin = pin_sometimes;
		pins_left = good;
		assert_int_equal(calibrated(NULL, &c), SDPOWER_CALIBRATION_UNPINNED |
			SDPOWER_CALIBRATION_DEFAULTED);
		assert_int_equal(c.distance[0].hot_ns, SDPOWER_CALIBRATION_DEFAULT_NS);
		pins_left = good;
		assert_int_equal(sdpower_i_recheck(&broken, machine, &c), SDPOWER_EBUSY);
	}
}

static int starts_left;

static int start_sometimes(pthread_t *thread, void *(*run)(void *), void *context)
{
	return starts_left-- > 0 ? sdpower_i_this_system.start(thread, run, context) : -1;
}

static void threads_that_cannot_be_started(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	if (!has_pairs())
		skip();
	for (int good = 0; good <= 1; good++) {
		broken = sdpower_i_this_system;
		broken.start = start_sometimes;
		starts_left = good;
		assert_int_equal(calibrated(NULL, &c), SDPOWER_CALIBRATION_NO_THREADS |
			SDPOWER_CALIBRATION_DEFAULTED);
	}
}

static int maps_left;

static void *map_sometimes(size_t size)
{
	return maps_left-- > 0 ? sdpower_i_this_system.map(size) : NULL;
}

/* Without any it is the default; without fresh memory later, what the first one gave. */
static void memory_that_is_not_there(void **state)
{
	struct sdpower_calibration c;

	(void)state;
	if (!has_pairs())
		skip();
	for (int good = 0; good <= 2; good++) {
		uint32_t flags;

		broken = sdpower_i_this_system;
		broken.map = map_sometimes;
		maps_left = good;
		flags = calibrated(NULL, &c);
		if (!good && !(flags & SDPOWER_CALIBRATION_TIMEOUT))
			assert_int_equal(flags, SDPOWER_CALIBRATION_NO_MEMORY |
				SDPOWER_CALIBRATION_DEFAULTED);
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
		broken = sdpower_i_this_system;
		if (which)
			broken.cpu = nowhere;
		else
			broken.switches = ever_more_switches;
		flags = calibrated(NULL, &c);
		assert_true(flags & SDPOWER_CALIBRATION_DEFAULTED);
		assert_true(flags & (SDPOWER_CALIBRATION_NOISY | SDPOWER_CALIBRATION_TIMEOUT));
	}
}

/* Threads that get no cpu: they wait in a call of the system until the test lets them go. */
static uint32_t gate_is_open, passes;

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

static int pin_second_later(uint32_t os_id)
{
	if (os_id == sdpower_i_load(&passes))
		wait_at_the_gate();
	return sdpower_i_this_system.pin(os_id);
}

static void *map_later(size_t size)
{
	wait_at_the_gate();
	return sdpower_i_this_system.map(size);
}

static void assert_returns_in_time_without_them(void)
{
	const struct sdpower_calibrate_options options = { .struct_size = sizeof(options),
		.hard_ns = 30 * MS, .total_ns = 40 * MS };
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	const struct before before = look();
	const uint64_t began = sdpower_i_now();

	sdpower_i_store_release(&gate_is_open, 0);
	assert_int_equal(sdpower_i_calibrate(&broken, instance, machine, &options, &c), 0);
	assert_true(sdpower_i_now() - began < 40 * MS + 10 * MS + SLACK_NS);
	assert_int_equal(c.flags, SDPOWER_CALIBRATION_TIMEOUT | SDPOWER_CALIBRATION_DEFAULTED);
	assert_sound(&c);
	/* What they hold is theirs until they run again, and then goes with them. */
	sdpower_i_store_release(&gate_is_open, 1);
	assert_nothing_is_left(&before);
}

static void partners_that_never_run(void **state)
{
	(void)state;
	if (!has_pairs())
		skip();
	broken = sdpower_i_this_system;
	broken.pin = pin_later;
	assert_returns_in_time_without_them();
	sdpower_i_store(&passes, machine->cpus[1].os_id);
	broken.pin = pin_second_later;
	assert_returns_in_time_without_them();
	sdpower_i_store(&passes, machine->cpus[0].os_id);
	assert_returns_in_time_without_them();
	broken = sdpower_i_this_system;
	broken.map = map_later;
	assert_returns_in_time_without_them();
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
	broken = sdpower_i_this_system;
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
	broken = sdpower_i_this_system;
	broken.start = start_sometimes;
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
	broken = sdpower_i_this_system;
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
		cmocka_unit_test(threads_that_cannot_be_pinned),
		cmocka_unit_test(threads_that_cannot_be_started),
		cmocka_unit_test(memory_that_is_not_there),
		cmocka_unit_test(rounds_that_are_always_disturbed),
		cmocka_unit_test(partners_that_never_run),
		cmocka_unit_test(a_storm_of_signals),
		cmocka_unit_test(one_cpu_is_left),
		cmocka_unit_test(a_caller_that_has_had_enough),
		cmocka_unit_test(what_has_moved_is_noticed),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests_name("calibrate", tests, set_up, tear_down);
}
