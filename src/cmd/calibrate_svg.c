/* SPDX-License-Identifier: MIT */
/*
 * A calibration as a heat map: a cell for each pair of cpus, its colour what moving a task from
 * the row to the column costs. Cpus stand in the order of their parts, so that near ones are
 * neighbours, and equal neighbouring cells become one box: 384 cpus take some thousand, not 147456.
 */
#include <stdio.h>
#include <stdlib.h>
#include "calibrate.h"
#include "costs.h"
#include "cpus.h"
#include "svg.h"

#define MARGIN 16.0
#define TITLE 24.0
#define AXIS 40.0        /* numbers of the cpus */
#define MAP 640.0        /* about how wide the map may get */
#define CELL_MOST 56.0
#define CELL_NUMBERED 13.0 /* room for the number of a cpu */
#define CELL_TEXT 36.0   /* room for a cost */
#define LINE 17.0
#define COLOURS 7u
#define DIAGONAL (UINT32_MAX - 1)

struct map {
	const struct calibrate *k;
	struct parts parts;
	double cell;
	uint64_t least, most; /* cost, ns */
	struct svg svg;
};

#define COLOURS_CSS \
	".h0 { fill: #ffffcc } .h1 { fill: #ffeda0 } .h2 { fill: #fed976 } .h3 { fill: #feb24c }\n" \
	".h4 { fill: #fd8d3c } .h5 { fill: #f4603a } .h6 { fill: #d7303f }\n" \
	".self { fill: #888 } .far { fill: #fff } .unknown { fill: #dce6ee }\n"

/* Lines between cells would fill a map of small ones. */
static const char large_cells[] = COLOURS_CSS ".heat { stroke: #fff; stroke-width: 0.5 }\n";
static const char small_cells[] = COLOURS_CSS ".heat { shape-rendering: crispEdges }\n";

/* The logarithm to the base of two, good enough for a colour. */
static double logarithm(uint64_t value)
{
	double whole = 0, rest = (double)(value ? value : 1);

	for (; rest >= 2; rest /= 2)
		whole++;
	return whole + rest - 1;
}

/* Costs differ by orders of magnitude: the scale is logarithmic. */
static const char *colour_of(const struct map *m, uint64_t cost)
{
	static const char *const classes[COLOURS] = { "heat h0", "heat h1", "heat h2", "heat h3",
		"heat h4", "heat h5", "heat h6" };
	const double span = logarithm(m->most) - logarithm(m->least);
	const double at = span > 0 ? (logarithm(cost) - logarithm(m->least)) / span : 0;

	return classes[(uint32_t)(at * (COLOURS - 1) + 0.5)];
}

/* What a cell shows: a distance, or that row and column are the same cpu. */
static uint32_t cell_of(const struct map *m, uint32_t row, uint32_t column)
{
	if (row == column)
		return DIAGONAL;
	return calibrate_distance(m->k, m->parts.order[row], m->parts.order[column]);
}

static const char *class_of(const struct map *m, uint32_t distance)
{
	if (distance == DIAGONAL)
		return "heat self";
	if (distance >= m->k->c.count)
		return "heat far";
	if (!m->k->c.distance[distance].pairs)
		return "heat unknown";
	return colour_of(m, m->k->c.distance[distance].cost_ns);
}

static void cost_text(uint64_t ns, char *text, size_t size)
{
	if (ns < 10000)
		snprintf(text, size, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000)
		snprintf(text, size, "%.0f us", (double)ns / 1e3);
	else
		snprintf(text, size, "%.1f ms", (double)ns / 1e6);
}

/* What a distance costs, or that nobody knows. */
static void distance_text(const struct map *m, uint32_t distance, char *text, size_t size)
{
	const struct sdpower_calibration *c = &m->k->c;

	if (distance < SDPOWER_MIGRATION_DISTANCES && c->distance[distance].pairs)
		cost_text(c->distance[distance].cost_ns, text, size);
	else
		snprintf(text, size, "?");
}

static void draw_run(struct map *m, uint32_t distance, uint32_t row, uint32_t first, uint32_t end,
	uint32_t rows)
{
	const double x = MARGIN + AXIS + first * m->cell, y = TITLE + AXIS + row * m->cell;
	char text[32] = "", hint[64] = "the same cpu";

	if (distance < m->k->c.count) {
		distance_text(m, distance, text, sizeof(text));
		snprintf(hint, sizeof(hint), "distance %u: %s", (unsigned)distance, text);
	} else if (distance != DIAGONAL) {
		snprintf(hint, sizeof(hint), "no domain holds both");
	}
	svg_box(&m->svg, x, y, (end - first) * m->cell, rows * m->cell, class_of(m, distance), hint);
	if (m->cell >= CELL_TEXT)
		svg_text(&m->svg, x + (end - first) * m->cell / 2, y + m->cell / 2 + 4, "small middle", text);
}

