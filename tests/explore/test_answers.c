/* SPDX-License-Identifier: MIT */
/*
 * Description: invariants of single answers of the native rules, on random machines with any
 * state a slot can hold. test_answers [SEED [ROUNDS]]; a failure names its seed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "support/instance.h"
#include "unit/random_machine.h"

#define WORDS ((RANDOM_CPUS + 31u) / 32u)
#define STATES 6u
#define QUESTIONS 60u

/* One question with everything needed to judge the answer. */
struct asked {
	uint64_t seed;
	struct sdpower_busiest_request q;
	struct sdpower_busiest a;
	struct sdpower_domain_info level;
	uint32_t own[WORDS], other[WORDS];
	struct sdpower_cpu_state cpu, from, target;
};

static uint64_t seed;
static unsigned rounds = 150;
static struct random_machine m;
static struct test_random draw;
static void *memory;
static sdpower *s;

/* 0 when the machine is refused: some have masks that overlap where the rules need them. */
static int make(uint64_t of)
{
	sdpower_status status;
	struct sdpower_config c = { .struct_size = sizeof(c), .topology = &m.topology,
		.tree = SDPOWER_TREE_MODERN, .decisions = SDPOWER_DECIDE_NATIVE };
	size_t size, align;

	random_machine_make(&m, of);
	draw.state = of;
	c.mc = test_draw(&draw, 3);
	c.smt = test_draw(&draw, 3);
	assert_int_equal(sdpower_memory_needed(&c, &size, &align), SDPOWER_OK);
	memory = aligned_alloc(align, size);
	status = sdpower_init(memory, size, &c, &s);
	assert_true(status == SDPOWER_OK || status == SDPOWER_EOVERLAP);
	return status == SDPOWER_OK;
}

static struct sdpower_cpu_state look(sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	if (cpu != SDPOWER_CPU_NONE)
		assert_int_equal(sdpower_get_cpu(s, cpu, &c), SDPOWER_OK);
	return c;
}

/* Every other state is a light one, as power can only be saved then. */
static void draw_state(int light)
{
	for (sdpower_cpu cpu = 0; cpu < m.topology.cpu_count; cpu++) {
		struct sdpower_cpu_state c;

		test_random_cpu(&draw, s, cpu);
		c = look(cpu);
		c.nr = light ? test_draw(&draw, 4) == 0 : test_draw(&draw, 3) ? c.nr % 4 : c.nr;
		c.has_util = test_draw(&draw, 2);
		c.util = test_draw(&draw, 30) ? c.nr * test_draw(&draw, 1025) : SDPOWER_LOAD_MAX;
		c.util = c.util > SDPOWER_LOAD_MAX ? SDPOWER_LOAD_MAX : c.util;
		c.outside_util = test_draw(&draw, 4) ? 0 : test_draw(&draw, 1025);
		c.outside_capacity = test_draw(&draw, 4) ? 1024 : test_draw(&draw, 1025);
		assert_int_equal(sdpower_set_cpu(s, cpu, &c), SDPOWER_OK);
	}
}

static void check(const struct asked *t, int holds, const char *what)
{
	if (!holds)
		fail_msg("seed %llu: cpu %u depth %u idle %u flags %u: %s (kind %u, group %u, from %u, "
			"target %u)", (unsigned long long)t->seed, t->q.cpu, t->q.depth, t->q.idle,
			t->q.flags, what, t->a.kind, t->a.group, t->a.from, t->a.target);
}

static int holds(const uint32_t *mask, sdpower_cpu cpu)
{
	return cpu < RANDOM_CPUS && mask[cpu / 32] >> cpu % 32 & 1;
}

