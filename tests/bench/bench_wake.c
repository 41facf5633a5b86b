/* SPDX-License-Identifier: MIT */
/*
 * sdpower_select_cpu under both rule sets: ns per question over machine sizes and states.
 * "searching" is classic told to look for idle cpus on all levels (WAKE_IDLE), which the native
 * rules always do within the last-level cache; "classic" as it comes asks two cpus only.
 *
 * Questions are drawn beforehand; nothing changes between them, so that they show what the
 * rules cost and not what the caches of a busy machine add. States: half of the cpus busy with
 * up-to-date or changed records, all but the last cpu busy (nobody near is idle), all busy.
 *
 * bench_wake SIZE RULES STATE (numbers, from 0) asks each question once, for
 * valgrind --tool=callgrind --toggle-collect=sdpower_select_cpu: counts that no other load disturbs.
 */
#include <string.h>
#include <sdpower.h>
#include "bench.h"

#define QUESTIONS 4096u

static const struct size {
	const char *machine;
	uint32_t cpus;
} sizes[] = {
	{ "numa:2 l3:1 core:4 pu:2", 16 },
	{ "numa:2 l3:4 core:4 pu:2", 64 },
	{ "numa:2 l3:12 core:8 pu:2", 384 },
	{ "numa:8 l3:8 core:16 pu:2", 2048 },
};

static const struct rules {
	const char *name;
	uint32_t tree, mc, smt, wake_flags;
} rules[] = {
	{ "classic", SDPOWER_TREE_CLASSIC, 0, 0, 0 },
	{ "classic searching", SDPOWER_TREE_CLASSIC, 0, 0, SDPOWER_SD_WAKE_IDLE },
	{ "native performance", SDPOWER_TREE_MODERN, 0, 0, 0 },
	{ "classic balanced", SDPOWER_TREE_CLASSIC, 2, 0, 0 },
	{ "native balanced", SDPOWER_TREE_MODERN, 2, 0, 0 },
	{ "native powersave", SDPOWER_TREE_MODERN, 2, 2, 0 },
};

enum state { HALF, HALF_CHANGED, ONE_LEFT, ALL, STATES };

static const char *const states[STATES] = { "half busy", "half busy, changed", "one idle",
	"all busy" };

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % below);
}

struct job {
	sdpower *s;
	void *memory;
	struct sdpower_wake asked[QUESTIONS];
	uint32_t next;
	uint64_t sum;
};

static sdpower *make(const struct size *size, const struct rules *r, void **memory)
{
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = &machine,
		.tree = r->tree, .mc = r->mc, .smt = r->smt, .wake_flags = r->wake_flags };
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

static int is_busy(enum state state, sdpower_cpu cpu, uint32_t cpus)
{
	if (state == ONE_LEFT)
		return cpu + 1 < cpus;
	return state == ALL || draw(2);
}

static void fill(sdpower *s, uint32_t cpus, enum state state)
{
	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++) {
		const uint32_t nr = (uint32_t)is_busy(state, cpu, cpus);

		(void)sdpower_set_load(s, cpu, nr, nr * 1024);
		(void)(nr ? sdpower_idle_exit(s, cpu, 1) : sdpower_idle_enter(s, cpu, 1));
		for (int i = 0; i < 8; i++)
			(void)sdpower_tick(s, cpu, 1);
	}
	for (sdpower_cpu cpu = 0; cpu < cpus && state != HALF_CHANGED; cpu++)
		(void)sdpower_refresh(s, cpu);
	for (sdpower_cpu cpu = 0; cpu < cpus && state == HALF_CHANGED; cpu++) {
		struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

		if (sdpower_get_cpu(s, cpu, &c) == SDPOWER_OK)
			(void)sdpower_set_cpu(s, cpu, &c);
	}
}

/* Half of the tasks wake up where they ran, the others on a cpu nearby or far away. */
static void draw_questions(struct job *job, uint32_t cpus)
{
	for (uint32_t i = 0; i < QUESTIONS; i++) {
		const sdpower_cpu prev = draw(cpus);

		job->asked[i] = (struct sdpower_wake){ .struct_size = sizeof(job->asked[i]),
			.prev = prev, .waker = draw(2) ? prev : draw(cpus), .weight = 1024,
			.waker_weight = 1024, .since_ran_ns = draw(2) ? 0 : UINT64_MAX };
	}
}

static void ask(void *context)
{
	struct job *job = context;
	struct sdpower_pick pick;

	if (sdpower_select_cpu(job->s, &job->asked[job->next++ % QUESTIONS], &pick))
		abort();
	job->sum += pick.cpu;
}

/* Asks every question once, so that a profiler may count. */
static int ask_once(struct job *job, char **args)
{
	const size_t size = strtoul(args[0], NULL, 10), which = strtoul(args[1], NULL, 10);
	const unsigned long state = strtoul(args[2], NULL, 10);

	if (size >= sizeof(sizes) / sizeof(sizes[0]) || which >= sizeof(rules) / sizeof(rules[0]) ||
	    state >= STATES)
		return EXIT_FAILURE;
	job->s = make(&sizes[size], &rules[which], &job->memory);
	if (!job->s)
		return EXIT_FAILURE;
	seed = size + 1;
	fill(job->s, sizes[size].cpus, (enum state)state);
	draw_questions(job, sizes[size].cpus);
	for (uint32_t i = 0; i < QUESTIONS; i++)
		ask(job);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static struct job job;

	if (argc == 4)
		return ask_once(&job, argv + 1);

	printf("rules\tstate\tcpus\tbest_ns\tmedian_ns\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); r++) {
			job.s = make(&sizes[i], &rules[r], &job.memory);
			if (!job.s)
				return EXIT_FAILURE;
			for (enum state state = HALF; state < STATES; state++) {
				struct bench_result result;

				seed = i + 1;
				fill(job.s, sizes[i].cpus, state);
				draw_questions(&job, sizes[i].cpus);
				result = bench_run(ask, &job);
				printf("%s\t%s\t%u\t%.1f\t%.1f\n", rules[r].name, states[state],
					sizes[i].cpus, result.best, result.median);
			}
			free(job.memory);
		}
	return job.sum ? EXIT_SUCCESS : EXIT_FAILURE;
}
