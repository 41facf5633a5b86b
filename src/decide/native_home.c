/* SPDX-License-Identifier: MIT */
/* Rule W4: which group a task should live in while power is saved, and the nominee. */
#include "group_sums.h"
#include "native_wake.h"

/* Threads of a core are neighbours by position; those of another tree part do not count. */
static void count_core(const struct sdpower_i_seek *q, uint32_t pos, struct sdpower_i_tenants *t)
{
	const uint32_t core = q->view->forest->key[SDPOWER_I_KEY_CORE][pos];

	t->cores += core == SDPOWER_I_NONE16 || core != t->last_core;
	t->last_core = core;
}

/* What does not change with the load; the cores only where they are what counts. */
static void count_block(const struct sdpower_i_seek *q, uint32_t block, uint32_t bits,
	struct sdpower_i_tenants *t)
{
	uint32_t pos = q->view->forest->blocks[block].first;

	for (; bits; bits >>= 1, pos++) {
		if (!(bits & 1u))
			continue;
		t->cpus++;
		if (!q->threads)
			count_core(q, pos, t);
	}
}

static int add_record(const struct sdpower_i_seek *q, uint32_t block, uint32_t cpus,
	struct sdpower_i_tenants *t)
{
	const struct sdpower_i_record *record = &q->s->records[block];
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t load = sdpower_i_load(&record->crowd.load);
	const uint32_t util = sdpower_i_load(&record->crowd.util);
	const uint32_t capacity = sdpower_i_load(&record->crowd.capacity);
	const uint32_t unused = sdpower_i_count_of(sdpower_i_load(&record->crowd.counts),
		SDPOWER_I_UNUSED);

	if (!sdpower_i_record_held(record, q->view->generation, seq, serial))
		return 0;
	t->load += load;
	t->util += util;
	t->capacity += capacity;
	t->used += cpus > unused ? cpus - unused : 0;
	t->usable += unused;
	return 1;
}

static void add_slots(const struct sdpower_i_seek *q, uint32_t block, uint32_t bits,
	struct sdpower_i_tenants *t)
{
	uint32_t pos = q->view->forest->blocks[block].first;

	for (; bits; bits >>= 1, pos++) {
		struct sdpower_i_cpu_view c;

		if (!(bits & 1u))
			continue;
		c = sdpower_i_look(q->s, pos);
		t->load += c.load;
		t->util += c.util;
		t->capacity += c.capacity;
		t->used += c.nr > 0;
		if (sdpower_i_mask_has(q->affinity, q->view->forest->cpu_at[pos]))
			t->usable += c.nr == 0 || sdpower_i_fits_beside(q, pos);
	}
}

void sdpower_i_count_tenants(const struct sdpower_i_seek *q, const struct sdpower_i_group *group,
	struct sdpower_i_tenants *t)
{
	struct sdpower_i_span span = sdpower_i_span_of(group->run, group->runs);
	uint32_t block, bits;

	*t = (struct sdpower_i_tenants){ .last_core = SDPOWER_I_NONE16 };
	while (sdpower_i_span_next(&span, q->view, &block, &bits)) {
		const uint32_t active = sdpower_i_active(q->view, block), before = t->cpus;

		bits &= active;
		count_block(q, block, bits, t);
		/* Affinity and sharing ask for each cpu by itself. */
		if (bits != active || q->affinity.words || q->fill ||
		    !add_record(q, block, t->cpus - before, t))
			add_slots(q, block, bits, t);
	}
}

/* Packing gives a core one task while threads are to be spared, else a thread one. */
static int has_room(const struct sdpower_i_seek *q, const struct sdpower_i_tenants *t)
{
	if (!t->usable)
		return 0;
	return q->fill || t->used < (q->threads ? t->cpus : t->cores);
}

