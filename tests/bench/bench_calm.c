/* SPDX-License-Identifier: MIT */
/*
 * What the tunables of packing cost and win: tasks that run in bursts and change their ways, on 4
 * packages of 4 cores under powersave. Work is moved by balancing alone; idle cpus ask at each tick
 * of 4 ms. bench_calm [SECONDS [SEEDS]].
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../support/instance.h"

#define CPUS 16u
#define WIDTH 4u
#define TASKS 24u /* demand of 9 to 11 cpus */
#define LEVELS 4u
#define STEP_NS 1000000u
#define TICK_STEPS 4u
#define BURST_MS 30.0
#define WAYS_MS 400.0
#define GANG_MS 100u

static const double duties[] = { 0.1, 0.25, 0.4, 0.6, 0.9 };

/* Tasks change their ways each by itself, or all at once: calm and hard work by turns. */
enum ways { OWN_WAYS, GANG };

struct task {
	struct test_random random; /* of its own, so that balancing does not change what it does */
	struct sdpower_util util;
	uint32_t cpu;
	int runnable;
	double left_ms;  /* of the burst, or of the pause */
	double duty, ways_ms;
};

/* What a driver remembers of a level of a cpu; 0 = never. */
struct memory {
	uint64_t spread_ns, waiting_ns;
};

struct world {
	struct test_instance t;
	struct task task[TASKS];
	struct memory memory[CPUS][LEVELS];
	enum ways ways;
	uint64_t now_ns, dwell_ns, bound_ns;
	uint64_t moves, packing, spread_ticks, ticks, packages, cpus;
	double ran_ms, waited_ms;
};

static double exponential(struct task *t, double mean)
{
	return -mean * log(((double)test_draw(&t->random, 1u << 30) + 0.5) / (1u << 30));
}

static void change_ways(const struct world *w, struct task *t)
{
	if (w->ways == GANG) {
		t->duty = w->now_ns / STEP_NS / GANG_MS % 2 ? 0.9 : 0.1;
		t->ways_ms = GANG_MS - (double)(w->now_ns / STEP_NS % GANG_MS);
		return;
	}
	t->duty = duties[test_draw(&t->random, 5)];
	t->ways_ms = exponential(t, WAYS_MS);
}

static void next_phase(struct task *t)
{
	t->runnable = !t->runnable;
	t->left_ms = exponential(t, t->runnable ? BURST_MS : BURST_MS * (1 - t->duty) / t->duty);
}

static uint32_t runnable_on(const struct world *w, uint32_t cpu)
{
	uint32_t nr = 0;

	for (uint32_t k = 0; k < TASKS; k++)
		nr += (uint32_t)(w->task[k].runnable && w->task[k].cpu == cpu);
	return nr;
}

/* A millisecond: runnable tasks of a cpu share it. */
static void step(struct world *w)
{
	uint32_t nr[CPUS];

	for (uint32_t c = 0; c < CPUS; c++)
		nr[c] = runnable_on(w, c);
	w->now_ns += STEP_NS;
	for (uint32_t k = 0; k < TASKS; k++) {
		struct task *t = &w->task[k];
		const double ran = t->runnable ? 1.0 / nr[t->cpu] : 1.0;

		(void)sdpower_util_add(&t->util, w->now_ns, (uint32_t)t->runnable);
		w->ran_ms += t->runnable ? ran : 0;
		w->waited_ms += t->runnable ? 1 - ran : 0;
		t->left_ms -= ran;
		t->ways_ms -= 1;
		if (t->ways_ms < 0)
			change_ways(w, t);
		if (t->left_ms < 0)
			next_phase(t);
	}
}

static void publish(struct world *w, uint32_t cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .has_util = 1,
		.outside_capacity = SDPOWER_SCALE };

	for (uint32_t k = 0; k < TASKS; k++)
		if (w->task[k].runnable && w->task[k].cpu == cpu) {
			c.nr++;
			c.util += sdpower_util_share(&w->task[k].util);
		}
	c.load = 1024 * c.nr;
	c.activity = c.nr ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING;
	if (sdpower_set_cpu(w->t.s, cpu, &c))
		abort();
}

static void follow(struct world *w, const struct sdpower_busiest *a)
{
	struct task *best = NULL;

	for (uint32_t k = 0; k < TASKS; k++) {
		struct task *t = &w->task[k];
		const uint32_t share = sdpower_util_share(&t->util);

		if (t->runnable && t->cpu == a->from && share <= a->util_most &&
				(!best || share > sdpower_util_share(&best->util)))
			best = t;
	}
	if (!best)
		return;
	best->cpu = a->target;
	w->moves++;
	w->packing += a->kind == SDPOWER_PULL_POWER;
	publish(w, a->from);
	publish(w, a->target);
}

