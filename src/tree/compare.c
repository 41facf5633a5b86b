/* SPDX-License-Identifier: MIT */
/* What a change would mean for every cpu: two trees compared by content, not by index. */
#include "swap.h"

/* Walks the cpus of the map in a list of runs. */
struct members {
	const struct sdpower_i_tree *t;
	uint32_t run, end, pos, left;
};

static struct members members_of(const struct sdpower_i_tree *t, uint32_t run, uint32_t runs)
{
	const struct members m = { t, run, run + runs, 0, 0 };

	return m;
}

static uint32_t next_member(struct members *m)
{
	for (;;) {
		while (m->left == 0) {
			if (m->run == m->end)
				return SDPOWER_I_NONE16;
			m->pos = m->t->runs[m->run].first;
			m->left = m->t->runs[m->run].count;
			m->run++;
		}
		m->left--;
		if (sdpower_i_in_map(m->t, m->pos++))
			return m->pos - 1;
	}
}

static int same_members(struct members a, struct members b)
{
	for (;;) {
		const uint32_t x = next_member(&a);

		if (x != next_member(&b))
			return 0;
		if (x == SDPOWER_I_NONE16)
			return 1;
	}
}

static int same_group(const struct sdpower_i_tree *a, const struct sdpower_i_group *x,
	const struct sdpower_i_tree *b, const struct sdpower_i_group *y)
{
	return x->power == y->power && x->first_cpu == y->first_cpu && x->weight == y->weight &&
		same_members(members_of(a, x->run, x->runs), members_of(b, y->run, y->runs));
}

static int same_domain(const struct sdpower_i_tree *a, const struct sdpower_i_domain *x,
	const struct sdpower_i_tree *b, const struct sdpower_i_domain *y)
{
	if (x->level != y->level || x->weight != y->weight || x->first_cpu != y->first_cpu ||
			x->groups != y->groups || x->numa != y->numa ||
			x->mask_weight != y->mask_weight)
		return 0;
	if (!same_members(members_of(a, x->run, x->runs), members_of(b, y->run, y->runs)) ||
			!same_members(members_of(a, x->mask_run, x->mask_runs),
				members_of(b, y->mask_run, y->mask_runs)))
		return 0;
	for (uint32_t i = 0; i < x->groups; i++)
		if (!same_group(a, &a->groups[x->group + i], b, &b->groups[y->group + i]))
			return 0;
	return 1;
}

/* Many cpus share a domain, so each pair is compared once and remembered. */
static int same_domains(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a,
	uint32_t x, const struct sdpower_i_tree *b, uint32_t y)
{
	uint32_t *verdict = &f->scratch->verdicts[x];

	if (*verdict >> 1 != y + 1)
		*verdict = (y + 1) << 1 |
			(uint32_t)same_domain(a, &a->domains[x], b, &b->domains[y]);
	return (int)(*verdict & 1u);
}

void sdpower_i_compare_start(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a)
{
	for (uint32_t i = 0; i < a->domain_count; i++)
		f->scratch->verdicts[i] = 0;
}

int sdpower_i_chain_differs(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a,
	const struct sdpower_i_tree *b, uint32_t pos)
{
	if (a->depth[pos] != b->depth[pos] || sdpower_i_in_map(a, pos) != sdpower_i_in_map(b, pos))
		return 1;
	for (uint32_t i = 0; i < a->depth[pos]; i++) {
		const struct sdpower_i_link *x = &a->links[(size_t)pos * f->depth_max + i];
		const struct sdpower_i_link *y = &b->links[(size_t)pos * f->depth_max + i];

		if (x->flags != y->flags || x->imb_numa_nr != y->imb_numa_nr ||
				x->own_group != y->own_group ||
				!same_domains(f, a, x->domain, b, y->domain))
			return 1;
	}
	return 0;
}

static uint32_t flags_of(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t pos)
{
	uint32_t flags = 0;

	for (uint32_t i = 0; i < t->depth[pos]; i++)
		flags |= t->links[(size_t)pos * f->depth_max + i].flags;
	return flags;
}

void sdpower_i_compare(const struct sdpower_i_forest *f, const struct sdpower_i_tree *a,
	const struct sdpower_i_tree *b, uint32_t *changed, uint32_t words,
	struct sdpower_i_difference *d)
{
	d->cpus = d->flags_before = d->flags_after = d->map_before = d->map_after = 0;
	sdpower_i_compare_start(f, a);
	for (uint32_t i = 0; changed && i < words; i++)
		changed[i] = 0;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint32_t cpu = f->cpu_at[pos];

		d->flags_before |= flags_of(f, a, pos);
		d->flags_after |= flags_of(f, b, pos);
		d->map_before += (uint32_t)sdpower_i_in_map(a, pos);
		d->map_after += (uint32_t)sdpower_i_in_map(b, pos);
		if (!sdpower_i_chain_differs(f, a, b, pos))
			continue;
		d->cpus++;
		if (changed && cpu / 32 < words)
			changed[cpu / 32] |= 1u << (cpu % 32);
	}
}
