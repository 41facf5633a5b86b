/* SPDX-License-Identifier: MIT */
/* Writes one JSON document, value by value. */
#include <inttypes.h>
#include "json.h"

static void begin_value(struct json *j, const char *key)
{
	const bool inline_ = j->row && j->depth >= j->row;

	if (j->some[j->depth])
		fputs(inline_ ? ", " : ",", j->out);
	j->some[j->depth] = true;
	if (j->depth && !inline_)
		fprintf(j->out, "\n%*s", (int)(2 * j->depth), "");
	if (key)
		fprintf(j->out, "\"%s\": ", key);
}

static void open_with(struct json *j, const char *key, char bracket, char closing)
{
	begin_value(j, key);
	fputc(bracket, j->out);
	j->depth++;
	j->some[j->depth] = false;
	j->close[j->depth] = closing;
}

void json_start(struct json *j, FILE *out)
{
	*j = (struct json){ .out = out };
	open_with(j, NULL, '{', '}');
}

void json_object(struct json *j, const char *key)
{
	open_with(j, key, '{', '}');
}

void json_array(struct json *j, const char *key)
{
	open_with(j, key, '[', ']');
}

void json_row(struct json *j, const char *key)
{
	open_with(j, key, '[', ']');
	if (!j->row)
		j->row = j->depth;
}

void json_close(struct json *j)
{
	const bool inline_ = j->row && j->depth >= j->row;

	if (j->some[j->depth] && !inline_)
		fprintf(j->out, "\n%*s", (int)(2 * (j->depth - 1)), "");
	fputc(j->close[j->depth], j->out);
	if (j->row == j->depth)
		j->row = 0;
	j->depth--;
}

void json_end(struct json *j)
{
	while (j->depth)
		json_close(j);
	fputc('\n', j->out);
}

/* Bytes of a UTF-8 character, or 0 for a byte that begins none. */
static int length_of(const unsigned char *c)
{
	const int length = c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : c[0] >= 0xe0 ? 3 : c[0] >= 0xc2 ? 2 : 0;

	if (c[0] >= 0xf5)
		return 0;
	for (int i = 1; i < length; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

void json_text(struct json *j, const char *key, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	begin_value(j, key);
	if (!text) {
		fputs("null", j->out);
		return;
	}
	fputc('"', j->out);
	while (*c) {
		const int length = length_of(c);

		if (length > 0)
			fwrite(c, 1, (size_t)length, j->out);
		else if (*c == '"' || *c == '\\')
			fprintf(j->out, "\\%c", *c);
		/* Names of files are bytes: what is no UTF-8 is shown as Latin-1. */
		else if (*c < 0x20 || *c >= 0x7f)
			fprintf(j->out, "\\u%04x", *c);
		else
			fputc(*c, j->out);
		c += length > 0 ? length : 1;
	}
	fputc('"', j->out);
}

void json_number(struct json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_id(struct json *j, const char *key, uint32_t value)
{
	if (value != UINT32_MAX) {
		json_number(j, key, value);
		return;
	}
	json_text(j, key, NULL);
}
