/* SPDX-License-Identifier: MIT */
/*
 * Description: on random machines, knobs, online sets, partitions and states, with any mix of
 * summed and changed blocks, the library decides as the model does.
 * test_model [SEED [ROUNDS]]: a failure names the seed of its machine; running that seed with
 * one round repeats it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "model.h"
#include "support/instance.h"

static const char *const shapes[] = {
	"pack:2 l3:1 core:4 pu:2", "pack:1 core:6", "numa:2 pack:1 l3:1 core:4", "pack:4 l3:2 core:4",
	"numa:4 pack:2 l3:1 core:3 pu:2", "pack:2 l3:1 core:16 pu:2", "core:1", "pack:3 core:5",
	"numa:18 pack:1 core:2", "pack:2 l3:2 core:10 pu:1", "numa:2 pack:2 l3:1 core:12 pu:2",
	"pack:2 core:4 pu:2 indexes=pu:core:pack", "numa:2 pack:1 core:6 pu:2 indexes=numa:core",
	"numa:2 core:24 pu:2 indexes=numa:core", "core:33", "core:65", "pack:2 l3:1 core:31 pu:1",
	"pack:2 core:4 pu:4 arch=s390x", "numa:3 pack:2 core:4 pu:2 arch=ppc64", "numa:18 core:17",
	"numa:3 core:4 pu:2 arch=ia64", "numa:3 pack:2 core:2 arch=mips64",
};

static uint64_t seed_now;
static unsigned long compared;

static void differ(const char *what, const char *field, int64_t wanted, int64_t got)
{
	printf("seed %" PRIu64 ": %s, %s: the model says %" PRId64 ", the library %" PRId64 "\n",
		seed_now, what, field, wanted, got);
	exit(EXIT_FAILURE);
}

static void same(const char *what, const char *field, uint64_t wanted, uint64_t got)
{
	compared++;
	if (wanted != got)
		differ(what, field, (int64_t)wanted, (int64_t)got);
}

static void random_mask(struct test_random *r, uint32_t *mask, uint32_t percent)
{
	memset(mask, 0, MODEL_WORDS * sizeof(*mask));
	for (uint32_t i = 0; i < MODEL_CPUS; i++)
		if (test_draw(r, 100) < percent)
			mask[i / 32] |= 1u << i % 32;
}

static void same_busiest(struct test_random *r, sdpower *s, bool v4, sdpower_cpu cpu, uint32_t depth)
{
	uint32_t mask[MODEL_WORDS], power[MODEL_CPUS];
	struct sdpower_busiest_request q = { .struct_size = sizeof(q), .cpu = cpu, .depth = depth,
		.idle = test_draw(r, 3), .flags = test_draw(r, 2), .sd_idle = test_draw(r, 2) };
	struct sdpower_busiest got = { .struct_size = sizeof(got) }, want;
	struct sdpower_queue_request queue = { .struct_size = sizeof(queue) };
	struct sdpower_pick pick;
	struct model_level l;

	random_mask(r, mask, 60);
	if (test_draw(r, 3) == 0) {
		q.candidates = mask;
		q.candidate_words = test_draw(r, MODEL_WORDS);
	}
	if (test_draw(r, 4) == 0 && model_level_at(s, cpu, depth, &l)) {
		for (uint32_t i = 0; i < l.info.groups; i++)
			power[i] = test_draw(r, 4) == 0 ? test_draw(r, 2) * UINT32_MAX :
				test_draw(r, 3) ? test_draw(r, 9000) : 1024;
		q.group_power = power;
		q.group_power_count = l.info.groups;
	}
	model_busiest_group(s, &q, v4, &want);
	same("busiest", "status", SDPOWER_OK, (uint64_t)sdpower_find_busiest_group(s, &q, &got));
	want.domain = got.domain;
	same("busiest", "reason", want.reason, got.reason);
	same("busiest", "group", want.group, got.group);
	same("busiest", "imbalance", want.imbalance, got.imbalance);
	if (want.reason & SDPOWER_REASON_NOT_BALANCER)
		memset(&want.stats, 0, sizeof(want.stats)), got.stats = want.stats;
	same("busiest", "everything else", 0, (uint64_t)memcmp(&want, &got, sizeof(got)));
	if (got.group == SDPOWER_ID_NONE)
		return;
	queue.domain = got.domain;
	queue.group = got.group;
	queue.imbalance = got.imbalance;
	queue.candidates = q.candidates;
	queue.candidate_words = q.candidate_words;
	same("queue", "status", SDPOWER_OK, (uint64_t)sdpower_find_busiest_queue(s, &queue, &pick));
	same("queue", "cpu", model_busiest_queue(s, &queue), pick.cpu);
}

static void same_placement(struct test_random *r, sdpower *s, sdpower_cpu cpu, uint32_t depth)
{
	uint32_t mask[MODEL_WORDS];
	struct sdpower_placement p = { .struct_size = sizeof(p), .cpu = cpu, .depth = depth,
		.flag = test_draw(r, 2) ? SDPOWER_SD_BALANCE_FORK : SDPOWER_SD_BALANCE_EXEC };
	struct sdpower_idlest got = { .struct_size = sizeof(got) };
	struct sdpower_pick pick = { 0, 0 };

	random_mask(r, mask, test_draw(r, 2) ? 80 : 10);
	if (test_draw(r, 2)) {
		p.affinity = mask;
		p.affinity_words = MODEL_WORDS;
	}
	same("idlest", "status", SDPOWER_OK, (uint64_t)sdpower_find_idlest_group(s, &p, &got));
	same("idlest", "group", model_idlest_group(s, &p), got.group);
	same("idlest", "cpu status", SDPOWER_OK, (uint64_t)sdpower_find_idlest_cpu(s, &p, 0, &pick));
	same("idlest", "cpu", model_idlest_cpu(s, &p, 0), pick.cpu);
	same("place", "status", SDPOWER_OK, (uint64_t)sdpower_place(s, &p, &pick));
	same("place", "cpu", model_place(s, &p), pick.cpu);
}

/* The migration cost is 500000 by default; what is compared with it matters at the limit. */
static uint32_t around_cost(struct test_random *r)
{
	return test_draw(r, 2) ? 499999 + test_draw(r, 3) : test_draw(r, 1000000);
}