/* Everything but what sums cost; padding is 0 on both sides. */
static int same(const struct sdpower_busiest *a, const struct sdpower_busiest *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static struct sdpower_busiest ask(const struct asked *t)
{
	struct sdpower_busiest a;

	memset(&a, 0, sizeof(a));
	a.struct_size = sizeof(a);
	check(t, sdpower_find_busiest_group(s, &t->q, &a) == SDPOWER_OK, "refused");
	return a;
}

/* The group that was answered: by its name, and where names are shared it holds the giver. */
static void find_group(struct asked *t, struct sdpower_domain d)
{
	struct sdpower_group_info info = { .struct_size = sizeof(info) };

	for (uint32_t i = 0; i < t->level.groups; i++) {
		assert_int_equal(sdpower_domain_group(s, d, i, &info, t->other, WORDS), SDPOWER_OK);
		if (info.first_cpu == t->a.group_first && holds(t->other, t->a.from))
			return;
	}
	check(t, 0, "no such group");
}

/* Fills the rest; 0 when the level is not there. */
static int describe(struct asked *t)
{
	struct sdpower_group_info info = { .struct_size = sizeof(info) };
	struct sdpower_domain d;

	t->level.struct_size = sizeof(t->level);
	if (sdpower_domain_at(s, t->q.cpu, t->q.depth, &d))
		return 0;
	assert_int_equal(sdpower_domain_describe(s, d, &t->level), SDPOWER_OK);
	assert_int_equal(sdpower_domain_group(s, d, 0, &info, t->own, WORDS), SDPOWER_OK);
	t->a = ask(t);
	if (t->a.group != SDPOWER_ID_NONE)
		find_group(t, d);
	t->cpu = look(t->q.cpu);
	t->from = look(t->a.from);
	t->target = look(t->a.target);
	return 1;
}

/* I11, and every answer says why. */
static void check_shape(const struct asked *t)
{
	const int pulls = t->a.kind != SDPOWER_PULL_NONE;

	check(t, t->a.kind <= SDPOWER_PULL_POWER, "I11: no such kind");
	check(t, t->a.reason != 0, "no reason");
	check(t, pulls == (t->a.group != SDPOWER_ID_NONE), "a pull without a group");
	check(t, pulls == (t->a.from != SDPOWER_CPU_NONE), "a pull from nowhere");
	check(t, pulls == (t->a.target != SDPOWER_CPU_NONE), "a pull to nowhere");
}

/* The group that is to receive has tasks already. */
static int group_is_used(const struct asked *t)
{
	struct sdpower_group_info info = { .struct_size = sizeof(info) };
	uint32_t mask[WORDS], nr = 0;

	for (uint32_t i = 0; i < t->level.groups; i++) {
		assert_int_equal(sdpower_domain_group(s, t->a.domain, i, &info, mask, WORDS), SDPOWER_OK);
		for (sdpower_cpu cpu = 0; holds(mask, t->a.target) && cpu < m.topology.cpu_count; cpu++)
			nr += holds(mask, cpu) ? look(cpu).nr : 0;
	}
	return nr > 0;
}

/* I4, and nothing is pulled within the own group. */
static void check_places(const struct asked *t)
{
	if (t->a.kind == SDPOWER_PULL_POWER) {
		check(t, !holds(t->other, t->a.target), "I6: moves within a group");
		check(t, t->target.nr || group_is_used(t), "I6: wakes a group to save power");
	} else {
		check(t, holds(t->own, t->a.target), "the target is not in the own group");
		check(t, t->a.group != 0, "pulls from the own group");
	}
	check(t, holds(t->other, t->a.from), "from is not in the group");
	check(t, !(m.cpus[t->a.from].flags & SDPOWER_CPU_OFFLINE), "I4: from is offline");
	check(t, !(m.cpus[t->a.target].flags & SDPOWER_CPU_OFFLINE), "I4: the target is offline");
	check(t, t->from.nr > 0, "from has no task");
	check(t, t->a.kind == SDPOWER_PULL_POWER || t->a.target == t->q.cpu,
		"somebody else is to receive");
}

/* I8: what is left behind, and how much comes. */
static void check_amount(const struct asked *t)
{
	const uint64_t most = t->a.imbalance > t->a.most ? t->a.imbalance : t->a.most;

	if (t->a.kind != SDPOWER_PULL_TASK && t->a.kind != SDPOWER_PULL_LOAD)
		return;
	check(t, t->from.nr > 1, "I8: takes the only task");
	if (t->from.load > t->cpu.load + 1)
		check(t, most > 0, "a pull of nothing");
	if (m.topology.cpu_count && t->a.kind == SDPOWER_PULL_TASK)
		check(t, t->a.imbalance <= t->from.load, "I8: more than there is");
}

static uint64_t util_of(const struct sdpower_cpu_state *c)
{
	return c->has_util ? c->util : (uint64_t)c->nr * SDPOWER_SCALE;
}

static uint64_t capacity_of(sdpower_cpu cpu, const struct sdpower_cpu_state *c)
{
	uint32_t capacity = m.cpus[cpu].capacity;

	capacity = c->outside_capacity < capacity ? c->outside_capacity : capacity;
	return capacity > c->outside_util ? capacity - c->outside_util : 1;
}

/* I13 */
static int is_over_utilised(const uint32_t *group)
{
	uint64_t util = 0, capacity = 0;

	for (sdpower_cpu cpu = 0; cpu < m.topology.cpu_count; cpu++)
		if (holds(group, cpu)) {
			const struct sdpower_cpu_state c = look(cpu);

			util += util_of(&c);
			capacity += capacity_of(cpu, &c);
		}
	return util > capacity;
}

static void check_kind(const struct asked *t)
{
	switch (t->a.kind) {
	case SDPOWER_PULL_TASK:
		check(t, t->q.idle != SDPOWER_CPU_NOT_IDLE && !t->cpu.nr, "waiting work for a busy cpu");
		break;
	case SDPOWER_PULL_LOAD:
		check(t, (uint64_t)t->from.load * capacity_of(t->q.cpu, &t->cpu) >
			(uint64_t)t->cpu.load * capacity_of(t->a.from, &t->from), "I9: uphill");
		break;
	case SDPOWER_PULL_MISFIT:
		check(t, !t->cpu.nr && t->from.nr == 1, "I24: not one task to an empty cpu");
		check(t, capacity_of(t->q.cpu, &t->cpu) > capacity_of(t->a.from, &t->from),
			"I24: to a smaller cpu");
		break;
	case SDPOWER_PULL_POWER:
		check(t, t->level.flags & SDPOWER_SD_POWERSAVINGS, "saves power where it may not");
		check(t, !is_over_utilised(t->own) && !is_over_utilised(t->other),
			"I13: POWER although a group is over-utilised");
		break;
	default:
		break;
	}
}

static void refresh(void)
{
	for (sdpower_cpu cpu = 0; cpu < m.topology.cpu_count; cpu++)
		assert_true(sdpower_refresh(s, cpu) >= 0);
}

static unsigned kinds[SDPOWER_PULL_POWER + 1];

static void question(uint64_t of, int fresh)
{
	static struct asked t;

	memset(&t, 0, sizeof(t));
	t.seed = of;
	t.q.struct_size = sizeof(t.q);
	t.q.cpu = test_draw(&draw, m.topology.cpu_count);
	t.q.depth = test_draw(&draw, 4);
	t.q.idle = test_draw(&draw, 3);
	t.q.flags = test_draw(&draw, 8);
	if (!describe(&t))
		return;
	kinds[t.a.kind]++;
	check_shape(&t);
	if (t.a.kind == SDPOWER_PULL_NONE)
		return;
	check_places(&t);
	check_amount(&t);
	check_kind(&t);
	if (fresh) {
		struct sdpower_busiest again;

		refresh();
		again = ask(&t);
		check(&t, same(&t.a, &again), "I22: another answer from fresh sums");
	}
}

static void answers_keep_the_invariants(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = make(seed + i) ? 0 : STATES; k < STATES; k++) {
			draw_state(k % 2);
			for (unsigned n = 0; n < QUESTIONS; n++)
				question(seed + i, n == QUESTIONS / 2);
		}
		free(memory);
	}
	print_message("pulls: %u none, %u load, %u task, %u misfit, %u priority, %u spread, %u power\n",
		kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5], kinds[6]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_keep_the_invariants),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
	rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : rounds;
	printf("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
