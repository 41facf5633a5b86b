/* SPDX-License-Identifier: MIT */
/* The tick: decayed loads, ageing of idle stamps, renewal of the block's sums. */
#include "state.h"

/* Readers compare shared stamps modulo 2^32; half of that (37 minutes) is never exceeded. */
#define OLDEST_AGE 0x80000000u

/*
 * cpu_load[k] keeps 1 - 1/2^k of its old value. A rising load rounds up, so that every
 * index reaches it; a falling one rounds down, so that every index reaches 0. No step
 * leaves 32 bits: (2^28 - 1) * 15 + (2^28 - 1) + 15 < 2^32.
 */
void sdpower_i_decay(uint32_t cpu_load[5], uint32_t load)
{
	for (uint32_t k = 0; k < SDPOWER_LOAD_INDICES; k++) {
		uint32_t scale = 1u << k, old = cpu_load[k];
		uint32_t fresh = load > old ? load + scale - 1 : load;

		sdpower_i_store(&cpu_load[k], (old * (scale - 1) + fresh) >> k);
	}
}

/* An idle period longer than the shared stamp can say stays "as old as can be". */
static void age_idle_stamp(struct sdpower_i_slot *slot, uint64_t now_ns)
{
	uint64_t start = (uint64_t)slot->stamp_high << 32 | slot->stamp_low;

	if (now_ns >= start && (now_ns - start) >> 10 > OLDEST_AGE)
		sdpower_i_store(&slot->idle_since, (uint32_t)(now_ns >> 10) - OLDEST_AGE);
}

sdpower_status sdpower_tick(struct sdpower *s, sdpower_cpu cpu, uint64_t now_ns)
{
	struct sdpower_i_slot *slot;
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);

	if (status)
		return status;
	slot = &s->slots[pos];
	sdpower_i_decay(slot->cpu_load, slot->load);
	sdpower_i_keep_util(s, pos, now_ns);
	if (sdpower_i_load(&slot->status) != SDPOWER_I_RUNNING)
		age_idle_stamp(slot, now_ns);
	sdpower_i_publish(s, pos);
	(void)sdpower_i_refresh(s, pos);
	return SDPOWER_OK;
}
