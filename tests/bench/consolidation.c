/* SPDX-License-Identifier: MIT */
#include "consolidation.h"

#include <string.h>
#include "python_random.h"
#include "../support/instance.h"

#define CPUS 16u
#define TASKS 8u
#define SHAPES 5u
#define SHARES 6u
#define FULL_80 (SDPOWER_SCALE * 80u / 100u)

struct shape {
	uint32_t groups, width;
	const char *machine;
};

static const struct shape shapes[SHAPES] = {
	{ 2, 2, "pack:2 core:2" }, { 2, 4, "pack:2 core:4" }, { 4, 2, "pack:4 core:2" },
	{ 4, 4, "pack:4 core:4" }, { 2, 8, "pack:2 core:8" },
};

static const uint32_t shares[SHARES] = { 100, 250, 400, 600, 900, 1024 };

struct run {
	struct python_random random;
	struct shape shape;
	sdpower *s;
	enum consolidation_word word;
	uint32_t cpus, tasks;
	uint32_t share[TASKS], at[TASKS], home[TASKS];
	uint32_t left[TASKS];     /* mask of groups the task has left */
	uint32_t nr[CPUS], util[CPUS];
	uint32_t impatient;       /* flag of the next questions */
	uint32_t silent;          /* mask of cpus that asked in vain since the last move */
	struct consolidation *total;
};

static void draw(struct run *r, uint32_t number)
{
	python_random_seed(&r->random, number * 7 + 1);
	r->shape = shapes[python_random_below(&r->random, SHAPES)];
	r->cpus = r->shape.groups * r->shape.width;
	r->tasks = 1 + python_random_below(&r->random, r->cpus / 2);
	for (uint32_t k = 0; k < r->tasks; k++)
		r->share[k] = shares[python_random_below(&r->random, SHARES)];
}

static void put(struct run *r, uint32_t task, uint32_t cpu)
{
	r->at[task] = cpu;
	r->nr[cpu]++;
	r->util[cpu] += r->share[task];
}

static void place(struct run *r, uint32_t number, enum consolidation_start start)
{
	uint32_t cpu[CPUS];

	memset(r->nr, 0, sizeof(r->nr));
	memset(r->util, 0, sizeof(r->util));
	memset(r->left, 0, sizeof(r->left));
	python_random_seed(&r->random, number);
	for (uint32_t i = 0; i < r->cpus; i++)
		cpu[i] = i;
	for (uint32_t k = 0; k < r->tasks; k++) {
		const uint32_t other = k + python_random_below(&r->random, r->cpus - k), c = cpu[other];

		cpu[other] = cpu[k];
		cpu[k] = c;
		put(r, k, start == CONSOLIDATION_DISTINCT ? c :
			python_random_below(&r->random, r->cpus));
		r->home[k] = r->at[k] / r->shape.width;
	}
}

/* 0 = done. */
static int publish(struct run *r, uint32_t cpu)
{
	const struct sdpower_cpu_state c = { .struct_size = sizeof(c), .nr = r->nr[cpu],
		.load = 1024 * r->nr[cpu], .util = r->util[cpu], .has_util = 1,
		.activity = r->nr[cpu] ? SDPOWER_CPU_RUNNING : SDPOWER_CPU_SLEEPING,
		.outside_capacity = SDPOWER_SCALE };

	return sdpower_set_cpu(r->s, cpu, &c) != SDPOWER_OK;
}

static uint32_t active_groups(const struct run *r)
{
	uint32_t active = 0;

	for (uint32_t g = 0; g < r->shape.groups; g++) {
		uint32_t nr = 0;

		for (uint32_t i = 0; i < r->shape.width; i++)
			nr += r->nr[g * r->shape.width + i];
		active += nr > 0;
	}
	return active;
}

static uint32_t active_cpus(const struct run *r)
{
	uint32_t active = 0;

	for (uint32_t c = 0; c < r->cpus; c++)
		active += r->nr[c] > 0;
	return active;
}

/* Groups that first-fit decreasing needs; tasks beyond `full` are alone. */
static uint32_t first_fit(const struct run *r, uint32_t full)
{
	uint32_t filled[TASKS], used = 0;

	for (uint32_t share = SHARES; share-- > 0; )
		for (uint32_t k = 0; k < r->tasks; k++) {
			uint32_t i = 0;

			if (r->share[k] != shares[share])
				continue;
			while (i < used && filled[i] + shares[share] > full)
				i++;
			if (i == used)
				filled[used++] = 0;
			filled[i] += shares[share];
		}
	return (used + r->shape.width - 1) / r->shape.width;
}

/* The largest task that the answer allows. */
static uint32_t task_of(const struct run *r, const struct sdpower_busiest *answer)
{
	uint32_t best = TASKS;

	for (uint32_t k = 0; k < r->tasks; k++)
		if (r->at[k] == answer->from && r->share[k] <= answer->util_most &&
				(best == TASKS || r->share[k] > r->share[best]))
			best = k;
	return best;
}

static void follow(struct run *r, const struct sdpower_busiest *answer)
{
	const uint32_t k = task_of(r, answer), from = answer->from, to = answer->target;
	const uint32_t old = from / r->shape.width, new = to / r->shape.width;

	if (k == TASKS || to >= r->cpus || to == from) {
		r->total->failed++;
		return;
	}
	r->nr[from]--;
	r->util[from] -= r->share[k];
	put(r, k, to);
	r->total->failed += (uint32_t)(publish(r, from) || publish(r, to));
	if (old == new) {
		r->total->inner_moves++;
		return;
	}
	r->total->moves++;
	r->total->returns += r->left[k] >> new & 1u;
	r->left[k] |= 1u << old;
}

