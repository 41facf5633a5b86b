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

/*
 * Who gives first has the largest key: most load; of equals the higher cpu number. No branch depends
 * on what the cpus do: nobody can predict that.
 */
static inline uint64_t key_of(uint32_t over, uint32_t load, uint32_t cpu)
{
	return (0 - (uint64_t)over) & ((uint64_t)load << 16 | cpu);
}

struct sdpower_i_native_block sdpower_i_native_read_block(const struct sdpower_i_native_search *q,
	uint32_t block, uint32_t bits)
{
	const struct sdpower_i_forest *f = &q->s->forest;
	const uint32_t first = f->blocks[block].first;
	const struct sdpower_i_slot *slot = &q->s->slots[first];
	const uint16_t *cpu = &f->cpu_at[first];
	uint32_t nr = 0, counts = 0; /* of a block's 16 cpus at most: all, unused, over; a byte each */
	uint64_t load = 0, best = 0;

	for (; bits; bits >>= 1, slot++, cpu++) {
		const uint32_t its_nr = sdpower_i_load(&slot->nr), its = sdpower_i_load(&slot->load);
		const uint32_t over = its_nr > 1;
		const uint64_t key = key_of(over, its, *cpu);

		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		counts += 1u + ((uint32_t)(its_nr == 0) << 8) + (over << 16);
		nr += its_nr;
		load += its;
		best = key > best ? key : best;
	}
	return (struct sdpower_i_native_block){ load, (counts & 0xffu) * SDPOWER_SCALE, nr,
		counts >> 8 & 0xffu, counts >> 16,
		counts >> 16 ? f->pos_of[best & 0xffffu] : SDPOWER_I_NONE16 };
}

/* The usual machine: all cpus alike, nobody else takes anything, nothing is stacked. */
static inline void add_slots(const struct sdpower_i_native_search *q, uint32_t pos, uint32_t bits,
	enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *to)
{
	const struct sdpower_i_slot *slot = &q->s->slots[pos];
	struct sdpower_i_native_sums sums = *to;

	for (; bits; bits >>= 1, slot++) {
		const uint32_t nr = sdpower_i_load(&slot->nr);

		if (SDPOWER_UNLIKELY(!(bits & 1u)))
			continue;
		sums.capacity += SDPOWER_SCALE;
		sums.nr += nr;
		sums.unused += nr == 0;
		sums.over += nr > 1;
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

	if (SDPOWER_UNLIKELY(!sdpower_i_plain(q)))
		add_views(q, pos, bits, sums);
	else if (depth == SDPOWER_I_SUM_ALL)
		add_slots(q, pos, bits, SDPOWER_I_SUM_ALL, sums);
	else
		add_slots(q, pos, bits, SDPOWER_I_SUM_COUNTS, sums);
}

/* A group of one block: who gives first is found in the same pass. */
static void set_one(const struct sdpower_i_native_search *q, uint32_t block,
	struct sdpower_i_native_sums *sums)
{
	const struct sdpower_i_native_block b = sdpower_i_native_read_block(q, block,
		sdpower_i_active(q->view, block));

	sums->capacity = b.capacity;
	sums->nr = b.nr;
	sums->unused = b.unused;
	sums->over = b.over;
	sums->giver = b.giver;
}

static void add_block(const struct sdpower_i_native_search *q, uint32_t block, uint32_t bits,
	enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *sums)
{
	const uint32_t active = sdpower_i_active(q->view, block);
	struct sdpower_i_native_lanes lanes = { 0, 0, 0, 0, 0, 0, 0 };
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

static SDPOWER_NOINLINE void sum_runs(const struct sdpower_i_native_search *q, uint32_t group,
	enum sdpower_i_native_depth depth, struct sdpower_i_native_sums *sums)
{
	const struct sdpower_i_group g = sdpower_i_get_group(q->view, group);
	struct sdpower_i_span span = sdpower_i_span_of(g.run, g.runs);
	uint32_t block, bits;

	while (sdpower_i_span_next(&span, q->view, &block, &bits))
		add_block(q, block, bits, depth, sums);
}

void sdpower_i_native_sum_rest(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t block, uint32_t end, enum sdpower_i_native_depth depth,
	struct sdpower_i_native_sums *sums)
{
	if (block >= end) {
		sum_runs(q, group, depth, sums);
		return;
	}
	if (depth != SDPOWER_I_SUM_ALL && sdpower_i_plain(q) &&
			sdpower_i_load16(&q->view->tree->groups[group].blocks) == 1) {
		set_one(q, block, sums);
		return;
	}
	/* This one's record is out of date. */
	add_bits(q, block, sdpower_i_active(q->view, block), depth, sums);
	while (++block < end)
		add_block(q, block, UINT32_MAX, depth, sums);
}