static void same_wake_up(struct test_random *r, sdpower *s, bool v4)
{
	const uint32_t cpus = sdpower_cpu_count(s);
	uint32_t mask[MODEL_WORDS];
	struct sdpower_wake w = { .struct_size = sizeof(w), .waker = test_draw(r, cpus),
		.prev = test_draw(r, cpus), .flags = test_draw(r, 8), .weight = test_draw(r, 3000),
		.waker_weight = test_draw(r, 3000), .waker_overlap_ns = around_cost(r),
		.task_overlap_ns = around_cost(r), .since_ran_ns = around_cost(r) };
	struct sdpower_pick pick = { 0, 0 };

	if (test_draw(r, 2))
		w.weight = test_draw(r, 3) * SDPOWER_SCALE;
	if (test_draw(r, 2))
		w.waker_weight = SDPOWER_SCALE;
	random_mask(r, mask, 70);
	if (test_draw(r, 2)) {
		w.affinity = mask;
		w.affinity_words = test_draw(r, 4) ? MODEL_WORDS : 1 + test_draw(r, MODEL_WORDS);
	}
	same("wake idle", "status", SDPOWER_OK, (uint64_t)sdpower_wake_idle(s, &w, &pick));
	same("wake idle", "cpu", model_wake_idle(s, &w, v4), pick.cpu);
	same("select", "status", SDPOWER_OK, (uint64_t)sdpower_select_cpu(s, &w, &pick));
	same("select", "cpu", model_select(s, &w, v4), pick.cpu);
	same("ilb", "status", SDPOWER_OK, (uint64_t)sdpower_find_ilb(s, w.waker, mask, MODEL_WORDS,
		&pick));
	same("ilb", "cpu", model_ilb(s, w.waker, mask, MODEL_WORDS), pick.cpu);
}

/* What the machine was told last, to know who may be picked. */
static uint32_t online[MODEL_WORDS], allowed[MODEL_WORDS], parted[MODEL_WORDS];

/* Offline cpus, partitions and knobs; whatever the library refuses leaves things as they were. */
static void random_tree(struct test_random *r, sdpower *s)
{
	uint32_t masks[2][MODEL_WORDS], count;

	(void)!sdpower_set_knobs(s, test_draw(r, 3), test_draw(r, 3));
	random_mask(r, masks[0], test_draw(r, 2) ? 100 : 75);
	if (!sdpower_set_online(s, masks[0], MODEL_WORDS))
		memcpy(online, masks[0], sizeof(online));
	random_mask(r, masks[0], test_draw(r, 3) ? 100 : 80);
	if (!sdpower_set_allowed(s, masks[0], MODEL_WORDS))
		memcpy(allowed, masks[0], sizeof(allowed));
	random_mask(r, masks[0], 50);
	count = 1 + test_draw(r, 2);
	for (uint32_t i = 0; i < MODEL_WORDS; i++)
		masks[1][i] = ~masks[0][i];
	if (test_draw(r, 3) == 0 && !sdpower_set_partitions(s, count, masks[0], MODEL_WORDS))
		for (uint32_t i = 0; i < MODEL_WORDS; i++)
			parted[i] = masks[0][i] | (count == 2 ? masks[1][i] : 0);
	for (uint32_t i = 0; i < MODEL_WORDS; i++)
		model_usable[i] = online[i] & allowed[i] & parted[i];
	(void)!sdpower_nominate(s, test_draw(r, sdpower_cpu_count(s)));
}

