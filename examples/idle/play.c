/* SPDX-License-Identifier: MIT */
#include "play.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "balance.h"

/* A process of a build: mostly computing, with short waits for files in between. */
#define BURSTS 6u
#define WAIT_NS 3000000u
#define TICK_NS 1000000u
/* Until the first processes have found their places. */
#define WARM_UP_NS 100000000u

/* 0.5 to 1.5 times the average. */
static uint64_t draw(struct job *job, uint32_t ns)
{
	job->random = job->random * 6364136223846793005u + 1442695040888963407u;
	return ns / 2 + (job->random >> 33) % ns;
}

static struct timespec clock_at(const struct cpus *c, uint64_t ns)
{
	const uint64_t at = c->start_ns + ns * c->slow;

	return (struct timespec){ (time_t)(at / 1000000000u), (long)(at % 1000000000u) };
}

static void sleep_until(const struct cpus *c, uint64_t ns)
{
	const struct timespec at = clock_at(c, ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static void pin(struct cpus *c, struct job *job)
{
	cpu_set_t set;

	if (job->pinned == job->cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(c->machine->seats[job->cpu].os_id, &set);
	c->refused += sched_setaffinity(0, sizeof(set), &set) != 0;
	job->pinned = job->cpu;
}

/* A cpu that is only described has nothing to compute with: being its turn is all there is. */
static void occupy(struct cpus *c, struct job *job)
{
	const struct timespec at = clock_at(c, job->since_ns + job->left_ns);

	pthread_cond_timedwait(&job->changed, &c->lock, &at);
}

static void compute(struct cpus *c, struct job *job)
{
	const uint64_t end = job->since_ns + job->left_ns;

	AO_store(&job->interrupted, 0);
	pin(c, job);
	pthread_mutex_unlock(&c->lock);
	while (cpus_now(c) < end && !AO_load(&job->interrupted))
		;
	pthread_mutex_lock(&c->lock);
}

/* One burst, whoever else is on the cpu and wherever it moves. */
static void burst(struct cpus *c, struct job *job)
{
	while (job->left_ns && !c->over) {
		if (!cpus_runs(c, job))
			pthread_cond_wait(&job->changed, &c->lock);
		else if (c->machine->described)
			occupy(c, job);
		else
			compute(c, job);
		if (cpus_runs(c, job))
			cpus_settle(job, cpus_now(c));
	}
}

static void leave(struct cpus *c, struct job *job)
{
	const uint64_t now = cpus_now(c);
	const uint32_t cpu = job->cpu;

	cpus_remove(c, job, now);
	if (!c->queues[cpu].count)
		balance_newly_idle(c, cpu, now);
}

static void await(struct cpus *c, struct job *job)
{
	const uint64_t end = cpus_now(c) + draw(job, WAIT_NS);

	pthread_mutex_unlock(&c->lock);
	sleep_until(c, end);
	pthread_mutex_lock(&c->lock);
}

static void process(struct cpus *c, struct job *job)
{
	uint32_t cpu = balance_fork(c, job);

	cpus_check(c, sdpower_util_start(&job->util, 0, cpus_now(c)));
	for (uint32_t i = 0; i < BURSTS && !c->over; i++) {
		if (i) {
			await(c, job);
			cpu = balance_wake(c, job, cpus_now(c));
		}
		job->left_ns = draw(job, job->burst_ns);
		cpus_add(c, job, cpu, cpus_now(c));
		burst(c, job);
		leave(c, job);
	}
}

static void *job_main(void *argument)
{
	struct job *job = argument;
	struct cpus *c = job->cpus;

	pthread_mutex_lock(&c->lock);
	while (!c->over)
		process(c, job);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Ticks all cpus until then; late ticks are not made up for. */
static void tick_until(struct cpus *c, uint64_t end)
{
	uint64_t now = cpus_now(c);

	while (now < end) {
		sleep_until(c, now + TICK_NS - now % TICK_NS);
		pthread_mutex_lock(&c->lock);
		now = cpus_now(c);
		balance_tick(c, now);
		pthread_mutex_unlock(&c->lock);
	}
}

static void restart_meter(struct cpus *c)
{
	pthread_mutex_lock(&c->lock);
	meter_restart(&c->meter, cpus_now(c));
	c->moves = 0;
	pthread_mutex_unlock(&c->lock);
}

static void stop(struct cpus *c, struct job *jobs, uint32_t count)
{
	pthread_mutex_lock(&c->lock);
	meter_advance(&c->meter, cpus_now(c));
	c->over = true;
	for (uint32_t i = 0; i < count; i++) {
		AO_store(&jobs[i].interrupted, 1);
		pthread_cond_signal(&jobs[i].changed);
	}
	pthread_mutex_unlock(&c->lock);
}

static int start(struct cpus *c, struct job *job, uint32_t seed, uint32_t burst_ms)
{
	pthread_condattr_t attributes;
	int error;

	job->cpus = c;
	job->cpu = machine_first(c->machine);
	job->pinned = SDPOWER_CPU_NONE;
	job->random = seed;
	job->burst_ns = burst_ms * 1000000u;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&job->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	error = pthread_create(&job->thread, NULL, job_main, job);
	if (error)
		pthread_cond_destroy(&job->changed);
	return error;
}

static void add_up(const struct cpus *c, struct played *sum)
{
	const struct meter *m = &c->meter;
	const uint32_t packages = c->machine->packages;

	for (uint32_t i = 0; i < c->machine->cores; i++) {
		const uint32_t package = machine_package(c->machine, i);

		sum->cores[i] += meter_idle(m, &m->cores[i]);
		sum->packages[package] += meter_idle(m, &m->cores[i]) /
			machine_cores(c->machine, package);
	}
	for (uint32_t i = 0; i < packages; i++)
		sum->asleep[i] += meter_idle(m, &m->packages[i]);
	sum->moves += c->moves;
}

/* All threads have ended when it returns; an error number. */
static int run_threads(struct cpus *c, const struct play *p, struct job *jobs)
{
	uint32_t count = 0, i;
	int error = 0;

	while (count < p->jobs && !error) {
		error = start(c, &jobs[count], p->seed + count, p->burst_ms);
		count += !error;
	}
	if (!error) {
		tick_until(c, WARM_UP_NS);
		restart_meter(c);
		tick_until(c, WARM_UP_NS + p->ms * UINT64_C(1000000));
	}
	stop(c, jobs, count);
	for (i = 0; i < count; i++) {
		pthread_join(jobs[i].thread, NULL);
		pthread_cond_destroy(&jobs[i].changed);
	}
	return error;
}

int play_run(const struct play *p, struct played *sum, char *why, size_t size)
{
	struct job *jobs = calloc(p->jobs, sizeof(*jobs));
	struct cpus c;
	int error;

	if (!jobs || cpus_open(&c, p->machine, p->rules, p->slow, why, size)) {
		if (!jobs)
			snprintf(why, size, "out of memory");
		free(jobs);
		return -1;
	}
	error = run_threads(&c, p, jobs);
	if (error)
		snprintf(why, size, "starting a thread: %s", strerror(error));
	else if (c.refused)
		snprintf(why, size, "%u calls failed, of the library or to pin a thread",
			(unsigned)c.refused);
	else
		add_up(&c, sum);
	error = error || c.refused;
	cpus_close(&c);
	free(jobs);
	return error ? -1 : 0;
}
