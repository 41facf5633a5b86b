/* SPDX-License-Identifier: MIT */
/*
 * Which groups can be emptied into the others (rule P6). The fullest groups are kept, the others
 * emptied, and of all ways to draw the line the one that empties most is taken: so no task goes
 * to a group that will be emptied in turn. Where cpus hold one task each, tasks are what fills a
 * group, else shares of time; either way emptied groups only lose and kept ones only gain.
 */
#include "native_pack.h"
#include "native_queue.h"

#include <string.h>

static int goes_before(const struct sdpower_i_plan *p, const struct sdpower_i_victim *a,
	const struct sdpower_i_victim *b)
{
	if (!p->q.limits.stacking && a->nr != b->nr)
		return a->nr < b->nr;
	if (a->util != b->util)
		return a->util < b->util;
	if (a->nr != b->nr)
		return a->nr < b->nr;
	return a->first_cpu > b->first_cpu;
}

static void insert(struct sdpower_i_plan *p, const struct sdpower_i_victim *v)
{
	uint32_t i = p->count;

	if (i == SDPOWER_I_VICTIMS && !goes_before(p, v, &p->victims[--i]))
		return;
	for (; i && goes_before(p, v, &p->victims[i - 1]); i--)
		p->victims[i] = p->victims[i - 1];
	p->victims[i] = *v;
	p->count += p->count < SDPOWER_I_VICTIMS;
}

static uint32_t to32(uint64_t value)
{
	return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/*
 * Sorts the groups with tasks, and adds up the room there could be at best. 0 = nothing is to be
 * packed here: work waits to be spread, or groups overlap and emptying one is not defined.
 */
static int collect(struct sdpower_i_plan *p, uint64_t *room)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;
	uint32_t weight = 0, tasks = 0;

	*room = p->active = p->count = 0;
	for (uint32_t group = first; group < end; group++) {
		const struct sdpower_i_native_sums sums = sdpower_i_native_sum(&p->q, group,
			SDPOWER_I_SUM_ALL);
		const struct sdpower_i_group g = sdpower_i_get_group(p->q.view, group);
		const struct sdpower_i_victim v = { group, g.first_cpu, sums.nr, to32(sums.util) };

		weight += g.weight;
		if (sums.over)
			return 0;
		if (!sums.nr)
			continue;
		tasks += sums.nr;
		p->active++;
		if (!p->q.limits.stacking)
			*room += sums.unused;
		else if (sums.capacity > sums.util)
			*room += sums.capacity - sums.util;
		insert(p, &v);
	}
	return p->active > 1 && weight == p->q.level.domain.weight && tasks <= SDPOWER_NR_MAX;
}

/* Cheap: the least group alone must not want more than all room there could be. */
static int may_fit(const struct sdpower_i_plan *p, uint64_t room)
{
	const struct sdpower_i_victim *least = &p->victims[0];

	return room >= (p->q.limits.stacking ? least->util : least->nr);
}

static int is_other_core(const struct sdpower_i_plan *p, uint32_t pos, uint32_t other)
{
	const uint16_t *core = p->q.s->forest.key[SDPOWER_I_KEY_CORE];

	return core[pos] != core[other] || core[pos] == SDPOWER_I_NONE16;
}

/* Whoever is about to run there has not come yet; the asker knows itself what it wakes for. */
static int is_taken(const struct sdpower_i_plan *p, uint32_t pos)
{
	const struct sdpower_i_slot *slot = &p->q.s->slots[pos];

	return sdpower_i_load(&slot->nr) ||
		(pos != p->q.pos && sdpower_i_load(&slot->status) == SDPOWER_I_CLAIMED);
}

