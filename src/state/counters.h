/* SPDX-License-Identifier: MIT */
/* Counters of the balance driver, where the instance keeps them. */
#ifndef SDPOWER_I_COUNTERS_H
#define SDPOWER_I_COUNTERS_H

#include "instance.h"
#include <sdpower/counters.h>

enum sdpower_i_push_counter {
	SDPOWER_I_PUSH_TRIED,
	SDPOWER_I_PUSH_FAILED,
	SDPOWER_I_PUSH_MOVED,
	SDPOWER_I_PUSH_COUNTERS
};

/* (o) all of it; pushes are counted by whoever owns both cpus. */
struct sdpower_i_counters {
	uint32_t pass[SDPOWER_PASS_KINDS][SDPOWER_PASS_COUNTERS];
	uint32_t push[SDPOWER_I_PUSH_COUNTERS];
};

/* The counters of a level, or NULL. */
static inline struct sdpower_i_counters *sdpower_i_counters_at(const struct sdpower *s,
	uint32_t pos, uint32_t depth)
{
	return s->counters ? &s->counters[(size_t)pos * s->forest.depth_max + depth] : NULL;
}

static inline void sdpower_i_count_pass(const struct sdpower *s, uint32_t pos, uint32_t depth,
	uint32_t idle, enum sdpower_pass_counter counter, uint32_t more)
{
	struct sdpower_i_counters *c = sdpower_i_counters_at(s, pos, depth);

	if (c)
		sdpower_i_store(&c->pass[idle][counter], c->pass[idle][counter] + more);
}

static inline void sdpower_i_count_push(const struct sdpower *s, uint32_t pos, uint32_t depth,
	int moved)
{
	struct sdpower_i_counters *c = sdpower_i_counters_at(s, pos, depth);
	const uint32_t which = moved ? SDPOWER_I_PUSH_MOVED : SDPOWER_I_PUSH_FAILED;

	if (!c)
		return;
	sdpower_i_store(&c->push[SDPOWER_I_PUSH_TRIED], c->push[SDPOWER_I_PUSH_TRIED] + 1);
	sdpower_i_store(&c->push[which], c->push[which] + 1);
}

void sdpower_i_counters_clear(const struct sdpower *s, uint32_t pos, uint32_t depth);

#endif
