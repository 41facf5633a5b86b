/* SPDX-License-Identifier: MIT */
/*
 * Finds earlier members of a class without memory for the classes. A small filter proves
 * most first members to be first, and so does an id above all before it; others are usually
 * as far away as for the member before (machines are numbered regularly); only what is left
 * is searched for. Linear on machines that exist, quadratic at worst.
 */
#ifndef SDPOWER_I_FINDER_H
#define SDPOWER_I_FINDER_H

#include <stdint.h>

/* 2 KiB of stack; with two bits a member, 4096 classes leave one search in twenty members. */
#define SDPOWER_I_FINDER_WORDS 512u
#define SDPOWER_I_NOT_FOUND UINT32_MAX

struct sdpower_i_finder {
	uint32_t seen[SDPOWER_I_FINDER_WORDS]; /* bits of hashes */
	uint32_t stride;                       /* how far away the last one was */
	uint32_t highest;                      /* member with the highest ids, or NOT_FOUND */
};

/* Compares the ids of two members: 0 = one class, else below or above 0. */
typedef int sdpower_i_order_fn(const void *context, uint32_t a, uint32_t b);

static inline void sdpower_i_finder_start(struct sdpower_i_finder *f)
{
	for (uint32_t i = 0; i < SDPOWER_I_FINDER_WORDS; i++)
		f->seen[i] = 0;
	f->stride = 1;
	f->highest = SDPOWER_I_NOT_FOUND;
}

/* Mixes an id into a hash. */
static inline uint32_t sdpower_i_finder_mix(uint32_t hash, uint32_t id)
{
	hash = (hash ^ id) * 0x9e3779b1u;
	return hash ^ hash >> 15;
}

/* Marks one bit; tells whether it was marked before. */
static inline int sdpower_i_finder_mark(struct sdpower_i_finder *f, uint32_t hash)
{
	uint32_t *word = &f->seen[hash / 32 % SDPOWER_I_FINDER_WORDS];
	const uint32_t bit = 1u << (hash % 32);
	const int seen = (*word & bit) != 0;

	*word |= bit;
	return seen;
}

/* Some earlier member of the class of `at`, or NOT_FOUND; members must come in order. */
static inline uint32_t sdpower_i_finder_earlier(struct sdpower_i_finder *f, uint32_t at,
	uint32_t hash, sdpower_i_order_fn *order, const void *context)
{
	const int one = sdpower_i_finder_mark(f, hash);
	const int two = sdpower_i_finder_mark(f, sdpower_i_finder_mix(hash, SDPOWER_I_FINDER_WORDS));
	const int seen = one && two;

	if (seen && at >= f->stride && order(context, at - f->stride, at) == 0)
		return at - f->stride;
	if (f->highest == SDPOWER_I_NOT_FOUND || order(context, f->highest, at) < 0) {
		f->highest = at;
		return SDPOWER_I_NOT_FOUND;
	}
	for (uint32_t other = at; seen && other-- > 0;)
		if (order(context, other, at) == 0) {
			f->stride = at - other;
			return other;
		}
	return SDPOWER_I_NOT_FOUND;
}

#endif
