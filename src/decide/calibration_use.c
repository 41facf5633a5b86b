/* SPDX-License-Identifier: MIT */
/* A calibration in use: its times replace the one migration cost wherever a distance is known. */
#include "calibration.h"
#include "../state/costs.h"
#include "../state/state.h"
#include "../tree/view.h"

static void forget(struct sdpower *s)
{
	sdpower_i_store(&s->costs.valid, 0);
	s->costs.signature = 0;
	for (uint32_t i = 0; i < SDPOWER_I_DISTANCES; i++) {
		sdpower_i_store(&s->costs.hot[i], 0);
		sdpower_i_store(&s->costs.cost[i], 0);
	}
}

sdpower_status sdpower_calibration_use(sdpower *s, const struct sdpower_calibration *calibration)
{
	uint64_t signature;
	sdpower_status status;

	if (!s || (calibration && !sdpower_i_calibration_is_good(calibration)))
		return SDPOWER_EINVAL;
	if (!calibration) {
		forget(s);
		return SDPOWER_OK;
	}
	status = sdpower_domain_signature(s, &signature);
	if (status == SDPOWER_OK && signature != calibration->signature)
		status = SDPOWER_ESTALE;
	if (status != SDPOWER_OK)
		return status;
	forget(s);
	for (uint32_t i = 0; i < calibration->count && i < SDPOWER_I_DISTANCES; i++) {
		const struct sdpower_calibration_distance *d = &calibration->distance[i];

		if (d->flags & SDPOWER_CALIBRATION_DEFAULTED)
			continue;
		sdpower_i_store(&s->costs.hot[i], sdpower_i_word_of_ns(d->hot_ns));
		sdpower_i_store(&s->costs.cost[i], sdpower_i_word_of_ns(d->cost_ns));
	}
	s->costs.signature = signature;
	sdpower_i_store(&s->costs.valid, 1);
	return SDPOWER_OK;
}

sdpower_status sdpower_migration_times(const sdpower *s, sdpower_cpu cpu, uint32_t depth,
	uint32_t *cost_ns, uint32_t *hot_ns)
{
	uint32_t pos;
	const sdpower_status status = sdpower_i_find(s, cpu, &pos);
	struct sdpower_i_view v;

	if (status)
		return status;
	v = sdpower_i_view_of(&s->forest);
	if (depth >= sdpower_i_depth(&v, pos))
		return SDPOWER_ENOENT;
	if (cost_ns)
		*cost_ns = sdpower_i_time_of(s, s->costs.cost, depth);
	if (hot_ns)
		*hot_ns = sdpower_i_hot_ns(s, depth);
	return sdpower_i_view_holds(&v) ? SDPOWER_OK : SDPOWER_ESTALE;
}
