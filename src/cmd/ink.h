/* SPDX-License-Identifier: MIT */
/* Colour for people at a terminal, and for nobody else. */
#ifndef CMD_INK_H
#define CMD_INK_H

#include <stdbool.h>

enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_GOOD, INK_BAD, INK_NOTE, INK_PART, INK_COUNT };

/* "auto", "always" or "never"? */
bool ink_known(const char *when);

/* Decides once: auto means standard output is a terminal that knows colour, and NO_COLOR is unset. */
void ink_start(const char *when);

/* What to print to write on in that ink; empty without colour. */
const char *ink(enum ink which);

#endif
