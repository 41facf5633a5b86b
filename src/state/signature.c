/* SPDX-License-Identifier: MIT */
/* What the distances of a tree mean, as one number (rule M14). */
#include <sdpower/domain.h>
#include "state.h"
#include "../tree/view.h"

/* FNV-1a over 32-bit words. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t hash(uint64_t h, uint32_t word)
{
	for (uint32_t i = 0; i < 4; i++, word >>= 8)
		h = (h ^ (word & 0xffu)) * HASH_PRIME;
	return h;
}

/* Cpus by os id, in topology order, which is the machine's and no tree's. */
static uint64_t hash_span(uint64_t h, const struct sdpower_i_view *v,
	const struct sdpower_i_domain *d)
{
	struct sdpower_i_span span = sdpower_i_span_of(d->run, d->runs);
	const struct sdpower_i_forest *f = v->forest;
	uint32_t block, bits;

	while (sdpower_i_span_next(&span, v, &block, &bits)) {
		bits &= sdpower_i_active(v, block);
		for (uint32_t pos = f->blocks[block].first; bits; pos++, bits >>= 1)
			if (bits & 1u)
				h = hash(h, f->os_id[f->cpu_at[pos]]);
	}
	return h;
}

/* The first cpu of a span writes it out for all who see the same domain at that depth. */
static int is_written_elsewhere(const struct sdpower_i_view *v, uint32_t pos, uint32_t depth,
	uint32_t domain, uint32_t first_cpu)
{
	const uint32_t first = v->forest->pos_of[sdpower_i_below(first_cpu, v->forest->cpu_count)];

	return first != pos && depth < sdpower_i_depth(v, first) &&
		sdpower_i_get_link(v, first, depth).domain == domain;
}

static uint64_t hash_chain(uint64_t h, const struct sdpower_i_view *v, sdpower_cpu cpu)
{
	const uint32_t pos = v->forest->pos_of[cpu], levels = sdpower_i_depth(v, pos);

	h = hash(hash(h, v->forest->os_id[cpu]), levels);
	for (uint32_t depth = 0; depth < levels; depth++) {
		const struct sdpower_i_link link = sdpower_i_get_link(v, pos, depth);
		const struct sdpower_i_domain d = sdpower_i_get_domain(v, link.domain);

		h = hash(hash(h, d.first_cpu), d.weight);
		if (!is_written_elsewhere(v, pos, depth, link.domain, d.first_cpu))
			h = hash_span(h, v, &d);
	}
	return h;
}

sdpower_status sdpower_domain_signature(const sdpower *s, uint64_t *signature)
{
	if (!s || !signature)
		return SDPOWER_EINVAL;
	for (uint32_t i = 0; i < SDPOWER_I_TRIES; i++) {
		const struct sdpower_i_view v = sdpower_i_view_of(&s->forest);
		uint64_t h = hash(HASH_START, s->forest.arch);

		for (sdpower_cpu cpu = 0; cpu < s->forest.cpu_count; cpu++)
			h = hash_chain(h, &v, cpu);
		if (!sdpower_i_view_holds(&v))
			continue;
		*signature = h;
		return SDPOWER_OK;
	}
	return SDPOWER_ESTALE;
}
