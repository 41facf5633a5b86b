/* SPDX-License-Identifier: MIT */
/* The nodes a classic NODE level spans (docs/POLICY.md B5). */
#include "build.h"

/* Scans the ids from the node's own one upward and around; the first of equals wins. */
static uint32_t nearest_untaken(const struct sdpower_i_forest *f, uint32_t node,
	const uint16_t *taken)
{
	const uint16_t *row = f->distances + (size_t)node * f->node_count;
	uint32_t best = f->node_count;

	for (uint32_t i = 0; i < f->node_count; i++) {
		const uint32_t other = (node + i) % f->node_count;

		if (!taken[other] && f->scratch->node_online[other] &&
				(best == f->node_count || row[other] < row[best]))
			best = other;
	}
	return best;
}

void sdpower_i_near_nodes(const struct sdpower_i_forest *f, uint32_t node)
{
	uint16_t *taken = f->scratch->taken;

	for (uint32_t other = 0; other < f->node_count; other++)
		taken[other] = other == node;
	for (uint32_t i = 1; i < SDPOWER_I_NEAR_NODES; i++) {
		const uint32_t next = nearest_untaken(f, node, taken);

		if (next == f->node_count)
			return;
		taken[next] = 1;
	}
}
