/* SPDX-License-Identifier: MIT */
/* Description: the policy of 2013 in a closed loop: it empties groups, and does not undo it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"

#define CPUS 16u
#define TASKS 8u
#define ATTEMPTS 600u
#define RUNS 300u

/* Tasks that run all the time with a fixed share, on some groups of equal width. */
struct loop {
	struct test_random random;
	struct sdpower_shi2013_cpu cpus[CPUS];
	uint32_t group_end[CPUS], width;
	uint64_t record[CPUS];
	uint32_t tasks, share[TASKS], left[TASKS]; /* left: group that power took the task from */
	sdpower_cpu at[TASKS];
};

static void add_up(struct loop *l)
{
	memset(l->cpus, 0, sizeof(l->cpus));
	for (uint32_t k = 0; k < l->tasks; k++) {
		struct sdpower_shi2013_cpu *c = &l->cpus[l->at[k]];

		c->nr++;
		c->load += 1024;
		c->util += l->share[k];
	}
}

static uint32_t active_groups(const struct loop *l, uint32_t groups)
{
	uint32_t active = 0;

	for (uint32_t g = 0; g < groups; g++) {
		uint32_t nr = 0;

		for (uint32_t i = 0; i < l->width; i++)
			nr += l->cpus[g * l->width + i].nr;
		active += nr > 0;
	}
	return active;
}

static void start(struct loop *l, uint64_t seed, uint32_t *groups)
{
	static const uint32_t shapes[][2] = { { 2, 2 }, { 2, 4 }, { 4, 2 }, { 4, 4 }, { 2, 8 } };
	static const uint32_t shares[] = { 100, 250, 400, 600, 900, 1024 };
	const uint32_t *shape;

	memset(l, 0, sizeof(*l));
	l->random.state = seed;
	shape = shapes[test_draw(&l->random, 5)];
	*groups = shape[0];
	l->width = shape[1];
	l->tasks = 1 + test_draw(&l->random, *groups * l->width / 2);
	for (uint32_t g = 0; g < *groups; g++)
		l->group_end[g] = (g + 1) * l->width;
	for (uint32_t k = 0; k < l->tasks; k++) {
		l->share[k] = shares[test_draw(&l->random, 6)];
		l->at[k] = test_draw(&l->random, *groups * l->width);
		l->left[k] = UINT32_MAX;
	}
	add_up(l);
}

/* The cpu of the group with the most tasks gives one of them. */
static uint32_t task_of(const struct loop *l, uint32_t group)
{
	uint32_t most = group * l->width, k = 0;

	for (uint32_t c = most; c < (group + 1) * l->width; c++)
		if (l->cpus[c].nr > l->cpus[most].nr)
			most = c;
	while (l->at[k] != most)
		k++;
	return k;
}

/* Ordinary balancing, as little of it as the loop needs. */
static void spread(struct loop *l, sdpower_cpu to, uint32_t cpus)
{
	sdpower_cpu from = 0;

	for (sdpower_cpu c = 1; c < cpus; c++)
		if (l->cpus[c].nr > l->cpus[from].nr)
			from = c;
	for (uint32_t k = 0; k < l->tasks && l->cpus[from].nr > 1; k++)
		if (l->at[k] == from) {
			l->at[k] = to;
			return;
		}
}

/* One attempt of an idle cpu; 1 = moved for power. */
static int attempt(struct loop *l, uint64_t seed, uint32_t groups, sdpower_cpu cpu)
{
	static const sdpower_cpu members[CPUS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15 };
	const struct sdpower_shi2013_level level = { .group_count = groups,
		.group_end = l->group_end, .members = members };
	const struct sdpower_shi2013_machine machine = { .struct_size = sizeof(machine),
		.cpu_count = groups * l->width, .cpu_stride = sizeof(l->cpus[0]), .level_count = 1,
		.cpus = l->cpus, .levels = &level };
	const uint32_t own = cpu / l->width;
	const struct sdpower_shi2013_attempt asked = { .struct_size = sizeof(asked),
		.policy = SDPOWER_SHI2013_POWERSAVING, .cpu = cpu, .idle = SDPOWER_CPU_NEWLY_IDLE,
		.max_interval_ms = 8, .record = l->record[own] };
	struct sdpower_shi2013_balanced b = { .struct_size = sizeof(b) };
	uint32_t k;

	assert_int_equal(sdpower_shi2013_balance(&machine, &asked, &b), SDPOWER_OK);
	l->record[own] = b.record;
	if (b.mode == SDPOWER_SHI2013_DO_BALANCE)
		spread(l, cpu, groups * l->width);
	if (b.mode != SDPOWER_SHI2013_DO_PULL)
		return 0;
	k = task_of(l, b.group);
	if (l->left[k] == own)
		fail_msg("seed %u: task %u returned to group %u", (unsigned)seed, k, own);
	l->left[k] = b.group;
	l->at[k] = cpu;
	return 1;
}

static void groups_are_emptied_and_stay_so(void **state)
{
	uint32_t before = 0, after = 0, moves = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct loop l;
		uint32_t groups;

		start(&l, seed, &groups);
		before += active_groups(&l, groups);
		for (unsigned i = 0; i < ATTEMPTS; i++) {
			const sdpower_cpu cpu = test_draw(&l.random, groups * l.width);
			const uint32_t active = active_groups(&l, groups);
			int moved;

			if (l.cpus[cpu].nr)
				continue;
			moved = attempt(&l, seed, groups, cpu);
			add_up(&l);
			moves += (uint32_t)moved;
			if (moved && active_groups(&l, groups) > active)
				fail_msg("seed %u: a move for power woke a group", (unsigned)seed);
		}
		after += active_groups(&l, groups);
	}
	print_message("%u runs: %u active groups became %u in %u moves\n", RUNS, before, after, moves);
	/* The original's own loop came to two thirds. */
	assert_true(after * 4 < before * 3);
	assert_true(moves > RUNS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_emptied_and_stay_so),
	};

	return cmocka_run_group_tests_name("policy_loop", tests, NULL, NULL);
}
