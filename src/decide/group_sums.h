/* SPDX-License-Identifier: MIT */
/*
 * The sums of a group: from block records where they are up to date and the group is a row of
 * whole blocks. That is the inner loop of a question and is expanded where it is used: calls
 * and sums that go through memory took a fifth of a question about 16 cpus (47 instead of 39
 * ns, x86-64, gcc 12). What it falls back on is in group_sums.c and works on copies, so that
 * the sums themselves need no address.
 */
#ifndef SDPOWER_I_GROUP_SUMS_H
#define SDPOWER_I_GROUP_SUMS_H

#include "decide.h"

/* What the sums of one question have in common. */
struct sdpower_i_gather {
	const struct sdpower *s;
	struct sdpower_i_view view;
	struct sdpower_i_mask candidates;
	uint32_t index;      /* load index */
	uint32_t limit;      /* blocks whose records may be read: all, or none */
	uint32_t who;        /* 1 = the first idle cpu is asked for */
};

/* Candidate masks and high load indices always read the slots. */
static inline struct sdpower_i_gather sdpower_i_gather_of(const struct sdpower *s,
	const struct sdpower_i_view *v, struct sdpower_i_mask candidates, uint32_t index)
{
	struct sdpower_i_gather g;

	g.s = s;
	g.view = *v;
	g.candidates = candidates;
	g.index = index;
	g.limit = candidates.words || index >= SDPOWER_I_RECORD_INDICES - 1 ? 0 :
		s->forest.block_count;
	g.who = 0;
	return g;
}

/* What every group is asked for; two registers. */
struct sdpower_i_sums {
	uint64_t load;       /* source loads */
	uint64_t nr;         /* tasks */
};

/* What the local group is asked for. */
struct sdpower_i_local {
	uint64_t load;       /* target loads */
	uint64_t weighted;   /* loads now */
	uint32_t nr;         /* tasks */
	uint32_t first_idle; /* lowest idle cpu, or NONE; only if asked for */
};

/* What only the groups are asked for that could become the busiest or be emptied. */
struct sdpower_i_spread {
	struct sdpower_i_sums sums;
	uint64_t weighted;   /* loads now */
	uint64_t per_task;   /* sum of the cpus' averages per task */
	uint32_t max, min;   /* of the source loads; 0 and 2^32-1 without cpus */
};

/*
 * group_sums.c: the blocks from `block` on of a row that ends before `end`, added to what there
 * is already; an empty row stands for a group that is none, or may not be read from records.
 */
void sdpower_i_sum_rest(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	uint32_t block, uint32_t end, struct sdpower_i_sums *sums);
void sdpower_i_local_rest(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	uint32_t block, uint32_t end, struct sdpower_i_local *sums);
void sdpower_i_spread_rest(const struct sdpower_i_gather *g, const struct sdpower_i_group *group,
	uint32_t block, uint32_t end, struct sdpower_i_spread *sums);

/*
 * Reads a record by its sequence: 0 or changed means that it is being rewritten. All words
 * are read before any is looked at, so that the usual case takes two branches.
 */
static inline uint32_t sdpower_i_begin_record(const struct sdpower_i_record *record)
{
	return sdpower_i_load_acquire(&record->seq);
}

static inline int sdpower_i_record_held(const struct sdpower_i_record *record,
	uint32_t generation, uint32_t seq, uint32_t serial)
{
	sdpower_i_fence_read();
	return SDPOWER_LIKELY(!((serial ^ generation) | (seq ^ sdpower_i_load(&record->seq)))) &&
		SDPOWER_LIKELY(seq);
}

/* The add functions: 1 = added, 0 = the slots must be read. */
static inline int sdpower_i_add_record(const struct sdpower_i_record *record,
	uint32_t generation, uint32_t index, struct sdpower_i_sums *sums)
{
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t load = sdpower_i_load(&record->source[index].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);

	if (SDPOWER_UNLIKELY(!sdpower_i_record_held(record, generation, seq, serial)))
		return 0;
	sums->load += load;
	sums->nr += nr;
	return 1;
}

/* The same for the local group: target sums and the first idle cpu. */
static inline int sdpower_i_add_local(const struct sdpower_i_record *record,
	const struct sdpower_i_record_rest *rest, uint32_t generation, uint32_t index,
	struct sdpower_i_local *sums)
{
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t weighted = sdpower_i_load(&record->source[0].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);
	const uint32_t first_idle = sdpower_i_load(&record->first_idle);
	const uint32_t load = index ? sdpower_i_load(&rest->target[index - 1]) : weighted;

