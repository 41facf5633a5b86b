/* SPDX-License-Identifier: MIT */
/* How the native rules put an answer: work that waits for a cpu goes to one without tasks. */
#ifndef SDPOWER_I_NATIVE_ANSWER_H
#define SDPOWER_I_NATIVE_ANSWER_H

#include "native.h"

static inline uint32_t sdpower_i_in_ring(uint32_t group, uint32_t own, uint32_t groups)
{
	return group >= own ? group - own : group + groups - own;
}

static inline void sdpower_i_answer_pull(const struct sdpower_i_native_search *q,
	struct sdpower_busiest *answer, uint32_t kind, uint32_t group, uint32_t from)
{
	answer->kind = kind;
	answer->group_first = sdpower_i_load16(&q->view->tree->groups[group].first_cpu);
	answer->from = q->s->forest.cpu_at[from];
	answer->target = q->s->forest.cpu_at[q->pos];
}

/* Half the difference by capacity: what may go from one cpu to the other. */
static inline uint64_t sdpower_i_half_of(uint32_t load, uint32_t capacity, uint32_t own_load,
	uint32_t own_capacity)
{
	const uint64_t more = (uint64_t)load * own_capacity, less = (uint64_t)own_load * capacity;

	if (more <= less)
		return 0;
	if (SDPOWER_LIKELY(capacity == own_capacity))
		return (load - own_load) / 2;
	return sdpower_i_divide(more - less, capacity + own_capacity);
}

/* A first task of any weight that leaves the cpus closer than before: an idle one takes it always. */
static inline void sdpower_i_answer_waiting(const struct sdpower_i_native_search *q,
	struct sdpower_busiest *answer, uint32_t group, uint32_t from)
{
	const uint32_t load = sdpower_i_load(&q->s->slots[from].load);
	const uint32_t own = sdpower_i_load(&q->s->slots[q->pos].load);

	sdpower_i_answer_pull(q, answer, SDPOWER_PULL_TASK, group, from);
	answer->imbalance = sdpower_i_half_of(load, sdpower_i_capacity_left(q->s, from), own,
		sdpower_i_capacity_left(q->s, q->pos));
	answer->most = load > own ? load - own - 1u : 0;
	answer->reason = SDPOWER_REASON_IMBALANCE |
		(q->flags & SDPOWER_ASK_IMPATIENT ? SDPOWER_REASON_LATENCY : 0u);
}

#endif
