/* SPDX-License-Identifier: MIT */
/* Rule D4: how much load to move. All arithmetic is unsigned, 64 bits, modulo 2^64. */
#include "decide.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What both groups would get done, in S-ths of power times load, as things are. */
static uint64_t throughput_now(const struct sdpower_i_amounts *a)
{
	return (a->busiest_power * least(a->busiest_lpt, a->max) +
		a->this_power * least(a->this_lpt, a->this)) / SDPOWER_SCALE;
}

/* The same after one task of the busiest group has moved. */
static uint64_t throughput_moved(const struct sdpower_i_amounts *a)
{
	const uint64_t task = a->busiest_lpt * SDPOWER_SCALE;
	const uint64_t less = sdpower_i_divide(task, a->busiest_power);
	uint64_t moved = 0, more;

	if (a->max > less)
		moved = a->busiest_power * least(a->busiest_lpt, a->max - less);
	/* A group with less load than one task cannot hand over more than it has. */
	if (a->max * a->busiest_power < task)
		more = sdpower_i_divide(a->max * a->busiest_power, a->this_power);
	else
		more = sdpower_i_divide(task, a->this_power);
	moved += a->this_power * least(a->this_lpt, a->this + more);
	return moved / SDPOWER_SCALE;
}

void sdpower_i_small_imbalance(struct sdpower_i_amounts *a)
{
	uint64_t tasks = 2;

	if (a->this_nr) {
		a->this_lpt /= a->this_nr;
		if (a->busiest_lpt > a->this_lpt)
			tasks = 1;
	} else {
		a->this_lpt = a->asker_lpt;
	}
	if (a->max - a->this + a->busiest_lpt >= a->busiest_lpt * tasks ||
	    throughput_moved(a) > throughput_now(a))
		a->imbalance = a->busiest_lpt;
}

int sdpower_i_imbalance(struct sdpower_i_amounts *a)
{
	uint64_t pull;

	if (a->max < a->avg) {
		a->imbalance = 0;
	} else {
		pull = least(a->max - a->avg, a->max - a->busiest_lpt);
		a->imbalance = least(pull * a->busiest_power,
			(a->avg - a->this) * a->this_power) / SDPOWER_SCALE;
		if (a->imbalance >= a->busiest_lpt)
			return 0;
	}
	sdpower_i_small_imbalance(a);
	return 1;
}
