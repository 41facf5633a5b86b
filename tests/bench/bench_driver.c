/* SPDX-License-Identifier: MIT */
/*
 * What the balance driver costs, ns per call, under both rule sets: a tick before its deadline,
 * the deadline itself, a walk over all levels at a tick when all are due (of a busy and of an idle
 * cpu), and the walk of a cpu that has run out of work. One task runs on the first thread of each
 * core; whatever the driver wants done is answered with "nothing came of it", and `actions` says
 * how many of that there were per walk.
 *
 * A round makes each call so often that it takes 2 ms of cpu time of this thread, so that other
 * programs do not count; the rule sets take turns within it. The table has the median of the rounds,
 * the median of the ratios to classic with the same knobs in the same round, and the 95 per cent
 * bounds of both by rank.
 */
#include <string.h>
#include <sdpower.h>
#include "bench.h"

#define ROUNDS 31
#define BOUND 10 /* ranks 10 and 22 of 31 hold the median with 95 per cent */
#define ROUND_NS 2e6
/* Farther than any level waits. */
#define LATER_NS 100000000000u

static const struct size {
	const char *machine;
	uint32_t cpus;
} sizes[] = {
	{ "numa:2 l3:1 core:4 pu:2", 16 },
	{ "numa:2 l3:4 core:4 pu:2", 64 },
	{ "numa:2 l3:12 core:8 pu:2", 384 },
	{ "numa:8 l3:16 core:16 pu:2", 4096 },
};

static const struct rules {
	const char *name;
	uint32_t tree, mc, smt;
	size_t peer; /* what it is compared with, at or before it */
} rules[] = {
	{ "classic performance", SDPOWER_TREE_CLASSIC, 0, 0, 0 },
	{ "native performance", SDPOWER_TREE_MODERN, 0, 0, 0 },
	{ "classic balanced", SDPOWER_TREE_CLASSIC, 2, 0, 2 },
	{ "native balanced", SDPOWER_TREE_MODERN, 2, 0, 2 },
	{ "classic powersave", SDPOWER_TREE_CLASSIC, 2, 2, 4 },
	{ "native powersave", SDPOWER_TREE_MODERN, 2, 2, 4 },
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

struct job {
	sdpower *s;
	void *memory, *walk;
	size_t walk_size;
	uint32_t cpus, next;
	uint64_t now, calls, actions;
	double round[ROUNDS];
};

typedef void question(struct job *job);

static sdpower *make(const struct size *size, const struct rules *r, void **memory)
{
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = &machine,
		.tree = r->tree, .mc = r->mc, .smt = r->smt, .flags = SDPOWER_CONFIG_DRIVER };
	size_t bytes, align;
	sdpower *s = NULL;
	void *table;

	if (sdpower_topology_synthetic(size->machine, NULL, 0, &machine, NULL) != SDPOWER_ENOSPC)
		return NULL;
	table = malloc(machine.memory_needed);
	if (!table || sdpower_topology_synthetic(size->machine, table, machine.memory_needed, &machine,
			NULL) || sdpower_memory_needed(&config, &bytes, &align))
		return NULL;
	*memory = aligned_alloc(align, bytes);
	if (!*memory || sdpower_init(*memory, bytes, &config, &s))
		return NULL;
	free(table);
	return s;
}

/* A walk to its end; nothing that it asks for is done. */
static void walk(struct job *job, uint32_t kind, sdpower_cpu cpu, uint32_t idle)
{
	const struct sdpower_balance_request r = { .struct_size = sizeof(r), .kind = kind, .cpu = cpu,
		.helper = SDPOWER_CPU_NONE, .idle = idle, .now_ns = job->now };
	struct sdpower_balance_action a = { .struct_size = sizeof(a) };
	struct sdpower_balance_outcome o = { .struct_size = sizeof(o) };

	if (sdpower_balance_begin(job->s, job->walk, job->walk_size, &r, &a))
		abort();
	for (; a.kind != SDPOWER_BALANCE_DONE; job->actions++) {
		o.done = a.kind == SDPOWER_BALANCE_LOCK;
		o.move = a.move;
		o.move.pinned = 0;
		if (sdpower_balance_next(job->s, job->walk, &o, &a))
			abort();
	}
}

/* Some cpu, the same thread of its core each time. */
static sdpower_cpu some_cpu(struct job *job, uint32_t thread)
{
	job->next = job->next * 1664525u + 1013904223u;
	return ((job->next >> 8) % job->cpus & ~1u) | thread;
}

static void not_due(struct job *job)
{
	walk(job, SDPOWER_BALANCE_TICK, some_cpu(job, 0), SDPOWER_CPU_NOT_IDLE);
}

