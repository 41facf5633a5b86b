/* SPDX-License-Identifier: MIT */
/**
 * @file util.h
 * @brief How busy something has been lately: a decaying share of time.
 *
 * A signal remembers which share of the time a cpu or a task had something to run; time that
 * is one half-life older counts half. The host says at every change, and at ticks if it likes,
 * what the time since the last call was: busy or not. The share goes from 0 to 1024; more is
 * busier. As long as a signal is young its share is that of its own life, so that a new task
 * is judged by what it did and not by the time before it was there.
 *
 * A host that has such a signal already feeds its own numbers wherever the library asks for a
 * share, or for a busy and a total time; only their ratio matters. Derivation, table and error
 * bounds: docs/POLICY.md, U1.
 *
 * A signal is plain data owned by the host, in fixed point, with one writer at a time.
 */
#ifndef SDPOWER_UTIL_H
#define SDPOWER_UTIL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Half-life unless another one is asked for, ns. */
#define SDPOWER_UTIL_HALF_LIFE 32000000u
/** Half-life of 32 periods of 1024 us, which the policy of 2013 was tuned with, ns. */
#define SDPOWER_UTIL_HALF_LIFE_2013 32768000u
/** Shortest half-life, ns. */
#define SDPOWER_UTIL_HALF_LIFE_MIN 32000u
/** Longest half-life, ns; the sums of a longer one would not fit 32 bits. */
#define SDPOWER_UTIL_HALF_LIFE_MAX 2000000000u

/** A decaying share of time. Made by #sdpower_util_start; copied and dropped at will. */
struct sdpower_util {
	uint64_t stamp_ns; /**< time up to which it is known */
	uint32_t busy;     /**< decayed busy time, ns, at most total */
	uint32_t total;    /**< decayed time, ns */
	uint32_t step_ns;  /**< a 32nd of the half-life */
	uint32_t phase_ns; /**< time since the last step, below step_ns */
	uint32_t clamped;  /**< times that ran backwards */
	uint32_t reserved; /**< 0 */
};

/**
 * Starts a signal that knows nothing yet.
 * @param[out] util the signal
 * @param half_life_ns #SDPOWER_UTIL_HALF_LIFE_MIN .. #SDPOWER_UTIL_HALF_LIFE_MAX, rounded down to
 *        a multiple of 32 ns; 0 = #SDPOWER_UTIL_HALF_LIFE
 * @param now_ns time
 * @return OK; ERANGE for another half-life; EINVAL for NULL. util is not touched on errors.
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_util_start(struct sdpower_util *util, uint32_t half_life_ns,
	uint64_t now_ns);

/**
 * Adds the time since the last call.
 * @param util the signal
 * @param now_ns time; before the last call = no time has passed, counted in clamped
 * @param busy 1 = there was something to run, 0 = there was not
 * @return OK; EINVAL for NULL, a signal that was never started, or another value of busy
 * @par Context owner. O(1) whatever time has passed: an addition within a step, two to four
 *      multiplications beyond; a 64-bit division only after more than 4 s.
 */
SDPOWER_API sdpower_status sdpower_util_add(struct sdpower_util *util, uint64_t now_ns,
	uint32_t busy);

/**
 * The share of time that was busy, at the time of the last #sdpower_util_add.
 * @param util the signal
 * @return 0 .. 1024, rounded down; 0 when nothing is known, and for NULL
 * @par Context owner, or any on a copy. O(1), one 32-bit division.
 */
SDPOWER_API uint32_t sdpower_util_share(const struct sdpower_util *util);

#ifdef __cplusplus
}
#endif
#endif
