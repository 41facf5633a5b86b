/* SPDX-License-Identifier: MIT */
/* Kind degenerate: when a level adds nothing, and who inherits POWERSAVINGS. */
#include "vectors.h"
#include "tree/templates.h"

struct case_of {
	uint64_t id, node_ids, has_grand, grand_flags;
	struct sdpower_i_shape child, parent;
	int64_t expected[5];
};

static struct sdpower_i_shape read_shape(struct vec_line *line)
{
	struct sdpower_i_shape shape;

	shape.flags = (uint32_t)vec_number(line);
	shape.groups = (uint32_t)vec_number(line);
	shape.weight = (uint32_t)vec_number(line);
	return shape;
}

static int read_case(struct vec_line *line, struct case_of *c)
{
	vec_word(line, "D");
	c->id = vec_number(line);
	c->node_ids = vec_number(line);
	c->child = read_shape(line);
	c->parent = read_shape(line);
	c->has_grand = vec_number(line);
	c->grand_flags = vec_number(line);
	vec_word(line, "=");
	for (unsigned i = 0; i < 5; i++)
		c->expected[i] = vec_signed(line);
	return vec_complete(line);
}

static void check(struct vec_run *run, const struct case_of *c)
{
	const struct sdpower_i_pruning old =
		sdpower_i_pruning_of(SDPOWER_TREE_CLASSIC_30, (uint32_t)c->node_ids);
	const struct sdpower_i_pruning v4 =
		sdpower_i_pruning_of(SDPOWER_TREE_CLASSIC, (uint32_t)c->node_ids);
	const int dropped = sdpower_i_parent_degenerate(&v4, &c->child, &c->parent);
	uint64_t grand = c->grand_flags;

	if (dropped && c->has_grand)
		grand |= c->parent.flags & SDPOWER_SD_POWERSAVINGS;
	vec_begin(run, c->id);
	vec_expect(run, "deg_child", c->expected[0], sdpower_i_degenerate(&old, &c->child));
	vec_expect(run, "deg_parent", c->expected[1], sdpower_i_degenerate(&old, &c->parent));
	vec_expect(run, "parent_deg_30", c->expected[2],
		sdpower_i_parent_degenerate(&old, &c->child, &c->parent));
	vec_expect(run, "parent_deg_v4", c->expected[3], dropped);
	vec_expect(run, "gflags_after_v4", c->expected[4], (int64_t)grand);
}

void vec_degenerate(struct vec_run *run)
{
	struct case_of c;

	while (vec_next(run))
		if (read_case(&run->line, &c))
			check(run, &c);
		else
			vec_malformed(run, "D");
}
