/* SPDX-License-Identifier: MIT */
/* The model of D6, D7 and D10. */
#include <stdlib.h>
#include "model.h"

static bool permitted(const sdpower *s, const uint32_t *mask, uint32_t words, sdpower_cpu cpu)
{
	return cpu != SDPOWER_CPU_NONE && model_bit(mask, words, cpu) && model_in_tree(s, cpu);
}

static uint64_t load_of(const sdpower *s, const struct sdpower_placement *p,
	const struct model_level *l, uint32_t nth, bool *allowed)
{
	struct model_group g;
	uint64_t load = 0;

	if (!model_group_at(s, l, nth, &g))
		abort();
	*allowed = false;
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++) {
		struct sdpower_cpu_state c;

		if (!model_bit(g.mask, MODEL_WORDS, cpu))
			continue;
		c = model_cpu(s, cpu);
		load += nth ? model_target(&c, l->info.forkexec_idx) :
			model_source(&c, l->info.forkexec_idx);
		*allowed |= model_bit(p->affinity, p->affinity_words, cpu);
	}
	return load * 1024 / g.info.power;
}

uint32_t model_idlest_group(const sdpower *s, const struct sdpower_placement *p)
{
	uint64_t this_load = 0, least = UINT64_MAX;
	uint32_t found = SDPOWER_ID_NONE;
	struct model_level l;

	if (!model_level_at(s, p->cpu, p->depth, &l))
		abort();
	for (uint32_t nth = 0; nth < l.info.groups; nth++) {
		bool allowed;
		const uint64_t load = load_of(s, p, &l, nth, &allowed);

		if (!allowed)
			continue;
		if (nth == 0) {
			this_load = load;
		} else if (load < least) {
			least = load;
			found = nth;
		}
	}
	if (found == SDPOWER_ID_NONE ||
	    100 * this_load < (100 + (l.info.imbalance_pct - 100) / 2) * least)
		return SDPOWER_ID_NONE;
	return found;
}

sdpower_cpu model_idlest_cpu(const sdpower *s, const struct sdpower_placement *p, uint32_t group)
{
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t least = UINT32_MAX;
	struct model_level l;
	struct model_group g;

	if (!model_level_at(s, p->cpu, p->depth, &l) || !model_group_at(s, &l, group, &g))
		abort();
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++) {
		struct sdpower_cpu_state c;

		if (!model_bit(g.mask, MODEL_WORDS, cpu) ||
		    !model_bit(p->affinity, p->affinity_words, cpu))
			continue;
		c = model_cpu(s, cpu);
		if (c.activity == SDPOWER_CPU_IS_CLAIMED)
			continue;
		if (c.load < least || (c.load == least && cpu == p->cpu)) {
			least = c.load;
			found = cpu;
		}
	}
	return found;
}

sdpower_cpu model_place(const sdpower *s, const struct sdpower_placement *p)
{
	struct sdpower_placement q = *p;
	struct model_level l;
	int depth = -1;

	for (uint32_t d = 0; model_level_at(s, q.cpu, d, &l); d++) {
		if (l.info.flags & SDPOWER_SD_POWERSAVINGS)
			break;
		if (l.info.flags & p->flag)
			depth = (int)d;
	}
	while (depth >= 0) {
		sdpower_cpu cpu = SDPOWER_CPU_NONE;
		uint32_t group, weight;

		q.depth = (uint32_t)depth;
		if (!model_level_at(s, q.cpu, q.depth, &l))
			abort();
		if (l.info.flags & p->flag) {
			group = model_idlest_group(s, &q);
			if (group != SDPOWER_ID_NONE)
				cpu = model_idlest_cpu(s, &q, group);
		}
		if (cpu == SDPOWER_CPU_NONE || cpu == q.cpu) {
			depth--;
			continue;
		}
		q.cpu = cpu;
		weight = l.info.weight;
		depth = -1;
		for (uint32_t d = 0; model_level_at(s, cpu, d, &l) && l.info.weight < weight; d++)
			if (l.info.flags & p->flag)
				depth = (int)d;
	}
	if (permitted(s, p->affinity, p->affinity_words, q.cpu))
		return q.cpu;
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
		if (permitted(s, p->affinity, p->affinity_words, cpu))
			return cpu;
	return SDPOWER_CPU_NONE;
}

/* First of the group's tickless cpus if it has some but not all. */
static sdpower_cpu semi_idle(const sdpower *s, const struct model_group *g, const uint32_t *mask,
	uint32_t words)
{
	sdpower_cpu first = SDPOWER_CPU_NONE;
	bool other = false;

	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++) {
		if (!model_bit(g->mask, MODEL_WORDS, cpu))
			continue;
		if (!model_bit(mask, words, cpu))
			other = true;
		else if (first == SDPOWER_CPU_NONE)
			first = cpu;
	}
	return other ? first : SDPOWER_CPU_NONE;
}

sdpower_cpu model_ilb(const sdpower *s, sdpower_cpu cpu, const uint32_t *mask, uint32_t words)
{
	sdpower_cpu first = SDPOWER_CPU_NONE;
	uint32_t count = 0, mc = 0, smt = 0;
	bool seen = false;
	struct model_level l;
	struct model_group g;

	for (sdpower_cpu i = sdpower_cpu_count(s); i-- > 0;)
		if (permitted(s, mask, words, i)) {
			first = i;
			count++;
		}
	(void)sdpower_get_knobs(s, &mc, &smt);
	if (count < 2 || (!mc && !smt))
		return first;
	for (uint32_t d = 0; model_level_at(s, cpu, d, &l); d++) {
		const bool saves = l.info.flags & SDPOWER_SD_POWERSAVINGS;

		if (seen && !saves)
			break;
		seen |= saves;
		for (uint32_t nth = 0; saves && model_group_at(s, &l, nth, &g); nth++) {
			const sdpower_cpu found = semi_idle(s, &g, mask, words);

			if (found != SDPOWER_CPU_NONE)
				return found;
		}
	}
	return first;
}
