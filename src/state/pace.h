/* SPDX-License-Identifier: MIT */
/* What a cpu remembers of balancing: per level of its chain, and once. */
#ifndef SDPOWER_I_PACE_H
#define SDPOWER_I_PACE_H

#include <stdint.h>

/* Pushes one cpu can have asked for at the same time; one level asks for one in a pass. */
#define SDPOWER_I_PUSHES 3u

struct sdpower_i_pace {
	uint64_t last;     /* (o, private) tick of the last pass */
	uint32_t interval; /* (o, private) ms between passes */
	uint32_t failed;   /* (o) passes in a row that found work and moved none */
};

/* 16 bytes: a search for requests reads those of all cpus. */
struct sdpower_i_balancer {
	uint64_t next;     /* (o, private) tick of the next walk */
	uint16_t epoch;    /* (o, private) sdpower_i_instance::epochs these records belong to */
	uint16_t push[SDPOWER_I_PUSHES]; /* (o) positions asked to push a task here, NONE16 = none */
};

#endif
