/* SPDX-License-Identifier: MIT */
/* The order in which a cpu visits the groups of a domain, its own first (B8, B13). */
#include "ring.h"

#include <sdpower/instance.h>

struct sdpower_i_ring sdpower_i_ring_of(const struct sdpower_i_view *v, uint32_t pos,
	const struct sdpower_i_link *link, const struct sdpower_i_domain *domain)
{
	struct sdpower_i_ring r;

	r.domain = *domain;
	r.pos = pos;
	r.own = link->own_group;
	r.visited = 0;
	r.reached = 0;
	r.follows_cpus = v->forest->tree_rules == SDPOWER_TREE_MODERN && domain->mask_runs == 0;
	return r;
}

/* How many cpu numbers after the starting cpu the group is first met. */
static uint32_t met_at(const struct sdpower_i_view *v, const struct sdpower_i_ring *r,
	uint32_t index)
{
	const struct sdpower_i_forest *f = v->forest;
	const struct sdpower_i_group g = sdpower_i_get_group(v, index);
	struct sdpower_i_span span = sdpower_i_span_of(g.run, g.runs);
	const uint32_t start = f->cpu_at[r->pos];
	uint32_t block, mask, nearest = f->cpu_count;

	while (sdpower_i_span_next(&span, v, &block, &mask)) {
		mask &= sdpower_i_active(v, block);
		for (uint32_t pos = f->blocks[block].first; mask; pos++, mask >>= 1) {
			const uint32_t cpu = f->cpu_at[pos];
			const uint32_t ahead = cpu >= start ? cpu - start : cpu + f->cpu_count - start;

			if ((mask & 1u) && ahead < nearest)
				nearest = ahead;
		}
	}
	return nearest;
}

/*
 * Going cyclically through the cpus and taking the group of each first uncovered one visits
 * disjoint groups in the order in which they are first met.
 */
static uint32_t next_met(const struct sdpower_i_view *v, struct sdpower_i_ring *r)
{
	uint32_t best = SDPOWER_CPU_NONE, nearest = v->forest->cpu_count;

	for (uint32_t i = 0; i < r->domain.groups; i++) {
		const uint32_t at = met_at(v, r, r->domain.group + i);

		if (at >= r->reached && at < nearest) {
			nearest = at;
			best = r->domain.group + i;
		}
	}
	r->reached = nearest + 1;
	return best;
}

uint32_t sdpower_i_ring_next(const struct sdpower_i_view *v, struct sdpower_i_ring *r)
{
	const uint32_t i = r->visited;

	if (i >= r->domain.groups)
		return SDPOWER_CPU_NONE;
	r->visited++;
	if (r->follows_cpus)
		return next_met(v, r);
	return r->domain.group + (r->own + i) % r->domain.groups;
}
