/* SPDX-License-Identifier: MIT */
/*
 * How much the NODE and NUMA levels of the modern rules can need.
 *
 * Every level is named by one of the distances of the matrix, and without some nodes there
 * are only fewer. Where the balls of a level are equivalences, on any subset of the nodes too,
 * spans and groups are classes of nodes. Elsewhere a ring belongs to a row of cpus of one node
 * that follow each other in cpu order: at most one ring a row, and taking cpus away joins
 * rows, never splits them. The own group of a ring covers the own ball of the level below;
 * every further one a node more at least.
 */
#include "bounds.h"
#include "order.h"

struct rows {
	const struct sdpower_topology *t;
	uint32_t nodes, partitions;
	uint32_t limit, below; /* distances of this level and of the one below it */
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t distance(const struct rows *r, uint32_t from, uint32_t to)
{
	if (!r->t->distances)
		return from == to ? SDPOWER_I_LOCAL_DISTANCE : SDPOWER_I_REMOTE_DISTANCE;
	return r->t->distances[(size_t)from * r->nodes + to];
}

static int in_ball(const struct rows *r, uint32_t limit, uint32_t node, uint32_t other)
{
	return node == other || distance(r, node, other) <= limit;
}

static uint32_t next_distance(const struct rows *r, uint32_t above)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t from = 0; from < r->nodes; from++)
		for (uint32_t to = 0; to < r->nodes; to++)
			if (distance(r, from, to) > above && distance(r, from, to) < found)
				found = distance(r, from, to);
	return found;
}

static uint32_t ball_size(const struct rows *r, uint32_t limit, uint32_t node)
{
	uint32_t size = 0;

	for (uint32_t other = 0; other < r->nodes; other++)
		size += (uint32_t)in_ball(r, limit, node, other);
	return size;
}

static uint32_t ball_runs(const struct rows *r, uint32_t limit, uint32_t node)
{
	uint32_t runs = 0;

	for (uint32_t other = 0; other < r->nodes; other++)
		runs += in_ball(r, limit, node, other) &&
			(other == 0 || !in_ball(r, limit, node, other - 1));
	return runs;
}

static int is_equivalence(const struct rows *r, uint32_t limit)
{
	for (uint32_t node = 0; node < r->nodes; node++) {
		uint32_t other = 0;

		while (!in_ball(r, limit, other, node))
			other++;
		for (uint32_t third = 0; third < r->nodes; third++)
			if (in_ball(r, limit, node, third) != in_ball(r, limit, other, third) ||
					in_ball(r, limit, node, third) != in_ball(r, limit, third, node))
				return 0;
	}
	return 1;
}

/* No two nodes are this near: every ball is one node, as PKG is, and thus pruned. */
static int is_trivial(const struct rows *r, uint32_t limit)
{
	for (uint32_t node = 0; node < r->nodes; node++)
		if (ball_size(r, limit, node) > 1)
			return 0;
	return 1;
}

/* Rows of cpus of one node in cpu order. */
static uint32_t cpu_rows(const struct rows *r, uint32_t node)
{
	uint32_t rows = 0;
	int before = 0;

	for (sdpower_cpu cpu = 0; cpu < r->t->cpu_count; cpu++) {
		const int now = !r->t->node_count ||
			sdpower_i_id_of(r->t, cpu, SDPOWER_I_KEY_NODE) == r->t->nodes[node];

		rows += (uint32_t)(now && !before);
		before = now;
	}
	return rows;
}

static void add_classes(const struct rows *r, struct sdpower_i_bounds *b)
{
	const uint32_t n = r->t->cpu_count, classes = least(n, r->nodes * r->partitions);

	sdpower_i_bound_add(&b->domains, classes / 2);
	sdpower_i_bound_add(&b->groups, classes);
	sdpower_i_bound_add(&b->runs, r->partitions > 1 ? 2 * n : 2 * classes);
	b->depth++;
}

/* Most runs a group can have: that of any ball below. */
static uint32_t group_runs(const struct rows *r)
{
	uint32_t most = 1;

	for (uint32_t limit = next_distance(r, 0); limit < r->limit; limit = next_distance(r, limit))
		for (uint32_t node = 0; node < r->nodes; node++)
			if (ball_runs(r, limit, node) > most)
				most = ball_runs(r, limit, node);
	return most;
}

/* Groups are cut to the span only where the nearest nodes of some node are not it alone. */
static int least_balls_hold_others(const struct rows *r)
{
	const uint32_t limit = next_distance(r, 0);

	for (uint32_t node = 0; node < r->nodes; node++)
		if (ball_size(r, limit, node) > 1)
			return 1;
	return 0;
}

/* One ring more than there can be: an equal one is built before it is dropped. */
static void add_rings(const struct rows *r, struct sdpower_i_bounds *b)
{
	const uint32_t n = r->t->cpu_count, of_group = group_runs(r);
	const int may_cut = least_balls_hold_others(r);
	uint32_t most_groups = 0, most_runs = 0;

	for (uint32_t node = 0; node < r->nodes; node++) {
		const uint32_t rows = cpu_rows(r, node) * r->partitions;
		const uint32_t own = ball_size(r, r->below, node);
		const uint32_t ring = 1 + ball_size(r, r->limit, node) - own;
		const uint32_t span_runs = ball_runs(r, r->limit, node);
		/* Of two sets of runs, the common part has fewer runs than both together. */
		const uint32_t list = r->partitions > 1 ? (2 + ring) * ((n + 1) / 2) :
			span_runs + (own + 1) / 2 + ring * (of_group + (may_cut ? span_runs - 1 : 0));

		sdpower_i_bound_add(&b->domains, rows);
		sdpower_i_bound_add(&b->groups, (uint64_t)rows * ring);
		sdpower_i_bound_add(&b->runs, (uint64_t)rows * list);
		most_groups = ring > most_groups ? ring : most_groups;
		most_runs = list > most_runs ? list : most_runs;
	}
	sdpower_i_bound_add(&b->domains, 1);
	sdpower_i_bound_add(&b->groups, most_groups);
	sdpower_i_bound_add(&b->runs, most_runs);
	b->depth++;
}

void sdpower_i_numa_bounds(const struct sdpower_topology *t, uint32_t partitions,
	struct sdpower_i_bounds *b)
{
	struct rows r = { t, t->node_count ? t->node_count : 1, partitions, 0, 0 };
	int equivalence = 1;

	if (b->nodes == 1)
		return;
	for (uint32_t d = next_distance(&r, 0); d <= SDPOWER_I_DISTANCE_MOST; d = next_distance(&r, d)) {
		r.below = r.limit;
		r.limit = d;
		b->levels++;
		equivalence = equivalence && is_equivalence(&r, d);
		if (is_trivial(&r, d))
			continue;
		if (equivalence)
			add_classes(&r, b);
		else
			add_rings(&r, b);
	}
}
