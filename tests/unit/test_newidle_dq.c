/* SPDX-License-Identifier: MIT */
/*
 * Description: the tracker dq behind the walks of newidle. It learns and decides as if its host
 * called it by hand; what is not its business (passes, flags, the average) goes on as in others.
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
#include "dq_help.h"
#include "newidle_help.h"
#include "support/instance.h"

#define LIVES 200u
#define PERIODS 300u

static uint64_t first_seed;

/* A cpu of walks and its tracker. */
struct both {
	struct newidle_host h;
	struct dq_host d;
};

static void setup(struct both *b, uint32_t levels)
{
	dq_setup(&b->d, levels);
	newidle_setup(&b->h, SDPOWER_NEWIDLE_K70, levels);
	b->h.rules.mode = SDPOWER_NEWIDLE_DEFAULT;
	b->h.tracker.dq = &b->d.dq;
	(void)sdpower_newidle_init(&b->h.tracker, b->h.now_ns, b->h.tick);
}

/* No level is believed to find anything, no probe is paid for. */
static void disappoint(struct both *b)
{
	for (uint32_t i = 0; i < DQ_LEVELS; i++)
		b->d.level[i].hits = 0;
	b->d.cpu.purse_ns = -1;
}

static void walk(struct both *b, struct sdpower_newidle_walk *w)
{
	assert_int_equal(newidle_walk(&b->h, w), SDPOWER_OK);
}

static void it_is_the_default_and_has_a_name(void **state)
{
	(void)state;
	assert_int_equal(SDPOWER_NEWIDLE_DEFAULT, 0);
	assert_string_equal(sdpower_newidle_mode_name(SDPOWER_NEWIDLE_DEFAULT), "dq");
}

static void init_forgets_what_the_tracker_knew(void **state)
{
	struct both b;

	(void)state;
	setup(&b, 2);
	b.d.level[1].cost_ns = b.d.cpu.probes = 5;
	assert_int_equal(sdpower_newidle_init(&b.h.tracker, 1000000000, 1), SDPOWER_OK);
	assert_int_equal(b.d.level[1].cost_ns, 0);
	assert_int_equal(b.d.cpu.probes, 0);
	assert_int_equal(b.d.cpu.earned_ns, 1000000000);
}

/* A refresh is done for the first search only, which pays for it. */
static void a_refresh_is_a_part_of_the_first_search(void **state)
{
	struct sdpower_newidle_walk w;
	struct both b;

	(void)state;
	setup(&b, 2);
	b.h.refresh_ns = 700;
	walk(&b, &w);
	assert_int_equal(b.h.searched, 3);
	assert_int_equal(b.h.drawn | b.h.glanced, 0);
	assert_int_equal(b.d.level[0].cost_ns, 1700);
	assert_int_equal(b.d.level[1].cost_ns, 2000);
	assert_int_equal(w.spent_ns, 3700);
	assert_int_equal(w.end, SDPOWER_NEWIDLE_END_WALKED);
	/* Work that comes with the refresh saves the search. */
	b.h.refresh = b.h.look = SDPOWER_NEWIDLE_QUEUED;
	walk(&b, &w);
	assert_int_equal(b.h.searched, 0);
	assert_int_equal(w.result, 1);
}

static void nothing_is_done_where_nothing_is_worth_it(void **state)
{
	struct sdpower_newidle_walk w;
	struct both b;

	(void)state;
	setup(&b, 2);
	disappoint(&b);
	w.struct_size = sizeof(w);
	walk(&b, &w);
	assert_int_equal(w.end, SDPOWER_NEWIDLE_END_DEFERRED);
	assert_int_equal(b.h.searched, 0);
	assert_int_equal(w.spent_ns, 0);
	/* Level 1 is due 16 ticks after its pass, level 0 after 8: the earlier counts. */
	b.h.cpu.next_balance = b.h.tick + 100;
	b.h.level[0].last_balance = b.h.tick + 20;
	walk(&b, &w);
	assert_int_equal(b.h.cpu.next_balance, b.h.tick + 16);
	/* A machine without queues has nothing to be found, worth it or not. */
	setup(&b, 2);
	b.h.ask = SDPOWER_NEWIDLE_ACTIVE;
	walk(&b, &w);
	assert_int_equal(w.end, SDPOWER_NEWIDLE_END_DEFERRED);
	assert_int_equal(b.d.cpu.idle, 1);
}

