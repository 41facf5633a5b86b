/* SPDX-License-Identifier: MIT */
/* Rules W3 and W6: the best idle cpu among some, nearest first. */
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
	const uint16_t *core = q->view->forest->key[SDPOWER_I_KEY_CORE];

	if (core[pos] == SDPOWER_I_NONE16)
		return 1;
	for (uint32_t at = pos; at-- > 0 && core[at] == core[pos];)
		if (at_work(q, at))
			return 0;
	for (uint32_t at = pos + 1; at < q->view->forest->cpu_count && core[at] == core[pos]; at++)
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

int sdpower_i_seek_cpu(struct sdpower_i_seek *q, uint32_t pos)
{
	const struct sdpower_i_slot *slot = &q->s->slots[pos];
	const uint32_t status = sdpower_i_load(&slot->status);
	uint32_t rank;

	if (pos != q->self && (status != SDPOWER_I_IDLE || sdpower_i_load(&slot->nr))) {
		if (status == SDPOWER_I_RUNNING && q->awake == SDPOWER_I_NONE16 &&
		    !sdpower_i_load(&slot->nr) && sdpower_i_may_run(q, pos))
			q->awake = pos;
		return 0;
	}
	if (!sdpower_i_may_run(q, pos))
		return 0;
	rank = rank_of(q, pos);
	if (rank > q->rank || q->pos == SDPOWER_I_NONE16) {
		q->rank = rank;
		q->pos = pos;
	}
	return rank >= q->top;
}

/* A record that is up to date may spare the slots of a block in which every cpu has tasks. */
static int nobody_unused(const struct sdpower_i_seek *q, uint32_t block)
{
	const struct sdpower_i_record *record = &q->s->records[block];
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t counts = sdpower_i_load(&record->crowd.counts);

	return sdpower_i_record_held(record, q->view->generation, seq, serial) &&
		!sdpower_i_count_of(counts, SDPOWER_I_UNUSED);
}

static int seek_block(struct sdpower_i_seek *q, uint32_t block, uint32_t bits)
{
	uint32_t pos = q->view->forest->blocks[block].first;

	if (nobody_unused(q, block) && q->self == SDPOWER_I_NONE16)
		return 0;
	for (; bits; bits >>= 1, pos++)
		if (bits & 1u && sdpower_i_seek_cpu(q, pos))
			return 1;
	return 0;
}

/* Which positions of a block come at or behind `start`. */
static uint32_t from(uint32_t first, uint32_t start)
{
	if (start <= first)
		return UINT32_MAX;
	return start - first < SDPOWER_I_BLOCK_CPUS ? UINT32_MAX << (start - first) : 0;
}

int sdpower_i_seek_runs(struct sdpower_i_seek *q, uint32_t run, uint32_t runs, uint32_t start)
{
	const struct sdpower_i_view *v = q->view;

	for (uint32_t half = 0; half < 2; half++) {
		struct sdpower_i_span span = sdpower_i_span_of(run, runs);
		uint32_t block, bits;

		while (sdpower_i_span_next(&span, v, &block, &bits)) {
			const uint32_t behind = from(v->forest->blocks[block].first, start);

			bits &= sdpower_i_active(v, block) & (half ? ~behind : behind);
			if (!bits)
				continue;
			if (!q->blocks)
				return 0;
			q->blocks--;
			if (seek_block(q, block, bits))
				return 1;
		}
	}
	return 0;
}

uint32_t sdpower_i_cache_level(const struct sdpower_i_view *v, uint32_t pos)
{
	const uint32_t levels = sdpower_i_depth(v, pos);
	uint32_t found = SDPOWER_I_NO_LEVEL;

	for (uint32_t depth = 0; depth < levels; depth++) {
		if (!(sdpower_i_get_link(v, pos, depth).flags & SDPOWER_SD_SHARE_PKG))
			break;
		found = depth;
	}
	return found;
}

static struct sdpower_i_domain domain_at(const struct sdpower_i_view *v, uint32_t pos,
	uint32_t depth)
{
	return sdpower_i_get_domain(v, sdpower_i_get_link(v, pos, depth).domain);
}

