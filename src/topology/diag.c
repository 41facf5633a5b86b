/* SPDX-License-Identifier: MIT */
/* Texts for people, appended piece by piece into the caller's struct sdpower_diag. */
#include <string.h>
#include "diag.h"
#include "text.h"

static size_t text_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

void sdpower_i_diag_start(struct sdpower_diag *diag, sdpower_status status)
{
	if (!diag)
		return;
	diag->status = status;
	diag->line = 0;
	diag->column = 0;
	memset(diag->text, 0, sizeof(diag->text));
}

void sdpower_i_diag_bytes(struct sdpower_diag *diag, const char *text, size_t length)
{
	size_t used, room;

	if (!diag)
		return;
	used = text_length(diag->text);
	room = sizeof(diag->text) - 1 - used;
	if (length <= room) {
		memcpy(diag->text + used, text, length);
		return;
	}
	memcpy(diag->text + used, text, room);
	memcpy(diag->text + sizeof(diag->text) - 4, "...", 3);
}

void sdpower_i_diag_str(struct sdpower_diag *diag, const char *text)
{
	sdpower_i_diag_bytes(diag, text, text_length(text));
}

void sdpower_i_diag_u32(struct sdpower_diag *diag, uint32_t value)
{
	char digits[10];
	const size_t n = sdpower_i_text_digits(value, digits);

	sdpower_i_diag_bytes(diag, digits + n, sizeof(digits) - n);
}

static int bit_is_set(const uint32_t *mask, uint32_t bit)
{
	return (mask[bit / 32u] >> (bit % 32u)) & 1u;
}

void sdpower_i_diag_mask(struct sdpower_diag *diag, const uint32_t *mask, uint32_t words)
{
	const uint32_t bits = words * 32u;
	const char *comma = "";

	if (!diag)
		return;
	for (uint32_t i = 0; i < bits; i++) {
		uint32_t last = i;

		if (!bit_is_set(mask, i))
			continue;
		while (last + 1 < bits && bit_is_set(mask, last + 1))
			last++;
		sdpower_i_diag_str(diag, comma);
		sdpower_i_diag_u32(diag, i);
		if (last > i) {
			sdpower_i_diag_str(diag, "-");
			sdpower_i_diag_u32(diag, last);
		}
		comma = ",";
		i = last;
	}
	if (!comma[0])
		sdpower_i_diag_str(diag, "none");
}

sdpower_status sdpower_i_diag_fail_at(struct sdpower_diag *diag, sdpower_status status, uint32_t column,
	const char *text)
{
	sdpower_i_diag_start(diag, status);
	sdpower_i_diag_str(diag, text);
	if (diag)
		diag->column = column;
	return status;
}

sdpower_status sdpower_i_diag_fail(struct sdpower_diag *diag, sdpower_status status, const char *text)
{
	return sdpower_i_diag_fail_at(diag, status, 0, text);
}
