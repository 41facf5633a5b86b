/* SPDX-License-Identifier: MIT */
/*
 * libsdpower as the brain of the pool: what the pool publishes, and the questions of a worker
 * that has work to hand out. The questions of those that look for work are in pull.c.
 *
 * Work that a task hands out is a wake-up near that task, whose data it uses. Work from outside
 * is born there, so unless somebody is awake or warm for it, it is placed as at a fork, which
 * spreads over the machine for performance and fills what is in use otherwise.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "costs.h"
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
	b->slots = calloc(b->machine.summary.cpus, sizeof(*b->slots));
	b->workers = calloc(workers, sizeof(*b->workers));
	if (!b->slot_of || !b->slots || !b->workers)
		return ENOMEM;
	for (i = 0; i < b->machine.summary.cpus; i++) {
		b->slot_of[b->machine.seats[i].cpu] = i;
		b->slots[i].awake = (workers - i - 1) / b->machine.summary.cpus + 1;
		b->slots[i].searcher = BRAIN_NOBODY;
		if (pthread_mutex_init(&b->slots[i].lock, NULL))
			return ENOMEM;
		b->locks++;
		/* Workers begin awake; a new instance believes that everybody sleeps. */
		sdpower_idle_exit(b->sd, b->machine.seats[i].cpu, 0);
	}
	return 0;
}

/* 0, or an error number with a sentence; the caller closes what was reached. */
static int fill(struct brain *b, const struct brain_config *config, char *why, size_t size)
{
	sdpower_status status = make_instance(b);
	int error;

	if (status < 0) {
		snprintf(why, size, "%s", sdpower_strstatus(status));
		return EINVAL;
	}
	error = config->costs ? costs_load(b, config->costs, why, size) : 0;
	if (error)
		return error;
	error = make_slots(b);
	if (!error)
		error = brain_set_level(b, config->level);
	if (error)
		snprintf(why, size, "%s", strerror(error));
	return error;
}

