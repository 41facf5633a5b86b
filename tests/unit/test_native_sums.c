/* SPDX-License-Identifier: MIT */
/*
 * Description: questions about random machines and states under the native rules. Whether sums
 * are up to date, and whether all cpus are named as candidates or none is, the answer is the same;
 * a group's sums are those of its cpus; and what is proposed makes things better.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "native_help.h"
#include "random_machine.h"
#include "decide/native_sums.h"

#define ROUNDS 400u

static uint64_t seed;

struct drawn {
	struct random_machine machine;
	struct sdpower_config config;
	void *memory;
	sdpower *s;
	struct test_random draw;
};

/* 0 = no tree can be made of the machine. */
static int make(struct drawn *d, uint64_t from)
{
	size_t size, align;
	sdpower_status status;

	memset(d, 0, sizeof(*d));
	d->draw.state = from;
	random_machine_make(&d->machine, from);
	for (uint32_t i = 0; i < d->machine.topology.cpu_count; i++)
		d->machine.cpus[i].priority = from % 3 ? 0 : test_draw(&d->draw, 4);
	d->config = (struct sdpower_config){ .struct_size = sizeof(d->config),
		.topology = &d->machine.topology, .decisions = SDPOWER_DECIDE_NATIVE,
		.mc = test_draw(&d->draw, 3), .smt = test_draw(&d->draw, 3) };
	status = sdpower_memory_needed(&d->config, &size, &align);
	if (status)
		return 0;
	d->memory = aligned_alloc(align, size);
	status = sdpower_init(d->memory, size, &d->config, &d->s);
	if (!status)
		return 1;
	assert_int_equal(status, SDPOWER_EOVERLAP);
	free(d->memory);
	return 0;
}

static void publish(struct drawn *d)
{
	for (sdpower_cpu cpu = 0; cpu < d->machine.topology.cpu_count; cpu++) {
		test_random_cpu(&d->draw, d->s, cpu);
		if (test_draw(&d->draw, 8) == 0)
			assert_int_equal(sdpower_set_outside(d->s, cpu, test_draw(&d->draw, 500),
				test_draw(&d->draw, 1025)), SDPOWER_OK);
	}
}

static void refresh(struct drawn *d)
{
	for (sdpower_cpu cpu = 0; cpu < d->machine.topology.cpu_count; cpu++)
		assert_true(sdpower_refresh(d->s, cpu) >= 0);
}

/* What earlier calls left on the stack must not matter to an answer. */
static SDPOWER_NOINLINE void soil_stack(uint32_t value)
{
	volatile uint32_t space[1024];

	for (size_t i = 0; i < sizeof(space) / sizeof(*space); i++)
		space[i] = value = value * 1664525u + 1013904223u;
}

static int find(const struct drawn *d, sdpower_cpu cpu, uint32_t depth, uint32_t kind,
	const uint32_t *candidates, struct sdpower_busiest *a)
{
	const struct sdpower_busiest_request r = { .struct_size = sizeof(r), .cpu = cpu,
		.depth = depth, .idle = kind % 3,
		.flags = kind / 3 & (SDPOWER_ASK_WHO_BALANCES | SDPOWER_ASK_IMPATIENT |
			SDPOWER_ASK_SPREADING),
		.candidates = candidates,
		.candidate_words = candidates || kind % 2 ? RANDOM_CPUS / 32 : 0 };

	memset(a, 0, sizeof(*a));
	a->struct_size = sizeof(*a);
	soil_stack(cpu + kind);
	return sdpower_find_busiest_group(d->s, &r, a) == SDPOWER_OK;
}

static int same(const struct sdpower_busiest *a, const struct sdpower_busiest *b)
{
	return a->kind == b->kind && a->group == b->group && a->from == b->from &&
		a->target == b->target && a->imbalance == b->imbalance && a->most == b->most &&
		a->util_most == b->util_most && a->reason == b->reason && a->balance == b->balance &&
		a->spreading == b->spreading && a->waiting == b->waiting;
}

/* Every question that can be asked: of all cpus three ways, of some two. */
static void questions_agree(struct drawn *d, uint64_t from)
{
	static const uint32_t all[RANDOM_CPUS / 32] = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	uint32_t some[RANDOM_CPUS / 32];
	struct sdpower_busiest dirty, clean, named, few, few_clean;

	for (sdpower_cpu cpu = 0; cpu < d->machine.topology.cpu_count; cpu++)
		for (uint32_t kind = test_draw(&d->draw, 24), depth = 0; ; depth++) {
			publish(d);
			if (!find(d, cpu, depth, kind, NULL, &dirty))
				break;
			for (uint32_t i = 0; i < RANDOM_CPUS / 32; i++)
				some[i] = test_draw(&d->draw, UINT32_MAX);
			assert_true(find(d, cpu, depth, kind, some, &few));
			refresh(d);
			assert_true(find(d, cpu, depth, kind, some, &few_clean));
			assert_true(find(d, cpu, depth, kind, NULL, &clean));
			assert_true(find(d, cpu, depth, kind, all, &named));
			if (!same(&dirty, &clean) || !same(&clean, &named) ||
					!same(&few, &few_clean))
				fail_msg("seed %llu: cpu %u depth %u kind %u", (unsigned long long)from,
					cpu, depth, kind);
		}
}

