/* SPDX-License-Identifier: MIT */
/*
 * find_busiest_group at the top-level domain, newly idle, half of the cpus busy: ns per call
 * over machine sizes and shares of changed blocks, beside a plain scan of the same state in
 * the same round.
 *
 * Before every call one random cpu publishes, outside the timed part, and its block is summed
 * again unless it belongs to the changed share: no answer can be reused. Each call is timed
 * for itself; a round is the mean of its calls without the slowest fiftieth, less that of an
 * empty timing; the table has the median of the rounds and its 95 per cent bounds by rank.
 */
#include <stdbool.h>
#include <string.h>
#include <sdpower.h>
#include "bench.h"
#include "decide/native.h"

#define ROUNDS 31
#define CALLS 500
#define BOUND 10 /* ranks 10 and 22 of 31 hold the median with 95 per cent */

static const struct size {
	const char *machine;
	unsigned cpus, groups;
	double original_ns;      /* figures F6 */
	double aim_clean, aim_tenth;
} sizes[] = {
	{ "pack:2 l3:1 core:8", 16, 2, 123, 3, 2 },
	{ "pack:4 l3:1 core:16", 64, 4, 412, 6, 4 },
	{ "pack:8 l3:1 core:32", 256, 8, 1542, 12, 6 },
	{ "pack:16 l3:1 core:64", 1024, 16, 6153, 30, 10 },
	{ "pack:16 l3:1 core:256", 4096, 16, 26848, 60, 16 },
};

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % below);
}

/* Cycles where there is a counter for them, else ns; tick_ns says what one is worth. */
static double tick_ns = 1;

static inline uint64_t stamp(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#else
	return bench_now();
#endif
}

static void calibrate(void)
{
	const uint64_t begin = bench_now(), first = stamp();

	while (bench_now() - begin < 50000000u)
		;
	tick_ns = (double)(bench_now() - begin) / (double)(stamp() - first);
}

struct job {
	const struct size *size;
	sdpower *s;
	bool *changed;           /* [block] stays dirty this round */
	struct sdpower_busiest_request request;
	bool native;
};

static sdpower *make(const struct size *size, bool native)
{
	struct sdpower_topology machine = { .struct_size = sizeof(machine) };
	struct sdpower_config config = { .struct_size = sizeof(config), .topology = &machine,
		.decisions = native ? SDPOWER_DECIDE_NATIVE : SDPOWER_DECIDE_CLASSIC };
	size_t bytes = 0, align = 0;
	sdpower *s = NULL;
	void *table, *memory;

	if (sdpower_topology_synthetic(size->machine, NULL, 0, &machine, NULL) != SDPOWER_ENOSPC)
		return NULL;
	bytes = machine.memory_needed;
	table = malloc(bytes);
	if (!table || sdpower_topology_synthetic(size->machine, table, bytes, &machine, NULL))
		return NULL;
	if (sdpower_memory_needed(&config, &bytes, &align))
		return NULL;
	memory = aligned_alloc(align, bytes);
	if (!memory || sdpower_init(memory, bytes, &config, &s))
		return NULL;
	free(table);
	return s;
}

static void publish_random(sdpower *s, sdpower_cpu cpu)
{
	const uint32_t nr = draw(2) ? 1 + draw(2) : 0;

	(void)sdpower_set_load(s, cpu, nr, nr * 1024 + (nr ? draw(512) : 0));
}

static void fill(struct job *job)
{
	for (sdpower_cpu cpu = 0; cpu < job->size->cpus; cpu++) {
		publish_random(job->s, cpu);
		for (int i = 0; i < 8; i++)
			(void)sdpower_tick(job->s, cpu, 0);
	}
}

/* The block of a cpu is summed again by its first cpu, as its tick would do. */
static void sum_block(struct job *job, uint32_t block)
{
	const struct sdpower_i_forest *f = &job->s->forest;

	(void)sdpower_refresh(job->s, f->cpu_at[f->blocks[block].first]);
}

