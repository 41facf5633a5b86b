/* SPDX-License-Identifier: MIT */
/* Rule W8: the previous cpu is left only for a gain of energy that is worth it. */
#include "native_wake.h"

/* E(previous) - E(other) must exceed this part of E(previous): the margin of EAS. */
#define MARGIN 16u
/* Powers are cut to this, so that sums and products fit 64 bits. */
#define POWER_MAX (UINT64_C(1) << 36)

static int in_use(const struct sdpower_i_seek *q, uint32_t pos)
{
	return sdpower_i_is_active(q->view, pos) && !sdpower_i_unused(q->s, pos);
}

/* True iff a cpu of the same unit runs, or will: the positions of a unit are neighbours. */
static int unit_in_use(const struct sdpower_i_seek *q, uint32_t pos, const uint16_t *unit)
{
	const uint32_t count = q->view->forest->cpu_count;

	if (unit && unit[pos] == SDPOWER_I_NONE16)
		return in_use(q, pos);
	for (uint32_t at = pos; at < count && (!unit || unit[at] == unit[pos]); at++)
		if (in_use(q, at))
			return 1;
	for (uint32_t at = pos; at-- > 0 && (!unit || unit[at] == unit[pos]);)
		if (in_use(q, at))
			return 1;
	return 0;
}

/* What runs a little longer because of it, and what has to wake, spread over the dwell time. */
static uint64_t cost_of(const struct sdpower_i_seek *q, enum sdpower_energy_unit kind)
{
	const struct sdpower_energy_row *row = &q->s->energy.row[kind];
	const uint64_t wake = (uint64_t)row->active * row->wake_us /
		sdpower_i_load(&q->s->tuning.dwell_us);

	return (row->active - row->idle) + (wake < POWER_MAX ? wake : POWER_MAX);
}

/* Power that it takes to have something run there too. Units nest: the first in use ends it. */
static uint64_t cost_to_run(const struct sdpower_i_seek *q, uint32_t pos)
{
	const uint16_t *const *key = q->view->forest->key;
	const uint16_t *const units[SDPOWER_ENERGY_UNITS] = {
		[SDPOWER_ENERGY_CORE] = key[SDPOWER_I_KEY_CORE],
		[SDPOWER_ENERGY_CACHE] = key[SDPOWER_I_KEY_LLC],
		[SDPOWER_ENERGY_PACKAGE] = key[SDPOWER_I_KEY_PACKAGE],
		[SDPOWER_ENERGY_MACHINE] = NULL,
	};
	uint64_t cost;

	if (in_use(q, pos))
		return 0;
	cost = cost_of(q, SDPOWER_ENERGY_THREAD);
	for (uint32_t kind = SDPOWER_ENERGY_CORE; kind < SDPOWER_ENERGY_UNITS; kind++) {
		if (unit_in_use(q, pos, units[kind]))
			break;
		cost += cost_of(q, (enum sdpower_energy_unit)kind);
	}
	return cost;
}

int sdpower_i_pays_to_leave(const struct sdpower_i_seek *q, uint32_t prev, uint32_t other)
{
	uint64_t here, there;

	if (!q->s->energy.struct_size)
		return 1;
	here = cost_to_run(q, prev);
	there = cost_to_run(q, other);
	return here > there && here - there > here / MARGIN;
}
