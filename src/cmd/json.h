/* SPDX-License-Identifier: MIT */
/* Writes one JSON document, value by value. */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16u

/* Keys are NULL inside arrays. Arrays opened with json_row stay on one line. */
struct json {
	FILE *out;
	uint32_t depth;
	uint32_t row;  /* depth from which on everything is on one line; 0 = none */
	bool some[JSON_DEPTH];
	char close[JSON_DEPTH];
};

void json_start(struct json *j, FILE *out); /* opens the outermost object */
void json_end(struct json *j);              /* closes whatever is open */
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_row(struct json *j, const char *key);
void json_close(struct json *j);

void json_text(struct json *j, const char *key, const char *text); /* NULL = null */
void json_number(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
void json_bool(struct json *j, const char *key, bool value);
/* UINT32_MAX, which stands for "none" all over the library, is null. */
void json_id(struct json *j, const char *key, uint32_t value);

#endif
