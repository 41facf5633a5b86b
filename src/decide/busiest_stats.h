/* SPDX-License-Identifier: MIT */
/*
 * Rule D1: the pass over the groups of a level. Every group is asked for its load and its
 * tasks; what else the rule defines is only read for the few groups that could become the
 * busiest, and for the one that did. Expanded into the one question that asks for it.
 */
#ifndef SDPOWER_I_BUSIEST_STATS_H
#define SDPOWER_I_BUSIEST_STATS_H

#include "busiest.h"

/* The caller's power of a group: they come by ascending first cpu, whatever the ring. */
static SDPOWER_NOINLINE uint32_t override_power(const struct sdpower_busiest_request *request,
	const struct sdpower_i_group *groups, uint32_t count, uint32_t first_cpu)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < count; i++)
		if (sdpower_i_load16(&groups[i].first_cpu) < first_cpu)
			rank++;
	return rank < request->group_power_count ? request->group_power[rank] : 0;
}

/* Power of a group, never 0: a group that is being rewritten may show anything. */
static inline uint32_t power_of(const struct sdpower_i_search *q,
	const struct sdpower_i_group *group)
{
	uint32_t power = sdpower_i_load(&group->power);

	if (SDPOWER_UNLIKELY(q->request->group_power_count))
		power = override_power(q->request, &q->array[q->first], q->groups,
			sdpower_i_load16(&group->first_cpu));
	return power ? power : 1;
}

static inline struct sdpower_i_member member(const struct sdpower_i_search *q, uint32_t index,
	uint32_t power)
{
	struct sdpower_i_member m;

	m.index = index;
	m.first_cpu = sdpower_i_load16(&q->array[index].first_cpu);
	m.power = power;
	return m;
}

/* Reads the spread of a group unless it is the one that was read last. */
static inline void need_spread(struct sdpower_i_search *q, uint32_t index)
{
	if (q->spread_index == index)
		return;
	q->spread_index = index;
	sdpower_i_spread_of(q->gather, &q->array[index], &q->spread);
}

/* The first idle cpu of the local group balances, else its first cpu. */
static inline int somebody_else_balances(const struct sdpower_i_search *q, uint32_t first_idle)
{
	const uint32_t balancer = first_idle == SDPOWER_CPU_NONE ? q->local.first_cpu : first_idle;

	return q->gather->who && q->request->cpu != balancer;
}

/*
 * load * S / power > most, without the division: floor(x / p) >= m + 1 iff x >= p (m + 1).
 * No term leaves 64 bits, as (m + 1) is only multiplied when it has at most 32.
 */
static inline int above(uint64_t load, uint32_t power, uint64_t most)
{
	const uint64_t scaled = load * SDPOWER_SCALE;

	if (SDPOWER_LIKELY(most < UINT32_MAX))
		return scaled >= power * (most + 1);
	return scaled / power > most;
}

/* max - min > 2 * floor(x / p), i.e. floor(x / p) < ceil((max - min) / 2). */
static inline uint32_t imbalanced(const struct sdpower_i_spread *spread, uint32_t power)
{
	const uint64_t width = (uint64_t)spread->max - spread->min;

	return spread->max >= spread->min &&
		spread->per_task * SDPOWER_SCALE < power * (width / 2 + width % 2);
}

/*
 * A group with more tasks than its capacity needs no spread to become the busiest, only to
 * stay it.
 */
static inline void consider_busiest(struct sdpower_i_search *q, uint32_t index, uint32_t power,
	struct sdpower_i_sums sums)
{
	if (sums.nr <= power / SDPOWER_SCALE) {
		need_spread(q, index);
		if (!imbalanced(&q->spread, power))
			return;
	}
	q->busiest = member(q, index, power);
	q->answer.stats.max_load = sdpower_i_divide(sums.load * SDPOWER_SCALE, power);
	q->answer.stats.busiest_nr = (uint32_t)sums.nr;
}

/* The local group. Returns 0 when another cpu balances. */
static inline int gather_local(struct sdpower_i_search *q)
{
	const struct sdpower_i_group *group = &q->array[q->local.index];
	struct sdpower_busiest_stats *stats = &q->answer.stats;
	const uint32_t power = power_of(q, group);
	struct sdpower_i_local sums;

	sdpower_i_sum_local(q->gather, group, &sums);
	q->local = member(q, q->local.index, power);
	if (sums.nr)
		q->answer.sd_idle = 0;
	if (somebody_else_balances(q, sums.first_idle))
		return 0;
	stats->total_load = sums.load;
	stats->total_power = power;
	stats->this_load = sdpower_i_divide(sums.load * SDPOWER_SCALE, power);
	stats->this_nr = sums.nr;
	stats->this_lpt = sums.weighted;
	if (q->power->on)
		sdpower_i_power_add(q->power, q->local, sums.nr, 1);
	return 1;
}

/* A single other group is the only choice: then all is read at once. */
static inline struct sdpower_i_sums sums_of(struct sdpower_i_search *q, uint32_t index)
{
	if (q->groups != 2)
		return sdpower_i_sum_other(q->gather, &q->array[index]);
	need_spread(q, index);
	return q->spread.sums;
}

static inline void gather_others(struct sdpower_i_search *q)
{
	struct sdpower_busiest_stats *stats = &q->answer.stats;
	uint64_t total_load = stats->total_load, total_power = stats->total_power, tasks = 0;
	const uint32_t own = q->local.index, end = q->first + q->groups;

	for (uint32_t index = own + 1; ; index++) {
		struct sdpower_i_sums sums;
		uint32_t power;

		if (index == end)
			index = q->first;
		if (index == own)
			break;
		sums = sums_of(q, index);
		power = power_of(q, &q->array[index]);
		total_load += sums.load;
		total_power += power;
		tasks += sums.nr;
		if (q->power->on)
			sdpower_i_power_add(q->power, member(q, index, power), (uint32_t)sums.nr, 0);
		if (above(sums.load, power, stats->max_load))
			consider_busiest(q, index, power, sums);
	}
	if (tasks)
		q->answer.sd_idle = 0;
	stats->total_load = total_load;
	stats->total_power = total_power;
}

/* Returns 0 when another cpu balances. */
static inline int gather_stats(struct sdpower_i_search *q)
{
	if (!gather_local(q))
		return 0;
	gather_others(q);
	if (q->busiest.index == SDPOWER_ID_NONE)
		return 1;
	need_spread(q, q->busiest.index);
	q->answer.stats.busiest_lpt = q->spread.weighted;
	q->answer.stats.group_imb = imbalanced(&q->spread, q->busiest.power);
	return 1;
}

#endif
