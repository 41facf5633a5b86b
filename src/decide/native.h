/* SPDX-License-Identifier: MIT */
/*
 * What the files of the native rules share. Every public decision call looks once at the rule
 * set of the instance and goes on here; the classic files know nothing of it.
 */
#ifndef SDPOWER_I_NATIVE_H
#define SDPOWER_I_NATIVE_H

#include "decide.h"
#include "../state/crowd.h"

static inline int sdpower_i_native(const struct sdpower *s)
{
	return s->decision_rules == SDPOWER_DECIDE_NATIVE;
}

/* One question about one level: the asker, the level, and what the rules are to look at. */
struct sdpower_i_native_search {
	const struct sdpower *s;
	const struct sdpower_i_view *view;
	struct sdpower_i_native_level {
		struct sdpower_i_link link;
		struct sdpower_i_domain domain;
	} level;
	uint32_t pos, depth;              /* the asker, and which level of its chain */
	uint32_t idle;                    /* enum sdpower_idle */
	uint32_t flags;                   /* set of enum sdpower_busiest_flag */
	struct sdpower_i_mask candidates; /* cpus that may give tasks */
	struct sdpower_i_limits limits;
};

/* What a question is about, the level itself left out. */
static inline void sdpower_i_native_begin(struct sdpower_i_native_search *q,
	const struct sdpower *s, const struct sdpower_i_view *v, uint32_t pos, uint32_t depth)
{
	q->s = s;
	q->view = v;
	q->pos = pos;
	q->depth = depth;
	q->idle = SDPOWER_CPU_IDLE;
	q->flags = 0;
	q->candidates = (struct sdpower_i_mask){ NULL, 0 };
	q->limits = sdpower_i_limits_of(s, v->tree);
}

/* The level, which must exist. */
static inline void sdpower_i_native_level(struct sdpower_i_native_search *q)
{
	q->level.link = sdpower_i_get_link(q->view, q->pos, q->depth);
	q->level.domain = sdpower_i_get_domain(q->view, q->level.link.domain);
}

/* Everything of a question but what the request says. */
static inline void sdpower_i_native_start(struct sdpower_i_native_search *q,
	const struct sdpower *s, const struct sdpower_i_view *v, uint32_t pos, uint32_t depth)
{
	sdpower_i_native_begin(q, s, v, pos, depth);
	sdpower_i_native_level(q);
}

/* Index of the nth group in ring order, counted over the tree. */
static inline uint32_t sdpower_i_native_ring(const struct sdpower_i_native_search *q, uint32_t nth)
{
	const uint32_t i = q->level.link.own_group + nth;

	return q->level.domain.group + (i < q->level.domain.groups ? i : i - q->level.domain.groups);
}

/* Share of time that more tasks of a cpu may have before it is filled as far as stacking goes. */
static inline uint32_t sdpower_i_room_to_fill(const struct sdpower *s,
	const struct sdpower_i_cpu_view *c)
{
	const uint32_t full = sdpower_i_load(&s->tuning.fill_percent) * c->capacity / 100u;

	return full > c->util ? full - c->util : 0;
}

/* What is to be pulled. */
struct sdpower_i_native_pull {
	uint32_t kind;         /* enum sdpower_pull_kind */
	uint32_t group;        /* index in the tree's array of groups */
	uint32_t from, target; /* positions */
	uint32_t util_most;    /* largest share of time of a task that moves */
	uint64_t amount, most; /* weights: of all that moves, of the first task */
	uint32_t reason;       /* set of sdpower_reason */
};

/* native_ask.c, native_queue.c: the questions as they are asked. */
sdpower_status sdpower_i_native_find_busiest(const struct sdpower *s,
	const struct sdpower_busiest_request *request, struct sdpower_busiest *answer);
sdpower_status sdpower_i_native_find_queue(const struct sdpower *s,
	const struct sdpower_queue_request *request, struct sdpower_pick *pick);

/* native_busiest.c: rules P1 to P6, everything looked at; *answer is empty but for its domain. */
void sdpower_i_native_decide(const struct sdpower_i_native_search *q,
	struct sdpower_busiest *answer);

/*
 * native_pack.c: rule P6, asked at levels that save power when nothing else is to be done and no
 * group is over-utilised. 1 = *pull says what to move.
 */
int sdpower_i_native_pack(const struct sdpower_i_native_search *q,
	struct sdpower_i_native_pull *pull);

/* native_wake.c, native_place.c, native_ilb.c: the bare rules; picks are checked by the caller. */
struct sdpower_pick sdpower_i_native_select(const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_wake *request);
struct sdpower_pick sdpower_i_native_wake_idle(const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_wake *request);
struct sdpower_pick sdpower_i_native_place(const struct sdpower *s,
	const struct sdpower_i_view *v, const struct sdpower_placement *request);
uint32_t sdpower_i_native_idlest_group(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, const struct sdpower_i_level_view *l,
	struct sdpower_idlest *answer);
sdpower_cpu sdpower_i_native_idlest_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_placement *request, const struct sdpower_i_level_view *l, uint32_t nth);
struct sdpower_pick sdpower_i_native_ilb(const struct sdpower *s, const struct sdpower_i_view *v,
	struct sdpower_i_mask tickless);

/* native_home.c: the preferred wake-up cpu, or NONE: one that can take work now. */
sdpower_cpu sdpower_i_native_nominee(const struct sdpower *s, const struct sdpower_i_view *v);

#endif
