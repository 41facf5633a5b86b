/* SPDX-License-Identifier: MIT */
/* Which pairs of cpus stand for a distance. */
#include <stdlib.h>
#include <string.h>
#include "calibrate.h"

static int has(const uint32_t *mask, sdpower_cpu cpu)
{
	return mask[cpu / 32] >> cpu % 32 & 1u;
}

uint32_t sdpower_i_distances(const sdpower *s)
{
	const uint32_t cpus = sdpower_cpu_count(s);
	struct sdpower_domain domain;
	uint32_t count = 0;

	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++)
		while (count < SDPOWER_MIGRATION_DISTANCES &&
		       sdpower_domain_at(s, cpu, count, &domain) == SDPOWER_OK)
			count++;
	return count;
}

/* The cpus that one cpu meets at a distance and not nearer, as a mask: 1, or 0 without any. */
static int meets(const sdpower *s, const uint32_t *usable, sdpower_cpu cpu, uint32_t distance,
	uint32_t *mask, uint32_t *inner, uint32_t words)
{
	struct sdpower_domain domain;
	uint32_t any = 0;

	if (sdpower_domain_at(s, cpu, distance, &domain) ||
	    sdpower_domain_span(s, domain, mask, words))
		return 0;
	memset(inner, 0, words * sizeof(*inner));
	if (distance && (sdpower_domain_at(s, cpu, distance - 1, &domain) ||
			sdpower_domain_span(s, domain, inner, words)))
		return 0;
	inner[cpu / 32] |= 1u << cpu % 32;
	for (uint32_t i = 0; i < words; i++)
		any |= mask[i] &= ~inner[i] & usable[i];
	return any != 0;
}

static uint32_t count_of(const uint32_t *mask, uint32_t cpus)
{
	uint32_t count = 0;

	for (sdpower_cpu cpu = 0; cpu < cpus; cpu++)
		count += (uint32_t)has(mask, cpu);
	return count;
}

/* The n-th cpu of a mask, counted from one cpu on and around. */
static sdpower_cpu nth(const uint32_t *mask, uint32_t cpus, sdpower_cpu from, uint32_t n)
{
	sdpower_cpu cpu = from;

	for (;;) {
		cpu = cpu + 1 < cpus ? cpu + 1 : 0;
		if (has(mask, cpu) && n-- == 0)
			return cpu;
	}
}

/* Trees may look different from both ends; a pair stands for the larger distance. */
static int is_that_far(const sdpower *s, sdpower_cpu cpu, sdpower_cpu other, uint32_t distance)
{
	const sdpower_status back = sdpower_domain_distance(s, other, cpu);

	return back > 0 && (uint32_t)back <= distance + 1;
}

static int is_new(sdpower_cpu pairs[SDPOWER_I_PAIRS][2], uint32_t count, sdpower_cpu cpu,
	sdpower_cpu other)
{
	for (uint32_t i = 0; i < count; i++)
		if ((pairs[i][0] == cpu && pairs[i][1] == other) ||
		    (pairs[i][0] == other && pairs[i][1] == cpu))
			return 0;
	return 1;
}

/*
 * The first pair from the front, the second from the middle, the third from the end: both where
 * the first cpu stands in the machine, and how far around it the second one does.
 */
uint32_t sdpower_i_pairs_of(const sdpower *s, const uint32_t *usable, uint32_t distance,
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2])
{
	const uint32_t cpus = sdpower_cpu_count(s), words = (cpus + 31) / 32;
	uint32_t *const masks = calloc(2 * (size_t)words, sizeof(*masks));
	uint32_t count = 0;

	for (uint32_t k = 0; masks && k < SDPOWER_I_PAIRS; k++) {
		const sdpower_cpu from = k * (cpus - 1) / (SDPOWER_I_PAIRS - 1);

		for (uint32_t i = 0; i < cpus; i++) {
			const sdpower_cpu cpu = (from + i) % cpus;
			uint32_t partners;
			sdpower_cpu other;

			if (!has(usable, cpu) ||
			    !meets(s, usable, cpu, distance, masks, masks + words, words))
				continue;
			partners = count_of(masks, cpus);
			other = nth(masks, cpus, cpu, k * (partners - 1) / (SDPOWER_I_PAIRS - 1));
			if (!is_that_far(s, cpu, other, distance))
				continue;
			if (is_new(pairs, count, cpu, other)) {
				pairs[count][0] = cpu;
				pairs[count++][1] = other;
			}
			break;
		}
	}
	free(masks);
	return count;
}
