/* SPDX-License-Identifier: MIT */
/* When a level of a chain adds nothing (docs/POLICY.md B10, B12). */
#include "degenerate.h"

#include <sdpower/types.h>

int sdpower_i_degenerate(const struct sdpower_i_pruning *rules, const struct sdpower_i_shape *d)
{
	if (d->weight == 1)
		return 1;
	if ((d->flags & rules->need_groups) && d->groups >= 2)
		return 0;
	return !(d->flags & rules->wake_flags);
}

int sdpower_i_parent_degenerate(const struct sdpower_i_pruning *rules,
	const struct sdpower_i_shape *d, const struct sdpower_i_shape *parent)
{
	uint32_t matter = parent->flags;

	if (sdpower_i_degenerate(rules, parent))
		return 1;
	if (d->weight != parent->weight)
		return 0;
	if (d->flags & SDPOWER_SD_WAKE_AFFINE)
		matter &= ~(uint32_t)SDPOWER_SD_WAKE_BALANCE;
	if (parent->groups == 1) {
		matter &= ~rules->need_groups;
		if (rules->node_ids == 1)
			matter &= ~(uint32_t)SDPOWER_SD_SERIALIZE;
		if (rules->ignore_savings)
			matter &= ~(uint32_t)SDPOWER_SD_POWERSAVINGS;
	}
	return !(matter & ~d->flags);
}