	if (SDPOWER_UNLIKELY(!sdpower_i_record_held(record, generation, seq, serial)))
		return 0;
	sums->load += load;
	sums->weighted += weighted;
	sums->nr += nr;
	sums->first_idle = first_idle < sums->first_idle ? first_idle : sums->first_idle;
	return 1;
}

static inline void sdpower_i_widen(struct sdpower_i_spread *spread, uint32_t max, uint32_t min)
{
	spread->max = max > spread->max ? max : spread->max;
	spread->min = min < spread->min ? min : spread->min;
}

static inline int sdpower_i_add_spread(const struct sdpower_i_record *record,
	uint32_t generation, uint32_t index, struct sdpower_i_spread *spread)
{
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t load = sdpower_i_load(&record->source[index].sum);
	const uint32_t nr = sdpower_i_load(&record->nr);
	const uint32_t weighted = sdpower_i_load(&record->source[0].sum);
	const uint32_t per_task = sdpower_i_load(&record->per_task);
	const uint32_t max = sdpower_i_load(&record->source[index].max);
	const uint32_t min = sdpower_i_load(&record->source[index].min);

	if (SDPOWER_UNLIKELY(!sdpower_i_record_held(record, generation, seq, serial)))
		return 0;
	spread->sums.load += load;
	spread->sums.nr += nr;
	spread->weighted += weighted;
	spread->per_task += per_task;
	sdpower_i_widen(spread, max, min);
	return 1;
}

/* Blocks of a group that is a row of whole ones and may be read from records; else 0. */
static inline uint32_t sdpower_i_row_of(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group, uint32_t *block)
{
	const uint32_t blocks = sdpower_i_load16(&group->blocks);

	*block = sdpower_i_load16(&group->block);
	return SDPOWER_LIKELY(*block + blocks <= g->limit) ? blocks : 0;
}

/* The sums proper; groups are named by where they lie in the tree's array. */
static inline struct sdpower_i_sums sdpower_i_sum_other(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group)
{
	const uint32_t generation = g->view.generation, index = g->index;
	const struct sdpower_i_record *record, *end;
	struct sdpower_i_sums sums = { 0, 0 };
	uint32_t block, blocks = sdpower_i_row_of(g, group, &block);

	record = &g->s->records[block];
	for (end = record + blocks; record < end; record++)
		if (SDPOWER_UNLIKELY(!sdpower_i_add_record(record, generation, index, &sums)))
			break;
	if (SDPOWER_UNLIKELY(record < end || !blocks)) {
		struct sdpower_i_sums rest = sums;

		sdpower_i_sum_rest(g, group, block + blocks - (uint32_t)(end - record),
			block + blocks, &rest);
		sums = rest;
	}
	return sums;
}

static inline void sdpower_i_sum_local(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group, struct sdpower_i_local *to)
{
	struct sdpower_i_local sums = { .first_idle = SDPOWER_CPU_NONE };
	const uint32_t generation = g->view.generation, index = g->index;
	const struct sdpower_i_record *records = g->s->records;
	const struct sdpower_i_record_rest *rests = g->s->rests;
	uint32_t block, blocks = sdpower_i_row_of(g, group, &block);
	const uint32_t end = block + blocks;

	while (block < end && SDPOWER_LIKELY(sdpower_i_add_local(&records[block],
			&rests[block], generation, index, &sums)))
		block++;
	if (SDPOWER_UNLIKELY(block < end || !blocks)) {
		struct sdpower_i_local rest = sums;

		sdpower_i_local_rest(g, group, block, end, &rest);
		sums = rest;
	}
	*to = sums;
}

static inline void sdpower_i_spread_of(const struct sdpower_i_gather *g,
	const struct sdpower_i_group *group, struct sdpower_i_spread *to)
{
	struct sdpower_i_spread sums = { .min = UINT32_MAX };
	const uint32_t generation = g->view.generation, index = g->index;
	const struct sdpower_i_record *records = g->s->records;
	uint32_t block, blocks = sdpower_i_row_of(g, group, &block);
	const uint32_t end = block + blocks;

	while (block < end && SDPOWER_LIKELY(sdpower_i_add_spread(&records[block],
			generation, index, &sums)))
		block++;
	if (SDPOWER_UNLIKELY(block < end || !blocks)) {
		struct sdpower_i_spread rest = sums;

		sdpower_i_spread_rest(g, group, block, end, &rest);
		sums = rest;
	}
	*to = sums;
}

#endif
