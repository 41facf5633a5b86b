/* SPDX-License-Identifier: MIT */
/* The tracker dq: is a search worth it, and what it has taught (rules N8 to N10). */
#include "dq.h"

#define DEFAULT_LATENESS 512u
#define DEFAULT_EFFORT 64u
#define DEFAULT_CAP_NS 2000000u
#define WEIGHT_SHIFT 8

/* N10: probes of a level are so many times apart what a failure loses, by failures in a row. */
#define FAILURES_MAX 2u
static const uint32_t probe_spacing[FAILURES_MAX + 1] = { 100, 1600, 12800 };
/* A failure loses a 16th of what the search takes at least: no probe is free. */
#define LEAST_LOSS_SHIFT 4
/* Of a level that was never searched, what a failure is taken to lose, ns. */
#define UNKNOWN_LOSS_NS 1000u
/* 2^31 ns without a search halve what is known of the level's cost. */
#define FADE_SHIFT 31
#define STAMP_SHIFT 12
/* Averages of gains move by 1/20 at least. */
#define GAINS_MAX 20u

/* What one search is expected to bring, over all idle periods that are as long already. */
struct prospect {
	uint64_t weight;  /* of those periods; 0 = none was ever so long */
	int64_t win;      /* running time won, ns times weight */
	uint64_t loss;    /* time lost, weighted by the knobs, ns times weight */
};

static uint32_t knob(uint32_t value, uint32_t otherwise)
{
	return value ? value : otherwise;
}

/* N8, but for the chance of success. The largest sums: weight 2^16, times 2^32 ns, times 2^14. */
static struct prospect look_ahead(const struct sdpower_dq *t, const struct sdpower_dq_level *l,
	uint32_t spent_ns)
{
	const uint32_t move = l->move_ns < SDPOWER_DQ_MOVE_MAX ? l->move_ns : SDPOWER_DQ_MOVE_MAX;
	const uint64_t after = (uint64_t)spent_ns + l->cost_ns;
	uint64_t weight = 0, room = 0, late = 0;

	for (uint32_t class = 0; class < SDPOWER_DQ_CLASSES; class++) {
		const uint64_t middle = sdpower_i_dq_middle[class];
		const uint64_t w = middle >= spent_ns ? t->cpu->lengths[class] : 0;
		const uint64_t rest = middle > after ? middle - after : 0;

		weight += w;
		room += w * (rest < l->gain_ns ? rest : l->gain_ns);
		late += w * (middle < after ? after - middle : 0);
	}
	return (struct prospect) { .weight = weight, .win = (int64_t)room - (int64_t)(weight * move),
		.loss = (late * knob(t->rules->lateness, DEFAULT_LATENESS) +
			weight * l->cost_ns * knob(t->rules->effort, DEFAULT_EFFORT)) >> WEIGHT_SHIFT };
}

/* N8: what a search is worth, ns times weight. */
static int64_t value(const struct sdpower_dq_level *l, const struct prospect *p)
{
	const int64_t chance = l->calls ? (l->hits << 6) / l->calls : 0;

	return p->win / (1 << 14) * chance - (int64_t)p->loss;
}

static uint64_t since_search(const struct sdpower_dq *t, const struct sdpower_dq_level *l)
{
	const uint32_t now = (uint32_t)(t->cpu->idle_since_ns >> STAMP_SHIFT);

	return (uint64_t)(now - l->searched) << STAMP_SHIFT;
}

/* N9: what is left of an estimate after a time without samples. */
static uint64_t faded(uint64_t ns, uint64_t gap_ns)
{
	const uint64_t halvings = gap_ns >> FADE_SHIFT;

	return halvings < 64 ? ns >> halvings : 0;
}

static uint64_t loss_of(const struct sdpower_dq_level *l, uint64_t expected_ns)
{
	const uint64_t least = l->cost_ns ? l->cost_ns >> LEAST_LOSS_SHIFT : UNKNOWN_LOSS_NS;

	return expected_ns > least ? expected_ns : least;
}

/* N10: the purse can pay, or is full, and the last search is long enough ago. */
static int may_probe(const struct sdpower_dq *t, const struct sdpower_dq_level *l,
	uint64_t loss_ns)
{
	const uint32_t cap = knob(t->rules->probe_cap_ns, DEFAULT_CAP_NS);
	const uint64_t gap = since_search(t, l);
	const uint32_t price = l->cost_ns < cap ? l->cost_ns : cap;
	const uint32_t patience = l->failures < FAILURES_MAX ? l->failures : FAILURES_MAX;

	if (t->cpu->purse_ns < (int64_t)price)
		return 0;
	return gap >= faded(loss_ns, gap) * probe_spacing[patience];
}