static void every_way_to_ask_is_answered_alike(void **state)
{
	struct drawn *d = malloc(sizeof(*d));

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		if (!make(d, seed + i))
			continue;
		questions_agree(d, seed + i);
		free(d->memory);
	}
	free(d);
}

static struct sdpower_i_cpu_view view_of(const struct drawn *d, sdpower_cpu cpu)
{
	return sdpower_i_look(d->s, d->s->forest.pos_of[cpu]);
}

/* Some task of who gives may be small enough; where nobody measures all of them are alike. */
static int allows_a_task(const struct drawn *d, const struct sdpower_busiest *a)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_get_cpu(d->s, a->from, &c), SDPOWER_OK);
	return a->util_most >= (c.has_util ? 1u : SDPOWER_SCALE);
}

/* What must hold of an answer whatever the state; 0 = it does not. */
static int is_sound(const struct drawn *d, const struct sdpower_busiest *a, sdpower_cpu asker)
{
	struct sdpower_i_cpu_view from, to;

	if (a->kind == SDPOWER_PULL_NONE)
		return a->from == SDPOWER_CPU_NONE && a->group == SDPOWER_ID_NONE;
	if (a->from >= d->machine.topology.cpu_count || a->target >= d->machine.topology.cpu_count ||
			a->from == a->target || a->group == SDPOWER_ID_NONE)
		return 0;
	from = view_of(d, a->from);
	to = view_of(d, a->target);
	if (!allows_a_task(d, a) || (!a->most && from.load > to.load + 1u))
		return 0;
	if (a->kind == SDPOWER_PULL_POWER)
		return from.nr > 0;
	if (a->target != asker || a->group == 0)
		return 0;
	if (a->kind == SDPOWER_PULL_LOAD)
		return from.nr > 1 && a->imbalance <= from.load && a->imbalance <= a->most &&
			(uint64_t)from.load * to.capacity > (uint64_t)to.load * from.capacity;
	if (to.nr || a->imbalance > from.load)
		return 0;
	switch (a->kind) {
	case SDPOWER_PULL_TASK: return from.nr > 1;
	case SDPOWER_PULL_MISFIT: return from.nr == 1 && to.capacity > from.capacity;
	case SDPOWER_PULL_PRIORITY:
		return d->machine.cpus[asker].priority > d->machine.cpus[a->from].priority;
	case SDPOWER_PULL_SPREAD: return from.nr > 0 && to.capacity * 106u > from.capacity * 100u;
	default: return 0;
	}
}

static void answers_are_sound(void **state)
{
	struct drawn *d = malloc(sizeof(*d));
	unsigned long kinds[SDPOWER_PULL_POWER + 1] = { 0 };

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint32_t mask[RANDOM_CPUS / 32];

		if (!make(d, seed + i))
			continue;
		for (unsigned n = 0; n < 200; n++) {
			const sdpower_cpu cpu = test_draw(&d->draw, d->machine.topology.cpu_count);
			const uint32_t *candidates = test_draw(&d->draw, 2) ? mask : NULL;
			const uint32_t depth = test_draw(&d->draw, 4), kind = test_draw(&d->draw, 24);
			struct sdpower_busiest a;

			for (unsigned w = 0; w < RANDOM_CPUS / 32; w++)
				mask[w] = test_draw(&d->draw, UINT32_MAX) ^ test_draw(&d->draw, 1u << 16) << 16;
			publish(d);
			if (!find(d, cpu, depth, kind, candidates, &a))
				continue;
			kinds[a.kind]++;
			if (!is_sound(d, &a, cpu) || (candidates && a.kind != SDPOWER_PULL_NONE &&
					!(mask[a.from / 32] >> a.from % 32 & 1)))
				fail_msg("seed %llu: question %u, kind %u from %u", (unsigned long long)(seed + i),
					n, a.kind, a.from);
		}
		free(d->memory);
	}
	for (unsigned kind = 0; kind < SDPOWER_PULL_POWER; kind++)
		assert_true(kinds[kind] > 0);
	free(d);
}

/* What the tree calls the power of a group is what its cpus have. */
static void power_is_the_sum_of_capacities(void **state)
{
	struct drawn *d = malloc(sizeof(*d));

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct sdpower_i_view v;

		if (!make(d, seed + i))
			continue;
		v = sdpower_i_view_of(&d->s->forest);
		for (uint32_t group = 0; group < v.tree->group_count; group++) {
			const struct sdpower_i_group g = sdpower_i_get_group(&v, group);
			struct sdpower_i_walk walk = sdpower_i_walk_of(&v, g.run, g.runs);
			uint32_t pos, sum = 0;

			while (sdpower_i_walk_next(&walk, &pos))
				sum += d->s->forest.capacity[pos];
			if (sum != g.power)
				fail_msg("seed %llu: group %u", (unsigned long long)(seed + i), group);
		}
		free(d->memory);
	}
	free(d);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_ask_is_answered_alike),
		cmocka_unit_test(answers_are_sound),
		cmocka_unit_test(power_is_the_sum_of_capacities),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
	printf("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
