/* SPDX-License-Identifier: MIT */
/*
 * Description: readers walk while the control side replaces tree after tree. Whatever they
 * are told with status OK is one consistent tree; everything else is ESTALE or ENOENT.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <cmocka.h>
#include <sdpower.h>

#include "support/instance.h"
#include "state/instance.h"

#define READERS 3
#define SWAPS 3000u

struct reader {
	const sdpower *s;
	const atomic_int *stop;
	unsigned long consistent, stale, wrong;
	uint64_t state;
};

static uint32_t count(const uint32_t *mask)
{
	uint32_t bits = 0;

	for (uint32_t cpu = 0; cpu < 64; cpu++)
		bits += mask[cpu / 32] >> (cpu % 32) & 1u;
	return bits;
}

/* What a question about a handle says of it, if it has no answer. */
static int unanswered(sdpower_status status)
{
	return status == SDPOWER_ESTALE ? 0 : -1;
}

/* 1 = the domain is what it must be, 0 = stale, -1 = nonsense. */
static int look_at(const sdpower *s, struct sdpower_domain d, sdpower_cpu cpu)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_group_info g = { .struct_size = sizeof(g) };
	uint32_t span[2], group[2], all[2] = { 0, 0 }, weight = 0;
	sdpower_status status = sdpower_domain_describe(s, d, &info);

	if (status == SDPOWER_OK)
		status = sdpower_domain_span(s, d, span, 2);
	if (status != SDPOWER_OK)
		return unanswered(status);
	for (uint32_t i = 0; i < info.groups; i++) {
		status = sdpower_domain_group(s, d, i, &g, group, 2);
		if (status != SDPOWER_OK)
			return unanswered(status);
		if (i == 0 && !(group[cpu / 32] >> (cpu % 32) & 1u))
			return -1;
		all[0] |= group[0];
		all[1] |= group[1];
		weight += g.weight;
		if (count(group) != g.weight || g.power == 0)
			return -1;
	}
	return all[0] == span[0] && all[1] == span[1] && weight == info.weight &&
		count(span) == weight && info.cpu == cpu ? 1 : -1;
}

static void *read_on(void *context)
{
	struct reader *r = context;

	while (!atomic_load_explicit(r->stop, memory_order_relaxed)) {
		struct sdpower_domain d;
		sdpower_cpu cpu;

		r->state = r->state * 6364136223846793005u + 1442695040888963407u;
		cpu = (sdpower_cpu)(r->state >> 58);
		for (sdpower_status at = sdpower_domain_bottom(r->s, cpu, &d); at == SDPOWER_OK;
				at = sdpower_domain_parent(r->s, d, &d)) {
			const int seen = look_at(r->s, d, cpu);

			r->consistent += seen > 0;
			r->stale += seen == 0;
			r->wrong += seen < 0;
			if (seen <= 0)
				break;
		}
		if (sdpower_domain_distance(r->s, cpu, 63 - cpu) == 0)
			r->wrong++;
	}
	return NULL;
}

static void change(sdpower *s, struct test_random *random)
{
	uint32_t online[2];

	if (test_draw(random, 2)) {
		assert_int_equal(sdpower_set_knobs(s, test_draw(random, 3), test_draw(random, 3)),
			SDPOWER_OK);
		return;
	}
	online[0] = test_draw(random, UINT32_MAX) | 1u;
	online[1] = test_draw(random, UINT32_MAX);
	assert_int_equal(sdpower_set_online(s, online, 2), SDPOWER_OK);
}

static void swap_under_readers(uint32_t tree)
{
	struct test_instance t = { .config = { .tree = tree } };
	struct test_random random = { 12345 + tree };
	struct reader readers[READERS];
	pthread_t threads[READERS];
	atomic_int stop = 0;

	assert_int_equal(test_make(&t, "numa:4 l3:2 core:4 pu:2"), SDPOWER_OK);
	for (unsigned i = 0; i < READERS; i++) {
		readers[i] = (struct reader){ .s = t.s, .stop = &stop, .state = i };
		assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
	}
	for (unsigned i = 0; i < SWAPS; i++)
		change(t.s, &random);
	assert_int_equal(sdpower_check(t.s, NULL), SDPOWER_OK);
	atomic_store(&stop, 1);
	for (unsigned i = 0; i < READERS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(readers[i].wrong, 0);
		assert_true(readers[i].consistent > 0);
		print_message("reader %u: %lu consistent, %lu stale\n", i, readers[i].consistent,
			readers[i].stale);
	}
	test_drop(&t);
}

static void classic_trees_are_swapped_whole(void **state)
{
	(void)state;
	swap_under_readers(SDPOWER_TREE_CLASSIC);
}

static void modern_trees_are_swapped_whole(void **state)
{
	(void)state;
	swap_under_readers(SDPOWER_TREE_MODERN);
}

/* The number of a generation may wrap around; 0 means that there was none. */
static void generations_wrap_around(void **state)
{
	struct test_instance t = { .config = { .tree = SDPOWER_TREE_CLASSIC } };
	uint32_t mc, smt;

	(void)state;
	assert_int_equal(test_make(&t, "pack:2 core:2"), SDPOWER_OK);
	t.s->forest.generation = UINT32_MAX;
	for (uint32_t i = 0; i < 6; i++) {
		const uint32_t before = t.s->forest.generation;

		assert_int_equal(sdpower_set_knobs(t.s, i % 3, 0), SDPOWER_OK);
		assert_int_equal(sdpower_get_knobs(t.s, &mc, &smt), SDPOWER_OK);
		assert_int_equal(mc, i % 3);
		assert_int_not_equal(t.s->forest.generation, 0);
		assert_int_equal((t.s->forest.generation ^ before) & 1u, 1);
		assert_int_equal(sdpower_check(t.s, NULL), SDPOWER_OK);
	}
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classic_trees_are_swapped_whole),
		cmocka_unit_test(modern_trees_are_swapped_whole),
		cmocka_unit_test(generations_wrap_around),
	};

	return cmocka_run_group_tests_name("swap", tests, NULL, NULL);
}
