/* SPDX-License-Identifier: MIT */
/* The model of D1 to D5 and D9. */
#include <stdlib.h>
#include <string.h>
#include "model.h"

/* A group as D1 defines it, all of it. */
struct sums {
	uint64_t load, weighted, per_task, max, min, average;
	uint32_t nr, power;
	bool imbalanced;
	sdpower_cpu first, first_idle;
};

static uint32_t power_of(const sdpower *s, const struct sdpower_busiest_request *q,
	const struct model_level *l, const struct model_group *g)
{
	uint32_t rank = 0;

	if (!q->group_power_count)
		return g->info.power;
	for (uint32_t i = 0; i < l->info.groups; i++) {
		struct model_group other;

		if (!model_group_at(s, l, i, &other))
			abort();
		rank += other.info.first_cpu < g->info.first_cpu;
	}
	return q->group_power[rank] ? q->group_power[rank] : 1;
}

static struct sums sum_group(const sdpower *s, const struct sdpower_busiest_request *q,
	const struct model_level *l, uint32_t nth)
{
	const uint32_t index[] = { l->info.idle_idx, l->info.busy_idx, l->info.newidle_idx };
	struct sums t = { .min = UINT64_MAX, .first_idle = SDPOWER_CPU_NONE };
	struct model_group g;

	if (!model_group_at(s, l, nth, &g))
		abort();
	t.first = g.info.first_cpu;
	t.power = power_of(s, q, l, &g);
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++) {
		struct sdpower_cpu_state c;
		uint64_t load;

		if (!model_bit(g.mask, MODEL_WORDS, cpu) ||
		    !model_bit(q->candidates, q->candidate_words, cpu))
			continue;
		c = model_cpu(s, cpu);
		load = nth == 0 ? model_target(&c, index[q->idle]) : model_source(&c, index[q->idle]);
		t.load += load;
		t.nr += c.nr;
		t.weighted += c.load;
		t.per_task += c.nr ? c.load / c.nr : 0;
		if (load > t.max)
			t.max = load;
		if (load < t.min)
			t.min = load;
		if (c.activity != SDPOWER_CPU_RUNNING && t.first_idle == SDPOWER_CPU_NONE)
			t.first_idle = cpu;
	}
	t.average = t.load * 1024 / t.power;
	t.imbalanced = t.max >= t.min && t.max - t.min > 2 * (t.per_task * 1024 / t.power);
	return t;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t small_imbalance(struct sdpower_busiest_stats *t, uint64_t now, uint64_t own,
	uint64_t pb, uint64_t pt)
{
	const uint64_t b = t->busiest_lpt;
	uint64_t n = 2, m, before, after, a;

	if (t->this_nr) {
		t->this_lpt /= t->this_nr;
		if (b > t->this_lpt)
			n = 1;
	} else {
		t->this_lpt = own;
	}
	if (t->max_load - t->this_load + b >= b * n)
		return b;
	before = (pb * lower(b, t->max_load) + pt * lower(t->this_lpt, t->this_load)) / 1024;
	m = b * 1024 / pb;
	after = t->max_load > m ? pb * lower(b, t->max_load - m) : 0;
	a = t->max_load * pb < b * 1024 ? t->max_load * pb / pt : b * 1024 / pt;
	after = (after + pt * lower(t->this_lpt, t->this_load + a)) / 1024;
	return after > before ? b : now;
}

static uint64_t imbalance_of(struct sdpower_busiest_stats *t, uint64_t own, uint64_t pb,
	uint64_t pt, bool *small)
{
	uint64_t pull, amount;

	*small = true;
	if (t->max_load < t->avg_load)
		return small_imbalance(t, 0, own, pb, pt);
	pull = lower(t->max_load - t->avg_load, t->max_load - t->busiest_lpt);
	amount = lower(pull * pb, (t->avg_load - t->this_load) * pt) / 1024;
	if (amount < t->busiest_lpt)
		return small_imbalance(t, amount, own, pb, pt);
	*small = false;
	return amount;
}

static bool may_nominate(const sdpower *s, const struct sdpower_busiest_request *q, bool v4,
	const struct model_level *l)
{
	const sdpower_cpu nominee = sdpower_preferred_wakeup_cpu(s);
	struct model_level above;
	bool topmost = true;

	if (model_wakeup_level(s, v4) < 2)
		return false;
	for (uint32_t d = q->depth + 1; model_level_at(s, q->cpu, d, &above); d++)
		if (above.info.flags & SDPOWER_SD_POWERSAVINGS)
			topmost = false;
	return !v4 || topmost || model_bit(l->span, MODEL_WORDS, nominee);
}

void model_busiest_group(const sdpower *s, const struct sdpower_busiest_request *q, bool v4,
	struct sdpower_busiest *a)
{
	struct sdpower_busiest_stats *t = &a->stats;
	uint64_t pb = 0, pt = 0, min_weighted = 0;
	uint32_t busiest = UINT32_MAX, min_group = 0, leader = 0;
	struct sdpower_cpu_state own = model_cpu(s, q->cpu);
	struct model_level l;
	bool power, small;

