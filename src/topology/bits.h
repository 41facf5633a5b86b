/* SPDX-License-Identifier: MIT */
/* Bits of masks made of 32-bit words. */
#ifndef SDPOWER_I_BITS_H
#define SDPOWER_I_BITS_H

#include <stdint.h>

/* A mask shorter than the machine reads as zero beyond its end. */
static inline int sdpower_i_bits_has(const uint32_t *mask, uint32_t words, uint32_t bit)
{
	return bit / 32u < words && ((mask[bit / 32u] >> (bit % 32u)) & 1u);
}

/* Lowest set bit of a word that is not 0; halving works without any compiler's help. */
static inline uint32_t sdpower_i_bits_low_bit(uint32_t word)
{
	uint32_t bit = 0;

	for (uint32_t width = 16; width; width /= 2u)
		if (!(word & ((1u << width) - 1u))) {
			word >>= width;
			bit += width;
		}
	return bit;
}

/* First set bit at or after from; UINT32_MAX when there is none. */
static inline uint32_t sdpower_i_bits_next(const uint32_t *mask, uint32_t words, uint32_t from)
{
	uint32_t w = from / 32u;
	uint32_t word;

	if (w >= words)
		return UINT32_MAX;
	word = mask[w] & (UINT32_MAX << (from % 32u));
	while (!word) {
		if (++w == words)
			return UINT32_MAX;
		word = mask[w];
	}
	return w * 32u + sdpower_i_bits_low_bit(word);
}

#endif
