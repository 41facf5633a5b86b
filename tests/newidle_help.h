/* SPDX-License-Identifier: MIT */
/* A newly idle cpu for tests: rules, state, and a host that does what a script says. */
#ifndef SDPOWER_TEST_NEWIDLE_HELP_H
#define SDPOWER_TEST_NEWIDLE_HELP_H

#include <stdint.h>
#include <string.h>
#include <sdpower.h>

#define NEWIDLE_LEVELS 4u
#define NEWIDLE_COST UINT64_C(500000)

struct newidle_host {
	struct sdpower_newidle_rules rules;
	struct sdpower_newidle_cpu cpu;
	struct sdpower_newidle_level level[NEWIDLE_LEVELS];
	struct sdpower_newidle tracker;
	uint64_t now_ns, tick;
	uint32_t ask;                                /* facts of the question */
	uint64_t refresh_ns, cost_ns[NEWIDLE_LEVELS];/* what steps take */
	uint32_t refresh, facts[NEWIDLE_LEVELS], look;
	uint32_t draw[NEWIDLE_LEVELS];
	uint32_t searched, glanced, drawn;           /* masks of levels */
};

/* A cpu of that mode at HZ 1000 whose levels all may be searched; nothing has ever happened. */
static inline void newidle_setup(struct newidle_host *h, uint32_t mode, uint32_t levels)
{
	memset(h, 0, sizeof(*h));
	h->rules.struct_size = sizeof(h->rules);
	h->rules.mode = mode;
	h->rules.hz = 1000;
	h->rules.tick_bits = 64;
	h->rules.cpus = 64;
	h->rules.migration_cost_ns = NEWIDLE_COST;
	h->cpu.struct_size = sizeof(h->cpu);
	h->tracker.struct_size = sizeof(h->tracker);
	h->tracker.level_count = levels;
	h->tracker.level_stride = sizeof(h->level[0]);
	h->tracker.rules = &h->rules;
	h->tracker.cpu = &h->cpu;
	h->tracker.levels = h->level;
	for (uint32_t i = 0; i < NEWIDLE_LEVELS; i++) {
		h->level[i].flags = SDPOWER_SD_BALANCE_NEWIDLE;
		h->level[i].interval_ms = 8u << i;
		h->level[i].busy_factor = 16;
		h->cost_ns[i] = 1000u << i;
	}
	h->now_ns = 1000000000;
	h->tick = 1000;
	h->ask = SDPOWER_NEWIDLE_OVERLOADED | SDPOWER_NEWIDLE_ACTIVE;
	(void)sdpower_newidle_init(&h->tracker, h->now_ns, h->tick);
}

/* Does what the step says and fills the report. */
static inline void newidle_act(struct newidle_host *h, const struct sdpower_newidle_walk *w,
	struct sdpower_newidle_report *report)
{
	memset(report, 0, sizeof(*report));
	report->struct_size = sizeof(*report);
	if (w->step == SDPOWER_NEWIDLE_REFRESH) {
		h->now_ns += h->refresh_ns;
		report->facts = h->refresh;
	} else if (w->step == SDPOWER_NEWIDLE_DRAW) {
		h->drawn |= 1u << w->level;
		report->draw = h->draw[w->level];
	} else if (w->step == SDPOWER_NEWIDLE_LOOK) {
		report->facts = h->look;
	} else {
		h->now_ns += h->cost_ns[w->level];
		report->facts = h->facts[w->level];
		if (w->step == SDPOWER_NEWIDLE_GLANCE)
			h->glanced |= 1u << w->level;
		else
			h->searched |= 1u << w->level;
	}
	report->now_ns = h->now_ns;
}

/* A whole walk; its end is in w. Status of the first call that failed, or OK. */
static inline sdpower_status newidle_walk(struct newidle_host *h, struct sdpower_newidle_walk *w)
{
	struct sdpower_newidle_ask ask;
	struct sdpower_newidle_report report;
	sdpower_status status;

	memset(&ask, 0, sizeof(ask));
	ask.struct_size = sizeof(ask);
	ask.facts = h->ask;
	ask.now_ns = h->now_ns;
	ask.tick = h->tick;
	memset(w, 0, sizeof(*w));
	w->struct_size = sizeof(*w);
	h->searched = h->glanced = h->drawn = 0;
	status = sdpower_newidle_begin(&h->tracker, &ask, w);
	while (!status && w->step != SDPOWER_NEWIDLE_DONE) {
		newidle_act(h, w, &report);
		status = sdpower_newidle_next(&h->tracker, &report, w);
	}
	return status;
}

/* A whole pass of an idle or busy cpu; the levels balanced are in h->searched. */
static inline sdpower_status newidle_pass(struct newidle_host *h, uint32_t busy)
{
	struct sdpower_newidle_pass p;
	sdpower_status status;

	memset(&p, 0, sizeof(p));
	p.struct_size = sizeof(p);
	h->searched = 0;
	status = sdpower_newidle_pass_begin(&h->tracker, busy, h->tick, &p);
	while (!status && p.step != SDPOWER_NEWIDLE_DONE) {
		h->searched |= 1u << p.level;
		status = sdpower_newidle_pass_next(&h->tracker, h->facts[p.level], &p);
	}
	return status;
}

#endif
