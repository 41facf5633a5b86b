/* SPDX-License-Identifier: MIT */
/*
 * Depth first: the last choice that can be made otherwise is. What cannot be chosen, as no departures are
 * left, is not written down, so that the number of a choice is the same whatever the bound.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "path.h"

#define MOST 200000u

static struct { uint8_t pick, count; } path[MOST];
static unsigned length, position, departures, most_departures;

void path_read(const char *text)
{
	unsigned at, pick;
	int read;

	length = 0;
	memset(path, 0, sizeof(path));
	while (sscanf(text, "%u.%u%n", &at, &pick, &read) == 2 && at < MOST) {
		path[at].pick = (uint8_t)pick;
		length = at + 1;
		text += read + (text[read] == ',');
	}
}

void path_begin(unsigned bound)
{
	position = 0;
	departures = 0;
	most_departures = bound;
}

unsigned path_choose(unsigned count)
{
	unsigned pick;

	if (count < 2 || departures == most_departures)
		return 0;
	if (position == MOST) {
		fputs("weave: too many choices\n", stderr);
		exit(EXIT_FAILURE);
	}
	if (position == length)
		path[length++].pick = 0;
	path[position].count = (uint8_t)count;
	pick = path[position++].pick;
	departures += pick > 0;
	return pick;
}

unsigned path_position(void)
{
	return position;
}

void path_print(FILE *out)
{
	const char *separator = "";
	unsigned i;

	for (i = 0; i < position; i++)
		if (path[i].pick) {
			fprintf(out, "%s%u.%u", separator, i, path[i].pick);
			separator = ",";
		}
	fputs(*separator ? "\n" : "plain\n", out);
}

bool path_next(void)
{
	unsigned i, before = 0, last = UINT32_MAX;

	for (i = 0; i < length; i++) {
		if (before < most_departures && path[i].pick + 1u < path[i].count)
			last = i;
		before += path[i].pick > 0;
	}
	if (last == UINT32_MAX)
		return false;
	path[last].pick++;
	length = last + 1;
	return true;
}