static void levels_count_each_on_its_own(void **state)
{
	struct sdpower_newidle_walk w;
	struct both b;

	(void)state;
	setup(&b, 3);
	b.d.level[0].hits = 0;
	b.d.cpu.purse_ns = -1;
	b.h.level[1].flags = 0;
	walk(&b, &w);
	assert_int_equal(b.h.searched, 1u << 2);
}

static void whatever_arrives_ends_the_walk(void **state)
{
	static const uint32_t facts[] = { SDPOWER_NEWIDLE_PULLED, SDPOWER_NEWIDLE_PENDING,
		SDPOWER_NEWIDLE_QUEUED, SDPOWER_NEWIDLE_STOP };
	struct sdpower_newidle_walk w;
	struct both b;

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		setup(&b, 2);
		b.h.facts[0] = facts[i];
		walk(&b, &w);
		assert_int_equal(b.h.searched, 1);
		assert_int_equal(w.result, facts[i] == SDPOWER_NEWIDLE_PULLED);
	}
}

/* The period ends for the average with the pull, for the tracker with the own task. */
static void a_period_outlasts_its_pull(void **state)
{
	struct sdpower_newidle_walk w;
	struct both b;

	(void)state;
	setup(&b, 1);
	b.h.facts[0] = SDPOWER_NEWIDLE_PULLED;
	walk(&b, &w);
	assert_int_equal(b.h.cpu.idle_since_ns, 0);
	assert_int_equal(sdpower_dq_ran(&b.d.dq, 30000), 1);
	assert_int_equal(sdpower_newidle_wake(&b.h.tracker, b.h.now_ns + 50000), 1);
	assert_int_equal(b.h.cpu.avg_idle_ns, 1000000);
	assert_true(b.d.cpu.lengths[10] >= 512);
	assert_int_equal(sdpower_newidle_wake(&b.h.tracker, b.h.now_ns + 60000), 0);
	/* Without a pull both hear of it. */
	b.h.facts[0] = 0;
	walk(&b, &w);
	assert_int_equal(sdpower_newidle_wake(&b.h.tracker, b.h.now_ns + 79000), 1);
	assert_int_equal(b.h.cpu.avg_idle_ns, 1000000 - (1000000 - 80000) / 8);
}

static void a_pass_balances_and_forgets_nothing(void **state)
{
	struct both b;

	(void)state;
	setup(&b, 2);
	b.h.level[0].cost_ns = 256000;
	b.h.tick += 10000;
	assert_int_equal(newidle_pass(&b.h, 0), SDPOWER_OK);
	assert_int_equal(b.h.searched, 3);
	assert_int_equal(b.h.level[0].cost_ns, 256000);
	assert_int_equal(b.h.cpu.max_cost_ns, NEWIDLE_COST);
	assert_int_equal(b.h.cpu.next_balance, b.h.tick + 8);
}

static void expect_refused(struct both *b, sdpower_status expected)
{
	const struct both before = *b;

	assert_int_equal(sdpower_newidle_init(&b->h.tracker, 1, 1), expected);
	assert_int_equal(sdpower_newidle_wake(&b->h.tracker, 1), expected);
	assert_memory_equal(b, &before, sizeof(before));
	/* The other modes do not look at it. */
	b->h.rules.mode = SDPOWER_NEWIDLE_K516;
	assert_int_equal(sdpower_newidle_init(&b->h.tracker, 1, 1), SDPOWER_OK);
}

static void a_tracker_that_does_not_fit_is_refused(void **state)
{
	struct both b;

	(void)state;
	setup(&b, 2);
	b.h.tracker.dq = NULL;
	expect_refused(&b, SDPOWER_EINVAL);
	setup(&b, 2);
	b.d.dq.level_count = 3;
	expect_refused(&b, SDPOWER_EINVAL);
	setup(&b, 2);
	b.d.cpu.struct_size--;
	expect_refused(&b, SDPOWER_EINVAL);
	setup(&b, 2);
	b.d.rules.probe_permille = 1001;
	expect_refused(&b, SDPOWER_ERANGE);
}

