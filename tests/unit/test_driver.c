/* SPDX-License-Identifier: MIT */
/*
 * Description: the balance driver step by step: refusals, the lock of a serialised level, help
 * for a sleeper, a push from request to end, and trees replaced in the middle. Whole runs are
 * recorded loops (tests/vectors).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include "decide/driver.h"

#define MS UINT64_C(1000000)
#define TICK (4 * MS)

struct host {
	struct test_instance t;
	uint64_t walk[64];
	struct sdpower_balance_action action;
	struct sdpower_balance_outcome outcome;
};

static void host_make(struct host *h, const char *machine, uint32_t mc)
{
	memset(h, 0, sizeof(*h));
	h->t.config.mc = mc;
	h->t.config.decisions = SDPOWER_DECIDE_CLASSIC;
	h->t.config.flags = SDPOWER_CONFIG_DRIVER;
	assert_int_equal(test_make(&h->t, machine), SDPOWER_OK);
	assert_true(sdpower_balance_size(h->t.s) <= sizeof(h->walk));
	h->action.struct_size = sizeof(h->action);
	h->outcome.struct_size = sizeof(h->outcome);
}

static uint32_t begin(struct host *h, uint32_t kind, sdpower_cpu cpu, sdpower_cpu helper,
	uint64_t now)
{
	const struct sdpower_balance_request r = { .struct_size = sizeof(r), .kind = kind, .cpu = cpu,
		.helper = helper, .now_ns = now };

	assert_int_equal(sdpower_balance_begin(h->t.s, h->walk, sizeof(h->walk), &r, &h->action),
		SDPOWER_OK);
	return h->action.kind;
}

static uint32_t next(struct host *h, uint32_t done, uint64_t moved)
{
	h->outcome.done = done;
	h->outcome.move = h->action.move;
	h->outcome.move.moved = moved;
	h->outcome.move.pinned = 0;
	assert_int_equal(sdpower_balance_next(h->t.s, h->walk, &h->outcome, &h->action), SDPOWER_OK);
	return h->action.kind;
}

static void set_tasks(struct host *h, sdpower_cpu cpu, uint32_t nr)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = nr, .load = nr * 1024,
		.activity = nr ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING,
		.outside_capacity = SDPOWER_SCALE };

	for (unsigned i = 0; i < SDPOWER_LOAD_INDICES; i++)
		c.cpu_load[i] = c.load;
	assert_int_equal(sdpower_set_cpu(h->t.s, cpu, &c), SDPOWER_OK);
}

static uint64_t deadline(struct host *h, sdpower_cpu cpu)
{
	uint64_t ns = 1;

	assert_int_equal(sdpower_next_deadline(h->t.s, cpu, &ns), SDPOWER_OK);
	return ns;
}

static struct sdpower_i_pace *pace(struct host *h, sdpower_cpu cpu, uint32_t depth)
{
	return sdpower_i_pace_at(h->t.s, sdpower_i_position(h->t.s, cpu), depth);
}

static void bad_requests_are_refused(void **state)
{
	struct sdpower_balance_request r = { .struct_size = sizeof(r), .helper = SDPOWER_CPU_NONE };
	struct host h;
	const size_t size = sizeof(h.walk);
	uint64_t ns;

	(void)state;
	host_make(&h, "pack:2 core:2", 0);
	h.action.kind = 99;
#define REFUSED(status, s, memory, bytes, request, act) \
	assert_int_equal(sdpower_balance_begin((s), (memory), (bytes), (request), (act)), (status))
	REFUSED(SDPOWER_EINVAL, NULL, h.walk, size, &r, &h.action);
	REFUSED(SDPOWER_EINVAL, h.t.s, NULL, size, &r, &h.action);
	REFUSED(SDPOWER_EINVAL, h.t.s, (char *)h.walk + 4, size - 4, &r, &h.action);
	REFUSED(SDPOWER_EINVAL, h.t.s, h.walk, size, NULL, &h.action);
	REFUSED(SDPOWER_EINVAL, h.t.s, h.walk, size, &r, NULL);
	REFUSED(SDPOWER_ENOSPC, h.t.s, h.walk, sdpower_balance_size(h.t.s) - 1, &r, &h.action);
	r.idle = SDPOWER_CPU_NEWLY_IDLE;
	REFUSED(SDPOWER_EINVAL, h.t.s, h.walk, size, &r, &h.action);
	r = (struct sdpower_balance_request){ .struct_size = sizeof(r), .kind = 3 };
	REFUSED(SDPOWER_EINVAL, h.t.s, h.walk, size, &r, &h.action);
	r = (struct sdpower_balance_request){ .struct_size = sizeof(r), .flags = 1 };
	REFUSED(SDPOWER_EINVAL, h.t.s, h.walk, size, &r, &h.action);
	r = (struct sdpower_balance_request){ .struct_size = sizeof(r), .cpu = 4 };
	REFUSED(SDPOWER_ENOENT, h.t.s, h.walk, size, &r, &h.action);
	r = (struct sdpower_balance_request){ .struct_size = sizeof(r), .helper = 4 };
	REFUSED(SDPOWER_ENOENT, h.t.s, h.walk, size, &r, &h.action);
	assert_int_equal(h.action.kind, 99);
	assert_int_equal(sdpower_balance_next(h.t.s, h.walk, &h.outcome, &h.action), SDPOWER_EINVAL);
	assert_int_equal(sdpower_next_deadline(h.t.s, 4, &ns), SDPOWER_ENOENT);
	assert_int_equal(sdpower_next_deadline(NULL, 0, &ns), SDPOWER_EINVAL);
	assert_int_equal(sdpower_next_deadline(h.t.s, 0, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_balance_size(NULL), 0);
	test_drop(&h.t);
	h.t.config.flags = 0;
	assert_int_equal(test_make(&h.t, "core:2"), SDPOWER_OK);
	r = (struct sdpower_balance_request){ .struct_size = sizeof(r) };
	REFUSED(SDPOWER_ENOSYS, h.t.s, h.walk, size, &r, &h.action);
	test_drop(&h.t);
}

static void a_newly_idle_cpu_pulls(void **state)
{
	struct host h;

	(void)state;
	host_make(&h, "core:2 pu:2", 0);
	set_tasks(&h, 1, 3);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_NEWIDLE, 0, SDPOWER_CPU_NONE, 0),
		SDPOWER_BALANCE_PULL);
	assert_int_equal(h.action.from, 1);
	assert_int_equal(h.action.cpu, 0);
	assert_int_equal(h.action.depth, 0);
	assert_true(h.action.move.amount >= 1024);
	assert_int_equal(h.action.move.move_hot, 0);
	assert_int_equal(sdpower_balance_next(h.t.s, h.walk, NULL, &h.action), SDPOWER_EINVAL);
	assert_int_equal(next(&h, 0, 1024), SDPOWER_BALANCE_DONE);
	assert_int_equal(h.action.swapped, 0);
	assert_int_equal(sdpower_balance_next(h.t.s, h.walk, &h.outcome, &h.action), SDPOWER_EINVAL);
	test_drop(&h.t);
}

/* The deadline is the first tick with anything to do, for idle and busy cpus. */
static void deadlines_are_exact(void **state)
{
	struct host h;

	(void)state;
	host_make(&h, "pack:2 core:2 pu:2", 0);
	assert_int_equal(deadline(&h, 0), 0);
	for (uint64_t tick = 0; tick < 200; tick++) {
		const uint64_t before = deadline(&h, 0);
		struct sdpower_balance_request r = { .struct_size = sizeof(r),
			.helper = SDPOWER_CPU_NONE, .idle = tick > 100, .now_ns = tick * TICK + TICK - 1 };
		const struct sdpower_i_balancer b = h.t.s->balancers[sdpower_i_position(h.t.s, 0)];

		assert_int_equal(sdpower_balance_begin(h.t.s, h.walk, sizeof(h.walk), &r, &h.action),
			SDPOWER_OK);
		if (before > tick * TICK)
			assert_memory_equal(&b, &h.t.s->balancers[sdpower_i_position(h.t.s, 0)], sizeof(b));
		else
			assert_true(deadline(&h, 0) > tick * TICK);
		assert_int_equal(h.action.kind, SDPOWER_BALANCE_DONE);
	}
	test_drop(&h.t);
}

