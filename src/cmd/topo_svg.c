/* SPDX-License-Identifier: MIT */
/*
 * A machine as a picture: its parts as boxes in boxes, and below them the chains of domains,
 * one column a cpu in the order of the boxes, one row a depth, the widest level on top.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpus.h"
#include "svg.h"
#include "topo.h"

#define MARGIN 16.0
#define GAP 6.0
#define LABEL 16.0        /* height of the line a box begins with */
#define CELL_HEIGHT 20.0
#define TITLE 34.0
#define ROW 24.0          /* of the chains */
#define HEAD 96.0         /* names of the rows */
#define RATIO 1.7         /* boxes are wider than high */

/* Where a box lies; one for each part, and one more for the machine. */
struct box {
	double x, y, width, height;
	uint32_t children, columns; /* parts, or cpus of an innermost part */
	/* while children are placed: where the next one goes */
	uint32_t placed;
	double next_x, next_y, row_height;
	double sum_width, sum_height;
};

struct drawing {
	const struct topo *topo;
	struct box *box; /* of parts; the last one is the machine */
	double cell_width;
	double label_width[PARTS_KINDS]; /* widest label of a level */
	struct chains_kind *kinds;
	uint32_t kind_count;
	struct svg svg;
};

static const char style[] =
	".machine { fill: none }\n"
	".part { fill: #4472a8; fill-opacity: 0.07; stroke: #4472a8; stroke-width: 1 }\n"
	".core { fill: #e9eef5; stroke: #9fb3cc }\n"
	".cpu { fill: #cfe3c8; stroke: #6a9a5b }\n"
	".k1 { fill: #deeccf } .k2 { fill: #f3edc3 } .k3 { fill: #f6ddb5 }\n"
	".forbidden { fill: #e4e4e4; stroke: #aaa }\n"
	".l0 { fill: #8fb8de } .l1 { fill: #a6d3a0 } .l2 { fill: #f0cf85 } .l3 { fill: #e3a587 }\n"
	".l4 { fill: #c3a6d6 } .l5 { fill: #9bd0cd } .l6 { fill: #d9c29a } .l7 { fill: #d7a3bb }\n"
	".bar { stroke: #fff; stroke-width: 0.6 }\n";

#define LEVEL_COLOURS 8u
#define LEGEND_LINE 17.0
#define TITLE_SCALE 1.75 /* its letters are so much wider than small ones */

static const struct box *machine(const struct drawing *d)
{
	return &d->box[d->topo->parts.count];
}

static bool is_innermost(const struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;

	return !p->levels || (index < p->count && p->one[index].level + 1 == p->levels);
}

/* Cores are small and many: their frame says what they are. */
static double label_height(const struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;

	return index == p->count || parts_is_core(p, &p->one[index]) ? 0 : LABEL;
}

static double gap_in(const struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;

	return index < p->count && parts_is_core(p, &p->one[index]) ? 2 : GAP;
}

/* So many columns that the box gets about the ratio, preferably with full rows only. */
static uint32_t columns_for(uint32_t count, double width, double height)
{
	uint32_t best = 1;
	double best_badness = 1e30;

	for (uint32_t columns = 1; columns <= count; columns++) {
		const double rows = (double)((count + columns - 1) / columns);
		const double ratio = width * columns / (height * rows * RATIO);
		const double badness = (ratio > 1 ? ratio : 1 / ratio) *
			(count % columns ? 1.5 : 1);

		if (badness < best_badness) {
			best_badness = badness;
			best = columns;
		}
	}
	return best;
}

static void start_box(struct drawing *d, uint32_t index)
{
	struct box *b = &d->box[index];
	const double gap = gap_in(d, index);

	b->columns = columns_for(b->children, b->sum_width / b->children + gap,
		b->sum_height / b->children + gap);
	b->next_x = gap;
	b->next_y = gap + label_height(d, index);
}

