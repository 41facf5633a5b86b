/* SPDX-License-Identifier: MIT */
/* Rule D2: which group leads, which one should be emptied into it. */
#include "busiest.h"

/* Fewer tasks, or as many and further up: what is emptied first should be easy to empty. */
static int better_min(const struct sdpower_i_power *p, uint32_t nr, uint32_t first)
{
	return !p->min_nr || nr < p->min_nr || (nr == p->min_nr && first > p->min.first_cpu);
}

static int better_leader(const struct sdpower_i_power *p, uint32_t nr, uint32_t first)
{
	return nr > p->leader_nr || (nr == p->leader_nr && first < p->leader.first_cpu);
}

void sdpower_i_power_add(struct sdpower_i_power *p, struct sdpower_i_member group, uint32_t nr,
	int local)
{
	const int candidate = nr > 0 && nr < group.power / SDPOWER_SCALE;

	/* A local group that is idle or full has nothing to gain here, for good. */
	if (local && !candidate)
		p->on = 0;
	if (!p->on || !candidate)
		return;
	if (better_min(p, nr, group.first_cpu)) {
		p->min = group;
		p->min_nr = nr;
	}
	if (better_leader(p, nr, group.first_cpu)) {
		p->leader = group;
		p->leader_nr = nr;
	}
}

int sdpower_i_power_applies(const struct sdpower_i_power *p, uint32_t local)
{
	return p->on && p->leader_nr && p->leader.index == local && p->leader.index != p->min.index;
}
