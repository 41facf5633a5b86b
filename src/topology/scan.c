/* SPDX-License-Identifier: MIT */
/* The cursor that every text source reads with. */
#include "scan.h"

int sdpower_i_scan_take(struct sdpower_i_scan *scan, char wanted)
{
	if (scan->at >= scan->end || *scan->at != wanted)
		return 0;
	scan->at++;
	return 1;
}

int sdpower_i_scan_word(struct sdpower_i_scan *scan, const char *word)
{
	const char *p = scan->at;

	for (; *word; word++, p++)
		if (p >= scan->end || *p != *word)
			return 0;
	scan->at = p;
	return 1;
}

void sdpower_i_scan_blanks(struct sdpower_i_scan *scan)
{
	while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n' ||
			*scan->at == '\r'))
		scan->at++;
}

static int digit_value(char c, uint32_t base, uint32_t *digit)
{
	if (c >= '0' && c <= '9')
		*digit = (uint32_t)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*digit = (uint32_t)(c - 'a') + 10u;
	else if (c >= 'A' && c <= 'F')
		*digit = (uint32_t)(c - 'A') + 10u;
	else
		return 0;
	return *digit < base;
}

static int scan_number(struct sdpower_i_scan *scan, uint32_t base, uint32_t *value)
{
	const char *start = scan->at;
	uint64_t sum = 0;
	uint32_t digit;
	int fits = 1;

	while (scan->at < scan->end && digit_value(*scan->at, base, &digit)) {
		sum = sum * base + digit;
		if (sum > UINT32_MAX) {
			fits = -1;
			sum = 0;
		}
		scan->at++;
	}
	if (scan->at == start)
		return 0;
	*value = (uint32_t)sum;
	return fits;
}

int sdpower_i_scan_u32(struct sdpower_i_scan *scan, uint32_t *value)
{
	return scan_number(scan, 10u, value);
}

int sdpower_i_scan_hex(struct sdpower_i_scan *scan, uint32_t *value)
{
	return scan_number(scan, 16u, value);
}

int sdpower_i_scan_cut(struct sdpower_i_scan *scan, char separator, struct sdpower_i_scan *piece)
{
	if (scan->at >= scan->end)
		return 0;
	piece->begin = piece->at = scan->at;
	while (scan->at < scan->end && *scan->at != separator)
		scan->at++;
	piece->end = scan->at;
	if (scan->at < scan->end)
		scan->at++;
	return 1;
}

int sdpower_i_scan_is(const struct sdpower_i_scan *scan, const char *text)
{
	struct sdpower_i_scan copy = *scan;

	return sdpower_i_scan_word(&copy, text) && copy.at == copy.end;
}
