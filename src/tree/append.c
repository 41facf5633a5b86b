/* SPDX-License-Identifier: MIT */
/* Appending domains, groups and runs to a tree under construction. */
#include "emit.h"

void sdpower_i_runner_start(struct sdpower_i_runner *r, struct sdpower_i_tree *t)
{
	r->tree = t;
	r->first = t->run_count;
	r->count = 0;
	r->open = 0;
}

void sdpower_i_runner_feed(struct sdpower_i_runner *r, uint32_t pos, int member)
{
	struct sdpower_i_run *run = &r->tree->runs[r->first + r->count];

	if (member && !r->open) {
		sdpower_i_store16(&run->first, (uint16_t)pos);
		sdpower_i_store16(&run->count, 1);
		r->count++;
		sdpower_i_store(&r->tree->run_count, r->first + r->count);
	} else if (member) {
		run--;
		sdpower_i_store16(&run->count, (uint16_t)(pos - run->first + 1));
	}
	r->open = member;
}

uint16_t sdpower_i_new_domain(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t level, uint32_t first_cpu, uint32_t weight)
{
	const uint32_t index = t->domain_count;
	struct sdpower_i_domain *d = &t->domains[index];

	SDPOWER_ASSERT(index < f->bounds.domains);
	(void)f;
	sdpower_i_store(&t->domain_count, index + 1);
	sdpower_i_store(&d->group, t->group_count);
	sdpower_i_store(&d->run, 0);
	sdpower_i_store(&d->mask_run, 0);
	sdpower_i_store16(&d->groups, 0);
	sdpower_i_store16(&d->runs, 0);
	sdpower_i_store16(&d->mask_runs, 0);
	sdpower_i_store16(&d->level, (uint16_t)level);
	sdpower_i_store16(&d->weight, (uint16_t)weight);
	sdpower_i_store16(&d->first_cpu, (uint16_t)first_cpu);
	sdpower_i_store16(&d->numa, 0);
	sdpower_i_store16(&d->mask_weight, (uint16_t)weight);
	return (uint16_t)index;
}

uint16_t sdpower_i_new_group(struct sdpower_i_tree *t, struct sdpower_i_domain *d, uint32_t groups,
	uint32_t first_cpu, uint32_t power)
{
	const uint16_t index = d->groups;
	struct sdpower_i_group *g;

	if (index == 0) {
		sdpower_i_store(&d->group, t->group_count);
		sdpower_i_store(&t->group_count, t->group_count + groups);
	}
	g = &t->groups[d->group + index];
	sdpower_i_store16(&d->groups, (uint16_t)(index + 1));
	sdpower_i_store(&g->power, power);
	sdpower_i_store(&g->run, 0);
	sdpower_i_store16(&g->runs, 0);
	sdpower_i_store16(&g->first_cpu, (uint16_t)first_cpu);
	sdpower_i_store16(&g->weight, 0);
	return index;
}
