/* SPDX-License-Identifier: MIT */
/* Writes text into a buffer, without stdio; what does not fit is only counted. */
#ifndef SDPOWER_I_TEXT_H
#define SDPOWER_I_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct sdpower_i_text {
	char *buffer;  /* or NULL with size 0 */
	size_t size;
	size_t length; /* of the whole text, without its NUL */
};

struct sdpower_i_text sdpower_i_text_into(char *buffer, size_t size);

void sdpower_i_text_char(struct sdpower_i_text *t, char c);
void sdpower_i_text_str(struct sdpower_i_text *t, const char *text);
void sdpower_i_text_u32(struct sdpower_i_text *t, uint32_t value);
void sdpower_i_text_u64(struct sdpower_i_text *t, uint64_t value);

/* Decimal digits of a number, right-aligned; returns the index of the first. */
size_t sdpower_i_text_digits(uint32_t value, char digits[10]);

/* Ends the text, cut if need be; returns its whole length. */
size_t sdpower_i_text_end(struct sdpower_i_text *t);

/* A list of ids such as "0-3,8", written while ids come in ascending order. */
struct sdpower_i_text_list {
	uint32_t first, last; /* of the range that is open */
	int open, any;
};

static inline struct sdpower_i_text_list sdpower_i_text_list(void)
{
	const struct sdpower_i_text_list list = { 0, 0, 0, 0 };

	return list;
}

void sdpower_i_text_id(struct sdpower_i_text *t, struct sdpower_i_text_list *list, uint32_t id);
void sdpower_i_text_list_end(struct sdpower_i_text *t, struct sdpower_i_text_list *list);

#endif
