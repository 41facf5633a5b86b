/* SPDX-License-Identifier: MIT */
/* Walking the tree from outside: handles, checked against the tree they come from. */
#include "instance.h"

#include "../tree/ring.h"
#include "../tree/templates.h"

#include <sdpower/domain.h>

/* A handle taken apart, together with what it names. */
struct place {
	struct sdpower_i_view view;
	uint32_t pos, depth;
	struct sdpower_i_link link;
	struct sdpower_i_domain domain;
};

static struct sdpower_domain handle_of(const struct sdpower_i_view *v, uint32_t pos, uint32_t depth)
{
	const struct sdpower_domain d = { v->generation, pos * v->forest->depth_max + depth };

	return d;
}

static sdpower_status find(const sdpower *s, struct sdpower_domain domain, struct place *p)
{
	const struct sdpower_i_forest *f;

	if (!s)
		return SDPOWER_EINVAL;
	f = &s->forest;
	p->view = sdpower_i_view_of(f);
	if (domain.generation != p->view.generation)
		return SDPOWER_ESTALE;
	p->pos = domain.index / f->depth_max;
	p->depth = domain.index % f->depth_max;
	if (p->pos >= f->cpu_count || p->depth >= sdpower_i_depth(&p->view, p->pos))
		return sdpower_i_view_holds(&p->view) ? SDPOWER_EINVAL : SDPOWER_ESTALE;
	p->link = sdpower_i_get_link(&p->view, p->pos, p->depth);
	p->domain = sdpower_i_get_domain(&p->view, p->link.domain);
	return SDPOWER_OK;
}

static sdpower_status done(const struct place *p)
{
	return sdpower_i_view_holds(&p->view) ? SDPOWER_OK : SDPOWER_ESTALE;
}

sdpower_status sdpower_domain_at(const sdpower *s, sdpower_cpu cpu, uint32_t depth,
	struct sdpower_domain *domain)
{
	if (!s || !domain)
		return SDPOWER_EINVAL;
	if (cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		const uint32_t pos = s->forest.pos_of[cpu], levels = sdpower_i_depth(&v, pos);

		if (!sdpower_i_view_holds(&v))
			continue;
		if (depth >= levels)
			return SDPOWER_ENOENT;
		*domain = handle_of(&v, pos, depth);
		return SDPOWER_OK;
	}
	return SDPOWER_ESTALE;
}

sdpower_status sdpower_domain_bottom(const sdpower *s, sdpower_cpu cpu,
	struct sdpower_domain *domain)
{
	return sdpower_domain_at(s, cpu, 0, domain);
}

static sdpower_status step(const sdpower *s, struct sdpower_domain domain, int outward,
	struct sdpower_domain *to)
{
	struct place p;
	const sdpower_status status = to ? find(s, domain, &p) : SDPOWER_EINVAL;

	if (status != SDPOWER_OK)
		return status;
	if (outward ? p.depth + 1 >= sdpower_i_depth(&p.view, p.pos) : p.depth == 0)
		return done(&p) == SDPOWER_OK ? SDPOWER_ENOENT : SDPOWER_ESTALE;
	*to = handle_of(&p.view, p.pos, outward ? p.depth + 1 : p.depth - 1);
	return done(&p);
}

sdpower_status sdpower_domain_parent(const sdpower *s, struct sdpower_domain domain,
	struct sdpower_domain *parent)
{
	return step(s, domain, 1, parent);
}

sdpower_status sdpower_domain_child(const sdpower *s, struct sdpower_domain domain,
	struct sdpower_domain *child)
{
	return step(s, domain, 0, child);
}

/* Depth of the innermost level of `pos` that holds `other`, or the number of levels. */
static uint32_t common_depth(const struct sdpower_i_view *v, uint32_t pos, uint32_t other)
{
	const uint32_t levels = sdpower_i_depth(v, pos);
	const uint32_t block = v->forest->block_at[other];
	uint32_t depth = levels;

	if (!(sdpower_i_active(v, block) >> (other - v->forest->blocks[block].first) & 1u))
		return levels;
	for (depth = 0; depth < levels; depth++) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);
		const struct sdpower_i_domain d = sdpower_i_get_domain(v, link.domain);

		if (sdpower_i_runs_hold(v, d.run, d.runs, other))
			break;
	}
	return depth;
}

sdpower_status sdpower_domain_common(const sdpower *s, sdpower_cpu a, sdpower_cpu b,
	struct sdpower_domain *domain)
{
	if (!s || !domain)
		return SDPOWER_EINVAL;
	if (a >= s->forest.cpu_count || b >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		const uint32_t pos = s->forest.pos_of[a], levels = sdpower_i_depth(&v, pos);
		const uint32_t depth = common_depth(&v, pos, s->forest.pos_of[b]);

		if (!sdpower_i_view_holds(&v))
			continue;
		if (depth == levels)
			return SDPOWER_ENOENT;
		*domain = handle_of(&v, pos, depth);
		return SDPOWER_OK;
	}
	return SDPOWER_ESTALE;
}

