/* SPDX-License-Identifier: MIT */
/* What the files of the state layer share with each other and with the decisions. */
#ifndef SDPOWER_I_STATE_H
#define SDPOWER_I_STATE_H

#include <sdpower/state.h>
#include "instance.h"

/* Position of a cpu number, or SDPOWER_I_NONE16 when there is no such cpu (or instance). */
static inline uint32_t sdpower_i_position(const struct sdpower *s, sdpower_cpu cpu)
{
	return cpu < s->forest.cpu_count ? s->forest.pos_of[cpu] : SDPOWER_I_NONE16;
}

/* What every call about one cpu begins with: is there such an instance, and such a cpu? */
static inline sdpower_status sdpower_i_find(const struct sdpower *s, sdpower_cpu cpu, uint32_t *pos)
{
	if (!s)
		return SDPOWER_EINVAL;
	*pos = sdpower_i_position(s, cpu);
	return *pos == SDPOWER_I_NONE16 ? SDPOWER_ENOENT : SDPOWER_OK;
}

static inline struct sdpower_i_record *sdpower_i_record_at(const struct sdpower *s, uint32_t pos)
{
	return &s->records[s->forest.block_at[pos]];
}

/* The last store of every publisher: what was summed is no longer the truth. */
static inline void sdpower_i_publish(const struct sdpower *s, uint32_t pos)
{
	sdpower_i_store_publish(&sdpower_i_record_at(s, pos)->serial, 0);
}

/* Load of a task of this cpu on average, 0 without tasks. */
static inline uint32_t sdpower_i_per_task(uint32_t load, uint32_t nr)
{
	return nr <= 1 ? (nr ? load : 0) : load / nr;
}

/* Loads as seen when work would come from there (low) or go there (high); index 0 = now. */
static inline uint32_t sdpower_i_source(const struct sdpower_i_slot *slot, uint32_t index,
	uint32_t load)
{
	uint32_t decayed;

	if (!index)
		return load;
	decayed = sdpower_i_load(&slot->cpu_load[index - 1]);
	return decayed < load ? decayed : load;
}

static inline uint32_t sdpower_i_target(const struct sdpower_i_slot *slot, uint32_t index,
	uint32_t load)
{
	uint32_t decayed;

	if (!index)
		return load;
	decayed = sdpower_i_load(&slot->cpu_load[index - 1]);
	return decayed > load ? decayed : load;
}

/* Most hosts never say so: then nobody reads the array. */
static inline void sdpower_i_set_outside(struct sdpower *s, uint32_t pos, uint32_t util,
	uint32_t capacity)
{
	sdpower_i_store(&s->outside[pos].util, util);
	sdpower_i_store(&s->outside[pos].capacity, capacity);
	if (util || capacity < SDPOWER_SCALE)
		sdpower_i_store(&s->outside_used, 1);
}

/* Adds the time since the last call to a kept signal and publishes it; nothing without one. */
void sdpower_i_keep_util(struct sdpower *s, uint32_t pos, uint64_t now_ns);

/* A cpu that looked for work stops: if it is the searcher that is named, another one is. */
void sdpower_i_pass_on_search(struct sdpower *s, uint32_t pos);

/* All slots as after init: idle, without load, nothing summed. */
void sdpower_i_state_reset(struct sdpower *s);

/* One step of the decayed loads toward `load`. */
void sdpower_i_decay(uint32_t cpu_load[5], uint32_t load);

/* Sums the block of a position again if this position is elected to; 1 = done. */
int sdpower_i_refresh(struct sdpower *s, uint32_t pos);

#endif
