/* SPDX-License-Identifier: MIT */
/* Going idle and waking: the status of a slot, its idle stamps, the average idle period. */
#include "state.h"

static uint64_t idle_start(const struct sdpower_i_slot *slot)
{
	return (uint64_t)slot->stamp_high << 32 | slot->stamp_low;
}

static void set_idle_start(struct sdpower_i_slot *slot, uint64_t now_ns)
{
	sdpower_i_store(&slot->stamp_low, (uint32_t)now_ns);
	sdpower_i_store(&slot->stamp_high, (uint32_t)(now_ns >> 32));
	sdpower_i_store(&slot->idle_since, (uint32_t)(now_ns >> 10));
}

/* How long the cpu was idle; what cannot be is clamped and counted, never believed. */
static uint32_t idle_period(struct sdpower_i_slot *slot, uint64_t now_ns)
{
	uint64_t start = idle_start(slot);

	if (now_ns >= start && now_ns - start <= UINT32_MAX)
		return (uint32_t)(now_ns - start);
	sdpower_i_store(&slot->clamped, slot->clamped + 1);
	return now_ns < start ? 0 : UINT32_MAX;
}

/*
 * avg += (sample - avg) / 8, toward zero: differences below 8 ns change nothing. The cap
 * keeps one long sleep from making every later search look cheap.
 */
static void add_sample(const struct sdpower *s, struct sdpower_i_slot *slot, uint32_t sample)
{
	uint32_t cap = s->migration_cost_ns > UINT32_MAX / 2 ? UINT32_MAX : 2 * s->migration_cost_ns;
	uint32_t avg = slot->avg_idle;

	if (sample >= avg)
		avg += (sample - avg) / 8;
	else
		avg -= (avg - sample) / 8;
	sdpower_i_store(&slot->avg_idle, avg < cap ? avg : cap);
}

/* A small cpu that is always busy does the share of the largest that its capacity is. */
void sdpower_i_keep_util(struct sdpower *s, uint32_t pos, uint64_t now_ns)
{
	struct sdpower_i_slot *slot = &s->slots[pos];

	if (!s->utils)
		return;
	(void)sdpower_util_add(&s->utils[pos], now_ns,
		sdpower_i_load(&slot->status) == SDPOWER_I_RUNNING);
	sdpower_i_store(&slot->util, sdpower_util_share(&s->utils[pos]) * s->forest.capacity[pos] /
		SDPOWER_SCALE);
	sdpower_i_store(&slot->has_util, 1);
}

sdpower_status sdpower_idle_enter(struct sdpower *s, sdpower_cpu cpu, uint64_t now_ns)
{
	struct sdpower_i_slot *slot;
	uint32_t pos, before;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	slot = &s->slots[pos];
	sdpower_i_keep_util(s, pos, now_ns);
	before = sdpower_i_load(&slot->status);
	if (before == SDPOWER_I_RUNNING || before == SDPOWER_I_SEARCHING)
		set_idle_start(slot, now_ns);
	sdpower_i_store(&slot->status, SDPOWER_I_IDLE);
	sdpower_i_publish(s, pos);
	if (before == SDPOWER_I_SEARCHING)
		sdpower_i_pass_on_search(s, pos);
	(void)sdpower_i_refresh(s, pos);
	return SDPOWER_OK;
}

sdpower_status sdpower_idle_exit(struct sdpower *s, sdpower_cpu cpu, uint64_t now_ns)
{
	struct sdpower_i_slot *slot;
	uint32_t pos, before;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	slot = &s->slots[pos];
	before = sdpower_i_load(&slot->status);
	if (before == SDPOWER_I_RUNNING)
		return SDPOWER_OK;
	if (before == SDPOWER_I_SEARCHING)
		return sdpower_search_end(s, cpu);
	sdpower_i_keep_util(s, pos, now_ns);
	add_sample(s, slot, idle_period(slot, now_ns));
	sdpower_i_store(&slot->status, SDPOWER_I_RUNNING);
	sdpower_i_publish(s, pos);
	return SDPOWER_OK;
}
