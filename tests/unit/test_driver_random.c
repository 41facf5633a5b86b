/* SPDX-License-Identifier: MIT */
/*
 * Description: the balance driver on random machines, tasks and events, as a host on the run
 * queues of the recorded loops. A tickless host that only walks at deadlines sees the very same
 * moves as one that asks at every tick; counters agree with what happened; while trees are
 * replaced and locks refused, no task is lost and no lock kept.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "support/instance.h"
#include "decide/driver.h"
#include "vectors/loop_model.h"

#define TICKS 160u
#define ROUNDS 60u

struct trace {
	uint64_t sum;     /* of everything that moved, in order */
	unsigned stray;   /* tasks moved where they may not run */
	const struct loop *loop;
};

struct run {
	struct test_instance t;
	struct loop loop;
	struct trace trace;
	uint64_t walk[64];
	uint32_t tasks;
};

static uint64_t seed;

static void moved(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
	unsigned kind)
{
	struct trace *t = listener;
	const uint64_t all = tick << 32 ^ (uint64_t)task << 20 ^ from << 12 ^ to << 4 ^ kind;

	t->sum = (t->sum ^ all) * 0x9e3779b97f4a7c15u;
	t->stray += !(t->loop->task[task].affinity >> to & 1);
}

static const char *machine_of(uint32_t which)
{
	static const char *const machines[] = { "core:4", "pack:2 core:4", "pack:2 core:4 pu:2",
		"node:2 core:4 pu:2", "node:4 core:2", "pack:4 core:8 pu:2", "core:1" };

	return machines[which % (sizeof(machines) / sizeof(machines[0]))];
}

static void make(struct run *r, struct test_random *draw, int counters)
{
	memset(r, 0, sizeof(*r));
	r->t.config.mc = test_draw(draw, 3);
	r->t.config.smt = test_draw(draw, 3);
	r->t.config.decisions = test_draw(draw, 2) ? SDPOWER_DECIDE_CLASSIC : SDPOWER_DECIDE_CLASSIC_30;
	r->t.config.flags = SDPOWER_CONFIG_DRIVER | (counters ? SDPOWER_CONFIG_COUNTERS : 0);
	assert_int_equal(test_make(&r->t, machine_of(test_draw(draw, 100))), SDPOWER_OK);
	r->loop.s = r->t.s;
	r->loop.cpus = sdpower_cpu_count(r->t.s);
	r->loop.walk = r->walk;
	r->loop.walk_size = sizeof(r->walk);
	r->loop.moved = moved;
	r->loop.listener = &r->trace;
	r->loop.cost_ns = test_draw(draw, 3) ? 500000 : test_draw(draw, 2) ? 0 : UINT32_MAX;
	r->trace.loop = &r->loop;
	r->tasks = 1 + test_draw(draw, 2 * r->loop.cpus);
	for (uint32_t i = 0; i < r->tasks; i++) {
		struct loop_task *t = &r->loop.task[i];

		t->weight = test_draw(draw, 3) ? 1024 : 15 + test_draw(draw, 5000);
		t->affinity = test_draw(draw, 4) ? UINT64_MAX : 1u | (uint64_t)test_draw(draw, 1u << 31);
		t->cpu = LOOP_NOBODY;
	}
	loop_start(&r->loop);
}

/* Tasks come and go; most stay where the balancing puts them. */
static void events(struct run *r, struct test_random *draw)
{
	for (uint32_t i = test_draw(draw, 4); i; i--) {
		const uint32_t task = test_draw(draw, r->tasks);
		const uint32_t cpu = test_draw(draw, 1 + test_draw(draw, r->loop.cpus));

		if (r->loop.task[task].cpu == LOOP_NOBODY) {
			if (r->loop.task[task].affinity >> cpu & 1)
				loop_arrive(&r->loop, (int)task, cpu);
		} else if (test_draw(draw, 3) == 0) {
			loop_depart(&r->loop, (int)task);
		}
	}
}

static void check_run(const struct run *r)
{
	unsigned queued = 0, present = 0;

	for (unsigned cpu = 0; cpu < r->loop.cpus; cpu++)
		queued += r->loop.queue[cpu].count;
	for (uint32_t i = 0; i < r->tasks; i++)
		present += r->loop.task[i].cpu != LOOP_NOBODY;
	assert_int_equal(queued, present);
	assert_int_equal(r->loop.refused, 0);
	assert_int_equal(r->loop.unpaired, 0);
	assert_int_equal(r->trace.stray, 0);
}

