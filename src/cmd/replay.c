/* SPDX-License-Identifier: MIT */
/* sdpower replay: asks the questions of a trace again, and finds the first different answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ink.h"
#include "input.h"
#include "json.h"
#include "rules.h"
#include "say.h"
#include "session.h"
#include "trace.h"

/* A field that came out differently. */
struct difference {
	char name[64];
	char recorded[64], now[64];
};

struct replay {
	const struct cmd_options *o;
	struct json *j;       /* NULL = text */
	const char *name;
	uint32_t records, different;
};

/* Copies up to the next blank, and steps behind it. */
static void take_word(const char **at, const char *end, char *word, size_t size)
{
	size_t length = 0;

	while (*at < end && **at != ' ') {
		if (length + 1 < size)
			word[length++] = **at;
		(*at)++;
	}
	word[length] = '\0';
	if (*at < end)
		(*at)++;
}

/* The value of a name in a line; false when the line does not have it. */
static bool find_value(const char *line, const char *name, char *value, size_t size)
{
	const char *at = line, *end = line + strlen(line);
	char word[128];

	while (at < end) {
		const size_t length = strlen(name);

		take_word(&at, end, word, sizeof(word));
		if (!strncmp(word, name, length) && word[length] == '=') {
			snprintf(value, size, "%s", word + length + 1);
			return true;
		}
	}
	return false;
}

/* Compares one word of the recorded line: "answer", the kind, or NAME=VALUE. */
static bool word_differs(const char *word, uint32_t index, const char *now, struct difference *d)
{
	static const char *const titles[] = { "first word", "kind" };
	const char *equals = strchr(word, '='), *at = now;

	if (index < 2) {
		for (uint32_t i = 0; i <= index; i++)
			take_word(&at, now + strlen(now), d->now, sizeof(d->now));
		snprintf(d->name, sizeof(d->name), "%s", titles[index]);
		snprintf(d->recorded, sizeof(d->recorded), "%.60s", word);
		return strcmp(d->recorded, d->now) != 0;
	}
	snprintf(d->name, sizeof(d->name), "%.*s", equals ? (int)(equals - word) : 60, word);
	snprintf(d->recorded, sizeof(d->recorded), "%.60s", equals ? equals + 1 : "");
	if (!find_value(now, d->name, d->now, sizeof(d->now)))
		snprintf(d->now, sizeof(d->now), "absent");
	return strcmp(d->recorded, d->now) != 0;
}

/* Names that only the new line has are no difference: the record is older than they are. */
static bool differs(const struct trace_part *recorded, const char *now, struct difference *d)
{
	const char *at = recorded->text, *end = at + recorded->length;
	char word[128];

	for (uint32_t index = 0; at < end || index < 2; index++) {
		take_word(&at, end, word, sizeof(word));
		if (word_differs(word, index, now, d))
			return true;
	}
	return false;
}

static void report_json(struct replay *r, const struct trace_record *record, const char *question,
	const struct difference *d)
{
	json_object(r->j, NULL);
	json_number(r->j, "record", r->records);
	json_number(r->j, "line", record->answer.line);
	json_text(r->j, "question", question);
	json_text(r->j, "field", d->name);
	json_text(r->j, "recorded", d->recorded);
	json_text(r->j, "now", d->now);
	json_close(r->j);
}

static void report(struct replay *r, const struct session *a, const struct trace_record *record,
	const struct difference *d)
{
	char *question = session_question(a);

	r->different++;
	if (r->j)
		report_json(r, record, question, d);
	else
		fprintf(stderr, "%s:%u: record %u: %s is %s, recorded %s (%s)\n", r->name,
			(unsigned)record->answer.line, (unsigned)r->records, d->name, d->now,
			d->recorded, question);
	free(question);
}

static int replay_record(struct replay *r, const struct trace_record *record)
{
	struct session a;
	struct sdpower_answer answer = { .struct_size = sizeof(answer) };
	struct difference d;
	int code = session_open(&a, r->name, record->snapshot.text, record->snapshot.length,
		record->snapshot.line);

	if (code != CMD_GOOD)
		return code;
	r->records++;
	if (sdpower_ask(a.s, &a.snapshot.question, &answer) != SDPOWER_OK) {
		code = CMD_INPUT;
	} else {
		char *now = session_answer_line(&answer);

		if (differs(&record->answer, now, &d)) {
			report(r, &a, record, &d);
			code = CMD_NO;
		}
		free(now);
	}
	session_close(&a);
	return code;
}

