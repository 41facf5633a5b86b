/* SPDX-License-Identifier: MIT */
/* The work of a task: a chain of multiplications that touches no memory. */
#ifndef SDPOWER_PEER_WORK_H
#define SDPOWER_PEER_WORK_H

#include <stdint.h>

/* A turn takes a nanosecond or two; the driver measures how many make a microsecond, once for
 * all peers. The empty statement keeps the compiler from foreseeing the result. */
static inline void peer_work(uint64_t turns)
{
	uint64_t x = 42;

	for (uint64_t i = 0; i < turns; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
}

#endif
