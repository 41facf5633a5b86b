/* SPDX-License-Identifier: MIT */
/* The last step of building a tree. */
#ifndef SDPOWER_I_BLOCKS_H
#define SDPOWER_I_BLOCKS_H

#include "tree.h"

/* Fills block and blocks of every group. */
void sdpower_i_mark_blocks(const struct sdpower_i_forest *f, struct sdpower_i_tree *t);

#endif
