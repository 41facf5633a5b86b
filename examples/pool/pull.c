/* SPDX-License-Identifier: MIT */
/*
 * The questions of those that look for work: a worker that has run dry asks for itself; for a
 * sleeper somebody awake asks at the tick, as a kernel's idle load balancer does.
 */
#include "seam.h"

/* A tick is due every 2^20 ns, about the shortest balancing interval of a level (1 ms). */
#define TICK_SHIFT 20
/* More ticks at once change a decayed load by less than a tenth of itself. */
#define MAX_CATCH_UP 8u
/* Sleepers asked for at one tick: bounds the tick on large machines; the next goes on there. */
#define MAX_ASKS 8u

/* The library counts in load; a task that is only partly wanted is taken whole. */
static uint32_t tasks_of(uint64_t imbalance)
{
	uint64_t tasks = (imbalance + SDPOWER_SCALE - 1) / SDPOWER_SCALE;

	return tasks < UINT32_MAX ? (uint32_t)tasks : UINT32_MAX;
}

static bool find_queue(const struct brain *b, const struct sdpower_busiest *group,
	struct brain_pull *pull)
{
	struct sdpower_queue_request request = {
		.struct_size = sizeof(request), .domain = group->domain, .group = group->group,
		.imbalance = group->imbalance,
	};
	struct sdpower_pick pick;

	if (sdpower_find_busiest_queue(b->sd, &request, &pick) < 0 || pick.cpu == SDPOWER_CPU_NONE)
		return false;
	pull->from = seam_queue(b, pick.cpu, true);
	pull->amount = tasks_of(group->imbalance);
	return true;
}

/* One level. False also when it has nothing to pull. */
static bool ask_level(struct brain *b, const struct brain_walk *walk, bool *exists,
	struct brain_pull *pull)
{
	struct sdpower_busiest_request request = {
		.struct_size = sizeof(request),
		.cpu = seam_cpu(b, walk->worker), .depth = walk->depth,
		.idle = walk->newly_idle ? SDPOWER_CPU_NEWLY_IDLE : SDPOWER_CPU_IDLE,
	};
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	*exists = sdpower_find_busiest_group(b->sd, &request, &answer) >= 0;
	if (!*exists)
		return false;
	if (answer.nominee != SDPOWER_CPU_NONE)
		(void)sdpower_nominate(b->sd, answer.nominee);
	return answer.group != SDPOWER_ID_NONE && answer.imbalance > 0 &&
		find_queue(b, &answer, pull);
}

/* Below the library's innermost level: workers that share the cpu of this one. */
static bool ask_own_cpu(const struct brain *b, const struct brain_walk *walk,
	struct brain_pull *pull)
{
	pull->from = seam_queue(b, seam_cpu(b, walk->worker), true);
	pull->amount = 1;
	return pull->from != walk->worker && AO_load(&b->workers[pull->from].nr) > 1;
}

bool brain_busiest(struct brain *b, struct brain_walk *walk, struct brain_pull *pull)
{
	bool exists = true, found = false;

	pull->worker = walk->worker;
	if (!walk->started) {
		walk->started = true;
		if (ask_own_cpu(b, walk, pull))
			return true;
	}
	while (exists && !found) {
		found = ask_level(b, walk, &exists, pull);
		walk->depth++;
	}
	return found;
}

static void age_loads(struct brain *b, uint64_t now, uint32_t ticks)
{
	uint32_t slot, i;

	for (slot = 0; slot < b->machine.summary.cpus; slot++) {
		pthread_mutex_lock(&b->slots[slot].lock);
		for (i = 0; i < ticks; i++)
			sdpower_tick(b->sd, seam_cpu(b, slot), now);
		pthread_mutex_unlock(&b->slots[slot].lock);
	}
}

/* Tasks that wait behind another one, as far as published. */
static uint64_t waiting_tasks(const struct brain *b)
{
	uint64_t waiting = 0;
	uint32_t worker;

	for (worker = 0; worker < b->machine.summary.workers; worker++) {
		AO_t nr = AO_load(&b->workers[worker].nr);

		waiting += nr > 1 ? nr - 1 : 0;
	}
	return waiting;
}

static uint32_t note_sleepers(struct brain *b)
{
	uint32_t slot, cpu, count = 0;

	for (slot = 0; slot < b->machine.summary.cpus; slot++) {
		bool sleeps = AO_load(&b->workers[slot].state) == SEAM_SLEEPS;

		cpu = seam_cpu(b, slot);
		b->sleepers[cpu / 32] &= ~(UINT32_C(1) << cpu % 32);
		b->sleepers[cpu / 32] |= (uint32_t)sleeps << cpu % 32;
		count += sleeps;
	}
	return count;
}

/* The one that balances for all: better in a package that is in use than in one that sleeps. */
static uint32_t first_to_ask_for(struct brain *b)
{
	uint32_t words = (b->machine.topology.cpu_count + 31) / 32;
	struct sdpower_pick pick;

	if (sdpower_find_ilb(b->sd, seam_cpu(b, 0), b->sleepers, words, &pick) < 0 ||
	    pick.cpu == SDPOWER_CPU_NONE)
		return b->next_slot;
	return b->slot_of[pick.cpu];
}

static bool ask_for(struct brain *b, uint32_t slot, struct brain_pull *pull)
{
	struct brain_walk walk = { .worker = slot };

	if (AO_load(&b->workers[slot].state) != SEAM_SLEEPS || !brain_busiest(b, &walk, pull))
		return false;
	pull->worker = seam_claim(b, seam_cpu(b, slot));
	return pull->worker != BRAIN_NOBODY;
}

static uint32_t ask_for_sleepers(struct brain *b, struct brain_pull *pulls)
{
	uint64_t waiting = waiting_tasks(b), promised = 0;
	uint32_t asks, n = 0, slot;

	if (!waiting || !note_sleepers(b))
		return 0;
	slot = first_to_ask_for(b);
	for (asks = 0; asks < MAX_ASKS && asks < b->machine.summary.cpus; asks++) {
		if (n == BRAIN_PULLS || promised >= waiting)
			break;
		if (ask_for(b, slot, &pulls[n]))
			promised += pulls[n++].amount;
		slot = b->next_slot;
		b->next_slot = (b->next_slot + 1) % b->machine.summary.cpus;
	}
	return n;
}

uint32_t brain_tick(struct brain *b, uint64_t now, struct brain_pull pulls[BRAIN_PULLS])
{
	AO_t tick = (AO_t)(now >> TICK_SHIFT), passed = tick - AO_load(&b->tick);
	uint32_t n;

	if (!passed || !AO_compare_and_swap_full(&b->ticking, 0, 1))
		return 0;
	AO_store(&b->tick, tick);
	age_loads(b, now, passed < MAX_CATCH_UP ? (uint32_t)passed : MAX_CATCH_UP);
	n = ask_for_sleepers(b, pulls);
	AO_store_release(&b->ticking, 0);
	return n;
}
