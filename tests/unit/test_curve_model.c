/* SPDX-License-Identifier: MIT */
/*
 * Description: the search for the dearest working set takes the same rounds as a model of rules M10
 * to M12 that is written down as one goes through them. test_curve_model [SEED [ROUNDS]]: a failure
 * names its seed.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "support/instance.h"
#include <sdpower/curve.h>

#define KIB UINT64_C(1024)
#define SMALLEST (32 * KIB)
/* Rounds of the longest search: 48 sizes of at most 75 disturbed ones each. */
#define MOST 4000u

/* A machine: costs rise to a peak and fall behind it, some rounds are disturbed, time passes. */
struct script {
	uint64_t seed, peak, fall, scale, ns_per_kib;
	uint32_t noise, drops, drop_from, jitter;
};

/* What was asked for, round by round. */
struct asked {
	uint64_t size;
	uint32_t buffer;
};

/* A search as the rules tell it. */
struct model {
	const struct script *script;
	const struct sdpower_curve_rules *rules;
	uint64_t range, elapsed, heard, began, last_size;
	struct sdpower_curve_point last, best, again[3];
	uint32_t points, rounds, end;
	bool over;           /* the budget is used up */
	bool is_middle;      /* best is the middle one of three */
	struct asked asked[MOST];
};

static struct sdpower_curve_round round_of(const struct script *s, uint32_t nth, uint64_t size,
	uint32_t buffer, uint64_t *clock)
{
	struct test_random r = { s->seed * 1000003u + nth };
	struct sdpower_curve_round round = { .struct_size = sizeof(round) };
	const uint64_t over = size > s->peak ? (size - s->peak) / 64 * s->fall / 16 : 0;
	const uint64_t top = (size < s->peak ? size : s->peak) / 64 * s->scale;
	const int64_t cost = (int64_t)(top > over ? top - over : top / 50) + buffer * 3;
	const int64_t part = cost / 1000;

	round.there_ns = cost + part * ((int64_t)test_draw(&r, 2 * s->noise + 1) - (int64_t)s->noise);
	round.back_ns = cost + part * ((int64_t)test_draw(&r, 2 * s->noise + 1) - (int64_t)s->noise);
	round.dropped = test_draw(&r, 100) < s->drops || (s->drop_from && size >= s->drop_from * KIB);
	if (s->ns_per_kib)
		*clock += size / KIB * s->ns_per_kib + test_draw(&r, 1 + s->jitter);
	/* A clock that once went back. */
	round.elapsed_ns = test_draw(&r, 20) ? *clock : *clock / 2;
	return round;
}

