/* SPDX-License-Identifier: MIT */
/* Reading the lines of a snapshot; <sdpower/snapshot.h> describes the format. */
#ifndef SDPOWER_I_SNAPSHOT_H
#define SDPOWER_I_SNAPSHOT_H

#include <sdpower/snapshot.h>
#include "../state/state.h"
#include "../topology/arena.h"
#include "../topology/diag.h"

/* Reads numbers line by line; the first error stays, and stops everything behind it. */
struct sdpower_i_lines {
	const char *text, *end, *at, *start; /* start: of the present line */
	uint32_t line;
	sdpower_status status;
	struct sdpower_diag *diag;
};

struct sdpower_i_lines sdpower_i_lines_over(const char *text, size_t length, uint32_t line,
	struct sdpower_diag *diag);
void sdpower_i_lines_fail(struct sdpower_i_lines *l, sdpower_status status, const char *what);
/* Exactly this word, then a blank or the end of the line. */
int sdpower_i_lines_is(const struct sdpower_i_lines *l, const char *word);
void sdpower_i_lines_word(struct sdpower_i_lines *l, const char *word);
uint64_t sdpower_i_lines_number(struct sdpower_i_lines *l, uint64_t most);
/* A number up to most, or '-' for SDPOWER_ID_NONE. */
uint32_t sdpower_i_lines_id(struct sdpower_i_lines *l, uint32_t most);
void sdpower_i_lines_end(struct sdpower_i_lines *l);

/* One slot line into a state. */
void sdpower_i_read_slot(struct sdpower_i_lines *l, struct sdpower_cpu_state *c);
/* The question; masks and powers are taken from the arena. */
void sdpower_i_read_question(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	struct sdpower_question *q);

#endif
