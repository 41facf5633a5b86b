/* SPDX-License-Identifier: MIT */
/*
 * Builds the text of a struct sdpower_diag piece by piece, without stdio. Every call
 * takes a NULL diag, so that callers need not ask whether anybody listens.
 */
#ifndef SDPOWER_I_DIAG_H
#define SDPOWER_I_DIAG_H

#include <sdpower/types.h>

/* Empties the text and stores the status; status OK with a text later is a warning. */
void sdpower_i_diag_start(struct sdpower_diag *diag, sdpower_status status);

/* Appends; a text that does not fit is cut and ends in "...". */
void sdpower_i_diag_str(struct sdpower_diag *diag, const char *text);
void sdpower_i_diag_bytes(struct sdpower_diag *diag, const char *text, size_t length);
void sdpower_i_diag_u32(struct sdpower_diag *diag, uint32_t value);

/* Appends a mask as a list, "0-3,8"; an empty one as "none". */
void sdpower_i_diag_mask(struct sdpower_diag *diag, const uint32_t *mask, uint32_t words);

/* The usual one-liner: start, one text, and the status back. */
sdpower_status sdpower_i_diag_fail(struct sdpower_diag *diag, sdpower_status status, const char *text);

/* As above with a position; column 0 = none. */
sdpower_status sdpower_i_diag_fail_at(struct sdpower_diag *diag, sdpower_status status, uint32_t column,
	const char *text);

#endif