sdpower_status sdpower_domain_distance(const sdpower *s, sdpower_cpu a, sdpower_cpu b)
{
	struct sdpower_domain domain;
	sdpower_status status;

	if (s && a == b && a < s->forest.cpu_count)
		return 0;
	status = sdpower_domain_common(s, a, b, &domain);
	if (status != SDPOWER_OK)
		return status;
	return (sdpower_status)(domain.index % s->forest.depth_max) + 1;
}

static void fill(const struct place *p, struct sdpower_domain_info *info)
{
	struct sdpower_i_params params;

	sdpower_i_params_of(p->view.forest, &p->domain, sdpower_i_load(&p->view.tree->online_count),
		&params);
	info->cpu = p->view.forest->cpu_at[p->pos];
	info->depth = p->depth;
	info->level = p->domain.level;
	info->flags = p->link.flags;
	info->weight = p->domain.weight;
	info->first_cpu = p->domain.first_cpu;
	info->groups = p->domain.groups;
	info->numa_level = p->domain.numa;
	info->imb_numa_nr = p->link.imb_numa_nr;
	info->min_interval = params.min_interval;
	info->max_interval = params.max_interval;
	info->balance_interval = params.balance_interval;
	info->busy_factor = params.busy_factor;
	info->imbalance_pct = params.imbalance_pct;
	info->cache_nice_tries = params.cache_nice_tries;
	info->busy_idx = params.idx[SDPOWER_CPU_NOT_IDLE];
	info->idle_idx = params.idx[SDPOWER_CPU_IDLE];
	info->newidle_idx = params.idx[SDPOWER_CPU_NEWLY_IDLE];
	info->wake_idx = params.wake_idx;
	info->forkexec_idx = params.forkexec_idx;
}

sdpower_status sdpower_domain_describe(const sdpower *s, struct sdpower_domain domain,
	struct sdpower_domain_info *info)
{
	struct place p;
	sdpower_status status;

	if (!info || info->struct_size < sizeof(*info))
		return SDPOWER_EINVAL;
	status = find(s, domain, &p);
	if (status != SDPOWER_OK)
		return status;
	fill(&p, info);
	return done(&p);
}

static void write_mask(const struct sdpower_i_view *v, uint32_t run, uint32_t runs, uint32_t *mask,
	uint32_t words)
{
	struct sdpower_i_span span = sdpower_i_span_of(run, runs);
	const struct sdpower_i_forest *f = v->forest;
	uint32_t block, bits;

	for (uint32_t i = 0; i < words; i++)
		mask[i] = 0;
	while (sdpower_i_span_next(&span, v, &block, &bits)) {
		bits &= sdpower_i_active(v, block);
		for (uint32_t pos = f->blocks[block].first; bits; pos++, bits >>= 1) {
			const uint32_t cpu = f->cpu_at[pos];

			if ((bits & 1u) && cpu / 32 < words)
				mask[cpu / 32] |= 1u << (cpu % 32);
		}
	}
}

sdpower_status sdpower_domain_span(const sdpower *s, struct sdpower_domain domain, uint32_t *mask,
	uint32_t words)
{
	struct place p;
	const sdpower_status status = mask || !words ? find(s, domain, &p) : SDPOWER_EINVAL;

	if (status != SDPOWER_OK)
		return status;
	write_mask(&p.view, p.domain.run, p.domain.runs, mask, words);
	return done(&p);
}

sdpower_status sdpower_domain_group(const sdpower *s, struct sdpower_domain domain, uint32_t index,
	struct sdpower_group_info *info, uint32_t *mask, uint32_t words)
{
	struct sdpower_i_ring ring;
	struct sdpower_i_group g;
	struct place p;
	uint32_t at = 0;
	sdpower_status status;

	if (info && info->struct_size < sizeof(*info))
		return SDPOWER_EINVAL;
	status = find(s, domain, &p);
	if (status != SDPOWER_OK)
		return status;
	if (index >= p.domain.groups)
		return done(&p) == SDPOWER_OK ? SDPOWER_ENOENT : SDPOWER_ESTALE;
	ring = sdpower_i_ring_of(&p.view, p.pos, &p.link, &p.domain);
	for (uint32_t i = 0; i <= index; i++)
		at = sdpower_i_ring_next(&p.view, &ring);
	g = sdpower_i_get_group(&p.view, at);
	if (info) {
		info->power = g.power;
		info->weight = g.weight;
		info->first_cpu = g.first_cpu;
	}
	if (mask)
		write_mask(&p.view, g.run, g.runs, mask, words);
	return done(&p);
}
