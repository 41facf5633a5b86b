/* SPDX-License-Identifier: MIT */
/*
 * The sums of a group: from block records where they are up to date and the group holds the
 * whole block, from the slots otherwise. Candidate masks always read the slots.
 */
#include "group_sums.h"

/*
 * Reads a record by its sequence: odd or changed means that it is being rewritten. All words
 * are read before any is looked at, so that one branch decides.
 */
static inline uint32_t begin_record(const struct sdpower_i_record *record)
{
	return sdpower_i_load_acquire(&record->seq);
}

static inline int record_held(const struct sdpower_i_record *record, uint32_t generation,
	uint32_t seq, uint32_t serial)
{
	sdpower_i_fence_read();
	return !((serial ^ generation) | (seq & 1u) | (seq ^ sdpower_i_load(&record->seq)));
}

/* True iff records hold what is asked for. */
static inline int records_help(const struct sdpower_i_gather *g)
{
	return !g->candidates.words && g->index < SDPOWER_I_RECORD_INDICES - 1;
}

/* Blocks of a group that is a row of whole ones and may be read from records; else 0. */
static inline uint32_t row_of(const struct sdpower_i_gather *g, uint32_t group, uint32_t *block)
{
	const struct sdpower_i_group *raw = &g->v->tree->groups[group];
	const uint32_t blocks = sdpower_i_load16(&raw->blocks);

	*block = sdpower_i_load16(&raw->block);
	if (SDPOWER_UNLIKELY(*block + blocks > g->v->forest->block_count || !records_help(g)))
		return 0;
	return blocks;
}

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

static struct ragged ragged_of(const struct sdpower_i_gather *g, uint32_t group)
{
	const struct sdpower_i_group copy = sdpower_i_get_group(g->v, group);

	return (struct ragged){ .span = sdpower_i_span_of(copy.run, copy.runs) };
}

static uint32_t candidates_among(const struct sdpower_i_gather *g, uint32_t block, uint32_t bits)
{
	const uint16_t *cpu_at = &g->v->forest->cpu_at[g->v->forest->blocks[block].first];
	uint32_t kept = 0;

	for (uint32_t bit = 0; bits >> bit; bit++)
		if (bits >> bit & 1u && sdpower_i_mask_has(g->candidates, cpu_at[bit]))
			kept |= 1u << bit;
	return kept;
}

static int next_part(const struct sdpower_i_gather *g, struct ragged *r)
{
	uint32_t active;

	if (!sdpower_i_span_next(&r->span, g->v, &r->part.block, &r->part.bits))
		return 0;
	active = sdpower_i_active(g->v, r->part.block);
	r->part.bits &= active;
	r->whole = r->part.bits == active && records_help(g);
	if (g->candidates.words)
		r->part.bits = candidates_among(g, r->part.block, r->part.bits);
	return 1;
}

static inline struct part whole_block(const struct sdpower_i_gather *g, uint32_t block)
{
	return (struct part){ block, sdpower_i_active(g->v, block) };
}

static inline const struct sdpower_i_slot *slots_of(const struct sdpower_i_gather *g,
	const struct part *part)
{
	return &g->s->slots[g->v->forest->blocks[part->block].first];
}

static struct sdpower_i_sums sum_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_sums sums)
{
	const struct sdpower_i_slot *slot = slots_of(g, &part);

	for (uint32_t bits = part.bits; bits; bits >>= 1, slot++) {
		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		sums.load += sdpower_i_source(slot, g->index, sdpower_i_load(&slot->load));
		sums.nr += sdpower_i_load(&slot->nr);
	}
	return sums;
}

/* The inner loop: whole blocks in a row, most of them clean. */
static struct sdpower_i_sums sum_blocks(const struct sdpower_i_gather *g, uint32_t block,
	uint32_t blocks, struct sdpower_i_sums sums)
{
	const uint32_t generation = g->v->generation, index = g->index;
	const struct sdpower_i_record *record = &g->s->records[block];
	const struct sdpower_i_record *end = record + blocks;

	for (; record < end; record++) {
		const uint32_t seq = begin_record(record);
		const uint32_t serial = sdpower_i_load_acquire(&record->serial);
		const uint32_t load = sdpower_i_load(&record->source[index].sum);
		const uint32_t nr = sdpower_i_load(&record->nr);

		if (SDPOWER_LIKELY(record_held(record, generation, seq, serial))) {
			sums.load += load;
			sums.nr += nr;
		} else {
			block = (uint32_t)(record - g->s->records);
			sums = sum_slots(g, whole_block(g, block), sums);
		}
	}
	return sums;
}

struct sdpower_i_sums sdpower_i_sum_other(const struct sdpower_i_gather *g, uint32_t group)
{
	struct sdpower_i_sums sums = { 0, 0 };
	uint32_t block, blocks = row_of(g, group, &block);
	struct ragged r;

