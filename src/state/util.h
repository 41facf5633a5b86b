/* SPDX-License-Identifier: MIT */
/* The constants of the decaying share, for whoever checks how they came about. */
#ifndef SDPOWER_I_UTIL_H
#define SDPOWER_I_UTIL_H

#include <stdint.h>

/* Steps per half-life. */
#define SDPOWER_I_UTIL_STEPS 32u

/* floor(2^32 * 2^(-n / 32)) for n = 1 .. 31. */
extern const uint32_t sdpower_i_util_factor[SDPOWER_I_UTIL_STEPS - 1];

/* What is left of a sum after some steps, rounded down. */
uint32_t sdpower_i_util_decay(uint32_t sum, uint32_t steps);

#endif
