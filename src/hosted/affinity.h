/* SPDX-License-Identifier: MIT */
/* What the running system says about this process and this build. */
#ifndef SDPOWER_I_AFFINITY_H
#define SDPOWER_I_AFFINITY_H

#include <stdint.h>

/* Room for every os id the loader accepts. */
#define SDPOWER_I_AFFINITY_WORDS 2048u

/* Fills a mask over os ids with the affinity of this thread: 1, or 0 where nobody knows. */
int sdpower_i_affinity(uint32_t *mask);

/* One of enum sdpower_arch. */
uint32_t sdpower_i_build_arch(void);

#endif
