/* SPDX-License-Identifier: MIT */
/* Rules W3 and W6: the best free cpu among some, nearest first. */
#include "group_sums.h"
#include "native_wake.h"

void sdpower_i_seek_start(struct sdpower_i_seek *q, const struct sdpower *s,
	const struct sdpower_i_view *v, struct sdpower_i_mask affinity, uint32_t util)
{
	const uint32_t mc = sdpower_i_load(&v->tree->mc), smt = sdpower_i_load(&v->tree->smt);

	q->s = s;
	q->view = v;
	q->affinity = affinity;
	q->demand = util ? util : SDPOWER_SCALE;
	q->fit_percent = sdpower_i_load(&s->tuning.fit_percent);
	q->fill = mc == 2 && smt == 2 && util ? sdpower_i_load(&s->tuning.fill_percent) : 0;
	q->level = mc > smt ? mc : smt;
	q->threads = smt > 0;
	q->small = q->threads & v->forest->unequal;
	/* Where cpus differ, the best one is known only after all have been seen. */
	q->top = v->forest->unequal || v->forest->priority ? UINT32_MAX : SDPOWER_I_FITS | 1u << 30;
	q->self = SDPOWER_I_NONE16;
	q->blocks = UINT32_MAX;
	q->pos = SDPOWER_I_NONE16;
	q->rank = 0;
	q->awake = SDPOWER_I_NONE16;
	q->avoided = 0;
}

static int at_work(const struct sdpower_i_seek *q, uint32_t pos)
{
	return sdpower_i_is_active(q->view, pos) && !sdpower_i_unused(q->s, pos);
}

/* Threads of a core are neighbours by position. */
static int core_is_idle(const struct sdpower_i_seek *q, uint32_t pos)
{
	const struct sdpower_i_forest *f = q->view->forest;
	const uint16_t *core = f->key[SDPOWER_I_KEY_CORE];

	if (!f->threads || core[pos] == SDPOWER_I_NONE16)
		return 1;
	for (uint32_t at = pos; at-- > 0 && core[at] == core[pos];)
		if (at_work(q, at))
			return 0;
	for (uint32_t at = pos + 1; at < f->cpu_count && core[at] == core[pos]; at++)
		if (at_work(q, at))
			return 0;
	return 1;
}

/*
 * Higher is better. A cpu that fits: the wanted kind of core, then the smaller one if asked
 * for, then priority. One that does not: the larger one, the kind of core, priority.
 */
static uint32_t rank_of(const struct sdpower_i_seek *q, uint32_t pos)
{
	const uint32_t capacity = sdpower_i_capacity_left(q->s, pos);
	const uint32_t wanted = (uint32_t)core_is_idle(q, pos) ^ q->threads;
	const uint32_t priority = sdpower_i_priority(q->view->forest, pos) << 3;

	if (!sdpower_i_fits(q, capacity))
		return capacity << 20 | wanted << 19 | priority;
	return SDPOWER_I_FITS | wanted << 30 | (q->small ? (SDPOWER_SCALE - capacity) << 19 : 0) |
		priority;
}

/* An idle cpu of the tree is compared with the best so far; 1 = it cannot be bettered. */
static int compare(struct sdpower_i_seek *q, uint32_t pos)
{
	const uint32_t rank = rank_of(q, pos);

	if (rank > q->rank || q->pos == SDPOWER_I_NONE16) {
		q->rank = rank;
		q->pos = pos;
	}
	return rank >= q->top;
}

static int look(struct sdpower_i_seek *q, uint32_t pos)
{
	const struct sdpower_i_slot *slot = &q->s->slots[pos];
	const uint32_t status = sdpower_i_load(&slot->status);

	if (sdpower_i_load(&slot->nr) ||
	    !sdpower_i_mask_has(q->affinity, q->view->forest->cpu_at[pos]))
		return 0;
	if (SDPOWER_LIKELY(status == SDPOWER_I_IDLE))
		return compare(q, pos);
	if (status == SDPOWER_I_RUNNING && q->awake == SDPOWER_I_NONE16)
		q->awake = pos;
	return 0;
}