/* The largest k with 2 P(fewer than k heads in n throws) <= 0.07; the range where there is none. */
static uint32_t rank(uint32_t n)
{
	uint64_t ways = 1, fewer = 0;
	uint32_t k = 0;

	for (; 200 * (fewer + ways) <= 7 * (UINT64_C(1) << n); k++) {
		fewer += ways;
		ways = ways * (n - k) / (k + 1);
	}
	return k ? k : 1;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The nth smallest, from 1; what is negative is 0. */
static uint64_t nth_of(const int64_t *values, uint32_t count, uint32_t nth)
{
	int64_t sorted[SDPOWER_CURVE_ROUNDS];

	memcpy(sorted, values, count * sizeof(*values));
	qsort(sorted, count, sizeof(*sorted), by_value);
	return sorted[nth - 1] < 0 ? 0 : (uint64_t)sorted[nth - 1];
}

static struct sdpower_curve_point point_of(const int64_t *there, const int64_t *back, uint32_t count)
{
	struct sdpower_curve_point p = { .rounds = count };
	int64_t mean[SDPOWER_CURVE_ROUNDS];

	for (uint32_t i = 0; i < count; i++)
		mean[i] = (there[i] + back[i]) / 2;
	if (!count)
		return p;
	p.cost_ns = nth_of(mean, count, (count + 1) / 2);
	p.low_ns = nth_of(mean, count, rank(count));
	p.high_ns = nth_of(mean, count, count + 1 - rank(count));
	p.there_ns = nth_of(there, count, (count + 1) / 2);
	p.back_ns = nth_of(back, count, (count + 1) / 2);
	p.is_certain = count >= 5 && p.cost_ns && (p.high_ns - p.low_ns) * 50 <= p.cost_ns * 15;
	return p;
}

static bool is_far_below(const struct model *m, const struct sdpower_curve_point *p)
{
	return p->rounds && m->best.is_certain && p->high_ns * 13 < m->best.cost_ns * 10;
}

static bool is_precise(const struct sdpower_curve_point *p)
{
	return p->cost_ns && (p->high_ns - p->low_ns) * 50 <= p->cost_ns * 5;
}

/* M11: what comes of one size, in m->last. */
static void measure(struct model *m, uint64_t size, uint32_t buffer)
{
	int64_t there[SDPOWER_CURVE_ROUNDS], back[SDPOWER_CURVE_ROUNDS];
	uint32_t count = 0, dropped = 0;
	bool warm = false, enough = false;

	m->began = m->heard;
	m->last_size = size;
	while (!enough && !m->over && m->rounds < MOST) {
		struct sdpower_curve_round round;

		m->asked[m->rounds++] = (struct asked){ size, buffer };
		round = round_of(m->script, m->rounds, size, buffer, &m->elapsed);
		m->heard = round.elapsed_ns > m->heard ? round.elapsed_ns : m->heard;
		if (!round.dropped && warm) {
			there[count] = round.there_ns;
			back[count++] = round.back_ns;
		}
		dropped += round.dropped != 0;
		warm |= !round.dropped;
		m->last = point_of(there, back, count);
		enough = count == 25 || (count >= 5 && count % 4 == 1 && (is_precise(&m->last) ||
			(buffer < 2 && is_far_below(m, &m->last)))) ||
			(dropped > 4 && dropped > 2 * count);
		m->over = m->rules->budget_ns && m->heard >= m->rules->budget_ns;
	}
	m->last.size = size;
	m->last.buffer = buffer;
	m->last.dropped = dropped;
	if (count < 5)
		m->last.rounds = 0;
	m->points++;
}

/* M12 */
static void consider(struct model *m)
{
	const struct sdpower_curve_point *p = &m->last, *b = &m->best;

	if (!p->rounds || !p->low_ns)
		return;
	if (p->is_certain > b->is_certain || (p->is_certain == b->is_certain && p->low_ns > b->low_ns))
		m->best = *p;
}

/* At the pace of the last size. */
static bool fits(const struct model *m, uint64_t size, uint64_t budget)
{
	const uint64_t took = m->heard - m->began;

	return !m->rules->budget_ns || (m->heard < budget &&
		took / (m->last_size / 64) <= (budget - m->heard) / (size / 64));
}

/* M10: true iff the scan came to its end. */
static void scan(struct model *m)
{
	uint32_t fallen = 0, skipped = 0;

	for (uint64_t size = SMALLEST; ; size *= 2) {
		measure(m, size, 0);
		consider(m);
		if (m->over)
			return;
		fallen = is_far_below(m, &m->last) ? fallen + 1 : 0;
		skipped = m->last.rounds ? 0 : skipped + 1;
		if (fallen == 2)
			m->end = SDPOWER_CURVE_END_EARLY;
		else if (skipped == 2)
			m->end = SDPOWER_CURVE_END_DROPPED;
		else if (2 * size > m->range)
			m->end = SDPOWER_CURVE_END_RANGE;
		else if (!fits(m, 2 * size, m->rules->budget_ns / 2))
			m->end = SDPOWER_CURVE_END_BUDGET;
		else
			continue;
		return;
	}
}

static void refine(struct model *m, uint64_t size)
{
	if (m->over || size < SMALLEST || size > m->range || !fits(m, size, m->rules->budget_ns))
		return;
	measure(m, size, 1);
	consider(m);
}

static void measure_again(struct model *m)
{
	uint64_t costs[3];

	m->again[0] = m->best;
	for (uint32_t buffer = 2; buffer <= 3 && !m->over; buffer++) {
		if (!m->best.is_certain || !fits(m, m->best.size, m->rules->budget_ns))
			return;
		measure(m, m->best.size, buffer);
		if (m->last.is_certain)
			m->again[buffer - 1] = m->last;
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (!m->again[i].rounds)
			return;
		costs[i] = m->again[i].cost_ns;
	}
	m->best.cost_ns = costs[0] > costs[1] ?
		(costs[1] > costs[2] ? costs[1] : costs[0] < costs[2] ? costs[0] : costs[2]) :
		(costs[0] > costs[2] ? costs[0] : costs[1] < costs[2] ? costs[1] : costs[2]);
	m->is_middle = true;
}

static void search(struct model *m)
{
	const struct sdpower_curve_rules *const r = m->rules;
	const uint64_t most = r->most_size ? r->most_size : 65536 * KIB;
	uint64_t middle;

	if (r->only_size) {
		m->range = r->only_size;
		measure(m, r->only_size / 64 * 64, 0);
		consider(m);
		m->end = m->last.rounds ? SDPOWER_CURVE_END_RANGE : SDPOWER_CURVE_END_DROPPED;
	} else {
		m->range = r->private_size ? 2 * r->private_size : 8192 * KIB;
		m->range = m->range < 1024 * KIB ? 1024 * KIB : m->range;
		m->range = m->range < most ? m->range : most;
		scan(m);
		middle = m->best.size;
		if (m->best.is_certain) {
			refine(m, middle / 256 * 181 / 64 * 64);
			refine(m, middle / 128 * 181 / 64 * 64);
			if (!m->over)
				measure_again(m);
		}
	}
	if (m->over)
		m->end = SDPOWER_CURVE_END_BUDGET;
}

static void draw(uint64_t seed, struct script *s, struct sdpower_curve_rules *r)
{
	struct test_random d = { seed };

	*s = (struct script){ .seed = seed, .peak = KIB << test_draw(&d, 17),
		.fall = test_draw(&d, 40), .scale = 1 + test_draw(&d, 60),
		.noise = test_draw(&d, 3) ? test_draw(&d, 120) : test_draw(&d, 900),
		.drops = test_draw(&d, 3) ? 0 : test_draw(&d, 100),
		.drop_from = test_draw(&d, 6) ? 0 : 32u << test_draw(&d, 11),
		.ns_per_kib = test_draw(&d, 3) ? 1 + test_draw(&d, 400) : 0 };
	*r = (struct sdpower_curve_rules){ .struct_size = sizeof(*r),
		.percent = test_draw(&d, 2) ? 0 : 1 + test_draw(&d, SDPOWER_CURVE_PERCENT_MAX),
		.private_size = test_draw(&d, 3) ? KIB * (1 + test_draw(&d, 1u << (4 + test_draw(&d, 13)))) : 0,
		.most_size = test_draw(&d, 2) ? 0 : SMALLEST + test_draw(&d, 1u << 28),
		.only_size = test_draw(&d, 8) ? 0 : 64 + test_draw(&d, 1u << 22),
		.budget_ns = test_draw(&d, 2) ? 0 : (uint64_t)1 << (10 + test_draw(&d, 24)) };
	if (r->budget_ns)
		r->budget_ns += test_draw(&d, 1u << 10);
	s->jitter = test_draw(&d, 2) * 50;
	/* Rounds that use up the budget to the last nanosecond. */
	if (!s->jitter && r->budget_ns)
		r->budget_ns = 32 * (s->ns_per_kib ? s->ns_per_kib : 1) *
			(1 + test_draw(&d, 1u << test_draw(&d, 12)));
}

static void same(uint64_t seed, const char *what, uint64_t wanted, uint64_t got)
{
	if (wanted == got)
		return;
	printf("seed %" PRIu64 ": %s: the model says %" PRIu64 ", the library %" PRIu64 "\n", seed,
		what, wanted, got);
	exit(EXIT_FAILURE);
}

static void same_end(uint64_t seed, const struct model *m, const struct sdpower_curve *c)
{
	same(seed, "points", m->points, c->points);
	same(seed, "end", m->end, c->end);
	same(seed, "range", m->range, c->stop_size);
	same(seed, "size", m->best.size, c->best.size);
	same(seed, "cost", m->best.cost_ns, c->best.cost_ns);
	same(seed, "certain", m->best.is_certain, c->best.is_certain);
	same(seed, "cold", 2 * m->best.cost_ns * (m->rules->percent ? m->rules->percent : 100) / 100,
		c->hot_ns);
	same(seed, "dropped at last", m->last.dropped, c->last.dropped);
	same(seed, "certain at last", m->last.is_certain, c->last.is_certain);
	if (m->is_middle)
		return;
	same(seed, "low", m->best.low_ns, c->best.low_ns);
	same(seed, "high", m->best.high_ns, c->best.high_ns);
	same(seed, "there", m->best.there_ns, c->best.there_ns);
	same(seed, "back", m->best.back_ns, c->best.back_ns);
	same(seed, "rounds of the best", m->best.rounds, c->best.rounds);
}

static void compare(uint64_t seed)
{
	static struct model m;
	struct sdpower_curve c = { .struct_size = sizeof(c) };
	struct sdpower_curve_rules rules;
	struct script script;
	uint64_t clock = 0;
	uint32_t nth = 0;

	draw(seed, &script, &rules);
	memset(&m, 0, sizeof(m));
	m.script = &script;
	m.rules = &rules;
	search(&m);
	same(seed, "begun", SDPOWER_OK, (uint64_t)sdpower_curve_begin(&rules, &c));
	for (; c.step == SDPOWER_CURVE_MEASURE; nth++) {
		struct sdpower_curve_round round;

		same(seed, "over", m.rounds > nth, 1);
		same(seed, "size to measure", m.asked[nth].size, c.size);
		same(seed, "memory", m.asked[nth].buffer, c.buffer);
		round = round_of(&script, nth + 1, c.size, c.buffer, &clock);
		same(seed, "taken", SDPOWER_OK, (uint64_t)sdpower_curve_next(&c, &round));
	}
	same(seed, "rounds", m.rounds, nth);
	same_end(seed, &m, &c);
}

int main(int argc, char **argv)
{
	const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 10000;
	const unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3000;

	for (unsigned i = 0; i < rounds; i++)
		compare(seed + i);
	printf("seed %" PRIu64 ": %u searches\n", seed, rounds);
	return 0;
}
