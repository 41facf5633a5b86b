/* SPDX-License-Identifier: MIT */
/* Messages on standard error. */
#ifndef CMD_SAY_H
#define CMD_SAY_H

#include <sdpower.h>

/* "sdpower: TEXT". */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

/*
 * "FILE:LINE:COLUMN: KIND: TEXT (STATUS)", as compilers write it; LINE and COLUMN where they are
 * known. The text may begin with the name of the file already, which is then said once.
 */
void say_diag(const char *file, const char *kind, const struct sdpower_diag *diag);

/* The same, of an error without a position. */
__attribute__((format(printf, 2, 3))) void say_of(const char *file, const char *format, ...);

/* The text of a diag without the name of the file before it. */
const char *say_text(const char *file, const struct sdpower_diag *diag);

#endif
