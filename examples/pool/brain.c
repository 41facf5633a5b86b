/* SPDX-License-Identifier: MIT */
/*
 * libsdpower as the brain of the pool: what the pool publishes, and the questions of a worker
 * that has work to hand out. The questions of those that look for work are in pull.c.
 *
 * A task of a pool is born where it is submitted, so handing it out is what a kernel does at
 * fork: sdpower_place, which spreads over the machine for performance and stays below the
 * first saving level otherwise. Work from outside comes in as a wake-up of the cpu that was
 * used last, which finds the preferred wake-up cpu when consolidating.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "seam.h"

static const char *const level_names[BRAIN_LEVELS] = { "performance", "balanced", "powersave" };

const char *brain_level_name(enum brain_level level)
{
	return level_names[level];
}

static uint32_t level_word(enum brain_level level)
{
	static const uint32_t words[BRAIN_LEVELS] = {
		SDPOWER_PERFORMANCE, SDPOWER_BALANCED, SDPOWER_POWERSAVE,
	};

	return words[level];
}

static int make_instance(struct brain *b)
{
	struct sdpower_config config = {
		.struct_size = sizeof(config),
		.topology = &b->machine.topology,
		.decisions = SDPOWER_DECIDE_CLASSIC,
		/* A worker that has run dry has nothing better to do than to look at every level;
		 * the tuning of 2.6.30 leaves most of that to the tick. */
		.flags = SDPOWER_CONFIG_RELAX,
		.relax_level = EVERY_LEVEL,
		.wake_flags = SDPOWER_SD_WAKE_IDLE_FAR,
	};
	size_t size, align;
	sdpower_status status = sdpower_memory_needed(&config, &size, &align);

	if (status < 0)
		return status;
	b->memory = aligned_alloc(align, size);
	if (!b->memory)
		return SDPOWER_ENOSPC;
	return sdpower_init(b->memory, size, &config, &b->sd);
}

static int make_slots(struct brain *b)
{
	uint32_t i, workers = b->machine.summary.workers;

	b->slot_of = calloc(b->machine.topology.cpu_count, sizeof(*b->slot_of));
	b->sleepers = calloc((b->machine.topology.cpu_count + 31) / 32, sizeof(*b->sleepers));
	b->slots = calloc(b->machine.summary.cpus, sizeof(*b->slots));
	b->workers = calloc(workers, sizeof(*b->workers));
	if (!b->slot_of || !b->sleepers || !b->slots || !b->workers)
		return ENOMEM;
	for (i = 0; i < b->machine.summary.cpus; i++) {
		b->slot_of[b->machine.seats[i].cpu] = i;
		b->slots[i].awake = (workers - i - 1) / b->machine.summary.cpus + 1;
		if (pthread_mutex_init(&b->slots[i].lock, NULL))
			return ENOMEM;
		b->locks++;
		/* Workers begin awake; a new instance believes that everybody sleeps. */
		sdpower_idle_exit(b->sd, b->machine.seats[i].cpu, 0);
	}
	return 0;
}

int brain_open(struct brain **out, const char *topology, unsigned threads,
	enum brain_level level, char *why, size_t size)
{
	struct brain *b = calloc(1, sizeof(*b));
	sdpower_status status;
	int error;

	if (!b) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return ENOMEM;
	}
	error = machine_open(&b->machine, topology, threads, why, size);
	if (error) {
		free(b);
		return error;
	}
	status = make_instance(b);
	if (status >= 0)
		status = sdpower_set_level(b->sd, level_word(level));
	if (status >= 0)
		error = make_slots(b);
	if (status < 0 || error) {
		snprintf(why, size, "%s", status < 0 ? sdpower_strstatus(status) : strerror(error));
		brain_close(b);
		return error ? error : EINVAL;
	}
	*out = b;
	return 0;
}

void brain_close(struct brain *b)
{
	while (b->locks > 0)
		pthread_mutex_destroy(&b->slots[--b->locks].lock);
	machine_close(&b->machine);
	free(b->memory);
	free(b->slot_of);
	free(b->sleepers);
	free(b->slots);
	free(b->workers);
	free(b);
}

const struct brain_machine *brain_machine(const struct brain *b)
{
	return &b->machine.summary;
}

const struct brain_seat *brain_seat(const struct brain *b, uint32_t worker)
{
	return &b->machine.seats[worker];
}

int brain_set_level(struct brain *b, enum brain_level level)
{
	if (level >= BRAIN_LEVELS)
		return EINVAL;
	return sdpower_set_level(b->sd, level_word(level)) < 0 ? EINVAL : 0;
}

void brain_publish(struct brain *b, uint32_t worker, uint32_t nr)
{
	struct brain_slot *slot = seam_slot(b, worker);

	pthread_mutex_lock(&slot->lock);
	slot->nr = slot->nr - (uint32_t)AO_load(&b->workers[worker].nr) + nr;
	AO_store(&b->workers[worker].nr, nr);
	sdpower_set_load(b->sd, seam_cpu(b, worker), slot->nr, seam_load(slot->nr));
	pthread_mutex_unlock(&slot->lock);
}

