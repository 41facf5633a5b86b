/* SPDX-License-Identifier: MIT */
/* A tree as text: one line for each distinct level of a chain. */
#include "dump.h"

#include <sdpower/instance.h>

void sdpower_i_dump_runs(struct sdpower_i_text *out, const struct sdpower_i_view *v, uint32_t run,
	uint32_t runs)
{
	const struct sdpower_i_forest *f = v->forest;
	struct sdpower_i_text_list list = sdpower_i_text_list();

	for (uint32_t cpu = 0; cpu < f->cpu_count; cpu++) {
		const uint32_t pos = f->pos_of[cpu], block = f->block_at[pos];

		if ((sdpower_i_active(v, block) >> (pos - f->blocks[block].first) & 1u) &&
				sdpower_i_runs_hold(v, run, runs, pos))
			sdpower_i_text_id(out, &list, f->os_id[cpu]);
	}
	sdpower_i_text_list_end(out, &list);
}

void sdpower_i_dump_flags(struct sdpower_i_text *out, uint32_t flags, int modern)
{
	/* The order of the recorded machines; letters beyond theirs come last. */
	static const struct { uint32_t bit; char letter; } old[] = {
		{ SDPOWER_SD_LOAD_BALANCE, 'L' }, { SDPOWER_SD_BALANCE_NEWIDLE, 'n' },
		{ SDPOWER_SD_BALANCE_EXEC, 'e' }, { SDPOWER_SD_BALANCE_FORK, 'f' },
		{ SDPOWER_SD_WAKE_IDLE, 'i' }, { SDPOWER_SD_WAKE_AFFINE, 'a' },
		{ SDPOWER_SD_WAKE_BALANCE, 'w' }, { SDPOWER_SD_SHARE_CPUPOWER, 's' },
		{ SDPOWER_SD_POWERSAVINGS, 'P' }, { SDPOWER_SD_SHARE_PKG, 'l' },
		{ SDPOWER_SD_SERIALIZE, 'z' }, { SDPOWER_SD_WAKE_IDLE_FAR, 'I' },
	}, today[] = {
		{ SDPOWER_SD_BALANCE_NEWIDLE, 'n' }, { SDPOWER_SD_BALANCE_EXEC, 'e' },
		{ SDPOWER_SD_BALANCE_FORK, 'f' }, { SDPOWER_SD_WAKE_AFFINE, 'a' },
		{ SDPOWER_SD_SHARE_CPUPOWER, 's' }, { SDPOWER_SD_CLUSTER, 'c' },
		{ SDPOWER_SD_SHARE_PKG, 'l' }, { SDPOWER_SD_SERIALIZE, 'z' },
		{ SDPOWER_SD_PREFER_SIBLING, 'p' }, { SDPOWER_SD_NUMA, 'u' },
		{ SDPOWER_SD_OVERLAP, 'o' }, { SDPOWER_SD_ASYM_CPUCAPACITY, 'y' },
		{ SDPOWER_SD_ASYM_CPUCAPACITY_FULL, 'Y' }, { SDPOWER_SD_POWERSAVINGS, 'P' },
		{ SDPOWER_SD_WAKE_IDLE, 'i' }, { SDPOWER_SD_WAKE_IDLE_FAR, 'I' },
	};
	const uint32_t count = modern ? sizeof(today) / sizeof(today[0]) : sizeof(old) / sizeof(old[0]);

	for (uint32_t i = 0; i < count; i++)
		if (flags & (modern ? today[i].bit : old[i].bit))
			sdpower_i_text_char(out, modern ? today[i].letter : old[i].letter);
}

static int is_modern(const struct sdpower_i_view *v)
{
	return v->forest->tree_rules == SDPOWER_TREE_MODERN;
}