static uint64_t play(uint64_t from, int tickless)
{
	struct run *r = malloc(sizeof(*r));
	struct test_random draw = { from };
	uint64_t sum;

	make(r, &draw, 0);
	r->loop.tickless = tickless;
	for (unsigned tick = 0; tick < TICKS; tick++) {
		events(r, &draw);
		loop_step(&r->loop);
	}
	check_run(r);
	sum = r->trace.sum;
	test_drop(&r->t);
	free(r);
	return sum;
}

static void a_tickless_host_misses_nothing(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++)
		if (play(seed + i, 0) != play(seed + i, 1))
			fail_msg("seed %llu", (unsigned long long)(seed + i));
}

/* The text of all counters as it should be, from the calls that read one level. */
static void expect_text(const sdpower *s, const struct sdpower_topology *machine, char *text)
{
	text += sprintf(text, "sdpower counters 1\n");
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++) {
		struct sdpower_counters c = { .struct_size = sizeof(c) };
		struct sdpower_domain_info info = { .struct_size = sizeof(info) };
		struct sdpower_domain domain;

		for (uint32_t d = 0; sdpower_get_counters(s, cpu, d, &c) == SDPOWER_OK; d++) {
			assert_int_equal(sdpower_domain_at(s, cpu, d, &domain), SDPOWER_OK);
			assert_int_equal(sdpower_domain_describe(s, domain, &info), SDPOWER_OK);
			text += sprintf(text, "level %u %u %s", (unsigned)machine->cpus[cpu].os_id,
				(unsigned)d, sdpower_level_name(info.level));
			for (unsigned i = 0; i < SDPOWER_PASS_KINDS * SDPOWER_PASS_COUNTERS; i++)
				text += sprintf(text, " %u", (unsigned)(&c.pass[0][0])[i]);
			text += sprintf(text, " %u %u %u\n", (unsigned)c.pushes,
				(unsigned)c.pushes_failed, (unsigned)c.pushes_moved);
		}
	}
	sprintf(text, "end\n");
}

static void check_text(const struct test_instance *t)
{
	static char expected[100000], written[100000];
	size_t length;

	expect_text(t->s, &t->machine, expected);
	assert_int_equal(sdpower_counters_write(t->s, NULL, 0, &length), SDPOWER_ENOSPC);
	assert_int_equal(sdpower_counters_write(t->s, written, length, &length), SDPOWER_ENOSPC);
	assert_int_equal(sdpower_counters_write(t->s, written, length + 1, &length), SDPOWER_OK);
	assert_string_equal(written, expected);
}

static void counters_agree_with_what_happened(void **state)
{
	struct run *r = malloc(sizeof(*r));
	unsigned long moves = 0;

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct test_random draw = { seed + i };
		uint32_t gained = 0, pushed = 0;

		make(r, &draw, 1);
		for (unsigned tick = 0; tick < TICKS; tick++) {
			events(r, &draw);
			loop_step(&r->loop);
		}
		check_run(r);
		for (unsigned cpu = 0; cpu < r->loop.cpus; cpu++) {
			struct sdpower_counters c = { .struct_size = sizeof(c) };

			for (uint32_t d = 0; sdpower_get_counters(r->t.s, cpu, d, &c) == SDPOWER_OK; d++) {
				for (unsigned k = 0; k < SDPOWER_PASS_KINDS; k++) {
					const uint32_t *n = c.pass[k];

					gained += n[SDPOWER_PASS_GAINED];
					assert_true(n[SDPOWER_PASS_PASSES] >=
						n[SDPOWER_PASS_BALANCED] + n[SDPOWER_PASS_FAILED]);
					assert_true(n[SDPOWER_PASS_BALANCED] >=
						n[SDPOWER_PASS_NO_GROUP] + n[SDPOWER_PASS_NO_QUEUE]);
					assert_true(n[SDPOWER_PASS_GAINED] >= n[SDPOWER_PASS_HOT_GAINED]);
				}
				assert_int_equal(c.pushes, c.pushes_failed + c.pushes_moved);
				pushed += c.pushes_moved;
			}
		}
		assert_int_equal(gained, r->loop.pulled + r->loop.pushed);
		assert_int_equal(pushed, r->loop.pushed);
		moves += gained;
		check_text(&r->t);
		test_drop(&r->t);
	}
	assert_true(moves > 0);
	free(r);
}

