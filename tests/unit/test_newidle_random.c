/* SPDX-License-Identifier: MIT */
/*
 * Description: random lives of a newly idle cpu. A 32-bit tick counter that wraps and a 64-bit
 * one that does not give the same life; whatever happens, the promises of the rules hold.
 * Run with a seed as argument to repeat one life.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "newidle_help.h"
#include "support/instance.h"

#define LIVES 2000u
#define EVENTS 60u

static uint64_t first_seed;

/* Two cpus that live the same life on counters of different width. */
struct twins {
	uint64_t seed;
	struct newidle_host wide, narrow;
	uint64_t wide_start, narrow_start;
};

static void fail_life(const struct twins *t, uint32_t event, const char *what)
{
	fail_msg("seed %llu, event %u, mode %s, hz %u: %s", (unsigned long long)t->seed, event,
		sdpower_newidle_mode_name(t->wide.rules.mode), t->wide.rules.hz, what);
}

static void begin_life(struct twins *t, struct test_random *r)
{
	static const uint32_t rates[] = { 1000, 250, 100, 300, 1024, 60, 24, 1193 };
	struct newidle_host *h = &t->wide;

	newidle_setup(h, 1 + test_draw(r, SDPOWER_NEWIDLE_MODES - 1),
		test_draw(r, NEWIDLE_LEVELS + 1));
	h->rules.hz = rates[test_draw(r, sizeof(rates) / sizeof(rates[0]))];
	h->rules.cpus = 1 + test_draw(r, 300);
	h->rules.migration_cost_ns = test_draw(r, 4) ? NEWIDLE_COST : test_draw(r, 3000000);
	for (uint32_t i = 0; i < h->tracker.level_count; i++) {
		h->level[i].flags = test_draw(r, 5) ? SDPOWER_SD_BALANCE_NEWIDLE : 0;
		h->level[i].interval_ms = 1 + test_draw(r, 600);
		h->level[i].busy_factor = 1 + test_draw(r, 32);
	}
	h->tick = t->wide_start = UINT64_C(0x123456789abc);
	t->narrow = t->wide;
	t->narrow.tracker.rules = &t->narrow.rules;
	t->narrow.tracker.cpu = &t->narrow.cpu;
	t->narrow.tracker.levels = t->narrow.level;
	t->narrow.rules.tick_bits = 32;
	t->narrow.tick = t->narrow_start = UINT32_MAX - test_draw(r, 40 * h->rules.hz);
	(void)sdpower_newidle_init(&h->tracker, h->now_ns, h->tick);
	(void)sdpower_newidle_init(&t->narrow.tracker, h->now_ns, t->narrow.tick);
	for (uint32_t i = 0; i < h->tracker.level_count; i++)
		h->level[i].ratio = t->narrow.level[i].ratio = test_draw(r, 1025);
}

/* What the next event will meet, the same for both. */
static void draw_event(struct newidle_host *h, struct test_random *r)
{
	static const uint32_t facts[] = { 0, 0, 0, SDPOWER_NEWIDLE_PULLED, SDPOWER_NEWIDLE_QUEUED,
		SDPOWER_NEWIDLE_PENDING, SDPOWER_NEWIDLE_STOP };

	h->ask = (test_draw(r, 8) ? SDPOWER_NEWIDLE_OVERLOADED : 0u) |
		(test_draw(r, 16) ? SDPOWER_NEWIDLE_ACTIVE : 0u) |
		(test_draw(r, 16) ? 0 : SDPOWER_NEWIDLE_PENDING) |
		(test_draw(r, 2) ? SDPOWER_NEWIDLE_LOAD_DUE : 0u);
	h->refresh_ns = test_draw(r, 5000);
	h->refresh = test_draw(r, 16) ? 0 : SDPOWER_NEWIDLE_QUEUED;
	h->look = test_draw(r, 8) ? 0 : SDPOWER_NEWIDLE_HIGHER;
	for (uint32_t i = 0; i < NEWIDLE_LEVELS; i++) {
		h->cost_ns[i] = test_draw(r, 40) ? test_draw(r, 20000) : test_draw(r, 4000000);
		h->facts[i] = facts[test_draw(r, sizeof(facts) / sizeof(facts[0]))];
		h->draw[i] = test_draw(r, 1024);
	}
}

/* Passes take other facts than searches. */
static void draw_pass(struct newidle_host *h, struct test_random *r)
{
	static const uint32_t facts[] = { 0, 0, 0, SDPOWER_NEWIDLE_STOP, SDPOWER_NEWIDLE_PULLED,
		SDPOWER_NEWIDLE_PULLED | SDPOWER_NEWIDLE_BUSY };

	for (uint32_t i = 0; i < NEWIDLE_LEVELS; i++)
		h->facts[i] = facts[test_draw(r, sizeof(facts) / sizeof(facts[0]))];
}

/* The narrow counter's stamps, seen from their starts, are those of the wide one. */
static int same_tick(const struct twins *t, uint64_t wide, uint64_t narrow)
{
	return (uint32_t)(wide - t->wide_start) == (uint32_t)(narrow - t->narrow_start) &&
		narrow <= UINT32_MAX;
}