/* True iff two positions see the same at a depth, ring order included. */
static int see_alike(const struct sdpower_i_view *v, uint32_t a, uint32_t b, uint32_t depth)
{
	struct sdpower_i_link x, y;
	struct sdpower_i_domain d;
	struct sdpower_i_ring r, q;

	if (depth >= sdpower_i_depth(v, a) || depth >= sdpower_i_depth(v, b))
		return 0;
	x = sdpower_i_get_link(v, a, depth);
	y = sdpower_i_get_link(v, b, depth);
	if (x.domain != y.domain || x.own_group != y.own_group || x.flags != y.flags ||
			x.imb_numa_nr != y.imb_numa_nr)
		return 0;
	d = sdpower_i_get_domain(v, x.domain);
	r = sdpower_i_ring_of(v, a, &x, &d);
	q = sdpower_i_ring_of(v, b, &y, &d);
	for (uint32_t i = 0; r.follows_cpus && i < d.groups; i++)
		if (sdpower_i_ring_next(v, &r) != sdpower_i_ring_next(v, &q))
			return 0;
	return 1;
}

static void write_groups(struct sdpower_i_text *out, const struct sdpower_i_view *v, uint32_t pos,
	const struct sdpower_i_link *link, const struct sdpower_i_domain *d)
{
	struct sdpower_i_ring ring = sdpower_i_ring_of(v, pos, link, d);

	for (uint32_t i = 0; i < d->groups; i++) {
		const struct sdpower_i_group g = sdpower_i_get_group(v, sdpower_i_ring_next(v, &ring));

		sdpower_i_text_str(out, i ? "|" : "");
		sdpower_i_dump_runs(out, v, g.run, g.runs);
		sdpower_i_text_char(out, '@');
		sdpower_i_text_u32(out, g.power);
	}
}

static void write_line(struct sdpower_i_text *out, const struct sdpower_i_view *v, uint32_t cpu,
	uint32_t depth)
{
	const struct sdpower_i_forest *f = v->forest;
	const uint32_t pos = f->pos_of[cpu];
	const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);
	const struct sdpower_i_domain d = sdpower_i_get_domain(v, link.domain);
	struct sdpower_i_text_list list = sdpower_i_text_list();

	sdpower_i_text_u32(out, depth);
	sdpower_i_text_char(out, '\t');
	sdpower_i_text_str(out, sdpower_level_name(d.level));
	sdpower_i_text_str(out, "\tcpus=");
	for (uint32_t other = cpu; other < f->cpu_count; other++)
		if (see_alike(v, pos, f->pos_of[other], depth))
			sdpower_i_text_id(out, &list, f->os_id[other]);
	sdpower_i_text_list_end(out, &list);
	sdpower_i_text_str(out, "\tspan=");
	sdpower_i_dump_runs(out, v, d.run, d.runs);
	sdpower_i_text_str(out, "\tflags=");
	sdpower_i_dump_flags(out, link.flags, is_modern(v));
	if (link.imb_numa_nr) {
		sdpower_i_text_str(out, "\timb=");
		sdpower_i_text_u32(out, link.imb_numa_nr);
	}
	sdpower_i_text_str(out, "\tgroups=");
	write_groups(out, v, pos, &link, &d);
	sdpower_i_text_char(out, '\n');
}

static int seen_before(const struct sdpower_i_view *v, uint32_t cpu, uint32_t depth)
{
	for (uint32_t other = 0; other < cpu; other++)
		if (see_alike(v, v->forest->pos_of[other], v->forest->pos_of[cpu], depth))
			return 1;
	return 0;
}

void sdpower_i_dump_text(struct sdpower_i_text *out, const struct sdpower_i_view *v)
{
	for (uint32_t depth = 0; depth < v->forest->depth_max; depth++)
		for (uint32_t cpu = 0; cpu < v->forest->cpu_count; cpu++)
			if (depth < sdpower_i_depth(v, v->forest->pos_of[cpu]) &&
					!seen_before(v, cpu, depth))
				write_line(out, v, cpu, depth);
}
