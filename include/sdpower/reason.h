/* SPDX-License-Identifier: MIT */
/**
 * @file reason.h
 * @brief Why an answer is what it is: one set of bits for every decision.
 *
 * Each answer carries the rules that made it, as a set of #sdpower_reason bits. Same state,
 * same answer, same reason; a trace of reasons is enough to see which rule acted. The rule
 * numbers are those of docs/POLICY.md, whose part R says what each bit means under the native rules.
 */
#ifndef SDPOWER_REASON_H
#define SDPOWER_REASON_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** List of reasons: X(name, bit value, text). Values never change their meaning. */
#define SDPOWER_REASON_LIST(X) \
	/* D1, P7: another cpu of the local group balances this level. */ \
	X(NOT_BALANCER, 0x1u, "another cpu balances here") \
	/* D3, P: no group has more tasks than it should, or it has none at all. */ \
	X(NO_BUSIEST, 0x2u, "no busiest group") \
	/* D3: the local group is at least as loaded as the busiest one. */ \
	X(LOCAL_BUSIER, 0x4u, "local group is the busier one") \
	/* D3: the local group is at least as loaded as the domain on average. */ \
	X(LOCAL_ABOVE_AVERAGE, 0x8u, "local group is above the average") \
	/* D3, P5: the difference is within the level's imbalance percentage. */ \
	X(WITHIN_PERCENT, 0x10u, "within the imbalance percentage") \
	/* D3: the busiest group has at most one task's load per cpu of power; P5: any task is too much. */ \
	X(ONE_TASK, 0x20u, "busiest group holds one task's load") \
	/* D3, P1, P4, P5: load should move; imbalance says how much. */ \
	X(IMBALANCE, 0x40u, "imbalance") \
	/* D4: too little to move a whole task: decided by the rule for small imbalances; P4: one task. */ \
	X(SMALL, 0x80u, "small imbalance") \
	/* D2, P6: a lightly used group is emptied into the local one. */ \
	X(POWER, 0x100u, "power savings") \
	/* D9: the answer names a new preferred wake-up cpu. */ \
	X(NOMINATED, 0x200u, "nominated") \
	/* D8: the preferred wake-up cpu. */ \
	X(NOMINEE, 0x400u, "preferred wake-up cpu") \
	/* D8: the cpu the task ran on last. */ \
	X(PREVIOUS, 0x800u, "previous cpu") \
	/* The chosen cpu is idle. */ \
	X(IDLE, 0x1000u, "idle cpu") \
	/* D8: pulled to the waker by wake affinity. */ \
	X(AFFINE, 0x2000u, "wake affine") \
	/* D8: pulled to the waker as it has less load. */ \
	X(WAKE_BALANCE, 0x4000u, "wake balance") \
	/* D7: the cpu where the task is now. */ \
	X(LOCAL, 0x8000u, "no better cpu than the present one") \
	/* D6, D7: the idlest cpu of the idlest group. */ \
	X(IDLEST, 0x10000u, "idlest cpu") \
	/* D10: a partly idle group; P1, P2: what waits is left to one. */ \
	X(SEMI_IDLE, 0x20000u, "partly idle group") \
	/* The rules named a cpu outside affinity, allowed or online: the first permitted one instead. */ \
	X(AFFINITY, 0x40000u, "first permitted cpu") \
	/* There is no cpu to name. */ \
	X(NO_CPU, 0x80000u, "no permitted cpu") \
	/* The tree was replaced twice while the answer was made; ask again. */ \
	X(SWAPPED, 0x100000u, "tree was replaced meanwhile") \
	/* U3, U4: power savings are not for this policy, level or cpu. */ \
	X(ORDINARY, 0x200000u, "ordinary rules apply") \
	/* U3, U4, P5, P6: no level, or not the local or any kept group, has room for what would come. */ \
	X(NO_ROOM, 0x400000u, "no room") \
	/* U3, P6: beside what runs already, on a cpu where it fits. */ \
	X(PACKED, 0x800000u, "packed onto a cpu in use") \
	/* U4, P10: a group has more to do than its cpus can. */ \
	X(OVERUTILISED, 0x1000000u, "a group is over-utilised") \
	/* U4, P6: the local group is not the one to be filled. */ \
	X(NOT_LEADER, 0x2000000u, "local group does not lead") \
	/* U4: ordinary balancing happened too recently. */ \
	X(LAZY, 0x4000000u, "too soon after ordinary balancing") \
	/* P2, W: the task is too large for where it is. */ \
	X(MISFIT, 0x8000000u, "does not fit its cpu") \
	/* P3: the work belongs on a cpu of higher priority. */ \
	X(PRIORITY, 0x10000000u, "cpu of higher priority") \
	/* W: a cpu that looks for work will find this one. */ \
	X(SEARCHER, 0x20000000u, "a searcher is on its way") \
	/* P6: it would cost more energy than it saves. */ \
	X(ENERGY, 0x40000000u, "no energy would be saved") \
	/* P1: work has been waiting as long as it may; P6: it would wait too long. */ \
	X(LATENCY, 0x80000000u, "latency bound")

/** Reasons, a bit set; meaning beside each entry of #SDPOWER_REASON_LIST. */
enum sdpower_reason {
#define SDPOWER_X(name, bit, text) SDPOWER_REASON_##name = (int)(bit), /**< text */
	SDPOWER_REASON_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_REASON_NONE = 0 /**< no reason */
};
/** The same bit without a sign: as an enumerator, which is an int, it is negative. */
#define SDPOWER_REASON_LATENCY 0x80000000u

/**
 * Text of one reason.
 * @param reason exactly one bit of #sdpower_reason
 * @return constant string, never NULL; "unknown reason" for anything else
 * @par Context any. O(number of reasons).
 */
SDPOWER_API const char *sdpower_reason_text(uint32_t reason);

/** A cpu and why. */
struct sdpower_pick {
	sdpower_cpu cpu; /**< cpu number, or #SDPOWER_CPU_NONE */
	uint32_t reason; /**< set of #sdpower_reason */
};

#ifdef __cplusplus
}
#endif
#endif
