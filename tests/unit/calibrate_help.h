/* SPDX-License-Identifier: MIT */
/* For tests of the calibrator: an instance of this machine, and a system that can be broken. */
#ifndef SDPOWER_TEST_CALIBRATE_HELP_H
#define SDPOWER_TEST_CALIBRATE_HELP_H

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/hosted.h>
#include "hosted/calibrate.h"
#include "port.h"

#define MS UINT64_C(1000000)
/* A loaded machine lets the caller wait for its cpu, which is no fault of the library: with 16 busy
 * programs beside it 400 ms were not enough in one run of twenty. What hangs takes for ever. */
#define SLACK_NS (2000 * MS)

static struct sdpower_topology *machine;
static void *block;
static sdpower *instance;
static struct sdpower_i_system *broken; /* this system, with one part replaced */

/* Another table each time: a thread that is late may still read the last one. */
static inline void repair(void)
{
	static struct sdpower_i_system tables[32];
	static unsigned next;

	assert_true(next < 32);
	broken = &tables[next++];
	*broken = sdpower_i_this_system;
}

static inline void *do_nothing(void *context)
{
	return context;
}

/* The first thread of all, since ThreadSanitizer starts one of its own with it. */
static inline int set_up(void **state)
{
	struct sdpower_config config = { .struct_size = sizeof(config) };
	pthread_t thread;
	size_t size, align;

	(void)state;
	if (pthread_create(&thread, NULL, do_nothing, NULL) || pthread_join(thread, NULL) ||
	    sdpower_hosted_topology(NULL, 0, &machine, NULL))
		return -1;
	config.topology = machine;
	if (sdpower_memory_needed(&config, &size, &align))
		return -1;
	block = aligned_alloc(align, (size + align - 1) / align * align);
	return sdpower_init(block, size, &config, &instance) ? -1 : 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	sdpower_hosted_topology_free(machine);
	free(block);
	return 0;
}

static inline unsigned entries_of(const char *path)
{
	DIR *const folder = opendir(path);
	unsigned count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static inline void sleep_ms(unsigned ms)
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

static inline struct before look(void)
{
	struct before b = { .threads = entries_of("/proc/self/task"),
		.files = entries_of("/proc/self/fd") };

	assert_int_equal(sched_getaffinity(0, sizeof(b.affinity), &b.affinity), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &b.mask), 0);
	return b;
}

/* A thread that got no cpu in time ends when it gets one; one that was joined leaves /proc soon. */
static inline void assert_nothing_is_left(const struct before *b)
{
	struct before now = look();

	for (int waits = 0; waits < 5000 && now.threads > b->threads; waits++) {
		sleep_ms(1);
		now = look();
	}
	/* Fewer: one of before that had been joined was still on its way out. */
	assert_true(now.threads <= b->threads);
	assert_int_equal(now.files, b->files);
	assert_true(CPU_EQUAL(&now.affinity, &b->affinity));
	for (int signal = 1; signal < 32; signal++)
		assert_int_equal(sigismember(&now.mask, signal), sigismember(&b->mask, signal));
}

/* Whatever was found, it fits together. */
static inline void assert_sound(const struct sdpower_calibration *c)
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
static inline uint32_t calibrated(const struct sdpower_calibrate_options *options,
	struct sdpower_calibration *c)
{
	const struct before before = look();
	const uint64_t hard_ns = options && options->hard_ns ? options->hard_ns : 250 * MS;
	const uint64_t began = sdpower_i_now();

	*c = (struct sdpower_calibration) { .struct_size = sizeof(*c) };
	assert_true(sdpower_i_calibrate(broken, instance, machine, options, c) >= 0);
	assert_true(sdpower_i_now() - began < c->count * (hard_ns + 10 * MS) + SLACK_NS);
	assert_sound(c);
	assert_nothing_is_left(&before);
	return c->flags;
}

static inline int has_pairs(void)
{
	return sdpower_i_distances(instance) > 0;
}

static int starts_left;

static inline int start_sometimes(pthread_t *thread, void *(*run)(void *), void *context)
{
	return starts_left-- > 0 ? sdpower_i_this_system.start(thread, run, context) : -1;
}

#endif
