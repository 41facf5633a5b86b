/* SPDX-License-Identifier: MIT */
/* The records of a trace, one after the other. */
#include <string.h>
#include "say.h"
#include "trace.h"

static bool complain(const struct trace *t, const char *text)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag), .status = SDPOWER_EPARSE,
		.line = t->line };

	strncpy(diag.text, text, sizeof(diag.text) - 1);
	say_diag(t->name, "error", &diag);
	return false;
}

/* Bytes of the present line without its line feed. */
static size_t line_length(const struct trace *t)
{
	const char *feed = memchr(t->at, '\n', (size_t)(t->end - t->at));

	return (size_t)((feed ? feed : t->end) - t->at);
}

static bool line_is(const struct trace *t, const char *text)
{
	const size_t length = line_length(t);

	return length == strlen(text) && !memcmp(t->at, text, length);
}

static bool line_begins(const struct trace *t, const char *text)
{
	return line_length(t) >= strlen(text) && !memcmp(t->at, text, strlen(text));
}

static void skip_line(struct trace *t)
{
	t->at += line_length(t);
	if (t->at < t->end)
		t->at++;
	t->line++;
}

bool trace_start(struct trace *t, const char *name, const char *text, size_t length)
{
	*t = (struct trace){ name, text, text + length, 1 };
	if (t->at == t->end || !line_begins(t, "sdpower trace "))
		return complain(t, "this is no trace: its first line is not \"sdpower trace 1\"");
	if (!line_is(t, "sdpower trace 1"))
		return complain(t, "a version that this command does not know");
	skip_line(t);
	return true;
}

static void begin_part(const struct trace *t, struct trace_part *part)
{
	*part = (struct trace_part){ t->at, 0, t->line };
}

enum trace_found trace_next(struct trace *t, struct trace_record *record)
{
	if (t->at == t->end)
		return TRACE_END;
	begin_part(t, &record->snapshot);
	while (t->at < t->end && !line_is(t, "end"))
		skip_line(t);
	if (t->at == t->end) {
		complain(t, "the last record has no end");
		return TRACE_WRONG;
	}
	skip_line(t);
	record->snapshot.length = (size_t)(t->at - record->snapshot.text);
	if (t->at == t->end || !line_begins(t, "answer ")) {
		complain(t, "expected the answer of the record");
		return TRACE_WRONG;
	}
	begin_part(t, &record->answer);
	record->answer.length = line_length(t);
	skip_line(t);
	return TRACE_RECORD;
}
