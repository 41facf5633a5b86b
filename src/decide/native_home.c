/* SPDX-License-Identifier: MIT */
/* Rules W4 and W12: which group a task should live in while power is saved, and the nominee. */
#include "group_sums.h"
#include "native_wake.h"

/* Where loads are of no interest their words are not read: 1 = added, 0 = the slots must be. */
static inline int add_record(const struct sdpower_i_seek *q, uint32_t block, int loads,
	struct sdpower_i_tenants *t)
{
	const struct sdpower_i_record *record = &q->s->records[block];
	const struct sdpower_i_crowd *crowd = &record->crowd;
	const uint32_t seq = sdpower_i_begin_record(record);
	const uint32_t serial = sdpower_i_load_acquire(&record->serial);
	const uint32_t cpus = sdpower_i_load(&crowd->cpus), cores = sdpower_i_load(&crowd->cores);
	const uint32_t unused = sdpower_i_count_of(sdpower_i_load(&crowd->counts), SDPOWER_I_UNUSED);
	const uint32_t load = loads ? sdpower_i_load(&crowd->load) : 0;
	const uint32_t util = loads ? sdpower_i_load(&crowd->util) : 0;
	const uint32_t capacity = loads ? sdpower_i_load(&crowd->capacity) : 0;
	const uint32_t room = loads ? sdpower_i_load(&crowd->room) : 0;

	if (!sdpower_i_record_held(record, q->view->generation, seq, serial))
		return 0;
	t->cpus += cpus;
	t->cores += cores;
	t->used += cpus - unused;
	t->usable += unused;
	t->load += load;
	t->util += util;
	t->capacity += capacity;
	t->room = room > t->room ? room : t->room;
	return 1;
}

/*
 * Cores among positions of a block, each counted where its first active thread is. Threads are
 * neighbours: only the first position needs a look at what comes before the block.
 */
static uint32_t cores_of(const struct sdpower_i_view *v, uint32_t block, uint32_t bits)
{
	const uint16_t *core = v->forest->key[SDPOWER_I_KEY_CORE];
	uint32_t pos = v->forest->blocks[block].first, last = SDPOWER_I_NONE16, cores = 0, seen = 0;

	for (; bits; bits >>= 1, pos++) {
		if (!(bits & 1u))
			continue;
		if (seen)
			cores += core[pos] == SDPOWER_I_NONE16 || core[pos] != last;
		else
			cores += sdpower_i_leads_core(v->forest, v->tree, pos);
		last = core[pos];
		seen = 1;
	}
	return cores;
}

/* Who is there. */
static void add_slots(const struct sdpower_i_seek *q, uint32_t block, uint32_t bits,
	struct sdpower_i_tenants *t)
{
	const struct sdpower_i_forest *f = q->view->forest;
	uint32_t pos = f->blocks[block].first, cpus = 0, used = 0, usable = 0;

	if (!q->threads)
		t->cores += cores_of(q->view, block, bits);
	for (; bits; bits >>= 1, pos++) {
		uint32_t unused;

		if (!(bits & 1u))
			continue;
		unused = !sdpower_i_load(&q->s->slots[pos].nr);
		cpus++;
		used += !unused;
		usable += unused && sdpower_i_mask_has(q->affinity, f->cpu_at[pos]);
	}
	t->cpus += cpus;
	t->used += used;
	t->usable += usable;
}

/* What they do; asked for where tasks share cpus, or all cpus have some. */
static void add_loads(const struct sdpower_i_seek *q, uint32_t block, uint32_t bits,
	struct sdpower_i_tenants *t)
{
	uint32_t pos = q->view->forest->blocks[block].first;

	for (; bits; bits >>= 1, pos++) {
		struct sdpower_i_cpu_view c;
		uint32_t room;

		if (!(bits & 1u))
			continue;
		c = sdpower_i_look(q->s, pos);
		t->load += c.load;
		t->util += c.util;
		t->capacity += c.capacity;
		room = sdpower_i_room_beside(&c, q->fill);
		if (room > t->room && sdpower_i_mask_has(q->affinity, q->view->forest->cpu_at[pos]))
			t->room = room;
	}
}

static inline void add_block(const struct sdpower_i_seek *q, uint32_t block, uint32_t bits,
	int loads, struct sdpower_i_tenants *t)
{
	add_slots(q, block, bits, t);
	if (loads)
		add_loads(q, block, bits, t);
}

static inline void count_area(struct sdpower_i_seek *q, struct sdpower_i_area area, int loads,
	struct sdpower_i_tenants *t)
{
	struct sdpower_i_span span = sdpower_i_span_of(area.run, area.runs);
	uint32_t block, bits;

	while (sdpower_i_span_next(&span, q->view, &block, &bits)) {
		const uint32_t active = sdpower_i_active(q->view, block);

		bits &= active;
		q->blocks -= q->blocks > 0;
		/* Affinity asks for each cpu by itself. */
		if (bits != active || q->affinity.words || !add_record(q, block, loads, t))
			add_block(q, block, bits, loads, t);
	}
}

