/* SPDX-License-Identifier: MIT */
/*
 * Description: what holds for every placement of the native rules, on random states of several
 * machines: inside affinity, never overloaded beside an idle cpu, where the task fits, no group
 * woken needlessly, the same from records as from slots, and the same when cpus are renamed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "native_help.h"

#define ROUNDS 400
#define CPUS_MOST 64u

static const char *const machines[] = {
	"pack:2 l3:1 core:4 pu:2", "numa:2 l3:2 core:4", "l3:1 core:8 cap=1024,1024,400,400",
	"pack:1 l3:2 core:4 cap=1024*4,500*4", "numa:4 l3:1 core:4 pu:2",
	"numa:2 l3:2 core:2 pu:4 indexes=pu:core:l3:numa",
};

static uint64_t seed = 20261130;

struct question {
	struct sdpower_wake wake;
	struct sdpower_placement place;
	uint32_t affinity[CPUS_MOST / 32];
	uint32_t forks;          /* 1 = place, 0 = wake */
};

static struct sdpower_pick answer(const sdpower *s, const struct question *q)
{
	struct sdpower_pick pick = { 99, 0 };

	if (q->forks)
		assert_int_equal(sdpower_place(s, &q->place, &pick), SDPOWER_OK);
	else
		assert_int_equal(sdpower_select_cpu(s, &q->wake, &pick), SDPOWER_OK);
	return pick;
}

static void draw_question(struct test_random *r, uint32_t cpus, struct question *q)
{
	memset(q, 0, sizeof(*q));
	q->forks = test_draw(r, 2);
	q->wake = wake_from(test_draw(r, cpus), test_draw(r, cpus));
	q->wake.flags = test_draw(r, 4) == 0 ? SDPOWER_WAKE_SYNC : 0;
	q->wake.since_ran_ns = test_draw(r, 2) ? UINT64_MAX : 0;
	q->wake.util = test_draw(r, 3) ? test_draw(r, 1025) : 0;
	q->place = (struct sdpower_placement){ .struct_size = sizeof(q->place),
		.cpu = q->wake.prev, .util = q->wake.util,
		.flag = test_draw(r, 2) ? SDPOWER_SD_BALANCE_FORK : SDPOWER_SD_BALANCE_EXEC };
	for (unsigned i = 0; i < CPUS_MOST / 32; i++)
		q->affinity[i] = test_draw(r, UINT32_MAX) & test_draw(r, UINT32_MAX);
	if (test_draw(r, 3))
		return;
	q->wake.affinity = q->place.affinity = q->affinity;
	q->wake.affinity_words = q->place.affinity_words = CPUS_MOST / 32;
}

/* Mostly sensible: a cpu without tasks sleeps, or is claimed, or is awake; one with tasks runs. */
static struct sdpower_cpu_state draw_cpu(struct test_random *r)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .outside_capacity = SDPOWER_SCALE };
	const uint32_t kind = test_draw(r, 12);

	c.nr = test_draw(r, 3) ? 1 + (test_draw(r, 4) == 0) : 0;
	c.load = c.nr * (512 + test_draw(r, 1024));
	c.activity = c.nr ? SDPOWER_CPU_RUNNING : kind == 0 ? SDPOWER_CPU_IS_CLAIMED :
		kind == 1 ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING;
	c.has_util = test_draw(r, 2);
	c.util = c.has_util && c.nr ? test_draw(r, 1025) : 0;
	return c;
}

static struct sdpower_cpu_state cpu_of(const sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_get_cpu(s, cpu, &c), SDPOWER_OK);
	return c;
}

static int may_run(const struct question *q, sdpower_cpu cpu)
{
	return !q->wake.affinity || q->affinity[cpu / 32] >> cpu % 32 & 1u;
}

static int is_free(const sdpower *s, sdpower_cpu cpu)
{
	const struct sdpower_cpu_state c = cpu_of(s, cpu);

	return c.activity == SDPOWER_CPU_SLEEPING && !c.nr;
}

static int fits(const struct test_instance *t, const struct question *q, sdpower_cpu cpu)
{
	const uint32_t capacity = t->machine.cpus[cpu].capacity;
	const uint32_t util = q->wake.util ? q->wake.util : 1024;

	return capacity == 1024 || 100 * util <= 80 * capacity;
}

/* I4, I24, I30. */
static void check_pick(const struct test_instance *t, const struct question *q,
	struct sdpower_pick pick, uint32_t cpus)
{
	uint32_t permitted = 0, unused = 0, fitting = 0;

	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
		if (!may_run(q, cpu))
			continue;
		permitted++;
		unused += (uint32_t)is_free(t->s, cpu);
		fitting += is_free(t->s, cpu) && fits(t, q, cpu);
	}
	assert_int_equal(pick.cpu == SDPOWER_CPU_NONE, !permitted);
	if (!permitted)
		return;
	assert_true(may_run(q, pick.cpu));
	if (pick.reason & SDPOWER_REASON_PACKED)
		return;
	if (q->forks && pick.cpu == q->place.cpu && cpu_of(t->s, pick.cpu).nr <= 1)
		return; /* exec stays alone */
	if (cpu_of(t->s, pick.cpu).nr || cpu_of(t->s, pick.cpu).activity != SDPOWER_CPU_SLEEPING)
		assert_int_equal(unused, 0);
	else if (!fits(t, q, pick.cpu))
		assert_int_equal(fitting, 0);
}

