/* SPDX-License-Identifier: MIT */
/* Rules P1 to P4 and P7: which cpu of a group gives, which takes; the question of D5 for native. */
#include "native_queue.h"

/* A larger cpu must be larger by more than this, per cent, to be worth a move. */
#define LARGER_PERCENT 105u

/* The best so far: most of something per something; of equals the highest cpu number gives. */
struct giver {
	uint32_t pos, cpu;
	uint64_t amount, per;
};

#define NOBODY { SDPOWER_I_NONE16, 0, 0, 1 }

static void consider(struct giver *best, uint32_t pos, uint32_t cpu, uint64_t amount, uint64_t per)
{
	const uint64_t mine = amount * best->per, its = best->amount * per;

	if (best->pos != SDPOWER_I_NONE16 && (mine < its || (mine == its && cpu < best->cpu)))
		return;
	*best = (struct giver){ pos, cpu, amount, per };
}

static struct sdpower_i_walk walk_of(const struct sdpower_i_native_search *q, uint32_t group)
{
	const struct sdpower_i_group g = sdpower_i_get_group(q->view, group);

	return sdpower_i_walk_of(q->view, g.run, g.runs);
}

static uint32_t local_group(const struct sdpower_i_native_search *q)
{
	return q->level.domain.group + q->level.link.own_group;
}

/* Groups that overlap share cpus; what the asker's own group holds is an inner level's matter. */
static int may_give(const struct sdpower_i_native_search *q, uint32_t pos)
{
	struct sdpower_i_group own;

	if (!sdpower_i_mask_has(q->candidates, q->s->forest.cpu_at[pos]))
		return 0;
	if (!(q->level.link.flags & SDPOWER_SD_OVERLAP))
		return 1;
	own = sdpower_i_get_group(q->view, local_group(q));
	return !sdpower_i_runs_hold(q->view, own.run, own.runs, pos);
}

/* A block, or the part of it that a group holds. */
struct neighbours {
	uint64_t load, capacity;
	uint32_t giver;     /* position of the cpu that gives first, NONE16 = none must */
};

static struct neighbours look_at_slots(const struct sdpower_i_native_search *q, uint32_t block,
	uint32_t bits)
{
	struct neighbours n = { 0, 0, SDPOWER_I_NONE16 };
	uint32_t pos = q->s->forest.blocks[block].first;
	struct giver best = NOBODY;

	for (; bits; bits >>= 1, pos++) {
		struct sdpower_i_cpu_view c;

		if (!(bits & 1u))
			continue;
		c = sdpower_i_look(q->s, pos);
		n.load += c.load;
		n.capacity += c.capacity;
		if (sdpower_i_is_over(&q->limits, &c) && may_give(q, pos))
			consider(&best, pos, q->s->forest.cpu_at[pos], c.load, c.capacity);
	}
	n.giver = best.pos;
	return n;
}

/* 1 = *n is filled, 0 = the slots must be read. */
static inline int look_at_record(const struct sdpower_i_native_search *q, uint32_t block,
	struct neighbours *n)
{
	const struct sdpower_i_record *record = &q->s->records[block];
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t counts = sdpower_i_load(&record->crowd.counts);
	const uint32_t giver = sdpower_i_load(&record->crowd.giver);

	n->load = sdpower_i_load(&record->crowd.load);
	n->capacity = sdpower_i_load(&record->crowd.capacity);
	n->giver = sdpower_i_count_of(counts, SDPOWER_I_OVER) ?
		sdpower_i_giver_of(q, block, giver) : SDPOWER_I_NONE16;
	return sdpower_i_record_held(record, q->view->generation, seq, serial);
}

/* The busiest neighbourhood so far; its sums are at hand where those of single cpus are not. */
struct busiest {
	uint32_t block, giver;
	uint64_t load, capacity;
};

static inline struct busiest busier(struct busiest best, uint32_t block, struct neighbours n)
{
	const uint64_t mine = n.load * best.capacity, its = best.load * n.capacity;

	if (n.giver == SDPOWER_I_NONE16 || mine < its || (mine == its && block < best.block))
		return best;
	best.block = block;
	best.giver = n.giver;
	best.load = n.load;
	best.capacity = n.capacity;
	return best;
}

