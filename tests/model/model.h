/* SPDX-License-Identifier: MIT */
/*
 * The classic decisions once more, slow and plain: every level is asked for through the
 * public walk, every cpu through sdpower_get_cpu, every group cpu by cpu in ascending order.
 * Written from docs/POLICY.md, shares nothing with the library.
 */
#ifndef SDPOWER_TEST_MODEL_H
#define SDPOWER_TEST_MODEL_H

#include <stdbool.h>
#include <sdpower.h>

#define MODEL_CPUS 512u
#define MODEL_WORDS (MODEL_CPUS / 32u)

/* D1 to D4; the answer has no handle. v4: the gates and the arbitration of the v4 series. */
void model_busiest_group(const sdpower *s, const struct sdpower_busiest_request *q, bool v4,
	struct sdpower_busiest *a);
/* D5 */
sdpower_cpu model_busiest_queue(const sdpower *s, const struct sdpower_queue_request *q);
/* D6, D7: a ring index or NONE, a cpu or NONE. */
uint32_t model_idlest_group(const sdpower *s, const struct sdpower_placement *p);
sdpower_cpu model_idlest_cpu(const sdpower *s, const struct sdpower_placement *p, uint32_t group);
sdpower_cpu model_place(const sdpower *s, const struct sdpower_placement *p);
/* D8 */
sdpower_cpu model_wake_idle(const sdpower *s, const struct sdpower_wake *w, bool v4);
sdpower_cpu model_select(const sdpower *s, const struct sdpower_wake *w, bool v4);
/* D10 */
sdpower_cpu model_ilb(const sdpower *s, sdpower_cpu cpu, const uint32_t *mask, uint32_t words);

/* Cpus that are online, allowed and in a partition: the test keeps it up to date. */
extern uint32_t model_usable[MODEL_WORDS];

/* Shared by the files of the model. */
struct model_level {
	struct sdpower_domain handle;
	struct sdpower_domain_info info;
	uint32_t span[MODEL_WORDS];
};
struct model_group {
	struct sdpower_group_info info;
	uint32_t mask[MODEL_WORDS];
};
bool model_bit(const uint32_t *mask, uint32_t words, sdpower_cpu cpu);
bool model_level_at(const sdpower *s, sdpower_cpu cpu, uint32_t depth, struct model_level *l);
bool model_group_at(const sdpower *s, const struct model_level *l, uint32_t nth,
	struct model_group *g);
struct sdpower_cpu_state model_cpu(const sdpower *s, sdpower_cpu cpu);
uint64_t model_source(const struct sdpower_cpu_state *c, uint32_t index);
uint64_t model_target(const struct sdpower_cpu_state *c, uint32_t index);
uint32_t model_wakeup_level(const sdpower *s, bool v4);
bool model_in_tree(const sdpower *s, sdpower_cpu cpu);

#endif
