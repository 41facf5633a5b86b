/* SPDX-License-Identifier: MIT */
/* The tracker dq: the idle period and its length (rules N7 and N10). */
#include "dq.h"

/* A search is believed to succeed once in four, to win 4 ms, and to be worth a try. */
#define FIRST_HITS 65536u
#define FIRST_CALLS 1024u
#define FIRST_GAIN_NS 4000000u
#define FIRST_WEIGHT (SDPOWER_I_DQ_SAMPLE / 20)
#define FIRST_PURSE_NS 200000
/* Who has never found anything is probed as if a probe had failed. */
#define FIRST_FAILURES 1u
#define DEFAULT_PERMILLE 10u
#define DEFAULT_CAP_NS 2000000u

const uint32_t sdpower_i_dq_middle[SDPOWER_DQ_CLASSES] = {
	130, 500, 1087, 2020, 3500, 5850, 9579, 15500, 24898, 39817, 63500, 101094, 160770, 255500,
	405875, 644580, 1023500, 1624999, 2579818, 4095500, 6501495, 10320773, 16383500, 26007479,
};

/* Where each class but the first begins, ns: 500 (2^(class / 1.5) - 1), rounded up. */
static const uint32_t class_begin[SDPOWER_DQ_CLASSES - 1] = {
	294, 760, 1500, 2675, 4540, 7500, 12200, 19659, 31500, 50297, 80135, 127500, 202688, 322040,
	511500, 812250, 1289660, 2047500, 3250498, 5160137, 8191500, 13003490, 20642047,
};

sdpower_status sdpower_i_dq_check(const struct sdpower_dq *t)
{
	const struct sdpower_dq_rules *r;

	if (!sdpower_i_dq_usable(t) || t->rules->reserved)
		return SDPOWER_EINVAL;
	r = t->rules;
	if (r->lateness > SDPOWER_DQ_WEIGHT_MAX || r->effort > SDPOWER_DQ_WEIGHT_MAX ||
	    r->probe_permille > 1000 || t->level_count >= UINT16_MAX)
		return SDPOWER_ERANGE;
	return SDPOWER_OK;
}

static void first_level(struct sdpower_dq_level *l, uint64_t now_ns)
{
	*l = (struct sdpower_dq_level) { .move_ns = l->move_ns, .gain_ns = FIRST_GAIN_NS,
		.searched = (uint32_t)(now_ns >> 12), .hits = FIRST_HITS, .calls = FIRST_CALLS,
		.failures = FIRST_FAILURES };
}

sdpower_status sdpower_dq_init(const struct sdpower_dq *t, uint64_t now_ns)
{
	const sdpower_status status = sdpower_i_dq_check(t);

	if (status)
		return status;
	*t->cpu = (struct sdpower_dq_cpu) { .struct_size = sizeof(*t->cpu),
		.purse_ns = FIRST_PURSE_NS, .earned_ns = now_ns };
	for (uint32_t class = 0; class < SDPOWER_DQ_CLASSES; class++)
		t->cpu->lengths[class] = FIRST_WEIGHT;
	for (uint32_t i = 0; i < t->level_count; i++)
		first_level(&t->levels[i], now_ns);
	return SDPOWER_OK;
}

/* N10: the purse earns its share of the time that has passed, and holds so much at most. */
static void fill_purse(const struct sdpower_dq_rules *r, struct sdpower_dq_cpu *cpu,
	uint64_t now_ns)
{
	const uint64_t passed = now_ns - cpu->earned_ns;
	const uint32_t permille = r->probe_permille ? r->probe_permille : DEFAULT_PERMILLE;
	const int64_t cap = r->probe_cap_ns ? r->probe_cap_ns : DEFAULT_CAP_NS;

	if (passed >> 63) {
		sdpower_i_dq_odd(cpu);
		cpu->earned_ns = now_ns;
		return;
	}
	/* Short periods are earned in whole, together with later ones: nothing is rounded away. */
	if (passed < 1000000 / permille)
		return;
	cpu->earned_ns = now_ns;
	cpu->purse_ns += (int64_t)(passed / 1000 * permille);
	if (cpu->purse_ns > cap)
		cpu->purse_ns = cap;
}

