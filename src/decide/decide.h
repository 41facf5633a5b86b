/* SPDX-License-Identifier: MIT */
/* What the files of the decisions share: requests made safe, a level made ready to walk. */
#ifndef SDPOWER_I_DECIDE_H
#define SDPOWER_I_DECIDE_H

#include <sdpower/balance.h>
#include <sdpower/instance.h>
#include <sdpower/power.h>
#include <sdpower/wakeup.h>
#include "../state/costs.h"
#include "../state/state.h"
#include "../tree/templates.h"
#include "../tree/view.h"

/* A mask over cpu numbers; NULL words = all cpus. */
struct sdpower_i_mask {
	const uint32_t *words;
	uint32_t count;
};

static inline int sdpower_i_mask_has(struct sdpower_i_mask mask, uint32_t cpu)
{
	if (!mask.words)
		return 1;
	return cpu / 32u < mask.count && mask.words[cpu / 32u] >> cpu % 32u & 1u;
}

/* One level of one cpu's chain. */
struct sdpower_i_level_view {
	struct sdpower_i_link link;
	struct sdpower_i_domain domain;
	const struct sdpower_i_template *params;
};

/* Instances of the other rule set have no decisions of these kinds. */
static inline int sdpower_i_classic(const struct sdpower *s)
{
	return s->decision_rules == SDPOWER_DECIDE_CLASSIC ||
		s->decision_rules == SDPOWER_DECIDE_CLASSIC_30;
}

/* The level at a depth that must exist (sdpower_i_depth). */
static inline struct sdpower_i_level_view sdpower_i_level_at(const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth)
{
	struct sdpower_i_level_view l;

	l.link = sdpower_i_get_link(v, pos, depth);
	l.domain = sdpower_i_get_domain(v, l.link.domain);
	l.params = v->forest->templates[sdpower_i_below(l.domain.level, SDPOWER_I_CLASSIC_LEVELS)];
	return l;
}

/* Load index by reason to look (L5). */
static inline uint32_t sdpower_i_load_index(const struct sdpower_i_template *params, uint32_t idle)
{
	switch (idle) {
	case SDPOWER_CPU_NOT_IDLE: return params->busy_idx;
	case SDPOWER_CPU_NEWLY_IDLE: return params->newidle_idx;
	default: return params->idle_idx;
	}
}

/* The handle that domain walks use for the same level. */
static inline struct sdpower_domain sdpower_i_handle(const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth)
{
	const struct sdpower_domain d = { v->generation, pos * v->forest->depth_max + depth };

	return d;
}

/* The percentage for placing one task: half of what moving several would need. */
static inline uint32_t sdpower_i_half_percent(const struct sdpower_i_level_view *l)
{
	return 100u + (l->params->imbalance_pct - 100u) / 2u;
}

/* Index of the nth group in ring order, counted over the tree. */
static inline uint32_t sdpower_i_ring(const struct sdpower_i_level_view *l, uint32_t nth)
{
	uint32_t i = l->link.own_group + nth;

	return l->domain.group + (i < l->domain.groups ? i : i - l->domain.groups);
}

static inline int sdpower_i_idle(const struct sdpower *s, uint32_t pos)
{
	return sdpower_i_load(&s->slots[pos].status) != SDPOWER_I_RUNNING;
}

/* Idle and not about to be woken by somebody else. */
static inline int sdpower_i_free(const struct sdpower *s, uint32_t pos)
{
	return sdpower_i_load(&s->slots[pos].status) == SDPOWER_I_IDLE;
}

/* True iff the position is in the tree at all. */
static inline int sdpower_i_is_active(const struct sdpower_i_view *v, uint32_t pos)
{
	const uint32_t block = v->forest->block_at[pos];

	return sdpower_i_active(v, block) >> (pos - v->forest->blocks[block].first) & 1u;
}

