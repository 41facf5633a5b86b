/* SPDX-License-Identifier: MIT */
/*
 * The sums of a group under the native rules: from block records where they are up to date
 * and the group is a row of whole blocks, else from slots (native_sums.c). Expanded where it
 * is used, as the sums of the classic rules are (group_sums.h).
 */
#ifndef SDPOWER_I_NATIVE_SUMS_H
#define SDPOWER_I_NATIVE_SUMS_H

#include "group_sums.h"
#include "native.h"

struct sdpower_i_native_sums {
	uint64_t load;      /* weighted loads now; only if asked for */
	uint64_t util;      /* shares of time; only if asked for */
	uint64_t capacity;  /* what is left of the cpus */
	uint32_t nr;        /* tasks */
	uint32_t unused;    /* cpus without tasks */
	uint32_t over;      /* cpus that must give tasks away; candidates only */
	uint32_t misfit;    /* cpus whose one task is too large for them; candidates only */
	uint32_t giver;     /* position of the cpu that gives first, where that is known; or NONE16 */
};

/* What is to be summed besides the counts. */
enum sdpower_i_native_depth {
	SDPOWER_I_SUM_COUNTS = 0,
	SDPOWER_I_SUM_CAPACITY = 1,
	SDPOWER_I_SUM_ALL = 3
};

/*
 * Sums under way: of the bytes of a record's counts the even and the odd ones, 16 bits each,
 * which the cpus of the largest machine fit.
 */
struct sdpower_i_native_lanes {
	uint64_t load, util;
	uint32_t capacity, nr, even, odd;
	uint32_t giver;      /* what the last record says */
};

#define SDPOWER_I_EVEN_BYTES 0x00ff00ffu

/* The slots of one block, or of the part of it that a group holds. */
struct sdpower_i_native_block {
	uint64_t load;
	uint32_t capacity, nr, unused, over;
	uint32_t giver;      /* position of the cpu that gives first, NONE16 = none must */
};

/* True iff no cpu is small, nobody else takes anything, nothing is stacked, and all may give. */
static inline int sdpower_i_plain(const struct sdpower_i_native_search *q)
{
	return !(q->s->forest.unequal || q->candidates.words || q->limits.stacking ||
		q->limits.outside) && q->s->forest.capacity[0] == SDPOWER_SCALE;
}

/* Plain questions only. */
struct sdpower_i_native_block sdpower_i_native_read_block(const struct sdpower_i_native_search *q,
	uint32_t block, uint32_t bits);

/* Blocks from `block` to `end` of a row, added to *sums; none: the whole group, by its runs. */
void sdpower_i_native_sum_rest(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t block, uint32_t end, enum sdpower_i_native_depth depth,
	struct sdpower_i_native_sums *sums);

/* 1 = added, 0 = the slots must be read. */
static SDPOWER_INLINE int sdpower_i_native_add(const struct sdpower_i_record *record,
	uint32_t generation, enum sdpower_i_native_depth depth, struct sdpower_i_native_lanes *lanes)
{
	const struct sdpower_i_crowd *crowd = &record->crowd;
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t nr = sdpower_i_load(&record->nr), counts = sdpower_i_load(&crowd->counts);
	const uint32_t giver = sdpower_i_load(&crowd->giver);
	const uint32_t capacity = depth & SDPOWER_I_SUM_CAPACITY ? sdpower_i_load(&crowd->capacity) : 0;
	const uint32_t load = depth == SDPOWER_I_SUM_ALL ? sdpower_i_load(&crowd->load) : 0;
	const uint32_t util = depth == SDPOWER_I_SUM_ALL ? sdpower_i_load(&crowd->util) : 0;

	if (SDPOWER_UNLIKELY(!sdpower_i_record_held(record, generation, seq, serial)))
		return 0;
	lanes->nr += nr;
	lanes->even += counts & SDPOWER_I_EVEN_BYTES;
	lanes->odd += counts >> 8 & SDPOWER_I_EVEN_BYTES;
	lanes->capacity += capacity;
	lanes->load += load;
	lanes->util += util;
	lanes->giver = giver;
	return 1;
}

