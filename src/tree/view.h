/* SPDX-License-Identifier: MIT */
/*
 * How readers look at a tree that may be replaced under them: take a view, read through the
 * accessors, and believe the result only if the view still holds at the end. Every word is a
 * single load and every index is clamped, so a reader that lost the race reads nonsense but
 * never outside the arrays and never without end.
 */
#ifndef SDPOWER_I_VIEW_H
#define SDPOWER_I_VIEW_H

#include "tree.h"

/* Times a question is asked again when the tree was replaced under it. */
#define SDPOWER_I_TRIES 2u

struct sdpower_i_view {
	const struct sdpower_i_forest *forest;
	const struct sdpower_i_tree *tree;
	uint32_t generation;
};

static inline struct sdpower_i_view sdpower_i_view_of(const struct sdpower_i_forest *f)
{
	struct sdpower_i_view v;

	v.forest = f;
	v.generation = sdpower_i_load_acquire(&f->generation);
	v.tree = &f->trees[v.generation & 1u];
	return v;
}

/* True iff nothing read through the view can have come from a later tree. */
static inline int sdpower_i_view_holds(const struct sdpower_i_view *v)
{
	sdpower_i_fence_read();
	return sdpower_i_load(&v->forest->generation) == v->generation;
}

static inline uint32_t sdpower_i_below(uint32_t index, uint32_t limit)
{
	return SDPOWER_LIKELY(index < limit) ? index : 0;
}

/* Higher is to be used first; 0 where all are alike. */
static inline uint32_t sdpower_i_priority(const struct sdpower_i_forest *f, uint32_t pos)
{
	return f->priority ? f->priority[pos] : 0;
}

/* Levels of the chain of a position; 0 = in no domain. */
static inline uint32_t sdpower_i_depth(const struct sdpower_i_view *v, uint32_t pos)
{
	const uint32_t depth = sdpower_i_load16(&v->tree->depth[pos]);

	return depth <= v->forest->depth_max ? depth : v->forest->depth_max;
}

static inline const struct sdpower_i_link *sdpower_i_link_at(const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth)
{
	return &v->tree->links[(size_t)pos * v->forest->depth_max + depth];
}

/* A copy of a link; depth must be below sdpower_i_depth. */
static inline struct sdpower_i_link sdpower_i_get_link(const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth)
{
	const struct sdpower_i_link *l = sdpower_i_link_at(v, pos, depth);
	struct sdpower_i_link r;

	r.flags = sdpower_i_load(&l->flags);
	r.imb_numa_nr = sdpower_i_load(&l->imb_numa_nr);
	r.domain = sdpower_i_load16(&l->domain);
	r.own_group = sdpower_i_load16(&l->own_group);
	return r;
}

/* A copy of a domain. Counts are clamped so that group + i and run + i stay inside. */
static inline struct sdpower_i_domain sdpower_i_get_domain(const struct sdpower_i_view *v,
	uint32_t index)
{
	const struct sdpower_i_bounds *b = &v->forest->bounds;
	const struct sdpower_i_domain *d = &v->tree->domains[sdpower_i_below(index, b->domains)];
	struct sdpower_i_domain r;

	r.group = sdpower_i_load(&d->group);
	r.run = sdpower_i_load(&d->run);
	r.mask_run = sdpower_i_load(&d->mask_run);
	r.groups = sdpower_i_load16(&d->groups);
	r.runs = sdpower_i_load16(&d->runs);
	r.mask_runs = sdpower_i_load16(&d->mask_runs);
	r.level = sdpower_i_load16(&d->level);
	r.weight = sdpower_i_load16(&d->weight);
	r.first_cpu = sdpower_i_load16(&d->first_cpu);
	r.numa = sdpower_i_load16(&d->numa);
	r.mask_weight = sdpower_i_load16(&d->mask_weight);
	if (SDPOWER_UNLIKELY(r.group + r.groups > b->groups || r.run + r.runs > b->runs ||
			r.mask_run + r.mask_runs > b->runs || r.level >= SDPOWER_I_LEVELS))
		r.groups = r.runs = r.mask_runs = r.level = 0;
	return r;
}

/* A copy of a group, index counted over the whole tree (domain.group + i). */
static inline struct sdpower_i_group sdpower_i_get_group(const struct sdpower_i_view *v,
	uint32_t index)
{
	const struct sdpower_i_bounds *b = &v->forest->bounds;
	const struct sdpower_i_group *g = &v->tree->groups[sdpower_i_below(index, b->groups)];
	struct sdpower_i_group r;

	r.power = sdpower_i_load(&g->power);
	r.run = sdpower_i_load(&g->run);
	r.runs = sdpower_i_load16(&g->runs);
	r.first_cpu = sdpower_i_load16(&g->first_cpu);
	r.weight = sdpower_i_load16(&g->weight);
	r.block = sdpower_i_load16(&g->block);
	r.blocks = sdpower_i_load16(&g->blocks);
	if (SDPOWER_UNLIKELY(r.run + r.runs > b->runs || r.block + r.blocks > b->blocks))
		r.runs = r.blocks = 0;
	return r;
}

/*
 * Walks runs block by block: each step gives a block and which of its 16 positions the runs
 * hold (bit i = position blocks[block].first + i). Positions in no tree may be among them:
 * `mask & active` are the cpus, and the block is covered whole iff
 * (mask & active) == active.
 */
struct sdpower_i_span {
	uint32_t run, runs;      /* still to come */
	uint32_t first, count;   /* rest of the current run */
};

static inline struct sdpower_i_span sdpower_i_span_of(uint32_t run, uint32_t runs)
{
	struct sdpower_i_span s;

	s.run = run;
	s.runs = runs;
	s.first = 0;
	s.count = 0;
	return s;
}

static inline int sdpower_i_span_next(struct sdpower_i_span *s, const struct sdpower_i_view *v,
	uint32_t *block, uint32_t *mask)
{
	const struct sdpower_i_forest *f = v->forest;
	uint32_t offset, n;

	if (s->count == 0) {
		if (s->runs == 0)
			return 0;
		s->first = sdpower_i_load16(&v->tree->runs[s->run].first);
		s->count = sdpower_i_load16(&v->tree->runs[s->run].count);
		s->run++;
		s->runs--;
		if (SDPOWER_UNLIKELY(s->count == 0 || s->first + s->count > f->cpu_count))
			return 0;
	}
	*block = f->block_at[s->first];
	offset = s->first - f->blocks[*block].first;
	n = f->blocks[*block].count - offset;
	if (n > s->count)
		n = s->count;
	*mask = ((1u << n) - 1u) << offset;
	s->first += n;
	s->count -= n;
	return 1;
}

/* Positions of a block that are in this tree. */
static inline uint32_t sdpower_i_active(const struct sdpower_i_view *v, uint32_t block)
{
	return sdpower_i_load16(&v->tree->active[block]);
}

/* True iff the position is in one of the runs (active or not). */
static inline int sdpower_i_runs_hold(const struct sdpower_i_view *v, uint32_t run,
	uint32_t runs, uint32_t pos)
{
	for (uint32_t i = run; i < run + runs; i++) {
		const uint32_t first = sdpower_i_load16(&v->tree->runs[i].first);

		if (pos - first < sdpower_i_load16(&v->tree->runs[i].count))
			return 1;
	}
	return 0;
}

#endif
