/* SPDX-License-Identifier: MIT */
/* The search over sizes: what a size's rounds say, for the steps of curve.c. */
#ifndef SDPOWER_I_CURVE_H
#define SDPOWER_I_CURVE_H

#include <sdpower/curve.h>

/* Rounds before anything is said of a size, and how many are added at a time. */
#define SDPOWER_I_CURVE_FIRST 5u
#define SDPOWER_I_CURVE_MORE 4u
/* Per cent of the cost: half the interval that is enough, and that can still be believed. */
#define SDPOWER_I_CURVE_ENOUGH 5u
#define SDPOWER_I_CURVE_CERTAIN 15u

/* What the rounds heard so far say of the present size. */
void sdpower_i_curve_point(const struct sdpower_curve *c, struct sdpower_curve_point *p);

/* True iff half the interval is at most so many per cent of the cost. */
int sdpower_i_curve_within(const struct sdpower_curve_point *p, uint32_t percent);

#endif
