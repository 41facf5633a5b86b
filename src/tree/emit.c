/* SPDX-License-Identifier: MIT */
/*
 * From layers to domains: only classes that some chain names become domains. Tree words are
 * stored one by one because a reader that lost the race may still be looking.
 */
#include "emit.h"

/* Marks the classes that links name; links hold their layer until they are resolved. */
static void mark_wanted(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		for (uint32_t depth = 0; depth < t->depth[pos]; depth++) {
			const struct sdpower_i_link *link =
				&t->links[(size_t)pos * f->depth_max + depth];
			struct sdpower_i_layer *l = &f->scratch->layers[link->own_group];

			l->domain[l->lead[pos]] = SDPOWER_I_WANTED;
		}
}

/* Domains and groups in order of their first cpus: the ring order of the classic rules. */
static void emit_classes(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	struct sdpower_i_layer *l)
{
	uint16_t *group_index = f->scratch->group_index;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		group_index[pos] = SDPOWER_I_NONE16;
	for (uint32_t cpu = 0; cpu < f->cpu_count; cpu++) {
		const uint32_t pos = f->pos_of[cpu], lead = l->lead[pos];
		const uint32_t g = sdpower_i_group_leader(l, pos);
		struct sdpower_i_domain *d;

		if (!sdpower_i_in_map(t, pos) || l->domain[lead] == SDPOWER_I_NONE16)
			continue;
		if (l->domain[lead] == SDPOWER_I_WANTED)
			l->domain[lead] = sdpower_i_new_domain(f, t, l->level, cpu, l->weight[lead]);
		d = &t->domains[l->domain[lead]];
		if (group_index[g] == SDPOWER_I_NONE16)
			group_index[g] = sdpower_i_new_group(t, d, l->groups[lead], cpu, l->power[g]);
		sdpower_i_grow_group(&t->groups[d->group + group_index[g]]);
	}
}

/* Runs of the members of one class, which starts at `lead` and has `weight` of them. */
static void emit_runs_of(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const uint16_t *class_of, uint32_t lead, uint32_t weight, struct sdpower_i_runner *r)
{
	sdpower_i_runner_start(r, t);
	for (uint32_t pos = lead; weight > 0 && pos < f->cpu_count; pos++) {
		const int member = class_of ? class_of[pos] == lead : pos == lead;

		if (!sdpower_i_in_map(t, pos))
			continue;
		sdpower_i_runner_feed(r, pos, member);
		weight -= (uint32_t)member;
	}
}

static void emit_class_runs(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const struct sdpower_i_layer *l)
{
	const uint16_t *group_index = f->scratch->group_index;
	struct sdpower_i_runner r;

	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		struct sdpower_i_domain *d;
		struct sdpower_i_group *g;

		if (!sdpower_i_in_map(t, pos) || l->domain[l->lead[pos]] == SDPOWER_I_NONE16)
			continue;
		d = &t->domains[l->domain[l->lead[pos]]];
		if (l->lead[pos] == pos) {
			emit_runs_of(f, t, l->lead, pos, l->weight[pos], &r);
			sdpower_i_store(&d->run, r.first);
			sdpower_i_store16(&d->runs, (uint16_t)r.count);
		}
		if (sdpower_i_group_leader(l, pos) != pos)
			continue;
		g = &t->groups[d->group + group_index[pos]];
		emit_runs_of(f, t, l->group_of, pos, g->weight, &r);
		sdpower_i_store(&g->run, r.first);
		sdpower_i_store16(&g->runs, (uint16_t)r.count);
	}
}

static void resolve_links(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t index)
{
	const struct sdpower_i_layer *l = &f->scratch->layers[index];

	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		struct sdpower_i_link *link;

		if (f->scratch->next_depth[pos] >= t->depth[pos])
			continue;
		link = &t->links[(size_t)pos * f->depth_max + f->scratch->next_depth[pos]];
		if (link->own_group != index)
			continue;
		sdpower_i_store16(&link->domain, l->domain[l->lead[pos]]);
		sdpower_i_store16(&link->own_group,
			f->scratch->group_index[sdpower_i_group_leader(l, pos)]);
		f->scratch->next_depth[pos]++;
	}
}

void sdpower_i_emit(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	sdpower_i_store(&t->domain_count, 0);
	sdpower_i_store(&t->group_count, 0);
	sdpower_i_store(&t->run_count, 0);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		f->scratch->next_depth[pos] = 0;
	mark_wanted(f, t);
	for (uint32_t i = 0; i < f->scratch->layer_count; i++) {
		struct sdpower_i_layer *l = &f->scratch->layers[i];

		if (l->level == SDPOWER_I_LEVELS)
			continue;
		if (l->level == SDPOWER_I_LEVEL_NODE_CLASSIC) {
			sdpower_i_emit_near(f, t, l);
		} else {
			emit_classes(f, t, l);
			emit_class_runs(f, t, l);
		}
		resolve_links(f, t, i);
	}
}
