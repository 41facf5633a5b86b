/* SPDX-License-Identifier: MIT */
/*
 * Description: on random machines, knobs, states and questions the native rules decide as the
 * model does, with records clean, dirty or mixed. test_model_native [SEED [ROUNDS]]: a failure
 * names the seed of its machine; running that seed with one round repeats it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "native.h"
#include "support/instance.h"
#include "unit/random_machine.h"

#define STATES 6u
#define QUESTIONS 30u

static struct random_machine machine;
static struct test_random draw;
static uint64_t seed_now;
static unsigned long compared[SDPOWER_PULL_POWER + 1], packed;

static sdpower *make(uint64_t seed, void **memory)
{
	struct sdpower_tunables tuning = { .struct_size = sizeof(tuning) };
	struct sdpower_config c = { .struct_size = sizeof(c), .topology = &machine.topology,
		.tree = SDPOWER_TREE_MODERN, .decisions = SDPOWER_DECIDE_NATIVE, .tunables = &tuning };
	sdpower *s = NULL;
	size_t size, align;

	random_machine_make(&machine, seed);
	draw.state = seed;
	for (uint32_t i = 0; test_draw(&draw, 2) && i < machine.topology.cpu_count; i++)
		machine.cpus[i].priority = test_draw(&draw, 3);
	c.mc = test_draw(&draw, 3);
	c.smt = test_draw(&draw, 3);
	tuning.fill_percent = test_draw(&draw, 3) ? 0 : 1 + test_draw(&draw, 90);
	tuning.spread_percent = test_draw(&draw, 3) ? 0 : 91 + test_draw(&draw, 10);
	tuning.fit_percent = test_draw(&draw, 3) ? 0 : 1 + test_draw(&draw, 100);
	if (sdpower_memory_needed(&c, &size, &align))
		abort();
	*memory = aligned_alloc(align, size);
	memset(model_usable, 0, sizeof(model_usable));
	for (uint32_t i = 0; i < machine.topology.cpu_count; i++)
		if (!(machine.cpus[i].flags & SDPOWER_CPU_OFFLINE))
			model_usable[i / 32] |= 1u << i % 32;
	return sdpower_init(*memory, size, &c, &s) ? NULL : s;
}

/* Tasks that wait; one task here and there; half of the machine crowded and half without work. */
enum kind { BUSY, LIGHT, CROWDED, KINDS };

static void draw_state(sdpower *s, uint32_t kind)
{
	const uint32_t cpus = machine.topology.cpu_count, first = test_draw(&draw, cpus);
	const uint32_t refreshed = 2 * test_draw(&draw, 3); /* none, half, or all records */

	for (sdpower_cpu cpu = 0; cpu < machine.topology.cpu_count; cpu++) {
		struct sdpower_cpu_state c;

		test_random_cpu(&draw, s, cpu);
		c = model_cpu(s, cpu);
		if (kind == LIGHT)
			c.nr = test_draw(&draw, 4) == 0;
		else if (kind == CROWDED)
			c.nr = (cpu + cpus - first) % cpus < cpus / 2 && test_draw(&draw, 8);
		else if (test_draw(&draw, 3))
			c.nr %= 4;
		c.load = test_draw(&draw, 2) ? c.nr * 1024 : c.load;
		c.has_util = test_draw(&draw, 2);
		c.util = test_draw(&draw, 30) ? c.nr * test_draw(&draw, 1025) : SDPOWER_LOAD_MAX;
		c.util = c.util > SDPOWER_LOAD_MAX ? SDPOWER_LOAD_MAX : c.util;
		c.outside_util = test_draw(&draw, 4) ? 0 : test_draw(&draw, 1025);
		c.outside_capacity = test_draw(&draw, 4) ? 1024 : test_draw(&draw, 1025);
		if (kind == CROWDED) {
			/* Tasks that fit where they are. */
			c.has_util = 1;
			c.util = c.nr * test_draw(&draw, 100);
			c.outside_util = test_draw(&draw, 8) ? 0 : test_draw(&draw, 600);
			c.outside_capacity = 1024;
		}
		if (sdpower_set_cpu(s, cpu, &c))
			abort();
	}
	for (sdpower_cpu cpu = 0; refreshed && cpu < machine.topology.cpu_count; cpu++)
		if (test_draw(&draw, 4) < refreshed && sdpower_refresh(s, cpu) < 0)
			abort();
}

