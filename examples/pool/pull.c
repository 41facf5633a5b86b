/* SPDX-License-Identifier: MIT */
/* The questions of those that look for work, and the tick. */
#include "seam.h"

/* A tick is due every 2^20 ns, about the shortest balancing interval of a level (1 ms). */
#define TICK_SHIFT 20

/* The library counts in load; the first task is wanted whole, the others as far as they fit. */
static uint32_t tasks_of(uint64_t imbalance)
{
	uint64_t tasks = imbalance / SDPOWER_SCALE;

	if (!tasks)
		return 1;
	return tasks < UINT32_MAX ? (uint32_t)tasks : UINT32_MAX;
}

uint32_t brain_levels(const struct brain *b, uint32_t worker)
{
	struct sdpower_domain domain;
	uint32_t level = 0;

	while (sdpower_domain_at(b->sd, seam_cpu(b, worker), level, &domain) == SDPOWER_OK)
		level++;
	return level;
}

/* A pool moves tasks that wait; what is about running ones is for hosts that can stop them. */
static bool is_about_queues(uint32_t kind)
{
	return kind == SDPOWER_PULL_TASK || kind == SDPOWER_PULL_LOAD;
}

bool brain_busiest(const struct brain *b, uint32_t worker, uint32_t level, struct brain_pull *pull)
{
	struct sdpower_busiest_request request = {
		.struct_size = sizeof(request), .cpu = seam_cpu(b, worker), .depth = level,
		.idle = SDPOWER_CPU_NEWLY_IDLE,
	};
	struct sdpower_busiest answer = { .struct_size = sizeof(answer) };

	if (sdpower_find_busiest_group(b->sd, &request, &answer) < 0 ||
	    !is_about_queues(answer.kind))
		return false;
	pull->from = seam_longest(b, answer.from);
	pull->amount = tasks_of(answer.imbalance);
	return true;
}

uint32_t brain_nr(const struct brain *b, uint32_t worker)
{
	return (uint32_t)AO_load(&b->workers[worker].nr);
}

uint32_t brain_half(const struct brain *b, uint32_t worker)
{
	const uint32_t half = brain_nr(b, worker) / 2;

	return half ? half : 1;
}

bool brain_beside(const struct brain *b, uint32_t worker, struct brain_pull *pull)
{
	pull->from = seam_longest(b, seam_cpu(b, worker));
	pull->amount = brain_half(b, pull->from);
	return pull->from != worker && AO_load(&b->workers[pull->from].nr) > 1;
}

/* The native rules read no decayed loads: what counts is that sums are brought up to date. */
static void tick_all(struct brain *b, uint64_t now)
{
	uint32_t slot;

	for (slot = 0; slot < b->machine.summary.cpus; slot++) {
		pthread_mutex_lock(&b->slots[slot].lock);
		sdpower_tick(b->sd, seam_cpu(b, slot), now);
		pthread_mutex_unlock(&b->slots[slot].lock);
	}
}

bool brain_tick(struct brain *b, uint64_t now)
{
	AO_t tick = (AO_t)(now >> TICK_SHIFT);

	if (tick == AO_load(&b->tick) || !AO_compare_and_swap_full(&b->ticking, 0, 1))
		return false;
	AO_store(&b->tick, tick);
	tick_all(b, now);
	AO_store_release(&b->ticking, 0);
	return true;
}
