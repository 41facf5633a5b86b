/* SPDX-License-Identifier: MIT */
/* Rules P1 to P5 in their order. */
#include <string.h>
#include "native.h"

#define NOBODY SDPOWER_CPU_NONE

/* The greatest quotient seen so far; of equals the highest name. */
struct best {
	uint32_t name;
	uint64_t amount, per;
};

static bool consider(struct best *b, uint32_t name, uint64_t amount, uint64_t per)
{
	if (b->name != NOBODY && (amount * b->per < b->amount * per ||
			(amount * b->per == b->amount * per && name < b->name)))
		return false;
	*b = (struct best){ name, amount, per };
	return true;
}

static bool holds(const struct native_group *g, sdpower_cpu cpu)
{
	return model_bit(g->mask, MODEL_WORDS, cpu);
}

static bool is_idle(const struct native_model *m)
{
	return m->q->idle != SDPOWER_CPU_NOT_IDLE && !native_cpu(m, m->q->cpu).nr;
}

static bool is_saving(const struct native_model *m)
{
	return m->level.info.flags & SDPOWER_SD_POWERSAVINGS;
}

static bool is_patient(const struct native_model *m)
{
	return is_saving(m) && !(m->q->flags & (SDPOWER_ASK_IMPATIENT | SDPOWER_ASK_SPREADING));
}

static bool stacking(const struct native_model *m)
{
	return m->mc == 2 && m->smt == 2;
}

static bool has_giver(const struct native_model *m, const struct native_group *g)
{
	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++)
		if (holds(g, cpu) && native_over(m, cpu) && native_may_give(m, cpu))
			return true;
	return false;
}

/* Load and capacity of a block's part in a group; 0 when no over cpu of it may give. */
static bool sum_block(const struct native_model *m, const struct native_group *g, uint32_t block,
	uint64_t *load, uint64_t *capacity)
{
	bool over = false;

	*load = *capacity = 0;
	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++) {
		if (!holds(g, cpu) || native_block(m, g, cpu) != block)
			continue;
		*load += native_cpu(m, cpu).load;
		*capacity += native_cpu(m, cpu).capacity;
		over |= native_over(m, cpu) && native_may_give(m, cpu);
	}
	return over;
}

/* The block first, then the cpu within it. */
static sdpower_cpu loaded_cpu(const struct native_model *m, const struct native_group *g)
{
	struct best block = { NOBODY, 0, 1 }, cpu = { NOBODY, 0, 1 };

	for (sdpower_cpu c = 0; c < m->table->cpu_count; c++) {
		uint64_t load, capacity;

		if (holds(g, c) && sum_block(m, g, native_block(m, g, c), &load, &capacity))
			(void)consider(&block, native_block(m, g, c), load, capacity);
	}
	for (sdpower_cpu c = 0; c < m->table->cpu_count; c++)
		if (holds(g, c) && native_block(m, g, c) == block.name && native_over(m, c) &&
				native_may_give(m, c))
			(void)consider(&cpu, c, native_cpu(m, c).load, native_cpu(m, c).capacity);
	return cpu.name;
}

static void pull(const struct native_model *m, struct native_answer *a, uint32_t kind,
	const struct native_group *g, sdpower_cpu from, uint32_t reason)
{
	a->kind = kind;
	a->group_first = g->first;
	a->from = from;
	a->target = m->q->cpu;
	a->reason = reason;
}

static void pull_running(const struct native_model *m, struct native_answer *a, uint32_t kind,
	const struct native_group *g, sdpower_cpu from, uint32_t reason)
{
	const struct native_cpu c = native_cpu(m, from);

	pull(m, a, kind, g, from, reason);
	a->imbalance = c.nr ? c.load / c.nr : 0;
	a->most = SDPOWER_LOAD_MAX;
}

static uint64_t queued(const struct native_group *g)
{
	const uint64_t used = g->cpus - g->unused;

	return g->nr > used ? g->nr - used : 0;
}