/* Fuller by cpus in use, or by what is used of them where tasks share cpus. */
static int fuller(const struct sdpower_i_seek *q, const struct sdpower_i_tenants *a,
	const struct sdpower_i_tenants *b)
{
	const uint64_t most = UINT64_C(1) << 36; /* times 65535 cpus of 1024: below 2^63 */

	if (q->fill)
		return (a->util < most ? a->util : most) * b->capacity >
			(b->util < most ? b->util : most) * a->capacity;
	return (uint64_t)a->used * b->cpus > (uint64_t)b->used * a->cpus;
}

static int is_avoided(const struct sdpower_i_seek *q, uint32_t group)
{
	for (uint32_t i = 0; i < q->avoided; i++)
		if (q->avoid[i] == group)
			return 1;
	return 0;
}

/* The best group of a level so far. */
struct home {
	struct sdpower_i_tenants tenants;
	uint32_t group, first_cpu;
};

/* A group in use before one that is not; the fuller; the own one; the lower first cpu. */
static int is_better(const struct sdpower_i_seek *q, const struct home *a, const struct home *b,
	uint32_t own)
{
	if (b->group == SDPOWER_ID_NONE)
		return 1;
	if (!a->tenants.used != !b->tenants.used)
		return a->tenants.used > 0;
	if (fuller(q, &a->tenants, &b->tenants))
		return 1;
	if (fuller(q, &b->tenants, &a->tenants) || b->group == own)
		return 0;
	return a->group == own || a->first_cpu < b->first_cpu;
}

uint32_t sdpower_i_fullest(const struct sdpower_i_seek *q, const struct sdpower_i_link *link,
	const struct sdpower_i_domain *domain, int *in_use)
{
	const uint32_t own = domain->group + sdpower_i_below(link->own_group, domain->groups);
	struct home best = { .group = SDPOWER_ID_NONE };

	for (uint32_t nth = 0; nth < domain->groups; nth++) {
		struct home h = { .group = own + nth };
		struct sdpower_i_group group;

		if (h.group >= domain->group + domain->groups)
			h.group -= domain->groups;
		if (is_avoided(q, h.group))
			continue;
		group = sdpower_i_get_group(q->view, h.group);
		h.first_cpu = group.first_cpu;
		sdpower_i_count_tenants(q, &group, &h.tenants);
		if (!has_room(q, &h.tenants))
			continue;
		if (is_better(q, &h, &best, own))
			best = h;
		/* Basic: what is in use anyway is good enough. */
		if (nth == 0 && q->level < SDPOWER_I_WAKEUP_LEVEL && h.tenants.used)
			break;
	}
	*in_use = best.group != SDPOWER_ID_NONE && best.tenants.used;
	return best.group;
}

/* Where levels end that share a cache, tasks are placed cpu by cpu. */
static int homes_differ(uint32_t flags)
{
	return flags & SDPOWER_SD_POWERSAVINGS && !(flags & SDPOWER_SD_SHARE_PKG);
}

/* The highest such level of a chain that is smaller than the last one. */
static uint32_t next_level(const struct sdpower_i_view *v, uint32_t pos, uint32_t weight)
{
	for (uint32_t depth = sdpower_i_depth(v, pos); depth-- > 0;) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);

		if (homes_differ(link.flags) && sdpower_i_get_domain(v, link.domain).weight < weight)
			return depth;
	}
	return SDPOWER_I_NO_LEVEL;
}

/* The first cpu of a group that the task may run on, or NONE16. */
static uint32_t first_of(const struct sdpower_i_seek *q, uint32_t index)
{
	const struct sdpower_i_group group = sdpower_i_get_group(q->view, index);
	struct sdpower_i_walk walk = sdpower_i_walk_of(q->view, group.run, group.runs);
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos))
		if (sdpower_i_may_run(q, pos))
			return pos;
	return SDPOWER_I_NONE16;
}

static int add_avoided(struct sdpower_i_seek *q, uint32_t group)
{
	if (group == SDPOWER_ID_NONE || q->avoided == SDPOWER_I_HOMES)
		return 0;
	q->avoid[q->avoided++] = group;
	return 1;
}

