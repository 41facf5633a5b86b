/* SPDX-License-Identifier: MIT */
/* A snapshot brought back to life. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rules.h"
#include "say.h"
#include "session.h"

#define TEXT 4096u /* longest line about one question or answer */

static int fail(struct session *a, const struct sdpower_diag *diag)
{
	say_diag(a->name, "error", diag);
	session_close(a);
	return diag->status == SDPOWER_ENOSPC ? CMD_SYSTEM : CMD_INPUT;
}

/* Asks the size, then reads. */
static sdpower_status read_snapshot(struct session *a, const char *text, size_t length,
	struct sdpower_diag *diag)
{
	sdpower_status status;

	a->snapshot.struct_size = sizeof(a->snapshot);
	status = sdpower_snapshot_read(text, length, NULL, 0, &a->snapshot, diag);
	if (status != SDPOWER_ENOSPC)
		return status;
	a->tables = cmd_alloc(1, a->snapshot.memory_needed);
	return sdpower_snapshot_read(text, length, a->tables, a->snapshot.memory_needed, &a->snapshot,
		diag);
}

int session_open(struct session *a, const char *name, const char *text, size_t length,
	uint32_t first_line)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };

	*a = (struct session){ .name = name };
	diag.status = read_snapshot(a, text, length, &diag);
	if (diag.status != SDPOWER_OK) {
		if (diag.line)
			diag.line += first_line - 1;
		return fail(a, &diag);
	}
	diag.status = session_variant(a, &a->snapshot.config, &a->s);
	if (diag.status == SDPOWER_OK)
		return CMD_GOOD;
	snprintf(diag.text, sizeof(diag.text), "no instance can be made of it");
	diag.line = first_line;
	return fail(a, &diag);
}

sdpower_status session_variant(const struct session *a, const struct sdpower_config *config,
	sdpower **out)
{
	sdpower_status status = rules_make(config, out);

	if (status != SDPOWER_OK)
		return status;
	status = sdpower_snapshot_restore(&a->snapshot, *out);
	if (status == SDPOWER_OK)
		return SDPOWER_OK;
	rules_drop(*out);
	*out = NULL;
	return status;
}

void session_close(struct session *a)
{
	rules_drop(a->s);
	free(a->tables);
	a->s = NULL;
	a->tables = NULL;
}

const char *session_kind(uint32_t kind)
{
	static const char *const kinds[] = { "none", "busiest", "wake", "place" };

	return kind <= SDPOWER_QUESTION_PLACE ? kinds[kind] : "?";
}

static void tell_busiest(const struct session *a, char *text)
{
	static const char *const idle[] = { "idle", "busy", "newly idle" };
	const struct sdpower_busiest_request *r = &a->snapshot.question.busiest;

	snprintf(text, TEXT, "cpu %u is %s: from where should it pull at depth %u?", (unsigned)r->cpu,
		r->idle < 3 ? idle[r->idle] : "?", (unsigned)r->depth);
}

static void tell_wake(const struct session *a, char *text)
{
	const struct sdpower_wake *w = &a->snapshot.question.wake;
	char waker[48] = "somebody outside", prev[48] = "nowhere yet";

	if (w->waker != SDPOWER_CPU_NONE)
		snprintf(waker, sizeof(waker), "cpu %u", (unsigned)w->waker);
	if (w->prev != SDPOWER_CPU_NONE)
		snprintf(prev, sizeof(prev), "on cpu %u", (unsigned)w->prev);
	snprintf(text, TEXT, "%s wakes a task of weight %u that ran %s: where should it run?%s%s%s",
		waker, (unsigned)w->weight, prev, w->flags & SDPOWER_WAKE_SYNC ? " (sync)" : "",
		w->flags & SDPOWER_WAKE_SYSTEM ? " (system)" : "",
		w->flags & SDPOWER_WAKE_CACHE_HOT ? " (cache hot)" : "");
}

static void tell_place(const struct session *a, char *text)
{
	const struct sdpower_placement *p = &a->snapshot.question.place;

	snprintf(text, TEXT, "a task starts %s on cpu %u: where should it run?",
		p->flag == SDPOWER_SD_BALANCE_EXEC ? "another program" : "its life",
		(unsigned)p->cpu);
}

static void tell_none(const struct session *a, char *text)
{
	snprintf(text, TEXT, "nothing is asked of these %u cpus",
		(unsigned)a->snapshot.topology.cpu_count);
}

char *session_question(const struct session *a)
{
	static void (*const tell[])(const struct session *, char *) = {
		tell_none, tell_busiest, tell_wake, tell_place };
	char *text = cmd_alloc(1, TEXT);

	tell[a->snapshot.question.kind](a, text);
	return text;
}

char *session_reasons(uint32_t reason)
{
	char *text = cmd_alloc(1, TEXT), *at = text;

	for (uint32_t bit = 1; bit; bit <<= 1)
		if (reason & bit)
			at += sprintf(at, "%s%s", at == text ? "" : ", ", sdpower_reason_text(bit));
	return text;
}

char *session_answer_line(const struct sdpower_answer *answer)
{
	char *text = cmd_alloc(1, TEXT);
	size_t length = 0;

	/* The fields of all kinds together are far shorter. */
	if (sdpower_answer_write(answer, text, TEXT, &length) != SDPOWER_OK)
		return text;
	text[length - 1] = '\0';
	return text;
}