static int same_level(const struct twins *t, uint32_t i)
{
	struct sdpower_newidle_level a = t->wide.level[i], b = t->narrow.level[i];

	if (!same_tick(t, a.stamp, b.stamp) || !same_tick(t, a.last_balance, b.last_balance))
		return 0;
	b.stamp = a.stamp;
	b.last_balance = a.last_balance;
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void expect_same(const struct twins *t, uint32_t event)
{
	const struct sdpower_newidle_cpu *a = &t->wide.cpu, *b = &t->narrow.cpu;

	if (a->avg_idle_ns != b->avg_idle_ns || a->max_cost_ns != b->max_cost_ns ||
	    a->idle_since_ns != b->idle_since_ns || !same_tick(t, a->next_balance, b->next_balance))
		fail_life(t, event, "the cpus differ");
	for (uint32_t i = 0; i < t->wide.tracker.level_count; i++)
		if (!same_level(t, i))
			fail_life(t, event, "the levels differ");
	if (t->wide.searched != t->narrow.searched || t->wide.glanced != t->narrow.glanced ||
	    t->wide.drawn != t->narrow.drawn || t->wide.now_ns != t->narrow.now_ns)
		fail_life(t, event, "the steps differ");
}

static void live_walk(struct twins *t, uint32_t event)
{
	struct newidle_host *h = &t->wide;
	const struct newidle_host before = *h;
	struct sdpower_newidle_walk w, n;

	if (newidle_walk(h, &w) || newidle_walk(&t->narrow, &n))
		fail_life(t, event, "a step was refused");
	if (w.result != n.result || w.end != n.end || w.update_load != n.update_load ||
	    w.spent_ns != n.spent_ns)
		fail_life(t, event, "the walks differ");
	if ((int64_t)(before.cpu.next_balance - h->cpu.next_balance) < 0)
		fail_life(t, event, "the next pass moved later");
	if (h->cpu.max_cost_ns < before.cpu.max_cost_ns || h->cpu.max_cost_ns < w.spent_ns)
		fail_life(t, event, "the dearest walk was forgotten");
	if (w.end != SDPOWER_NEWIDLE_END_WALKED && (h->searched || h->now_ns != before.now_ns))
		fail_life(t, event, "searched without a walk");
	if (w.end != SDPOWER_NEWIDLE_END_PENDING && !w.result != !!h->cpu.idle_since_ns)
		fail_life(t, event, "idle and running at once");
	for (uint32_t i = 0; i < h->tracker.level_count; i++)
		if (h->searched >> i & 1 && (!(h->level[i].flags & SDPOWER_SD_BALANCE_NEWIDLE) ||
				before.cpu.avg_idle_ns < before.level[i].cost_ns))
			fail_life(t, event, "searched a level that is not worth it");
}

static void live_event(struct twins *t, struct test_random *r, uint32_t event)
{
	const uint64_t kind = test_draw(r, 5);
	const uint64_t gone = test_draw(r, test_draw(r, 3) ? 3000 : 3000000);
	const uint32_t busy = test_draw(r, 2) ? SDPOWER_NEWIDLE_BUSY : 0;

	/* gone is in us; ticks follow the clock. */
	for (struct newidle_host *h = &t->wide; h; h = h == &t->wide ? &t->narrow : NULL) {
		const uint64_t old = h->now_ns / 1000 * h->rules.hz / 1000000;

		h->now_ns += gone * 1000;
		h->tick += h->now_ns / 1000 * h->rules.hz / 1000000 - old;
	}
	t->narrow.tick &= UINT32_MAX;
	if (kind < 2) {
		live_walk(t, event);
	} else if (kind < 4) {
		(void)sdpower_newidle_wake(&t->wide.tracker, t->wide.now_ns);
		(void)sdpower_newidle_wake(&t->narrow.tracker, t->narrow.now_ns);
		if (t->wide.cpu.idle_since_ns)
			fail_life(t, event, "awake and idle at once");
	} else {
		draw_pass(&t->wide, r);
		memcpy(t->narrow.facts, t->wide.facts, sizeof(t->narrow.facts));
		if (newidle_pass(&t->wide, busy) || newidle_pass(&t->narrow, busy))
			fail_life(t, event, "a pass was refused");
	}
	expect_same(t, event);
}

/* What a walk meets is drawn once and copied. */
static void copy_script(struct newidle_host *to, const struct newidle_host *from)
{
	to->ask = from->ask;
	to->refresh_ns = from->refresh_ns;
	to->refresh = from->refresh;
	to->look = from->look;
	memcpy(to->cost_ns, from->cost_ns, sizeof(to->cost_ns));
	memcpy(to->facts, from->facts, sizeof(to->facts));
	memcpy(to->draw, from->draw, sizeof(to->draw));
}

static void live(uint64_t seed)
{
	struct twins t = { .seed = seed };
	struct test_random r = { .state = seed };

	begin_life(&t, &r);
	for (uint32_t event = 0; event < EVENTS; event++) {
		draw_event(&t.wide, &r);
		copy_script(&t.narrow, &t.wide);
		live_event(&t, &r, event);
	}
}

static void a_wrapping_counter_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LIVES; i++)
		live(first_seed + i);
}

static void one_life(void **state)
{
	(void)state;
	live(first_seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(a_wrapping_counter_changes_nothing) };
	const struct CMUnitTest one[] = { cmocka_unit_test(one_life) };

	if (argc > 1) {
		first_seed = strtoull(argv[1], NULL, 10);
		return cmocka_run_group_tests_name("newidle_random, one", one, NULL, NULL);
	}
	first_seed = (uint64_t)time(NULL) * 10000u;
	print_message("seeds %llu and up\n", (unsigned long long)first_seed);
	return cmocka_run_group_tests_name("newidle_random", all, NULL, NULL);
}
