/* SPDX-License-Identifier: MIT */
/* A walk under way, as it lies in the host's memory between two steps. */
#ifndef SDPOWER_I_DRIVER_H
#define SDPOWER_I_DRIVER_H

#include "attempt.h"
#include "climb.h"
#include "native.h"
#include "../state/counters.h"

#include <sdpower/driver.h>

#define SDPOWER_I_WALKING 0x776c6b21u
/* Native: first and shortest interval of a level, ms; it is for a host to tick less often. */
#define SDPOWER_I_NATIVE_INTERVAL 1u

struct sdpower_i_driver {
	uint32_t magic;       /* SDPOWER_I_WALKING while an outcome is waited for */
	uint32_t generation;  /* of the tree that is walked */
	uint32_t kind;        /* enum sdpower_balance_kind */
	uint32_t pending;     /* enum sdpower_balance_action_kind that was given to the host */
	uint32_t pos, helper; /* whose levels, and who walks */
	uint32_t depth, levels;
	uint32_t idle;        /* as requested */
	uint32_t locked;      /* the one lock is held for the present level */
	uint32_t queue;       /* position found last, or NONE16 */
	uint32_t dropped;     /* 1 = candidates is in use */
	uint32_t slot;        /* push request being served or made */
	uint32_t requester;   /* position it belongs to, and the level of its chain */
	uint32_t push_depth;
	uint32_t pull;        /* native: enum sdpower_pull_kind of what was found */
	uint32_t util_most;   /* native: largest share of time of a task that moves */
	uint32_t target;      /* native: position that gets the task being pushed */
	uint64_t amount;      /* load to pull */
	uint64_t most;        /* native: largest weight of the first task */
	uint64_t now;         /* tick */
	struct sdpower_i_climb climb;
	struct sdpower_i_attempt attempt;
	uint32_t candidates[1]; /* mask of cpus, as many words as the instance needs */
};

/* What one step works with; lives on the stack only. */
struct sdpower_i_drive {
	struct sdpower *s;
	struct sdpower_i_view view;
	struct sdpower_i_ticks ticks;
	struct sdpower_i_driver *d;
	struct sdpower_balance_action *action;
};

static inline struct sdpower_i_pace *sdpower_i_pace_at(const struct sdpower *s, uint32_t pos,
	uint32_t depth)
{
	return &s->paces[(size_t)pos * s->forest.depth_max + depth];
}

/* A pass's record as the climb reads it: with a whole tick of the last pass. */
static inline struct sdpower_i_pace sdpower_i_pace_of(const struct sdpower_i_drive *w)
{
	struct sdpower_i_pace pace = *sdpower_i_pace_at(w->s, w->d->pos, w->d->depth);

	if (sdpower_i_native(w->s))
		pace.last = sdpower_i_pace_last(&pace, w->d->now);
	return pace;
}

static inline uint32_t sdpower_i_mask_words(const struct sdpower *s)
{
	return (s->forest.cpu_count + 31u) / 32u;
}

static inline struct sdpower_i_params sdpower_i_level_params(const struct sdpower_i_view *v,
	const struct sdpower_i_domain *domain)
{
	struct sdpower_i_params p;

	sdpower_i_params_of(v->forest, domain, sdpower_i_load(&v->tree->online_count), &p);
	return p;
}

/* driver_level.c: all steps of balancing the present level. 1 = the action is for the host. */
int sdpower_i_level_start(struct sdpower_i_drive *w);
int sdpower_i_level_resume(struct sdpower_i_drive *w, const struct sdpower_balance_outcome *o);

void sdpower_i_end_level(struct sdpower_i_drive *w);
void sdpower_i_drop_queue(struct sdpower_i_drive *w);
void sdpower_i_count_level(const struct sdpower_i_drive *w, enum sdpower_pass_counter counter,
	uint32_t more);

/* native_level.c and native_push.c: the same under the native rules. */
int sdpower_i_native_level_start(struct sdpower_i_drive *w);
int sdpower_i_native_level_resume(struct sdpower_i_drive *w,
	const struct sdpower_balance_outcome *o);
void sdpower_i_native_push_cancel(const struct sdpower_i_drive *w);
int sdpower_i_native_push_is_open(const struct sdpower_i_drive *w);
int sdpower_i_native_push_ask(struct sdpower_i_drive *w);
uint32_t sdpower_i_native_common_depth(const struct sdpower_i_drive *w, uint32_t target,
	uint32_t from);
int sdpower_i_native_push_next(struct sdpower_i_drive *w);
void sdpower_i_native_push_served(struct sdpower_i_drive *w, const struct sdpower_move *move);

/* push.c: requests for a running task. */
int sdpower_i_push_ask(struct sdpower *s, struct sdpower_i_driver *d);
int sdpower_i_push_next(struct sdpower_i_drive *w);
void sdpower_i_push_served(struct sdpower_i_drive *w, const struct sdpower_move *move);

/* Gives an action to the host; 1, as a sentence for the callers. */
int sdpower_i_give(struct sdpower_i_drive *w, uint32_t kind, uint32_t from);

#endif