/* One cpu asks its levels bottom up and follows the first answer; 1 = work was left waiting. */
static uint32_t ask(struct run *r, uint32_t cpu)
{
	uint32_t waiting = 0;

	r->silent |= 1u << cpu;
	for (uint32_t depth = 0; ; depth++) {
		const struct sdpower_busiest_request request = { .struct_size = sizeof(request),
			.cpu = cpu, .depth = depth, .idle = SDPOWER_CPU_IDLE, .flags = r->impatient };
		struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

		if (sdpower_find_busiest_group(r->s, &request, &answer))
			return waiting;
		waiting |= answer.waiting;
		if (answer.kind == SDPOWER_PULL_NONE)
			continue;
		follow(r, &answer);
		r->silent = 0;
		return waiting;
	}
}

static uint32_t idle_cpus(const struct run *r, uint32_t idle[CPUS])
{
	uint32_t count = 0;

	for (uint32_t c = 0; c < r->cpus; c++)
		if (!r->nr[c])
			idle[count++] = c;
	return count;
}

static int nobody_moves(const struct run *r, const uint32_t idle[CPUS], uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!(r->silent >> idle[i] & 1u))
			return 0;
	return 1;
}

/* Ends early when no idle cpu would get another answer however often it asked. */
static void ask_at_random(struct run *r)
{
	r->silent = 0;
	for (uint32_t i = 0; i < CONSOLIDATION_ASKS; i++) {
		uint32_t idle[CPUS];
		const uint32_t count = idle_cpus(r, idle);

		if (nobody_moves(r, idle, count))
			break;
		(void)ask(r, idle[python_random_below(&r->random, count)]);
	}
}

/* Stacked tasks wait only when there are too many of them. */
static int waits(const struct run *r, uint32_t cpu)
{
	return r->nr[cpu] > 1 && (r->word != CONSOLIDATION_POWERSAVE ||
		100 * r->util[cpu] > 95 * SDPOWER_SCALE);
}

static int work_waits(const struct run *r)
{
	uint32_t idle[CPUS], waiting = 0;

	for (uint32_t c = 0; c < r->cpus; c++)
		waiting += (uint32_t)waits(r, c);
	return waiting && idle_cpus(r, idle);
}

/* Every idle cpu asks once in a tick of 4 ms, in random order; after the bound, impatiently. */
static void ask_by_ticks(struct run *r)
{
	const uint32_t bound = 3, ticks = 16;
	uint32_t since = 0;

	for (uint32_t tick = 0; tick < ticks && work_waits(r); tick++) {
		uint32_t idle[CPUS], count = idle_cpus(r, idle), waiting = 0;

		r->impatient = since >= bound ? SDPOWER_ASK_IMPATIENT : 0;
		while (count) {
			const uint32_t i = python_random_below(&r->random, count), cpu = idle[i];

			idle[i] = idle[--count];
			if (!r->nr[cpu])
				waiting |= ask(r, cpu);
		}
		since = waiting ? since + 1 : 0;
		if (tick + 1 > r->total->ticks_most)
			r->total->ticks_most = tick + 1;
	}
	r->impatient = 0;
	r->total->unspread += (uint32_t)work_waits(r);
}

static void run(struct run *r, enum consolidation_start start)
{
	struct consolidation *t = r->total;
	const uint32_t before = active_groups(r);

	t->runs++;
	t->active_before += before;
	t->cpus_before += active_cpus(r);
	t->least += (r->tasks + r->shape.width - 1) / r->shape.width;
	t->least_80 += first_fit(r, FULL_80);
	t->least_100 += first_fit(r, SDPOWER_SCALE);
	if (start == CONSOLIDATION_RANDOM)
		ask_by_ticks(r);
	ask_at_random(r);
	t->active_after += active_groups(r);
	t->cpus_after += active_cpus(r);
	t->worse += active_groups(r) > before;
	for (uint32_t k = 0; k < r->tasks; k++)
		t->away += r->at[k] / r->shape.width != r->home[k];
}

static int make(struct test_instance t[SHAPES], enum consolidation_word word)
{
	for (uint32_t i = 0; i < SHAPES; i++) {
		memset(&t[i], 0, sizeof(t[i]));
		t[i].config.tree = SDPOWER_TREE_MODERN;
		t[i].config.decisions = SDPOWER_DECIDE_NATIVE;
		if (test_make(&t[i], shapes[i].machine) || sdpower_set_level(t[i].s, word))
			return 1;
	}
	return 0;
}

int consolidation_run(struct consolidation *total, uint32_t first, uint32_t runs,
	enum consolidation_word word, enum consolidation_start start)
{
	struct test_instance instances[SHAPES] = { { .s = NULL } };
	struct run r = { .total = total, .word = word };
	int failed = make(instances, word);

	memset(total, 0, sizeof(*total));
	for (uint32_t number = first; !failed && number < first + runs; number++) {
		draw(&r, number);
		place(&r, number, start);
		for (uint32_t i = 0; i < SHAPES; i++)
			if (shapes[i].machine == r.shape.machine)
				r.s = instances[i].s;
		for (uint32_t c = 0; c < r.cpus; c++)
			failed |= publish(&r, c);
		run(&r, start);
	}
	for (uint32_t i = 0; i < SHAPES; i++)
		test_drop(&instances[i]);
	return failed;
}
