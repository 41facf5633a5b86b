/* SPDX-License-Identifier: MIT */
/*
 * Description: a record of a trace, read back, gives the answer that it holds, on random machines,
 * states and questions; every field of an answer is in its line; wrong arguments are refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <sdpower/trace.h>
#include "support/instance.h"

static const char *const shapes[] = { "pack:2 l3:1 core:4 pu:2", "numa:4 pack:2 l3:1 core:3 pu:2",
	"core:2", "numa:2 l3:2 core:6 pu:2" };

static char text[200000], line[4096], again[4096];

static void random_question(struct test_random *r, const sdpower *s, struct sdpower_question *q)
{
	const uint32_t cpus = sdpower_cpu_count(s);

	*q = (struct sdpower_question){ .struct_size = sizeof(*q), .kind = test_draw(r, 4) };
	q->busiest = (struct sdpower_busiest_request){ .struct_size = sizeof(q->busiest),
		.cpu = test_draw(r, cpus), .depth = test_draw(r, 4), .idle = test_draw(r, 3) };
	q->wake = (struct sdpower_wake){ .struct_size = sizeof(q->wake), .waker = test_draw(r, cpus),
		.prev = test_draw(r, cpus), .weight = 1024, .waker_weight = 1024 };
	q->place = (struct sdpower_placement){ .struct_size = sizeof(q->place),
		.cpu = test_draw(r, cpus), .flag = SDPOWER_SD_BALANCE_FORK };
}

/* Makes an instance from the record in text and writes its answer to again. */
static void replay(size_t length)
{
	static uint64_t tables[20000];
	struct sdpower_snapshot snapshot = { .struct_size = sizeof(snapshot) };
	struct sdpower_answer answer = { .struct_size = sizeof(answer) };
	size_t size, align, written;
	sdpower *s;
	void *memory;

	assert_int_equal(SDPOWER_OK, sdpower_snapshot_read(text, length, tables, sizeof(tables),
		&snapshot, NULL));
	assert_int_equal(SDPOWER_OK, sdpower_memory_needed(&snapshot.config, &size, &align));
	memory = aligned_alloc(align, (size + align - 1) / align * align);
	assert_non_null(memory);
	assert_int_equal(SDPOWER_OK, sdpower_init(memory, size, &snapshot.config, &s));
	assert_int_equal(SDPOWER_OK, sdpower_snapshot_restore(&snapshot, s));
	assert_int_equal(SDPOWER_OK, sdpower_ask(s, &snapshot.question, &answer));
	assert_int_equal(SDPOWER_OK, sdpower_answer_write(&answer, again, sizeof(again), &written));
	free(memory);
}

static void records_replay(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct test_random r = { seed };
		struct test_instance t = { .config.mc = test_draw(&r, 3),
			.config.smt = test_draw(&r, 3) };
		struct sdpower_question q;
		struct sdpower_answer answer = { .struct_size = sizeof(answer) };
		size_t length, lines;
		sdpower *s;

		assert_int_equal(SDPOWER_OK, test_make(&t, shapes[test_draw(&r, 4)]));
		s = t.s;
		for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
			test_random_cpu(&r, s, cpu);
		random_question(&r, s, &q);
		assert_int_equal(SDPOWER_OK, sdpower_ask(s, &q, &answer));
		assert_int_equal(SDPOWER_OK, sdpower_answer_write(&answer, line, sizeof(line), &lines));
		assert_int_equal(SDPOWER_ENOSPC, sdpower_trace_write(s, &q, &answer, NULL, 0, &length));
		assert_true(length < sizeof(text));
		assert_int_equal(SDPOWER_ENOSPC,
			sdpower_trace_write(s, &q, &answer, text, length, &length));
		assert_int_equal(SDPOWER_OK,
			sdpower_trace_write(s, &q, &answer, text, length + 1, &length));
		assert_string_equal(line, text + length - lines);
		replay(length - lines);
		if (strcmp(line, again))
			fail_msg("seed %u: %s became %s", (unsigned)seed, line, again);
		test_drop(&t);
	}
}

