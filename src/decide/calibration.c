/* SPDX-License-Identifier: MIT */
/* A calibration as data: defaults, names, and its times by distance (rule M14). */
#include "calibration.h"

const char *sdpower_calibration_flag_name(uint32_t flag)
{
	switch (flag) {
#define SDPOWER_X(name, bit, text) case bit: return text;
	SDPOWER_CALIBRATION_FLAG_LIST(SDPOWER_X)
#undef SDPOWER_X
	default:
		return "?";
	}
}

sdpower_status sdpower_calibration_start(struct sdpower_calibration *calibration, uint32_t count,
	uint64_t default_ns)
{
	if (!calibration || calibration->struct_size != sizeof(*calibration))
		return SDPOWER_EINVAL;
	if (count > SDPOWER_MIGRATION_DISTANCES)
		return SDPOWER_ERANGE;
	*calibration = (struct sdpower_calibration) { .struct_size = sizeof(*calibration),
		.flags = count ? SDPOWER_CALIBRATION_DEFAULTED : 0, .count = count, .percent = 100 };
	for (uint32_t i = 0; i < count; i++) {
		struct sdpower_calibration_distance *d = &calibration->distance[i];

		d->flags = SDPOWER_CALIBRATION_DEFAULTED;
		d->cpu = d->other = SDPOWER_CPU_NONE;
		d->hot_ns = default_ns ? default_ns : SDPOWER_CALIBRATION_DEFAULT_NS;
	}
	return SDPOWER_OK;
}

int sdpower_i_calibration_is_good(const struct sdpower_calibration *c)
{
	return c && c->struct_size == sizeof(*c) && c->count <= SDPOWER_MIGRATION_DISTANCES;
}

sdpower_status sdpower_calibration_costs(const struct sdpower_calibration *calibration,
	struct sdpower_migration_costs *costs)
{
	if (!sdpower_i_calibration_is_good(calibration) || !costs)
		return SDPOWER_EINVAL;
	(void)sdpower_migration_start(costs, SDPOWER_MIGRATION_UNMEASURED);
	for (uint32_t i = 0; i < calibration->count; i++) {
		const uint64_t hot_ns = calibration->distance[i].hot_ns;

		costs->cost_ns[i] = hot_ns > INT64_MAX ? INT64_MAX : (int64_t)hot_ns;
		costs->max_distance = i;
	}
	return SDPOWER_OK;
}
