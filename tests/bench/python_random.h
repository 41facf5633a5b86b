/* SPDX-License-Identifier: MIT */
/* The generator of Python's random.Random(seed), and what choice and randrange make of it. */
#ifndef SDPOWER_PYTHON_RANDOM_H
#define SDPOWER_PYTHON_RANDOM_H

#include <stdint.h>

#define PYTHON_RANDOM_WORDS 624u

/* MT19937. */
struct python_random {
	uint32_t word[PYTHON_RANDOM_WORDS];
	uint32_t next;
};

static inline void python_random_fill(struct python_random *r, uint32_t factor, uint32_t seed,
	uint32_t sign, uint32_t count, uint32_t *at)
{
	uint32_t *w = r->word;

	for (; count; count--) {
		const uint32_t before = w[*at - 1];

		w[*at] = (w[*at] ^ ((before ^ before >> 30) * factor)) + (sign ? seed - *at : seed);
		if (++*at < PYTHON_RANDOM_WORDS)
			continue;
		w[0] = w[PYTHON_RANDOM_WORDS - 1];
		*at = 1;
	}
}

/* As from an int below 2^32. */
static inline void python_random_seed(struct python_random *r, uint32_t seed)
{
	uint32_t at = 1;

	r->word[0] = 19650218u;
	for (uint32_t i = 1; i < PYTHON_RANDOM_WORDS; i++)
		r->word[i] = 1812433253u * (r->word[i - 1] ^ r->word[i - 1] >> 30) + i;
	python_random_fill(r, 1664525u, seed, 0, PYTHON_RANDOM_WORDS, &at);
	python_random_fill(r, 1566083941u, 0, 1, PYTHON_RANDOM_WORDS - 1, &at);
	r->word[0] = 0x80000000u;
	r->next = PYTHON_RANDOM_WORDS;
}

static inline void python_random_twist(struct python_random *r)
{
	uint32_t *w = r->word;

	for (uint32_t i = 0; i < PYTHON_RANDOM_WORDS; i++) {
		const uint32_t y = (w[i] & 0x80000000u) |
			(w[(i + 1) % PYTHON_RANDOM_WORDS] & 0x7fffffffu);

		w[i] = w[(i + 397) % PYTHON_RANDOM_WORDS] ^ y >> 1 ^ (y & 1u ? 0x9908b0dfu : 0u);
	}
	r->next = 0;
}

static inline uint32_t python_random_word(struct python_random *r)
{
	uint32_t y;

	if (r->next == PYTHON_RANDOM_WORDS)
		python_random_twist(r);
	y = r->word[r->next++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680u;
	y ^= y << 15 & 0xefc60000u;
	return y ^ y >> 18;
}

/* randrange(limit); limit is at least 1. */
static inline uint32_t python_random_below(struct python_random *r, uint32_t limit)
{
	uint32_t bits = 0, value;

	while (limit >> bits)
		bits++;
	do
		value = python_random_word(r) >> (32 - bits);
	while (value >= limit);
	return value;
}

#endif