/* Another group than the asker's, in use, that has an unused cpu. */
static bool room_elsewhere(const struct native_model *m)
{
	for (uint32_t i = 1; i < m->groups; i++)
		if (m->group[i].nr && m->group[i].unused)
			return true;
	return false;
}

static uint64_t half_difference(const struct native_cpu *from, const struct native_cpu *to)
{
	const uint64_t more = from->load * to->capacity, less = to->load * from->capacity;

	return more > less ? (more - less) / (from->capacity + to->capacity) : 0;
}

static bool p1_waiting(const struct native_model *m, struct native_answer *a)
{
	const struct native_cpu own = native_cpu(m, m->q->cpu);
	const struct native_group *chosen = NULL;
	struct best best = { NOBODY, 0, 1 };
	struct native_cpu from;

	for (uint32_t i = 1; i < m->groups; i++) {
		const struct native_group *g = &m->group[i];

		if (!has_giver(m, g))
			continue;
		if (is_patient(m) && g->unused)
			a->waiting = true;
		else if (consider(&best, g->first, queued(g), g->capacity))
			chosen = g;
	}
	if (!chosen)
		return false;
	if (is_patient(m) && !m->group[0].nr && room_elsewhere(m)) {
		a->waiting = true;
		return false;
	}
	pull(m, a, SDPOWER_PULL_TASK, chosen, loaded_cpu(m, chosen), SDPOWER_REASON_IMBALANCE |
		(m->q->flags & SDPOWER_ASK_IMPATIENT ? SDPOWER_REASON_LATENCY : 0));
	from = native_cpu(m, a->from);
	a->imbalance = half_difference(&from, &own);
	a->most = from.load > own.load ? from.load - own.load - 1 : 0;
	return true;
}

static bool has_larger(const struct native_model *m, const struct native_group *g, uint64_t than)
{
	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++)
		if (holds(g, cpu) && !native_cpu(m, cpu).nr && 100 * native_cpu(m, cpu).capacity > 105 * than)
			return true;
	return false;
}

static bool is_left_waiting(const struct native_model *m, const struct native_group *g,
	uint64_t capacity)
{
	bool left = has_larger(m, g, capacity);

	for (uint32_t i = 1; i < m->groups && !m->group[0].nr; i++)
		left |= m->group[i].nr && has_larger(m, &m->group[i], capacity);
	return left && is_patient(m);
}

/* Of each group the worst, of these the worst. */
static bool p2_misfit(const struct native_model *m, struct native_answer *a)
{
	const uint64_t own = native_cpu(m, m->q->cpu).capacity;
	struct best best = { NOBODY, 0, 1 };

	for (uint32_t i = 1; i < m->groups; i++) {
		const struct native_group *g = &m->group[i];
		struct best worst = { NOBODY, 0, 1 };

		for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++) {
			const struct native_cpu c = native_cpu(m, cpu);

			if (holds(g, cpu) && native_misfit(m, cpu) && native_may_give(m, cpu) &&
					100 * own > 105 * c.capacity)
				(void)consider(&worst, cpu, c.share, c.capacity);
		}
		if (worst.name == NOBODY)
			continue;
		if (is_left_waiting(m, g, worst.per))
			a->waiting = true;
		else if (consider(&best, g->first, worst.amount, worst.per))
			pull_running(m, a, SDPOWER_PULL_MISFIT, g, worst.name, SDPOWER_REASON_MISFIT);
	}
	return best.name != NOBODY;
}

static bool is_large_enough(const struct native_model *m, sdpower_cpu cpu)
{
	return 100 * native_cpu(m, cpu).capacity <= 105 * native_cpu(m, m->q->cpu).capacity;
}