/* A block whose record is out of date. */
static struct neighbours look_at_block(const struct sdpower_i_native_search *q, uint32_t block)
{
	const uint32_t bits = sdpower_i_active(q->view, block);
	struct sdpower_i_native_block b;

	if (!sdpower_i_plain(q))
		return look_at_slots(q, block, bits);
	b = sdpower_i_native_read_block(q, block, bits);
	return (struct neighbours){ b.load, b.capacity, b.giver };
}

/* A group of whole blocks all of whose cpus may give. */
static SDPOWER_NOINLINE uint32_t loaded_in_row(const struct sdpower_i_native_search *q, uint32_t block, uint32_t end)
{
	struct busiest best = { 0, SDPOWER_I_NONE16, 0, 0 };

	for (; block < end; block++) {
		struct neighbours n;

		if (SDPOWER_UNLIKELY(!look_at_record(q, block, &n)))
			n = look_at_block(q, block);
		best = busier(best, block, n);
	}
	return best.giver;
}

/* A group that is no row of whole blocks. */
static SDPOWER_NOINLINE uint32_t loaded_in_runs(const struct sdpower_i_native_search *q,
	uint32_t group)
{
	const struct sdpower_i_group g = sdpower_i_get_group(q->view, group);
	struct sdpower_i_span span = sdpower_i_span_of(g.run, g.runs);
	struct busiest best = { 0, SDPOWER_I_NONE16, 0, 0 };
	uint32_t block, bits;

	while (sdpower_i_span_next(&span, q->view, &block, &bits))
		best = busier(best, block,
			look_at_slots(q, block, bits & sdpower_i_active(q->view, block)));
	return best.giver;
}

uint32_t sdpower_i_native_loaded_any(const struct sdpower_i_native_search *q, uint32_t group)
{
	const struct sdpower_i_group *g = &q->view->tree->groups[group];
	const uint32_t first = sdpower_i_load16(&g->block), blocks = sdpower_i_load16(&g->blocks);

	if (SDPOWER_UNLIKELY(!blocks || first + blocks > q->s->forest.block_count))
		return loaded_in_runs(q, group);
	return loaded_in_row(q, first, first + blocks);
}

uint32_t sdpower_i_native_loaded(const struct sdpower_i_native_search *q, uint32_t group)
{
	return q->candidates.words || q->level.link.flags & SDPOWER_SD_OVERLAP ?
		loaded_in_runs(q, group) : sdpower_i_native_loaded_any(q, group);
}

uint32_t sdpower_i_native_misfit(const struct sdpower_i_native_search *q, uint32_t group)
{
	const uint64_t own = sdpower_i_capacity_left(q->s, q->pos);
	struct sdpower_i_walk walk = walk_of(q, group);
	struct giver best = NOBODY;
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const struct sdpower_i_cpu_view c = sdpower_i_look(q->s, pos);

		if (sdpower_i_is_misfit(&q->limits, &c) &&
				100u * own > (uint64_t)LARGER_PERCENT * c.capacity && may_give(q, pos))
			consider(&best, pos, q->s->forest.cpu_at[pos], c.util, c.capacity);
	}
	return best.pos;
}

static int is_used(const struct sdpower_i_native_search *q, uint32_t pos)
{
	return sdpower_i_load(&q->s->slots[pos].nr) != 0;
}

int sdpower_i_native_has_larger(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t capacity)
{
	struct sdpower_i_walk walk = walk_of(q, group);
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos))
		if (!is_used(q, pos) && (uint64_t)100 * sdpower_i_capacity_left(q->s, pos) >
				(uint64_t)LARGER_PERCENT * capacity)
			return 1;
	return 0;
}

static int same_core(const struct sdpower_i_native_search *q, uint32_t a, uint32_t b)
{
	const uint16_t *core = q->s->forest.key[SDPOWER_I_KEY_CORE];

	return core[a] == core[b] && core[a] != SDPOWER_I_NONE16;
}

