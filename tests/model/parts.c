/* SPDX-License-Identifier: MIT */
/* What every rule of the model asks for. */
#include <stdlib.h>
#include <string.h>
#include "model.h"

bool model_bit(const uint32_t *mask, uint32_t words, sdpower_cpu cpu)
{
	if (!mask)
		return true;
	return cpu / 32 < words && (mask[cpu / 32] >> (cpu % 32) & 1);
}

bool model_level_at(const sdpower *s, sdpower_cpu cpu, uint32_t depth, struct model_level *l)
{
	memset(l, 0, sizeof(*l));
	l->info.struct_size = sizeof(l->info);
	if (sdpower_domain_at(s, cpu, depth, &l->handle))
		return false;
	if (sdpower_domain_describe(s, l->handle, &l->info) ||
	    sdpower_domain_span(s, l->handle, l->span, MODEL_WORDS))
		abort();
	return true;
}

bool model_group_at(const sdpower *s, const struct model_level *l, uint32_t nth,
	struct model_group *g)
{
	memset(g, 0, sizeof(*g));
	g->info.struct_size = sizeof(g->info);
	return sdpower_domain_group(s, l->handle, nth, &g->info, g->mask, MODEL_WORDS) == SDPOWER_OK;
}

struct sdpower_cpu_state model_cpu(const sdpower *s, sdpower_cpu cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	if (sdpower_get_cpu(s, cpu, &c))
		abort();
	return c;
}

uint64_t model_source(const struct sdpower_cpu_state *c, uint32_t index)
{
	if (index == 0 || c->cpu_load[index - 1] > c->load)
		return c->load;
	return c->cpu_load[index - 1];
}

uint64_t model_target(const struct sdpower_cpu_state *c, uint32_t index)
{
	if (index == 0 || c->cpu_load[index - 1] < c->load)
		return c->load;
	return c->cpu_load[index - 1];
}

uint32_t model_wakeup_level(const sdpower *s, bool v4)
{
	uint32_t mc = 0, smt = 0;

	(void)sdpower_get_knobs(s, &mc, &smt);
	return v4 && smt > mc ? smt : mc;
}

uint32_t model_usable[MODEL_WORDS];

bool model_in_tree(const sdpower *s, sdpower_cpu cpu)
{
	return cpu < sdpower_cpu_count(s) && model_bit(model_usable, MODEL_WORDS, cpu);
}