int sdpower_i_seek_cpu(struct sdpower_i_seek *q, uint32_t pos)
{
	if (!sdpower_i_is_active(q->view, pos))
		return 0;
	if (pos == q->self && sdpower_i_mask_has(q->affinity, q->view->forest->cpu_at[pos]))
		return compare(q, pos);
	return look(q, pos);
}

/* The cpus of a block that may be without tasks: all, unless an up-to-date record knows. */
static uint32_t maybe_unused(const struct sdpower_i_seek *q, uint32_t block)
{
	const struct sdpower_i_record *record = &q->s->records[block];
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t unused = sdpower_i_load(&record->crowd.unused);

	return sdpower_i_record_held(record, q->view->generation, seq, serial) ? unused : UINT32_MAX;
}

/* Positions from `first` up to `end`, block by block. */
static int seek_range(struct sdpower_i_seek *q, uint32_t first, uint32_t end)
{
	const struct sdpower_i_forest *f = q->view->forest;

	while (first < end && q->blocks) {
		const uint32_t block = f->block_at[first], base = f->blocks[block].first;
		const uint32_t next = base + f->blocks[block].count;
		uint32_t bits = sdpower_i_active(q->view, block) & maybe_unused(q, block);
		uint32_t pos = first;

		q->blocks--;
		if (end < next)
			bits &= (1u << (end - base)) - 1u;
		for (bits >>= first - base; bits; bits >>= 1, pos++)
			if (bits & 1u && look(q, pos))
				return 1;
		first = next;
	}
	return 0;
}

int sdpower_i_seek_area(struct sdpower_i_seek *q, struct sdpower_i_area area, uint32_t start)
{
	const struct sdpower_i_run *run = &q->view->tree->runs[area.run];

	for (uint32_t i = 0; i < 2 * area.runs; i++) {
		const struct sdpower_i_run *r = &run[i < area.runs ? i : i - area.runs];
		uint32_t first = sdpower_i_load16(&r->first);
		uint32_t end = first + sdpower_i_load16(&r->count);

		if (SDPOWER_UNLIKELY(end > q->view->forest->cpu_count))
			return 0;
		if (i < area.runs)
			first = first < start ? start : first;
		else
			end = end < start ? end : start;
		if (seek_range(q, first, end))
			return 1;
	}
	return 0;
}

void sdpower_i_seek_near(struct sdpower_i_seek *q, uint32_t pos)
{
	const uint32_t levels = sdpower_i_depth(q->view, pos);
	uint32_t depth = 0;

	while (depth < levels && sdpower_i_flags_at(q->view, pos, depth) & SDPOWER_SD_SHARE_PKG)
		depth++;
	q->near.pos = pos;
	q->near.depth = depth ? depth - 1 : SDPOWER_I_NO_LEVEL;
	q->near.area.run = q->near.area.runs = 0;
	if (depth)
		q->near.area = sdpower_i_area_at(q->view, pos, depth - 1);
}

int sdpower_i_is_near(const struct sdpower_i_seek *q, uint32_t pos)
{
	return pos == q->near.pos ||
		sdpower_i_runs_hold(q->view, q->near.area.run, q->near.area.runs, pos);
}

/* Where the search begins: at the cluster that shares a smaller cache, or at the own core. */
static uint32_t nearest_start(const struct sdpower_i_seek *q)
{
	struct sdpower_i_area area;

	if (!q->near.depth)
		return q->near.pos;
	area = sdpower_i_area_at(q->view, q->near.pos, q->near.depth - 1);
	return area.runs ? sdpower_i_load16(&q->view->tree->runs[area.run].first) : q->near.pos;
}