/* What a host does between questions: each must leave no sum that is not the truth. */
static void live(struct test_random *r, sdpower *s)
{
	for (uint32_t i = test_draw(r, 6); i > 0; i--) {
		const sdpower_cpu cpu = test_draw(r, sdpower_cpu_count(s));

		switch (test_draw(r, 5)) {
		case 0: (void)sdpower_set_load(s, cpu, test_draw(r, 4), test_draw(r, 5000)); break;
		case 1: (void)sdpower_idle_enter(s, cpu, 0); break;
		case 2: (void)sdpower_idle_exit(s, cpu, 0); break;
		case 3: (void)sdpower_tick(s, cpu, 0); break;
		default:
			if (sdpower_claim(s, cpu) == SDPOWER_OK && test_draw(r, 2))
				(void)sdpower_unclaim(s, cpu);
		}
	}
}

/* Equal loads, so that ties and limits are met, which they hardly are by chance. */
static void calm_cpu(struct test_random *r, sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = test_draw(r, 3),
		.outside_capacity = SDPOWER_SCALE };

	c.load = c.nr * SDPOWER_SCALE;
	c.activity = c.nr ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING + (test_draw(r, 5) == 0);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		c.cpu_load[k] = test_draw(r, 3) ? c.load : test_draw(r, 3) * SDPOWER_SCALE;
	same("set_cpu", "status", SDPOWER_OK, (uint64_t)sdpower_set_cpu(s, cpu, &c));
}

static void random_state(struct test_random *r, sdpower *s)
{
	const bool calm = test_draw(r, 3) == 0;

	const uint32_t refreshed = test_draw(r, 101);

	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
		if (calm)
			calm_cpu(r, s, cpu);
		else
			test_random_cpu(r, s, cpu);
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
		if (test_draw(r, 100) < refreshed)
			(void)sdpower_refresh(s, cpu);
	live(r, s);
}

static void compare_all(struct test_random *r, sdpower *s, bool v4)
{
	struct sdpower_domain d;

	for (int i = 0; i < 6; i++) {
		const sdpower_cpu cpu = test_draw(r, sdpower_cpu_count(s));

		for (uint32_t depth = 0; !sdpower_domain_at(s, cpu, depth, &d); depth++) {
			same_busiest(r, s, v4, cpu, depth);
			same_placement(r, s, cpu, depth);
		}
		same_wake_up(r, s, v4);
	}
}

static void one_machine(uint64_t seed)
{
	struct test_random r = { seed * 0x9e3779b97f4a7c15u + 1 };
	const char *shape = shapes[test_draw(&r, sizeof(shapes) / sizeof(shapes[0]))];
	struct test_instance t;
	bool v4;

	seed_now = seed;
	memset(&t, 0, sizeof(t));
	v4 = test_draw(&r, 2);
	t.config.decisions = v4 ? SDPOWER_DECIDE_CLASSIC : SDPOWER_DECIDE_CLASSIC_30;
	t.config.tree = test_draw(&r, 2) ? SDPOWER_TREE_CLASSIC : SDPOWER_TREE_CLASSIC_30;
	t.config.wake_flags = test_draw(&r, 3) == 0 ? SDPOWER_SD_WAKE_IDLE :
		test_draw(&r, 2) ? SDPOWER_SD_WAKE_IDLE_FAR : 0;
	t.config.tuning = test_draw(&r, 2);
	t.config.flags = test_draw(&r, 4) == 0 ? SDPOWER_CONFIG_RELAX : 0;
	t.config.relax_level = (int32_t)test_draw(&r, 6);
	t.config.max_partitions = strcmp(shape, "core:1") ? 2 : 1;
	same("machine", "status", SDPOWER_OK, (uint64_t)test_make(&t, shape));
	memset(online, 0xff, sizeof(online));
	memset(allowed, 0xff, sizeof(allowed));
	memset(parted, 0xff, sizeof(parted));
	for (int tree = 0; tree < 3; tree++) {
		random_tree(&r, t.s);
		for (int state = 0; state < 2; state++) {
			random_state(&r, t.s);
			compare_all(&r, t.s, v4);
		}
	}
	test_drop(&t);
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 10) : 1200;

	printf("seeds %" PRIu64 " to %" PRIu64 "\n", first, first + rounds - 1);
	for (uint64_t i = 0; i < rounds; i++)
		one_machine(first + i);
	printf("%lu comparisons\n", compared);
	return compared ? EXIT_SUCCESS : EXIT_FAILURE;
}
