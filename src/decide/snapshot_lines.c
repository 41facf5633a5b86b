/* SPDX-License-Identifier: MIT */
/* Lines of numbers, read strictly. */
#include "snapshot.h"

struct sdpower_i_lines sdpower_i_lines_over(const char *text, size_t length, uint32_t line,
	struct sdpower_diag *diag)
{
	const struct sdpower_i_lines l = { text, text + length, text, text, line, SDPOWER_OK, diag };

	return l;
}

void sdpower_i_lines_fail(struct sdpower_i_lines *l, sdpower_status status, const char *what)
{
	if (l->status)
		return;
	l->status = status;
	(void)sdpower_i_diag_fail_at(l->diag, status, (uint32_t)(l->at - l->start) + 1u, what);
	if (l->diag)
		l->diag->line = l->line;
}

static int at_break(const struct sdpower_i_lines *l, const char *at)
{
	return at == l->end || *at == ' ' || *at == '\n';
}

int sdpower_i_lines_is(const struct sdpower_i_lines *l, const char *word)
{
	const char *at = l->at;

	while (*word && at < l->end && *at == *word) {
		at++;
		word++;
	}
	return !*word && at_break(l, at);
}

/* One blank between two tokens, none before the first. */
static void separate(struct sdpower_i_lines *l)
{
	if (l->at == l->start)
		return;
	if (l->at < l->end && *l->at == ' ')
		l->at++;
	else
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "expected another field");
}

void sdpower_i_lines_word(struct sdpower_i_lines *l, const char *word)
{
	separate(l);
	if (!sdpower_i_lines_is(l, word)) {
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "expected another word here");
		return;
	}
	while (*word++)
		l->at++;
}

uint64_t sdpower_i_lines_number(struct sdpower_i_lines *l, uint64_t most)
{
	uint64_t value = 0;
	const char *first;

	separate(l);
	first = l->at;
	while (!l->status && l->at < l->end && *l->at >= '0' && *l->at <= '9') {
		const uint64_t digit = (uint64_t)(*l->at - '0');

		if (value > (most - digit) / 10 || digit > most) {
			sdpower_i_lines_fail(l, SDPOWER_ERANGE, "number out of range");
			return 0;
		}
		value = value * 10 + digit;
		l->at++;
	}
	if (l->at == first || !at_break(l, l->at))
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "expected a number");
	return l->status ? 0 : value;
}

uint32_t sdpower_i_lines_id(struct sdpower_i_lines *l, uint32_t most)
{
	if (!l->status && l->at + 1 < l->end && l->at[0] == ' ' && l->at[1] == '-' &&
	    at_break(l, l->at + 2)) {
		l->at += 2;
		return SDPOWER_ID_NONE;
	}
	return (uint32_t)sdpower_i_lines_number(l, most);
}

void sdpower_i_lines_end(struct sdpower_i_lines *l)
{
	if (l->status)
		return;
	if (l->at == l->end || *l->at != '\n') {
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "expected the end of the line");
		return;
	}
	l->start = ++l->at;
	l->line++;
}