	if (SDPOWER_LIKELY(blocks))
		return sum_blocks(g, block, blocks, sums);
	r = ragged_of(g, group);
	while (next_part(g, &r))
		sums = r.whole ? sum_blocks(g, r.part.block, 1, sums) : sum_slots(g, r.part, sums);
	return sums;
}

static void sum_local_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_local *sums)
{
	const struct sdpower_i_slot *slot = slots_of(g, &part);
	uint32_t pos = g->v->forest->blocks[part.block].first;

	for (uint32_t bits = part.bits; bits; bits >>= 1, pos++, slot++) {
		const uint32_t load = sdpower_i_load(&slot->load);

		if (!(bits & 1u))
			continue;
		sums->load += sdpower_i_target(slot, g->index, load);
		sums->weighted += load;
		sums->nr += sdpower_i_load(&slot->nr);
		if (sdpower_i_load(&slot->status) != SDPOWER_I_RUNNING &&
		    g->v->forest->cpu_at[pos] < sums->first_idle)
			sums->first_idle = g->v->forest->cpu_at[pos];
	}
}

/* The same for the local group: target sums and the first idle cpu. */
static void sum_local_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_local *sums)
{
	const struct sdpower_i_record *record = &g->s->records[block];
	const uint32_t seq = begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t weighted = sdpower_i_load(&record->source[0].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);
	const uint32_t first_idle = sdpower_i_load(&record->first_idle);
	const uint32_t load = !g->index ? weighted :
		sdpower_i_load(&g->s->rests[block].target[g->index - 1]);

	if (!record_held(record, g->v->generation, seq, serial)) {
		sum_local_slots(g, whole_block(g, block), sums);
		return;
	}
	sums->load += load;
	sums->weighted += weighted;
	sums->nr += nr;
	if (first_idle < sums->first_idle)
		sums->first_idle = first_idle;
}

struct sdpower_i_local sdpower_i_sum_local(const struct sdpower_i_gather *g, uint32_t group)
{
	struct sdpower_i_local sums = { .first_idle = SDPOWER_CPU_NONE };
	uint32_t block, blocks = row_of(g, group, &block);
	struct ragged r;

	for (uint32_t end = block + blocks; block < end; block++)
		sum_local_block(g, block, &sums);
	if (SDPOWER_LIKELY(blocks))
		return sums;
	r = ragged_of(g, group);
	while (next_part(g, &r))
		if (r.whole)
			sum_local_block(g, r.part.block, &sums);
		else
			sum_local_slots(g, r.part, &sums);
	return sums;
}

static inline void widen(struct sdpower_i_spread *spread, uint32_t max, uint32_t min)
{
	if (max > spread->max)
		spread->max = max;
	if (min < spread->min)
		spread->min = min;
}

static void spread_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_spread *spread)
{
	const struct sdpower_i_slot *slot = slots_of(g, &part);

	for (uint32_t bits = part.bits; bits; bits >>= 1, slot++) {
		const uint32_t load = sdpower_i_load(&slot->load);
		const uint32_t source = sdpower_i_source(slot, g->index, load);

		if (!(bits & 1u))
			continue;
		spread->weighted += load;
		spread->per_task += sdpower_i_per_task(load, sdpower_i_load(&slot->nr));
		widen(spread, source, source);
	}
}

static void spread_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_spread *spread)
{
	const struct sdpower_i_record *record = &g->s->records[block];
	const uint32_t seq = begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t weighted = sdpower_i_load(&record->source[0].sum);
	const uint32_t per_task = sdpower_i_load(&record->per_task);
	const uint32_t max = sdpower_i_load(&record->source[g->index].max);
	const uint32_t min = sdpower_i_load(&record->source[g->index].min);

	if (!record_held(record, g->v->generation, seq, serial)) {
		spread_slots(g, whole_block(g, block), spread);
		return;
	}
	spread->weighted += weighted;
	spread->per_task += per_task;
	widen(spread, max, min);
}

struct sdpower_i_spread sdpower_i_spread_of(const struct sdpower_i_gather *g, uint32_t group)
{
	struct sdpower_i_spread sums = { .min = UINT32_MAX };
	uint32_t block, blocks = row_of(g, group, &block);
	struct ragged r;

	for (uint32_t end = block + blocks; block < end; block++)
		spread_block(g, block, &sums);
	if (SDPOWER_LIKELY(blocks))
		return sums;
	r = ragged_of(g, group);
	while (next_part(g, &r))
		if (r.whole)
			spread_block(g, r.part.block, &sums);
		else
			spread_slots(g, r.part, &sums);
	return sums;
}
