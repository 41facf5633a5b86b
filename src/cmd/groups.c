/* SPDX-License-Identifier: MIT */
/* The groups of a domain, in ring order. */
#include <stdlib.h>
#include "cpus.h"
#include "groups.h"

sdpower_status groups_find(struct groups *g, const sdpower *s, const struct chains *c,
	const struct chains_one *domain)
{
	sdpower_status status = SDPOWER_OK;

	*g = (struct groups){ 0, cmd_alloc(domain->info.groups, sizeof(*g->one)) };
	while (g->count < domain->info.groups && status == SDPOWER_OK) {
		struct groups_one *one = &g->one[g->count];

		one->info.struct_size = sizeof(one->info);
		one->cpus = cpus_mask(c->t);
		status = sdpower_domain_group(s, domain->handle, g->count++, &one->info,
			one->cpus, c->words);
	}
	if (status != SDPOWER_OK)
		groups_drop(g);
	return status;
}

void groups_drop(struct groups *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		free(g->one[i].cpus);
	free(g->one);
	*g = (struct groups){ 0, NULL };
}

uint32_t groups_room(const struct groups_one *one)
{
	const uint32_t room = one->info.power / SDPOWER_SCALE;

	return room ? room : 1;
}