/* Stops at the first difference unless all are wanted. */
static int replay_text(struct replay *r, const char *text, size_t length)
{
	struct trace_record record;
	enum trace_found found;
	struct trace t;
	int code = CMD_GOOD;

	if (!trace_start(&t, r->name, text, length))
		return CMD_INPUT;
	while ((found = trace_next(&t, &record)) == TRACE_RECORD) {
		code = cmd_worse(code, replay_record(r, &record));
		if (code > CMD_NO || (code == CMD_NO && !r->o->all))
			return code;
	}
	return found == TRACE_WRONG ? CMD_INPUT : code;
}

static void conclude(const struct replay *r, int code)
{
	if (r->j) {
		json_close(r->j);
		json_number(r->j, "records", r->records);
		json_number(r->j, "different", r->different);
		json_bool(r->j, "same", code == CMD_GOOD);
		json_close(r->j);
	} else if (code == CMD_GOOD && !r->o->quiet) {
		printf("%s: %s%u record%s, every answer the same%s\n", r->name, ink(INK_GOOD),
			(unsigned)r->records, r->records == 1 ? "" : "s", ink(INK_PLAIN));
	}
}

static int replay_file(const struct cmd_options *o, struct json *j, const char *name)
{
	struct replay r = { .o = o, .j = j, .name = name };
	size_t length;
	char *text;
	int code = input_read(name, &text, &length);

	if (code != CMD_GOOD)
		return code;
	if (j) {
		json_object(j, NULL);
		json_text(j, "trace", name);
		json_array(j, "differences");
	}
	code = replay_text(&r, text, length);
	conclude(&r, code);
	free(text);
	return code;
}

/* Writes one record with the answer of today. */
static int record_session(struct session *a)
{
	struct sdpower_answer answer = { .struct_size = sizeof(answer) };
	const struct sdpower_question *q = &a->snapshot.question;
	size_t length = 0;
	char *text;

	if (sdpower_ask(a->s, q, &answer) != SDPOWER_OK ||
			sdpower_trace_write(a->s, q, &answer, NULL, 0, &length) != SDPOWER_ENOSPC)
		return CMD_INPUT;
	text = cmd_alloc(1, length + 1);
	if (sdpower_trace_write(a->s, q, &answer, text, length + 1, &length) == SDPOWER_OK)
		fputs(text, stdout);
	free(text);
	return CMD_GOOD;
}

static int record_file(const char *name)
{
	struct session a;
	size_t length;
	char *text;
	int code = input_read(name, &text, &length);

	if (code != CMD_GOOD)
		return code;
	code = session_open(&a, name, text, length, 1);
	if (code == CMD_GOOD) {
		code = record_session(&a);
		session_close(&a);
	}
	free(text);
	return code;
}

static int record_all(const struct cmd_options *o)
{
	int code = CMD_GOOD;

	fputs(SDPOWER_TRACE_HEADER, stdout);
	for (uint32_t i = 0; i < o->file_count; i++)
		code = cmd_worse(code, record_file(o->files[i]));
	return code;
}

static int run(const struct cmd_options *o)
{
	int code = CMD_GOOD;
	struct json j;

	if (o->record)
		return record_all(o);
	if (o->json) {
		json_start(&j, stdout);
		json_array(&j, "traces");
	}
	for (uint32_t i = 0; i < o->file_count; i++)
		code = cmd_worse(code, replay_file(o, o->json ? &j : NULL, o->files[i]));
	if (o->json)
		json_end(&j);
	return code;
}

const struct cmd_command cmd_replay = {
	"replay", "FILE...", "aqR", 1, UINT32_MAX, "ask the questions of a trace again",
	"Reads traces (- for standard input), asks every question again and compares the answers bit for\n"
	"bit. Says the first one that differs, or with --all each. With --record the files are snapshots,\n"
	"and a trace of them with today's answers is printed.",
	run
};
