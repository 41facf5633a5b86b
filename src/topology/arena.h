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

/* Sizes stop growing here, where the address space of small machines ends, and never wrap. */
#define SDPOWER_I_ARENA_FULL (SIZE_MAX / 2u)

/* The next piece starts at a multiple of `line`. */
static inline void sdpower_i_arena_align(struct sdpower_i_arena *arena, size_t line)
{
	if (arena->used < SDPOWER_I_ARENA_FULL)
		arena->used = (arena->used + line - 1u) / line * line;
}

/* A piece aligned for uint64_t, or NULL when the block is too small or missing. */
static inline void *sdpower_i_arena_take(struct sdpower_i_arena *arena, size_t bytes)
{
	const size_t start = arena->used;

	if (start >= SDPOWER_I_ARENA_FULL || bytes > SDPOWER_I_ARENA_FULL - start)
		arena->used = SDPOWER_I_ARENA_FULL;
	else
		arena->used += (bytes + 7u) & ~(size_t)7u;
	if (!arena->base || arena->used > arena->size)
		return NULL;
	return arena->base + start;
}

#endif
