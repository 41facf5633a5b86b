/* SPDX-License-Identifier: MIT */
/* Trees as text for people and for Graphviz. */
#ifndef SDPOWER_I_DUMP_H
#define SDPOWER_I_DUMP_H

#include "ring.h"

#include "../topology/text.h"

/* Writes the os ids of the cpus in a list of runs. */
void sdpower_i_dump_runs(struct sdpower_i_text *out, const struct sdpower_i_view *v, uint32_t run,
	uint32_t runs);

/* Writes the letters of a set of flags. */
void sdpower_i_dump_flags(struct sdpower_i_text *out, uint32_t flags, int modern);

/*
 * One line for each distinct level of a chain, sorted by depth and first cpu, in the form of
 * the recorded machines: depth, level, cpus, span, flags, imb, groups in ring order.
 */
void sdpower_i_dump_text(struct sdpower_i_text *out, const struct sdpower_i_view *v);

/* The domains as boxes with their groups, an arrow from each to its parent. */
void sdpower_i_dump_dot(struct sdpower_i_text *out, const struct sdpower_i_view *v);

#endif