/* Gives a child of that size its place inside a box, and makes the box large enough. */
static void place_child(struct drawing *d, uint32_t index, double width, double height, double *x,
	double *y)
{
	struct box *b = &d->box[index];
	const double gap = gap_in(d, index);

	if (b->placed && b->placed % b->columns == 0) {
		b->next_x = gap;
		b->next_y += b->row_height + gap;
		b->row_height = 0;
	}
	*x = b->next_x;
	*y = b->next_y;
	b->placed++;
	b->next_x += width + gap;
	b->row_height = height > b->row_height ? height : b->row_height;
	b->width = b->next_x > b->width ? b->next_x : b->width;
	b->height = b->next_y + b->row_height + gap;
}

static uint32_t parent_of(const struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;

	return p->one[index].parent == PARTS_NONE ? p->count : p->one[index].parent;
}

static uint32_t cpus_of(const struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;

	return index < p->count ? p->one[index].count : p->cpus;
}

/* Labels must fit, and parts of a level look alike however long their numbers are. */
static void measure_labels(struct drawing *d)
{
	const struct parts *p = &d->topo->parts;

	for (uint32_t i = 0; i < p->count; i++) {
		double *most = &d->label_width[p->one[i].level];
		char label[160];

		parts_label(p, &p->one[i], label, sizeof(label));
		if (label_height(d, i) > 0 && svg_width(label) + 2 * GAP > *most)
			*most = svg_width(label) + 2 * GAP;
	}
}

/* Children come behind their parents, so sizes are known from the back to the front. */
static void size_box(struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;
	struct box *b = &d->box[index];
	double x, y;

	if (is_innermost(d, index)) {
		b->children = cpus_of(d, index);
		b->sum_width = b->children * d->cell_width;
		b->sum_height = b->children * CELL_HEIGHT;
		start_box(d, index);
		for (uint32_t i = 0; i < b->children; i++)
			place_child(d, index, d->cell_width, CELL_HEIGHT, &x, &y);
	} else {
		start_box(d, index);
		for (uint32_t i = index == p->count ? 0 : index + 1; i < p->count; i++)
			if (parent_of(d, i) == index)
				place_child(d, index, d->box[i].width, d->box[i].height,
					&d->box[i].x, &d->box[i].y);
	}
	if (index < p->count) {
		struct box *parent = &d->box[parent_of(d, index)];

		if (b->width < d->label_width[p->one[index].level])
			b->width = d->label_width[p->one[index].level];
		parent->children++;
		parent->sum_width += b->width;
		parent->sum_height += b->height;
	}
}

static void lay_out(struct drawing *d)
{
	const struct parts *p = &d->topo->parts;
	uint32_t largest = 0;
	char text[16];

	for (uint32_t i = 0; i < p->cpus; i++)
		if (cpus_at(p->t, p->order[i])->os_id > largest)
			largest = cpus_at(p->t, p->order[i])->os_id;
	snprintf(text, sizeof(text), "%u", (unsigned)largest);
	d->cell_width = svg_width(text) + 8 > 22 ? svg_width(text) + 8 : 22;
	d->box = cmd_alloc((size_t)p->count + 1, sizeof(*d->box));
	measure_labels(d);
	for (uint32_t i = p->count; i-- > 0;)
		size_box(d, i);
	size_box(d, p->count);
	d->box[p->count].x = MARGIN - GAP;
	d->box[p->count].y = TITLE;
	for (uint32_t i = 0; i < p->count; i++) {
		d->box[i].x += d->box[parent_of(d, i)].x;
		d->box[i].y += d->box[parent_of(d, i)].y;
	}
}