/*
 * Leaves each block changed with the given probability, so that a share below one block is
 * what it says on average; all others are summed again.
 */
static uint32_t choose_changed(struct job *job, double percent)
{
	const struct sdpower_i_forest *f = &job->s->forest;
	uint32_t count = 0;

	for (uint32_t block = 0; block < f->block_count; block++) {
		job->changed[block] = draw(1000000) < percent * 10000;
		count += job->changed[block];
		if (job->changed[block])
			(void)sdpower_set_load(job->s, f->cpu_at[f->blocks[block].first], 1, 1024);
		else
			sum_block(job, block);
	}
	return count;
}

static void one_publish(struct job *job)
{
	const sdpower_cpu cpu = draw(job->size->cpus);
	const uint32_t block = job->s->forest.block_at[job->s->forest.pos_of[cpu]];

	publish_random(job->s, cpu);
	if (!job->changed[block])
		sum_block(job, block);
}

static uint64_t ask(const struct job *job)
{
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	if (sdpower_find_busiest_group(job->s, &job->request, &answer))
		abort();
	return answer.imbalance + answer.stats.max_load;
}

/* The same question by reading every slot of the machine, group after group. */
static uint64_t scan(const struct job *job)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&job->s->forest);
	const uint32_t pos = sdpower_i_position(job->s, job->request.cpu);
	const struct sdpower_i_level_view l = sdpower_i_level_at(&v, pos, job->request.depth);
	const uint32_t index = l.params->newidle_idx;
	uint64_t total_load = 0, total_power = 0;
	struct sdpower_i_amounts a = { .max = 0 };
	int group_imb = 0;
	uint32_t busiest_nr = 0;

	for (uint32_t nth = 0; nth < l.domain.groups; nth++) {
		const struct sdpower_i_group g = sdpower_i_get_group(&v, sdpower_i_ring(&l, nth));
		const uint32_t first = v.tree->runs[g.run].first, count = v.tree->runs[g.run].count;
		uint64_t load = 0, weighted = 0, per_task = 0, average;
		uint32_t nr = 0, max = 0, min = UINT32_MAX;
		int imb;

		for (uint32_t i = first; i < first + count; i++) {
			const struct sdpower_i_slot *slot = &job->s->slots[i];
			const uint32_t now = sdpower_i_load(&slot->load), n = sdpower_i_load(&slot->nr);
			const uint32_t part = nth ? sdpower_i_source(slot, index, now) :
				sdpower_i_target(slot, index, now);

			load += part;
			weighted += now;
			nr += n;
			per_task += sdpower_i_per_task(now, n);
			if (part > max)
				max = part;
			if (part < min)
				min = part;
		}
		total_load += load;
		total_power += g.power;
		average = load * SDPOWER_SCALE / g.power;
		if (nth == 0) {
			a.this = average;
			a.this_nr = nr;
			a.this_lpt = weighted;
			a.this_power = g.power;
			continue;
		}
		imb = max - min > 2 * (per_task * SDPOWER_SCALE / g.power);
		if (average > a.max && (nr > g.power / SDPOWER_SCALE || imb)) {
			a.max = average;
			a.busiest_power = g.power;
			a.busiest_lpt = weighted;
			busiest_nr = nr;
			group_imb = imb;
		}
	}
	if (!busiest_nr || a.this >= a.max)
		return a.max;
	a.avg = total_load * SDPOWER_SCALE / total_power;
	if (a.this >= a.avg || 100 * a.max <= l.params->imbalance_pct * a.this)
		return a.max;
	a.busiest_lpt /= busiest_nr;
	if (group_imb && a.busiest_lpt > a.avg)
		a.busiest_lpt = a.avg;
	if (a.max <= a.busiest_lpt)
		return a.max;
	a.asker_lpt = sdpower_i_per_task(job->s->slots[pos].load, job->s->slots[pos].nr);
	(void)sdpower_i_imbalance(&a);
	return a.max + a.imbalance;
}

