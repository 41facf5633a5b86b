/* SPDX-License-Identifier: MIT */
/* The records of a trace, one after the other. */
#ifndef CMD_TRACE_H
#define CMD_TRACE_H

#include <sdpower.h>
#include "cmd.h"

/* A text and where it begins. */
struct trace_part {
	const char *text;
	size_t length;
	uint32_t line; /* of the file, from 1 */
};

struct trace {
	const char *name, *at, *end;
	uint32_t line; /* of at */
};

struct trace_record {
	struct trace_part snapshot;
	struct trace_part answer; /* one line without its line feed */
};

enum trace_found { TRACE_RECORD, TRACE_END, TRACE_WRONG };

/* Looks at the first line, and says when it is not that of a trace. */
bool trace_start(struct trace *t, const char *name, const char *text, size_t length);

/* Finds the next record; says what is wrong. */
enum trace_found trace_next(struct trace *t, struct trace_record *record);

#endif
