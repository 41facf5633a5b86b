/* SPDX-License-Identifier: MIT */
/* Sets of cpus by the numbers people know. */
#ifndef CMD_CPUS_H
#define CMD_CPUS_H

#include <sdpower.h>
#include "cmd.h"
#include "json.h"

/* A cpu of a table, whatever the stride. */
const struct sdpower_cpu_desc *cpus_at(const struct sdpower_topology *t, sdpower_cpu cpu);

bool cpus_online(const struct sdpower_topology *t, sdpower_cpu cpu);
bool cpus_allowed(const struct sdpower_topology *t, sdpower_cpu cpu);

/* The cpu with that number of the operating system, or SDPOWER_CPU_NONE. */
sdpower_cpu cpus_find(const struct sdpower_topology *t, uint32_t os_id);

/* Words of a mask of all cpus. */
uint32_t cpus_words(const struct sdpower_topology *t);

/* A zeroed mask of all cpus; the caller frees it. */
uint32_t *cpus_mask(const struct sdpower_topology *t);

static inline bool cpus_in(const uint32_t *mask, sdpower_cpu cpu)
{
	return mask[cpu / 32] >> cpu % 32 & 1u;
}

static inline void cpus_add(uint32_t *mask, sdpower_cpu cpu)
{
	mask[cpu / 32] |= UINT32_C(1) << cpu % 32;
}

/* "0-3,8" in numbers of the operating system, "-" for none; the caller frees it. */
char *cpus_text(const struct sdpower_topology *t, const uint32_t *mask);

/* The same as an array of numbers. */
void cpus_json(struct json *j, const char *key, const struct sdpower_topology *t,
	const uint32_t *mask);

#endif