/* What the pull of waiting work compares: the most of something for its capacity. */
struct most {
	uint64_t amount, capacity;
	sdpower_cpu which;
};

static void consider(struct most *best, uint64_t amount, uint64_t capacity, sdpower_cpu which)
{
	const uint64_t mine = amount * best->capacity, its = best->amount * capacity;

	if (!best->capacity || mine > its || (mine == its && which > best->which))
		*best = (struct most){ amount, capacity, which };
}

/*
 * The same for the native rules and an asker without tasks: the group with the most waiting
 * tasks for its capacity, and which cpu of its fullest block gives.
 */
static uint64_t scan_native(const struct job *job)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&job->s->forest);
	const uint32_t pos = sdpower_i_position(job->s, job->request.cpu);
	const struct sdpower_i_limits limits = sdpower_i_limits_of(job->s, v.tree);
	const struct sdpower_i_link link = sdpower_i_get_link(&v, pos, job->request.depth);
	const struct sdpower_i_domain domain = sdpower_i_get_domain(&v, link.domain);
	struct most group = { 0, 0, 0 }, giver = { 0, 0, 0 };

	for (uint32_t i = 0; i < domain.groups; i++) {
		const struct sdpower_i_group g = sdpower_i_get_group(&v, domain.group + i);
		const uint32_t first = v.tree->runs[g.run].first, count = v.tree->runs[g.run].count;
		struct most block = { 0, 0, 0 }, cpu = { 0, 0, 0 };
		uint64_t queued = 0, capacity = 0;

		if (i == link.own_group)
			continue;
		for (uint32_t at = first; at < first + count; ) {
			const uint32_t end = at + job->s->forest.blocks[job->s->forest.block_at[at]].count;
			uint64_t load = 0, room = 0;
			struct most over = { 0, 0, 0 };

			for (; at < end; at++) {
				const struct sdpower_i_cpu_view c = sdpower_i_look(job->s, at);

				load += c.load;
				room += c.capacity;
				queued += c.nr ? c.nr - 1 : 0;
				if (sdpower_i_is_over(&limits, &c))
					consider(&over, c.load, c.capacity, job->s->forest.cpu_at[at]);
			}
			capacity += room;
			if (!over.capacity)
				continue;
			consider(&block, load, room, at);
			if (block.which == at)
				cpu = over;
		}
		if (!cpu.capacity)
			continue;
		consider(&group, queued, capacity, g.first_cpu);
		if (group.which == g.first_cpu)
			giver = cpu;
	}
	return giver.capacity ? giver.which : 0;
}

static uint64_t ask_native(const struct job *job)
{
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	if (sdpower_find_busiest_group(job->s, &job->request, &answer))
		abort();
	return answer.kind == SDPOWER_PULL_TASK ? answer.from : 0;
}

static uint64_t nothing(const struct job *job)
{
	return job->request.cpu;
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(values[0]), bench_compare);
	return values[count / 2];
}

/* Mean without the slowest fiftieth: the counter may step by 10 ns, and somebody may interrupt. */
static double mean(double *values, size_t count)
{
	const size_t kept = count - count / 50;
	double sum = 0;

	qsort(values, count, sizeof(values[0]), bench_compare);
	for (size_t i = 0; i < kept; i++)
		sum += values[i];
	return sum / (double)kept;
}

/* Blocks are chosen anew several times a round. */
#define CHOICES 25

/* The native rules tell apart who has tasks and who has none. */
static sdpower_cpu draw_asker(const struct job *job)
{
	sdpower_cpu cpu;

	do
		cpu = draw(job->size->cpus);
	while (job->native && job->s->slots[job->s->forest.pos_of[cpu]].nr);
	return cpu;
}

