/* SPDX-License-Identifier: MIT */
/* Writes text into a buffer, without stdio; what does not fit is only counted. */
#include "text.h"

struct sdpower_i_text sdpower_i_text_into(char *buffer, size_t size)
{
	const struct sdpower_i_text t = { buffer, buffer ? size : 0, 0 };

	return t;
}

void sdpower_i_text_char(struct sdpower_i_text *t, char c)
{
	if (t->length < t->size)
		t->buffer[t->length] = c;
	t->length++;
}

void sdpower_i_text_str(struct sdpower_i_text *t, const char *text)
{
	while (*text)
		sdpower_i_text_char(t, *text++);
}

void sdpower_i_text_u64(struct sdpower_i_text *t, uint64_t value)
{
	char digits[20];
	size_t n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + value % 10u);
		value /= 10u;
	} while (value);
	while (n < sizeof(digits))
		sdpower_i_text_char(t, digits[n++]);
}

size_t sdpower_i_text_digits(uint32_t value, char digits[10])
{
	size_t n = 10;

	do {
		digits[--n] = (char)('0' + value % 10u);
		value /= 10u;
	} while (value);
	return n;
}

void sdpower_i_text_u32(struct sdpower_i_text *t, uint32_t value)
{
	char digits[10];

	for (size_t n = sdpower_i_text_digits(value, digits); n < sizeof(digits); n++)
		sdpower_i_text_char(t, digits[n]);
}

size_t sdpower_i_text_end(struct sdpower_i_text *t)
{
	if (t->size)
		t->buffer[t->length < t->size ? t->length : t->size - 1] = '\0';
	return t->length;
}

void sdpower_i_text_list_end(struct sdpower_i_text *t, struct sdpower_i_text_list *list)
{
	if (!list->open)
		return;
	if (list->any)
		sdpower_i_text_char(t, ',');
	sdpower_i_text_u32(t, list->first);
	if (list->last != list->first) {
		sdpower_i_text_char(t, '-');
		sdpower_i_text_u32(t, list->last);
	}
	list->open = 0;
	list->any = 1;
}

void sdpower_i_text_id(struct sdpower_i_text *t, struct sdpower_i_text_list *list, uint32_t id)
{
	if (list->open && id == list->last + 1) {
		list->last = id;
		return;
	}
	sdpower_i_text_list_end(t, list);
	list->first = list->last = id;
	list->open = 1;
}
