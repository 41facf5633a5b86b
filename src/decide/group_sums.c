/* SPDX-License-Identifier: MIT */
/*
 * The sums of a group: from block records where they are up to date and the group holds the
 * whole block, from the slots otherwise. Candidate masks always read the slots.
 */
#include "group_sums.h"

/*
 * Reads a record by its sequence: 0 or changed means that it is being rewritten. All words
 * are read before any is looked at, so that the usual case takes two branches.
 */
static inline uint32_t begin_record(const struct sdpower_i_record *record)
{
	return sdpower_i_load_acquire(&record->seq);
}

static inline int record_held(const struct sdpower_i_record *record, uint32_t generation,
	uint32_t seq, uint32_t serial)
{
	sdpower_i_fence_read();
	return SDPOWER_LIKELY(!((serial ^ generation) | (seq ^ sdpower_i_load(&record->seq)))) &&
		SDPOWER_LIKELY(seq);
}

/* Blocks of a group that is a row of whole ones and may be read from records; else 0. */
static inline uint32_t row_of(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group, uint32_t *block)
{
	const uint32_t blocks = sdpower_i_load16(&group->blocks);

	*block = sdpower_i_load16(&group->block);
	return SDPOWER_LIKELY(*block + blocks <= g->limit) ? blocks : 0;
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

static struct ragged ragged_of(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group)
{
	const struct sdpower_i_group copy =
		sdpower_i_get_group(g->v, (uint32_t)(group - g->v->tree->groups));

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
	r->whole = r->part.bits == active && g->limit;
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

static SDPOWER_NOINLINE struct sdpower_i_sums sum_slots(const struct sdpower_i_gather *g,
	struct part part, struct sdpower_i_sums sums)
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

/* 1 = added, 0 = the slots must be read. */
static inline int add_record(const struct sdpower_i_record *record, uint32_t generation,
	uint32_t index, struct sdpower_i_sums *sums)
{
	const uint32_t seq = begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t load = sdpower_i_load(&record->source[index].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);

	if (SDPOWER_UNLIKELY(!record_held(record, generation, seq, serial)))
		return 0;
	sums->load += load;
	sums->nr += nr;
	return 1;
}

/* The rest of a row that has a dirty block. */
static SDPOWER_NOINLINE struct sdpower_i_sums sum_rest(const struct sdpower_i_gather *g,
	uint32_t block, uint32_t end, struct sdpower_i_sums sums)
{
	for (; block < end; block++)
		if (!add_record(&g->records[block], g->generation, g->index, &sums))
			sums = sum_slots(g, whole_block(g, block), sums);
	return sums;
}

static SDPOWER_NOINLINE struct sdpower_i_sums sum_ragged(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group)
{
	struct ragged r = ragged_of(g, group);
	struct sdpower_i_sums sums = { 0, 0 };

	while (next_part(g, &r))
		sums = r.whole ? sum_rest(g, r.part.block, r.part.block + 1, sums) :
			sum_slots(g, r.part, sums);
	return sums;
}

/* The inner loop of a question: whole blocks in a row, most of them clean. */
struct sdpower_i_sums sdpower_i_sum_other(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group)
{
	const uint32_t generation = g->generation, index = g->index;
	const struct sdpower_i_record *record, *end;
	struct sdpower_i_sums sums = { 0, 0 };
	uint32_t block, blocks = row_of(g, group, &block);

	if (SDPOWER_UNLIKELY(!blocks))
		return sum_ragged(g, group);
	record = &g->records[block];
	for (end = record + blocks; record < end; record++)
		if (SDPOWER_UNLIKELY(!add_record(record, generation, index, &sums)))
			return sum_rest(g, block + blocks - (uint32_t)(end - record),
				block + blocks, sums);
	return sums;
}

static SDPOWER_NOINLINE void sum_local_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_local *to)
{
	const struct sdpower_i_slot *slot = slots_of(g, &part);
	struct sdpower_i_local local = *to, *sums = &local;
	uint32_t pos = g->v->forest->blocks[part.block].first;

	for (uint32_t bits = part.bits; bits; bits >>= 1, pos++, slot++) {
		const uint32_t load = sdpower_i_load(&slot->load);

		if (!(bits & 1u))
			continue;
		sums->load += sdpower_i_target(slot, g->index, load);
		sums->weighted += load;
		sums->nr += sdpower_i_load(&slot->nr);
		if (g->who && sdpower_i_load(&slot->status) != SDPOWER_I_RUNNING &&
		    g->v->forest->cpu_at[pos] < sums->first_idle)
			sums->first_idle = g->v->forest->cpu_at[pos];
	}
	*to = local;
}

/* The same for the local group: target sums and the first idle cpu. */
static inline int add_local_record(const struct sdpower_i_record *record,
	const struct sdpower_i_record_rest *rest, uint32_t generation, uint32_t index,
	struct sdpower_i_local *sums)
{
	const uint32_t seq = begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t weighted = sdpower_i_load(&record->source[0].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);
	const uint32_t first_idle = sdpower_i_load(&record->first_idle);
	const uint32_t load = index ? sdpower_i_load(&rest->target[index - 1]) : weighted;

	if (SDPOWER_UNLIKELY(!record_held(record, generation, seq, serial)))
		return 0;
	sums->load += load;
	sums->weighted += weighted;
	sums->nr += nr;
	if (first_idle < sums->first_idle)
		sums->first_idle = first_idle;
	return 1;
}

static inline int add_local_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_local *sums)
{
	return add_local_record(&g->records[block], &g->s->rests[block], g->generation,
		g->index, sums);
}