/* Knobs, online cpus and locks change under the host; events keep the queues full. */
static void nothing_is_lost_while_trees_change(void **state)
{
	struct run *r = malloc(sizeof(*r));

	(void)state;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct test_random draw = { seed + i };

		make(r, &draw, 1);
		r->loop.lottery = seed + i;
		for (unsigned tick = 0; tick < TICKS; tick++) {
			const uint32_t online[2] = { test_draw(&draw, 2) ? UINT32_MAX :
				1u | test_draw(&draw, 1u << 31), UINT32_MAX };

			if (test_draw(&draw, 10) == 0)
				assert_int_equal(sdpower_set_knobs(r->t.s, test_draw(&draw, 3),
					test_draw(&draw, 3)), SDPOWER_OK);
			if (test_draw(&draw, 20) == 0)
				assert_int_equal(sdpower_set_online(r->t.s, online, 2), SDPOWER_OK);
			events(r, &draw);
			loop_step(&r->loop);
		}
		check_run(r);
		test_drop(&r->t);
	}
	free(r);
}

static void counters_are_optional_and_checked(void **state)
{
	struct test_instance with = {
		.config = { .flags = SDPOWER_CONFIG_DRIVER | SDPOWER_CONFIG_COUNTERS }
	}, without;
	struct sdpower_config counters_alone;
	uint64_t deadline;
	struct sdpower_counters c = { .struct_size = sizeof(c) };
	size_t more, less;

	(void)state;
	memset(&without, 0, sizeof(without));
	assert_int_equal(test_make(&with, "core:4"), SDPOWER_OK);
	assert_int_equal(test_make(&without, "core:4"), SDPOWER_OK);
	assert_int_equal(sdpower_memory_needed(&with.config, &more, NULL), SDPOWER_OK);
	assert_int_equal(sdpower_memory_needed(&without.config, &less, NULL), SDPOWER_OK);
	assert_true(more > less);
	counters_alone = with.config;
	counters_alone.flags = SDPOWER_CONFIG_COUNTERS;
	assert_int_equal(sdpower_memory_needed(&counters_alone, &more, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_next_deadline(with.s, 0, &deadline), SDPOWER_OK);
	assert_int_equal(sdpower_next_deadline(without.s, 0, &deadline), SDPOWER_ENOSYS);
	assert_int_equal(sdpower_get_counters(with.s, 0, 0, &c), SDPOWER_OK);
	assert_int_equal(sdpower_get_counters(without.s, 0, 0, &c), SDPOWER_ENOSYS);
	assert_int_equal(sdpower_get_counters(with.s, 4, 0, &c), SDPOWER_ENOENT);
	assert_int_equal(sdpower_get_counters(with.s, 0, 9, &c), SDPOWER_ENOENT);
	assert_int_equal(sdpower_get_counters(NULL, 0, 0, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_get_counters(with.s, 0, 0, NULL), SDPOWER_EINVAL);
	c.struct_size--;
	assert_int_equal(sdpower_get_counters(with.s, 0, 0, &c), SDPOWER_EINVAL);
	assert_int_equal(sdpower_counters_write(without.s, NULL, 0, &more), SDPOWER_ENOSYS);
	assert_int_equal(sdpower_counters_write(NULL, NULL, 0, &more), SDPOWER_EINVAL);
	assert_int_equal(sdpower_counters_write(with.s, NULL, 1, &more), SDPOWER_EINVAL);
	assert_string_equal(sdpower_pass_counter_name(SDPOWER_PASS_NO_GROUP), "lb_nobusyg");
	assert_string_equal(sdpower_pass_counter_name(SDPOWER_PASS_COUNTERS), "unknown counter");
	test_drop(&with);
	test_drop(&without);
}

static void a_large_instance_stays_small(void **state)
{
	static const char *const machines[] = { "pack:8 core:24 pu:2", "node:8 core:24 pu:2" };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct test_instance t = { .config = { .flags = SDPOWER_CONFIG_DRIVER,
			.decisions = SDPOWER_DECIDE_CLASSIC } };
		size_t size;

		assert_int_equal(test_make(&t, machines[i]), SDPOWER_OK);
		assert_int_equal(sdpower_memory_needed(&t.config, &size, NULL), SDPOWER_OK);
		assert_true(size < 200 * 1024);
		test_drop(&t);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tickless_host_misses_nothing),
		cmocka_unit_test(counters_agree_with_what_happened),
		cmocka_unit_test(nothing_is_lost_while_trees_change),
		cmocka_unit_test(counters_are_optional_and_checked),
		cmocka_unit_test(a_large_instance_stays_small),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
	printf("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