/* Threads of a core are neighbours. */
static int core_is_free(const struct sdpower_i_plan *p, uint32_t pos)
{
	uint32_t other;

	for (other = pos; other-- > 0 && !is_other_core(p, pos, other); )
		if (is_taken(p, other) && sdpower_i_is_active(p->q.view, other))
			return 0;
	for (other = pos + 1; other < p->q.s->forest.cpu_count; other++) {
		if (is_other_core(p, pos, other))
			break;
		if (is_taken(p, other) && sdpower_i_is_active(p->q.view, other))
			return 0;
	}
	return 1;
}

int sdpower_i_plan_free(const struct sdpower_i_plan *p, uint32_t pos)
{
	return !is_taken(p, pos) && (!p->by_cores || core_is_free(p, pos));
}

/* One of a core stands for it. */
static int stands_for_core(const struct sdpower_i_plan *p, uint32_t pos)
{
	uint32_t other = pos;

	while (p->by_cores && other-- > 0 && !is_other_core(p, pos, other))
		if (sdpower_i_is_active(p->q.view, other))
			return 0;
	return 1;
}

/*
 * `times` cpus or tasks of a class come, or go if it is that much below 2^32; *sum is what all
 * classes come to. Numbers that no host may publish wrap, and plan nothing sensible.
 */
static void add(uint16_t *counts, uint32_t class, uint32_t times, uint32_t *sum)
{
	counts[class] = (uint16_t)(counts[class] + times);
	*sum += class * times;
}

/* Up to *cores of those that are not in use. */
static void count_room(struct sdpower_i_plan *p, uint32_t pos, uint32_t *cores)
{
	const struct sdpower_i_cpu_view c = sdpower_i_look(p->q.s, pos);
	const uint32_t full = sdpower_i_plan_full(p, c.capacity);
	uint32_t class = sdpower_i_fit_class(full);

	if (!c.nr) {
		if (*cores && stands_for_core(p, pos) && sdpower_i_plan_free(p, pos)) {
			add(p->fit.empty, class, 1, &p->room);
			*cores -= 1u;
		}
	} else if (full > c.util && class) {
		class = sdpower_i_fit_class(full - c.util) < class ?
			sdpower_i_fit_class(full - c.util) : class - 1u;
		add(p->fit.room, class, 1, &p->room);
	}
}

/* A task that fills more than a cpu should be filled needs an empty one as large as its own. */
static void count_tasks(struct sdpower_i_plan *p, uint32_t pos, uint32_t by)
{
	const struct sdpower_i_cpu_view c = sdpower_i_look(p->q.s, pos);
	const uint32_t most = sdpower_i_fit_class(sdpower_i_plan_full(p, c.capacity));
	uint32_t size;

	if (!c.nr)
		return;
	size = sdpower_i_fit_size(sdpower_i_share_of_one(&c));
	size = size < most ? size : most;
	add(p->fit.tasks, size ? size : 1u, by * c.nr, &p->wanted);
}

static struct sdpower_i_walk walk_of(const struct sdpower_i_plan *p, uint32_t group)
{
	const struct sdpower_i_group g = sdpower_i_get_group(p->q.view, group);

	return sdpower_i_walk_of(p->q.view, g.run, g.runs);
}

/*
 * Tasks that share a core leave another one unused, which is theirs: a task that came there would
 * be one too many for the group, and spread again (rule P4).
 */
uint32_t sdpower_i_plan_cores(const struct sdpower_i_plan *p, uint32_t group)
{
	uint32_t cores, nr;

	if (!p->by_cores)
		return UINT32_MAX;
	cores = sdpower_i_native_cores(&p->q, group);
	nr = sdpower_i_native_sum(&p->q, group, SDPOWER_I_SUM_COUNTS).nr;
	return cores > nr ? cores - nr : 0;
}

static void keep_group(struct sdpower_i_plan *p, uint32_t group)
{
	uint32_t pos, cores = sdpower_i_plan_cores(p, group);

	for (struct sdpower_i_walk walk = walk_of(p, group); sdpower_i_walk_next(&walk, &pos); )
		count_room(p, pos, &cores);
}

