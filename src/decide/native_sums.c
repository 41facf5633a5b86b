/* SPDX-License-Identifier: MIT */
/*
 * What the sums of a group fall back on: the slots of blocks whose records are out of date, of
 * groups that do not hold whole blocks, and all slots when only some cpus are candidates. A cpu
 * that is no candidate still counts: its tasks are there, they only cannot come.
 */
#include "native_sums.h"

/* Any machine, any question. */
static void add_views(const struct sdpower_i_native_search *q, uint32_t pos, uint32_t bits,
	struct sdpower_i_native_sums *sums)
{
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

static uint32_t is_misfit(const struct sdpower_i_native_search *q, uint32_t pos)
{
	const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);

	return (uint32_t)sdpower_i_is_misfit(&q->limits, &c);
}

/* The usual machine: nobody else takes anything, nothing is stacked, all may give. */
static inline void add_slots(const struct sdpower_i_native_search *q, uint32_t pos, uint32_t bits,
	enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *to)
{
	const struct sdpower_i_slot *slot = &q->s->slots[pos];
	const uint16_t *capacity = &q->s->forest.capacity[pos];
	struct sdpower_i_native_sums sums = *to;

	for (; bits; bits >>= 1, slot++, capacity++, pos++) {
		const uint32_t nr = sdpower_i_load(&slot->nr);

		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		sums.capacity += *capacity;
		sums.nr += nr;
		sums.unused += nr == 0;
		sums.over += nr > 1;
		if (SDPOWER_UNLIKELY(*capacity < SDPOWER_SCALE))
			sums.misfit += is_misfit(q, pos);
		if (depth != SDPOWER_I_SUM_ALL)
			continue;
		sums.load += sdpower_i_load(&slot->load);
		sums.util += sdpower_i_util_now(slot, nr);
	}
	*to = sums;
}

static void add_bits(const struct sdpower_i_native_search *q, uint32_t block, uint32_t bits,
	enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *sums)
{
	const uint32_t pos = q->s->forest.blocks[block].first;

	if (SDPOWER_UNLIKELY(q->candidates.words || q->limits.stacking || q->limits.outside))
		add_views(q, pos, bits, sums);
	else if (depth == SDPOWER_I_SUM_ALL)
		add_slots(q, pos, bits, SDPOWER_I_SUM_ALL, sums);
	else
		add_slots(q, pos, bits, SDPOWER_I_SUM_COUNTS, sums);
}

static void add_block(const struct sdpower_i_native_search *q, uint32_t block, uint32_t bits,
	enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *sums)
{
	const uint32_t active = sdpower_i_active(q->view, block);
	struct sdpower_i_native_lanes lanes = { 0, 0, 0, 0, 0, 0 };
	struct sdpower_i_native_sums more;

	if (q->candidates.words || (bits & active) != active ||
			!sdpower_i_native_add(&q->s->records[block], q->view->generation,
				SDPOWER_I_SUM_ALL, &lanes)) {
		add_bits(q, block, bits & active, depth, sums);
		return;
	}
	more = sdpower_i_native_sums_of(&lanes);
	sums->load += more.load;
	sums->util += more.util;
	sums->capacity += more.capacity;
	sums->nr += more.nr;
	sums->unused += more.unused;
	sums->over += more.over;
	sums->misfit += more.misfit;
}

void sdpower_i_native_sum_rest(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t block, uint32_t end, enum sdpower_i_native_depth depth,
	struct sdpower_i_native_sums *sums)
{
	const struct sdpower_i_group g = sdpower_i_get_group(q->view, group);
	struct sdpower_i_span span = sdpower_i_span_of(g.run, g.runs);
	uint32_t bits;

	if (block < end) {
		for (; block < end; block++)
			add_block(q, block, UINT32_MAX, depth, sums);
		return;
	}
	while (sdpower_i_span_next(&span, q->view, &block, &bits))
		add_block(q, block, bits, depth, sums);
}