/* True iff another thread of its core has tasks. Threads of a core are neighbours. */
static int shares_busy_core(const struct sdpower_i_native_search *q, uint32_t pos)
{
	uint32_t other;

	for (other = pos; other-- > 0 && same_core(q, other, pos); )
		if (is_used(q, other) && sdpower_i_is_active(q->view, other))
			return 1;
	for (other = pos + 1; other < q->s->forest.cpu_count && same_core(q, other, pos); other++)
		if (is_used(q, other) && sdpower_i_is_active(q->view, other))
			return 1;
	return 0;
}

/* Tasks and capacity of the node of a cpu. */
static void sum_node(const struct sdpower_i_native_search *q, uint32_t pos, uint64_t *nr,
	uint64_t *capacity)
{
	const struct sdpower_i_forest *f = &q->s->forest;
	const uint32_t node = f->key[SDPOWER_I_KEY_NODE][pos];

	*nr = *capacity = 0;
	for (uint32_t p = f->node_first[node]; p < f->node_first[node + 1]; p++) {
		if (!sdpower_i_is_active(q->view, p))
			continue;
		*nr += sdpower_i_load(&q->s->slots[p].nr);
		*capacity += sdpower_i_capacity_left(q->s, p);
	}
}

/*
 * Overlapping groups differ in tasks although the two nodes of a move do not, and would take
 * tasks from each other for ever; so the nodes themselves must differ.
 */
static int node_is_fuller(const struct sdpower_i_native_search *q, uint32_t pos)
{
	uint64_t nr, capacity, own_nr, own_capacity;

	sum_node(q, pos, &nr, &capacity);
	sum_node(q, q->pos, &own_nr, &own_capacity);
	return nr && (2 * nr - 1) * own_capacity > (2 * own_nr + 1) * capacity;
}

/* The asker may be smaller by what noise other programs make. */
static int is_large_enough(const struct sdpower_i_native_search *q, uint32_t pos)
{
	return (uint64_t)100 * sdpower_i_capacity_left(q->s, pos) <=
		(uint64_t)LARGER_PERCENT * sdpower_i_capacity_left(q->s, q->pos);
}

uint32_t sdpower_i_native_lower(const struct sdpower_i_native_search *q, uint32_t group)
{
	const struct sdpower_i_forest *f = &q->s->forest;
	const uint32_t own = sdpower_i_priority(f, q->pos);
	struct sdpower_i_walk walk = walk_of(q, group);
	struct giver best = NOBODY;
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos))
		if (is_used(q, pos) && sdpower_i_priority(f, pos) < own && may_give(q, pos) &&
				is_large_enough(q, pos))
			consider(&best, pos, f->cpu_at[pos], UINT16_MAX - sdpower_i_priority(f, pos), 1);
	return best.pos;
}

uint32_t sdpower_i_native_crowded(const struct sdpower_i_native_search *q, uint32_t group)
{
	const uint16_t *node = q->s->forest.key[SDPOWER_I_KEY_NODE];
	const int overlaps = (q->level.link.flags & SDPOWER_SD_OVERLAP) != 0;
	struct sdpower_i_walk walk = walk_of(q, group);
	struct giver best = NOBODY;
	uint32_t pos, last = SDPOWER_I_NONE16;
	int fuller = 1;

	while (sdpower_i_walk_next(&walk, &pos)) {
		if (overlaps && (last == SDPOWER_I_NONE16 || node[last] != node[pos]))
			fuller = node_is_fuller(q, pos);
		last = pos;
		if (fuller && is_used(q, pos) && may_give(q, pos) && is_large_enough(q, pos))
			consider(&best, pos, q->s->forest.cpu_at[pos],
				(uint64_t)shares_busy_core(q, pos), 1);
	}
	return best.pos;
}

/* Cpus that may speak for the asker's group, by ascending position. */
static struct sdpower_i_walk speakers(const struct sdpower_i_native_search *q)
{
	const struct sdpower_i_domain *d = &q->level.domain;

	if (d->mask_runs)
		return sdpower_i_walk_of(q->view, d->mask_run, d->mask_runs);
	return walk_of(q, local_group(q));
}

static int prefers_cores(const struct sdpower_i_native_search *q)
{
	return !(q->level.link.flags & SDPOWER_SD_SHARE_CPUPOWER) &&
		!sdpower_i_load(&q->view->tree->smt);
}

