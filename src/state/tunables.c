/* SPDX-License-Identifier: MIT */
/* Tunables of the native rules: defaults, ranges, and changing them while questions go on. */
#include "tunables.h"

/* One tunable: where it lies in both structs, its default and its range. */
struct tunable {
	size_t from, to;
	uint32_t otherwise, least, most;
};

#define TUNABLE(name, otherwise, least, most) { offsetof(struct sdpower_tunables, name), \
	offsetof(struct sdpower_i_tuning, name), (otherwise), (least), (most) }

static const struct tunable table[] = {
	TUNABLE(fill_percent, 80, 1, 100),
	TUNABLE(spread_percent, 95, 1, 100),
	TUNABLE(fit_percent, 80, 1, 100),
	TUNABLE(dwell_us, 32000, 1, UINT32_MAX),
	TUNABLE(latency_bound_us, 10000, 1, UINT32_MAX),
	TUNABLE(smt_percent, 128, 100, 200),
};

#define TUNABLES (sizeof(table) / sizeof(table[0]))

static uint32_t value_of(const struct tunable *t, const struct sdpower_tunables *given)
{
	uint32_t value;

	if (!given)
		return t->otherwise;
	memcpy(&value, (const char *)given + t->from, sizeof(value));
	return value ? value : t->otherwise;
}

static uint32_t *word_of(const struct tunable *t, struct sdpower_i_tuning *tuning)
{
	return (uint32_t *)(void *)((char *)tuning + t->to);
}

sdpower_status sdpower_i_check_tunables(const struct sdpower_tunables *given)
{
	if (!given)
		return SDPOWER_OK;
	if (given->struct_size != sizeof(*given) || given->reserved)
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < TUNABLES; i++) {
		const uint32_t value = value_of(&table[i], given);

		if (value < table[i].least || value > table[i].most)
			return SDPOWER_ERANGE;
	}
	return value_of(&table[1], given) < value_of(&table[0], given) ? SDPOWER_ERANGE :
		SDPOWER_OK;
}

void sdpower_i_tune(struct sdpower *s, const struct sdpower_tunables *given)
{
	for (uint32_t i = 0; i < TUNABLES; i++)
		sdpower_i_store(word_of(&table[i], &s->tuning), value_of(&table[i], given));
	for (uint32_t b = 0; b < s->forest.block_count; b++)
		sdpower_i_store_publish(&s->records[b].serial, 0);
}

sdpower_status sdpower_set_tunables(struct sdpower *s, const struct sdpower_tunables *tunables)
{
	const sdpower_status status = s && tunables ? sdpower_i_check_tunables(tunables) :
		SDPOWER_EINVAL;

	if (status == SDPOWER_OK)
		sdpower_i_tune(s, tunables);
	return status;
}

sdpower_status sdpower_get_tunables(const struct sdpower *s, struct sdpower_tunables *tunables)
{
	if (!s || !tunables || tunables->struct_size != sizeof(*tunables))
		return SDPOWER_EINVAL;
	*tunables = (struct sdpower_tunables){ .struct_size = sizeof(*tunables),
		.fill_percent = sdpower_i_load(&s->tuning.fill_percent),
		.spread_percent = sdpower_i_load(&s->tuning.spread_percent),
		.fit_percent = sdpower_i_load(&s->tuning.fit_percent),
		.dwell_us = sdpower_i_load(&s->tuning.dwell_us),
		.latency_bound_us = sdpower_i_load(&s->tuning.latency_bound_us),
		.smt_percent = sdpower_i_load(&s->tuning.smt_percent) };
	return SDPOWER_OK;
}

/* An active unit cannot use less than an idle one. */
sdpower_status sdpower_i_check_energy(const struct sdpower_energy *e)
{
	if (!e)
		return SDPOWER_OK;
	if (e->struct_size != sizeof(*e) || e->reserved)
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++)
		if (e->row[i].active < e->row[i].idle || e->row[i].active > SDPOWER_ENERGY_MOST ||
				e->row[i].wake_us > SDPOWER_ENERGY_MOST)
			return SDPOWER_ERANGE;
	return SDPOWER_OK;
}
