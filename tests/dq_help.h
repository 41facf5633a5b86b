/* SPDX-License-Identifier: MIT */
/* A cpu with the tracker dq for tests. */
#ifndef SDPOWER_TEST_DQ_HELP_H
#define SDPOWER_TEST_DQ_HELP_H

#include <stdint.h>
#include <string.h>
#include <sdpower.h>

#define DQ_LEVELS 3u

struct dq_host {
	struct sdpower_dq_rules rules;
	struct sdpower_dq_cpu cpu;
	struct sdpower_dq_level level[DQ_LEVELS];
	struct sdpower_dq dq;
	uint64_t now_ns;
};

static inline void dq_setup(struct dq_host *h, uint32_t levels)
{
	memset(h, 0, sizeof(*h));
	h->rules.struct_size = sizeof(h->rules);
	h->cpu.struct_size = sizeof(h->cpu);
	h->dq.struct_size = sizeof(h->dq);
	h->dq.level_count = levels;
	h->dq.rules = &h->rules;
	h->dq.cpu = &h->cpu;
	h->dq.levels = h->level;
	h->now_ns = 1000000000;
	(void)sdpower_dq_init(&h->dq, h->now_ns);
}

/* A period that searches level 0, asked for or not; work > 0: it pulls that much. */
static inline void dq_period(struct dq_host *h, uint64_t length, uint64_t cost, uint64_t work)
{
	(void)sdpower_dq_begin(&h->dq, h->now_ns);
	(void)sdpower_dq_account(&h->dq, 0, cost, work > 0, h->now_ns + cost);
	if (work)
		(void)sdpower_dq_ran(&h->dq, work);
	h->now_ns += length;
	(void)sdpower_dq_wake(&h->dq, h->now_ns);
}

#endif
