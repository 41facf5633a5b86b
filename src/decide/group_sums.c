/* SPDX-License-Identifier: MIT */
/*
 * What the sums of a group fall back on: the slots of blocks whose records are out of date, of
 * groups that do not hold whole blocks, and of candidates.
 */
#include "group_sums.h"

/* Part of a group: a block, and the positions of it that count. */
struct part {
	uint32_t block, bits;
};

/* A group that is no row of blocks, or is asked for candidates only. */
struct ragged {
	struct sdpower_i_span span;
	struct part part;
	int whole;            /* the record of the block may be used */
};

static struct ragged ragged_of(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group)
{
	const struct sdpower_i_group copy = sdpower_i_get_group(&g->view,
		(uint32_t)(group - g->view.tree->groups));

	return (struct ragged){ .span = sdpower_i_span_of(copy.run, copy.runs) };
}

static uint32_t candidates_among(const struct sdpower_i_gather *g, uint32_t block, uint32_t bits)
{
	const struct sdpower_i_forest *f = &g->s->forest;
	const uint16_t *cpu_at = &f->cpu_at[f->blocks[block].first];
	uint32_t kept = 0;

	for (uint32_t bit = 0; bits >> bit; bit++)
		if (bits >> bit & 1u && sdpower_i_mask_has(g->candidates, cpu_at[bit]))
			kept |= 1u << bit;
	return kept;
}

static int next_part(const struct sdpower_i_gather *g, struct ragged *r)
{
	uint32_t active;

	if (!sdpower_i_span_next(&r->span, &g->view, &r->part.block, &r->part.bits))
		return 0;
	active = sdpower_i_active(&g->view, r->part.block);
	r->part.bits &= active;
	r->whole = r->part.bits == active && g->limit;
	if (g->candidates.words)
		r->part.bits = candidates_among(g, r->part.block, r->part.bits);
	return 1;
}

static inline struct part whole_block(const struct sdpower_i_gather *g, uint32_t block)
{
	return (struct part){ block, sdpower_i_active(&g->view, block) };
}

static inline const struct sdpower_i_slot *slots_of(const struct sdpower_i_gather *g,
	struct part part)
{
	return &g->s->slots[g->s->forest.blocks[part.block].first];
}

static inline void sum_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_sums *to)
{
	struct sdpower_i_sums sums = *to;
	const uint32_t index = g->index;
	const struct sdpower_i_slot *slot = slots_of(g, part);

	for (uint32_t bits = part.bits; bits; bits >>= 1, slot++) {
		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		sums.load += sdpower_i_source(slot, index, sdpower_i_load(&slot->load));
		sums.nr += sdpower_i_load(&slot->nr);
	}
	*to = sums;
}

static inline void sum_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_sums *sums)
{
	if (!sdpower_i_add_record(&g->s->records[block], g->view.generation, g->index, sums))
		sum_slots(g, whole_block(g, block), sums);
}

void sdpower_i_sum_rest(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	uint32_t block, uint32_t end, struct sdpower_i_sums *sums)
{
	struct ragged r;

	if (block < end) {
		for (; block < end; block++)
			sum_block(g, block, sums);
		return;
	}
	for (r = ragged_of(g, group); next_part(g, &r); )
		if (r.whole)
			sum_block(g, r.part.block, sums);
		else
			sum_slots(g, r.part, sums);
}

static inline void local_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_local *to)
{
	struct sdpower_i_local sums = *to;
	const uint32_t index = g->index, who = g->who;
	const struct sdpower_i_slot *slot = slots_of(g, part);
	const uint16_t *cpu = &g->s->forest.cpu_at[g->s->forest.blocks[part.block].first];

	for (uint32_t bits = part.bits; bits; bits >>= 1, cpu++, slot++) {
		const uint32_t load = sdpower_i_load(&slot->load);

		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		sums.load += sdpower_i_target(slot, index, load);
		sums.weighted += load;
		sums.nr += sdpower_i_load(&slot->nr);
		if (who && sdpower_i_load(&slot->status) != SDPOWER_I_RUNNING &&
		    *cpu < sums.first_idle)
			sums.first_idle = *cpu;
	}
	*to = sums;
}

static inline void local_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_local *sums)
{
	if (!sdpower_i_add_local(&g->s->records[block], &g->s->rests[block], g->view.generation,
			g->index, sums))
		local_slots(g, whole_block(g, block), sums);
}

void sdpower_i_local_rest(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	uint32_t block, uint32_t end, struct sdpower_i_local *sums)
{
	struct ragged r;

	if (block < end) {
		for (; block < end; block++)
			local_block(g, block, sums);
		return;
	}
	for (r = ragged_of(g, group); next_part(g, &r); )
		if (r.whole)
			local_block(g, r.part.block, sums);
		else
			local_slots(g, r.part, sums);
}

/*
 * Rule L3 without a branch for up to two tasks: which of these it is differs from cpu to cpu,
 * and guessing wrong took 6 ns for a block of 8 cpus (x86-64, gcc 12).
 */
static inline uint32_t average(uint32_t load, uint32_t nr)
{
	if (SDPOWER_UNLIKELY(nr > 2))
		return sdpower_i_per_task(load, nr);
	return load >> nr / 2 & (0u - (nr > 0));
}

static inline void spread_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_spread *to)
{
	struct sdpower_i_spread sums = *to;
	const uint32_t index = g->index;
	const struct sdpower_i_slot *slot = slots_of(g, part);

	for (uint32_t bits = part.bits; bits; bits >>= 1, slot++) {
		const uint32_t load = sdpower_i_load(&slot->load), nr = sdpower_i_load(&slot->nr);
		const uint32_t source = sdpower_i_source(slot, index, load);

		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		sums.sums.load += source;
		sums.sums.nr += nr;
		sums.weighted += load;
		sums.per_task += average(load, nr);
		sdpower_i_widen(&sums, source, source);
	}
	*to = sums;
}

static inline void spread_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_spread *sums)
{
	if (!sdpower_i_add_spread(&g->s->records[block], g->view.generation, g->index, sums))
		spread_slots(g, whole_block(g, block), sums);
}

void sdpower_i_spread_rest(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	uint32_t block, uint32_t end, struct sdpower_i_spread *sums)
{
	struct ragged r;

	if (block < end) {
		for (; block < end; block++)
			spread_block(g, block, sums);
		return;
	}
	for (r = ragged_of(g, group); next_part(g, &r); )
		if (r.whole)
			spread_block(g, r.part.block, sums);
		else
			spread_slots(g, r.part, sums);
}
