/* SPDX-License-Identifier: MIT */
/* Colour for people at a terminal, and for nobody else. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ink.h"

static bool coloured;

bool ink_known(const char *when)
{
	return !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never");
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

void ink_start(const char *when)
{
	const char *terminal = getenv("TERM");

	coloured = !strcmp(when, "always");
	if (!strcmp(when, "auto"))
		coloured = isatty(STDOUT_FILENO) && !is_set("NO_COLOR") && terminal &&
			strcmp(terminal, "dumb") != 0;
}

const char *ink(enum ink which)
{
	static const char *const codes[INK_COUNT] = {
		[INK_PLAIN] = "\033[0m", [INK_BOLD] = "\033[1m", [INK_DIM] = "\033[2m",
		[INK_GOOD] = "\033[32m", [INK_BAD] = "\033[31m", [INK_NOTE] = "\033[33m",
		[INK_PART] = "\033[36m",
	};

	return coloured ? codes[which] : "";
}
