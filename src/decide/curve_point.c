/* SPDX-License-Identifier: MIT */
/* What rounds say of one size: medians, and intervals by rank (rule M11). */
#include "curve.h"

/*
 * With n values, the median of what they are drawn from lies between the k-th smallest and the
 * k-th largest with at least 93 per cent, whatever the distribution: k is the largest rank with
 * 2 * P(fewer than k of n fair coins) <= 0.07. Below 5 the range itself is all there is.
 */
static const unsigned char rank_of[SDPOWER_CURVE_ROUNDS + 1] = { 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2,
	3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 7, 8, 8 };

/* Insertion: at most 25 values, most of them in order already. */
static void sort(int64_t *values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const int64_t value = values[i];
		uint32_t to = i;

		for (; to && values[to - 1] > value; to--)
			values[to] = values[to - 1];
		values[to] = value;
	}
}

static uint64_t at_least_0(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static uint64_t median_of(const int64_t *values, uint32_t count)
{
	int64_t sorted[SDPOWER_CURVE_ROUNDS];

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = values[i];
	sort(sorted, count);
	return at_least_0(sorted[(count - 1) / 2]);
}

int sdpower_i_curve_within(const struct sdpower_curve_point *p, uint32_t percent)
{
	return p->rounds && p->cost_ns && (p->high_ns - p->low_ns) * 50 <= p->cost_ns * percent;
}

/* Walks both ways belong together: their mean is one value, so that drift cancels. */
void sdpower_i_curve_point(const struct sdpower_curve *c, struct sdpower_curve_point *p)
{
	int64_t sorted[SDPOWER_CURVE_ROUNDS];
	const uint32_t count = c->rounds;

	*p = (struct sdpower_curve_point) { .size = c->size, .buffer = c->buffer, .rounds = count,
		.dropped = c->dropped };
	if (!count)
		return;
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = (c->there[i] + c->back[i]) / 2;
	sort(sorted, count);
	p->cost_ns = at_least_0(sorted[(count - 1) / 2]);
	p->low_ns = at_least_0(sorted[rank_of[count] - 1]);
	p->high_ns = at_least_0(sorted[count - rank_of[count]]);
	p->there_ns = median_of(c->there, count);
	p->back_ns = median_of(c->back, count);
	p->is_certain = count >= SDPOWER_I_CURVE_FIRST &&
		sdpower_i_curve_within(p, SDPOWER_I_CURVE_CERTAIN);
}
