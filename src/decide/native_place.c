/* SPDX-License-Identifier: MIT */
/* Rules W9 and W10: where a task goes at fork and exec, and what one level says about it. */
#include "native_wake.h"

/* The search of a placement. At exec the cpu the task leaves behind is as good as idle. */
static void start(struct sdpower_i_seek *q, const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request)
{
	const uint32_t pos = sdpower_i_position(s, request->cpu);

	sdpower_i_seek_start(q, s, v,
		(struct sdpower_i_mask){ request->affinity, request->affinity_words }, request->util);
	if (request->flag == SDPOWER_SD_BALANCE_EXEC && pos != SDPOWER_I_NONE16 &&
	    sdpower_i_load(&s->slots[pos].nr) == 1)
		q->self = pos;
}

/* One group of a level that spreads. */
struct option {
	struct sdpower_i_tenants tenants;
	uint32_t group;
};

static uint64_t spare(const struct option *o)
{
	return o->tenants.cpus > o->tenants.used ? o->tenants.cpus - o->tenants.used : 0;
}

/* More unused cpus in proportion; where none is left anywhere, less load per capacity. */
static int is_idler(const struct option *a, const struct option *b, uint32_t percent)
{
	if (spare(a) || spare(b))
		return spare(a) * b->tenants.cpus > spare(b) * a->tenants.cpus;
	return 100 * b->tenants.load * a->tenants.capacity >
		percent * a->tenants.load * b->tenants.capacity;
}

static struct option option_of(struct sdpower_i_seek *q, uint32_t group)
{
	const struct sdpower_i_area area = sdpower_i_area_of_group(q->view, group);
	struct option o = { .group = group };

	sdpower_i_count_tenants(q, group, &o.tenants);
	if (q->self != SDPOWER_I_NONE16 && o.tenants.used &&
	    sdpower_i_runs_hold(q->view, area.run, area.runs, q->self))
		o.tenants.used--;
	return o;
}

/* Nodes are left only once the near one holds as many tasks as may be uneven. */
static int stays_on_node(const struct sdpower_i_link *link, const struct option *own)
{
	return link->flags & SDPOWER_SD_NUMA && own->tenants.used <= link->imb_numa_nr && spare(own);
}

static int is_permitted(const struct sdpower_i_seek *q, uint32_t group)
{
	return !q->affinity.words || sdpower_i_first_of(q, group) != SDPOWER_I_NONE16;
}

/* The idlest group of a level: index in the tree, or the own one when none is idler. */
static uint32_t idlest(struct sdpower_i_seek *q, const struct sdpower_i_link *link,
	const struct sdpower_i_domain *domain, struct option *own, struct option *best)
{
	own->group = domain->group + sdpower_i_below(link->own_group, domain->groups);
	best->group = SDPOWER_ID_NONE;
	*own = option_of(q, own->group);
	for (uint32_t i = domain->group; i < domain->group + domain->groups; i++) {
		struct option o;

		if (i == own->group || !is_permitted(q, i))
			continue;
		o = option_of(q, i);
		if (best->group == SDPOWER_ID_NONE || is_idler(&o, best, 100))
			*best = o;
	}
	if (best->group == SDPOWER_ID_NONE)
		return own->group;
	if (!is_permitted(q, own->group))
		return best->group;
	return !stays_on_node(link, own) && is_idler(best, own, 108) ? best->group : own->group;
}

/* The highest level with the flag that does not share a cache and is smaller than the last. */
static uint32_t next_level(const struct sdpower_i_view *v, uint32_t pos, uint32_t flag,
	uint32_t weight)
{
	for (uint32_t depth = sdpower_i_depth(v, pos); depth-- > 0;) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);

		if (link.flags & flag && !(link.flags & SDPOWER_SD_SHARE_PKG) &&
		    sdpower_i_get_domain(v, link.domain).weight < weight)
			return depth;
	}
	return SDPOWER_I_NO_LEVEL;
}

/* W9: down to the cache in which most is unused. */
static uint32_t spread(struct sdpower_i_seek *q, uint32_t pos, uint32_t flag)
{
	uint32_t depth = next_level(q->view, pos, flag, UINT32_MAX);

	while (depth != SDPOWER_I_NO_LEVEL) {
		const struct sdpower_i_link link = sdpower_i_get_link(q->view, pos, depth);
		const struct sdpower_i_domain domain = sdpower_i_get_domain(q->view, link.domain);
		struct option own, best;
		const uint32_t group = idlest(q, &link, &domain, &own, &best);

		if (group != own.group)
			pos = sdpower_i_first_of(q, group);
		if (pos == SDPOWER_I_NONE16)
			break;
		depth = next_level(q->view, pos, flag, domain.weight);
	}
	return pos;
}

