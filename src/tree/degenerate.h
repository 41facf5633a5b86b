/* SPDX-License-Identifier: MIT */
/* When a level of a chain adds nothing (docs/POLICY.md B10, B12). Pure predicates. */
#ifndef SDPOWER_I_DEGENERATE_H
#define SDPOWER_I_DEGENERATE_H

#include <stdint.h>

/* What the predicates look at. */
struct sdpower_i_shape {
	uint32_t flags;  /* enum sdpower_flag */
	uint32_t groups;
	uint32_t weight; /* cpus of the span */
};

/* Which rules they follow. */
struct sdpower_i_pruning {
	uint32_t need_groups;    /* flags that mean something only with two groups */
	uint32_t wake_flags;     /* flags that keep a level alive even with one group */
	uint32_t node_ids;       /* highest node id + 1 */
	uint32_t ignore_savings; /* v4: POWERSAVINGS never holds back a one-group parent */
};

/* True iff the level does nothing by itself. */
int sdpower_i_degenerate(const struct sdpower_i_pruning *rules, const struct sdpower_i_shape *d);

/*
 * True iff the parent adds nothing above d. Spans nest, so that equal weights mean equal
 * spans.
 */
int sdpower_i_parent_degenerate(const struct sdpower_i_pruning *rules,
	const struct sdpower_i_shape *d, const struct sdpower_i_shape *parent);

#endif
