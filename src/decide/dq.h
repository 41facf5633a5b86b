/* SPDX-License-Identifier: MIT */
/* The tracker dq: what its files share. Rules: docs/POLICY.md, N7 to N10. */
#ifndef SDPOWER_I_DQ_H
#define SDPOWER_I_DQ_H

#include <sdpower/dq.h>
#include "port.h"

/* A sample of idle length weighs this much; 0.99 of it is left after the next. The sum stays
 * below 100 samples, which fits 16 bits. */
#define SDPOWER_I_DQ_SAMPLE 512u

/* The middle of each class of idle lengths, ns: 500 (2^((class + 1/2) / 1.5) - 1). */
extern const uint32_t sdpower_i_dq_middle[SDPOWER_DQ_CLASSES];

/* The structs that the hot calls touch are the ones of this version. */
static inline int sdpower_i_dq_usable(const struct sdpower_dq *t)
{
	return t && t->struct_size == sizeof(*t) && t->rules && t->cpu &&
		t->rules->struct_size == sizeof(*t->rules) && t->cpu->struct_size == sizeof(*t->cpu) &&
		(t->levels || !t->level_count);
}

/* OK, or why rules and state cannot be used. */
sdpower_status sdpower_i_dq_check(const struct sdpower_dq *t);

/* One more sample that cannot be true. */
static inline void sdpower_i_dq_odd(struct sdpower_dq_cpu *cpu)
{
	if (cpu->odd_samples < UINT32_MAX)
		cpu->odd_samples++;
}

/* A cost or a length as it is used: 1 .. 2^32 - 1. */
static inline uint32_t sdpower_i_dq_clamp(struct sdpower_dq_cpu *cpu, uint64_t ns)
{
	if (SDPOWER_LIKELY(ns - 1 < UINT32_MAX))
		return (uint32_t)ns;
	sdpower_i_dq_odd(cpu);
	return ns == 0 || ns >> 63 ? 1 : UINT32_MAX;
}

/* N9: a length of work that was pulled from the level. */
void sdpower_i_dq_learn_gain(struct sdpower_dq_level *l, uint32_t length_ns);

#endif