static void same(const struct sdpower_busiest_request *q, const char *field, uint64_t wanted,
	uint64_t got)
{
	if (wanted == got)
		return;
	printf("seed %" PRIu64 ": cpu %u depth %u idle %u flags %u, %s: the model says %" PRIu64
		", the library %" PRIu64 "\n", seed_now, q->cpu, q->depth, q->idle, q->flags, field, wanted,
		got);
	exit(EXIT_FAILURE);
}

/* What only the planner can know: nothing, or a pull for power by who may make it. */
static void compare_packing(const struct sdpower_busiest_request *q, const struct native_answer *want,
	const struct sdpower_busiest *got)
{
	same(q, "waiting", want->waiting, got->waiting);
	same(q, "spreading", want->spreading, got->spreading);
	if (got->kind == SDPOWER_PULL_NONE)
		return;
	packed++;
	same(q, "kind", SDPOWER_PULL_POWER, got->kind);
	same(q, "in charge", want->in_charge, 1);
}

static void compare(const struct sdpower_busiest_request *q, const struct native_answer *want,
	const struct sdpower_busiest *got)
{
	if (want->may_pack) {
		compare_packing(q, want, got);
		return;
	}
	compared[want->kind]++;
	same(q, "kind", want->kind, got->kind);
	same(q, "from", want->from, got->from);
	same(q, "target", want->target, got->target);
	same(q, "group", want->group_first, got->group_first);
	same(q, "imbalance", want->imbalance, got->imbalance);
	same(q, "most", want->most, got->most);
	same(q, "util_most", want->util_most, got->util_most);
	same(q, "waiting", want->waiting, got->waiting);
	same(q, "spreading", want->spreading, got->spreading);
	if (want->reason)
		same(q, "reason", want->reason, got->reason);
}

static void question(const sdpower *s)
{
	static struct native_model m;
	uint32_t mask[MODEL_WORDS];
	struct sdpower_busiest_request q = { .struct_size = sizeof(q),
		.cpu = test_draw(&draw, machine.topology.cpu_count), .depth = test_draw(&draw, 4),
		.idle = test_draw(&draw, 3), .flags = test_draw(&draw, 8) };
	struct sdpower_busiest got = { .struct_size = sizeof(got) };
	struct native_answer want;

	for (uint32_t i = 0; i < MODEL_WORDS; i++)
		mask[i] = test_draw(&draw, UINT32_MAX) | test_draw(&draw, UINT32_MAX);
	if (test_draw(&draw, 3) == 0) {
		q.candidates = mask;
		q.candidate_words = 1 + test_draw(&draw, 3);
	}
	m.s = s;
	m.table = &machine.topology;
	m.q = &q;
	if (!native_ask(&m, &want))
		return;
	same(&q, "status", SDPOWER_OK, (uint64_t)sdpower_find_busiest_group(s, &q, &got));
	compare(&q, &want, &got);
}

int main(int argc, char **argv)
{
	const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
	const unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 600;

	for (unsigned i = 0; i < rounds; i++) {
		void *memory;
		sdpower *s;

		seed_now = seed + i;
		s = make(seed_now, &memory);
		for (unsigned k = 0; s && k < STATES; k++) {
			draw_state(s, k % KINDS);
			for (unsigned n = 0; n < QUESTIONS; n++)
				question(s);
		}
		free(memory);
	}
	printf("seed %" PRIu64 ": %lu none, %lu load, %lu task, %lu misfit, %lu priority, %lu spread, "
		"%lu packed\n", seed, compared[0], compared[1], compared[2], compared[3], compared[4],
		compared[5], packed);
	return 0;
}
