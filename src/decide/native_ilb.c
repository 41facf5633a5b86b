/* SPDX-License-Identifier: MIT */
/* Rule W11: who balances for the tickless cpus. */
#include "native.h"

/* Tickless cpus of one cache or package: neighbours by position. */
struct part {
	uint32_t id;
	uint32_t cpus, tickless;
	sdpower_cpu first;       /* lowest tickless one that sleeps */
};

struct best {
	sdpower_cpu cache, package, any; /* by what is partly idle; the lowest cpu of each */
};

static void close_part(const struct part *p, sdpower_cpu *best)
{
	if (p->tickless < p->cpus && p->first < *best)
		*best = p->first;
}

static void count(struct part *p, uint32_t id, sdpower_cpu *best, sdpower_cpu tickless,
	sdpower_cpu sleeping)
{
	if (id == SDPOWER_I_NONE16 || id != p->id) {
		close_part(p, best);
		*p = (struct part){ .id = id, .first = SDPOWER_CPU_NONE };
	}
	p->cpus++;
	p->tickless += tickless != SDPOWER_CPU_NONE;
	if (sleeping < p->first)
		p->first = sleeping;
}

/* Who asks does not matter: all that ask at once hear the same name. */
struct sdpower_pick sdpower_i_native_ilb(const struct sdpower *s, const struct sdpower_i_view *v,
	struct sdpower_i_mask mask)
{
	const struct sdpower_i_forest *f = v->forest;
	struct part cache = { .id = SDPOWER_I_NONE16, .first = SDPOWER_CPU_NONE }, package = cache;
	struct best best = { SDPOWER_CPU_NONE, SDPOWER_CPU_NONE, SDPOWER_CPU_NONE };

	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		sdpower_cpu tickless = SDPOWER_CPU_NONE, sleeping;

		if (!sdpower_i_is_active(v, pos))
			continue;
		if (sdpower_i_mask_has(mask, f->cpu_at[pos]))
			tickless = f->cpu_at[pos];
		/* A mask that is out of date names cpus that run, or are being woken. */
		sleeping = sdpower_i_free(s, pos) ? tickless : SDPOWER_CPU_NONE;
		best.any = sleeping < best.any ? sleeping : best.any;
		count(&cache, f->key[SDPOWER_I_KEY_LLC][pos], &best.cache, tickless, sleeping);
		count(&package, f->key[SDPOWER_I_KEY_PACKAGE][pos], &best.package, tickless, sleeping);
	}
	close_part(&cache, &best.cache);
	close_part(&package, &best.package);
	if (best.cache != SDPOWER_CPU_NONE)
		return (struct sdpower_pick){ best.cache, SDPOWER_REASON_SEMI_IDLE };
	if (best.package != SDPOWER_CPU_NONE)
		return (struct sdpower_pick){ best.package, SDPOWER_REASON_SEMI_IDLE };
	return (struct sdpower_pick){ best.any, best.any == SDPOWER_CPU_NONE ?
		SDPOWER_REASON_NO_CPU : SDPOWER_REASON_IDLE };
}
