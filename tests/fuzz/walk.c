/* SPDX-License-Identifier: MIT */
/* A walk over a cpu's chain: spans grow, groups cover them, handles lead back. */
#include "fuzz.h"

#define WORDS 16u

static uint32_t weight_of(const uint32_t *mask)
{
	uint32_t weight = 0;

	for (uint32_t i = 0; i < WORDS * 32; i++)
		weight += mask[i / 32] >> (i % 32) & 1u;
	return weight;
}

static void check_groups(const struct fuzz_model *m, struct sdpower_domain d,
	const struct sdpower_domain_info *info, const uint32_t *span, sdpower_cpu cpu)
{
	uint32_t covered[WORDS] = { 0 }, mask[WORDS];

	for (uint32_t i = 0; i < info->groups; i++) {
		struct sdpower_group_info group = { .struct_size = sizeof(group) };

		FUZZ_CHECK(sdpower_domain_group(m->s, d, i, &group, mask, WORDS) == SDPOWER_OK);
		FUZZ_CHECK(group.weight == weight_of(mask) && group.weight > 0);
		FUZZ_CHECK(mask[group.first_cpu / 32] >> (group.first_cpu % 32) & 1u);
		FUZZ_CHECK(i || mask[cpu / 32] >> (cpu % 32) & 1u);
		for (uint32_t w = 0; w < WORDS; w++)
			covered[w] |= mask[w];
	}
	FUZZ_CHECK(m->one_way || !memcmp(covered, span, sizeof(covered)));
	FUZZ_CHECK(sdpower_domain_group(m->s, d, info->groups, NULL, NULL, 0) == SDPOWER_ENOENT);
}

static uint32_t check_level(const struct fuzz_model *m, struct sdpower_domain d, sdpower_cpu cpu,
	uint32_t depth, uint32_t *span)
{
	struct sdpower_domain_info info = { .struct_size = sizeof(info) };
	uint32_t inner[WORDS];

	memcpy(inner, span, sizeof(inner));
	FUZZ_CHECK(sdpower_domain_describe(m->s, d, &info) == SDPOWER_OK);
	FUZZ_CHECK(sdpower_domain_span(m->s, d, span, WORDS) == SDPOWER_OK);
	FUZZ_CHECK(info.cpu == cpu && info.depth == depth && info.groups > 0);
	FUZZ_CHECK(info.weight == weight_of(span));
	FUZZ_CHECK(span[cpu / 32] >> (cpu % 32) & 1u);
	for (uint32_t w = 0; w < WORDS; w++)
		FUZZ_CHECK(!(inner[w] & ~span[w]));
	check_groups(m, d, &info, span, cpu);
	return info.weight;
}

void fuzz_walk(const struct fuzz_model *m, sdpower_cpu cpu)
{
	uint32_t span[WORDS] = { 0 }, depth = 0;
	struct sdpower_domain d, back, common;
	sdpower_status status = sdpower_domain_bottom(m->s, cpu, &d);

	for (; status == SDPOWER_OK; depth++) {
		const uint32_t weight = check_level(m, d, cpu, depth, span);

		FUZZ_CHECK(depth || sdpower_domain_child(m->s, d, &back) == SDPOWER_ENOENT);
		FUZZ_CHECK(weight > 1);
		status = sdpower_domain_parent(m->s, d, &d);
		if (status == SDPOWER_OK)
			FUZZ_CHECK(sdpower_domain_child(m->s, d, &back) == SDPOWER_OK);
	}
	FUZZ_CHECK(status == SDPOWER_ENOENT);
	FUZZ_CHECK(sdpower_domain_at(m->s, cpu, depth, &d) == SDPOWER_ENOENT);
	FUZZ_CHECK(sdpower_domain_distance(m->s, cpu, cpu) == 0);
	status = sdpower_domain_common(m->s, cpu, cpu, &common);
	FUZZ_CHECK(status == (depth ? SDPOWER_OK : SDPOWER_ENOENT));
}
