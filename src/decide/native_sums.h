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
};

/* Whether loads and shares are needed too. */
enum sdpower_i_native_depth {
	SDPOWER_I_SUM_COUNTS,
	SDPOWER_I_SUM_ALL
};

/* Blocks from `block` to `end` of a row, added to *sums; none: the whole group, by its runs. */
void sdpower_i_native_sum_rest(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t block, uint32_t end, struct sdpower_i_native_sums *sums);

/* Those positions of one block that `bits` names. */
void sdpower_i_native_sum_block(const struct sdpower_i_native_search *q, uint32_t block,
	uint32_t bits, struct sdpower_i_native_sums *sums);

/* 1 = added, 0 = the slots must be read. */
static inline int sdpower_i_native_add(const struct sdpower_i_record *record,
	uint32_t generation, enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *sums)
{
	const struct sdpower_i_crowd *crowd = &record->crowd;
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t nr = sdpower_i_load(&record->nr);
	const uint32_t capacity = sdpower_i_load(&crowd->capacity);
	const uint32_t unused = sdpower_i_load(&crowd->unused);
	const uint32_t over = sdpower_i_load(&crowd->over);
	const uint32_t misfit = sdpower_i_load(&crowd->misfit);
	const uint32_t load = depth == SDPOWER_I_SUM_ALL ? sdpower_i_load(&crowd->load) : 0;
	const uint32_t util = depth == SDPOWER_I_SUM_ALL ? sdpower_i_load(&crowd->util) : 0;

	if (SDPOWER_UNLIKELY(!sdpower_i_record_held(record, generation, seq, serial)))
		return 0;
	sums->nr += nr;
	sums->capacity += capacity;
	sums->unused += unused;
	sums->over += over;
	sums->misfit += misfit;
	sums->load += load;
	sums->util += util;
	return 1;
}

/* Group by its index in the tree's array. Candidates always read the slots. */
static inline struct sdpower_i_native_sums sdpower_i_native_sum(
	const struct sdpower_i_native_search *q, uint32_t index, enum sdpower_i_native_depth depth)
{
	const struct sdpower_i_group *group = &q->view->tree->groups[index];
	const uint32_t generation = q->view->generation, first = sdpower_i_load16(&group->block);
	struct sdpower_i_native_sums sums = { 0, 0, 0, 0, 0, 0, 0 };
	const struct sdpower_i_record *record = &q->s->records[first], *end;
	uint32_t blocks = sdpower_i_load16(&group->blocks);

	if (SDPOWER_UNLIKELY(q->candidates.words || first + blocks > q->s->forest.block_count))
		blocks = 0;
	for (end = record + blocks; record < end; record++)
		if (SDPOWER_UNLIKELY(!sdpower_i_native_add(record, generation, depth, &sums)))
			break;
	if (SDPOWER_UNLIKELY(record < end || !blocks)) {
		struct sdpower_i_native_sums rest = sums;

		sdpower_i_native_sum_rest(q, index, first + blocks - (uint32_t)(end - record),
			first + blocks, &rest);
		sums = rest;
	}
	return sums;
}

/* Tasks that wait for a cpu. Counts of different moments may not fit together. */
static inline uint32_t sdpower_i_queued(const struct sdpower_i_native_sums *sums, uint32_t cpus)
{
	const uint32_t used = cpus > sums->unused ? cpus - sums->unused : 0;

	return sums->nr > used ? sums->nr - used : 0;
}

#endif