static SDPOWER_NOINLINE void sum_local_ragged(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group, struct sdpower_i_local *sums)
{
	struct ragged r = ragged_of(g, group);

	while (next_part(g, &r))
		if (!r.whole || !add_local_block(g, r.part.block, sums))
			sum_local_slots(g, r.part, sums);
}

/* The rest of a row that has a dirty block. */
static SDPOWER_NOINLINE void sum_local_rest(const struct sdpower_i_gather *g, uint32_t block,
	uint32_t end, struct sdpower_i_local *sums)
{
	for (; block < end; block++)
		if (!add_local_block(g, block, sums))
			sum_local_slots(g, whole_block(g, block), sums);
}

void sdpower_i_sum_local(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	struct sdpower_i_local *to)
{
	struct sdpower_i_local sums = { .first_idle = SDPOWER_CPU_NONE };
	const uint32_t generation = g->generation, index = g->index;
	const struct sdpower_i_record *records = g->records;
	const struct sdpower_i_record_rest *rests = g->s->rests;
	uint32_t block, blocks = row_of(g, group, &block);
	const uint32_t end = block + blocks;

	while (block < end && SDPOWER_LIKELY(add_local_record(&records[block], &rests[block],
			generation, index, &sums)))
		block++;
	*to = sums;
	if (SDPOWER_UNLIKELY(block < end))
		sum_local_rest(g, block, end, to);
	else if (SDPOWER_UNLIKELY(!blocks))
		sum_local_ragged(g, group, to);
}

static inline void widen(struct sdpower_i_spread *spread, uint32_t max, uint32_t min)
{
	if (max > spread->max)
		spread->max = max;
	if (min < spread->min)
		spread->min = min;
}

static SDPOWER_NOINLINE void spread_slots(const struct sdpower_i_gather *g, struct part part,
	struct sdpower_i_spread *to)
{
	const struct sdpower_i_slot *slot = slots_of(g, &part);
	struct sdpower_i_spread sums = *to, *spread = &sums;

	for (uint32_t bits = part.bits; bits; bits >>= 1, slot++) {
		const uint32_t load = sdpower_i_load(&slot->load), nr = sdpower_i_load(&slot->nr);
		const uint32_t source = sdpower_i_source(slot, g->index, load);

		if (!(bits & 1u))
			continue;
		spread->sums.load += source;
		spread->sums.nr += nr;
		spread->weighted += load;
		spread->per_task += sdpower_i_per_task(load, nr);
		widen(spread, source, source);
	}
	*to = sums;
}

static inline int spread_record(const struct sdpower_i_record *record, uint32_t generation,
	uint32_t index, struct sdpower_i_spread *spread)
{
	const uint32_t seq = begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t load = sdpower_i_load(&record->source[index].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);
	const uint32_t weighted = sdpower_i_load(&record->source[0].sum);
	const uint32_t per_task = sdpower_i_load(&record->per_task);
	const uint32_t max = sdpower_i_load(&record->source[index].max);
	const uint32_t min = sdpower_i_load(&record->source[index].min);

	if (SDPOWER_UNLIKELY(!record_held(record, generation, seq, serial)))
		return 0;
	spread->sums.load += load;
	spread->sums.nr += nr;
	spread->weighted += weighted;
	spread->per_task += per_task;
	widen(spread, max, min);
	return 1;
}

static inline int spread_block(const struct sdpower_i_gather *g, uint32_t block,
	struct sdpower_i_spread *spread)
{
	return spread_record(&g->records[block], g->generation, g->index, spread);
}

static SDPOWER_NOINLINE void spread_ragged(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group, struct sdpower_i_spread *spread)
{
	struct ragged r = ragged_of(g, group);

	while (next_part(g, &r))
		if (!r.whole || !spread_block(g, r.part.block, spread))
			spread_slots(g, r.part, spread);
}

static SDPOWER_NOINLINE void spread_rest(const struct sdpower_i_gather *g, uint32_t block,
	uint32_t end, struct sdpower_i_spread *spread)
{
	for (; block < end; block++)
		if (!spread_block(g, block, spread))
			spread_slots(g, whole_block(g, block), spread);
}

void sdpower_i_spread_of(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	struct sdpower_i_spread *to)
{
	struct sdpower_i_spread sums = { .min = UINT32_MAX };
	const uint32_t generation = g->generation, index = g->index;
	const struct sdpower_i_record *records = g->records;
	uint32_t block, blocks = row_of(g, group, &block);
	const uint32_t end = block + blocks;

	while (block < end &&
	       SDPOWER_LIKELY(spread_record(&records[block], generation, index, &sums)))
		block++;
	*to = sums;
	if (SDPOWER_UNLIKELY(block < end))
		spread_rest(g, block, end, to);
	else if (SDPOWER_UNLIKELY(!blocks))
		spread_ragged(g, group, to);
}
