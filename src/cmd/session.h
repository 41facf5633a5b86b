/* SPDX-License-Identifier: MIT */
/* A snapshot brought back to life. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <sdpower.h>
#include "cmd.h"

struct session {
	const char *name;                  /* of the file */
	struct sdpower_snapshot snapshot;
	void *tables;
	sdpower *s;
};

/*
 * Reads a snapshot and makes its instance; says what is wrong, with lines counted from first_line:
 * an exit code. The text must stay.
 */
int session_open(struct session *a, const char *name, const char *text, size_t length,
	uint32_t first_line);

/* The state of a snapshot under other rules and knobs: another instance, for rules_drop. */
sdpower_status session_variant(const struct session *a, const struct sdpower_config *config,
	sdpower **out);

void session_close(struct session *a);

/* The question in words; the caller frees it. */
char *session_question(const struct session *a);

/* Word of a kind of question. */
const char *session_kind(uint32_t kind);

/* Texts of the reasons of an answer, separated by commas; the caller frees it. */
char *session_reasons(uint32_t reason);

/* The line of an answer without its line feed; the caller frees it. */
char *session_answer_line(const struct sdpower_answer *answer);

#endif
