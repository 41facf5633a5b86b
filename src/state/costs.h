/* SPDX-License-Identifier: MIT */
/* Measured times by distance, as decisions read them; rule M15. */
#ifndef SDPOWER_I_COSTS_H
#define SDPOWER_I_COSTS_H

#include "instance.h"

/* Longest time a word holds: one less than "everything is hot". */
#define SDPOWER_I_LONGEST_NS (UINT32_MAX - 2u)

/* Word of a time, and back; 0 = not measured. */
static inline uint32_t sdpower_i_word_of_ns(uint64_t ns)
{
	return 1u + (ns < SDPOWER_I_LONGEST_NS ? (uint32_t)ns : SDPOWER_I_LONGEST_NS);
}

/* Time for a level of a cpu's chain, or the one time there is without a measure. */
static inline uint32_t sdpower_i_time_of(const struct sdpower *s,
	const uint32_t words[SDPOWER_I_DISTANCES], uint32_t depth)
{
	uint32_t word;

	if (SDPOWER_LIKELY(!sdpower_i_load(&s->costs.valid)) || depth >= SDPOWER_I_DISTANCES)
		return s->migration_cost_ns;
	word = sdpower_i_load(&words[depth]);
	return word ? word - 1u : s->migration_cost_ns;
}

/* Age from which a task is cold that would move within the level at this depth, no nearer. */
static inline uint32_t sdpower_i_hot_ns(const struct sdpower *s, uint32_t depth)
{
	return sdpower_i_time_of(s, s->costs.hot, depth);
}

/* Whether the times belong to the tree of now; control side, after every change of it. */
void sdpower_i_check_costs(struct sdpower *s);

#endif
