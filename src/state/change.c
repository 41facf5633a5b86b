/* SPDX-License-Identifier: MIT */
/* Changing what the tree depends on: checked, built aside, compared, published at once. */
#include "costs.h"
#include "instance.h"

#include "../topology/table.h"
#include "../tree/check.h"
#include "../tree/swap.h"

#include <sdpower/instance.h>

#define CHANGE_FLAGS ((uint32_t)SDPOWER_CHANGE_KNOBS | (uint32_t)SDPOWER_CHANGE_ONLINE | \
	(uint32_t)SDPOWER_CHANGE_ALLOWED | (uint32_t)SDPOWER_CHANGE_PARTITIONS | \
	(uint32_t)SDPOWER_CHANGE_DRY_RUN)

static sdpower_status check_change(const struct sdpower *s, const struct sdpower_change *c,
	const struct sdpower_change_report *report)
{
	if (!s || !c || c->struct_size < sizeof(*c) || (c->flags & ~CHANGE_FLAGS))
		return SDPOWER_EINVAL;
	if (report && report->struct_size < sizeof(*report))
		return SDPOWER_EINVAL;
	if ((c->flags & (uint32_t)SDPOWER_CHANGE_KNOBS) && (c->mc > 2 || c->smt > 2))
		return SDPOWER_EINVAL;
	if ((c->flags & (uint32_t)SDPOWER_CHANGE_ONLINE) && !c->online)
		return SDPOWER_EINVAL;
	if ((c->flags & (uint32_t)SDPOWER_CHANGE_ALLOWED) && !c->allowed)
		return SDPOWER_EINVAL;
	if (!(c->flags & (uint32_t)SDPOWER_CHANGE_PARTITIONS))
		return SDPOWER_OK;
	if (c->partition_count && !c->partitions)
		return SDPOWER_EINVAL;
	return c->partition_count <= s->forest.max_partitions ? SDPOWER_OK : SDPOWER_ERANGE;
}

static void set_state(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const uint32_t *mask, uint32_t words, uint32_t bit)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		const uint32_t others = t->state[pos] & ~bit;
		const int set = sdpower_i_bits_has(mask, words, f->cpu_at[pos]);

		sdpower_i_store16(&t->state[pos], (uint16_t)(set ? others | bit : others));
	}
}

/* EINVAL when a cpu is in two partitions. */
static sdpower_status set_partitions(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const struct sdpower_change *c)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++) {
		uint32_t partition = SDPOWER_I_NONE16;

		for (uint32_t p = 0; p < c->partition_count; p++) {
			if (!sdpower_i_bits_has(c->partitions + (size_t)p * c->words, c->words,
					f->cpu_at[pos]))
				continue;
			if (partition != SDPOWER_I_NONE16)
				return SDPOWER_EINVAL;
			partition = p;
		}
		sdpower_i_store16(&t->partition[pos], (uint16_t)partition);
	}
	sdpower_i_store(&t->partition_count, c->partition_count);
	return SDPOWER_OK;
}

/* Partitions may leave cpus out on purpose; an empty machine is a mistake. */
static int any_usable(const struct sdpower_i_forest *f, const struct sdpower_i_tree *t)
{
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (t->state[pos] == (SDPOWER_I_ONLINE | SDPOWER_I_ALLOWED))
			return 1;
	return 0;
}

static sdpower_status alter(const struct sdpower_i_forest *f, struct sdpower_i_tree *t,
	const struct sdpower_change *c)
{
	if (c->flags & (uint32_t)SDPOWER_CHANGE_KNOBS) {
		sdpower_i_store(&t->mc, c->mc);
		sdpower_i_store(&t->smt, c->smt);
	}
	if (c->flags & (uint32_t)SDPOWER_CHANGE_ONLINE)
		set_state(f, t, c->online, c->words, SDPOWER_I_ONLINE);
	if (c->flags & (uint32_t)SDPOWER_CHANGE_ALLOWED)
		set_state(f, t, c->allowed, c->words, SDPOWER_I_ALLOWED);
	if (!any_usable(f, t))
		return SDPOWER_EMPTY;
	if (c->flags & (uint32_t)SDPOWER_CHANGE_PARTITIONS)
		return set_partitions(f, t, c);
	return SDPOWER_OK;
}

static void fill_report(const struct sdpower_i_forest *f, const struct sdpower_i_tree *before,
	const struct sdpower_i_tree *after, struct sdpower_change_report *r)
{
	struct sdpower_i_difference d;

	sdpower_i_compare(f, before, after, r->changed, r->changed_words, &d);
	r->cpus_changed = d.cpus;
	r->cpus_before = d.map_before;
	r->cpus_after = d.map_after;
	r->domains_before = before->domain_count;
	r->domains_after = after->domain_count;
	r->groups_before = before->group_count;
	r->groups_after = after->group_count;
	r->flags_gained = d.flags_after & ~d.flags_before;
	r->flags_lost = d.flags_before & ~d.flags_after;
}

/* Whose chain changed starts balancing afresh, by itself, when it next looks. */
static void renew_epochs(struct sdpower *s, const struct sdpower_i_tree *before,
	const struct sdpower_i_tree *after)
{
	const struct sdpower_i_forest *f = &s->forest;

	sdpower_i_compare_start(f, before);
	for (uint32_t pos = 0; pos < f->cpu_count; pos++)
		if (sdpower_i_chain_differs(f, before, after, pos))
			sdpower_i_store16(&s->epochs[pos], (uint16_t)(s->epochs[pos] + 1u));
}

sdpower_status sdpower_apply(sdpower *s, const struct sdpower_change *change,
	struct sdpower_change_report *report)
{
	sdpower_status status = check_change(s, change, report);
	struct sdpower_i_tree *next;

	if (status != SDPOWER_OK)
		return status;
	next = sdpower_i_prepare(&s->forest);
	status = alter(&s->forest, next, change);
	if (status == SDPOWER_OK)
		status = sdpower_i_build(&s->forest, next);
	if (status != SDPOWER_OK)
		return status;
	SDPOWER_ASSERT(sdpower_i_check_tree(&s->forest, next, NULL) == SDPOWER_OK);
	if (report)
		fill_report(&s->forest, sdpower_i_active_tree(&s->forest), next, report);
	if (!(change->flags & (uint32_t)SDPOWER_CHANGE_DRY_RUN)) {
		const struct sdpower_i_tree *before = sdpower_i_active_tree(&s->forest);

		sdpower_i_publish_tree(&s->forest);
		renew_epochs(s, before, next);
		sdpower_i_check_costs(s);
	}
	return SDPOWER_OK;
}
