/* SPDX-License-Identifier: MIT */
/* Rules P0 and P7: single cpus, and which of a group is in charge. */
#include "native.h"
#include "state/instance.h"
#include "tree/view.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct native_cpu native_cpu(const struct native_model *m, sdpower_cpu cpu)
{
	const struct sdpower_cpu_state c = model_cpu(m->s, cpu);
	const uint64_t left = least(m->table->cpus[cpu].capacity, c.outside_capacity);
	struct native_cpu n = { .load = c.load, .nr = c.nr,
		.share = c.has_util ? c.util : c.nr * UINT64_C(1024),
		.capacity = left > c.outside_util ? left - c.outside_util : 1,
		.claimed = c.activity == SDPOWER_CPU_IS_CLAIMED };

	return n;
}

bool native_over(const struct native_model *m, sdpower_cpu cpu)
{
	const struct native_cpu c = native_cpu(m, cpu);
	const bool stacking = m->mc == 2 && m->smt == 2;

	return c.nr >= 2 && (!stacking || 100 * c.share > m->tuning.spread_percent * c.capacity);
}

bool native_misfit(const struct native_model *m, sdpower_cpu cpu)
{
	const struct native_cpu c = native_cpu(m, cpu);

	return c.nr == 1 && c.capacity < 1024 && 100 * c.share > m->tuning.fit_percent * c.capacity;
}

bool native_may_give(const struct native_model *m, sdpower_cpu cpu)
{
	if (!model_bit(m->q->candidates, m->q->candidate_words, cpu))
		return false;
	return !(m->level.info.flags & SDPOWER_SD_OVERLAP) ||
		!model_bit(m->group[0].mask, MODEL_WORDS, cpu);
}

static bool same_ids(const struct native_model *m, sdpower_cpu a, sdpower_cpu b)
{
	const struct sdpower_cpu_desc *x = &m->table->cpus[a], *y = &m->table->cpus[b];

	return x->core != SDPOWER_ID_NONE && x->core == y->core && x->package == y->package;
}

/*
 * Threads of a core stand side by side in the tree's numbering. A machine may claim that a core
 * lies in two nodes: then each part is a core.
 */
static bool same_core(const struct native_model *m, sdpower_cpu a, sdpower_cpu b)
{
	const struct sdpower_i_forest *f = &m->s->forest;
	uint32_t from = f->pos_of[a], to = f->pos_of[b];

	if (from > to) {
		from = f->pos_of[b];
		to = f->pos_of[a];
	}
	for (uint32_t pos = from; pos <= to; pos++)
		if (!same_ids(m, a, f->cpu_at[pos]))
			return false;
	return true;
}

bool native_shares_busy_core(const struct native_model *m, sdpower_cpu cpu)
{
	for (sdpower_cpu other = 0; other < m->table->cpu_count; other++)
		if (other != cpu && same_core(m, cpu, other) && model_in_tree(m->s, other) &&
				native_cpu(m, other).nr)
			return true;
	return false;
}

/* Members of a group that stand next to each other are of one core if they say so. */
uint32_t native_cores(const struct native_model *m, const struct native_group *g)
{
	const struct sdpower_i_forest *f = &m->s->forest;
	sdpower_cpu before = SDPOWER_CPU_NONE;
	uint32_t cores = 0;

	for (uint32_t pos = 0; pos < m->table->cpu_count; pos++) {
		const sdpower_cpu cpu = f->cpu_at[pos];

		if (!model_bit(g->mask, MODEL_WORDS, cpu))
			continue;
		cores += before == SDPOWER_CPU_NONE || !same_ids(m, before, cpu);
		before = cpu;
	}
	return cores;
}

static void sum_node(const struct native_model *m, sdpower_cpu of, uint64_t *nr, uint64_t *capacity)
{
	*nr = *capacity = 0;
	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++) {
		if (m->table->cpus[cpu].node != m->table->cpus[of].node || !model_in_tree(m->s, cpu))
			continue;
		*nr += native_cpu(m, cpu).nr;
		*capacity += native_cpu(m, cpu).capacity;
	}
}

bool native_node_is_fuller(const struct native_model *m, sdpower_cpu cpu)
{
	uint64_t nr, capacity, own_nr, own_capacity;

	sum_node(m, cpu, &nr, &capacity);
	sum_node(m, m->q->cpu, &own_nr, &own_capacity);
	return nr && (2 * nr - 1) * own_capacity > (2 * own_nr + 1) * capacity;
}

/* 0 = an unused cpu, of a core without tasks where that counts; 1 = another unused one. */
static unsigned place(const struct native_model *m, sdpower_cpu cpu)
{
	const struct native_cpu c = native_cpu(m, cpu);

	if (c.nr || (c.claimed && cpu != m->q->cpu))
		return 2;
	return m->smt == 0 && !(m->level.info.flags & SDPOWER_SD_SHARE_CPUPOWER) &&
		native_shares_busy_core(m, cpu);
}

/* Cpus that can be in charge: of the balance mask where there is one, else of the own group. */
static bool may_be_in_charge(const struct native_model *m, sdpower_cpu cpu)
{
	const struct sdpower_i_view v = sdpower_i_view_of(&m->s->forest);
	const uint32_t pos = m->s->forest.pos_of[m->q->cpu];
	const struct sdpower_i_domain d = sdpower_i_get_domain(&v,
		sdpower_i_get_link(&v, pos, m->q->depth).domain);

	if (!d.mask_runs)
		return model_bit(m->group[0].mask, MODEL_WORDS, cpu);
	return sdpower_i_runs_hold(&v, d.mask_run, d.mask_runs, m->s->forest.pos_of[cpu]) &&
		model_in_tree(m->s, cpu);
}

bool native_in_charge(const struct native_model *m)
{
	sdpower_cpu found = SDPOWER_CPU_NONE;

	for (sdpower_cpu cpu = 0; cpu < m->table->cpu_count; cpu++)
		if (may_be_in_charge(m, cpu) &&
				(found == SDPOWER_CPU_NONE || place(m, cpu) < place(m, found)))
			found = cpu;
	if (found == m->q->cpu)
		return true;
	if (m->q->flags & SDPOWER_ASK_WHO_BALANCES && m->q->idle != SDPOWER_CPU_NEWLY_IDLE)
		return false;
	return found != SDPOWER_CPU_NONE && place(m, m->q->cpu) <= place(m, found);
}

/* The first position of the run of neighbours of a block that lie in the group; names the run. */
uint32_t native_block(const struct native_model *m, const struct native_group *g, sdpower_cpu cpu)
{
	const struct sdpower_i_forest *f = &m->s->forest;
	uint32_t pos = f->pos_of[cpu];

	while (pos && f->block_at[pos - 1] == f->block_at[pos] &&
			(model_bit(g->mask, MODEL_WORDS, f->cpu_at[pos - 1]) ||
			!model_in_tree(m->s, f->cpu_at[pos - 1])))
		pos--;
	return pos;
}