sdpower_status sdpower_dq_should_search(const struct sdpower_dq *t, uint32_t level,
	uint64_t spent_ns)
{
	const struct sdpower_dq_level *l;
	struct prospect p;
	int64_t worth;

	if (SDPOWER_UNLIKELY(!sdpower_i_dq_usable(t) || level >= t->level_count))
		return SDPOWER_EINVAL;
	l = &t->levels[level];
	p = look_ahead(t, l, spent_ns < UINT32_MAX ? (uint32_t)spent_ns : UINT32_MAX);
	if (!p.weight)
		return SDPOWER_DQ_SKIP;
	worth = value(l, &p);
	if (worth > 0)
		return SDPOWER_DQ_SEARCH;
	if (!may_probe(t, l, loss_of(l, (uint64_t)-worth / p.weight)))
		return SDPOWER_DQ_SKIP;
	t->cpu->probing = (uint16_t)(level + 1);
	return SDPOWER_DQ_PROBE;
}

/* N9: nine times as far up as down finds what a tenth of the searches exceed. */
static void learn_cost(struct sdpower_dq_level *l, uint32_t cost_ns, uint64_t gap_ns)
{
	const uint64_t known = faded(l->cost_ns, gap_ns);
	uint64_t next = known;

	if (gap_ns >> FADE_SHIFT || !known)
		next = cost_ns > known ? cost_ns : known;
	else if (cost_ns > known)
		next = known + known * 9 / 128 + 1;
	else if (known > 1)
		next = known - (known + 127) / 128;
	l->cost_ns = next < UINT32_MAX ? (uint32_t)next : UINT32_MAX;
}

/*
 * A 256th of what was counted is forgotten, rounded up: calls stay below 2^16, hits below 2^24,
 * and hits that do not come again vanish.
 */
static void count(struct sdpower_dq_level *l, int pulled)
{
	l->hits += (pulled ? 65536u : 0) - (l->hits + 255) / 256;
	l->calls = (uint16_t)(l->calls + 256 - (l->calls + 255) / 256);
}

static void pay_probe(struct sdpower_dq_cpu *cpu, uint32_t cost_ns)
{
	cpu->probing = 0;
	cpu->probes++;
	cpu->purse_ns -= cost_ns;
}

sdpower_status sdpower_dq_account(const struct sdpower_dq *t, uint32_t level, uint64_t cost_ns,
	uint32_t pulled, uint64_t now_ns)
{
	struct sdpower_dq_level *l;
	struct sdpower_dq_cpu *cpu;
	uint32_t cost;

	if (SDPOWER_UNLIKELY(!sdpower_i_dq_usable(t) || level >= t->level_count))
		return SDPOWER_EINVAL;
	cpu = t->cpu;
	l = &t->levels[level];
	cost = sdpower_i_dq_clamp(cpu, cost_ns);
	if (cpu->probing == level + 1) {
		pay_probe(cpu, cost);
		l->failures = (uint8_t)(l->failures + (l->failures < UINT8_MAX));
	}
	learn_cost(l, cost, since_search(t, l));
	count(l, pulled != 0);
	l->searched = (uint32_t)(cpu->idle_since_ns >> STAMP_SHIFT);
	if (pulled) {
		l->failures = 0;
		cpu->pulled = (uint16_t)(level + 1);
		cpu->pulled_ns = now_ns;
	}
	return SDPOWER_OK;
}

/* The first length replaces the guess, later ones move it by 1/n, in the end by 1/20. */
void sdpower_i_dq_learn_gain(struct sdpower_dq_level *l, uint32_t length_ns)
{
	const int64_t difference = (int64_t)length_ns - l->gain_ns;

	if (l->gains < GAINS_MAX)
		l->gains++;
	l->gain_ns = (uint32_t)(l->gain_ns + difference / l->gains);
}

sdpower_status sdpower_dq_ran(const struct sdpower_dq *t, uint64_t length_ns)
{
	struct sdpower_dq_cpu *cpu;

	if (!sdpower_i_dq_usable(t))
		return SDPOWER_EINVAL;
	cpu = t->cpu;
	if (!cpu->pulled || cpu->pulled > t->level_count)
		return 0;
	sdpower_i_dq_learn_gain(&t->levels[cpu->pulled - 1], sdpower_i_dq_clamp(cpu, length_ns));
	cpu->pulled = 0;
	return 1;
}