static void every_field_counts(void **state)
{
	struct sdpower_answer a = { .struct_size = sizeof(a), .kind = SDPOWER_QUESTION_BUSIEST };
	const size_t end = offsetof(struct sdpower_busiest, stats) + sizeof(a.busiest.stats);
	size_t length;

	(void)state;
	assert_int_equal(SDPOWER_OK, sdpower_answer_write(&a, line, sizeof(line), &length));
	for (size_t at = offsetof(struct sdpower_busiest, group); at < end; at += 4) {
		uint32_t *word = (uint32_t *)(void *)((char *)&a.busiest + at);

		if (at == offsetof(struct sdpower_busiest, reserved))
			continue;
		*word = 7;
		assert_int_equal(SDPOWER_OK, sdpower_answer_write(&a, again, sizeof(again), &length));
		if (!strcmp(line, again))
			fail_msg("the field at %u is in no line", (unsigned)at);
		*word = 0;
	}
	a.pick.cpu = 3;
	assert_int_equal(SDPOWER_OK, sdpower_answer_write(&a, again, sizeof(again), &length));
	assert_non_null(strstr(again, " queue=3 "));
}

/* A cpu that may not be looked at is not picked, busy as it is. */
static void the_queue_is_a_candidate(void **state)
{
	static const uint32_t all_but_cpu_0 = 0xfe;
	struct test_instance t = { .s = NULL };
	struct sdpower_question q = { .struct_size = sizeof(q), .kind = SDPOWER_QUESTION_BUSIEST,
		.busiest = { .struct_size = sizeof(q.busiest), .cpu = 7, .depth = 1,
			.candidates = &all_but_cpu_0, .candidate_words = 1 } };
	struct sdpower_answer a = { .struct_size = sizeof(a) };
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .outside_capacity = SDPOWER_SCALE };

	(void)state;
	assert_int_equal(SDPOWER_OK, test_make(&t, "pack:2 core:4"));
	for (sdpower_cpu cpu = 0; cpu < 2; cpu++) {
		c.nr = 6 - cpu;
		c.load = c.nr * 1024;
		for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
			c.cpu_load[k] = c.load;
		assert_int_equal(SDPOWER_OK, sdpower_set_cpu(t.s, cpu, &c));
	}
	assert_int_equal(SDPOWER_OK, sdpower_ask(t.s, &q, &a));
	assert_int_equal(0, a.busiest.group_first);
	assert_int_equal(1, a.pick.cpu);
	test_drop(&t);
}

static void refusals(void **state)
{
	struct test_instance t = { .s = NULL };
	struct sdpower_question q = { .struct_size = sizeof(q), .kind = SDPOWER_QUESTION_BUSIEST };
	struct sdpower_answer a = { .struct_size = sizeof(a) };
	size_t length;

	(void)state;
	assert_int_equal(SDPOWER_OK, test_make(&t, "core:2"));
	assert_int_equal(SDPOWER_EINVAL, sdpower_ask(NULL, &q, &a));
	assert_int_equal(SDPOWER_EINVAL, sdpower_ask(t.s, NULL, &a));
	assert_int_equal(SDPOWER_EINVAL, sdpower_ask(t.s, &q, NULL));
	q.kind = SDPOWER_QUESTION_PLACE + 1;
	assert_int_equal(SDPOWER_EINVAL, sdpower_ask(t.s, &q, &a));
	q.kind = SDPOWER_QUESTION_BUSIEST;
	assert_int_equal(SDPOWER_OK, sdpower_ask(t.s, &q, &a)); /* the request has no size: an answer */
	assert_int_equal(SDPOWER_EINVAL, a.status);
	assert_int_equal(SDPOWER_OK, sdpower_answer_write(&a, line, sizeof(line), &length));
	assert_string_equal("answer busiest status=-1\n", line);
	q.kind = SDPOWER_QUESTION_WAKE;
	assert_int_equal(SDPOWER_EINVAL, sdpower_trace_write(t.s, &q, &a, NULL, 0, &length));
	assert_int_equal(SDPOWER_EINVAL, sdpower_answer_write(&a, NULL, 1, &length));
	a.struct_size--;
	assert_int_equal(SDPOWER_EINVAL, sdpower_answer_write(&a, line, sizeof(line), &length));
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_replay),
		cmocka_unit_test(every_field_counts),
		cmocka_unit_test(the_queue_is_a_candidate),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
