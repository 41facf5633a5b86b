/* SPDX-License-Identifier: MIT */
/* Writes one SVG picture: boxes and texts that carry classes of a style sheet. */
#include <string.h>
#include "svg.h"

/* Digits of a sans-serif face are a little more than half as wide as the face is high. */
#define SMALL 10.0
#define PER_LETTER 0.58

static void write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (c == '"')
			fputs("&quot;", out);
		/* Control characters have no place in XML, and bytes may be any encoding. */
		else if (c < 0x20 || c == 0x7f)
			fputc('?', out);
		else if (c >= 0x80)
			fprintf(out, "&#%u;", c);
		else
			fputc(c, out);
	}
}

void svg_start(struct svg *svg, FILE *out, double width, double height, const char *title,
	const char *style)
{
	svg->out = out;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\">\n<title>", width, height, width, height);
	write_escaped(out, title);
	fprintf(out, "</title>\n<style>\n"
		"text { font-family: sans-serif; font-size: 12px; fill: #222 }\n"
		".small { font-size: %.0fpx }\n"
		".title { font-size: 16px; font-weight: bold }\n"
		".middle { text-anchor: middle }\n"
		".right { text-anchor: end }\n"
		".paper { fill: #fff }\n"
		"%s</style>\n", SMALL, style);
	svg_box(svg, 0, 0, width, height, "paper", NULL);
}

void svg_end(struct svg *svg)
{
	fputs("</svg>\n", svg->out);
}

void svg_box(struct svg *svg, double x, double y, double width, double height, const char *class,
	const char *hint)
{
	fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"", x,
		y, width, height, class);
	if (hint) {
		fputs("><title>", svg->out);
		write_escaped(svg->out, hint);
		fputs("</title></rect>\n", svg->out);
	} else {
		fputs("/>\n", svg->out);
	}
}

void svg_text(struct svg *svg, double x, double y, const char *class, const char *text)
{
	fprintf(svg->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	write_escaped(svg->out, text);
	fputs("</text>\n", svg->out);
}

double svg_width(const char *text)
{
	return SMALL * PER_LETTER * (double)strlen(text);
}
