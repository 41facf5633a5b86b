/* SPDX-License-Identifier: MIT */
/* Attaching a chain: levels that add nothing go, and hand on what they stood for (B11, B12). */
#include "build.h"

#include <sdpower/instance.h>

/* What a dropped parent leaves behind. */
static void hand_on(const struct sdpower_i_forest *f, const struct sdpower_i_shape *dropped,
	struct sdpower_i_shape *below, struct sdpower_i_shape *above)
{
	if (f->tree_rules == SDPOWER_TREE_CLASSIC && above)
		above->flags |= dropped->flags & (uint32_t)SDPOWER_SD_POWERSAVINGS;
	if (f->tree_rules == SDPOWER_TREE_MODERN)
		below->flags |= dropped->flags & (uint32_t)SDPOWER_SD_PREFER_SIBLING;
}

uint32_t sdpower_i_prune(const struct sdpower_i_forest *f, struct sdpower_i_step *steps,
	uint32_t count)
{
	const struct sdpower_i_pruning rules = sdpower_i_pruning_of(f->tree_rules, f->node_ids);
	uint32_t top = 0, first = 0;

	for (uint32_t i = 1; i < count; i++) {
		if (sdpower_i_parent_degenerate(&rules, &steps[top].shape, &steps[i].shape))
			hand_on(f, &steps[i].shape, &steps[top].shape,
				i + 1 < count ? &steps[i + 1].shape : NULL);
		else
			steps[++top] = steps[i];
	}
	if (sdpower_i_degenerate(&rules, &steps[0].shape))
		first = 1;
	for (uint32_t i = first; i <= top; i++)
		steps[i - first] = steps[i];
	return top + 1 - first;
}
