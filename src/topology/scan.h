/* SPDX-License-Identifier: MIT */
/* A cursor over bytes: numbers, words and separators, as every text source reads them. */
#ifndef SDPOWER_I_SCAN_H
#define SDPOWER_I_SCAN_H

#include <stddef.h>
#include <stdint.h>

struct sdpower_i_scan {
	const char *begin; /* for positions in messages */
	const char *at;
	const char *end;
};

static inline struct sdpower_i_scan sdpower_i_scan_over(const char *text, size_t length)
{
	const struct sdpower_i_scan scan = { text, text, text + length };

	return scan;
}

/* The byte at the cursor, NUL at the end. */
static inline char sdpower_i_scan_peek(const struct sdpower_i_scan *scan)
{
	return scan->at < scan->end ? *scan->at : '\0';
}

/* Column of the cursor, from 1. */
static inline uint32_t sdpower_i_scan_column(const struct sdpower_i_scan *scan)
{
	return (uint32_t)(scan->at - scan->begin) + 1u;
}

/* Steps over one byte if it is the wanted one: 1, else 0. */
int sdpower_i_scan_take(struct sdpower_i_scan *scan, char wanted);

/* Steps over a whole word if the text goes on with it: 1, else 0. */
int sdpower_i_scan_word(struct sdpower_i_scan *scan, const char *word);

/* Steps over blanks, tabs and line ends. */
void sdpower_i_scan_blanks(struct sdpower_i_scan *scan);

/*
 * Reads a decimal (or hexadecimal, without 0x) number of 32 bits: 1. Answers 0, cursor
 * unmoved, where there is no digit; -1, cursor after the digits, when it does not fit.
 */
int sdpower_i_scan_u32(struct sdpower_i_scan *scan, uint32_t *value);
int sdpower_i_scan_hex(struct sdpower_i_scan *scan, uint32_t *value);

/* Cuts the bytes up to a separator or the end into piece and steps over the separator; 0 at the end. */
int sdpower_i_scan_cut(struct sdpower_i_scan *scan, char separator, struct sdpower_i_scan *piece);

/* Compares the rest of the scan with a NUL-terminated text: 1 when equal. */
int sdpower_i_scan_is(const struct sdpower_i_scan *scan, const char *text);

#endif
