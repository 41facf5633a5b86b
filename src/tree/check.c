/* SPDX-License-Identifier: MIT */
/* Does a tree hold what docs/POLICY.md B16 promises? */
#include "check.h"

#include <sdpower/instance.h>

#include "../topology/diag.h"

/* What is being looked at, for the message. */
struct looking {
	const struct sdpower_i_forest *f;
	const struct sdpower_i_tree *t;
	struct sdpower_diag *diag;
	uint32_t pos, depth;
};

static sdpower_status wrong(const struct looking *l, const char *what)
{
	sdpower_i_diag_start(l->diag, SDPOWER_ECORRUPT);
	sdpower_i_diag_str(l->diag, "cpu ");
	sdpower_i_diag_u32(l->diag, l->f->cpu_at[l->pos]);
	sdpower_i_diag_str(l->diag, " depth ");
	sdpower_i_diag_u32(l->diag, l->depth);
	sdpower_i_diag_str(l->diag, ": ");
	sdpower_i_diag_str(l->diag, what);
	return SDPOWER_ECORRUPT;
}

static const struct sdpower_i_link *link_at(const struct looking *l, uint32_t depth)
{
	return &l->t->links[(size_t)l->pos * l->f->depth_max + depth];
}

/* Adds 1 to the mark of every cpu of the runs; counts cpus, and the lowest number. */
static const char *mark_runs(const struct looking *l, uint32_t run, uint32_t runs, uint32_t *weight,
	uint32_t *lowest)
{
	uint16_t *mark = l->f->scratch->first_of;
	uint32_t end = 0;

	*weight = 0;
	*lowest = SDPOWER_CPU_NONE;
	if (runs == 0 || run + runs > l->t->run_count)
		return "runs lie outside the tree";
	for (uint32_t i = run; i < run + runs; i++) {
		const struct sdpower_i_run *r = &l->t->runs[i];

		if (r->count == 0 || r->first < end || (uint32_t)r->first + r->count > l->f->cpu_count)
			return "runs are not ascending";
		end = (uint32_t)r->first + r->count;
		for (uint32_t pos = r->first; pos < end; pos++) {
			if (!sdpower_i_in_map(l->t, pos))
				continue;
			if (l->t->partition[pos] != l->t->partition[l->pos])
				return "a span crosses partitions";
			mark[pos]++;
			(*weight)++;
			if (l->f->cpu_at[pos] < *lowest)
				*lowest = l->f->cpu_at[pos];
		}
	}
	return NULL;
}

static const char *check_groups(const struct looking *l, const struct sdpower_i_domain *d)
{
	uint32_t weight, lowest;

	if (d->groups == 0 || d->group + d->groups > l->t->group_count)
		return "groups lie outside the tree";
	for (uint32_t i = 0; i < d->groups; i++) {
		const struct sdpower_i_group *g = &l->t->groups[d->group + i];
		const char *what = mark_runs(l, g->run, g->runs, &weight, &lowest);

		if (what)
			return what;
		if (weight == 0 || weight != g->weight || lowest != g->first_cpu)
			return "a group's weight or first cpu is wrong";
		if (g->power == 0)
			return "a group has no power";
	}
	return NULL;
}

static int in_runs(const struct looking *l, uint32_t run, uint32_t runs)
{
	for (uint32_t i = run; i < run + runs; i++)
		if (l->pos - l->t->runs[i].first < l->t->runs[i].count)
			return 1;
	return 0;
}

/* Marks after both passes: groups leave 1 (or more where they overlap), the span adds 1. */
static const char *check_cover(const struct looking *l, const struct sdpower_i_domain *d)
{
	const uint16_t *mark = l->f->scratch->first_of;
	uint32_t weight, lowest;
	const char *what = mark_runs(l, d->run, d->runs, &weight, &lowest);

	if (what)
		return what;
	if (weight != d->weight || lowest != d->first_cpu)
		return "weight or first cpu of the span is wrong";
	for (uint32_t i = d->run; i < d->run + d->runs; i++)
		for (uint32_t pos = l->t->runs[i].first, n = l->t->runs[i].count; n; n--, pos++) {
			if (sdpower_i_in_map(l->t, pos) && mark[pos] < 2)
				return "groups do not cover the span";
			if (sdpower_i_in_map(l->t, pos) && mark[pos] > 2 && d->mask_runs == 0)
				return "groups are not disjoint";
		}
	return NULL;
}

static const char *check_domain(const struct looking *l, const struct sdpower_i_domain *d)
{
	uint16_t *mark = l->f->scratch->first_of;
	const char *what;
	uint32_t covered = 0;

	for (uint32_t pos = 0; pos < l->f->cpu_count; pos++)
		mark[pos] = 0;
	what = check_groups(l, d);
	for (uint32_t pos = 0; pos < l->f->cpu_count; pos++)
		covered += mark[pos] != 0;
	if (!what && covered != d->weight)
		what = "groups and span are not the same cpus";
	return what ? what : check_cover(l, d);
}