/* The work pulled last ended now at the latest, if nobody said so before. */
static void end_pulled(const struct sdpower_dq *t, uint64_t now_ns)
{
	struct sdpower_dq_cpu *cpu = t->cpu;

	if (cpu->pulled)
		(void)sdpower_dq_ran(t, now_ns - cpu->pulled_ns);
}

sdpower_status sdpower_dq_begin(const struct sdpower_dq *t, uint64_t now_ns)
{
	const sdpower_status status = sdpower_i_dq_check(t);

	if (status)
		return status;
	end_pulled(t, now_ns);
	fill_purse(t->rules, t->cpu, now_ns);
	t->cpu->probing = 0;
	t->cpu->idle_since_ns = now_ns;
	t->cpu->idle = 1;
	return SDPOWER_OK;
}

static uint32_t class_of(uint32_t length_ns)
{
	uint32_t class = 0;

	for (uint32_t i = 0; i < SDPOWER_DQ_CLASSES - 1; i++)
		class += length_ns >= class_begin[i];
	return class;
}

/* N7: a hundredth of every class is forgotten, rounded up, so that classes empty in the end. */
static void learn_length(struct sdpower_dq_cpu *cpu, uint32_t length_ns)
{
	for (uint32_t class = 0; class < SDPOWER_DQ_CLASSES; class++) {
		const uint32_t weight = cpu->lengths[class];

		cpu->lengths[class] = (uint16_t)(weight - (weight * 655 + 65535) / 65536);
	}
	cpu->lengths[class_of(length_ns)] += SDPOWER_I_DQ_SAMPLE;
}

sdpower_status sdpower_dq_wake(const struct sdpower_dq *t, uint64_t now_ns)
{
	struct sdpower_dq_cpu *cpu;

	if (!sdpower_i_dq_usable(t))
		return SDPOWER_EINVAL;
	cpu = t->cpu;
	end_pulled(t, now_ns);
	if (!cpu->idle)
		return 0;
	cpu->idle = 0;
	learn_length(cpu, sdpower_i_dq_clamp(cpu, now_ns - cpu->idle_since_ns));
	return 1;
}

/*
 * Lingering until the end of a class costs the periods that end before it their length, and the
 * others that time and the parking.
 */
uint64_t sdpower_dq_idle_budget_ns(const struct sdpower_dq *t, uint64_t spent_ns,
	uint64_t park_ns)
{
	uint64_t ended = 0, left = 0, best, budget = 0;

	if (!sdpower_i_dq_usable(t))
		return 0;
	/* 2^16 of weight times 2^32 ns stay far below 2^64. */
	if (park_ns > UINT32_MAX)
		park_ns = UINT32_MAX;
	for (uint32_t class = 0; class < SDPOWER_DQ_CLASSES; class++)
		if (sdpower_i_dq_middle[class] > spent_ns)
			left += t->cpu->lengths[class];
	/* Nothing known: what is never worse than twice the best. */
	if (!left)
		return park_ns;
	best = left * park_ns;
	for (uint32_t class = 0; class < SDPOWER_DQ_CLASSES - 1; class++) {
		uint64_t wait, cost;

		if (sdpower_i_dq_middle[class] <= spent_ns)
			continue;
		wait = class_begin[class] > spent_ns ? class_begin[class] - spent_ns : 0;
		if (wait > park_ns)
			break;
		ended += t->cpu->lengths[class] * (sdpower_i_dq_middle[class] - spent_ns);
		left -= t->cpu->lengths[class];
		cost = ended + left * (wait + park_ns);
		if (cost < best) {
			best = cost;
			budget = wait;
		}
	}
	return budget;
}
