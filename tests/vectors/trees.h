/* SPDX-License-Identifier: MIT */
/* The trees that records refer to by number: read from trees.vec, built by the library. */
#ifndef SDPOWER_TEST_TREES_H
#define SDPOWER_TEST_TREES_H

#include <stdint.h>
#include <sdpower.h>

struct vec_trees;

/* Reads the file and checks that what the library builds equals it; NULL with a message. */
struct vec_trees *vec_trees_read(const char *path);
void vec_trees_free(struct vec_trees *trees);

/* Shape of a tree; 0 when there is no such tree. */
unsigned vec_tree_cpus(const struct vec_trees *trees, unsigned tree);
unsigned vec_tree_levels(const struct vec_trees *trees, unsigned tree);

/*
 * The instance of a tree with the given knobs, decision rules and wake flags; made on the
 * first call, kept and handed out again afterwards with whatever state it then has. NULL when
 * there is no such tree or the library refuses. Knobs of UINT32_MAX mean the weakest ones of the
 * tree's class: (0,0), (1,0) or (0,1).
 */
struct sdpower *vec_tree_instance(struct vec_trees *trees, unsigned tree, uint32_t mc,
	uint32_t smt, uint32_t decisions, uint32_t wake_flags);

#endif