/* The gates of the v4 series look at the stronger knob, 2.6.30 at mc alone. */
static inline uint32_t sdpower_i_wakeup_level(const struct sdpower *s,
	const struct sdpower_i_view *v)
{
	const uint32_t mc = sdpower_i_load(&v->tree->mc), smt = sdpower_i_load(&v->tree->smt);

	if (s->decision_rules == SDPOWER_DECIDE_CLASSIC_30)
		return mc;
	return mc > smt ? mc : smt;
}

#define SDPOWER_I_WAKEUP_LEVEL 2u

/*
 * Floor of a quotient by a power. Most powers are that of one cpu, and most dividends loads of
 * a few: a shift then, or the short division, the only one some machines have.
 */
static inline uint64_t sdpower_i_divide(uint64_t dividend, uint32_t divisor)
{
	if (divisor == SDPOWER_SCALE)
		return dividend / SDPOWER_SCALE;
	if (dividend <= UINT32_MAX)
		return (uint32_t)dividend / divisor;
	return dividend / divisor;
}

/* Visits each cpu of some runs that is in the tree, by ascending position. */
struct sdpower_i_walk {
	const struct sdpower_i_view *view;
	struct sdpower_i_span span;
	uint32_t first;
	uint32_t bits;
};

static inline struct sdpower_i_walk sdpower_i_walk_of(const struct sdpower_i_view *v,
	uint32_t run, uint32_t runs)
{
	struct sdpower_i_walk w;

	w.view = v;
	w.span = sdpower_i_span_of(run, runs);
	w.first = 0;
	w.bits = 0;
	return w;
}

static inline int sdpower_i_walk_next(struct sdpower_i_walk *w, uint32_t *pos)
{
	uint32_t block, mask;

	while (!w->bits) {
		if (!sdpower_i_span_next(&w->span, w->view, &block, &mask))
			return 0;
		w->first = w->view->forest->blocks[block].first;
		w->bits = mask & sdpower_i_active(w->view, block);
	}
	while (!(w->bits & 1u)) {
		w->bits >>= 1;
		w->first++;
	}
	*pos = w->first;
	w->bits >>= 1;
	w->first++;
	return 1;
}

/* Input and output of rule D4. */
struct sdpower_i_amounts {
	uint64_t max, avg, this;  /* loads per S of power: busiest group, domain, local group */
	uint64_t busiest_lpt;     /* load per task of the busiest group */
	uint64_t this_lpt;        /* weighted load of the local group; per task after "small" */
	uint64_t imbalance;       /* out; in for "small" alone */
	uint32_t this_nr;         /* tasks of the local group */
	uint32_t asker_lpt;       /* the asking cpu's own load per task */
	uint32_t busiest_power, this_power;
};

/* imbalance.c: 1 iff the rule for small imbalances was needed. */
int sdpower_i_imbalance(struct sdpower_i_amounts *a);
void sdpower_i_small_imbalance(struct sdpower_i_amounts *a);

/* nominate.c: may this level name `cpu` as the preferred wake-up cpu (rule D9)? */
int sdpower_i_may_nominate(const struct sdpower *s, const struct sdpower_i_view *v,
	uint32_t pos, uint32_t depth);

/* idlest.c: rule D6 within a view; groups in ring order. */
uint32_t sdpower_i_idlest_group(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_level_view *l, struct sdpower_i_mask affinity,
	uint64_t *this_load, uint64_t *min_load);
sdpower_cpu sdpower_i_idlest_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_level_view *l, uint32_t nth, struct sdpower_i_mask affinity,
	sdpower_cpu asker);

/* placement.c and wakeup.c: the bare rules D7 and D8, before a pick is checked. */
struct sdpower_pick sdpower_i_place_task(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request);

/* pick.c: what the rules named if it is permitted, else the first permitted cpu. */
struct sdpower_pick sdpower_i_permitted(const struct sdpower_i_view *v,
	struct sdpower_pick pick, struct sdpower_i_mask affinity);

#endif
