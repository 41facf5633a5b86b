/* SPDX-License-Identifier: MIT */
/* Counters of the balance driver: reading, naming, clearing. */
#include "counters.h"
#include "state.h"
#include "../tree/view.h"

static const char *const names[] = {
#define SDPOWER_X(name, text) text,
	SDPOWER_PASS_COUNTER_LIST(SDPOWER_X)
#undef SDPOWER_X
};

const char *sdpower_pass_counter_name(uint32_t counter)
{
	return counter < SDPOWER_PASS_COUNTERS ? names[counter] : "unknown counter";
}

static void copy(const struct sdpower_i_counters *from, struct sdpower_counters *to)
{
	for (uint32_t kind = 0; kind < SDPOWER_PASS_KINDS; kind++)
		for (uint32_t i = 0; i < SDPOWER_PASS_COUNTERS; i++)
			to->pass[kind][i] = sdpower_i_load(&from->pass[kind][i]);
	to->pushes = sdpower_i_load(&from->push[SDPOWER_I_PUSH_TRIED]);
	to->pushes_failed = sdpower_i_load(&from->push[SDPOWER_I_PUSH_FAILED]);
	to->pushes_moved = sdpower_i_load(&from->push[SDPOWER_I_PUSH_MOVED]);
}

sdpower_status sdpower_get_counters(const struct sdpower *s, sdpower_cpu cpu, uint32_t depth,
	struct sdpower_counters *counters)
{
	uint32_t pos;

	if (!s || !counters || counters->struct_size != sizeof(*counters))
		return SDPOWER_EINVAL;
	if (!s->counters)
		return SDPOWER_ENOSYS;
	pos = sdpower_i_position(s, cpu);
	if (pos == SDPOWER_I_NONE16)
		return SDPOWER_ENOENT;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		const uint32_t levels = sdpower_i_depth(&v, pos);

		if (!sdpower_i_view_holds(&v))
			continue;
		if (depth >= levels)
			return SDPOWER_ENOENT;
		copy(sdpower_i_counters_at(s, pos, depth), counters);
		return SDPOWER_OK;
	}
	return SDPOWER_ESTALE;
}

void sdpower_i_counters_clear(const struct sdpower *s, uint32_t pos, uint32_t depth)
{
	struct sdpower_i_counters *c = sdpower_i_counters_at(s, pos, depth);

	if (!c)
		return;
	for (uint32_t kind = 0; kind < SDPOWER_PASS_KINDS; kind++)
		for (uint32_t i = 0; i < SDPOWER_PASS_COUNTERS; i++)
			sdpower_i_store(&c->pass[kind][i], 0);
	for (uint32_t i = 0; i < SDPOWER_I_PUSH_COUNTERS; i++)
		sdpower_i_store(&c->push[i], 0);
}