/* The best cpu found; where nothing is idle, the least loaded one near. */
static struct sdpower_pick settle(const struct sdpower_i_seek *q, uint32_t asker)
{
	uint32_t pos = q->pos, reason = SDPOWER_REASON_IDLEST | SDPOWER_REASON_IDLE;

	if (pos == SDPOWER_I_NONE16) {
		reason = SDPOWER_REASON_IDLEST;
		pos = q->awake;
	}
	if (pos == SDPOWER_I_NONE16)
		pos = sdpower_i_seek_least(q, q->near.area, asker);
	pos = pos == SDPOWER_I_NONE16 ? q->near.pos : pos;
	if (pos == asker)
		reason = SDPOWER_REASON_LOCAL;
	return (struct sdpower_pick){ q->view->forest->cpu_at[pos], reason };
}

/* 1 = an idle cpu was found near, or further away one that is large enough. */
static int search(struct sdpower_i_seek *q, uint32_t home)
{
	sdpower_i_seek_near(q, home);
	if (q->self != SDPOWER_I_NONE16 && sdpower_i_is_near(q, q->self))
		(void)sdpower_i_seek_cpu(q, q->self);
	(void)sdpower_i_seek_cache(q);
	if (q->pos != SDPOWER_I_NONE16 && !(q->rank & SDPOWER_I_FITS))
		sdpower_i_seek_far(q);
	return q->pos != SDPOWER_I_NONE16;
}

static struct sdpower_pick search_all(struct sdpower_i_seek *q, uint32_t home, uint32_t asker)
{
	if (!search(q, home))
		sdpower_i_seek_far(q);
	return settle(q, asker);
}

/* W4, W5: as a wake-up does. */
static struct sdpower_pick consolidate(struct sdpower_i_seek *q, uint32_t pos, uint32_t asker)
{
	uint32_t home;
	int in_use;

	do {
		uint32_t shared;

		home = sdpower_i_home(q, pos, &in_use);
		if (home == SDPOWER_I_NONE16)
			break;
		sdpower_i_seek_near(q, home);
		shared = sdpower_i_seek_shared(q);
		if (shared != SDPOWER_I_NONE16)
			return (struct sdpower_pick){ q->view->forest->cpu_at[shared],
				SDPOWER_REASON_PACKED };
		if (search(q, home))
			return settle(q, asker);
	} while (sdpower_i_avoid(q, home));
	return search_all(q, pos, asker);
}

struct sdpower_pick sdpower_i_native_place(const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_placement *request)
{
	const uint32_t asker = sdpower_i_position(s, request->cpu);
	struct sdpower_i_seek q;
	uint32_t pos = asker;

	start(&q, s, v, request);
	if (!sdpower_i_is_active(v, pos))
		pos = sdpower_i_first_permitted(v, q.affinity);
	if (pos != SDPOWER_I_NONE16 && q.level)
		return consolidate(&q, pos, asker);
	if (pos != SDPOWER_I_NONE16)
		pos = spread(&q, pos, request->flag);
	if (pos == SDPOWER_I_NONE16)
		return (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_NO_CPU };
	return search_all(&q, pos, asker);
}

static uint64_t per_capacity(const struct option *o)
{
	return o->tenants.capacity ? SDPOWER_SCALE * o->tenants.load / o->tenants.capacity : 0;
}

uint32_t sdpower_i_native_idlest_group(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, const struct sdpower_i_level_view *l,
	struct sdpower_idlest *answer)
{
	struct option own, best;
	struct sdpower_i_seek q;
	uint32_t group;
	int in_use;

	start(&q, s, v, request);
	group = idlest(&q, &l->link, &l->domain, &own, &best);
	if (l->link.flags & SDPOWER_SD_POWERSAVINGS)
		group = sdpower_i_fullest(&q, &l->link, &l->domain, &in_use);
	answer->this_load = per_capacity(&own);
	answer->min_load = best.group == SDPOWER_ID_NONE ? UINT64_MAX : per_capacity(&best);
	if (group == own.group || group == SDPOWER_ID_NONE)
		return SDPOWER_ID_NONE;
	return group > own.group ? group - own.group : group + l->domain.groups - own.group;
}

sdpower_cpu sdpower_i_native_idlest_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, const struct sdpower_i_level_view *l, uint32_t nth)
{
	const struct sdpower_i_area area = sdpower_i_area_of_group(v, sdpower_i_ring(l, nth));
	struct sdpower_i_seek q;
	uint32_t pos;

	start(&q, s, v, request);
	(void)sdpower_i_seek_area(&q, area, 0);
	pos = q.pos != SDPOWER_I_NONE16 ? q.pos : q.awake;
	if (pos == SDPOWER_I_NONE16)
		pos = sdpower_i_seek_least(&q, area, sdpower_i_position(s, request->cpu));
	return pos == SDPOWER_I_NONE16 ? SDPOWER_CPU_NONE : v->forest->cpu_at[pos];
}