static double timed(struct job *job, double percent, double *blocks,
	uint64_t (*question)(const struct job *), uint64_t *sum)
{
	static double ticks[CALLS];

	for (int i = 0; i < CALLS; i++) {
		uint64_t begin;

		if (i % (CALLS / CHOICES) == 0)
			*blocks += (double)choose_changed(job, percent) / CHOICES;
		one_publish(job);
		job->request.cpu = draw_asker(job);
		begin = stamp();
		*sum += question(job);
		ticks[i] = (double)(stamp() - begin);
	}
	return mean(ticks, CALLS) * tick_ns;
}

static void row(const struct size *size, const char *what, double percent, double blocks,
	double *rounds, double aim_ns)
{
	const double middle = median(rounds, ROUNDS);

	printf("%s\t%u\t%u\t%g\t%.2f\t%.1f\t%.1f\t%.1f\t%.2f\t%.1f\t%s\n", what, size->cpus,
		size->groups, percent, blocks, middle, rounds[BOUND - 1], rounds[ROUNDS - BOUND],
		size->original_ns / middle, aim_ns,
		aim_ns == 0 ? "-" : middle <= aim_ns ? "yes" : "no");
}

static void check_same(struct job *job)
{
	uint64_t (*const asked)(const struct job *) = job->native ? ask_native : ask;
	uint64_t (*const scanned)(const struct job *) = job->native ? scan_native : scan;

	for (int i = 0; i < 100; i++) {
		one_publish(job);
		job->request.cpu = draw_asker(job);
		if (asked(job) != scanned(job)) {
			fprintf(stderr, "%s: the answers differ\n", job->size->machine);
			exit(EXIT_FAILURE);
		}
	}
}

static void measure_share(struct job *job, double percent)
{
	double asked[ROUNDS], scanned[ROUNDS], aim = 0, blocks = 0, ignored = 0;
	uint64_t sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		const double empty = timed(job, percent, &ignored, nothing, &sum);

		check_same(job);
		asked[i] = timed(job, percent, &blocks, job->native ? ask_native : ask, &sum) - empty;
		scanned[i] = timed(job, percent, &ignored, job->native ? scan_native : scan, &sum) -
			empty;
	}
	blocks /= ROUNDS;
	if (percent == 0)
		aim = job->size->original_ns / job->size->aim_clean;
	else if (percent == 10)
		aim = job->size->original_ns / job->size->aim_tenth;
	row(job->size, job->native ? "native_scan" : "scan", percent, blocks, scanned, 0);
	if (percent == 100)
		aim = 1.3 * scanned[ROUNDS / 2];
	row(job->size, job->native ? "native_ask" : "ask", percent, blocks, asked, aim);
	if (!sum)
		exit(EXIT_FAILURE);
}

static void measure_size(const struct size *size, bool native)
{
	static const double percents[] = { 0, 1, 10, 100 };
	struct job job = { .size = size, .s = make(size, native), .native = native };

	if (!job.s)
		exit(EXIT_FAILURE);
	job.changed = calloc(job.s->forest.block_count, sizeof(*job.changed));
	if (!job.changed)
		exit(EXIT_FAILURE);
	job.request = (struct sdpower_busiest_request){ .struct_size = sizeof(job.request),
		.idle = SDPOWER_CPU_NEWLY_IDLE, .sd_idle = 1 };
	{
		const struct sdpower_i_view v = sdpower_i_view_of(&job.s->forest);

		job.request.depth = sdpower_i_depth(&v, 0) - 1;
	}
	fill(&job);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		measure_share(&job, percents[i]);
	free(job.changed);
	free(job.s);
}

int main(void)
{
	calibrate();
	printf("what\tcpus\tgroups\tdirty_percent\tdirty_blocks\tmedian_ns\tlow_ns\thigh_ns\t"
		"times_original\taim_ns\tmet\n");
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure_size(&sizes[i], false);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure_size(&sizes[i], true);
	return EXIT_SUCCESS;
}
