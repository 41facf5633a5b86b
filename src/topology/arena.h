/* SPDX-License-Identifier: MIT */
/*
 * Carves a caller's block. The same walk asks the size and places the parts: without a
 * block, or past its end, pieces come back NULL and only `used` grows.
 */
#ifndef SDPOWER_I_ARENA_H
#define SDPOWER_I_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct sdpower_i_arena {
	unsigned char *base;
	size_t size;
	size_t used;
};

/* A piece aligned for uint64_t, or NULL when the block is too small or missing. */
static inline void *sdpower_i_arena_take(struct sdpower_i_arena *arena, size_t bytes)
{
	const size_t start = arena->used;

	arena->used += (bytes + 7u) & ~(size_t)7u;
	if (!arena->base || arena->used > arena->size)
		return NULL;
	return arena->base + start;
}

#endif
