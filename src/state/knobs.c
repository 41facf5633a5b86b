/* SPDX-License-Identifier: MIT */
/* The short forms of sdpower_apply, and reading the knobs. */
#include "instance.h"

#include "../tree/view.h"

#include <sdpower/instance.h>

sdpower_status sdpower_set_knobs(sdpower *s, uint32_t mc, uint32_t smt)
{
	const struct sdpower_change change = { .struct_size = sizeof(change),
		.flags = SDPOWER_CHANGE_KNOBS, .mc = mc, .smt = smt };

	return sdpower_apply(s, &change, NULL);
}

sdpower_status sdpower_set_level(sdpower *s, uint32_t level)
{
	switch (level) {
	case SDPOWER_PERFORMANCE: return sdpower_set_knobs(s, 0, 0);
	case SDPOWER_BALANCED: return sdpower_set_knobs(s, 2, 0);
	case SDPOWER_POWERSAVE: return sdpower_set_knobs(s, 2, 2);
	default: return SDPOWER_EINVAL;
	}
}

sdpower_status sdpower_get_knobs(const sdpower *s, uint32_t *mc, uint32_t *smt)
{
	struct sdpower_i_view v;

	if (!s || !mc || !smt)
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		v = sdpower_i_view_of(&s->forest);
		*mc = sdpower_i_load(&v.tree->mc);
		*smt = sdpower_i_load(&v.tree->smt);
		if (sdpower_i_view_holds(&v))
			return SDPOWER_OK;
	}
	return SDPOWER_ESTALE;
}

sdpower_status sdpower_set_online(sdpower *s, const uint32_t *mask, uint32_t words)
{
	const struct sdpower_change change = { .struct_size = sizeof(change),
		.flags = SDPOWER_CHANGE_ONLINE, .online = mask, .words = words };

	return sdpower_apply(s, &change, NULL);
}

sdpower_status sdpower_set_allowed(sdpower *s, const uint32_t *mask, uint32_t words)
{
	const struct sdpower_change change = { .struct_size = sizeof(change),
		.flags = SDPOWER_CHANGE_ALLOWED, .allowed = mask, .words = words };

	return sdpower_apply(s, &change, NULL);
}

sdpower_status sdpower_set_partitions(sdpower *s, uint32_t count, const uint32_t *masks,
	uint32_t words)
{
	const struct sdpower_change change = { .struct_size = sizeof(change),
		.flags = SDPOWER_CHANGE_PARTITIONS, .partitions = masks, .partition_count = count,
		.words = words };

	return sdpower_apply(s, &change, NULL);
}
