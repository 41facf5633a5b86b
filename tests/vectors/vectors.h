/* SPDX-License-Identifier: MIT */
/* Replay of recorded answers: reading records, comparing fields, counting mismatches. */
#ifndef SDPOWER_TEST_VECTORS_H
#define SDPOWER_TEST_VECTORS_H

#include <stdint.h>
#include <stdio.h>
#include "trees.h"

#define VEC_TOKENS 1024u

/* One line, cut at blanks. Reading beyond its end or a wrong token sets bad. */
struct vec_line {
	char *text;
	size_t size;
	char *token[VEC_TOKENS];
	unsigned count, next, number; /* number: of the line in the file, from 1 */
	int bad;
};

/* One run of one kind. */
struct vec_run {
	const char *kind;
	FILE *file;
	struct vec_trees *trees;
	struct vec_line line;
	unsigned long cases, mismatches, shown;
	int mismatched;    /* the present case has been counted */
	char id[64];       /* of the present case */
};

/* Next line; 0 at the end of the file. */
int vec_next(struct vec_run *run);

uint64_t vec_number(struct vec_line *line);
int64_t vec_signed(struct vec_line *line);
uint64_t vec_mask(struct vec_line *line);
void vec_word(struct vec_line *line, const char *word);
/* True iff everything was read and nothing was wrong. */
int vec_complete(const struct vec_line *line);

/* Starts a case; the next mismatch counts it. */
void vec_begin(struct vec_run *run, uint64_t id);
void vec_expect(struct vec_run *run, const char *field, int64_t expected, int64_t got);
/* The present line cannot be understood: a case that failed. */
void vec_malformed(struct vec_run *run, const char *what);

/* One cpu of a state block: nr weight cl idle. */
struct vec_cpu {
	uint32_t nr, weight, cl, idle;
};

struct vec_state {
	uint32_t step;
	struct vec_cpu cpu[64];
};

/* Reads `step nb (cpu nr weight cl idle)*nb`, or only the part from nb on. */
void vec_read_state(struct vec_line *line, struct vec_state *state);
void vec_read_cpus(struct vec_line *line, struct vec_state *state);
/* Stores a state in an instance; sums some blocks again so that both ways of reading are used. */
void vec_store_state(struct sdpower *s, const struct vec_state *state, unsigned cpus,
	uint64_t seed);

/* Cpus of a group, counted over the tree, as records write them. */
struct sdpower_i_view;
uint64_t vec_group_mask(const struct sdpower_i_view *v, uint32_t group);

/* Of kind migration: text with its escapes taken back, in place; the rest of a block from its
   first line on, T or X. */
const char *vec_migration_text(struct vec_line *line);
void vec_migration_table(struct vec_run *run);
void vec_migration_matrix(struct vec_run *run);

/* Kinds: each reads the whole file. */
void vec_fbg(struct vec_run *run);
void vec_imbalance(struct vec_run *run);
void vec_idlest(struct vec_run *run);
void vec_cpuload(struct vec_run *run);
void vec_ilb(struct vec_run *run);
void vec_wake(struct vec_run *run);
void vec_degenerate(struct vec_run *run);
void vec_loop(struct vec_run *run);
void vec_machine(struct vec_run *run);
void vec_migrate(struct vec_run *run);
void vec_walk(struct vec_run *run);
void vec_newidle(struct vec_run *run);
void vec_policy(struct vec_run *run);
void vec_migration(struct vec_run *run);

#endif
