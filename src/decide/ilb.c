/* SPDX-License-Identifier: MIT */
/* Rule D10: who balances for the tickless cpus. */
#include "native.h"

/* The tickless cpus among some runs. */
struct tickless {
	sdpower_cpu first;
	uint32_t count;
};

static struct tickless count_tickless(const struct sdpower_i_view *v, uint32_t run,
	uint32_t runs, struct sdpower_i_mask mask)
{
	struct sdpower_i_walk walk = sdpower_i_walk_of(v, run, runs);
	struct tickless t = { SDPOWER_CPU_NONE, 0 };
	uint32_t pos;

	while (sdpower_i_walk_next(&walk, &pos)) {
		const uint32_t cpu = v->forest->cpu_at[pos];

		if (!sdpower_i_mask_has(mask, cpu))
			continue;
		t.count++;
		if (cpu < t.first)
			t.first = cpu;
	}
	return t;
}

/* Some but not all: it is awake anyway, and has a cpu to spare. */
static sdpower_cpu semi_idle_group(const struct sdpower_i_view *v,
	const struct sdpower_i_level_view *l, struct sdpower_i_mask mask)
{
	if (l->link.own_group >= l->domain.groups)
		return SDPOWER_CPU_NONE;
	for (uint32_t nth = 0; nth < l->domain.groups; nth++) {
		const struct sdpower_i_group group = sdpower_i_get_group(v, sdpower_i_ring(l, nth));
		const struct tickless t = count_tickless(v, group.run, group.runs, mask);

		if (t.count && t.count < group.weight)
			return t.first;
	}
	return SDPOWER_CPU_NONE;
}

/* From the lowest saving level up while levels save. */
static sdpower_cpu semi_idle_cpu(const struct sdpower_i_view *v, uint32_t pos,
	struct sdpower_i_mask mask)
{
	const uint32_t levels = sdpower_i_depth(v, pos);
	sdpower_cpu cpu = SDPOWER_CPU_NONE;
	uint32_t depth = 0;

	while (depth < levels &&
	       !(sdpower_i_get_link(v, pos, depth).flags & SDPOWER_SD_POWERSAVINGS))
		depth++;
	for (; depth < levels && cpu == SDPOWER_CPU_NONE; depth++) {
		const struct sdpower_i_level_view l = sdpower_i_level_at(v, pos, depth);

		if (!(l.link.flags & SDPOWER_SD_POWERSAVINGS))
			break;
		cpu = semi_idle_group(v, &l, mask);
	}
	return cpu;
}

static struct sdpower_pick find_ilb(const struct sdpower_i_view *v, uint32_t pos,
	struct sdpower_i_mask mask)
{
	struct tickless all = { SDPOWER_CPU_NONE, 0 };
	sdpower_cpu cpu = SDPOWER_CPU_NONE;

	for (sdpower_cpu i = 0; i < v->forest->cpu_count; i++)
		if (sdpower_i_mask_has(mask, i) && sdpower_i_is_active(v, v->forest->pos_of[i])) {
			all.count++;
			if (i < all.first)
				all.first = i;
		}
	if (all.count >= 2 && (sdpower_i_load(&v->tree->mc) || sdpower_i_load(&v->tree->smt)))
		cpu = semi_idle_cpu(v, pos, mask);
	if (cpu != SDPOWER_CPU_NONE)
		return (struct sdpower_pick){ cpu, SDPOWER_REASON_SEMI_IDLE };
	return (struct sdpower_pick){ all.first, all.count ? SDPOWER_REASON_IDLE :
		SDPOWER_REASON_NO_CPU };
}

sdpower_status sdpower_find_ilb(const struct sdpower *s, sdpower_cpu cpu,
	const uint32_t *tickless, uint32_t words, struct sdpower_pick *pick)
{
	if (!s || !pick || (words && !tickless))
		return SDPOWER_EINVAL;
	if (cpu >= s->forest.cpu_count)
		return SDPOWER_ENOENT;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		static const uint32_t none;
		const struct sdpower_i_mask mask = { tickless ? tickless : &none, words };
		const struct sdpower_pick found = sdpower_i_native(s) ?
			sdpower_i_native_ilb(s, &v, mask) :
			find_ilb(&v, sdpower_i_position(s, cpu), mask);

		if (!sdpower_i_view_holds(&v))
			continue;
		*pick = found;
		return SDPOWER_OK;
	}
	*pick = (struct sdpower_pick){ SDPOWER_CPU_NONE, SDPOWER_REASON_SWAPPED };
	return SDPOWER_OK;
}
