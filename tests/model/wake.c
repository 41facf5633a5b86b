/* SPDX-License-Identifier: MIT */
/* The model of D8. */
#include <stdlib.h>
#include "model.h"

#define MIGRATION_COST 500000u

static sdpower_cpu permitted(const sdpower *s, const struct sdpower_wake *w, sdpower_cpu named)
{
	if (model_bit(w->affinity, w->affinity_words, named) && model_in_tree(s, named))
		return named;
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
		if (model_bit(w->affinity, w->affinity_words, cpu) && model_in_tree(s, cpu))
			return cpu;
	return SDPOWER_CPU_NONE;
}

static bool idle(const sdpower *s, sdpower_cpu cpu)
{
	return model_cpu(s, cpu).activity != SDPOWER_CPU_RUNNING;
}

static bool unclaimed(const sdpower *s, sdpower_cpu cpu)
{
	return model_cpu(s, cpu).activity == SDPOWER_CPU_SLEEPING;
}

static sdpower_cpu idle_near(const sdpower *s, const struct sdpower_wake *w, bool v4)
{
	const bool hot = w->flags & SDPOWER_WAKE_CACHE_HOT || w->since_ran_ns < MIGRATION_COST;
	const sdpower_cpu nominee = sdpower_preferred_wakeup_cpu(s);
	struct model_level l;

	if (model_wakeup_level(s, v4) >= 2 && idle(s, w->prev) && idle(s, w->waker) &&
	    !(w->flags & SDPOWER_WAKE_SYSTEM) && model_bit(w->affinity, w->affinity_words, nominee) &&
	    model_in_tree(s, nominee) &&
	    model_cpu(s, nominee).activity != SDPOWER_CPU_IS_CLAIMED)
		return nominee;
	if (unclaimed(s, w->prev) || model_cpu(s, w->prev).nr > 1)
		return w->prev;
	for (uint32_t d = 0; model_level_at(s, w->prev, d, &l); d++) {
		if (!(l.info.flags & SDPOWER_SD_WAKE_IDLE) &&
		    !(l.info.flags & SDPOWER_SD_WAKE_IDLE_FAR && !hot))
			break;
		for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
			if (model_bit(l.span, MODEL_WORDS, cpu) &&
			    model_bit(w->affinity, w->affinity_words, cpu) && unclaimed(s, cpu))
				return cpu;
	}
	return w->prev;
}

sdpower_cpu model_wake_idle(const sdpower *s, const struct sdpower_wake *w, bool v4)
{
	return permitted(s, w, idle_near(s, w, v4));
}

sdpower_cpu model_select(const sdpower *s, const struct sdpower_wake *w, bool v4)
{
	const struct sdpower_cpu_state prev = model_cpu(s, w->prev), here = model_cpu(s, w->waker);
	uint64_t percent, load, target, left;
	bool sync = w->flags & SDPOWER_WAKE_SYNC;
	struct model_level l;
	uint32_t d = 0;

	if (w->prev == w->waker || !model_bit(w->affinity, w->affinity_words, w->waker))
		return model_wake_idle(s, w, v4);
	for (;; d++) {
		if (!model_level_at(s, w->waker, d, &l))
			return model_wake_idle(s, w, v4);
		if (model_bit(l.span, MODEL_WORDS, w->prev))
			break;
	}
	percent = 100 + (l.info.imbalance_pct - 100) / 2;
	load = model_source(&prev, l.info.wake_idx);
	target = left = model_target(&here, l.info.wake_idx);
	if (w->waker_overlap_ns > MIGRATION_COST || w->task_overlap_ns > MIGRATION_COST)
		sync = false;
	if (sync)
		left = left > w->waker_weight ? left - w->waker_weight : 0;
	if (l.info.flags & SDPOWER_SD_WAKE_AFFINE) {
		if (100 * (left + w->weight) <= percent * load)
			return permitted(s, w, w->waker);
		if (left <= load && left + model_target(&prev, l.info.wake_idx) <=
				(here.nr ? here.load / here.nr : 0))
			return permitted(s, w, w->waker);
	}
	if (l.info.flags & SDPOWER_SD_WAKE_BALANCE && percent * target <= 100 * load)
		return permitted(s, w, w->waker);
	return model_wake_idle(s, w, v4);
}
