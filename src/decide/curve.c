/* SPDX-License-Identifier: MIT */
/* The search for the working set that costs most to move: which size next (rules M10 to M13). */
#include "curve.h"

#define SMALLEST UINT64_C(32768)
#define RANGE_LEAST UINT64_C(1048576)
#define RANGE_UNKNOWN UINT64_C(8388608)
#define RANGE_MOST UINT64_C(67108864)
#define LINE 64u
/* Half an octave: 181/128 is the square root of 2 less 0.01 per cent. */
#define HALF_OCTAVE 181u
/* The cost is far below the maximum when 1.3 times it is. */
#define FAR_PERCENT 130u
/* In a row: that end the scan. */
#define ENOUGH_FALLEN 2u
#define ENOUGH_SKIPPED 2u
/* More than two thirds dropped, of so many at least: the size is given up. */
#define DROPPED_LEAST 4u
#define MEMORIES 3u

/* What is being measured. */
enum phase {
	SCAN,  /* octaves, ascending */
	BELOW, /* half an octave below the best of them, in memory 1 */
	ABOVE, /* and above */
	AGAIN, /* the best of all, in memories 2 and 3 */
	ONLY   /* one size */
};

static int is_good(const struct sdpower_curve *c)
{
	return c && c->struct_size == sizeof(*c) && c->step == SDPOWER_CURVE_MEASURE &&
		c->rounds < SDPOWER_CURVE_ROUNDS && c->percent <= SDPOWER_CURVE_PERCENT_MAX;
}

static void start_size(struct sdpower_curve *c, uint64_t size)
{
	c->size = size;
	c->warm = c->rounds = c->dropped = 0;
	c->began_ns = c->elapsed_ns;
}

static uint64_t range_of(const struct sdpower_curve_rules *rules)
{
	const uint64_t most = rules->most_size ? rules->most_size : RANGE_MOST;
	uint64_t size = rules->private_size ? 2 * rules->private_size : RANGE_UNKNOWN;

	if (rules->only_size)
		return rules->only_size;
	if (size < RANGE_LEAST)
		size = RANGE_LEAST;
	return size < most ? size : most;
}

static sdpower_status check_rules(const struct sdpower_curve_rules *rules)
{
	if (!rules || rules->struct_size != sizeof(*rules))
		return SDPOWER_EINVAL;
	if (rules->percent > SDPOWER_CURVE_PERCENT_MAX || rules->private_size > SDPOWER_CURVE_MOST ||
	    rules->most_size > SDPOWER_CURVE_MOST || rules->only_size > SDPOWER_CURVE_MOST)
		return SDPOWER_ERANGE;
	if (rules->most_size && rules->most_size < SMALLEST)
		return SDPOWER_ERANGE;
	return rules->only_size && rules->only_size < LINE ? SDPOWER_ERANGE : SDPOWER_OK;
}

sdpower_status sdpower_curve_begin(const struct sdpower_curve_rules *rules,
	struct sdpower_curve *curve)
{
	const sdpower_status status = check_rules(rules);

	if (status)
		return status;
	if (!curve || curve->struct_size != sizeof(*curve))
		return SDPOWER_EINVAL;
	*curve = (struct sdpower_curve) { .struct_size = sizeof(*curve),
		.step = SDPOWER_CURVE_MEASURE, .stop_size = range_of(rules),
		.percent = rules->percent ? rules->percent : 100, .budget_ns = rules->budget_ns,
		.phase = rules->only_size ? ONLY : SCAN };
	start_size(curve, rules->only_size ? rules->only_size / LINE * LINE : SMALLEST);
	return SDPOWER_OK;
}

static int lies_between(const struct sdpower_curve_point *p, const struct sdpower_curve_point *a,
	const struct sdpower_curve_point *b)
{
	return (a->cost_ns <= p->cost_ns && p->cost_ns <= b->cost_ns) ||
		(b->cost_ns <= p->cost_ns && p->cost_ns <= a->cost_ns);
}

/* The middle one of what three memories gave; of two the first, which chose the size. */
static void settle(struct sdpower_curve *c)
{
	const struct sdpower_curve_point *a = &c->again[0], *b = &c->again[1], *d = &c->again[2];

	if (!a->rounds || !b->rounds || !d->rounds)
		return;
	c->best = lies_between(b, a, d) ? *b : lies_between(a, b, d) ? *a : *d;
}

/* Twice the cost must have passed before a task is cold. */
static void conclude(struct sdpower_curve *c)
{
	settle(c);
	c->step = SDPOWER_CURVE_DONE;
	c->hot_ns = 2 * c->best.cost_ns * c->percent / 100;
}

/* What a size will take, from what the last one took. */
static int fits(const struct sdpower_curve *c, uint64_t size, uint64_t budget_ns)
{
	const uint64_t took = c->elapsed_ns - c->began_ns;

	if (!c->budget_ns)
		return 1;
	return c->elapsed_ns < budget_ns &&
		took / (c->size / LINE) <= (budget_ns - c->elapsed_ns) / (size / LINE);
}

static void enter(struct sdpower_curve *c, uint32_t phase, uint32_t buffer, uint64_t size)
{
	c->phase = phase;
	c->buffer = buffer;
	start_size(c, size);
}

static int can_refine(const struct sdpower_curve *c, uint64_t size)
{
	return size >= SMALLEST && size <= c->stop_size && fits(c, size, c->budget_ns);
}

/* From memory to memory until three have measured the best size. */
static void measure_again(struct sdpower_curve *c)
{
	const uint32_t next = c->phase == AGAIN ? c->buffer + 1 : 2;

	if (c->phase != AGAIN)
		c->again[0] = c->best;
	if (next > MEMORIES || !c->best.is_certain || !fits(c, c->best.size, c->budget_ns))
		conclude(c);
	else
		enter(c, AGAIN, next, c->best.size);
}