static bool p3_priority(const struct native_model *m, struct native_answer *a)
{
	const uint32_t own = m->table->cpus[m->q->cpu].priority;
	struct best best = { NOBODY, 0, 1 };

	if (!(m->level.info.flags & SDPOWER_SD_SHARE_PKG) || m->group[0].nr ||
			m->level.info.flags & SDPOWER_SD_SHARE_CPUPOWER)
		return false;
	for (uint32_t i = 1; i < m->groups; i++) {
		struct best lowest = { NOBODY, 0, 1 };

		for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++)
			if (holds(&m->group[i], cpu) && native_cpu(m, cpu).nr && native_may_give(m, cpu) &&
					m->table->cpus[cpu].priority < own && is_large_enough(m, cpu))
				(void)consider(&lowest, cpu, UINT16_MAX - m->table->cpus[cpu].priority, 1);
		if (lowest.name != NOBODY && consider(&best, m->group[i].first, lowest.amount, 1))
			pull_running(m, a, SDPOWER_PULL_PRIORITY, &m->group[i], lowest.name,
				SDPOWER_REASON_PRIORITY);
	}
	return best.name != NOBODY;
}

static sdpower_cpu crowded_cpu(const struct native_model *m, const struct native_group *g)
{
	struct best best = { NOBODY, 0, 1 };

	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++)
		if (holds(g, cpu) && native_cpu(m, cpu).nr && native_may_give(m, cpu) &&
				is_large_enough(m, cpu) && (!(m->level.info.flags & SDPOWER_SD_OVERLAP) ||
				native_node_is_fuller(m, cpu)))
			(void)consider(&best, cpu, native_shares_busy_core(m, cpu), 1);
	return best.name;
}

static bool is_crowded(const struct native_model *m, const struct native_group *g)
{
	const struct native_group *own = &m->group[0];
	const uint64_t allowed = m->level.info.imb_numa_nr > 1 ? m->level.info.imb_numa_nr : 1;

	if (g->nr < 2 || (2 * g->nr - 1) * own->capacity <= (2 * own->nr + 1) * g->capacity)
		return false;
	if (m->level.info.flags & SDPOWER_SD_NUMA && g->nr <= own->nr + allowed)
		return false;
	return !is_saving(m) || g->nr > native_cores(m, g);
}

static bool core_elsewhere(const struct native_model *m)
{
	for (uint32_t i = 1; i < m->groups; i++)
		if (m->group[i].nr && m->group[i].nr < native_cores(m, &m->group[i]))
			return true;
	return false;
}

static bool p4_crowded(const struct native_model *m, struct native_answer *a)
{
	const struct native_group *chosen = NULL;
	struct best best = { NOBODY, 0, 1 };

	if (!m->q->depth || !(is_saving(m) ? m->smt == 0 :
			(m->child_flags & SDPOWER_SD_PREFER_SIBLING) != 0))
		return false;
	for (uint32_t i = 1; i < m->groups; i++)
		if (is_crowded(m, &m->group[i]) && crowded_cpu(m, &m->group[i]) != NOBODY &&
				consider(&best, m->group[i].first, m->group[i].nr, m->group[i].capacity))
			chosen = &m->group[i];
	if (!chosen || (is_saving(m) && !m->group[0].nr && core_elsewhere(m)))
		return false;
	pull_running(m, a, SDPOWER_PULL_SPREAD, chosen, crowded_cpu(m, chosen),
		SDPOWER_REASON_IMBALANCE | SDPOWER_REASON_SMALL);
	return true;
}

static uint64_t per_capacity(const struct native_group *g)
{
	return g->load * 1024 / g->capacity;
}

