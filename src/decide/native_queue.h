/* SPDX-License-Identifier: MIT */
/* Single cpus within a group: which gives, which takes (rules P1 to P4, P7). */
#ifndef SDPOWER_I_NATIVE_QUEUE_H
#define SDPOWER_I_NATIVE_QUEUE_H

#include "native_sums.h"

/* Groups are named by index in the tree's array; results are positions, NONE16 = there is none. */

/* The cpu with the most load for its capacity among those that must give tasks away. */
uint32_t sdpower_i_native_loaded(const struct sdpower_i_native_search *q, uint32_t group);

/* The same where all cpus are known to be candidates; needs no level. */
uint32_t sdpower_i_native_loaded_any(const struct sdpower_i_native_search *q, uint32_t group);

/* The cpu whose one task wants more than the cpu has the most, if the asker has clearly more. */
uint32_t sdpower_i_native_misfit(const struct sdpower_i_native_search *q, uint32_t group);

/* True iff an unused cpu of a group has clearly more than some capacity. */
int sdpower_i_native_has_larger(const struct sdpower_i_native_search *q, uint32_t group,
	uint32_t capacity);

/* The busy cpu of the lowest priority, if the asker has a higher one and is as large. */
uint32_t sdpower_i_native_lower(const struct sdpower_i_native_search *q, uint32_t group);

/* The cpu that can best do without its running task. */
uint32_t sdpower_i_native_crowded(const struct sdpower_i_native_search *q, uint32_t group);

/* The cpu of the asker's group that can best take work; unused = how many of it have none. */
uint32_t sdpower_i_native_taker(const struct sdpower_i_native_search *q, uint32_t unused);

/* True iff a running task would do as well on the asker as on the taker. */
int sdpower_i_native_takes_well(const struct sdpower_i_native_search *q, uint32_t taker);

/* Cores of a group that are in the tree. */
uint32_t sdpower_i_native_cores(const struct sdpower_i_native_search *q, uint32_t group);

#endif