/* Cells of the diagonal hide no difference: they are drawn on top of what surrounds them. */
static bool rows_alike(const struct map *m, const uint32_t *cells, uint32_t a, uint32_t b)
{
	const uint32_t n = m->parts.cpus;

	for (uint32_t i = 0; i < n; i++)
		if (i != a && i != b && cells[(size_t)a * n + i] != cells[(size_t)b * n + i])
			return false;
	return true;
}

/* One box for each run of equal cells in equal rows. */
static void draw_rows(struct map *m, const uint32_t *cells, uint32_t row, uint32_t rows)
{
	const uint32_t n = m->parts.cpus;
	const uint32_t *line = cells + (size_t)row * n;
	const bool apart = m->cell >= CELL_TEXT;

	for (uint32_t first = 0, end; first < n; first = end) {
		/* The diagonal takes the colour of a neighbour here, and its own afterwards. */
		uint32_t distance = line[first];

		for (end = first + 1; end < n && !apart; end++) {
			if (distance == DIAGONAL)
				distance = line[end];
			else if (line[end] != distance && line[end] != DIAGONAL)
				break;
		}
		draw_run(m, distance, row, first, end, rows);
	}
}

static void draw_cells(struct map *m)
{
	const uint32_t n = m->parts.cpus;
	uint32_t *cells = cmd_alloc((size_t)n * n, sizeof(*cells)), row = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			cells[(size_t)i * n + k] = cell_of(m, i, k);
	while (row < n) {
		uint32_t rows = 1;

		while (m->cell < CELL_TEXT && row + rows < n && rows_alike(m, cells, row, row + rows))
			rows++;
		draw_rows(m, cells, row, rows);
		row += rows;
	}
	for (uint32_t i = 0; i < n && m->cell < CELL_TEXT; i++)
		draw_run(m, DIAGONAL, i, i, i + 1, 1);
	free(cells);
}

/* As many numbers as there is room for. */
static void draw_axes(struct map *m)
{
	const uint32_t step = m->cell >= CELL_NUMBERED ? 1 :
		(uint32_t)(2 * CELL_NUMBERED / m->cell) + 1;

	for (uint32_t i = 0; i < m->parts.cpus; i += step) {
		const double at = (i + 0.5) * m->cell;
		char number[16];

		snprintf(number, sizeof(number), "%u",
			(unsigned)cpus_at(m->k->t, m->parts.order[i])->os_id);
		svg_text(&m->svg, MARGIN + AXIS + at, TITLE + AXIS - 6, "small middle", number);
		svg_text(&m->svg, MARGIN + AXIS - 6, TITLE + AXIS + at + 4, "small right", number);
	}
}

static void draw_legend(struct map *m, double y)
{
	for (uint32_t i = 0; i < m->k->c.count; i++, y += LINE) {
		const struct sdpower_calibration_distance *d = &m->k->c.distance[i];
		char cost[32], hot[32], flags[128], text[320];

		cost_text(d->cost_ns, cost, sizeof(cost));
		cost_text(d->hot_ns, hot, sizeof(hot));
		costs_flags(d->flags, flags, sizeof(flags));
		if (d->pairs)
			snprintf(text, sizeof(text), "distance %u: moving %.0f KiB costs %s, cold after "
				"%s (%s)", (unsigned)i, (double)d->size / 1024, cost, hot, flags);
		else
			snprintf(text, sizeof(text), "distance %u: not measured, taken as cold after "
				"%s (%s)", (unsigned)i, hot, flags);
		svg_box(&m->svg, MARGIN, y - 9, 12, 11, class_of(m, i), NULL);
		svg_text(&m->svg, MARGIN + 18, y, "small", text);
	}
}

static void find_range(struct map *m)
{
	m->least = UINT64_MAX;
	for (uint32_t i = 0; i < m->k->c.count; i++) {
		const uint64_t cost = m->k->c.distance[i].cost_ns;

		if (!m->k->c.distance[i].pairs)
			continue;
		m->least = cost < m->least ? cost : m->least;
		m->most = cost > m->most ? cost : m->most;
	}
}

void calibrate_svg(const struct calibrate *k)
{
	struct map m = { .k = k };
	double side, width;
	char title[320];

	parts_find(&m.parts, k->t);
	find_range(&m);
	m.cell = MAP / m.parts.cpus;
	m.cell = m.cell > CELL_MOST ? CELL_MOST : m.cell < 1.5 ? 1.5 : m.cell;
	side = AXIS + m.parts.cpus * m.cell;
	snprintf(title, sizeof(title), "%.200s: what moving a task costs", k->name);
	width = side > svg_width(title) * 1.75 ? side : svg_width(title) * 1.75;
	width = width > 560 ? width : 560; /* the legend */
	svg_start(&m.svg, stdout, width + 2 * MARGIN, TITLE + side + (k->c.count + 2) * LINE, title,
		m.cell >= CELL_NUMBERED ? large_cells : small_cells);
	svg_text(&m.svg, MARGIN, 24, "title", title);
	draw_cells(&m);
	draw_axes(&m);
	draw_legend(&m, TITLE + side + 1.5 * LINE);
	svg_end(&m.svg);
	parts_drop(&m.parts);
}
