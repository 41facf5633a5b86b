/* SPDX-License-Identifier: MIT */
/* sdpower calibrate: a calibration and the machine it belongs to, in several forms. */
#ifndef CMD_CALIBRATE_H
#define CMD_CALIBRATE_H

#include <sdpower.h>
#include <sdpower/calibrate.h>
#include "chains.h"
#include "cmd.h"
#include "parts.h"

struct calibrate {
	char name[256];
	const struct sdpower_topology *t;
	const sdpower *s;
	struct chains chains;
	struct sdpower_calibration c;
	bool loaded; /* not measured now */
	struct sdpower_calibrate_point *points; /* sizes tried, if they are asked for, or NULL */
	uint32_t point_count;
};

/* Levels between two cpus, 0 = the innermost; UINT32_MAX when there is none. */
uint32_t calibrate_distance(const struct calibrate *k, sdpower_cpu a, sdpower_cpu b);

/* The matrix of 2005 and the option that brings the result back. */
void calibrate_matrix(const struct calibrate *k);
void calibrate_line(const struct calibrate *k);

void calibrate_table(const struct calibrate *k);
void calibrate_csv(const struct calibrate *k);
void calibrate_json(const struct calibrate *k);
void calibrate_svg(const struct calibrate *k);

/* The sizes that were tried. */
void calibrate_points_table(const struct calibrate *k);
void calibrate_points_csv(const struct calibrate *k);
void calibrate_points_json(struct json *j, const struct calibrate *k);

#endif
