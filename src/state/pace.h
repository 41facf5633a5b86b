/* SPDX-License-Identifier: MIT */
/* What a cpu remembers of balancing: per level of its chain, and once. */
#ifndef SDPOWER_I_PACE_H
#define SDPOWER_I_PACE_H

#include <stdint.h>

/* Pushes one cpu can have asked for at the same time; one level asks for one in a pass. */
#define SDPOWER_I_PUSHES 3u

struct sdpower_i_pace {
	uint64_t last;     /* (o, private) tick of the last pass; native: the low half, above it a stamp */
	uint32_t interval; /* (o, private) ms between passes */
	uint32_t failed;   /* (o) passes in a row that found work and moved none; native: and the mode */
};

/* Native modes of a level, beside the failures; the stamp is the tick they count from. */
#define SDPOWER_I_PACE_SPREADING 0x40000000u /* a group was over-utilised */
#define SDPOWER_I_PACE_WAITING 0x80000000u   /* work waits for a cpu that is near */

static inline uint32_t sdpower_i_pace_stamp(const struct sdpower_i_pace *pace)
{
	return (uint32_t)(pace->last >> 32);
}

static inline void sdpower_i_pace_set_stamp(struct sdpower_i_pace *pace, uint32_t tick)
{
	pace->last = (uint64_t)tick << 32 | (uint32_t)pace->last;
}

/* The half of a pass's tick that was kept, made whole: it lies at or before now. */
static inline uint64_t sdpower_i_pace_last(const struct sdpower_i_pace *pace, uint64_t now)
{
	return now - (uint32_t)((uint32_t)now - (uint32_t)pace->last);
}

/* 16 bytes: a search for requests reads those of all cpus. */
struct sdpower_i_balancer {
	uint64_t next;     /* (o, private) tick of the next walk */
	uint16_t epoch;    /* (o, private) sdpower_i_instance::epochs these records belong to */
	uint16_t push[SDPOWER_I_PUSHES]; /* (o) positions asked to push a task here, NONE16 = none */
};

/* The asker is claimed until the request has been served. */
#define SDPOWER_I_NATIVE_CLAIMED 0x8000u

/* Native: one request, cleared by whoever has served it, and what the deadline was made for. */
enum sdpower_i_native_push {
	SDPOWER_I_NATIVE_FROM,  /* (a) position asked to push, NONE16 = none */
	SDPOWER_I_NATIVE_TERMS, /* (o) level of the asker's chain, and SDPOWER_I_NATIVE_CLAIMED */
	SDPOWER_I_NATIVE_IDLE   /* (o, private) 1 = the deadline is that of an idle cpu */
};

#endif
