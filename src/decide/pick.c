/* SPDX-License-Identifier: MIT */
/* The last word on every pick: inside affinity, allowed and online, or another, or none. */
#include "decide.h"

static int permitted(const struct sdpower_i_view *v, sdpower_cpu cpu,
	struct sdpower_i_mask affinity)
{
	return cpu < v->forest->cpu_count && sdpower_i_mask_has(affinity, cpu) &&
		sdpower_i_is_active(v, v->forest->pos_of[cpu]);
}

struct sdpower_pick sdpower_i_permitted(const struct sdpower_i_view *v,
	struct sdpower_pick pick, struct sdpower_i_mask affinity)
{
	if (SDPOWER_LIKELY(permitted(v, pick.cpu, affinity)))
		return pick;
	for (sdpower_cpu cpu = 0; cpu < v->forest->cpu_count; cpu++)
		if (permitted(v, cpu, affinity))
			return (struct sdpower_pick){ cpu, SDPOWER_REASON_AFFINITY };
	return (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU };
}