static bool p5_load(const struct native_model *m, struct native_answer *a)
{
	const struct native_cpu own = native_cpu(m, m->q->cpu);
	const uint64_t full = m->tuning.fill_percent * own.capacity / 100;
	const struct native_group *chosen = NULL;
	struct best best = { NOBODY, 0, 1 };
	struct native_cpu from;
	uint64_t more, less;
	bool bound;

	for (uint32_t i = 1; i < m->groups; i++)
		if (has_giver(m, &m->group[i]) &&
				consider(&best, m->group[i].first, m->group[i].load, m->group[i].capacity))
			chosen = &m->group[i];
	if (!chosen || 100 * per_capacity(chosen) <= m->level.info.imbalance_pct *
			per_capacity(&m->group[0]))
		return false;
	from = native_cpu(m, loaded_cpu(m, chosen));
	more = from.load * own.capacity;
	less = own.load * from.capacity;
	if (more <= less || !((2 * (more - less) - 1) / (from.capacity + own.capacity)))
		return false;
	bound = stacking(m) && own.nr && model_cpu(m->s, m->q->cpu).has_util &&
		model_cpu(m->s, loaded_cpu(m, chosen)).has_util;
	if (bound && full <= own.share)
		return false;
	pull(m, a, SDPOWER_PULL_LOAD, chosen, loaded_cpu(m, chosen), SDPOWER_REASON_IMBALANCE);
	a->imbalance = half_difference(&from, &own);
	a->most = (2 * (more - less) - 1) / (from.capacity + own.capacity);
	if (bound)
		a->util_most = (uint32_t)(full - own.share);
	return true;
}

static void sum_group(const struct native_model *m, struct native_group *g)
{
	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++) {
		const struct native_cpu c = native_cpu(m, cpu);

		if (!holds(g, cpu))
			continue;
		g->cpus++;
		g->nr += c.nr;
		g->load += c.load;
		g->share += c.share;
		g->capacity += c.capacity;
		g->unused += c.nr == 0;
	}
}

static bool prepare(struct native_model *m)
{
	struct model_level child;

	if (!model_level_at(m->s, m->q->cpu, m->q->depth, &m->level))
		return false;
	m->child_flags = m->q->depth && model_level_at(m->s, m->q->cpu, m->q->depth - 1, &child) ?
		child.info.flags : 0;
	m->tuning.struct_size = sizeof(m->tuning);
	(void)sdpower_get_tunables(m->s, &m->tuning);
	(void)sdpower_get_knobs(m->s, &m->mc, &m->smt);
	m->groups = m->level.info.groups;
	for (uint32_t i = 0; i < m->groups; i++) {
		struct model_group g;

		if (!model_group_at(m->s, &m->level, i, &g))
			return false;
		memset(&m->group[i], 0, sizeof(m->group[i]));
		memcpy(m->group[i].mask, g.mask, sizeof(g.mask));
		m->group[i].first = g.info.first_cpu;
		sum_group(m, &m->group[i]);
	}
	return true;
}

static bool any_over_utilised(const struct native_model *m)
{
	for (uint32_t i = 0; i < m->groups; i++)
		if (m->group[i].share > m->group[i].capacity)
			return true;
	return false;
}

static bool decide(const struct native_model *m, struct native_answer *a)
{
	if (!is_idle(m))
		return p5_load(m, a);
	return p1_waiting(m, a) || p2_misfit(m, a) || p3_priority(m, a) || p4_crowded(m, a);
}

bool native_ask(struct native_model *m, struct native_answer *a)
{
	*a = (struct native_answer){ .group_first = NOBODY, .from = NOBODY, .target = NOBODY,
		.util_most = UINT32_MAX };
	if (!prepare(m))
		return false;
	a->spreading = is_saving(m) && any_over_utilised(m);
	a->in_charge = native_in_charge(m);
	if (!decide(m, a)) {
		a->may_pack = is_saving(m) && !a->spreading && !(m->q->flags & SDPOWER_ASK_SPREADING);
		return true;
	}
	if (a->kind == SDPOWER_PULL_TASK || a->kind == SDPOWER_PULL_MISFIT || a->in_charge)
		return true;
	*a = (struct native_answer){ .group_first = NOBODY, .from = NOBODY, .target = NOBODY,
		.util_most = UINT32_MAX, .reason = SDPOWER_REASON_NOT_BALANCER, .waiting = a->waiting,
		.spreading = a->spreading };
	return true;
}
