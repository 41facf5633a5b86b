/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ticks a second, of the load's time. */
#define HZ 1000u

static sdpower_status make_instance(struct cpus *c, const struct rules *rules)
{
	const struct sdpower_config config = { .struct_size = sizeof(config),
		.topology = c->machine->table, .flags = SDPOWER_CONFIG_DRIVER, .hz = HZ,
		.tree = rules->decisions == SDPOWER_DECIDE_NATIVE ? SDPOWER_TREE_MODERN :
			SDPOWER_TREE_CLASSIC,
		.decisions = rules->decisions, .smt = rules->smt, .mc = rules->mc };
	size_t size, align;
	sdpower_status status = sdpower_memory_needed(&config, &size, &align);

	if (status < 0)
		return status;
	size = (size + align - 1) / align * align;
	c->memory = aligned_alloc(align, size);
	if (!c->memory)
		return SDPOWER_ENOSPC;
	return sdpower_init(c->memory, size, &config, &c->sd);
}

static sdpower_status make_queues(struct cpus *c)
{
	c->walk_size = sdpower_balance_size(c->sd);
	c->walk = malloc(c->walk_size);
	c->queues = calloc(c->machine->cpus, sizeof(*c->queues));
	return c->walk && c->queues ? SDPOWER_OK : SDPOWER_ENOSPC;
}

static uint64_t read_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int cpus_open(struct cpus *c, const struct machine *m, const struct rules *rules, uint32_t slow,
	char *why, size_t size)
{
	sdpower_status status;

	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
	c->machine = m;
	c->slow = slow;
	c->make = machine_first(m);
	status = meter_open(&c->meter, m) ? SDPOWER_ENOSPC : make_instance(c, rules);
	if (status >= 0)
		status = make_queues(c);
	if (status < 0) {
		snprintf(why, size, "%s rules: %s", rules->name, sdpower_strstatus(status));
		cpus_close(c);
		return -1;
	}
	c->start_ns = read_clock();
	return 0;
}

void cpus_close(struct cpus *c)
{
	meter_close(&c->meter);
	free(c->queues);
	free(c->walk);
	free(c->memory);
	pthread_mutex_destroy(&c->lock);
}

uint64_t cpus_now(const struct cpus *c)
{
	return (read_clock() - c->start_ns) / c->slow;
}

void cpus_check(struct cpus *c, sdpower_status status)
{
	c->refused += status < 0;
}

void cpus_publish(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	const struct queue *q = &c->queues[cpu];
	uint32_t util = 0;

	/* A job that waits for its turn would run if it could. */
	for (struct job *job = q->head; job; job = job->next) {
		sdpower_util_add(&job->util, now_ns, 1);
		util += sdpower_util_share(&job->util);
	}
	cpus_check(c, sdpower_set_load(c->sd, cpu, q->count, q->count * SDPOWER_SCALE));
	cpus_check(c, sdpower_set_util(c->sd, cpu, util));
}

bool cpus_runs(const struct cpus *c, const struct job *job)
{
	return job->queued && c->queues[job->cpu].head == job;
}

void cpus_settle(struct job *job, uint64_t now_ns)
{
	const uint64_t ran = now_ns - job->since_ns;

	job->left_ns -= ran < job->left_ns ? ran : job->left_ns;
	job->since_ns = job->ran_ns = now_ns;
}

static void start_head(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	struct job *job = c->queues[cpu].head;

	if (!job)
		return;
	job->since_ns = now_ns;
	pthread_cond_signal(&job->changed);
}

static void stop_head(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	struct job *job = c->queues[cpu].head;

	if (!job)
		return;
	cpus_settle(job, now_ns);
	AO_store(&job->interrupted, 1);
	pthread_cond_signal(&job->changed);
}

static struct job **end_of(struct queue *q)
{
	struct job **end = &q->head;

	while (*end)
		end = &(*end)->next;
	return end;
}

void cpus_add(struct cpus *c, struct job *job, uint32_t cpu, uint64_t now_ns)
{
	struct queue *q = &c->queues[cpu];

	job->cpu = cpu;
	job->queued = true;
	job->next = NULL;
	*end_of(q) = job;
	cpus_publish(c, cpu, now_ns);
	if (++q->count > 1)
		return;
	cpus_check(c, sdpower_idle_exit(c->sd, cpu, now_ns));
	meter_set(&c->meter, cpu, true, now_ns);
	start_head(c, cpu, now_ns);
}

void cpus_remove(struct cpus *c, struct job *job, uint64_t now_ns)
{
	struct queue *q = &c->queues[job->cpu];
	const bool ran = q->head == job;
	struct job **link = &q->head;

	if (ran)
		stop_head(c, job->cpu, now_ns);
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	job->queued = false;
	q->count--;
	cpus_publish(c, job->cpu, now_ns);
	if (!q->count) {
		cpus_check(c, sdpower_idle_enter(c->sd, job->cpu, now_ns));
		meter_set(&c->meter, job->cpu, false, now_ns);
	} else if (ran) {
		start_head(c, job->cpu, now_ns);
	}
}

void cpus_rotate(struct cpus *c, uint32_t cpu, uint64_t now_ns)
{
	struct queue *q = &c->queues[cpu];
	struct job *job = q->head;

	if (q->count < 2)
		return;
	stop_head(c, cpu, now_ns);
	q->head = job->next;
	job->next = NULL;
	*end_of(q) = job;
	start_head(c, cpu, now_ns);
}