static void draw_cpu(struct drawing *d, sdpower_cpu cpu, double x, double y)
{
	const struct sdpower_topology *t = d->topo->t;
	const struct sdpower_cpu_desc *desc = cpus_at(t, cpu);
	const uint32_t capacity = desc->capacity ? desc->capacity : SDPOWER_SCALE;
	char class[24], hint[80], number[16];

	snprintf(class, sizeof(class), "cpu k%u", (unsigned)(4 - (capacity + 255) / 256));
	snprintf(hint, sizeof(hint), "cpu %u, capacity %u%s", (unsigned)desc->os_id,
		(unsigned)capacity, cpus_allowed(t, cpu) ? "" : ", not allowed");
	snprintf(number, sizeof(number), "%u", (unsigned)desc->os_id);
	svg_box(&d->svg, x, y, d->cell_width, CELL_HEIGHT,
		cpus_allowed(t, cpu) ? class : "forbidden", hint);
	svg_text(&d->svg, x + d->cell_width / 2, y + 14, "small middle", number);
}

static void draw_cpus(struct drawing *d, uint32_t index)
{
	const struct parts *p = &d->topo->parts;
	struct box *b = &d->box[index];
	const uint32_t first = index < p->count ? p->one[index].first : 0;
	double x, y;

	b->placed = 0;
	b->row_height = 0;
	start_box(d, index);
	for (uint32_t i = 0; i < cpus_of(d, index); i++) {
		place_child(d, index, d->cell_width, CELL_HEIGHT, &x, &y);
		draw_cpu(d, p->order[first + i], b->x + x, b->y + y);
	}
}

static void draw_parts(struct drawing *d)
{
	const struct parts *p = &d->topo->parts;

	for (uint32_t i = 0; i < p->count; i++) {
		struct box *b = &d->box[i];
		const bool core = parts_is_core(p, &p->one[i]);
		char label[160];

		parts_label(p, &p->one[i], label, sizeof(label));
		svg_box(&d->svg, b->x, b->y, b->width, b->height, core ? "core" : "part", label);
		if (!core)
			svg_text(&d->svg, b->x + GAP, b->y + 13, "small", label);
		if (is_innermost(d, i))
			draw_cpus(d, i);
	}
	if (!p->levels)
		draw_cpus(d, p->count);
}

/* Which domain each cpu sees at a depth. */
static void look_up(const struct chains *c, uint32_t depth, uint32_t *domain_of)
{
	for (sdpower_cpu cpu = 0; cpu < c->t->cpu_count; cpu++)
		domain_of[cpu] = UINT32_MAX;
	for (uint32_t i = 0; i < c->count; i++)
		for (sdpower_cpu cpu = 0; c->one[i].info.depth == depth && cpu < c->t->cpu_count; cpu++)
			if (cpus_in(c->one[i].viewers, cpu))
				domain_of[cpu] = i;
}

/* One colour a level, whatever its depth: they are dealt in the order in which levels appear. */
static const char *bar_class(const struct drawing *d, const struct sdpower_domain_info *info,
	char *text, size_t size)
{
	uint32_t colour = 0;

	for (uint32_t i = 0; i < d->kind_count; i++) {
		const struct sdpower_domain_info *other = &d->kinds[i].like->info;
		bool first = true;

		if (other->level == info->level && other->numa_level == info->numa_level)
			break;
		for (uint32_t k = 0; k < i; k++)
			if (d->kinds[k].like->info.level == other->level &&
					d->kinds[k].like->info.numa_level == other->numa_level)
				first = false;
		colour += first;
	}
	snprintf(text, size, "bar l%u", (unsigned)(colour % LEVEL_COLOURS));
	return text;
}

static void draw_bar(struct drawing *d, const struct chains_one *one, double x, double y,
	double width)
{
	char level[24], class[16], hint[256], *span = cpus_text(d->topo->t, one->span);

	chains_level(&one->info, level, sizeof(level));
	snprintf(hint, sizeof(hint), "%s: cpus %.180s, %u groups", level, span,
		(unsigned)one->info.groups);
	svg_box(&d->svg, x, y, width, ROW - 3,
		bar_class(d, &one->info, class, sizeof(class)), hint);
	if (svg_width(level) + 4 < width)
		svg_text(&d->svg, x + width / 2, y + 14, "small middle", level);
	free(span);
}