static void a_serialised_level_needs_the_lock(void **state)
{
	struct host h;
	uint32_t kind;

	(void)state;
	host_make(&h, "node:2 core:2", 0);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 0),
		SDPOWER_BALANCE_LOCK);
	assert_int_equal(next(&h, 1, 0), SDPOWER_BALANCE_UNLOCK);
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	set_tasks(&h, 2, 5);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 10 * TICK),
		SDPOWER_BALANCE_LOCK);
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 1000 * TICK),
		SDPOWER_BALANCE_LOCK);
	kind = next(&h, 1, 0);
	assert_int_equal(kind, SDPOWER_BALANCE_PULL);
	assert_int_equal(next(&h, 0, 1024), SDPOWER_BALANCE_UNLOCK);
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	test_drop(&h.t);
}

/* Nothing of a sleeper is written before the host hands it over. */
static void a_sleeper_is_helped_after_it_was_handed_over(void **state)
{
	struct host h;
	struct sdpower_i_balancer before, *sleeper;

	(void)state;
	host_make(&h, "core:4", 0);
	sleeper = &h.t.s->balancers[sdpower_i_position(h.t.s, 2)];
	(void)begin(&h, SDPOWER_BALANCE_TICK, 0, 0, 5 * TICK);
	before = *sleeper;
	assert_int_equal(begin(&h, SDPOWER_BALANCE_TICK, 2, 0, 10 * TICK), SDPOWER_BALANCE_TAKE_OVER);
	assert_int_equal(h.action.cpu, 2);
	assert_memory_equal(sleeper, &before, sizeof(before));
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	assert_memory_equal(sleeper, &before, sizeof(before));
	h.t.s->balancers[sdpower_i_position(h.t.s, 0)].next = 1000;
	(void)begin(&h, SDPOWER_BALANCE_TICK, 2, 0, 20 * TICK);
	assert_int_equal(next(&h, 1, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(deadline(&h, 2), 21 * TICK);
	assert_int_equal(deadline(&h, 0), 21 * TICK);
	test_drop(&h.t);
}

/* Walks until cpu 0 has failed so often that it asks cpu 1 to push. */
static void fail_until_kick(struct host *h, uint64_t *now)
{
	for (unsigned i = 0; i < 20; i++) {
		uint32_t kind = begin(h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, *now);

		*now += 100 * TICK;
		while (kind != SDPOWER_BALANCE_DONE && kind != SDPOWER_BALANCE_MAY_RUN)
			kind = next(h, 1, 0);
		if (kind == SDPOWER_BALANCE_MAY_RUN)
			return;
	}
	fail_msg("never asked for the running task");
}

static void a_push_is_asked_for_served_and_forgotten(void **state)
{
	struct host h;
	uint64_t now = 0;

	(void)state;
	host_make(&h, "core:4", 0);
	set_tasks(&h, 1, 4);
	fail_until_kick(&h, &now);
	assert_int_equal(h.action.from, 1);
	assert_int_equal(next(&h, 1, 0), SDPOWER_BALANCE_KICK);
	assert_int_equal(h.action.from, 1);
	assert_int_equal(sdpower_balance_next(h.t.s, h.walk, NULL, &h.action), SDPOWER_OK);
	assert_int_equal(h.action.kind, SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(&h, 0, 0)->failed, 2);
	/* Asked already: no second kick, from nobody. */
	fail_until_kick(&h, &now);
	assert_int_equal(next(&h, 1, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_PUSH, 2, SDPOWER_CPU_NONE, now),
		SDPOWER_BALANCE_DONE);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_PUSH, 1, SDPOWER_CPU_NONE, now),
		SDPOWER_BALANCE_PUSH_ONE);
	assert_int_equal(h.action.cpu, 0);
	assert_int_equal(h.action.from, 1);
	assert_int_equal(h.action.move.one, 1);
	assert_int_equal(h.action.move.move_hot, 1);
	assert_int_equal(next(&h, 0, 1024), SDPOWER_BALANCE_DONE);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_PUSH, 1, SDPOWER_CPU_NONE, now),
		SDPOWER_BALANCE_DONE);
	test_drop(&h.t);
}