static void empty_group(struct sdpower_i_plan *p, uint32_t group, uint32_t by)
{
	uint32_t pos;

	for (struct sdpower_i_walk walk = walk_of(p, group); sdpower_i_walk_next(&walk, &pos); )
		count_tasks(p, pos, by);
}

int sdpower_i_plan_empties(const struct sdpower_i_plan *p, uint32_t group)
{
	for (uint32_t i = 0; i < p->emptied; i++)
		if (p->victims[i].group == group)
			return 1;
	return 0;
}

static void count_all(struct sdpower_i_plan *p)
{
	const uint32_t first = p->q.level.domain.group, end = first + p->q.level.domain.groups;

	memset(&p->fit, 0, sizeof(p->fit));
	p->wanted = p->room = 0;
	for (uint32_t group = first; group < end; group++) {
		if (sdpower_i_plan_empties(p, group))
			empty_group(p, group, 1);
		else if (sdpower_i_native_sum(&p->q, group, SDPOWER_I_SUM_COUNTS).nr)
			keep_group(p, group);
	}
}

#define GONE UINT32_MAX /* once less */

/* From emptying all that could be down to one group. */
static int draw_line(struct sdpower_i_plan *p)
{
	p->emptied = p->count < p->active ? p->count : p->active - 1u;
	for (count_all(p); p->emptied; p->emptied--) {
		const uint32_t last = p->victims[p->emptied - 1u].group;

		if (p->wanted <= p->room &&
				sdpower_i_fits(&p->fit, (int)p->q.limits.stacking, &p->taken))
			return 1;
		empty_group(p, last, GONE);
		keep_group(p, last);
	}
	return 0;
}

/*
 * A task on a filled cpu waits for a tick of each of the others as often as they run, so the
 * bound on that limits how far cpus are filled.
 */
static void prepare(struct sdpower_i_plan *p, const struct sdpower_i_native_search *q)
{
	const struct sdpower_i_tuning *t = &q->s->tuning;
	const uint64_t bound = (uint64_t)sdpower_i_load(&t->latency_bound_us) * 1000u * 100u /
		sdpower_i_tick_ns(q->s);

	p->q = *q;
	p->q.candidates = (struct sdpower_i_mask){ NULL, 0 };
	p->by_cores = !sdpower_i_load(&q->view->tree->smt);
	p->fill_percent = sdpower_i_load(&t->fill_percent);
	p->emptied = p->taken = 0;
	p->bounded = q->limits.stacking && bound < p->fill_percent;
	if (p->bounded)
		p->fill_percent = (uint32_t)bound;
}

/* Some level of a cpu is this very domain. */
static int sees_domain(const struct sdpower_i_plan *p, uint32_t pos, uint32_t domain)
{
	const uint32_t levels = sdpower_i_depth(p->q.view, pos);

	for (uint32_t depth = 0; depth < levels; depth++)
		if (sdpower_i_get_link(p->q.view, pos, depth).domain == domain)
			return 1;
	return 0;
}

/* On rings and meshes of nodes every node has a span of its own: their plans would fight. */
static int all_see_it(const struct sdpower_i_plan *p)
{
	const struct sdpower_i_domain *d = &p->q.level.domain;
	struct sdpower_i_walk walk = sdpower_i_walk_of(p->q.view, d->run, d->runs);
	uint32_t pos;

	if (!(p->q.level.link.flags & SDPOWER_SD_OVERLAP))
		return 1;
	while (sdpower_i_walk_next(&walk, &pos))
		if (!sees_domain(p, pos, p->q.level.link.domain))
			return 0;
	return 1;
}

int sdpower_i_plan(struct sdpower_i_plan *p, const struct sdpower_i_native_search *q)
{
	uint64_t room;

	prepare(p, q);
	return collect(p, &room) && may_fit(p, room) && draw_line(p) && all_see_it(p);
}