int brain_open(struct brain **out, const struct brain_config *config, char *why, size_t size)
{
	struct brain *b = calloc(1, sizeof(*b));
	int error;

	if (!b) {
		snprintf(why, size, "%s", strerror(ENOMEM));
		return ENOMEM;
	}
	error = machine_open(&b->machine, config->topology, config->threads, why, size);
	if (error) {
		free(b);
		return error;
	}
	error = fill(b, config, why, size);
	if (error) {
		brain_close(b);
		return error;
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
	free(b->costs);
	free(b->slot_of);
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
	if (sdpower_set_level(b->sd, level_word(level)) < 0)
		return EINVAL;
	AO_store(&b->saving, level != BRAIN_PERFORMANCE);
	return 0;
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

/* One searcher for each cpu is enough: it sees all there is. */
bool brain_search_begin(struct brain *b, uint32_t worker)
{
	struct brain_slot *slot = seam_slot(b, worker);
	bool mine;

	pthread_mutex_lock(&slot->lock);
	if (slot->searcher == BRAIN_NOBODY &&
	    sdpower_search_begin(b->sd, seam_cpu(b, worker)) == SDPOWER_OK) {
		slot->searcher = worker;
		AO_store_release(&b->workers[worker].state, SEAM_SEARCHES);
		AO_store_release(&b->searcher, worker);
	}
	mine = slot->searcher == worker;
	pthread_mutex_unlock(&slot->lock);
	return mine;
}

/* False: it was not searching. */
static bool stop_searching(struct brain *b, struct brain_slot *slot, uint32_t worker)
{
	bool searched = slot->searcher == worker;

	if (searched) {
		slot->searcher = BRAIN_NOBODY;
		AO_store_release(&b->workers[worker].state, SEAM_AWAKE);
	}
	return searched;
}

void brain_search_end(struct brain *b, uint32_t worker)
{
	struct brain_slot *slot = seam_slot(b, worker);

	pthread_mutex_lock(&slot->lock);
	if (stop_searching(b, slot, worker))
		sdpower_search_end(b->sd, seam_cpu(b, worker));
	pthread_mutex_unlock(&slot->lock);
}

/* A cpu that searches may go idle at once; one that others use meanwhile does not. */
static void fall_asleep(struct brain *b, struct brain_slot *slot, uint32_t worker, uint64_t now)
{
	bool searched = stop_searching(b, slot, worker);

	AO_store(&slot->sleeps, AO_load(&slot->sleeps) + 1);
	AO_store(&b->workers[worker].slept, AO_load(&slot->sleeps));
	AO_store_release(&b->workers[worker].state,
		AO_load(&b->workers[worker].retired) ? SEAM_RETIRED : SEAM_SLEEPS);
	if (--slot->awake == 0)
		sdpower_idle_enter(b->sd, seam_cpu(b, worker), now);
	else if (searched)
		sdpower_search_end(b->sd, seam_cpu(b, worker));
}

void brain_idle(struct brain *b, uint32_t worker, bool idle, uint64_t now)
{
	struct brain_slot *slot = seam_slot(b, worker);

	pthread_mutex_lock(&slot->lock);
	if (idle) {
		fall_asleep(b, slot, worker, now);
	} else {
		AO_store_release(&b->workers[worker].state, SEAM_AWAKE);
		if (slot->awake++ == 0)
			sdpower_idle_exit(b->sd, seam_cpu(b, worker), now);
	}
	pthread_mutex_unlock(&slot->lock);
}

/* Who fell asleep last: its stack and what it worked on may still be in the caches. */
static uint32_t find_freshest(const struct brain *b, uint32_t cpu)
{
	uint32_t worker, best = BRAIN_NOBODY;

	for (worker = b->slot_of[cpu]; worker < b->machine.summary.workers;
	     worker += b->machine.summary.cpus)
		if (AO_load_acquire(&b->workers[worker].state) == SEAM_SLEEPS &&
		    (best == BRAIN_NOBODY || (long)(AO_load(&b->workers[worker].slept) -
				AO_load(&b->workers[best].slept)) > 0))
			best = worker;
	return best;
}

static uint32_t claim_worker(struct brain *b, uint32_t cpu)
{
	uint32_t worker;

	do {
		worker = find_freshest(b, cpu);
	} while (worker != BRAIN_NOBODY && !AO_compare_and_swap_full(&b->workers[worker].state,
			SEAM_SLEEPS, SEAM_CLAIMED));
	return worker;
}

bool brain_is_alone(struct brain *b, uint32_t worker)
{
	struct brain_slot *slot = seam_slot(b, worker);
	bool alone;

	pthread_mutex_lock(&slot->lock);
	alone = slot->awake <= 1;
	pthread_mutex_unlock(&slot->lock);
	return alone;
}

static bool one_is_coming(const struct brain *b, uint32_t cpu)
{
	uint32_t worker;

	for (worker = b->slot_of[cpu]; worker < b->machine.summary.workers;
	     worker += b->machine.summary.cpus)
		if (AO_load_acquire(&b->workers[worker].state) == SEAM_CLAIMED)
			return true;
	return false;
}

/* The library's claim says that the cpu was idle and is ours. A cpu that several workers share
 * may have a sleeper though it is not idle: of those one is woken at a time. */
static uint32_t claim(struct brain *b, uint32_t cpu)
{
	bool ours = sdpower_claim(b->sd, cpu) == SDPOWER_OK;
	uint32_t worker = BRAIN_NOBODY;

	if (ours || (b->machine.summary.workers > b->machine.summary.cpus && !one_is_coming(b, cpu)))
		worker = claim_worker(b, cpu);
	if (ours && worker == BRAIN_NOBODY)
		(void)sdpower_unclaim(b->sd, cpu);
	return worker;
}

/* As at a wake-up on that cpu: an idle cpu near it if there is one; NONE: a searcher comes. */
static struct sdpower_pick wake_near(const struct brain *b, uint32_t cpu, uint32_t flags)
{
	uint32_t waker = flags ? SDPOWER_CPU_NONE : cpu;
	struct sdpower_wake request = {
		.struct_size = sizeof(request), .waker = waker, .prev = cpu, .flags = flags,
		.weight = SDPOWER_SCALE, .waker_weight = SDPOWER_SCALE, .since_ran_ns = UINT64_MAX,
	};
	struct sdpower_pick pick;

	do {
		if (sdpower_select_cpu(b->sd, &request, &pick) < 0)
			return (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU };
	} while (pick.reason & SDPOWER_REASON_SWAPPED);
	return pick;
}

/* No cpu is idle, but the tasks that run may wait for one that does not: so one more is woken that
 * shares a cpu, wherever, unless somebody comes, who will ask in turn. */
static uint32_t claim_beside_others(struct brain *b)
{
	uint32_t worker = BRAIN_NOBODY, i;

	for (i = 0; i < b->machine.summary.cpus; i++)
		if (one_is_coming(b, b->machine.seats[i].cpu))
			return BRAIN_NOBODY;
	for (i = 0; i < b->machine.summary.cpus && worker == BRAIN_NOBODY; i++)
		worker = claim_worker(b, b->machine.seats[i].cpu);
	return worker;
}

uint32_t brain_whom_to_wake(struct brain *b, uint32_t home)
{
	struct sdpower_pick pick = wake_near(b, seam_cpu(b, home), 0);
	uint32_t worker;

	if (pick.cpu == SDPOWER_CPU_NONE)
		return BRAIN_NOBODY;
	worker = claim(b, pick.cpu);
	if (worker == BRAIN_NOBODY && b->machine.summary.workers > b->machine.summary.cpus)
		worker = claim_beside_others(b);
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

uint32_t seam_longest(const struct brain *b, uint32_t cpu)
{
	const struct brain_machine *m = &b->machine.summary;
	uint32_t worker, best = b->slot_of[cpu];

	for (worker = best; worker < m->workers; worker += m->cpus)
		if (AO_load(&b->workers[worker].nr) > AO_load(&b->workers[best].nr))
			best = worker;
	return best;
}

/* Of those that are awake or about to be; if all of them sleep, one that takes part. */
static uint32_t find_shortest(const struct brain *b, uint32_t cpu)
{
	const struct brain_machine *m = &b->machine.summary;
	uint32_t worker, best = BRAIN_NOBODY, any = b->slot_of[cpu];

	for (worker = b->slot_of[cpu]; worker < m->workers; worker += m->cpus) {
		if (AO_load_acquire(&b->workers[worker].retired))
			continue;
		any = worker;
		if (AO_load_acquire(&b->workers[worker].state) != SEAM_SLEEPS &&
		    (best == BRAIN_NOBODY ||
		     AO_load(&b->workers[worker].nr) < AO_load(&b->workers[best].nr)))
			best = worker;
	}
	return best == BRAIN_NOBODY ? any : best;
}

/* Who searches: the one that began last if it still does. */
static uint32_t find_searcher(const struct brain *b)
{
	uint32_t worker = (uint32_t)AO_load_acquire(&b->searcher), i;

	for (i = 0; i < b->machine.summary.workers; i++) {
		if (AO_load_acquire(&b->workers[worker].state) == SEAM_SEARCHES)
			return worker;
		worker = (worker + 1) % b->machine.summary.workers;
	}
	return BRAIN_NOBODY;
}

/* Somebody who is awake for it, or the cpu that had the last one, still warm. */
static uint32_t place_warm(struct brain *b, uint32_t cpu)
{
	struct sdpower_pick pick = wake_near(b, cpu, SDPOWER_WAKE_CACHE_HOT);

	if (pick.reason & SDPOWER_REASON_SEARCHER)
		return find_searcher(b);
	return pick.cpu == cpu ? claim(b, cpu) : BRAIN_NOBODY;
}

/* The cpu that had the last one. The caller's, which is awake already, where power is saved or all
 * sleep, if that takes no other cache into use: who is woken across begins 60 us later after 10 ms. */
static uint32_t warm_cpu(const struct brain *b, uint32_t near, bool quiet)
{
	const uint32_t last = (uint32_t)AO_load(&b->last);

	return (quiet || AO_load(&b->saving)) && near != BRAIN_NOBODY && b->machine.seats[near].cache ==
		b->machine.seats[b->slot_of[last]].cache ? seam_cpu(b, near) : last;
}

uint32_t brain_place(struct brain *b, uint32_t near, bool quiet)
{
	uint32_t cpu = warm_cpu(b, near, quiet), worker = quiet ? claim(b, cpu) : BRAIN_NOBODY;

	if (worker == BRAIN_NOBODY)
		worker = place_warm(b, cpu);

	if (worker != BRAIN_NOBODY)
		return worker;
	cpu = place_from(b, cpu);
	worker = claim(b, cpu);
	/* What comes next starts here again, warm; where work is packed it must not follow what did
	 * not fit into one package, or both stay in use. */
	if (!AO_load(&b->saving))
		AO_store(&b->last, cpu);
	return worker == BRAIN_NOBODY ? find_shortest(b, cpu) : worker;
}

uint32_t brain_words(const struct brain *b)
{
	return (b->machine.topology.cpu_count + 31) / 32;
}

uint32_t brain_place_within(struct brain *b, const uint32_t *cpus, uint32_t words)
{
	struct sdpower_placement request = {
		.struct_size = sizeof(request), .cpu = (uint32_t)AO_load(&b->last),
		.flag = SDPOWER_SD_BALANCE_FORK, .affinity = cpus, .affinity_words = words,
	};
	struct sdpower_pick pick;
	uint32_t worker;

	do {
		if (sdpower_place(b->sd, &request, &pick) < 0)
			return BRAIN_NOBODY;
	} while (pick.reason & SDPOWER_REASON_SWAPPED);
	if (pick.cpu == SDPOWER_CPU_NONE)
		return BRAIN_NOBODY;
	worker = claim(b, pick.cpu);
	return worker == BRAIN_NOBODY ? find_shortest(b, pick.cpu) : worker;
}
