/* SPDX-License-Identifier: MIT */
/*
 * From layers to domains: only classes that some chain names become domains. Tree words are
 * stored one by one because a reader that lost the race may still be looking.
 */
#include "emit.h"
#include "modern.h"
#include "numa.h"

#include <sdpower/instance.h>

struct sdpower_i_link *sdpower_i_unresolved(const struct sdpower_i_forest *f,
	const struct sdpower_i_tree *t, uint32_t pos, uint32_t layer)
{
	struct sdpower_i_link *link;

	if (f->scratch->next_depth[pos] >= t->depth[pos])
		return NULL;
	link = &t->links[(size_t)pos * f->depth_max + f->scratch->next_depth[pos]];
	return link->own_group == layer ? link : NULL;
}

void sdpower_i_resolve(const struct sdpower_i_forest *f, uint32_t pos, struct sdpower_i_link *link,
	uint16_t domain, uint16_t own_group)
{
	sdpower_i_store16(&link->domain, domain);
	sdpower_i_store16(&link->own_group, own_group);
	f->scratch->next_depth[pos]++;
}

void sdpower_i_mark_wanted(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	uint32_t index, struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		l->domain[pos] = SDPOWER_I_NONE16;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_unresolved(f, t, pos, index))
			l->domain[l->lead[pos]] = SDPOWER_I_WANTED;
}

/* Modern groups are as strong as their cpus. */
static void sum_capacities(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t,
	struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		l->power[pos] = 0;
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_in_map(t, pos))
			l->power[sdpower_i_group_leader(l, pos)] += f->capacity[pos];
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
	uint32_t index, const struct sdpower_i_layer *l)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		struct sdpower_i_link *link = sdpower_i_unresolved(f, t, pos, index);

		if (link)
			sdpower_i_resolve(f, pos, link, l->domain[l->lead[pos]],
				f->scratch->group_index[sdpower_i_group_leader(l, pos)]);
	}
}

void sdpower_i_emit_layer(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t index, struct sdpower_i_layer *l)
{
	if (f->tree_rules == SDPOWER_TREE_MODERN)
		sum_capacities(f, t, l);
	sdpower_i_mark_wanted(f, t, index, l);
	if (l->level == SDPOWER_I_LEVEL_NODE_CLASSIC) {
		sdpower_i_emit_near(f, t, l);
	} else {
		emit_classes(f, t, l);
		emit_class_runs(f, t, l);
	}
	resolve_links(f, t, index, l);
}

/* Cpus of a level's mask, before it was cut to the map, stretch its intervals (modern). */
static void store_mask_weights(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t first)
{
	const uint16_t *weights = f->scratch->other_label;

	for (uint32_t i = first; i < t->domain_count; i++) {
		struct sdpower_i_domain *d = &t->domains[i];
		const uint32_t label = f->scratch->label[f->pos_of[d->first_cpu]];

		sdpower_i_store16(&d->mask_weight, label == SDPOWER_I_NONE16 ? 1 : weights[label]);
	}
}

/* The labels were those of another level since the layer was made; none can overlap now. */
static void emit_modern_layer(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	uint32_t index)
{
	struct sdpower_i_layer *l = &f->scratch->layers[index];
	const uint32_t first = t->domain_count;

	if (sdpower_i_labels(f, t, l->level) != SDPOWER_OK)
		return;
	sdpower_i_mask_weights(f, t, f->scratch->other_label);
	sdpower_i_emit_layer(f, t, index, l);
	store_mask_weights(f, t, first);
}

void sdpower_i_emit(const struct sdpower_i_forest *f, struct sdpower_i_tree *t)
{
	const int modern = f->tree_rules == SDPOWER_TREE_MODERN;

	sdpower_i_store(&t->domain_count, 0);
	sdpower_i_store(&t->group_count, 0);
	sdpower_i_store(&t->run_count, 0);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		f->scratch->next_depth[pos] = 0;
	for (uint32_t i = 0; i < f->scratch->layer_count; i++) {
		if (modern)
			emit_modern_layer(f, t, i);
		else if (f->scratch->layers[i].level != SDPOWER_I_LEVELS)
			sdpower_i_emit_layer(f, t, i, &f->scratch->layers[i]);
	}
	if (modern)
		sdpower_i_emit_numa(f, t);
}