static void deadline(struct job *job)
{
	uint64_t ns;

	if (sdpower_next_deadline(job->s, some_cpu(job, 0), &ns))
		abort();
}

static void busy_walk(struct job *job)
{
	job->now += LATER_NS;
	walk(job, SDPOWER_BALANCE_TICK, some_cpu(job, 0), SDPOWER_CPU_NOT_IDLE);
}

static void idle_walk(struct job *job)
{
	job->now += LATER_NS;
	walk(job, SDPOWER_BALANCE_TICK, some_cpu(job, 1), SDPOWER_CPU_IDLE);
}

static void newidle_walk(struct job *job)
{
	walk(job, SDPOWER_BALANCE_NEWIDLE, some_cpu(job, 1), SDPOWER_CPU_IDLE);
}

static const struct {
	const char *name;
	question *ask;
} questions[] = {
	{ "tick, not due", not_due },
	{ "next deadline", deadline },
	{ "tick, busy cpu, all due", busy_walk },
	{ "tick, idle cpu, all due", idle_walk },
	{ "newidle", newidle_walk },
};

static void start(struct job *job, const struct size *size, const struct rules *r)
{
	*job = (struct job){ .cpus = size->cpus, .now = LATER_NS, .next = 1 };
	job->s = make(size, r, &job->memory);
	if (!job->s)
		exit(EXIT_FAILURE);
	job->walk_size = sdpower_balance_size(job->s);
	job->walk = malloc(job->walk_size);
	for (sdpower_cpu cpu = 0; cpu < size->cpus; cpu++) {
		const uint32_t nr = cpu % 2 == 0;

		(void)sdpower_set_load(job->s, cpu, nr, nr * 1024);
		(void)(nr ? sdpower_idle_exit(job->s, cpu, 1) : sdpower_idle_enter(job->s, cpu, 1));
		for (int i = 0; i < 8; i++)
			(void)sdpower_tick(job->s, cpu, 1);
	}
	for (sdpower_cpu cpu = 0; cpu < size->cpus; cpu++)
		(void)sdpower_refresh(job->s, cpu);
	/* Records start afresh with the first walk. */
	for (sdpower_cpu cpu = 0; cpu < size->cpus; cpu++)
		walk(job, SDPOWER_BALANCE_TICK, cpu, cpu % 2 ? SDPOWER_CPU_IDLE : SDPOWER_CPU_NOT_IDLE);
}

static uint64_t my_cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static double timed(struct job *job, question *ask)
{
	const uint64_t begin = my_cpu_time();

	for (uint64_t i = 0; i < job->calls; i++)
		ask(job);
	return (double)(my_cpu_time() - begin);
}

static void print_bounds(double *values)
{
	qsort(values, ROUNDS, sizeof(values[0]), bench_compare);
	printf("\t%.2f\t%.2f\t%.2f", values[ROUNDS / 2], values[BOUND - 1], values[ROUNDS - BOUND]);
}

static void measure(struct job *jobs, const struct size *size, const char *name, question *ask)
{
	for (size_t r = 0; r < RULES; r++) {
		jobs[r].calls = 1;
		while (timed(&jobs[r], ask) < ROUND_NS)
			jobs[r].calls *= 2;
		jobs[r].actions = 0;
	}
	for (int i = 0; i < ROUNDS; i++)
		for (size_t r = 0; r < RULES; r++)
			jobs[r].round[i] = timed(&jobs[r], ask) / (double)jobs[r].calls;
	/* Backwards: printing sorts the rounds, and peers come first. */
	for (size_t r = RULES; r-- > 0;) {
		double ratio[ROUNDS];

		for (int i = 0; i < ROUNDS; i++)
			ratio[i] = jobs[r].round[i] / jobs[rules[r].peer].round[i];
		printf("%s\t%u\t%s", name, size->cpus, rules[r].name);
		print_bounds(jobs[r].round);
		print_bounds(ratio);
		printf("\t%.2f\n", (double)jobs[r].actions / (double)(jobs[r].calls * ROUNDS));
	}
}

static void measure_size(const struct size *size)
{
	struct job jobs[RULES];

	for (size_t r = 0; r < RULES; r++)
		start(&jobs[r], size, &rules[r]);
	for (size_t q = 0; q < sizeof(questions) / sizeof(questions[0]); q++)
		measure(jobs, size, questions[q].name, questions[q].ask);
	for (size_t r = 0; r < RULES; r++) {
		free(jobs[r].walk);
		free(jobs[r].memory);
	}
}

int main(void)
{
	printf("what\tcpus\trules\tmedian_ns\tlow_ns\thigh_ns\tratio\tratio_low\tratio_high\tactions\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure_size(&sizes[i]);
	return EXIT_SUCCESS;
}
