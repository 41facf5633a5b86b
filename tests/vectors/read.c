/* SPDX-License-Identifier: MIT */
/* Lines, tokens, mismatches: nothing in a file is believed. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "vectors.h"

#define SHOWN 10u

int vec_next(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	char *rest = NULL;

	do {
		if (getline(&line->text, &line->size, run->file) < 0)
			return 0;
		line->number++;
	} while (line->text[0] == '#' || line->text[0] == '\n');
	line->count = line->next = 0;
	line->bad = 0;
	for (char *t = strtok_r(line->text, " \n", &rest); t; t = strtok_r(NULL, " \n", &rest)) {
		if (line->count == VEC_TOKENS) {
			line->bad = 1;
			break;
		}
		line->token[line->count++] = t;
	}
	return 1;
}

static const char *take(struct vec_line *line)
{
	if (line->next < line->count)
		return line->token[line->next++];
	line->bad = 1;
	return "";
}

static uint64_t convert(struct vec_line *line, const char *text, int base, const char *digits)
{
	uint64_t value;

	if (!*text || strspn(text, digits) != strlen(text)) {
		line->bad = 1;
		return 0;
	}
	errno = 0;
	value = strtoull(text, NULL, base);
	if (errno)
		line->bad = 1;
	return value;
}

uint64_t vec_number(struct vec_line *line)
{
	return convert(line, take(line), 10, "0123456789");
}

int64_t vec_signed(struct vec_line *line)
{
	const char *text = take(line);

	if (*text == '-')
		return (int64_t)(0 - convert(line, text + 1, 10, "0123456789"));
	return (int64_t)convert(line, text, 10, "0123456789");
}

uint64_t vec_mask(struct vec_line *line)
{
	return convert(line, take(line), 16, "0123456789abcdefABCDEF");
}

void vec_word(struct vec_line *line, const char *word)
{
	if (strcmp(take(line), word) != 0)
		line->bad = 1;
}

int vec_complete(const struct vec_line *line)
{
	return !line->bad && line->next == line->count;
}

void vec_begin(struct vec_run *run, uint64_t id)
{
	run->cases++;
	run->mismatched = 0;
	snprintf(run->id, sizeof(run->id), "%" PRIu64, id);
}

static int count_mismatch(struct vec_run *run)
{
	if (!run->mismatched)
		run->mismatches++;
	run->mismatched = 1;
	return run->shown++ < SHOWN;
}

void vec_expect(struct vec_run *run, const char *field, int64_t expected, int64_t got)
{
	if (expected != got && count_mismatch(run))
		printf("case %s, %s: expected %" PRId64 ", got %" PRId64 "\n", run->id, field,
			expected, got);
}

void vec_malformed(struct vec_run *run, const char *what)
{
	run->cases++;
	run->mismatched = 0;
	if (count_mismatch(run))
		printf("line %u, %s: expected a complete record, got something else\n",
			run->line.number, what);
}