/* Rule P10, as the driver keeps it. */
static uint32_t flags_of(const struct world *w, const struct memory *m)
{
	if (m->spread_ns && w->now_ns - m->spread_ns < w->dwell_ns)
		return SDPOWER_ASK_SPREADING;
	if (m->waiting_ns && w->now_ns - m->waiting_ns >= w->bound_ns)
		return SDPOWER_ASK_IMPATIENT;
	return 0;
}

static void ask(struct world *w, uint32_t cpu)
{
	for (uint32_t depth = 0; depth < LEVELS; depth++) {
		struct memory *m = &w->memory[cpu][depth];
		const struct sdpower_busiest_request r = { .struct_size = sizeof(r), .cpu = cpu,
			.depth = depth, .idle = SDPOWER_CPU_IDLE, .flags = flags_of(w, m) };
		struct sdpower_busiest a = { .struct_size = sizeof(a) };

		if (sdpower_find_busiest_group(w->t.s, &r, &a))
			return;
		if (a.spreading)
			m->spread_ns = w->now_ns;
		m->waiting_ns = !a.waiting ? 0 : m->waiting_ns ? m->waiting_ns : w->now_ns;
		w->spread_ticks += (r.flags & SDPOWER_ASK_SPREADING) != 0;
		if (a.kind == SDPOWER_PULL_NONE)
			continue;
		follow(w, &a);
		return;
	}
}

static void tick(struct world *w)
{
	for (uint32_t c = 0; c < CPUS; c++)
		publish(w, c);
	for (uint32_t c = 0; c < CPUS; c++)
		if (!runnable_on(w, c))
			ask(w, c);
	w->ticks++;
	for (uint32_t p = 0; p < CPUS / WIDTH; p++) {
		uint32_t used = 0;

		for (uint32_t i = 0; i < WIDTH; i++)
			used += runnable_on(w, p * WIDTH + i) > 0;
		w->packages += used > 0;
		w->cpus += used;
	}
}

static void run(struct world *w, uint64_t seed, uint32_t seconds)
{
	memset(w->memory, 0, sizeof(w->memory));
	w->now_ns = STEP_NS;
	for (uint32_t k = 0; k < TASKS; k++) {
		struct task *t = &w->task[k];

		*t = (struct task){ .random = { seed * TASKS + k }, .cpu = k % CPUS };
		if (sdpower_util_start(&t->util, 32000000, w->now_ns))
			abort();
		change_ways(w, t);
		t->left_ms = exponential(t, BURST_MS);
	}
	for (uint32_t i = 0; i < seconds * 1000; i++) {
		step(w);
		if (i % TICK_STEPS == 0)
			tick(w);
	}
}

static void row(enum ways ways, uint32_t level, uint32_t fill, uint32_t dwell_us, uint32_t seconds,
	uint32_t seeds)
{
	const struct sdpower_tunables tunables = { .struct_size = sizeof(tunables),
		.fill_percent = fill, .dwell_us = dwell_us };
	struct world w = { .ways = ways, .dwell_ns = (uint64_t)dwell_us * 1000,
		.bound_ns = 10000000 };
	const double all = (double)seconds * seeds;

	if (test_make(&w.t, "pack:4 core:4") || sdpower_set_level(w.t.s, level) ||
	    sdpower_set_tunables(w.t.s, &tunables))
		abort();
	for (uint32_t seed = 0; seed < seeds; seed++)
		run(&w, seed, seconds);
	printf("%s\t%u\t%u\t%u\t%.1f\t%.1f\t%.2f\t%.3f\t%.3f\n",
		ways == GANG ? "gang" : "own", level, fill, dwell_us,
		(double)w.moves / all, (double)w.packing / all, 100 * w.waited_ms / w.ran_ms,
		(double)w.packages / (double)w.ticks, (double)w.cpus / (double)w.ticks);
	test_drop(&w.t);
}

int main(int argc, char **argv)
{
	static const uint32_t dwells[] = { 1, 8000, 16000, 32000, 64000, 128000, 512000 };
	static const uint32_t fills[] = { 50, 60, 70, 90, 95 };
	const uint32_t seconds = argc > 1 ? (uint32_t)atoi(argv[1]) : 60;
	const uint32_t seeds = argc > 2 ? (uint32_t)atoi(argv[2]) : 5;

	puts("ways\tlevel\tfill %\tdwell us\tmoves/s\tpacking/s\twaited %\tpackages\tcpus");
	for (uint32_t ways = OWN_WAYS; ways <= GANG; ways++) {
		for (uint32_t i = 0; i < sizeof(dwells) / sizeof(dwells[0]); i++)
			row((enum ways)ways, SDPOWER_POWERSAVE, 80, dwells[i], seconds, seeds);
		for (uint32_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++)
			row((enum ways)ways, SDPOWER_POWERSAVE, fills[i], 32000, seconds, seeds);
		row((enum ways)ways, SDPOWER_BALANCED, 80, 32000, seconds, seeds);
		row((enum ways)ways, SDPOWER_PERFORMANCE, 80, 32000, seconds, seeds);
	}
	return 0;
}
