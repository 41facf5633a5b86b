/* SPDX-License-Identifier: MIT */
/*
 * Energy per unit of work, before and after a packing: power of all units by the table, over the
 * rate at which work gets done. Threads of a core slow each other down, so a packing that lowers
 * power may still take more energy for the same work (docs/POLICY.md, P6).
 */
#include "native_energy.h"

#define NO_UNIT UINT32_MAX
/* Threads of a core that the topology does not name get numbers beyond all that it does. */
#define OWN_UNIT 0x10000u
/* Powers are cut to this, so that a product with a rate fits 64 bits. */
#define POWER_MAX (UINT64_C(1) << 36)

/*
 * Without a table: 2 packages of 8 cores with 2 threads, fitted to the 12 average powers of
 * spinning tasks that were published with the 2013 series (root mean square error 5 W of 174 to
 * 395), in tenths of a watt. What the rest of that machine draws (144 W) is left out: it says
 * nothing of other machines, and refuses any sharing of cores when it is counted.
 */
static const struct sdpower_energy_row usual[SDPOWER_ENERGY_UNITS] = {
	[SDPOWER_ENERGY_THREAD] = { 0, 13, 0 },
	[SDPOWER_ENERGY_CORE] = { 0, 104, 0 },
	[SDPOWER_ENERGY_PACKAGE] = { 0, 206, 0 },
};

struct sdpower_i_use sdpower_i_no_use(void)
{
	struct sdpower_i_use use = { .demand = 0 };

	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++)
		use.last[i] = use.last_active[i] = NO_UNIT;
	return use;
}

static uint32_t unit_of(const struct sdpower_i_forest *f, uint32_t pos, uint32_t kind)
{
	switch (kind) {
	case SDPOWER_ENERGY_THREAD:
		return pos;
	case SDPOWER_ENERGY_CORE:
		return f->key[SDPOWER_I_KEY_CORE][pos] == SDPOWER_I_NONE16 ? OWN_UNIT + pos :
			f->key[SDPOWER_I_KEY_CORE][pos];
	case SDPOWER_ENERGY_CACHE:
		return f->key[SDPOWER_I_KEY_LLC][pos];
	case SDPOWER_ENERGY_PACKAGE:
		return f->key[SDPOWER_I_KEY_PACKAGE][pos];
	default:
		return 0;
	}
}

/* Positions follow the topology, so the cpus of a unit come one after the other. */
static void count(uint32_t *units, uint32_t *last, uint32_t unit)
{
	*units += unit != *last;
	*last = unit;
}

void sdpower_i_use_add(const struct sdpower_i_native_search *q, uint32_t group,
	struct sdpower_i_use *use)
{
	const struct sdpower_i_group g = sdpower_i_get_group(q->view, group);
	struct sdpower_i_walk walk = sdpower_i_walk_of(q->view, g.run, g.runs);
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);

		for (uint32_t kind = 0; kind < SDPOWER_ENERGY_UNITS; kind++) {
			const uint32_t unit = unit_of(&q->s->forest, pos, kind);

			count(&use->units[kind], &use->last[kind], unit);
			if (c.nr)
				count(&use->active[kind], &use->last_active[kind], unit);
		}
		if (!c.nr)
			continue;
		use->demand += c.util < c.capacity ? c.util : c.capacity;
		use->capacity += c.capacity;
	}
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

static uint64_t power_of(const struct sdpower_energy_row *row, const uint32_t *units,
	const uint32_t *active)
{
	uint64_t power = 0;

	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++)
		power += (uint64_t)units[i] * row[i].idle +
			(uint64_t)active[i] * (row[i].active - row[i].idle);
	return power;
}

/* Waking must pay off within the time that a mode lasts at least. */
static uint64_t power_to_wake(const struct sdpower_energy_row *row, const uint32_t *woken,
	uint32_t dwell_us)
{
	uint64_t power = 0;

	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++)
		power += woken[i] * ((uint64_t)row[i].active * row[i].wake_us / dwell_us);
	return power;
}

/*
 * Work done, as if the demand were spread evenly over the threads in use. A thread beyond the
 * first of its core costs what two such threads want more than a core with two can do.
 */
static uint64_t rate_of(const struct sdpower_i_use *use, uint32_t smt_percent)
{
	const uint64_t threads = use->active[SDPOWER_ENERGY_THREAD];
	const uint64_t cores = use->active[SDPOWER_ENERGY_CORE];
	const uint64_t wanted = 200 * use->demand, given = smt_percent * use->capacity;

	if (!threads || threads <= cores || wanted <= given)
		return use->demand;
	return use->demand - at_most((wanted - given) / 100 * (threads - cores) / threads,
		use->demand);
}

int sdpower_i_saves_energy(const struct sdpower *s, const struct sdpower_i_use *before,
	const struct sdpower_i_use *after, const uint32_t woken[SDPOWER_ENERGY_UNITS])
{
	const struct sdpower_energy_row *row = s->energy.struct_size ? s->energy.row : usual;
	const uint32_t smt_percent = sdpower_i_load(&s->tuning.smt_percent);
	uint64_t power = power_of(row, before->units, before->active);
	uint64_t less = power_of(row, before->units, after->active) +
		power_to_wake(row, woken, sdpower_i_load(&s->tuning.dwell_us));

	while (power > POWER_MAX || less > POWER_MAX) {
		power >>= 1;
		less >>= 1;
	}
	return less * rate_of(before, smt_percent) < power * rate_of(after, smt_percent);
}
