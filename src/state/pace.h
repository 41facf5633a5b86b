/* SPDX-License-Identifier: MIT */
/* What a cpu remembers of balancing at one level of its chain. */
#ifndef SDPOWER_I_PACE_H
#define SDPOWER_I_PACE_H

#include <stdint.h>

struct sdpower_i_pace {
	uint64_t last;     /* (o, private) tick of the last pass */
	uint32_t interval; /* (o, private) ms between passes */
	uint32_t failed;   /* (o) passes in a row that found work and moved none */
};

#endif
