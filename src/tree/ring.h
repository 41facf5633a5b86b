/* SPDX-License-Identifier: MIT */
/* The order in which a cpu visits the groups of a domain, its own first (B8, B13). */
#ifndef SDPOWER_I_RING_H
#define SDPOWER_I_RING_H

#include "view.h"

struct sdpower_i_ring {
	struct sdpower_i_domain domain;
	uint32_t pos;      /* of the cpu it starts at */
	uint32_t own;      /* index of its own group */
	uint32_t visited;
	uint32_t reached;  /* modern: how far from the cpu, cyclically, groups are covered */
	int follows_cpus;  /* modern rules, groups disjoint */
};

struct sdpower_i_ring sdpower_i_ring_of(const struct sdpower_i_view *v, uint32_t pos,
	const struct sdpower_i_link *link, const struct sdpower_i_domain *domain);

/* Index, over the whole tree, of the next group; NONE after the last one. */
uint32_t sdpower_i_ring_next(const struct sdpower_i_view *v, struct sdpower_i_ring *ring);

#endif