/* The loop of sdpower/dq.h. */
static uint32_t walk_by_hand(struct dq_host *d, const struct newidle_host *script)
{
	uint64_t spent = 0;
	uint32_t searched = 0;

	(void)sdpower_dq_begin(&d->dq, d->now_ns);
	for (uint32_t level = 0; level < d->dq.level_count; level++) {
		if (sdpower_dq_should_search(&d->dq, level, spent) <= 0)
			continue;
		searched |= 1u << level;
		spent += script->cost_ns[level];
		(void)sdpower_dq_account(&d->dq, level, script->cost_ns[level],
			script->facts[level] == SDPOWER_NEWIDLE_PULLED, d->now_ns + spent);
		if (script->facts[level])
			break;
	}
	d->now_ns += spent;
	return searched;
}

static void draw_period(struct newidle_host *h, struct test_random *r)
{
	static const uint32_t facts[] = { 0, 0, 0, 0, SDPOWER_NEWIDLE_PULLED, SDPOWER_NEWIDLE_PENDING };

	for (uint32_t i = 0; i < DQ_LEVELS; i++) {
		h->cost_ns[i] = (uint64_t)1 << test_draw(r, 22);
		h->facts[i] = facts[test_draw(r, sizeof(facts) / sizeof(facts[0]))];
	}
}

static void live_alike(uint64_t seed)
{
	struct test_random r = { .state = seed };
	struct sdpower_newidle_walk w;
	struct both b;
	struct dq_host hand;

	setup(&b, DQ_LEVELS);
	dq_setup(&hand, DQ_LEVELS);
	for (uint32_t i = 0; i < PERIODS; i++) {
		const uint64_t length = (uint64_t)1 << test_draw(&r, 26);

		draw_period(&b.h, &r);
		walk(&b, &w);
		if (b.h.searched != walk_by_hand(&hand, &b.h))
			fail_msg("seed %llu, period %u: other levels", (unsigned long long)seed, i);
		b.h.now_ns += length;
		hand.now_ns += length;
		(void)sdpower_newidle_wake(&b.h.tracker, b.h.now_ns);
		(void)sdpower_dq_wake(&hand.dq, hand.now_ns);
		if (memcmp(&hand.cpu, &b.d.cpu, sizeof(hand.cpu)) ||
		    memcmp(hand.level, b.d.level, sizeof(hand.level)))
			fail_msg("seed %llu, period %u: other state", (unsigned long long)seed, i);
	}
}

static void walks_are_what_hosts_do_by_hand(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LIVES; i++)
		live_alike(first_seed + i);
}

static void one_life(void **state)
{
	(void)state;
	live_alike(first_seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(it_is_the_default_and_has_a_name),
		cmocka_unit_test(init_forgets_what_the_tracker_knew),
		cmocka_unit_test(a_refresh_is_a_part_of_the_first_search),
		cmocka_unit_test(nothing_is_done_where_nothing_is_worth_it),
		cmocka_unit_test(levels_count_each_on_its_own),
		cmocka_unit_test(whatever_arrives_ends_the_walk),
		cmocka_unit_test(a_period_outlasts_its_pull),
		cmocka_unit_test(a_pass_balances_and_forgets_nothing),
		cmocka_unit_test(a_tracker_that_does_not_fit_is_refused),
		cmocka_unit_test(walks_are_what_hosts_do_by_hand),
	};
	const struct CMUnitTest one[] = { cmocka_unit_test(one_life) };

	if (argc > 1) {
		first_seed = strtoull(argv[1], NULL, 10);
		return cmocka_run_group_tests_name("newidle_dq, one", one, NULL, NULL);
	}
	first_seed = (uint64_t)time(NULL) * 10000u;
	print_message("seeds %llu and up\n", (unsigned long long)first_seed);
	return cmocka_run_group_tests_name("newidle_dq", all, NULL, NULL);
}
