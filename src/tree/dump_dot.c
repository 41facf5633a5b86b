/* SPDX-License-Identifier: MIT */
/* A tree for Graphviz: domains as boxes with their groups, arrows from child to parent. */
#include "dump.h"

#include <sdpower/instance.h>

static void write_box(struct sdpower_i_text *out, const struct sdpower_i_view *v, uint32_t index,
	uint32_t flags)
{
	const struct sdpower_i_domain d = sdpower_i_get_domain(v, index);

	sdpower_i_text_str(out, "\td");
	sdpower_i_text_u32(out, index);
	sdpower_i_text_str(out, " [label=\"{");
	sdpower_i_text_str(out, sdpower_level_name(d.level));
	sdpower_i_text_char(out, ' ');
	sdpower_i_dump_runs(out, v, d.run, d.runs);
	sdpower_i_text_str(out, "\\n");
	sdpower_i_dump_flags(out, flags, v->forest->tree_rules == SDPOWER_TREE_MODERN);
	sdpower_i_text_str(out, "|{");
	for (uint32_t i = 0; i < d.groups; i++) {
		const struct sdpower_i_group g = sdpower_i_get_group(v, d.group + i);

		sdpower_i_text_str(out, i ? "|" : "");
		sdpower_i_dump_runs(out, v, g.run, g.runs);
		sdpower_i_text_str(out, "\\n");
		sdpower_i_text_u32(out, g.power);
	}
	sdpower_i_text_str(out, "}}\"];\n");
}

/* True iff a lower cpu has the same two domains, one above the other (parent NONE: just one). */
static int seen_before(const struct sdpower_i_view *v, uint32_t cpu, uint32_t child, uint32_t parent)
{
	for (uint32_t other = 0; other < cpu; other++) {
		const uint32_t pos = v->forest->pos_of[other], levels = sdpower_i_depth(v, pos);

		for (uint32_t i = 0; i < levels; i++)
			if (sdpower_i_get_link(v, pos, i).domain == child && (parent == SDPOWER_I_NONE16 ||
					(i + 1 < levels && sdpower_i_get_link(v, pos, i + 1).domain == parent)))
				return 1;
	}
	return 0;
}

static void write_arrow(struct sdpower_i_text *out, uint32_t child, uint32_t parent)
{
	sdpower_i_text_str(out, "\td");
	sdpower_i_text_u32(out, child);
	sdpower_i_text_str(out, " -> d");
	sdpower_i_text_u32(out, parent);
	sdpower_i_text_str(out, ";\n");
}

void sdpower_i_dump_dot(struct sdpower_i_text *out, const struct sdpower_i_view *v)
{
	sdpower_i_text_str(out, "digraph domains {\n\trankdir=BT;\n\tnode [shape=record];\n");
	for (uint32_t cpu = 0; cpu < v->forest->cpu_count; cpu++) {
		const uint32_t pos = v->forest->pos_of[cpu], levels = sdpower_i_depth(v, pos);

		for (uint32_t i = 0; i < levels; i++) {
			const struct sdpower_i_link link = sdpower_i_get_link(v, pos, i);
			uint32_t parent;

			if (!seen_before(v, cpu, link.domain, SDPOWER_I_NONE16))
				write_box(out, v, link.domain, link.flags);
			if (i + 1 >= levels)
				continue;
			parent = sdpower_i_get_link(v, pos, i + 1).domain;
			if (!seen_before(v, cpu, link.domain, parent))
				write_arrow(out, link.domain, parent);
		}
	}
	sdpower_i_text_str(out, "}\n");
}
