/* SPDX-License-Identifier: MIT */
/* The trackers of libsdpower as a worker uses them. */
#include <stdlib.h>
#include "newidle.h"
#include "seam.h"

/* What the modes of Linux count in. */
#define HZ 1000u
#define NS_PER_TICK (UINT64_C(1000000000) / HZ)
#define MIGRATION_COST 500000u
/* What a sleep and a wake-up cost, both sides, on cpus of a virtual machine: 14 us more for each in a
 * run of tasks of nothing; 5 us on the same cpu. */
#define PARK_NS 20000u

struct newidle {
	enum newidle_mode mode;
	uint32_t levels, level;
	uint64_t since, searched; /* begin of the period; end of the last search, or its begin */
	uint64_t park;            /* 0: do not linger */
	struct sdpower_dq dq;
	struct sdpower_dq_cpu dq_cpu;
	struct sdpower_dq_level *dq_levels;
	struct sdpower_newidle walker;
	struct sdpower_newidle_rules rules;
	struct sdpower_newidle_cpu cpu;
	struct sdpower_newidle_level *walker_levels;
	struct sdpower_newidle_walk walk;
	uint32_t random;
};

static const struct sdpower_dq_rules dq_rules = { .struct_size = sizeof(dq_rules) };

static const char *const names[NEWIDLE_MODES] = {
	"dq", "k515", "k516", "k617", "k619", "k70", "all", "none",
};

const char *newidle_name(enum newidle_mode mode)
{
	return names[mode];
}

static bool is_linux(const struct newidle *n)
{
	return n->mode >= NEWIDLE_K515 && n->mode <= NEWIDLE_K70;
}

static void describe_level(struct newidle *n, const struct brain *b, uint32_t worker,
	uint32_t level)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	struct sdpower_domain domain;

	n->dq_levels[level].move_ns = brain_cost(b, worker, level).move_ns;
	if (sdpower_domain_at(b->sd, seam_cpu(b, worker), level, &domain) < 0 ||
	    sdpower_domain_describe(b->sd, domain, &info) < 0)
		return;
	n->walker_levels[level].flags = info.flags;
	n->walker_levels[level].interval_ms = info.balance_interval;
	n->walker_levels[level].busy_factor = info.busy_factor;
}

static bool begin_trackers(struct newidle *n, const struct brain *b, uint64_t now)
{
	n->dq_cpu.struct_size = sizeof(n->dq_cpu);
	n->dq = (struct sdpower_dq){ .struct_size = sizeof(n->dq), .level_count = n->levels,
		.rules = &dq_rules, .cpu = &n->dq_cpu, .levels = n->dq_levels };
	n->rules = (struct sdpower_newidle_rules){ .struct_size = sizeof(n->rules),
		.mode = is_linux(n) ? SDPOWER_NEWIDLE_K515 + (n->mode - NEWIDLE_K515) :
			SDPOWER_NEWIDLE_K515,
		.hz = HZ, .tick_bits = 64, .cpus = b->machine.summary.cpus,
		.migration_cost_ns = MIGRATION_COST };
	n->cpu.struct_size = sizeof(n->cpu);
	n->walker = (struct sdpower_newidle){ .struct_size = sizeof(n->walker),
		.level_count = n->levels, .level_stride = sizeof(*n->walker_levels),
		.rules = &n->rules, .cpu = &n->cpu, .levels = n->walker_levels };
	return sdpower_dq_init(&n->dq, now) >= 0 &&
		sdpower_newidle_init(&n->walker, now, now / NS_PER_TICK) >= 0;
}

struct newidle *newidle_open(const struct brain *b, uint32_t worker, enum newidle_mode mode,
	uint64_t now)
{
	const struct brain_machine *m = &b->machine.summary;
	struct newidle *n = calloc(1, sizeof(*n));
	uint32_t level;

	if (!n)
		return NULL;
	n->mode = mode;
	n->random = worker + 1;
	n->levels = brain_levels(b, worker);
	/* Who lingers on a real cpu that others want keeps away what it waits for. */
	n->park = m->cpus > m->real_cpus ? 0 : PARK_NS;
	n->dq_levels = calloc(n->levels + 1, sizeof(*n->dq_levels));
	n->walker_levels = calloc(n->levels + 1, sizeof(*n->walker_levels));
	if (!n->dq_levels || !n->walker_levels) {
		newidle_close(n);
		return NULL;
	}
	for (level = 0; level < n->levels; level++)
		describe_level(n, b, worker, level);
	if (!begin_trackers(n, b, now)) {
		newidle_close(n);
		return NULL;
	}
	return n;
}

void newidle_close(struct newidle *n)
{
	if (!n)
		return;
	free(n->dq_levels);
	free(n->walker_levels);
	free(n);
}

