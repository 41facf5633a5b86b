/* SPDX-License-Identifier: MIT */
/* Writes one SVG picture: boxes and texts that carry classes of a style sheet. */
#ifndef CMD_SVG_H
#define CMD_SVG_H

#include <stdio.h>

struct svg {
	FILE *out;
};

/* Size in pixels; the style is CSS on top of what all pictures share. */
void svg_start(struct svg *svg, FILE *out, double width, double height, const char *title,
	const char *style);
void svg_end(struct svg *svg);

/* The hint is shown when somebody points at the box; NULL for none. */
void svg_box(struct svg *svg, double x, double y, double width, double height, const char *class,
	const char *hint);
void svg_text(struct svg *svg, double x, double y, const char *class, const char *text);

/* About how wide a text of the class "small" is. */
double svg_width(const char *text);

#endif
