/* SPDX-License-Identifier: MIT */
/* Runs: feeding the pool, and collecting what it did. */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "run.h"

#define STEP_MS 50u
/* Of each worker, when a trace is asked for: 40 MiB for the busiest of folders. */
#define TRACE_EVENTS ((size_t)1 << 20)

/* Files under way are limited by a semaphore that every finished one posts. */
struct feed {
	struct work_pass *pass;
	sem_t slots;
	bool limited;
};

struct file_task {
	struct feed *feed;
	size_t file;
};

double run_serial(struct work_pass *pass, struct progress *progress)
{
	uint64_t start = clock_now();
	size_t i;

	progress_start(progress, "serial check");
	for (i = 0; i < pass->plan->walk->count && !AO_load(pass->plan->interrupted); i++) {
		work_file(pass, i);
		progress_draw(progress, pass);
	}
	progress_end(progress);
	return (double)(clock_now() - start) / 1e9;
}

static int run_file(void *arg)
{
	struct file_task *t = arg;
	int error = work_file(t->feed->pass, t->file);

	if (t->feed->limited)
		sem_post(&t->feed->slots);
	return error;
}

static void show(struct feed *feed, struct energy *energy, struct progress *progress)
{
	progress_draw(progress, feed->pass);
	energy_sample(energy);
}

static void take_slot(struct feed *feed, struct energy *energy, struct progress *progress)
{
	struct timespec t;
	int error;

	do {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += STEP_MS * 1000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_nsec -= 1000000000;
			t.tv_sec++;
		}
		error = sem_timedwait(&feed->slots, &t);
		show(feed, energy, progress);
	} while (error);
}

static int feed_pool(struct feed *feed, struct file_task *tasks, struct energy *energy,
	struct progress *progress)
{
	const struct work_plan *plan = feed->pass->plan;
	struct pool_group group;
	int error = pool_group_init(&group);
	int failed;
	size_t i;

	if (error)
		return error;
	for (i = 0; i < plan->walk->count && !error && !AO_load(plan->interrupted); i++) {
		if (feed->limited)
			take_slot(feed, energy, progress);
		tasks[i] = (struct file_task){ feed, i };
		error = pool_submit(feed->pass->pool, &group, run_file, &tasks[i]);
	}
	while (!pool_wait_ms(&group, STEP_MS))
		show(feed, energy, progress);
	failed = pool_wait(feed->pass->pool, &group);
	pool_group_destroy(&group);
	return error ? error : failed;
}

static int feed_all(struct work_pass *pass, unsigned jobs, struct energy *energy,
	struct progress *progress)
{
	struct feed feed = { .pass = pass, .limited = jobs > 0 };
	struct file_task *tasks = calloc(pass->plan->walk->count + 1, sizeof(*tasks));
	int error;

	if (!tasks)
		return ENOMEM;
	sem_init(&feed.slots, 0, jobs);
	error = feed_pool(&feed, tasks, energy, progress);
	sem_destroy(&feed.slots);
	free(tasks);
	return error;
}

static void add_stats(struct pool_stats *sum, const struct pool_stats *s)
{
	sum->busy += s->busy;
	sum->idle += s->idle;
	sum->other += s->other;
	sum->tasks += s->tasks;
	sum->wakeups += s->wakeups;
	sum->useless += s->useless;
	sum->searches += s->searches;
	sum->found += s->found;
	sum->steals += s->steals;
	sum->migrations += s->migrations;
	sum->errors += s->errors;
}

static int collect(struct run_result *r, struct pool *p)
{
	const struct brain *b = pool_brain(p);
	uint32_t i;

	r->machine = *brain_machine(b);
	r->seats = calloc(r->machine.workers, sizeof(*r->seats));
	r->workers = calloc(r->machine.workers, sizeof(*r->workers));
	r->cores = calloc(r->machine.cores, sizeof(*r->cores));
	r->packages = calloc(r->machine.packages, sizeof(*r->packages));
	r->levels = brain_levels(b, 0);
	r->costs = calloc(r->levels + 1, sizeof(*r->costs));
	if (!r->seats || !r->workers || !r->cores || !r->packages || !r->costs)
		return ENOMEM;
	for (i = 0; i < r->levels; i++)
		r->costs[i] = brain_cost(b, 0, i);
	for (i = 0; i < r->machine.workers; i++) {
		r->seats[i] = *brain_seat(b, i);
		pool_stats(p, i, &r->workers[i]);
		add_stats(&r->total, &r->workers[i]);
	}
	for (i = 0; i < r->machine.cores; i++)
		r->cores[i] = (double)pool_core_busy(p, i) / 1e9;
	for (i = 0; i < r->machine.packages; i++)
		r->packages[i] = (double)pool_package_busy(p, i) / 1e9;
	return 0;
}

static double sum_of(const double *values, uint32_t n)
{
	double sum = 0;

	while (n-- > 0)
		sum += values[n];
	return sum;
}

/* A measurement says something about the real machine only: a described one is modelled. */
static void take_energy(struct run_result *r, const struct energy *energy)
{
	struct energy_use use = {
		.elapsed = r->elapsed,
		.packages = sum_of(r->packages, r->machine.packages),
		.cores = sum_of(r->cores, r->machine.cores),
		.threads = (double)r->total.busy / 1e9,
	};

	r->joules = energy_measurable(energy) ? energy_joules(energy) : energy_model(&use);
}

static int measure(struct run_result *r, const struct options *o, struct work_pass *pass,
	struct energy *energy, struct progress *progress)
{
	uint64_t start = clock_now(), cpu = clock_cpu();
	int error;

	energy_start(energy);
	error = feed_all(pass, o->jobs, energy, progress);
	energy_sample(energy);
	r->elapsed = (double)(clock_now() - start) / 1e9;
	r->cpu = (double)(clock_cpu() - cpu) / 1e9;
	if (AO_load(pass->plan->interrupted))
		return ECANCELED;
	if (!error)
		error = collect(r, pass->pool);
	if (!error)
		take_energy(r, energy);
	return error;
}

/* A file for each run: the one before was of another level. */
static int write_trace(struct pool *p, const char *file)
{
	FILE *out = fopen(file, "w");
	int error;

	if (!out)
		return errno;
	error = pool_trace_write(p, out);
	if (fclose(out) && !error)
		error = errno;
	return error;
}

int run_level(struct run_result *r, const struct options *o, enum brain_level level,
	const struct work_pass *reference, struct energy *energy, struct progress *progress,
	char *why, size_t size)
{
	struct pool_config config = { .topology = o->topology, .threads = o->threads,
		.level = level, .costs = o->costs, .newidle = o->newidle,
		.trace = o->trace ? TRACE_EVENTS : 0 };
	struct work_pass pass;
	struct pool *pool;
	int error;

	memset(r, 0, sizeof(*r));
	r->level = level;
	error = pool_open(&pool, &config, why, size);
	if (error)
		return error;
	error = work_pass_init(&pass, reference->plan, pool);
	if (!error) {
		progress_start(progress, brain_level_name(level));
		error = measure(r, o, &pass, energy, progress);
		progress_end(progress);
		if (!error && o->trace)
			error = write_trace(pool, o->trace);
		if (!error)
			work_compare(reference, &pass, &r->difference);
		work_pass_free(&pass);
	}
	pool_close(pool, error != 0);
	if (error) {
		snprintf(why, size, "%s", strerror(error));
		run_free(r);
	}
	return error;
}

void run_free(struct run_result *r)
{
	free(r->seats);
	free(r->workers);
	free(r->cores);
	free(r->packages);
	free(r->costs);
	memset(r, 0, sizeof(*r));
}
