/* SPDX-License-Identifier: MIT */
/* The sizes a calibration tried, for drawing its curves. */
#include <inttypes.h>
#include <stdio.h>
#include "calibrate.h"
#include "ink.h"
#include "json.h"

void calibrate_points_table(const struct calibrate *k)
{
	printf("%sdistance  pair   size KiB   cost us   %-20s  there us   back us  rounds  dropped%s\n",
		ink(INK_BOLD), "(93% interval)", ink(INK_PLAIN));
	for (uint32_t i = 0; i < k->point_count; i++) {
		const struct sdpower_calibrate_point *at = &k->points[i];
		const struct sdpower_curve_point *p = &at->point;
		char range[48];

		printf("%8u  %4u %10.1f ", (unsigned)at->distance, (unsigned)at->pair,
			(double)p->size / 1024);
		snprintf(range, sizeof(range), "(%.1f to %.1f)", (double)p->low_ns / 1000,
			(double)p->high_ns / 1000);
		if (p->rounds)
			printf("%9.1f   %-20s %9.1f %9.1f", (double)p->cost_ns / 1000, range,
				(double)p->there_ns / 1000, (double)p->back_ns / 1000);
		else
			printf("%9s   %-20s %9s %9s", "?", "not measured", "?", "?");
		printf(" %7u %8u\n", (unsigned)p->rounds, (unsigned)p->dropped);
	}
	printf("%s%u size%s tried%s\n\n", ink(INK_DIM), (unsigned)k->point_count,
		k->point_count == 1 ? "" : "s", ink(INK_PLAIN));
}

void calibrate_points_csv(const struct calibrate *k)
{
	puts("distance,pair,size_bytes,cost_ns,low_ns,high_ns,there_ns,back_ns,rounds,dropped,"
		"certain,buffer");
	for (uint32_t i = 0; i < k->point_count; i++) {
		const struct sdpower_calibrate_point *at = &k->points[i];
		const struct sdpower_curve_point *p = &at->point;

		printf("%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%u,%u,%u,%u\n", (unsigned)at->distance, (unsigned)at->pair, p->size,
			p->cost_ns, p->low_ns, p->high_ns, p->there_ns, p->back_ns,
			(unsigned)p->rounds, (unsigned)p->dropped, (unsigned)p->is_certain,
			(unsigned)p->buffer);
	}
}

void calibrate_points_json(struct json *j, const struct calibrate *k)
{
	json_array(j, "points");
	for (uint32_t i = 0; i < k->point_count; i++) {
		const struct sdpower_calibrate_point *at = &k->points[i];
		const struct sdpower_curve_point *p = &at->point;

		json_object(j, NULL);
		json_number(j, "distance", at->distance);
		json_number(j, "pair", at->pair);
		json_number(j, "size_bytes", p->size);
		json_number(j, "cost_ns", p->cost_ns);
		json_number(j, "low_ns", p->low_ns);
		json_number(j, "high_ns", p->high_ns);
		json_number(j, "there_ns", p->there_ns);
		json_number(j, "back_ns", p->back_ns);
		json_number(j, "rounds", p->rounds);
		json_number(j, "dropped", p->dropped);
		json_bool(j, "certain", p->is_certain);
		json_number(j, "buffer", p->buffer);
		json_close(j);
	}
	json_close(j);
}
