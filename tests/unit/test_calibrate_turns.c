/* SPDX-License-Identifier: MIT */
/*
 * Description: two threads by turns, with a clock and walks of the test's own: which way is which,
 * what counts, what a round used of the budget, and that memory is fresh and goes back. No cpu is
 * timed, so that a loaded machine changes nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "hosted/calibrate.h"

#define SECOND UINT64_C(1000000000)
#define MIB UINT64_C(1048576)

/* Time stands still but for walks. */
static atomic_uint_least64_t now_ns;
static atomic_uint maps, unmaps, walks;
static atomic_uint_least64_t mapped, given_back, longest_map;
/* Of each side: what a walk takes, and how much longer it is the first time. */
static uint64_t local_ns[2], more_ns[2];
static uint32_t good_after[2]; /* rounds in which the side finds itself elsewhere */
static _Thread_local uint32_t side, walked, asked;

uint64_t sdpower_i_now(void)
{
	return atomic_load(&now_ns);
}

int sdpower_i_walk(uint64_t *words, uint64_t lines, uint64_t deadline_ns, const uint32_t *stop)
{
	(void)words;
	(void)lines;
	(void)deadline_ns;
	(void)stop;
	atomic_fetch_add(&now_ns, local_ns[side] + (walked++ % 2 ? 0 : more_ns[side]));
	atomic_fetch_add(&walks, 1);
	return 1;
}

static int start(pthread_t *thread, void *(*run)(void *), void *context)
{
	return pthread_create(thread, NULL, run, context);
}

static int pin(uint32_t os_id)
{
	side = os_id;
	return 0;
}

static int unpin(pthread_t thread)
{
	(void)thread;
	return 0;
}

static uint32_t cpu(void)
{
	return asked++ < good_after[side] ? 99 : side;
}

static uint64_t switches(void)
{
	return 7;
}

static void *map(size_t size)
{
	atomic_fetch_add(&maps, 1);
	atomic_fetch_add(&mapped, size);
	atomic_store(&longest_map, size);
	return malloc(size);
}

static void unmap(void *memory, size_t size)
{
	atomic_fetch_add(&unmaps, 1);
	atomic_fetch_add(&given_back, size);
	free(memory);
}

static const struct sdpower_i_system ours = { .start = start, .pin = pin, .unpin = unpin,
	.cpu = cpu, .switches = switches, .map = map, .unmap = unmap };

/* Both sides alike and undisturbed: a walk takes 10000 ns, twice that when it arrives. */
static struct sdpower_i_pair fresh(void)
{
	struct timespec real;

	clock_gettime(CLOCK_MONOTONIC, &real);
	atomic_store(&now_ns, (uint64_t)real.tv_sec * SECOND);
	atomic_store(&maps, 0);
	atomic_store(&unmaps, 0);
	atomic_store(&walks, 0);
	atomic_store(&mapped, 0);
	atomic_store(&given_back, 0);
	for (int i = 0; i < 2; i++) {
		local_ns[i] = more_ns[i] = 10000;
		good_after[i] = 0;
	}
	return (struct sdpower_i_pair){ .system = &ours, .os_id = { 0, 1 },
		.deadline_ns = sdpower_i_now() + 600 * SECOND,
		.rules = { .struct_size = sizeof(struct sdpower_curve_rules), .only_size = MIB } };
}

static void the_second_side_is_there(void **state)
{
	struct sdpower_i_pair p = fresh();

	(void)state;
	more_ns[1] = 2000; /* it arrives at the second cpu */
	more_ns[0] = 500;
	sdpower_i_pair_measure(&p);
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.curve.best.there_ns, 2000);
	assert_int_equal(p.curve.best.back_ns, 500);
	assert_int_equal(p.curve.best.cost_ns, 1250);
	assert_int_equal(p.curve.best.rounds, 5);
	assert_int_equal(p.point_count, 1);
	assert_int_equal(p.ping_ps, 1);
	assert_int_equal(atomic_load(&walks), 4 * (1 + 5));
}

/* Either one that finds itself elsewhere spoils the round. */
static void a_disturbed_side_spoils_the_round(void **state)
{
	(void)state;
	for (uint32_t bad = 0; bad < 2; bad++) {
		struct sdpower_i_pair p = fresh();

		good_after[bad] = 2;
		sdpower_i_pair_measure(&p);
		assert_int_equal(p.dropped, 2);
		assert_int_equal(p.flags, 0);
		assert_int_equal(p.curve.best.rounds, 5);
		assert_int_equal(atomic_load(&walks), 4 * (2 + 1 + 5));
		/* Only rounds that count use the budget. */
		assert_int_equal(p.curve.elapsed_ns, (1 + 5) * 60000);
		p = fresh();
		good_after[bad] = UINT32_MAX;
		sdpower_i_pair_measure(&p);
		assert_int_equal(p.flags, SDPOWER_CALIBRATION_NOISY);
		assert_int_equal(p.curve.best.rounds, 0);
		assert_int_equal(p.curve.elapsed_ns, 0);
		assert_int_equal(p.dropped, 5);
	}
}

/* A walk that was held up counts as 64 quick ones. */
static void what_was_held_up_uses_little(void **state)
{
	struct sdpower_i_pair p = fresh();

	(void)state;
	local_ns[0] = 300;
	local_ns[1] = 200;
	more_ns[1] = 5000000;
	sdpower_i_pair_measure(&p);
	assert_int_equal(p.curve.elapsed_ns, (1 + 5) * 64 * 200);
}

/* Octaves in one memory, half octaves in a second one, the best size in two more. */
static void memory_is_fresh_and_goes_back(void **state)
{
	struct sdpower_i_pair p = fresh();
	uint32_t buffers = 0;

	(void)state;
	p.rules.only_size = 0;
	p.rules.private_size = MIB;
	p.rules.budget_ns = 500 * SECOND;
	p.far_budget_ns = 1;
	sdpower_i_pair_measure(&p);
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.curve.budget_ns, 500 * SECOND); /* a near pair by its ping */
	for (uint32_t i = 0; i < p.point_count; i++)
		buffers |= 1u << p.points[i].buffer;
	assert_int_equal(buffers, 0xf);
	assert_int_equal(p.point_count, p.curve.points);
	assert_int_equal(atomic_load(&maps), 4);
	assert_int_equal(atomic_load(&unmaps), 4);
	assert_int_equal(atomic_load(&mapped), atomic_load(&given_back));
	assert_true(atomic_load(&longest_map) >= 2 * MIB);
}

static void a_sign_needs_no_memory(void **state)
{
	struct sdpower_i_pair p = fresh();

	(void)state;
	p.rules.struct_size = 0;
	sdpower_i_pair_measure(&p);
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.ping_ps, 1);
	assert_int_equal(atomic_load(&maps) + atomic_load(&walks), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_side_is_there),
		cmocka_unit_test(a_disturbed_side_spoils_the_round),
		cmocka_unit_test(what_was_held_up_uses_little),
		cmocka_unit_test(memory_is_fresh_and_goes_back),
		cmocka_unit_test(a_sign_needs_no_memory),
	};

	return cmocka_run_group_tests_name("calibrate_turns", tests, NULL, NULL);
}