static void a_running_task_that_may_not_come_stretches_the_interval(void **state)
{
	struct host h;
	uint64_t now = 0;
	uint32_t before;

	(void)state;
	host_make(&h, "core:4", 0);
	set_tasks(&h, 1, 4);
	fail_until_kick(&h, &now);
	before = pace(&h, 0, 0)->interval;
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(pace(&h, 0, 0)->interval, 2 * before);
	assert_int_equal(pace(&h, 0, 0)->failed, 4);
	test_drop(&h.t);
}

static void pinned_cpus_are_dropped_one_by_one(void **state)
{
	struct host h;
	uint32_t asked = 0;

	(void)state;
	host_make(&h, "core:8", 0);
	for (sdpower_cpu cpu = 1; cpu < 8; cpu++)
		set_tasks(&h, cpu, 2 + cpu);
	(void)begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 0);
	(void)begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 100 * TICK);
	while (h.action.kind == SDPOWER_BALANCE_PULL) {
		assert_false(asked >> h.action.from & 1);
		asked |= 1u << h.action.from;
		h.outcome.move = h.action.move;
		assert_int_equal(sdpower_balance_next(h.t.s, h.walk, &h.outcome, &h.action),
			SDPOWER_OK);
	}
	assert_int_equal(h.action.kind, SDPOWER_BALANCE_DONE);
	assert_int_equal(asked, 0xfe);
	assert_int_equal(pace(&h, 0, 0)->interval, 2);
	test_drop(&h.t);
}