int sdpower_i_seek_cache(struct sdpower_i_seek *q)
{
	q->blocks = UINT32_MAX;
	if (q->near.depth == SDPOWER_I_NO_LEVEL)
		return sdpower_i_seek_cpu(q, q->near.pos);
	return sdpower_i_seek_area(q, q->near.area, nearest_start(q));
}

/* The other groups of a level, in ring order. */
static void seek_groups(struct sdpower_i_seek *q, const struct sdpower_i_link *link)
{
	const struct sdpower_i_domain domain = sdpower_i_get_domain(q->view, link->domain);
	uint32_t group = domain.group + link->own_group;

	for (uint32_t nth = 1; nth < domain.groups; nth++) {
		if (++group >= domain.group + domain.groups)
			group = domain.group;
		if (sdpower_i_seek_area(q, sdpower_i_area_of_group(q->view, group), 0) ||
		    q->rank & SDPOWER_I_FITS || !q->blocks)
			return;
	}
}

void sdpower_i_seek_far(struct sdpower_i_seek *q)
{
	const uint32_t pos = q->near.pos, levels = sdpower_i_depth(q->view, pos);

	q->blocks = SDPOWER_I_FAR_BLOCKS;
	for (uint32_t depth = q->near.depth + 1; depth < levels; depth++) {
		struct sdpower_i_link link;

		if (q->rank & SDPOWER_I_FITS || !q->blocks)
			return;
		link = sdpower_i_get_link(q->view, pos, depth);
		/* An idle cpu is left for a far one only where cpus are of different size. */
		if (q->pos == SDPOWER_I_NONE16 || link.flags & SDPOWER_SD_ASYM_CPUCAPACITY)
			seek_groups(q, &link);
	}
}

uint32_t sdpower_i_seek_shared(const struct sdpower_i_seek *q)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(q->view, q->near.area.run, q->near.area.runs);
	uint32_t pos, found = SDPOWER_I_NONE16, least = UINT32_MAX;

	if (!q->fill)
		return SDPOWER_I_NONE16;
	if (q->near.depth == SDPOWER_I_NO_LEVEL)
		return sdpower_i_shares(q, q->near.pos) ? q->near.pos : SDPOWER_I_NONE16;
	while (sdpower_i_walk_next(&walk, &pos)) {
		const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);

		if (!sdpower_i_shares(q, pos) || c.capacity - c.util >= least)
			continue;
		least = c.capacity - c.util;
		found = pos;
	}
	return found;
}

uint32_t sdpower_i_seek_least(const struct sdpower_i_seek *q, struct sdpower_i_area area,
	uint32_t asker)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(q->view, area.run, area.runs);
	uint32_t pos, found = SDPOWER_I_NONE16;
	uint64_t load = 0, capacity = 1;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);
		const uint64_t less = load * c.capacity, more = c.load * capacity;

		if (!sdpower_i_may_run(q, pos) || c.status == SDPOWER_I_CLAIMED)
			continue;
		if (found != SDPOWER_I_NONE16 && (more > less || (more == less && pos != asker)))
			continue;
		found = pos;
		load = c.load;
		capacity = c.capacity;
	}
	return found;
}

uint32_t sdpower_i_first_of(const struct sdpower_i_seek *q, uint32_t group)
{
	const struct sdpower_i_area area = sdpower_i_area_of_group(q->view, group);
	struct sdpower_i_walk walk = sdpower_i_walk_of(q->view, area.run, area.runs);
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos))
		if (sdpower_i_may_run(q, pos))
			return pos;
	return SDPOWER_I_NONE16;
}

uint32_t sdpower_i_first_permitted(const struct sdpower_i_view *v, struct sdpower_i_mask affinity)
{
	for (sdpower_cpu cpu = 0; cpu < v->forest->cpu_count; cpu++)
		if (sdpower_i_mask_has(affinity, cpu) &&
		    sdpower_i_is_active(v, v->forest->pos_of[cpu]))
			return v->forest->pos_of[cpu];
	return SDPOWER_I_NONE16;
}
