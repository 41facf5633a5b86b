/* SPDX-License-Identifier: MIT */
/* Rule D8, wake idle: stay near a cpu, on an idle one where levels ask for it. */
#include "wakeup.h"

static int cache_hot(const struct sdpower *s, const struct sdpower_wake *w, uint32_t depth)
{
	return w->flags & SDPOWER_WAKE_CACHE_HOT || w->since_ran_ns < sdpower_i_hot_ns(s, depth);
}

/* D9 bears fruit here: between idle cpus, ordinary tasks gather where work already is. */
static sdpower_cpu preferred_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *w, struct sdpower_i_mask affinity)
{
	const sdpower_cpu nominee = sdpower_i_load(&s->nominee);
	const uint32_t pos = sdpower_i_position(s, nominee);

	if (sdpower_i_wakeup_level(s, v) < SDPOWER_I_WAKEUP_LEVEL || w->flags & SDPOWER_WAKE_SYSTEM)
		return SDPOWER_CPU_NONE;
	if (!sdpower_i_idle(s, sdpower_i_position(s, w->prev)) ||
	    !sdpower_i_idle(s, sdpower_i_position(s, w->waker)))
		return SDPOWER_CPU_NONE;
	if (pos == SDPOWER_I_NONE16 || !sdpower_i_mask_has(affinity, nominee) ||
	    !sdpower_i_is_active(v, pos))
		return SDPOWER_CPU_NONE;
	/* Its own state does not matter, except that a claimed cpu is somebody else's. */
	if (sdpower_i_load(&s->slots[pos].status) == SDPOWER_I_CLAIMED)
		return SDPOWER_CPU_NONE;
	return nominee;
}

static sdpower_cpu first_free_cpu(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_i_domain *domain, struct sdpower_i_mask affinity)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(v, domain->run, domain->runs);
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const uint32_t cpu = v->forest->cpu_at[pos];

		if (cpu < found && sdpower_i_free(s, pos) && sdpower_i_mask_has(affinity, cpu))
			found = cpu;
	}
	return found;
}

static int asks_for_idle(const struct sdpower *s, const struct sdpower_wake *w, uint32_t flags,
	uint32_t depth)
{
	return flags & SDPOWER_SD_WAKE_IDLE ||
		(flags & SDPOWER_SD_WAKE_IDLE_FAR && !cache_hot(s, w, depth));
}

struct sdpower_pick sdpower_i_wake_idle(const struct sdpower *s, const struct sdpower_i_view *v,
	const struct sdpower_wake *w)
{
	const struct sdpower_i_mask affinity = { w->affinity, w->affinity_words };
	const uint32_t pos = sdpower_i_position(s, w->prev), levels = sdpower_i_depth(v, pos);
	sdpower_cpu cpu = preferred_cpu(s, v, w, affinity);

	if (cpu != SDPOWER_CPU_NONE)
		return (struct sdpower_pick){ cpu, SDPOWER_REASON_NOMINEE };
	if (sdpower_i_free(s, pos))
		return (struct sdpower_pick){ w->prev, SDPOWER_REASON_PREVIOUS | SDPOWER_REASON_IDLE };
	if (sdpower_i_load(&s->slots[pos].nr) > 1)
		return (struct sdpower_pick){ w->prev, SDPOWER_REASON_PREVIOUS };
	for (uint32_t depth = 0; depth < levels; depth++) {
		const struct sdpower_i_level_view l = sdpower_i_level_at(v, pos, depth);

		if (!asks_for_idle(s, w, l.link.flags, depth))
			break;
		cpu = first_free_cpu(s, v, &l.domain, affinity);
		if (cpu != SDPOWER_CPU_NONE)
			return (struct sdpower_pick){ cpu, SDPOWER_REASON_IDLE };
	}
	return (struct sdpower_pick){ w->prev, SDPOWER_REASON_PREVIOUS };
}
