/* SPDX-License-Identifier: MIT */
/* Rule D8, select: the waker's cpu or the previous one. */
#include "wakeup.h"

/* What the rules compare, read once. */
struct wake_loads {
	uint64_t percent;      /* half the level's imbalance percentage above 100 */
	uint64_t source_prev, target_prev, target_waker;
	uint32_t waker_per_task;
	uint32_t hot_ns;       /* what moving between the two costs */
};

static struct wake_loads read_loads(const struct sdpower *s,
	const struct sdpower_i_level_view *l, uint32_t depth, const struct sdpower_wake *w)
{
	const struct sdpower_i_slot *prev = &s->slots[sdpower_i_position(s, w->prev)];
	const struct sdpower_i_slot *waker = &s->slots[sdpower_i_position(s, w->waker)];
	const uint32_t prev_load = sdpower_i_load(&prev->load);
	const uint32_t waker_load = sdpower_i_load(&waker->load);
	const uint32_t index = l->params->wake_idx;

	return (struct wake_loads){
		.percent = sdpower_i_half_percent(l),
		.source_prev = sdpower_i_source(prev, index, prev_load),
		.target_prev = sdpower_i_target(prev, index, prev_load),
		.target_waker = sdpower_i_target(waker, index, waker_load),
		.waker_per_task = sdpower_i_per_task(waker_load, sdpower_i_load(&waker->nr)),
		.hot_ns = sdpower_i_hot_ns(s, depth),
	};
}

/* A waker that goes on for long after waking somebody does not make room, whatever it says. */
static int makes_room(const struct wake_loads *loads, const struct sdpower_wake *w)
{
	return w->flags & SDPOWER_WAKE_SYNC && w->waker_overlap_ns <= loads->hot_ns &&
		w->task_overlap_ns <= loads->hot_ns;
}

static int affine(const struct wake_loads *loads, const struct sdpower_wake *w)
{
	uint64_t here = loads->target_waker;

	if (makes_room(loads, w))
		here = here > w->waker_weight ? here - w->waker_weight : 0;
	if (100 * (here + w->weight) <= loads->percent * loads->source_prev)
		return 1;
	return here <= loads->source_prev && here + loads->target_prev <= loads->waker_per_task;
}

/* Depth of the lowest level of the waker that holds prev too; UINT32_MAX = none. */
static uint32_t common_level(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *w)
{
	const uint32_t pos = sdpower_i_position(s, w->waker);
	const uint32_t prev = sdpower_i_position(s, w->prev);
	const uint32_t levels = sdpower_i_depth(v, pos);

	if (!sdpower_i_is_active(v, prev))
		return UINT32_MAX;
	for (uint32_t depth = 0; depth < levels; depth++) {
		const struct sdpower_i_level_view l = sdpower_i_level_at(v, pos, depth);

		if (sdpower_i_runs_hold(v, l.domain.run, l.domain.runs, prev))
			return depth;
	}
	return UINT32_MAX;
}

struct sdpower_pick sdpower_i_select(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *w)
{
	const struct sdpower_i_mask affinity = { w->affinity, w->affinity_words };
	struct sdpower_i_level_view l;
	struct wake_loads loads;
	uint32_t depth;

	if (w->waker == w->prev || !sdpower_i_mask_has(affinity, w->waker))
		return sdpower_i_wake_idle(s, v, w);
	depth = common_level(s, v, w);
	if (depth == UINT32_MAX)
		return sdpower_i_wake_idle(s, v, w);
	l = sdpower_i_level_at(v, sdpower_i_position(s, w->waker), depth);
	loads = read_loads(s, &l, depth, w);
	if (l.link.flags & SDPOWER_SD_WAKE_AFFINE && affine(&loads, w))
		return (struct sdpower_pick){ w->waker, SDPOWER_REASON_AFFINE };
	if (l.link.flags & SDPOWER_SD_WAKE_BALANCE &&
	    loads.percent * loads.target_waker <= 100 * loads.source_prev)
		return (struct sdpower_pick){ w->waker, SDPOWER_REASON_WAKE_BALANCE };
	return sdpower_i_wake_idle(s, v, w);
}
