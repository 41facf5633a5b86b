/* SPDX-License-Identifier: MIT */
/*
 * The calibrator on this machine, as hosts call it: what it takes, how alike its answers are, how
 * soon it gives up. First every run, then one value a line. A virtual machine may be in several
 * states, which `ping` tells apart; answers are compared within a state, those without a flag only.
 * On a loaded machine most runs come to the hard limit and say TIMEOUT: run it on a quiet one too.
 */
#define _GNU_SOURCE 1 /* pthread_t in the table of calls */
#include <string.h>
#include <sdpower.h>
#include <sdpower/hosted.h>
#include "bench.h"
#include "hosted/calibrate.h"

#define RUNS 40
/* Between the pings of a shared cache (24 to 43 ns) and of another one (130 to 180). */
#define FAR_PS 70000u

static struct sdpower_topology *machine;
static sdpower *instance;
static double costs[2][RUNS], walls[RUNS];
static unsigned answers[2], defaulted, timeouts;

static int make_instance(void)
{
	struct sdpower_config config = { .struct_size = sizeof(config) };
	size_t size, align;

	if (sdpower_hosted_topology(NULL, 0, &machine, NULL))
		return 0;
	config.topology = machine;
	return sdpower_memory_needed(&config, &size, &align) == SDPOWER_OK &&
		sdpower_init(aligned_alloc(align, (size + align - 1) / align * align), size,
			&config, &instance) == SDPOWER_OK;
}

static void print_flags(uint32_t flags)
{
	const char *comma = "";

	for (uint32_t bit = 1; bit <= SDPOWER_CALIBRATION_FLAGS; bit *= 2)
		if (flags & bit) {
			printf("%s%s", comma, sdpower_calibration_flag_name(bit));
			comma = ",";
		}
	puts(*comma ? "" : "-");
}

static void run(unsigned number)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	const struct sdpower_calibration_distance *const d = &c.distance[0];

	if (sdpower_calibrate(instance, machine, NULL, &c) < 0)
		exit(1);
	printf("%u\t%.1f\t%u\t%u\t%u\t%u\t%.1f\t", number, (double)d->ping_ps / 1000,
		(unsigned)(d->size / 1024), (unsigned)d->cost_ns, (unsigned)d->low_ns,
		(unsigned)d->high_ns, (double)d->wall_ns / 1e6);
	print_flags(d->flags);
	walls[number] = (double)d->wall_ns / 1e6;
	defaulted += (d->flags & SDPOWER_CALIBRATION_DEFAULTED) != 0;
	timeouts += (d->flags & SDPOWER_CALIBRATION_TIMEOUT) != 0;
	if (!d->flags) {
		const unsigned far = d->ping_ps > FAR_PS;

		costs[far][answers[far]++] = (double)d->cost_ns;
	}
}

static unsigned within(const double *values, unsigned count, double percent)
{
	const double middle = values[count / 2];
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++)
		found += values[i] >= middle * (1 - percent / 100) &&
			values[i] <= middle * (1 + percent / 100);
	return found;
}

static void print_state(unsigned far)
{
	const char *const state = far ? "far" : "near";
	const unsigned count = answers[far];

	printf("%s: runs without a flag\t%u\n", state, count);
	if (!count)
		return;
	qsort(costs[far], count, sizeof(costs[far][0]), bench_compare);
	printf("%s: cost, median ns\t%.0f\n", state, costs[far][count / 2]);
	printf("%s: within 5, within 10 per cent\t%u, %u\n", state, within(costs[far], count, 5),
		within(costs[far], count, 10));
}

static int no_pin(uint32_t os_id)
{
	(void)os_id;
	return -1;
}

static int no_start(pthread_t *thread, void *(*body)(void *), void *context)
{
	(void)thread;
	(void)body;
	(void)context;
	return -1;
}

/* Median of RUNS whole calls, ms. */
static double failing(const struct sdpower_i_system *system)
{
	for (unsigned i = 0; i < RUNS; i++) {
		struct sdpower_calibration c = { .struct_size = sizeof(c) };

		(void)sdpower_i_calibrate(system, instance, machine, NULL, &c);
		walls[i] = (double)c.wall_ns / 1e6;
	}
	qsort(walls, RUNS, sizeof(walls[0]), bench_compare);
	return walls[RUNS / 2];
}

static double recheck_us(void)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };

	(void)sdpower_calibrate(instance, machine, NULL, &c);
	for (unsigned i = 0; i < RUNS; i++) {
		const uint64_t begin = bench_now();

		(void)sdpower_calibrate_recheck(machine, &c);
		walls[i] = (double)(bench_now() - begin) / 1e3;
	}
	qsort(walls, RUNS, sizeof(walls[0]), bench_compare);
	return walls[RUNS / 2];
}

int main(void)
{
	struct sdpower_i_system broken = sdpower_i_this_system;

	if (!make_instance())
		return 1;
	if (!sdpower_i_distances(instance))
		return bench_skip("one cpu: nothing to measure");
	puts("run\tping ns\tKiB\tcost ns\tlow\thigh\twall ms\tflags");
	for (unsigned i = 0; i < RUNS; i++)
		run(i);
	puts("\nproperty\tvalue");
	print_state(0);
	print_state(1);
	printf("timeouts, default times\t%u, %u of %u\n", timeouts, defaulted, RUNS);
	qsort(walls, RUNS, sizeof(walls[0]), bench_compare);
	printf("wall ms, least, median, most\t%.1f, %.1f, %.1f\n", walls[0], walls[RUNS / 2],
		walls[RUNS - 1]);
	broken.pin = no_pin;
	printf("cannot pin, ms\t%.2f\n", failing(&broken));
	broken = sdpower_i_this_system;
	broken.start = no_start;
	printf("no threads, ms\t%.2f\n", failing(&broken));
	printf("re-check, us\t%.0f\n", recheck_us());
	return 0;
}
