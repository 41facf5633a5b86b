/* SPDX-License-Identifier: MIT */
/*
 * What the sums of a group fall back on: the slots of blocks whose records are out of date, of
 * groups that do not hold whole blocks, and all slots when only some cpus are candidates. A cpu
 * that is no candidate still counts: its tasks are there, they only cannot come.
 */
#include "native_sums.h"

/* Of the positions of a block that `bits` names. */
static void add_slots(const struct sdpower_i_native_search *q, uint32_t block, uint32_t bits,
	struct sdpower_i_native_sums *sums)
{
	uint32_t pos = q->s->forest.blocks[block].first;

	for (; bits; bits >>= 1, pos++) {
		struct sdpower_i_cpu_view c;

		if (!(bits & 1u))
			continue;
		c = sdpower_i_look(q->s, pos);
		sums->load += c.load;
		sums->util += c.util;
		sums->capacity += c.capacity;
		sums->nr += c.nr;
		sums->unused += c.nr == 0;
		if (!sdpower_i_mask_has(q->candidates, q->s->forest.cpu_at[pos]))
			continue;
		sums->over += (uint32_t)sdpower_i_is_over(&q->limits, &c);
		sums->misfit += (uint32_t)sdpower_i_is_misfit(&q->limits, &c);
	}
}

void sdpower_i_native_sum_block(const struct sdpower_i_native_search *q, uint32_t block,
	uint32_t bits, struct sdpower_i_native_sums *sums)
{
	const uint32_t active = sdpower_i_active(q->view, block);

	if (q->candidates.words || (bits & active) != active ||
			!sdpower_i_native_add(&q->s->records[block], q->view->generation,
				SDPOWER_I_SUM_ALL, sums))
		add_slots(q, block, bits & active, sums);
}

void sdpower_i_native_sum_rest(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t block, uint32_t end, struct sdpower_i_native_sums *sums)
{
	const struct sdpower_i_group g = sdpower_i_get_group(q->view, group);
	struct sdpower_i_span span = sdpower_i_span_of(g.run, g.runs);
	uint32_t bits;

	if (block < end) {
		for (; block < end; block++)
			sdpower_i_native_sum_block(q, block, UINT32_MAX, sums);
		return;
	}
	while (sdpower_i_span_next(&span, q->view, &block, &bits))
		sdpower_i_native_sum_block(q, block, bits, sums);
}