/* From n->level on, the first one that dq finds worth it. */
static uint32_t next_of_dq(struct newidle *n)
{
	for (; n->level < n->levels; n->level++)
		if (sdpower_dq_should_search(&n->dq, n->level, n->searched - n->since) > 0)
			return n->level;
	return NEWIDLE_STOP;
}

static uint32_t next_of_all(const struct newidle *n)
{
	return n->mode == NEWIDLE_ALL && n->level < n->levels ? n->level : NEWIDLE_STOP;
}

static uint32_t draw(struct newidle *n)
{
	n->random = n->random * 1664525u + 1013904223u;
	return n->random >> 16;
}

/* Walks on until a level is to be searched. */
static uint32_t next_of_linux(struct newidle *n, uint32_t facts, uint64_t now)
{
	struct sdpower_newidle_report report = { .struct_size = sizeof(report), .facts = facts,
		.now_ns = now };
	sdpower_status status = SDPOWER_OK;

	if (n->walk.step == SDPOWER_NEWIDLE_SEARCH)
		status = sdpower_newidle_next(&n->walker, &report, &n->walk);
	report.facts = 0;
	while (status >= 0 && n->walk.step != SDPOWER_NEWIDLE_DONE &&
	       n->walk.step != SDPOWER_NEWIDLE_SEARCH) {
		report.draw = draw(n);
		status = sdpower_newidle_next(&n->walker, &report, &n->walk);
	}
	n->level = n->walk.level;
	return status >= 0 && n->walk.step == SDPOWER_NEWIDLE_SEARCH ? n->level : NEWIDLE_STOP;
}

/* Costs decay in passes only, at least in the oldest mode; the pool balances at its own tick. */
static void pass_if_due(struct newidle *n, uint64_t now)
{
	struct sdpower_newidle_pass pass = { .struct_size = sizeof(pass) };
	uint64_t tick = now / NS_PER_TICK;

	if ((int64_t)(tick - n->cpu.next_balance) < 0 ||
	    sdpower_newidle_pass_begin(&n->walker, SDPOWER_NEWIDLE_BUSY, tick, &pass) < 0)
		return;
	while (pass.step != SDPOWER_NEWIDLE_DONE)
		if (sdpower_newidle_pass_next(&n->walker, SDPOWER_NEWIDLE_BUSY, &pass) < 0)
			return;
}

static uint32_t begin_linux(struct newidle *n, bool waiting, uint64_t now)
{
	struct sdpower_newidle_ask ask = { .struct_size = sizeof(ask), .now_ns = now,
		.facts = SDPOWER_NEWIDLE_ACTIVE |
			(waiting ? (uint32_t)SDPOWER_NEWIDLE_OVERLOADED : 0),
		.tick = now / NS_PER_TICK };

	pass_if_due(n, now);
	n->walk = (struct sdpower_newidle_walk){ .struct_size = sizeof(n->walk) };
	if (sdpower_newidle_begin(&n->walker, &ask, &n->walk) < 0)
		return NEWIDLE_STOP;
	return next_of_linux(n, 0, now);
}

uint32_t newidle_begin(struct newidle *n, bool waiting, uint64_t now)
{
	n->since = now;
	n->searched = now;
	n->level = 0;
	if (is_linux(n))
		return begin_linux(n, waiting, now);
	if (n->mode != NEWIDLE_DQ)
		return next_of_all(n);
	(void)sdpower_dq_begin(&n->dq, now);
	return waiting ? next_of_dq(n) : NEWIDLE_STOP;
}

uint32_t newidle_next(struct newidle *n, bool pulled, bool arrived, uint64_t now)
{
	uint64_t cost = now - n->searched;

	n->searched = now;
	if (is_linux(n))
		return next_of_linux(n, (pulled ? (uint32_t)SDPOWER_NEWIDLE_PULLED : 0) |
			(arrived ? (uint32_t)SDPOWER_NEWIDLE_QUEUED : 0), now);
	if (n->mode == NEWIDLE_DQ)
		(void)sdpower_dq_account(&n->dq, n->level, cost, pulled, now);
	n->level++;
	if (pulled || arrived)
		return NEWIDLE_STOP;
	return n->mode == NEWIDLE_DQ ? next_of_dq(n) : next_of_all(n);
}

uint64_t newidle_linger_ns(const struct newidle *n, uint64_t now)
{
	if (n->mode != NEWIDLE_DQ || !n->park)
		return 0;
	return sdpower_dq_idle_budget_ns(&n->dq, now - n->since, n->park);
}

void newidle_wake(struct newidle *n, uint64_t now)
{
	if (is_linux(n))
		(void)sdpower_newidle_wake(&n->walker, now);
	else if (n->mode == NEWIDLE_DQ)
		(void)sdpower_dq_wake(&n->dq, now);
}