/* Node of a cpu in machines whose nodes are the groups that save power. */
static int used_in_node(const struct test_instance *t, uint32_t node, const struct question *q,
	uint32_t cpus, uint32_t *room)
{
	uint32_t used = 0;

	*room = 0;
	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
		if (t->machine.cpus[cpu].node != node)
			continue;
		used += cpu_of(t->s, cpu).nr > 0;
		*room += may_run(q, cpu) && is_free(t->s, cpu);
	}
	return (int)used;
}

/* I5: a node without tasks is woken only if no node in use has a cpu that could take the task. */
static void check_no_needless_wake(const struct test_instance *t, const struct question *q,
	struct sdpower_pick pick, uint32_t cpus)
{
	uint32_t mc, smt, room;

	assert_int_equal(sdpower_get_knobs(t->s, &mc, &smt), SDPOWER_OK);
	/* With threads to be filled every idle cpu is room; cores are counted by the unit tests. */
	if (!smt || !t->machine.node_count || pick.cpu == SDPOWER_CPU_NONE || !is_free(t->s, pick.cpu))
		return;
	if (used_in_node(t, t->machine.cpus[pick.cpu].node, q, cpus, &room))
		return;
	for (uint32_t node = 0; node < t->machine.node_count; node++)
		if (used_in_node(t, t->machine.nodes[node], q, cpus, &room))
			assert_int_equal(room, 0);
}

static void every_pick_keeps_the_promises(void **state)
{
	struct test_random r = { seed };

	(void)state;
	for (size_t m = 0; m < sizeof(machines) / sizeof(machines[0]); m++) {
		struct test_instance t = native_on(machines[m], 0, 0);
		const uint32_t cpus = sdpower_cpu_count(t.s);

		for (unsigned round = 0; round < ROUNDS; round++) {
			struct question q;
			struct sdpower_pick pick, again;

			assert_int_equal(sdpower_set_knobs(t.s, test_draw(&r, 3), test_draw(&r, 3)),
				SDPOWER_OK);
			for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
				const struct sdpower_cpu_state c = draw_cpu(&r);

				assert_int_equal(sdpower_set_cpu(t.s, cpu, &c), SDPOWER_OK);
			}
			draw_question(&r, cpus, &q);
			pick = answer(t.s, &q);
			for (sdpower_cpu cpu = 0; cpu < cpus; cpu++)
				assert_true(sdpower_refresh(t.s, cpu) >= 0);
			again = answer(t.s, &q); /* I22: from records now */
			assert_int_equal(pick.cpu, again.cpu);
			assert_int_equal(pick.reason, again.reason);
			check_pick(&t, &q, pick, cpus);
			check_no_needless_wake(&t, &q, pick, cpus);
		}
		test_drop(&t);
	}
}

/* I23: while tasks are spread, more load on a cpu that was not chosen does not make it chosen. */
static void more_load_attracts_nothing(void **state)
{
	struct test_random r = { seed + 1 };
	struct test_instance t = native_on(machines[1], 0, 0);
	const uint32_t cpus = sdpower_cpu_count(t.s);

	(void)state;
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		const sdpower_cpu victim = test_draw(&r, cpus);
		struct sdpower_cpu_state c;
		struct sdpower_pick pick;
		struct question q;

		for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
			c = draw_cpu(&r);
			assert_int_equal(sdpower_set_cpu(t.s, cpu, &c), SDPOWER_OK);
		}
		draw_question(&r, cpus, &q);
		pick = answer(t.s, &q);
		c = cpu_of(t.s, victim);
		if (pick.cpu == victim || !c.nr)
			continue;
		c.nr++;
		c.load += 1024;
		assert_int_equal(sdpower_set_cpu(t.s, victim, &c), SDPOWER_OK);
		assert_int_not_equal(answer(t.s, &q).cpu, victim);
	}
	test_drop(&t);
}

/* I21: two nodes change names, and the answer with them: the own one wins where both are alike. */
static void renamed_cpus_get_the_same_answer(void **state)
{
	struct test_random r = { seed + 2 };
	struct test_instance a = native_on("numa:2 l3:2 core:2 pu:2", 0, 0);
	struct test_instance b = native_on("numa:2 l3:2 core:2 pu:2", 0, 0);
	const uint32_t cpus = sdpower_cpu_count(a.s), half = cpus / 2;

	(void)state;
	for (unsigned round = 0; round < 4 * ROUNDS; round++) {
		const uint32_t mc = test_draw(&r, 3), smt = test_draw(&r, 3);
		struct sdpower_pick p, q;
		struct question in;

		assert_int_equal(sdpower_set_knobs(a.s, mc, smt), SDPOWER_OK);
		assert_int_equal(sdpower_set_knobs(b.s, mc, smt), SDPOWER_OK);
		for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
			const struct sdpower_cpu_state x = draw_cpu(&r);

			assert_int_equal(sdpower_set_cpu(a.s, cpu, &x), SDPOWER_OK);
			assert_int_equal(sdpower_set_cpu(b.s, (cpu + half) % cpus, &x), SDPOWER_OK);
		}
		draw_question(&r, cpus, &in);
		in.forks = 0;
		in.wake.affinity = NULL;
		p = answer(a.s, &in);
		in.wake.waker = (in.wake.waker + half) % cpus;
		in.wake.prev = (in.wake.prev + half) % cpus;
		q = answer(b.s, &in);
		assert_int_equal(p.reason, q.reason);
		assert_int_equal((p.cpu + half) % cpus, q.cpu);
	}
	test_drop(&a);
	test_drop(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pick_keeps_the_promises),
		cmocka_unit_test(more_load_attracts_nothing),
		cmocka_unit_test(renamed_cpus_get_the_same_answer),
	};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	print_message("seed %llu\n", (unsigned long long)seed);
	return cmocka_run_group_tests_name("native_random", tests, NULL, NULL);
}