/* Most groups are rows of whole blocks. */
static inline void count_group(struct sdpower_i_seek *q, uint32_t group, int loads,
	struct sdpower_i_tenants *t)
{
	const struct sdpower_i_group *g = &q->view->tree->groups[group];
	const uint32_t first = sdpower_i_load16(&g->block), blocks = sdpower_i_load16(&g->blocks);

	if (!blocks || q->affinity.words || first + blocks > q->s->forest.block_count) {
		count_area(q, sdpower_i_area_of_group(q->view, group), loads, t);
		return;
	}
	q->blocks -= q->blocks < blocks ? q->blocks : blocks;
	for (uint32_t block = first; block < first + blocks; block++)
		if (!add_record(q, block, loads, t))
			add_block(q, block, sdpower_i_active(q->view, block), loads, t);
}

static const struct sdpower_i_tenants nobody;

void sdpower_i_count_tenants(struct sdpower_i_seek *q, uint32_t group, struct sdpower_i_tenants *t)
{
	*t = nobody;
	count_group(q, group, 1, t);
}

/* What decides which group is fuller: loads only where tasks share cpus. */
static void count_fullness(struct sdpower_i_seek *q, uint32_t group, struct sdpower_i_tenants *t)
{
	*t = nobody;
	if (q->fill)
		count_group(q, group, 1, t);
	else
		count_group(q, group, 0, t);
}

/* Tasks that may come in: a core takes one while threads are to be spared, else a thread. */
static uint32_t places(const struct sdpower_i_seek *q, const struct sdpower_i_tenants *t)
{
	return q->threads ? t->cpus : t->cores;
}

static int has_room(const struct sdpower_i_seek *q, const struct sdpower_i_tenants *t)
{
	return (q->fill && t->room >= q->demand) || (t->usable && t->used < places(q, t));
}

/* More than half full: nothing that is fuller could take all of it in. */
static int is_settled(const struct sdpower_i_seek *q, const struct sdpower_i_tenants *t)
{
	if (q->fill)
		return 200 * t->util > q->fill * t->capacity;
	return 2 * t->used > places(q, t);
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

/* A task stays in a group in use: any such at level basic, else one that will not be emptied. */
static int stays(const struct sdpower_i_seek *q, const struct sdpower_i_tenants *own)
{
	return own->used && (q->level < SDPOWER_I_WAKEUP_LEVEL || is_settled(q, own));
}

uint32_t sdpower_i_fullest(struct sdpower_i_seek *q, const struct sdpower_i_link *link,
	const struct sdpower_i_domain *domain, int *in_use)
{
	const uint32_t own = domain->group + sdpower_i_below(link->own_group, domain->groups);
	struct home best = { .group = SDPOWER_ID_NONE };

	q->blocks = SDPOWER_I_FAR_BLOCKS;
	for (uint32_t nth = 0; nth < domain->groups && (!nth || q->blocks); nth++) {
		struct home h = { .group = own + nth };

		if (h.group >= domain->group + domain->groups)
			h.group -= domain->groups;
		if (is_avoided(q, h.group))
			continue;
		h.first_cpu = sdpower_i_load16(&q->view->tree->groups[h.group].first_cpu);
		count_fullness(q, h.group, &h.tenants);
		if (!has_room(q, &h.tenants))
			continue;
		if (is_better(q, &h, &best, own))
			best = h;
		if (nth == 0 && stays(q, &h.tenants))
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

static int add_avoided(struct sdpower_i_seek *q, uint32_t group)
{
	if (group == SDPOWER_ID_NONE || q->avoided == SDPOWER_I_HOMES)
		return 0;
	q->avoid[q->avoided++] = group;
	return 1;
}

/* One descent; *above is the group of the last level but one, to be avoided when this fails. */
static uint32_t descend(struct sdpower_i_seek *q, uint32_t pos, int *in_use, uint32_t *above)
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
			pos = sdpower_i_first_of(q, group);
		if (group == SDPOWER_ID_NONE || pos == SDPOWER_I_NONE16)
			return SDPOWER_I_NONE16;
		*in_use &= used;
		*above = group;
		depth = next_level(q->view, pos, domain.weight);
	}
	return pos;
}

/* The own cache will do: no need to look at anything larger. */
static int stays_near(struct sdpower_i_seek *q)
{
	struct sdpower_i_tenants own = nobody;

	if (q->avoided || q->near.depth == SDPOWER_I_NO_LEVEL)
		return 0;
	count_area(q, q->near.area, q->fill > 0, &own);
	return has_room(q, &own) && stays(q, &own);
}

uint32_t sdpower_i_home(struct sdpower_i_seek *q, uint32_t pos, int *in_use)
{
	uint32_t home, above;

	*in_use = 1;
	sdpower_i_seek_near(q, pos);
	if (stays_near(q))
		return pos;
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
		sdpower_i_seek_near(&q, home);
		if (sdpower_i_is_near(&q, pos))
			(void)sdpower_i_seek_cpu(&q, pos);
		(void)sdpower_i_seek_cache(&q);
		if (q.pos != SDPOWER_I_NONE16)
			return v->forest->cpu_at[q.pos];
		if (!sdpower_i_avoid(&q, home))
			return SDPOWER_CPU_NONE;
	} while (1);
}