/* One descent; *above is the group of the last level but one, to be avoided when this fails. */
static uint32_t descend(const struct sdpower_i_seek *q, uint32_t pos, int *in_use, uint32_t *above)
{
	uint32_t depth = next_level(q->view, pos, UINT32_MAX);

	*in_use = 1;
	*above = SDPOWER_ID_NONE;
	while (depth != SDPOWER_I_NO_LEVEL) {
		const struct sdpower_i_link link = sdpower_i_get_link(q->view, pos, depth);
		const struct sdpower_i_domain domain = sdpower_i_get_domain(q->view, link.domain);
		int used = 0;
		const uint32_t group = sdpower_i_fullest(q, &link, &domain, &used);

		if (group != SDPOWER_ID_NONE && group != domain.group + link.own_group)
			pos = first_of(q, group);
		if (group == SDPOWER_ID_NONE || pos == SDPOWER_I_NONE16)
			return SDPOWER_I_NONE16;
		*in_use &= used;
		*above = group;
		depth = next_level(q->view, pos, domain.weight);
	}
	return pos;
}

uint32_t sdpower_i_home(struct sdpower_i_seek *q, uint32_t pos, int *in_use)
{
	uint32_t home, above;

	do
		home = descend(q, pos, in_use, &above);
	while (home == SDPOWER_I_NONE16 && add_avoided(q, above));
	return home;
}

int sdpower_i_avoid(struct sdpower_i_seek *q, uint32_t pos)
{
	uint32_t depth = SDPOWER_I_NO_LEVEL;
	struct sdpower_i_link link;

	/* The innermost of those levels: its group is the one that was searched. */
	for (uint32_t d = 0; d < sdpower_i_depth(q->view, pos) && depth == SDPOWER_I_NO_LEVEL; d++)
		if (homes_differ(sdpower_i_get_link(q->view, pos, d).flags))
			depth = d;
	if (depth == SDPOWER_I_NO_LEVEL)
		return 0;
	link = sdpower_i_get_link(q->view, pos, depth);
	return add_avoided(q, sdpower_i_get_domain(q->view, link.domain).group + link.own_group);
}

/* A chain to start from: that of the nominee, else of the first cpu. */
static uint32_t nominee_start(const struct sdpower *s, const struct sdpower_i_view *v)
{
	const uint32_t pos = sdpower_i_position(s, sdpower_i_load(&s->nominee));

	if (pos != SDPOWER_I_NONE16 && sdpower_i_is_active(v, pos))
		return pos;
	return sdpower_i_first_permitted(v, (struct sdpower_i_mask){ NULL, 0 });
}

sdpower_cpu sdpower_i_native_nominee(const struct sdpower *s, const struct sdpower_i_view *v)
{
	const uint32_t pos = nominee_start(s, v);
	struct sdpower_i_seek q;

	if (pos == SDPOWER_I_NONE16 || sdpower_i_wakeup_level(s, v) < SDPOWER_I_WAKEUP_LEVEL ||
	    next_level(v, pos, UINT32_MAX) == SDPOWER_I_NO_LEVEL)
		return SDPOWER_CPU_NONE;
	sdpower_i_seek_start(&q, s, v, (struct sdpower_i_mask){ NULL, 0 }, 0);
	do {
		int in_use = 0;
		const uint32_t home = sdpower_i_home(&q, pos, &in_use);

		if (home == SDPOWER_I_NONE16 || !in_use)
			return SDPOWER_CPU_NONE;
		if (sdpower_i_same_cache(v, home, pos))
			(void)sdpower_i_seek_cpu(&q, pos);
		(void)sdpower_i_seek_cache(&q, home);
		if (q.pos != SDPOWER_I_NONE16)
			return v->forest->cpu_at[q.pos];
		if (!sdpower_i_avoid(&q, home))
			return SDPOWER_CPU_NONE;
	} while (1);
}