void brain_idle(struct brain *b, uint32_t worker, bool idle, uint64_t now)
{
	struct brain_slot *slot = seam_slot(b, worker);

	pthread_mutex_lock(&slot->lock);
	AO_store_release(&b->workers[worker].state, idle ? SEAM_SLEEPS : SEAM_AWAKE);
	if (idle && --slot->awake == 0)
		sdpower_idle_enter(b->sd, seam_cpu(b, worker), now);
	if (!idle && slot->awake++ == 0)
		sdpower_idle_exit(b->sd, seam_cpu(b, worker), now);
	pthread_mutex_unlock(&slot->lock);
}

static uint32_t claim_worker(struct brain *b, uint32_t cpu)
{
	uint32_t worker;

	for (worker = b->slot_of[cpu]; worker < b->machine.summary.workers;
	     worker += b->machine.summary.cpus)
		if (AO_load_acquire(&b->workers[worker].state) == SEAM_SLEEPS &&
		    AO_compare_and_swap_full(&b->workers[worker].state, SEAM_SLEEPS, SEAM_CLAIMED))
			return worker;
	return BRAIN_NOBODY;
}

/* The library's claim says that the cpu was idle and is ours. A cpu that several workers share
 * may have a sleeper though it is not idle. */
uint32_t seam_claim(struct brain *b, uint32_t cpu)
{
	bool ours = sdpower_claim(b->sd, cpu) == SDPOWER_OK;
	uint32_t worker = BRAIN_NOBODY;

	if (ours || b->machine.summary.workers > b->machine.summary.cpus)
		worker = claim_worker(b, cpu);
	if (ours && worker == BRAIN_NOBODY)
		(void)sdpower_unclaim(b->sd, cpu);
	return worker;
}

/* As at fork: the idlest cpu, as seen from one of them; that one when nothing is better. */
static uint32_t place_from(const struct brain *b, uint32_t cpu)
{
	struct sdpower_placement request = {
		.struct_size = sizeof(request), .cpu = cpu, .flag = SDPOWER_SD_BALANCE_FORK,
	};
	struct sdpower_pick pick;

	if (sdpower_place(b->sd, &request, &pick) < 0 || pick.cpu == SDPOWER_CPU_NONE)
		return cpu;
	return pick.cpu;
}

uint32_t brain_whom_to_wake(struct brain *b, uint32_t home)
{
	return seam_claim(b, place_from(b, seam_cpu(b, home)));
}

/* As at a wake-up of something that ran on that cpu: the preferred wake-up cpu when
 * consolidating, else the same cpu. Cache hot, because a wider look for an idle cpu would find
 * the sibling thread first, and placing does better than that. */
static uint32_t wake_from(const struct brain *b, uint32_t cpu)
{
	struct sdpower_wake request = {
		.struct_size = sizeof(request), .waker = SDPOWER_CPU_NONE, .prev = cpu,
		.flags = SDPOWER_WAKE_CACHE_HOT,
		.weight = SDPOWER_SCALE, .waker_weight = SDPOWER_SCALE,
	};
	struct sdpower_pick pick;

	if (sdpower_select_cpu(b->sd, &request, &pick) < 0 || pick.cpu == SDPOWER_CPU_NONE)
		return cpu;
	return pick.cpu;
}

/* When placing stays where all are busy: the nearest idle cpu, level by level outwards. The
 * classic rules place within a core once threads are filled first, however much waits there. */
static uint32_t idle_near(const struct brain *b, uint32_t cpu)
{
	struct sdpower_wake request = {
		.struct_size = sizeof(request), .waker = SDPOWER_CPU_NONE, .prev = cpu,
		.flags = SDPOWER_WAKE_SYSTEM, .since_ran_ns = UINT64_MAX,
	};
	struct sdpower_pick pick;

	if (sdpower_wake_idle(b->sd, &request, &pick) < 0 || pick.cpu == SDPOWER_CPU_NONE)
		return cpu;
	return pick.cpu;
}

uint32_t seam_queue(const struct brain *b, uint32_t cpu, bool longest)
{
	const struct brain_machine *m = &b->machine.summary;
	uint32_t worker, best = b->slot_of[cpu];

	for (worker = best; worker < m->workers; worker += m->cpus) {
		AO_t nr = AO_load(&b->workers[worker].nr), best_nr = AO_load(&b->workers[best].nr);

		if (longest ? nr > best_nr : nr < best_nr)
			best = worker;
	}
	return best;
}

uint32_t brain_place(struct brain *b)
{
	uint32_t cpu = wake_from(b, (uint32_t)AO_load(&b->last));
	uint32_t worker = seam_claim(b, cpu);

	if (worker == BRAIN_NOBODY) {
		cpu = place_from(b, cpu);
		worker = seam_claim(b, cpu);
	}
	/* What comes next starts here again: following the overflow led into the other package. */
	AO_store(&b->last, cpu);
	if (worker == BRAIN_NOBODY)
		worker = seam_claim(b, idle_near(b, cpu));
	return worker == BRAIN_NOBODY ? seam_queue(b, cpu, false) : worker;
}