static void draw_row(struct drawing *d, uint32_t depth, double y, double per_cpu)
{
	const struct parts *p = &d->topo->parts;
	const struct chains *c = &d->topo->chains;
	uint32_t *domain_of = cmd_alloc(p->t->cpu_count, sizeof(*domain_of));
	char name[32];

	look_up(c, depth, domain_of);
	snprintf(name, sizeof(name), "depth %u", (unsigned)depth);
	svg_text(&d->svg, MARGIN, y + 14, "small", name);
	for (uint32_t i = 0, next; i < p->cpus; i = next) {
		const uint32_t domain = domain_of[p->order[i]];

		for (next = i + 1; next < p->cpus && domain_of[p->order[next]] == domain;)
			next++;
		if (domain != UINT32_MAX)
			draw_bar(d, &c->one[domain], HEAD + i * per_cpu, y, (next - i) * per_cpu);
	}
	free(domain_of);
}

/* The line of the legend for a kind; the caller frees it. */
static char *legend_text(const struct chains_kind *k)
{
	char level[24], range[32], *flags = chains_flags(k->like->info.flags);
	char *text = cmd_alloc(strlen(flags) + 160, 1);

	chains_level(&k->like->info, level, sizeof(level));
	chains_range(k->weight_min, k->weight_max, range, sizeof(range));
	sprintf(text, "%s, depth %u: %u domain%s of %s cpus, flags %s", level,
		(unsigned)k->like->info.depth, (unsigned)k->domains, k->domains == 1 ? "" : "s",
		range, flags);
	free(flags);
	return text;
}

static void draw_legend(struct drawing *d, double y)
{
	for (uint32_t i = 0; i < d->kind_count; i++, y += LEGEND_LINE) {
		char class[16], *text = legend_text(&d->kinds[i]);

		svg_box(&d->svg, MARGIN, y - 9, 12, 11,
			bar_class(d, &d->kinds[i].like->info, class, sizeof(class)), NULL);
		svg_text(&d->svg, MARGIN + 18, y, "small", text);
		free(text);
	}
}

static double wider(double a, double b)
{
	return a > b ? a : b;
}

/* Wide enough for the boxes, the title and the legend. */
static double whole_width(const struct drawing *d, const char *title)
{
	double width = wider(machine(d)->width - 2 * GAP, svg_width(title) * TITLE_SCALE);

	for (uint32_t i = 0; i < d->kind_count; i++) {
		char *text = legend_text(&d->kinds[i]);

		width = wider(width, svg_width(text) + 18);
		free(text);
	}
	return width + 2 * MARGIN;
}

void topo_svg(const struct topo *topo)
{
	const struct chains *c = &topo->chains;
	struct drawing d = { .topo = topo };
	double width, y;
	char title[400];

	lay_out(&d);
	d.kinds = chains_kinds(c, &d.kind_count);
	snprintf(title, sizeof(title), "%.300s: %u usable cpus, rules %s", topo->name,
		(unsigned)topo->summary.usable_cpus, topo->rules);
	width = whole_width(&d, title);
	y = machine(&d)->y + machine(&d)->height + MARGIN;
	svg_start(&d.svg, stdout, width, y + c->depth * ROW + d.kind_count * LEGEND_LINE + MARGIN,
		title, style);
	svg_text(&d.svg, MARGIN, 24, "title", title);
	draw_parts(&d);
	for (uint32_t depth = c->depth; depth-- > 0; y += ROW)
		draw_row(&d, depth, y, (width - HEAD - MARGIN) / topo->parts.cpus);
	draw_legend(&d, y + MARGIN);
	svg_end(&d.svg);
	free(d.kinds);
	free(d.box);
}
