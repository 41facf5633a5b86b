/* SPDX-License-Identifier: MIT */
/* Slots: publishing a load, and reading or writing the whole state of a cpu. */
#include "state.h"

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

void sdpower_i_state_reset(struct sdpower *s)
{
	uint32_t cap = s->migration_cost_ns > UINT32_MAX / 2 ? UINT32_MAX : 2 * s->migration_cost_ns;

	for (uint32_t pos = 0; pos < s->forest.cpu_count; pos++) {
		struct sdpower_i_slot *slot = &s->slots[pos];

		*slot = (struct sdpower_i_slot){ .status = SDPOWER_I_IDLE, .avg_idle = cap };
		s->outside[pos] = (struct sdpower_i_outside){ .capacity = SDPOWER_SCALE };
		if (s->balancers)
			s->balancers[pos] = (struct sdpower_i_balancer){ .push = { SDPOWER_I_NONE16,
				SDPOWER_I_NONE16, SDPOWER_I_NONE16 } };
		s->epochs[pos] = 1; /* not that of the records: their owner starts them */
	}
	s->searcher = SDPOWER_CPU_NONE;
	for (uint32_t b = 0; b < s->forest.block_count; b++) {
		s->records[b] = (struct sdpower_i_record){ .serial = 0 };
		s->rests[b] = (struct sdpower_i_record_rest){ .reserved = { 0 } };
	}
}

sdpower_status sdpower_set_load(struct sdpower *s, sdpower_cpu cpu, uint32_t nr, uint32_t load)
{
	struct sdpower_i_slot *slot;
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	slot = &s->slots[pos];
	sdpower_i_store(&slot->load, at_most(load, SDPOWER_LOAD_MAX));
	sdpower_i_store(&slot->nr, at_most(nr, SDPOWER_NR_MAX));
	if (sdpower_i_load(&slot->status) == SDPOWER_I_CLAIMED)
		sdpower_i_store(&slot->status, SDPOWER_I_IDLE);
	sdpower_i_publish(s, pos);
	return SDPOWER_OK;
}

/* A stored word and whether it counts; unknown is not 0. */
static void store_util(struct sdpower_i_slot *slot, uint32_t util, uint32_t known)
{
	sdpower_i_store(&slot->util, known ? at_most(util, SDPOWER_LOAD_MAX) : 0);
	sdpower_i_store(&slot->has_util, known);
}

sdpower_status sdpower_set_util(struct sdpower *s, sdpower_cpu cpu, uint32_t util)
{
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	if (s->utils)
		return SDPOWER_EBUSY;
	store_util(&s->slots[pos], util, util != UINT32_MAX);
	sdpower_i_publish(s, pos);
	return SDPOWER_OK;
}

sdpower_status sdpower_get_cpu(const struct sdpower *s, sdpower_cpu cpu,
	struct sdpower_cpu_state *state)
{
	const struct sdpower_i_slot *slot;
	uint32_t pos;

	if (!s || !state || state->struct_size != sizeof(*state))
		return SDPOWER_EINVAL;
	pos = sdpower_i_position(s, cpu);
	if (pos == SDPOWER_I_NONE16)
		return SDPOWER_ENOENT;
	slot = &s->slots[pos];
	state->nr = sdpower_i_load(&slot->nr);
	state->load = sdpower_i_load(&slot->load);
	state->activity = sdpower_i_load(&slot->status);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		state->cpu_load[k] = sdpower_i_load(&slot->cpu_load[k]);
	state->avg_idle_ns = sdpower_i_load(&slot->avg_idle);
	state->idle_since_ns = state->activity == SDPOWER_I_RUNNING ? 0 :
		(uint64_t)sdpower_i_load(&slot->stamp_high) << 32 | sdpower_i_load(&slot->stamp_low);
	state->clamped = sdpower_i_load(&slot->clamped);
	state->outside_util = sdpower_i_load(&s->outside[pos].util);
	state->outside_capacity = sdpower_i_load(&s->outside[pos].capacity);
	state->util = sdpower_i_load(&slot->util);
	state->has_util = sdpower_i_load(&slot->has_util);
	state->reserved = 0;
	return SDPOWER_OK;
}

static sdpower_status check_state(const struct sdpower_cpu_state *state)
{
	if (!state || state->struct_size != sizeof(*state) || state->reserved)
		return SDPOWER_EINVAL;
	if (state->nr > SDPOWER_NR_MAX || state->load > SDPOWER_LOAD_MAX ||
	    state->activity > SDPOWER_CPU_IS_SEARCHING || state->util > SDPOWER_LOAD_MAX ||
	    state->has_util > 1 || state->outside_util > SDPOWER_SCALE ||
	    state->outside_capacity > SDPOWER_SCALE)
		return SDPOWER_ERANGE;
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		if (state->cpu_load[k] > SDPOWER_LOAD_MAX)
			return SDPOWER_ERANGE;
	return SDPOWER_OK;
}

sdpower_status sdpower_set_cpu(struct sdpower *s, sdpower_cpu cpu,
	const struct sdpower_cpu_state *state)
{
	struct sdpower_i_slot *slot;
	sdpower_status status = s ? check_state(state) : SDPOWER_EINVAL;
	uint32_t pos;

	if (status)
		return status;
	pos = sdpower_i_position(s, cpu);
	if (pos == SDPOWER_I_NONE16)
		return SDPOWER_ENOENT;
	slot = &s->slots[pos];
	sdpower_i_store(&slot->nr, state->nr);
	sdpower_i_store(&slot->load, state->load);
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++)
		sdpower_i_store(&slot->cpu_load[k], state->cpu_load[k]);
	sdpower_i_store(&slot->avg_idle, state->avg_idle_ns);
	sdpower_i_store(&slot->stamp_low, (uint32_t)state->idle_since_ns);
	sdpower_i_store(&slot->stamp_high, (uint32_t)(state->idle_since_ns >> 32));
	sdpower_i_store(&slot->idle_since, (uint32_t)(state->idle_since_ns >> 10));
	sdpower_i_store(&slot->clamped, state->clamped);
	store_util(slot, state->util, state->has_util);
	sdpower_i_store(&slot->status, state->activity);
	if (state->activity == SDPOWER_CPU_IS_SEARCHING)
		sdpower_i_store(&s->searcher, cpu);
	sdpower_i_set_outside(s, pos, state->outside_util, state->outside_capacity);
	sdpower_i_publish(s, pos);
	return SDPOWER_OK;
}
