/* SPDX-License-Identifier: MIT */
/* Sets of cpus by the numbers people know. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpus.h"

/* "65535-65536," and a little more. */
#define RUN_TEXT 24u

const struct sdpower_cpu_desc *cpus_at(const struct sdpower_topology *t, sdpower_cpu cpu)
{
	return (const void *)((const char *)t->cpus + (size_t)cpu * t->cpu_stride);
}

bool cpus_online(const struct sdpower_topology *t, sdpower_cpu cpu)
{
	return !(cpus_at(t, cpu)->flags & SDPOWER_CPU_OFFLINE);
}

bool cpus_allowed(const struct sdpower_topology *t, sdpower_cpu cpu)
{
	return !t->allowed || (cpu / 32 < t->allowed_words && cpus_in(t->allowed, cpu));
}

sdpower_cpu cpus_find(const struct sdpower_topology *t, uint32_t os_id)
{
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
		if (cpus_at(t, cpu)->os_id == os_id)
			return cpu;
	return SDPOWER_CPU_NONE;
}

uint32_t cpus_words(const struct sdpower_topology *t)
{
	return (t->cpu_count + 31) / 32;
}

uint32_t *cpus_mask(const struct sdpower_topology *t)
{
	return cmd_alloc(cpus_words(t), sizeof(uint32_t));
}

/* A run goes on while the numbers of the operating system do. */
static sdpower_cpu end_of_run(const struct sdpower_topology *t, const uint32_t *mask,
	sdpower_cpu first)
{
	sdpower_cpu last = first;

	while (last + 1 < t->cpu_count && cpus_in(mask, last + 1) &&
			cpus_at(t, last + 1)->os_id == cpus_at(t, last)->os_id + 1)
		last++;
	return last;
}

char *cpus_text(const struct sdpower_topology *t, const uint32_t *mask)
{
	char *text = cmd_alloc((size_t)t->cpu_count + 1, RUN_TEXT), *at = text;

	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		const sdpower_cpu last = cpus_in(mask, cpu) ? end_of_run(t, mask, cpu) : cpu;

		if (!cpus_in(mask, cpu))
			continue;
		at += sprintf(at, "%s%u", at == text ? "" : ",", (unsigned)cpus_at(t, cpu)->os_id);
		if (last > cpu)
			at += sprintf(at, "-%u", (unsigned)cpus_at(t, last)->os_id);
		cpu = last;
	}
	if (at == text)
		strcpy(text, "-");
	return text;
}

void cpus_json(struct json *j, const char *key, const struct sdpower_topology *t,
	const uint32_t *mask)
{
	json_row(j, key);
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
		if (cpus_in(mask, cpu))
			json_number(j, NULL, cpus_at(t, cpu)->os_id);
	json_close(j);
}