/* The position a record names. What is no cpu of the block, or not in the tree, names nobody. */
static inline uint32_t sdpower_i_giver_of(const struct sdpower_i_native_search *q, uint32_t block,
	uint32_t giver)
{
	if (giver >= SDPOWER_I_BLOCK_CPUS || !(sdpower_i_active(q->view, block) >> giver & 1u))
		return SDPOWER_I_NONE16;
	return q->s->forest.blocks[block].first + giver;
}

static inline struct sdpower_i_native_sums sdpower_i_native_sums_of(
	const struct sdpower_i_native_lanes *lanes)
{
	struct sdpower_i_native_sums sums;

	sums.load = lanes->load;
	sums.util = lanes->util;
	sums.capacity = lanes->capacity;
	sums.nr = lanes->nr;
	sums.unused = lanes->even & 0xffffu;
	sums.misfit = lanes->even >> 16;
	sums.over = lanes->odd & 0xffffu;
	sums.giver = SDPOWER_I_NONE16;
	return sums;
}

/* Records, as many as may be read; what is left, or all of a ragged group, from slots. */
static SDPOWER_INLINE struct sdpower_i_native_sums sdpower_i_native_sum_row(
	const struct sdpower_i_native_search *q, uint32_t index, enum sdpower_i_native_depth depth)
{
	const struct sdpower_i_group *group = &q->view->tree->groups[index];
	const uint32_t generation = q->view->generation, first = sdpower_i_load16(&group->block);
	struct sdpower_i_native_lanes lanes = { 0, 0, 0, 0, 0, 0, 0 };
	const struct sdpower_i_record *record = &q->s->records[first], *end;
	struct sdpower_i_native_sums sums;
	uint32_t blocks = sdpower_i_load16(&group->blocks);

	if (SDPOWER_UNLIKELY(q->candidates.words || first + blocks > q->s->forest.block_count))
		blocks = 0;
	for (end = record + blocks; record < end; record++)
		if (SDPOWER_UNLIKELY(!sdpower_i_native_add(record, generation, depth, &lanes)))
			break;
	sums = sdpower_i_native_sums_of(&lanes);
	if (SDPOWER_UNLIKELY(record < end || !blocks)) {
		struct sdpower_i_native_sums rest = sums;

		sdpower_i_native_sum_rest(q, index, first + blocks - (uint32_t)(end - record),
			first + blocks, depth, &rest);
		sums = rest;
	} else if (depth == SDPOWER_I_SUM_COUNTS && blocks == 1 && sums.over) {
		sums.giver = sdpower_i_giver_of(q, first, lanes.giver);
	}
	return sums;
}

/*
 * Group by its index in the tree's array; depth COUNTS or ALL. As long as other programs take
 * nothing, the capacity that is left is the one the tree knows. Candidates always read slots.
 */
static SDPOWER_INLINE struct sdpower_i_native_sums sdpower_i_native_sum(
	const struct sdpower_i_native_search *q, uint32_t index, enum sdpower_i_native_depth depth)
{
	struct sdpower_i_native_sums sums;

	if (depth == SDPOWER_I_SUM_ALL)
		return sdpower_i_native_sum_row(q, index, SDPOWER_I_SUM_ALL);
	if (SDPOWER_UNLIKELY(q->limits.outside))
		return sdpower_i_native_sum_row(q, index, SDPOWER_I_SUM_CAPACITY);
	sums = sdpower_i_native_sum_row(q, index, SDPOWER_I_SUM_COUNTS);
	sums.capacity = sdpower_i_load(&q->view->tree->groups[index].power);
	return sums;
}

/* Moving one task lowers the sum of squares of tasks per capacity; one alone crowds nobody. */
static inline int sdpower_i_is_crowded(const struct sdpower_i_native_sums *local,
	const struct sdpower_i_native_sums *other)
{
	return other->nr > 1 && (2 * (uint64_t)other->nr - 1) * local->capacity >
		(2 * (uint64_t)local->nr + 1) * other->capacity;
}

/* Tasks that wait for a cpu. Counts of different moments may not fit together. */
static inline uint32_t sdpower_i_queued(const struct sdpower_i_native_sums *sums, uint32_t cpus)
{
	const uint32_t used = cpus > sums->unused ? cpus - sums->unused : 0;

	return sums->nr > used ? sums->nr - used : 0;
}

#endif
