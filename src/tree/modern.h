/* SPDX-License-Identifier: MIT */
/* The levels of the modern rules before pruning (docs/POLICY.md B13). */
#ifndef SDPOWER_I_MODERN_H
#define SDPOWER_I_MODERN_H

#include "build.h"

/*
 * Fills scratch->label with the masks of a level over the online cpus: equal labels, one
 * mask; NONE16 = alone. EOVERLAP when the masks would cross. Uses first_of, other_label and
 * group_index.
 */
sdpower_status sdpower_i_labels(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t level);

/* Online cpus by label, for the labels that are in scratch->label. */
void sdpower_i_mask_weights(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint16_t *weights);

#endif
