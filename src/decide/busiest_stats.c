/* SPDX-License-Identifier: MIT */
/*
 * Rule D1: the pass over the groups of a level. Every group is asked for its load and its
 * tasks; what else the rule defines is only read for the few groups that could become the
 * busiest, and for the one that did.
 */
#include "busiest.h"

static const struct sdpower_i_group *raw_group(const struct sdpower_i_search *q, uint32_t index)
{
	return &q->gather.v->tree->groups[index];
}

/* The caller's power of a group: they come by ascending first cpu, whatever the ring. */
static uint32_t override_power(const struct sdpower_i_search *q, uint32_t first_cpu)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < q->groups; i++)
		if (sdpower_i_load16(&raw_group(q, q->first + i)->first_cpu) < first_cpu)
			rank++;
	return rank < q->request->group_power_count ? q->request->group_power[rank] : 0;
}

static inline struct sdpower_i_member member(const struct sdpower_i_search *q, uint32_t index)
{
	const struct sdpower_i_group *raw = raw_group(q, index);
	struct sdpower_i_member m;

	m.index = index;
	m.first_cpu = sdpower_i_load16(&raw->first_cpu);
	m.power = sdpower_i_load(&raw->power);
	if (SDPOWER_UNLIKELY(q->request->group_power_count))
		m.power = override_power(q, m.first_cpu);
	if (SDPOWER_UNLIKELY(!m.power))
		m.power = 1;
	return m;
}

/* The first idle cpu of the local group balances, else its first cpu. */
static int somebody_else_balances(const struct sdpower_i_search *q, uint32_t first_idle)
{
	const uint32_t balancer = first_idle == SDPOWER_CPU_NONE ? q->local.first_cpu : first_idle;

	return q->request->flags & SDPOWER_ASK_WHO_BALANCES &&
		q->request->idle != SDPOWER_CPU_NEWLY_IDLE && q->request->cpu != balancer;
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
static uint32_t imbalanced(const struct sdpower_i_spread *spread, uint32_t power)
{
	const uint64_t width = (uint64_t)spread->max - spread->min;

	return spread->max >= spread->min &&
		spread->per_task * SDPOWER_SCALE < power * (width / 2 + width % 2);
}

/*
 * A group with more tasks than its capacity needs no spread to become the busiest, only to
 * stay it.
 */
static void consider_busiest(struct sdpower_i_search *q, const struct sdpower_i_member *group,
	struct sdpower_i_sums sums)
{
	if (sums.nr <= group->power / SDPOWER_SCALE) {
		const struct sdpower_i_spread spread =
			sdpower_i_spread_of(&q->gather, group->index);

		if (!imbalanced(&spread, group->power))
			return;
	}
	q->busiest = *group;
	q->answer->stats.max_load = sdpower_i_divide(sums.load * SDPOWER_SCALE, group->power);
	q->answer->stats.busiest_nr = (uint32_t)sums.nr;
}

/* The local group. Returns 0 when another cpu balances. */
static int gather_local(struct sdpower_i_search *q)
{
	const struct sdpower_i_local sums = sdpower_i_sum_local(&q->gather, q->local.index);
	struct sdpower_busiest_stats *stats = &q->answer->stats;

	q->local = member(q, q->local.index);
	if (sums.nr)
		q->answer->sd_idle = 0;
	if (somebody_else_balances(q, sums.first_idle))
		return 0;
	stats->total_load = sums.load;
	stats->total_power = q->local.power;
	stats->this_load = sdpower_i_divide(sums.load * SDPOWER_SCALE, q->local.power);
	stats->this_nr = sums.nr;
	stats->this_lpt = sums.weighted;
	if (q->power.on)
		sdpower_i_power_add(q, &q->local, sums.nr);
	return 1;
}

static uint32_t next_in_ring(const struct sdpower_i_search *q, uint32_t index)
{
	return index + 1 < q->first + q->groups ? index + 1 : q->first;
}

static void gather_others(struct sdpower_i_search *q)
{
	struct sdpower_busiest_stats *stats = &q->answer->stats;
	uint64_t total_load = stats->total_load, total_power = stats->total_power, tasks = 0;
	uint32_t index = q->local.index;

	while ((index = next_in_ring(q, index)) != q->local.index) {
		const struct sdpower_i_sums sums = sdpower_i_sum_other(&q->gather, index);
		const struct sdpower_i_member group = member(q, index);

		total_load += sums.load;
		total_power += group.power;
		tasks += sums.nr;
		if (q->power.on)
			sdpower_i_power_add(q, &group, (uint32_t)sums.nr);
		if (above(sums.load, group.power, stats->max_load))
			consider_busiest(q, &group, sums);
	}
	if (tasks)
		q->answer->sd_idle = 0;
	stats->total_load = total_load;
	stats->total_power = total_power;
}

int sdpower_i_gather_stats(struct sdpower_i_search *q)
{
	struct sdpower_i_spread spread;

	if (!gather_local(q))
		return 0;
	gather_others(q);
	if (q->busiest.index == SDPOWER_ID_NONE)
		return 1;
	spread = sdpower_i_spread_of(&q->gather, q->busiest.index);
	q->answer->stats.busiest_lpt = spread.weighted;
	q->answer->stats.group_imb = imbalanced(&spread, q->busiest.power);
	return 1;
}