/* 0 is best. Others that are claimed have a task on its way. */
static uint32_t rank_of(const struct sdpower_i_native_search *q, uint32_t pos)
{
	const uint32_t status = sdpower_i_load(&q->s->slots[pos].status);

	if (is_used(q, pos) || (status == SDPOWER_I_CLAIMED && pos != q->pos))
		return 2;
	return prefers_cores(q) && shares_busy_core(q, pos);
}

uint32_t sdpower_i_native_taker(const struct sdpower_i_native_search *q, uint32_t unused)
{
	const struct sdpower_i_group own = sdpower_i_get_group(q->view, local_group(q));
	struct sdpower_i_walk walk = speakers(q);
	uint32_t pos, found = SDPOWER_I_NONE16, cpu = SDPOWER_CPU_NONE, rank = UINT32_MAX;

	if (!unused && !q->level.domain.mask_runs && own.first_cpu < q->s->forest.cpu_count)
		return q->s->forest.pos_of[own.first_cpu];
	while (sdpower_i_walk_next(&walk, &pos)) {
		const uint32_t r = rank_of(q, pos), c = q->s->forest.cpu_at[pos];

		if (r > rank || (r == rank && c > cpu))
			continue;
		found = pos;
		cpu = c;
		rank = r;
	}
	return found;
}

int sdpower_i_native_takes_well(const struct sdpower_i_native_search *q, uint32_t taker)
{
	return taker == q->pos || (taker != SDPOWER_I_NONE16 && rank_of(q, q->pos) <= rank_of(q, taker));
}

uint32_t sdpower_i_native_cores(const struct sdpower_i_native_search *q, uint32_t group)
{
	struct sdpower_i_walk walk = walk_of(q, group);
	uint32_t pos, last = SDPOWER_I_NONE16, cores = 0;

	while (sdpower_i_walk_next(&walk, &pos)) {
		cores += last == SDPOWER_I_NONE16 || !same_core(q, last, pos);
		last = pos;
	}
	return cores;
}

static sdpower_status check_request(const struct sdpower *s,
	const struct sdpower_queue_request *request, const struct sdpower_i_view *v)
{
	const uint32_t pos = request->domain.index / v->forest->depth_max;
	const uint32_t depth = request->domain.index % v->forest->depth_max;

	if (request->domain.generation != v->generation)
		return SDPOWER_ESTALE;
	return pos < s->forest.cpu_count && depth < sdpower_i_depth(v, pos) ? SDPOWER_OK :
		SDPOWER_ENOENT;
}

/* Who must give tasks away comes first; without such a cpu, whose running task could go. */
static uint32_t find_cpu(const struct sdpower_i_native_search *q, uint32_t group)
{
	const uint32_t pos = sdpower_i_native_loaded(q, group);

	return pos != SDPOWER_I_NONE16 ? pos : sdpower_i_native_crowded(q, group);
}

sdpower_status sdpower_i_native_find_queue(const struct sdpower *s,
	const struct sdpower_queue_request *request, struct sdpower_pick *pick)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
	sdpower_status status = check_request(s, request, &v);
	struct sdpower_i_native_search q;
	uint32_t pos = SDPOWER_I_NONE16;

	if (status)
		return status;
	sdpower_i_native_start(&q, s, &v, request->domain.index / v.forest->depth_max,
		request->domain.index % v.forest->depth_max);
	q.candidates = (struct sdpower_i_mask){ request->candidates, request->candidate_words };
	if (q.level.link.own_group >= q.level.domain.groups ||
			request->group >= q.level.domain.groups)
		status = SDPOWER_ENOENT;
	else
		pos = find_cpu(&q, sdpower_i_native_ring(&q, request->group));
	if (!sdpower_i_view_holds(&v))
		return SDPOWER_ESTALE;
	if (status)
		return status;
	*pick = pos == SDPOWER_I_NONE16 ?
		(struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU } :
		(struct sdpower_pick){ s->forest.cpu_at[pos], SDPOWER_REASON_IMBALANCE };
	return SDPOWER_OK;
}