int sdpower_i_same_cache(const struct sdpower_i_view *v, uint32_t a, uint32_t b)
{
	const uint32_t depth = sdpower_i_cache_level(v, a);
	struct sdpower_i_domain domain;

	if (a == b || depth == SDPOWER_I_NO_LEVEL)
		return a == b;
	domain = domain_at(v, a, depth);
	return sdpower_i_runs_hold(v, domain.run, domain.runs, b);
}

/* The level below first: the cluster that shares a smaller cache, or the own core. */
static uint32_t nearest_start(const struct sdpower_i_view *v, uint32_t pos, uint32_t depth)
{
	return depth ? sdpower_i_load16(&v->tree->runs[domain_at(v, pos, depth - 1).run].first) : pos;
}

int sdpower_i_seek_cache(struct sdpower_i_seek *q, uint32_t pos)
{
	const uint32_t depth = sdpower_i_cache_level(q->view, pos);
	struct sdpower_i_domain domain;

	q->blocks = UINT32_MAX;
	if (depth == SDPOWER_I_NO_LEVEL)
		return sdpower_i_seek_cpu(q, pos);
	domain = domain_at(q->view, pos, depth);
	return sdpower_i_seek_runs(q, domain.run, domain.runs, nearest_start(q->view, pos, depth));
}

/* The other groups of a level, in ring order. */
static void seek_groups(struct sdpower_i_seek *q, const struct sdpower_i_link *link)
{
	const struct sdpower_i_domain domain = sdpower_i_get_domain(q->view, link->domain);

	for (uint32_t nth = 1; nth < domain.groups && link->own_group < domain.groups; nth++) {
		const uint32_t i = (link->own_group + nth) % domain.groups;
		const struct sdpower_i_group group = sdpower_i_get_group(q->view, domain.group + i);

		if (sdpower_i_seek_runs(q, group.run, group.runs, 0) || q->rank & SDPOWER_I_FITS ||
		    !q->blocks)
			return;
	}
}

void sdpower_i_seek_far(struct sdpower_i_seek *q, uint32_t pos)
{
	const uint32_t levels = sdpower_i_depth(q->view, pos);

	q->blocks = SDPOWER_I_FAR_BLOCKS;
	for (uint32_t depth = sdpower_i_cache_level(q->view, pos) + 1; depth < levels; depth++) {
		const struct sdpower_i_link link = sdpower_i_get_link(q->view, pos, depth);

		if (q->rank & SDPOWER_I_FITS || !q->blocks)
			return;
		/* An idle cpu is left for a far one only where cpus are of different size. */
		if (q->pos == SDPOWER_I_NONE16 || link.flags & SDPOWER_SD_ASYM_CPUCAPACITY)
			seek_groups(q, &link);
	}
}

uint32_t sdpower_i_seek_shared(const struct sdpower_i_seek *q, uint32_t pos)
{
	const uint32_t depth = sdpower_i_cache_level(q->view, pos);
	uint32_t found = SDPOWER_I_NONE16, least = UINT32_MAX;
	struct sdpower_i_domain domain;
	struct sdpower_i_walk walk;

	if (!q->fill || depth == SDPOWER_I_NO_LEVEL)
		return q->fill && sdpower_i_may_run(q, pos) && sdpower_i_fits_beside(q, pos) ? pos : found;
	domain = domain_at(q->view, pos, depth);
	walk = sdpower_i_walk_of(q->view, domain.run, domain.runs);
	while (sdpower_i_walk_next(&walk, &pos)) {
		const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);
		uint32_t room;

		if (!sdpower_i_fits_beside(q, pos) || !sdpower_i_may_run(q, pos))
			continue;
		room = c.capacity - c.util;
		if (room >= least)
			continue;
		least = room;
		found = pos;
	}
	return found;
}

uint32_t sdpower_i_seek_least(const struct sdpower_i_seek *q, uint32_t run, uint32_t runs,
	uint32_t asker)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(q->view, run, runs);
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

uint32_t sdpower_i_first_permitted(const struct sdpower_i_view *v, struct sdpower_i_mask affinity)
{
	for (sdpower_cpu cpu = 0; cpu < v->forest->cpu_count; cpu++)
		if (sdpower_i_mask_has(affinity, cpu) &&
		    sdpower_i_is_active(v, v->forest->pos_of[cpu]))
			return v->forest->pos_of[cpu];
	return SDPOWER_I_NONE16;
}
