/* SPDX-License-Identifier: MIT */
/*
 * Description: what the recorded moves (tests/vectors) do not hold: refusals, pushes of one
 * task, the limits of "cache hot", and offers after the end.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sdpower/move.h>

static struct sdpower_move begin(uint64_t amount)
{
	return (struct sdpower_move){ .struct_size = sizeof(struct sdpower_move), .amount = amount,
		.pinned = 1, .cost_ns = 500000 };
}

static const struct sdpower_move_task cold = { 1024, SDPOWER_TASK_ALLOWED, 1000000, 0, 0 };

static void refuses_what_is_no_record(void **state)
{
	struct sdpower_move m = begin(1024);

	(void)state;
	assert_int_equal(sdpower_move_offer(NULL, &cold), SDPOWER_EINVAL);
	assert_int_equal(sdpower_move_offer(&m, NULL), SDPOWER_EINVAL);
	m.struct_size--;
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_EINVAL);
	assert_int_equal(m.examined, 0);
}

static void stops_when_enough_moved(void **state)
{
	struct sdpower_move m = begin(1500);

	(void)state;
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_MOVE_TAKE);
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_MOVE_LEAVE);
	m.amount = 1536;
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_MOVE_LAST);
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_MOVE_STOP);
	assert_int_equal(m.moved, 2048);
	assert_int_equal(m.tasks, 2);
	assert_int_equal(m.examined, 3);
}

static void looks_at_a_bounded_number_of_tasks(void **state)
{
	const struct sdpower_move_task running = { 1024, SDPOWER_TASK_ALLOWED | SDPOWER_TASK_RUNNING, 0, 0, 0 };
	struct sdpower_move m = begin(1024);

	(void)state;
	for (uint32_t i = 0; i < SDPOWER_MOVE_EXAMINED; i++)
		assert_int_equal(sdpower_move_offer(&m, &running), SDPOWER_MOVE_LEAVE);
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_MOVE_STOP);
	assert_int_equal(m.pinned, 0);
	m.one = 1;
	assert_int_equal(sdpower_move_offer(&m, &cold), SDPOWER_MOVE_LAST);
}

static void pushes_one_task_of_any_weight(void **state)
{
	const struct sdpower_move_task heavy = { UINT32_MAX, SDPOWER_TASK_ALLOWED, 1000000, 0, 0 };
	const struct sdpower_move_task pinned = { 1, 0, 1000000, 0, 0 };
	struct sdpower_move m = begin(0);

	(void)state;
	m.one = 1;
	assert_int_equal(sdpower_move_offer(&m, &pinned), SDPOWER_MOVE_LEAVE);
	assert_int_equal(m.pinned, 1);
	assert_int_equal(sdpower_move_offer(&m, &heavy), SDPOWER_MOVE_LAST);
	assert_int_equal(sdpower_move_offer(&m, &heavy), SDPOWER_MOVE_STOP);
	assert_int_equal(m.moved, UINT32_MAX);
}

static void knows_hot_tasks(void **state)
{
	static const struct {
		uint32_t cost, flags;
		int64_t idle;
		int hot;
	} cases[] = {
		{ 500000, 0, 499999, 1 }, { 500000, 0, 500000, 0 }, { 500000, 0, -1, 1 },
		{ 0, 0, -1, 0 }, { UINT32_MAX, 0, INT64_MAX, 1 },
		{ UINT32_MAX, SDPOWER_TASK_UNFAIR, 0, 0 }, { 0, SDPOWER_TASK_BUDDY, INT64_MAX, 1 },
		{ 0, SDPOWER_TASK_BUDDY | SDPOWER_TASK_UNFAIR, 0, 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sdpower_move_task t = { 1024, SDPOWER_TASK_ALLOWED | cases[i].flags,
			cases[i].idle, 0, 0 };
		struct sdpower_move m = begin(4096);

		m.cost_ns = cases[i].cost;
		assert_int_equal(sdpower_move_offer(&m, &t),
			cases[i].hot ? SDPOWER_MOVE_LEAVE : SDPOWER_MOVE_TAKE);
		m.move_hot = 1;
		assert_int_equal(sdpower_move_offer(&m, &t), SDPOWER_MOVE_TAKE);
		assert_int_equal(m.hot_tasks, cases[i].hot);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_no_record),
		cmocka_unit_test(stops_when_enough_moved),
		cmocka_unit_test(looks_at_a_bounded_number_of_tasks),
		cmocka_unit_test(pushes_one_task_of_any_weight),
		cmocka_unit_test(knows_hot_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
