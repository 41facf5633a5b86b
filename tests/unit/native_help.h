/* SPDX-License-Identifier: MIT */
/* Instances under both rule sets and short words for what runs where. Include after cmocka.h. */
#ifndef SDPOWER_TEST_NATIVE_HELP_H
#define SDPOWER_TEST_NATIVE_HELP_H

#include <string.h>
#include "support/instance.h"

/* A machine under the native rules with its knobs; free with test_drop. */
static inline struct test_instance native_on(const char *machine, uint32_t mc, uint32_t smt)
{
	struct test_instance t;

	memset(&t, 0, sizeof(t));
	t.config.tree = SDPOWER_TREE_MODERN;
	t.config.decisions = SDPOWER_DECIDE_NATIVE;
	t.config.mc = mc;
	t.config.smt = smt;
	assert_int_equal(test_make(&t, machine), SDPOWER_OK);
	return t;
}

/* The same under the rules of 2009. */
static inline struct test_instance classic_on(const char *machine, uint32_t mc, uint32_t smt)
{
	struct test_instance t;

	memset(&t, 0, sizeof(t));
	t.config.tree = SDPOWER_TREE_CLASSIC;
	t.config.decisions = SDPOWER_DECIDE_CLASSIC;
	t.config.mc = mc;
	t.config.smt = smt;
	assert_int_equal(test_make(&t, machine), SDPOWER_OK);
	return t;
}

/* A cpu runs so many tasks of weight 1024; none = it sleeps. */
static inline void runs(sdpower *s, sdpower_cpu cpu, uint32_t nr)
{
	assert_int_equal(sdpower_set_load(s, cpu, nr, nr * 1024), SDPOWER_OK);
	if (nr)
		assert_int_equal(sdpower_idle_exit(s, cpu, 1), SDPOWER_OK);
	else
		assert_int_equal(sdpower_idle_enter(s, cpu, 1), SDPOWER_OK);
}

/* Each cpu of the list runs one task. */
static inline void run_on(sdpower *s, const sdpower_cpu *cpus, size_t count)
{
	for (size_t i = 0; i < count; i++)
		runs(s, cpus[i], 1);
}

#define RUN_ON(s, ...) run_on(s, (const sdpower_cpu[]){ __VA_ARGS__ }, \
	sizeof((const sdpower_cpu[]){ __VA_ARGS__ }) / sizeof(sdpower_cpu))

/* A wake-up on `prev` by somebody on `waker`, of a task that is cache hot. */
static inline struct sdpower_wake wake_from(sdpower_cpu waker, sdpower_cpu prev)
{
	return (struct sdpower_wake){ .struct_size = sizeof(struct sdpower_wake), .waker = waker,
		.prev = prev, .weight = 1024, .waker_weight = 1024 };
}

static inline struct sdpower_pick woken(const sdpower *s, const struct sdpower_wake *w)
{
	struct sdpower_pick pick = { 99, 0 };

	assert_int_equal(sdpower_select_cpu(s, w, &pick), SDPOWER_OK);
	return pick;
}

static inline struct sdpower_pick placed(const sdpower *s, sdpower_cpu cpu, uint32_t flag)
{
	const struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = cpu, .flag = flag };
	struct sdpower_pick pick = { 99, 0 };

	assert_int_equal(sdpower_place(s, &p, &pick), SDPOWER_OK);
	return pick;
}

#endif
