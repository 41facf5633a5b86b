/* SPDX-License-Identifier: MIT */
/* The walk that is timed: all lines of a buffer, each once, in an order no prefetcher follows. */
#include "calibrate.h"
#include "../port.h"

#define WORDS_PER_LINE 8u
/* Lines between two looks at the clock: tens of microseconds. */
#define PIECE 4096u

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The golden section keeps neighbours in time far apart; without a common divisor no line is
 * left out and none comes twice. */
uint64_t sdpower_i_walk_stride(uint64_t lines)
{
	uint64_t stride = lines / 1000 * 618 + lines % 1000 * 618 / 1000;

	if (stride < 1)
		return 1;
	while (common_divisor(stride, lines) != 1)
		stride++;
	return stride;
}

static int may_go_on(uint64_t deadline_ns, const uint32_t *stop)
{
	return !sdpower_i_load(stop) && sdpower_i_now() < deadline_ns;
}

int sdpower_i_walk(uint64_t *words, uint64_t lines, uint64_t deadline_ns, const uint32_t *stop)
{
	/* Nothing reads what is written, so a compiler could leave it out. */
	volatile uint64_t *const w = words;
	const uint64_t stride = sdpower_i_walk_stride(lines);
	uint64_t line = 0, left = lines;

	while (left) {
		uint64_t piece = left < PIECE ? left : PIECE;

		left -= piece;
		for (; piece; piece--) {
			w[line * WORDS_PER_LINE] = w[line * WORDS_PER_LINE] + 1;
			line += stride;
			if (line >= lines)
				line -= lines;
		}
		if (left && !may_go_on(deadline_ns, stop))
			return 0;
	}
	return 1;
}