/* The domains themselves are checked once, from their lowest cpu. */
static const char *check_link(const struct looking *l)
{
	const struct sdpower_i_link *link = link_at(l, l->depth);
	const struct sdpower_i_domain *d = &l->t->domains[link->domain];
	const struct sdpower_i_group *own;

	if (link->domain >= l->t->domain_count)
		return "no such domain";
	if (link->own_group >= d->groups)
		return "no such group";
	if (d->first_cpu == l->f->cpu_at[l->pos] || d->mask_runs) {
		const char *what = check_domain(l, d);

		if (what)
			return what;
	}
	own = &l->t->groups[d->group + link->own_group];
	if (!in_runs(l, d->run, d->runs))
		return "the cpu is not in its span";
	if (!in_runs(l, own->run, own->runs))
		return "the cpu is not in its own group";
	return NULL;
}

/* Spans nest and weights do not fall; the cpus of the child are looked for one by one. */
static const char *check_parent(const struct looking *l)
{
	const struct sdpower_i_domain *child = &l->t->domains[link_at(l, l->depth)->domain];
	const struct sdpower_i_domain *parent = &l->t->domains[link_at(l, l->depth + 1)->domain];
	struct looking at = *l;

	if (parent->level < child->level ||
			(parent->level == child->level && parent->numa <= child->numa))
		return "levels do not rise";
	for (uint32_t i = child->run; i < child->run + child->runs; i++)
		for (uint32_t n = 0; n < l->t->runs[i].count; n++) {
			at.pos = l->t->runs[i].first + n;
			if (sdpower_i_in_map(l->t, at.pos) && !in_runs(&at, parent->run, parent->runs))
				return "the span sticks out of the parent's";
		}
	return NULL;
}

static struct sdpower_i_shape shape_of(const struct looking *l, uint32_t depth)
{
	const struct sdpower_i_link *link = link_at(l, depth);
	const struct sdpower_i_domain *d = &l->t->domains[link->domain];
	const struct sdpower_i_shape s = { link->flags, d->groups, d->weight };

	return s;
}

/* Flags or-ed in after pruning would make useless levels look useful. */
static const char *check_useful(const struct looking *l)
{
	const struct sdpower_i_pruning rules =
		sdpower_i_pruning_of(l->f->tree_rules, l->f->node_ids);
	const struct sdpower_i_shape s = shape_of(l, l->depth);
	struct sdpower_i_shape parent;

	if (l->f->wake_flags)
		return NULL;
	if (sdpower_i_degenerate(&rules, &s))
		return "the level is useless";
	if (l->depth + 1u >= l->t->depth[l->pos])
		return NULL;
	parent = shape_of(l, l->depth + 1);
	return sdpower_i_parent_degenerate(&rules, &s, &parent) ? "the parent adds nothing" : NULL;
}

static sdpower_status check_cpu(struct looking *l)
{
	const uint32_t levels = l->t->depth[l->pos];
	const char *what = NULL;

	l->depth = 0;
	if (levels > l->f->depth_max)
		return wrong(l, "the chain is too long");
	if (levels && !sdpower_i_in_map(l->t, l->pos))
		return wrong(l, "the cpu is in no map but has domains");
	for (; !what && l->depth < levels; l->depth++) {
		what = check_link(l);
		if (!what && l->depth + 1u < levels)
			what = check_parent(l);
		if (!what)
			what = check_useful(l);
		if (what)
			return wrong(l, what);
	}
	return SDPOWER_OK;
}

static const char *check_counts(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	if (t->domain_count > f->bounds.domains)
		return "more domains than room";
	if (t->group_count > f->bounds.groups)
		return "more groups than room";
	if (t->run_count > f->bounds.runs)
		return "more runs than room";
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint32_t block = f->block_at[pos];
		const uint32_t bit = (uint32_t)t->active[block] >> (pos - f->blocks[block].first) & 1u;

		if (bit != (uint32_t)sdpower_i_in_map(t, pos))
			return "active bits do not tell who is in the map";
	}
	return NULL;
}

sdpower_status sdpower_i_check_tree(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_diag *diag)
{
	struct looking l = { f, t, diag, 0, 0 };
	const char *what = check_counts(f, t);
	sdpower_status status = SDPOWER_OK;

	if (what)
		return sdpower_i_diag_fail(diag, SDPOWER_ECORRUPT, what);
	for (; status == SDPOWER_OK && l.pos < f->cpu_count; l.pos++)
		status = check_cpu(&l);
	return status;
}
