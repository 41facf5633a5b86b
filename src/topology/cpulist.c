/* SPDX-License-Identifier: MIT */
/* Reads cpu lists and hexadecimal masks, strictly. */
#include <string.h>
#include "cpulist.h"

static void set_range(uint32_t *mask, uint32_t words, uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last && i / 32u < words; i++)
		mask[i / 32u] |= 1u << (i % 32u);
}

static void note(struct sdpower_i_ids *ids, uint32_t count, uint32_t highest)
{
	ids->count += count;
	if (ids->highest == SDPOWER_ID_NONE || highest > ids->highest)
		ids->highest = highest;
}

static void start(struct sdpower_i_scan *text, uint32_t *mask, uint32_t words, struct sdpower_i_ids *ids)
{
	ids->count = 0;
	ids->highest = SDPOWER_ID_NONE;
	if (words)
		memset(mask, 0, sizeof(*mask) * words);
	sdpower_i_scan_blanks(text);
}

static sdpower_status fail(const char **why, sdpower_status status, const char *text)
{
	*why = text;
	return status;
}

static sdpower_status read_id(struct sdpower_i_scan *text, uint32_t *id, const char **why)
{
	const int got = sdpower_i_scan_u32(text, id);

	if (got == 0)
		return fail(why, SDPOWER_EPARSE, "not a list of numbers");
	if (got < 0 || *id > SDPOWER_I_MAX_ID)
		return fail(why, SDPOWER_ERANGE, "id above 65535");
	return SDPOWER_OK;
}

static sdpower_status read_range(struct sdpower_i_scan *text, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids, const char **why)
{
	uint32_t first = 0, last;
	sdpower_status status = read_id(text, &first, why);

	last = first;
	if (status == SDPOWER_OK && sdpower_i_scan_take(text, '-'))
		status = read_id(text, &last, why);
	if (status != SDPOWER_OK)
		return status;
	if (last < first)
		return fail(why, SDPOWER_EPARSE, "range runs backwards");
	set_range(mask, words, first, last);
	note(ids, last - first + 1u, last);
	return SDPOWER_OK;
}

sdpower_status sdpower_i_cpulist(struct sdpower_i_scan *text, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids, const char **why)
{
	sdpower_status status;

	start(text, mask, words, ids);
	if (text->at == text->end)
		return SDPOWER_OK;
	do {
		status = read_range(text, mask, words, ids, why);
		if (status != SDPOWER_OK)
			return status;
	} while (sdpower_i_scan_take(text, ','));
	sdpower_i_scan_blanks(text);
	if (text->at != text->end)
		return fail(why, SDPOWER_EPARSE, "not a list of numbers");
	return SDPOWER_OK;
}

static uint32_t commas_ahead(const struct sdpower_i_scan *text)
{
	uint32_t n = 0;

	for (const char *p = text->at; p < text->end; p++)
		n += *p == ',';
	return n;
}

static sdpower_status store_word(uint32_t value, uint32_t word, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids, const char **why)
{
	uint32_t top = 31;

	if (value == 0)
		return SDPOWER_OK;
	if (word > SDPOWER_I_MAX_ID / 32u)
		return fail(why, SDPOWER_ERANGE, "id above 65535");
	if (word < words)
		mask[word] = value;
	while (!((value >> top) & 1u))
		top--;
	for (uint32_t bits = value; bits; bits &= bits - 1u)
		ids->count++;
	note(ids, 0, word * 32u + top);
	return SDPOWER_OK;
}

sdpower_status sdpower_i_cpumask(struct sdpower_i_scan *text, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids, const char **why)
{
	uint32_t left, value = 0;
	sdpower_status status;

	start(text, mask, words, ids);
	if (text->at == text->end)
		return SDPOWER_OK;
	left = commas_ahead(text);
	for (;; left--) {
		const int got = sdpower_i_scan_hex(text, &value);

		if (got == 0)
			return fail(why, SDPOWER_EPARSE, "not a hexadecimal mask");
		if (got < 0)
			return fail(why, SDPOWER_EPARSE, "a word of more than 32 bits");
		status = store_word(value, left, mask, words, ids, why);
		if (status != SDPOWER_OK)
			return status;
		if (!sdpower_i_scan_take(text, ','))
			break;
	}
	sdpower_i_scan_blanks(text);
	if (text->at != text->end)
		return fail(why, SDPOWER_EPARSE, "not a hexadecimal mask");
	return SDPOWER_OK;
}
