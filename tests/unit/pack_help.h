/* SPDX-License-Identifier: MIT */
/* Native instances that save power, and what they are asked. Include after cmocka.h. */
#ifndef SDPOWER_TEST_PACK_HELP_H
#define SDPOWER_TEST_PACK_HELP_H

#include <string.h>
#include "support/instance.h"

static inline void make(struct test_instance *t, const char *machine, uint32_t mc, uint32_t smt)
{
	memset(t, 0, sizeof(*t));
	t->config.tree = SDPOWER_TREE_MODERN;
	t->config.decisions = SDPOWER_DECIDE_NATIVE;
	t->config.mc = mc;
	t->config.smt = smt;
	assert_int_equal(test_make(t, machine), SDPOWER_OK);
}

/* So many tasks that have this share of time together. */
static inline void put(struct test_instance *t, sdpower_cpu cpu, uint32_t nr, uint32_t util)
{
	const struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = nr, .load = 1024 * nr,
		.activity = nr ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING, .util = util,
		.has_util = 1, .outside_capacity = SDPOWER_SCALE };

	assert_int_equal(sdpower_set_cpu(t->s, cpu, &c), SDPOWER_OK);
}

static inline struct sdpower_busiest ask_among(const struct test_instance *t, sdpower_cpu cpu,
	uint32_t depth, const uint32_t *candidates)
{
	const struct sdpower_busiest_request request = { .struct_size = sizeof(request), .cpu = cpu,
		.depth = depth, .idle = SDPOWER_CPU_IDLE, .candidates = candidates,
		.candidate_words = candidates ? 1 : 0 };
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	assert_int_equal(sdpower_find_busiest_group(t->s, &request, &answer), SDPOWER_OK);
	return answer;
}

static inline struct sdpower_busiest ask(const struct test_instance *t, sdpower_cpu cpu, uint32_t depth)
{
	return ask_among(t, cpu, depth, NULL);
}

static inline void assert_power(const struct sdpower_busiest *a, sdpower_cpu from, sdpower_cpu target)
{
	assert_int_equal(a->kind, SDPOWER_PULL_POWER);
	assert_true(a->reason & SDPOWER_REASON_POWER);
	assert_int_equal(a->from, from);
	assert_int_equal(a->target, target);
}

static inline void assert_nothing(const struct sdpower_busiest *a, uint32_t reason)
{
	assert_int_equal(a->kind, SDPOWER_PULL_NONE);
	assert_int_equal(a->group, SDPOWER_ID_NONE);
	assert_int_equal(a->reason & reason, reason);
}

#endif