	memset(a, 0, sizeof(*a));
	a->struct_size = sizeof(*a);
	a->group = SDPOWER_ID_NONE;
	a->from = a->target = SDPOWER_CPU_NONE;
	a->util_most = UINT32_MAX;
	a->group_first = a->nominee = t->group_min = t->group_leader = SDPOWER_CPU_NONE;
	a->sd_idle = q->sd_idle;
	a->balance = 1;
	if (!model_level_at(s, q->cpu, q->depth, &l))
		abort();
	power = q->idle != SDPOWER_CPU_NOT_IDLE && l.info.flags & SDPOWER_SD_POWERSAVINGS;
	for (uint32_t nth = 0; nth < l.info.groups; nth++) {
		const struct sums g = sum_group(s, q, &l, nth);
		const uint32_t capacity = g.power / 1024;

		if (g.nr)
			a->sd_idle = 0;
		if (nth == 0 && q->flags & SDPOWER_ASK_WHO_BALANCES &&
		    q->idle != SDPOWER_CPU_NEWLY_IDLE &&
		    q->cpu != (g.first_idle == SDPOWER_CPU_NONE ? g.first : g.first_idle)) {
			a->balance = 0;
			a->reason = SDPOWER_REASON_NOT_BALANCER;
			return;
		}
		t->total_load += g.load;
		t->total_power += g.power;
		if (nth == 0) {
			pt = g.power;
			t->this_load = g.average;
			t->this_nr = g.nr;
			t->this_lpt = g.weighted;
			if (g.nr >= capacity || g.nr == 0)
				power = false;
		} else if (g.average > t->max_load && (g.nr > capacity || g.imbalanced)) {
			busiest = nth;
			pb = g.power;
			a->group_first = g.first;
			t->max_load = g.average;
			t->busiest_nr = g.nr;
			t->busiest_lpt = g.weighted;
			t->group_imb = g.imbalanced;
		}
		if (!power || g.nr == 0 || g.nr >= capacity)
			continue;
		if (!t->min_nr || g.nr < t->min_nr || (g.nr == t->min_nr && g.first > t->group_min)) {
			t->min_nr = g.nr;
			t->group_min = g.first;
			min_weighted = g.weighted;
			min_group = nth;
		}
		if (g.nr > t->leader_nr || (g.nr == t->leader_nr && g.first < t->group_leader)) {
			t->leader_nr = g.nr;
			t->group_leader = g.first;
			leader = nth;
		}
	}
	t->power_balance = power;
	if (t->min_nr)
		t->min_lpt = min_weighted / t->min_nr;
	if (busiest == UINT32_MAX || !t->busiest_nr)
		a->reason = SDPOWER_REASON_NO_BUSIEST;
	else if (t->this_load >= t->max_load)
		a->reason = SDPOWER_REASON_LOCAL_BUSIER;
	if (!a->reason) {
		t->avg_load = 1024 * t->total_load / t->total_power;
		if (t->this_load >= t->avg_load)
			a->reason = SDPOWER_REASON_LOCAL_ABOVE_AVERAGE;
		else if (100 * t->max_load <= l.info.imbalance_pct * t->this_load)
			a->reason = SDPOWER_REASON_WITHIN_PERCENT;
	}
	if (!a->reason) {
		t->busiest_lpt /= t->busiest_nr;
		if (t->group_imb)
			t->busiest_lpt = lower(t->busiest_lpt, t->avg_load);
		if (t->max_load <= t->busiest_lpt)
			a->reason = SDPOWER_REASON_ONE_TASK;
	}
	if (!a->reason) {
		a->imbalance = imbalance_of(t, own.nr ? own.load / own.nr : 0, pb, pt, &small);
		a->kind = SDPOWER_PULL_LOAD;
		a->reason = SDPOWER_REASON_IMBALANCE | (small ? SDPOWER_REASON_SMALL : 0u);
		a->group = busiest;
		return;
	}
	a->group_first = SDPOWER_CPU_NONE;
	if (!power || !t->leader_nr || leader != 0 || min_group == leader)
		return;
	a->reason |= SDPOWER_REASON_POWER;
	a->kind = SDPOWER_PULL_POWER;
	a->group = min_group;
	a->group_first = t->group_min;
	a->imbalance = t->min_lpt;
	if (may_nominate(s, q, v4, &l)) {
		a->reason |= SDPOWER_REASON_NOMINATED;
		a->nominee = t->group_leader;
	}
}

sdpower_cpu model_busiest_queue(const sdpower *s, const struct sdpower_queue_request *q)
{
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t mask[MODEL_WORDS] = { 0 }, most = 0;

	if (sdpower_domain_group(s, q->domain, q->group, NULL, mask, MODEL_WORDS))
		abort();
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++) {
		struct sdpower_cpu_state c;

		if (!model_bit(mask, MODEL_WORDS, cpu) ||
		    !model_bit(q->candidates, q->candidate_words, cpu))
			continue;
		c = model_cpu(s, cpu);
		if (c.load > most && !(c.nr == 1 && c.load > q->imbalance)) {
			most = c.load;
			found = cpu;
		}
	}
	return found;
}