static void refine_above(struct sdpower_curve *c)
{
	const uint64_t size = c->middle / 128 * HALF_OCTAVE / LINE * LINE;

	if (can_refine(c, size))
		enter(c, ABOVE, 1, size);
	else
		measure_again(c);
}

static void refine(struct sdpower_curve *c, uint32_t end)
{
	const uint64_t size = c->best.size / 256 * HALF_OCTAVE / LINE * LINE;

	c->end = end;
	c->middle = c->best.size;
	if (!c->best.is_certain)
		conclude(c);
	else if (can_refine(c, size))
		enter(c, BELOW, 1, size);
	else
		refine_above(c);
}

static int is_far_below(const struct sdpower_curve *c, const struct sdpower_curve_point *p)
{
	return p->rounds && c->best.is_certain &&
		p->high_ns * FAR_PERCENT < c->best.cost_ns * 100;
}

/* Half of the budget is for the scan, the rest for being sure. */
static void scan_on(struct sdpower_curve *c)
{
	c->fallen = is_far_below(c, &c->last) ? c->fallen + 1 : 0;
	c->skipped = c->last.rounds ? 0 : c->skipped + 1;
	if (c->fallen == ENOUGH_FALLEN)
		refine(c, SDPOWER_CURVE_END_EARLY);
	else if (c->skipped == ENOUGH_SKIPPED)
		refine(c, SDPOWER_CURVE_END_DROPPED);
	else if (c->size * 2 > c->stop_size)
		refine(c, SDPOWER_CURVE_END_RANGE);
	else if (!fits(c, c->size * 2, c->budget_ns / 2))
		refine(c, SDPOWER_CURVE_END_BUDGET);
	else
		start_size(c, c->size * 2);
}

/* A certain size beats any that is not; among equals the larger lower bound does. */
static int is_better(const struct sdpower_curve_point *p, const struct sdpower_curve_point *than)
{
	if (!p->low_ns || p->is_certain != than->is_certain)
		return p->low_ns && p->is_certain;
	return p->low_ns > than->low_ns;
}

static void finish_size(struct sdpower_curve *c)
{
	sdpower_i_curve_point(c, &c->last);
	if (c->rounds < SDPOWER_I_CURVE_FIRST)
		c->last.rounds = 0;
	c->points++;
	if (c->phase == AGAIN && c->last.is_certain)
		c->again[c->buffer - 1] = c->last;
	if (c->phase != AGAIN && c->last.rounds && is_better(&c->last, &c->best))
		c->best = c->last;
}

static void next_size(struct sdpower_curve *c)
{
	finish_size(c);
	switch (c->phase) {
	case SCAN:
		scan_on(c);
		break;
	case BELOW:
		refine_above(c);
		break;
	case ONLY:
		c->end = c->last.rounds ? SDPOWER_CURVE_END_RANGE : SDPOWER_CURVE_END_DROPPED;
		conclude(c);
		break;
	default:
		measure_again(c);
	}
}

/* Enough is known, or as much as there will be. A size that cannot win needs no precision. */
static int is_enough(const struct sdpower_curve *c)
{
	struct sdpower_curve_point p;

	if (c->rounds == SDPOWER_CURVE_ROUNDS)
		return 1;
	if (c->rounds < SDPOWER_I_CURVE_FIRST ||
	    (c->rounds - SDPOWER_I_CURVE_FIRST) % SDPOWER_I_CURVE_MORE)
		return 0;
	sdpower_i_curve_point(c, &p);
	return sdpower_i_curve_within(&p, SDPOWER_I_CURVE_ENOUGH) ||
		(c->phase != AGAIN && is_far_below(c, &p));
}

/* Disturbed too often to go on. */
static int is_hopeless(const struct sdpower_curve *c)
{
	return c->dropped > DROPPED_LEAST && c->dropped > 2 * c->rounds;
}

/* The first round that counts is the second one heard: the first one touches the memory. */
static void take(struct sdpower_curve *c, const struct sdpower_curve_round *round)
{
	if (round->elapsed_ns > c->elapsed_ns)
		c->elapsed_ns = round->elapsed_ns;
	if (round->dropped)
		c->dropped++;
	else if (!c->warm)
		c->warm = 1;
	else {
		c->there[c->rounds] = round->there_ns;
		c->back[c->rounds] = round->back_ns;
		c->rounds++;
	}
}

static int is_in_range(int64_t cost_ns)
{
	return cost_ns <= (int64_t)SDPOWER_CURVE_MOST && cost_ns >= -(int64_t)SDPOWER_CURVE_MOST;
}

sdpower_status sdpower_curve_next(struct sdpower_curve *curve,
	const struct sdpower_curve_round *round)
{
	if (!is_good(curve) || !round || round->struct_size != sizeof(*round))
		return SDPOWER_EINVAL;
	if (!is_in_range(round->there_ns) || !is_in_range(round->back_ns))
		return SDPOWER_ERANGE;
	take(curve, round);
	if (curve->budget_ns && curve->elapsed_ns >= curve->budget_ns) {
		finish_size(curve);
		curve->end = SDPOWER_CURVE_END_BUDGET;
		conclude(curve);
	} else if (is_enough(curve) || is_hopeless(curve))
		next_size(curve);
	return SDPOWER_OK;
}

sdpower_status sdpower_curve_stop(struct sdpower_curve *curve)
{
	if (!is_good(curve))
		return SDPOWER_EINVAL;
	curve->end = SDPOWER_CURVE_END_STOPPED;
	conclude(curve);
	return SDPOWER_OK;
}