/* A tree replaced while an action is out: the lock comes back, then the walk ends. */
static void a_replaced_tree_ends_the_walk(void **state)
{
	struct host h;

	(void)state;
	host_make(&h, "node:2 core:2", 0);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 0),
		SDPOWER_BALANCE_LOCK);
	assert_int_equal(sdpower_set_knobs(h.t.s, 2, 2), SDPOWER_OK);
	assert_int_equal(next(&h, 1, 0), SDPOWER_BALANCE_UNLOCK);
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(h.action.swapped, 1);
	assert_int_equal(begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, TICK),
		SDPOWER_BALANCE_LOCK);
	assert_int_equal(sdpower_set_knobs(h.t.s, 0, 0), SDPOWER_OK);
	assert_int_equal(next(&h, 0, 0), SDPOWER_BALANCE_DONE);
	assert_int_equal(h.action.swapped, 1);
	test_drop(&h.t);
}

/* B15: a partition whose cpus stay keeps intervals, failures and deadline; others start afresh. */
static void a_partition_that_stays_keeps_its_state(void **state)
{
	static const uint32_t halves[] = { 0x0f, 0xf0 }, quarters[] = { 0x0f, 0x30 };
	struct host h;
	uint64_t kept;

	(void)state;
	memset(&h, 0, sizeof(h));
	h.t.config.max_partitions = 2;
	h.t.config.decisions = SDPOWER_DECIDE_CLASSIC;
	h.t.config.flags = SDPOWER_CONFIG_DRIVER;
	assert_int_equal(test_make(&h.t, "pack:2 core:4"), SDPOWER_OK);
	h.action.struct_size = sizeof(h.action);
	h.outcome.struct_size = sizeof(h.outcome);
	assert_int_equal(sdpower_set_partitions(h.t.s, 2, halves, 1), SDPOWER_OK);
	for (sdpower_cpu cpu = 0; cpu < 8; cpu += 4) {
		(void)begin(&h, SDPOWER_BALANCE_TICK, cpu, SDPOWER_CPU_NONE, 0);
		(void)begin(&h, SDPOWER_BALANCE_TICK, cpu, SDPOWER_CPU_NONE, 10 * TICK);
		pace(&h, cpu, 0)->failed = 3;
		assert_int_equal(pace(&h, cpu, 0)->interval, 2);
	}
	kept = deadline(&h, 0);
	assert_int_equal(sdpower_set_partitions(h.t.s, 2, quarters, 1), SDPOWER_OK);
	assert_int_equal(deadline(&h, 0), kept);
	assert_int_equal(deadline(&h, 4), 0);
	assert_int_equal(deadline(&h, 6), UINT64_MAX);
	(void)begin(&h, SDPOWER_BALANCE_TICK, 0, SDPOWER_CPU_NONE, 10 * TICK);
	(void)begin(&h, SDPOWER_BALANCE_TICK, 4, SDPOWER_CPU_NONE, 10 * TICK);
	assert_int_equal(pace(&h, 0, 0)->failed, 3);
	assert_int_equal(pace(&h, 4, 0)->failed, 0);
	assert_int_equal(pace(&h, 4, 0)->interval, 1);
	assert_int_equal(pace(&h, 4, 0)->last, 10);
	test_drop(&h.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_requests_are_refused),
		cmocka_unit_test(a_newly_idle_cpu_pulls),
		cmocka_unit_test(deadlines_are_exact),
		cmocka_unit_test(a_serialised_level_needs_the_lock),
		cmocka_unit_test(a_sleeper_is_helped_after_it_was_handed_over),
		cmocka_unit_test(a_push_is_asked_for_served_and_forgotten),
		cmocka_unit_test(a_running_task_that_may_not_come_stretches_the_interval),
		cmocka_unit_test(pinned_cpus_are_dropped_one_by_one),
		cmocka_unit_test(a_replaced_tree_ends_the_walk),
		cmocka_unit_test(a_partition_that_stays_keeps_its_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
