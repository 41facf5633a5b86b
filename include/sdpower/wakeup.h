/* SPDX-License-Identifier: MIT */
/**
 * @file wakeup.h
 * @brief Where a task should run: at wake-up, at fork, at exec.
 *
 * Every call names one cpu and why, or NONE. A pick is always inside affinity, allowed and
 * online, whatever the loads say. Picks pass over claimed cpus where they look for idle ones.
 *
 * The order that loses no wake-up stands at the head of sdpower/state.h; claim an idle pick
 * before waking it (#sdpower_claim). Rules: docs/POLICY.md, D6 to D8; native W1 to W10.
 *
 * Under the native rules an answer may also be NONE with the reason SEARCHER: a cpu that looks for
 * work awake will find this one, so put it where you like and wake nobody (#sdpower_search_begin).
 */
#ifndef SDPOWER_WAKEUP_H
#define SDPOWER_WAKEUP_H

#include "reason.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/** Bits of sdpower_wake::flags. */
enum sdpower_wake_flag {
	SDPOWER_WAKE_SYNC = 1,    /**< the waker is about to sleep */
	/** not an ordinary task (kernel thread, service): never biased by D9 */
	SDPOWER_WAKE_SYSTEM = 2,
	SDPOWER_WAKE_CACHE_HOT = 4/**< known to be cache hot, however long ago it ran */
};

/** A question: this task wakes up, where should it run? */
struct sdpower_wake {
	uint32_t struct_size;  /**< sizeof(struct sdpower_wake), set by the caller */
	sdpower_cpu waker;     /**< cpu that wakes it; NONE = somebody outside: prev is taken */
	sdpower_cpu prev;      /**< cpu it ran on last; NONE = none: the waker is taken */
	uint32_t flags;        /**< set of #sdpower_wake_flag; other bits must be 0 */
	const uint32_t *affinity; /**< mask of cpus it may run on; NULL = all */
	uint32_t affinity_words;  /**< words of affinity */
	uint32_t weight;       /**< weight of the task, 1024 = ordinary; 0 = it adds nothing */
	uint32_t waker_weight; /**< weight of the task that runs on the waker */
	/** how long the waker's task usually goes on after waking somebody */
	uint32_t waker_overlap_ns;
	uint32_t task_overlap_ns;  /**< the same of the waking task */
	/** native rules: its share of time, 1024 = a whole cpu of full strength; 0 = not known */
	uint32_t util;
	/** since the task ran last; below the migration cost, 0 included, = cache hot */
	uint64_t since_ran_ns;
};

/**
 * Chooses the cpu for a waking task.
 * @param s the instance
 * @param request the question
 * @param pick filled
 * @return OK, also for NONE (NO_CPU: nothing is permitted; SEARCHER: nobody need be woken; SWAPPED:
 *         ask again); EINVAL for NULL, an unknown struct_size or flag; ENOENT for a cpu that does not
 *         exist. pick is not touched on errors.
 * @par Context any. Wait-free, no writes. Classic: O(levels), O(cpus) with a wake-idle flag. Native:
 *      O(cpus that share the last-level cache), and beyond it at most 32 blocks of 16 cpus, while
 *      power is saved so many per level; with a power table O(cpus); O(cpus) when neither the waker
 *      nor the previous cpu is permitted.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_select_cpu(const struct sdpower *s,
	const struct sdpower_wake *request, struct sdpower_pick *pick);

/**
 * The second half of #sdpower_select_cpu alone: stay near a cpu, on an idle one if levels say so.
 * @param s the instance
 * @param request the question; request->prev is the cpu to stay near
 * @param pick filled
 * @return as #sdpower_select_cpu
 * @par Context any. Wait-free, no writes.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_wake_idle(const struct sdpower *s,
	const struct sdpower_wake *request, struct sdpower_pick *pick);

/** A question: a new task, or one that starts afresh. */
struct sdpower_placement {
	uint32_t struct_size;  /**< sizeof(struct sdpower_placement), set by the caller */
	sdpower_cpu cpu;       /**< cpu where it is, or where its parent runs */
	/** for #sdpower_find_idlest_group and #sdpower_find_idlest_cpu: the level */
	uint32_t depth;
	/** for #sdpower_place: SDPOWER_SD_BALANCE_FORK or SDPOWER_SD_BALANCE_EXEC */
	uint32_t flag;
	const uint32_t *affinity; /**< mask of cpus it may run on; NULL = all */
	uint32_t affinity_words;  /**< words of affinity */
	uint32_t flags;        /**< must be 0 */
	/** native rules: its share of time, 1024 = a whole cpu of full strength; 0 = not known */
	uint32_t util;
	uint32_t reserved;     /**< must be 0 */
};

/** The idlest group of a level. */
struct sdpower_idlest {
	uint32_t struct_size; /**< sizeof(struct sdpower_idlest), set by the caller */
	uint32_t reason;      /**< set of #sdpower_reason: IDLEST, LOCAL or SWAPPED */
	struct sdpower_domain domain; /**< the domain that was looked at */
	/** in ring order, 0 = the local one; #SDPOWER_ID_NONE = stay local */
	uint32_t group;
	sdpower_cpu group_first; /**< first cpu of that group, or NONE */
	uint64_t this_load;   /**< load per S of power, local group; 0 if not permitted */
	uint64_t min_load;    /**< the same, idlest other group; 2^64-1 without one */
};

/**
 * Finds the idlest group of a level, if it is idle enough to leave the local one.
 * @param s the instance
 * @param request the question
 * @param answer filled; struct_size set by the caller
 * @return OK; EINVAL; ENOENT for a cpu or a level that does not exist. answer is not
 *         touched on errors.
 * @par Context any. Wait-free, no writes. O(cpus of the level).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_find_idlest_group(const struct sdpower *s,
	const struct sdpower_placement *request, struct sdpower_idlest *answer);

/**
 * Finds the cpu with the least load in a group; the asking cpu wins ties.
 * @param s the instance
 * @param request the question
 * @param group which group of the level, in ring order, 0 = the local one
 * @param pick filled; NONE when no cpu of the group is permitted
 * @return OK; EINVAL; ENOENT for a cpu, level or group that does not exist. pick is not
 *         touched on errors.
 * @par Context any. Wait-free, no writes. O(cpus of the group).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_find_idlest_cpu(const struct sdpower *s,
	const struct sdpower_placement *request, uint32_t group, struct sdpower_pick *pick);

/**
 * Places a task at fork or exec: the idlest cpu, level by level.
 * @param s the instance
 * @param request the question
 * @param pick filled
 * @return OK, also for NONE; EINVAL; ENOENT for a cpu that does not exist. pick is not
 *         touched on errors.
 * @par Context any. Wait-free, no writes. O(cpus).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_place(const struct sdpower *s,
	const struct sdpower_placement *request, struct sdpower_pick *pick);

#ifdef __cplusplus
}
#endif
#endif
