/* SPDX-License-Identifier: MIT */
/*
 * Which groups are a row of whole blocks: questions then read block records in a row instead
 * of finding their way from runs to blocks each time.
 */
#include "blocks.h"
#include "view.h"

/* Counts the blocks of a group from *first on; 0 = it cuts a block or leaves one out. */
static uint32_t row_of_blocks(const struct sdpower_i_view *v, const struct sdpower_i_group *g,
	uint32_t *first)
{
	struct sdpower_i_span span = sdpower_i_span_of(g->run, g->runs);
	uint32_t block, bits, count = 0;

	while (sdpower_i_span_next(&span, v, &block, &bits)) {
		const uint32_t active = sdpower_i_active(v, block);

		if (count == 0)
			*first = block;
		if ((bits & active) != active || block != *first + count)
			return 0;
		count++;
	}
	return count;
}

void sdpower_i_mark_blocks(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	const struct sdpower_i_view v = { .forest = f, .tree = t };

	for (uint32_t i = 0; i < t->group_count; i++) {
		uint32_t first = 0;
		const uint32_t count = row_of_blocks(&v, &t->groups[i], &first);

		sdpower_i_store16(&t->groups[i].block, (uint16_t)first);
		sdpower_i_store16(&t->groups[i].blocks, (uint16_t)count);
	}
}
