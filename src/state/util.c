/* SPDX-License-Identifier: MIT */
/* A decaying share of time (rule U1): busy and total time, both forgotten alike. */
#include <sdpower/util.h>
#include "util.h"

#define FACTOR_1 0xfa83b2dbu

/* After so many steps nothing is left of 32 bits. */
#define FORGOTTEN (32u * SDPOWER_I_UTIL_STEPS)

/*
 * A step adds its length and keeps y of the past, so that busy time tends to step / (1 - y),
 * of which y / (1 - y) steps are the past: 45.67, here with 26 bits behind the point.
 */
#define PAST_BITS 26
#define PAST_STEPS (((uint64_t)FACTOR_1 << PAST_BITS) / (0x100000000u - FACTOR_1))

_Static_assert((PAST_STEPS + (1u << PAST_BITS)) * (SDPOWER_UTIL_HALF_LIFE_MAX /
	SDPOWER_I_UTIL_STEPS) >> PAST_BITS < UINT32_MAX - FORGOTTEN, "sums fit 32 bits");
_Static_assert(PAST_STEPS <= UINT32_MAX, "a 32-bit multiplication does");

const uint32_t sdpower_i_util_factor[SDPOWER_I_UTIL_STEPS - 1] = {
	FACTOR_1, 0xf5257d15u, 0xefe4b99bu, 0xeac0c6e7u, 0xe5b906e7u, 0xe0ccdeecu,
	0xdbfbb797u, 0xd744fccau, 0xd2a81d91u, 0xce248c15u, 0xc9b9bd86u, 0xc5672a11u,
	0xc12c4ccau, 0xbd08a39fu, 0xb8fbaf47u, 0xb504f333u, 0xb123f581u, 0xad583eeau,
	0xa9a15ab4u, 0xa5fed6a9u, 0xa2704303u, 0x9ef53260u, 0x9b8d39b9u, 0x9837f051u,
	0x94f4efa8u, 0x91c3d373u, 0x8ea4398bu, 0x8b95c1e3u, 0x88980e80u, 0x85aac367u,
	0x82cd8698u
};

uint32_t sdpower_i_util_decay(uint32_t sum, uint32_t steps)
{
	const uint32_t halvings = steps / SDPOWER_I_UTIL_STEPS;

	if (steps >= FORGOTTEN)
		return 0;
	steps %= SDPOWER_I_UTIL_STEPS;
	if (!steps)
		return sum >> halvings;
	return (uint32_t)((uint64_t)sum * sdpower_i_util_factor[steps - 1] >> 32) >> halvings;
}

/* What so many whole steps leave behind when each of them is full. */
static uint32_t full_steps(uint32_t step_ns, uint32_t steps)
{
	const uint32_t past = (uint32_t)(step_ns * PAST_STEPS >> PAST_BITS);

	return past - sdpower_i_util_decay(past, steps);
}

static void add_time(struct sdpower_util *util, uint32_t ns, uint32_t busy)
{
	util->total += ns;
	util->busy += busy ? ns : 0;
}

/* The step that was going on is complete, and so are all but one of `steps`. */
static void forget(struct sdpower_util *util, uint32_t steps, uint32_t busy)
{
	const uint32_t between = full_steps(util->step_ns, steps - 1);

	util->total = sdpower_i_util_decay(util->total, steps);
	util->busy = sdpower_i_util_decay(util->busy, steps);
	add_time(util, between, busy);
}

/* Whole steps in some time, as many as matter; the rest goes to *rest. */
static uint32_t whole_steps(uint64_t ns, uint32_t step_ns, uint32_t *rest)
{
	uint64_t steps;

	if (ns <= UINT32_MAX) {
		*rest = (uint32_t)ns % step_ns;
		return (uint32_t)ns / step_ns;
	}
	steps = ns / step_ns;
	*rest = (uint32_t)(ns - steps * step_ns);
	return steps < FORGOTTEN ? (uint32_t)steps : FORGOTTEN;
}

static void pass_time(struct sdpower_util *util, uint64_t ns, uint32_t busy)
{
	const uint32_t left = util->step_ns - util->phase_ns;
	uint32_t steps;

	if (ns < left) {
		add_time(util, (uint32_t)ns, busy);
		util->phase_ns += (uint32_t)ns;
		return;
	}
	add_time(util, left, busy);
	steps = whole_steps(ns - left, util->step_ns, &util->phase_ns) + 1;
	forget(util, steps, busy);
	add_time(util, util->phase_ns, busy);
}

sdpower_status sdpower_util_start(struct sdpower_util *util, uint32_t half_life_ns,
	uint64_t now_ns)
{
	const uint32_t half_life = half_life_ns ? half_life_ns : SDPOWER_UTIL_HALF_LIFE;

	if (!util)
		return SDPOWER_EINVAL;
	if (half_life < SDPOWER_UTIL_HALF_LIFE_MIN || half_life > SDPOWER_UTIL_HALF_LIFE_MAX)
		return SDPOWER_ERANGE;
	*util = (struct sdpower_util){ .stamp_ns = now_ns,
		.step_ns = half_life / SDPOWER_I_UTIL_STEPS };
	return SDPOWER_OK;
}

/* Not memory that nobody started: a step of 0 would divide by it. */
static int is_sound(const struct sdpower_util *util)
{
	return util->step_ns >= SDPOWER_UTIL_HALF_LIFE_MIN / SDPOWER_I_UTIL_STEPS &&
		util->step_ns <= SDPOWER_UTIL_HALF_LIFE_MAX / SDPOWER_I_UTIL_STEPS &&
		util->phase_ns < util->step_ns && util->busy <= util->total;
}

sdpower_status sdpower_util_add(struct sdpower_util *util, uint64_t now_ns, uint32_t busy)
{
	if (!util || busy > 1 || !is_sound(util))
		return SDPOWER_EINVAL;
	if (now_ns < util->stamp_ns)
		util->clamped++;
	else
		pass_time(util, now_ns - util->stamp_ns, busy);
	util->stamp_ns = now_ns;
	return SDPOWER_OK;
}

uint32_t sdpower_util_share(const struct sdpower_util *util)
{
	uint32_t busy, total;

	if (!util || !util->total)
		return 0;
	busy = util->busy < util->total ? util->busy : util->total;
	total = util->total;
	/* 22 bits are enough for a share of 10, and leave room for it: no 64-bit division. */
	while (total >> 22) {
		total >>= 1;
		busy >>= 1;
	}
	return busy * SDPOWER_SCALE / total;
}
