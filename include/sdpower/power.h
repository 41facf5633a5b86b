/* SPDX-License-Identifier: MIT */
/**
 * @file power.h
 * @brief The preferred wake-up cpu, and who balances for the sleepers.
 *
 * With the wake-up level 2 of a savings knob, balancing nominates one cpu of the package
 * that is in use; wake-ups of ordinary tasks between idle cpus go there, so that the other
 * packages may sleep. The nomination is one word of the instance, stored by whoever balanced
 * last. Rules: docs/POLICY.md, D9 and D10.
 *
 * Under the native rules the preferred wake-up cpu is found anew with each question, so that it
 * can always take work; what was stored is a hint. Rules: W11 and W12.
 */
#ifndef SDPOWER_POWER_H
#define SDPOWER_POWER_H

#include "reason.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/**
 * The preferred wake-up cpu.
 * @param s the instance
 * @return cpu number; classic: cpu 0 until somebody was nominated; native: NONE when power is not
 *         saved by wake-ups, nothing runs, or no group in use has room; NONE for a NULL instance
 * @par Context any. Classic: O(1). Native: wait-free, O(cpus of a last-level cache) and 32 blocks of
 *      16 cpus per level.
 */
SDPOWER_API sdpower_cpu sdpower_preferred_wakeup_cpu(const struct sdpower *s);

/**
 * Stores a nomination, usually sdpower_busiest::nominee.
 * @param s the instance
 * @param cpu cpu number
 * @return OK; ENOENT for a cpu that does not exist; EINVAL for a NULL instance
 * @par Context any; of several at once one wins. O(1), one store.
 */
SDPOWER_API sdpower_status sdpower_nominate(struct sdpower *s, sdpower_cpu cpu);

/**
 * Names the cpu that balances on behalf of all tickless ones: preferably one in a group that
 * is partly busy anyway.
 * @param s the instance
 * @param cpu who asks; its chain of levels is climbed
 * @param tickless mask of cpus that are idle without ticks
 * @param words words of tickless
 * @param pick filled; NONE when no tickless cpu is in the tree (native: or sleeps unclaimed)
 * @return OK; EINVAL for NULL; ENOENT for a cpu that does not exist. pick is not touched on
 *         errors.
 * @par Context any. Wait-free, no writes. O(cpus).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_find_ilb(const struct sdpower *s,
	sdpower_cpu cpu, const uint32_t *tickless, uint32_t words, struct sdpower_pick *pick);

#ifdef __cplusplus
}
#endif
#endif
