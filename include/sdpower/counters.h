/* SPDX-License-Identifier: MIT */
/**
 * @file counters.h
 * @brief What the balance driver did: counters per cpu, level and idle type.
 *
 * They are those of Linux schedstats, so that the same tools and the same questions fit: how
 * often was a level balanced, how often was there nothing to do, how often did moving fail.
 * Counters cost memory, so an instance has them only with #SDPOWER_CONFIG_COUNTERS (and DRIVER).
 * They are
 * 32 bits wide and wrap; read them twice and subtract. A level whose chain changed starts at 0.
 *
 * @par As text, version 1
 * #sdpower_counters_write makes lines of decimal numbers behind a word, one blank between two:
 * @verbatim
   sdpower counters 1
   level OS_ID DEPTH LEVEL IDLE... NOT_IDLE... NEWLY_IDLE... PUSHES FAILED MOVED
   end
   @endverbatim
 * One line for each level of each cpu, by cpu and depth. LEVEL is the name of the level; IDLE,
 * NOT_IDLE and NEWLY_IDLE stand for the counters of #SDPOWER_PASS_COUNTER_LIST, in that order, by
 * #sdpower_idle; the last three are the pushes of #sdpower_counters. `sdpower stats` reads it.
 */
#ifndef SDPOWER_COUNTERS_H
#define SDPOWER_COUNTERS_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/** List of counters kept per idle type: X(name, schedstat name). */
#define SDPOWER_PASS_COUNTER_LIST(X) \
	X(PASSES, "lb_count")        /* the level was balanced */ \
	X(BALANCED, "lb_balanced")   /* nothing to pull, or another cpu balances */ \
	X(FAILED, "lb_failed")       /* a queue was found but nothing moved */ \
	X(IMBALANCE, "lb_imbalance") /* sum of the weighted loads wanted */ \
	X(GAINED, "lb_gained")       /* tasks that came */ \
	X(HOT_GAINED, "lb_hot_gained") /* cache-hot ones among them */ \
	X(NO_QUEUE, "lb_nobusyq")    /* a group was found, but no cpu in it */ \
	X(NO_GROUP, "lb_nobusyg")    /* no group was found */

/** Counters kept per idle type; meaning beside each entry of #SDPOWER_PASS_COUNTER_LIST. */
enum sdpower_pass_counter {
#define SDPOWER_X(name, text) SDPOWER_PASS_##name, /**< see list */
	SDPOWER_PASS_COUNTER_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_PASS_COUNTERS /**< number of them */
};

/** Number of idle types counted apart, see #sdpower_idle. */
#define SDPOWER_PASS_KINDS 3u

/** The counters of one level of one cpu. */
struct sdpower_counters {
	uint32_t struct_size; /**< sizeof(struct sdpower_counters), set by the caller */
	uint32_t pushes;        /**< alb_count: pushes to this cpu that were tried */
	uint32_t pushes_failed; /**< alb_failed: those that moved nothing */
	uint32_t pushes_moved;  /**< alb_pushed: those that moved a task */
	/** by #sdpower_idle and #sdpower_pass_counter */
	uint32_t pass[SDPOWER_PASS_KINDS][SDPOWER_PASS_COUNTERS];
};

/**
 * Reads the counters of a level.
 * @param s the instance
 * @param cpu whose chain
 * @param depth 0 = innermost
 * @param[in,out] counters filled; struct_size set by the caller
 * @return OK; ENOENT when there is no such cpu or its chain is shorter; ENOSYS for an instance
 *         without counters; EINVAL for NULL or a wrong struct_size; ESTALE when the tree was
 *         replaced twice meanwhile
 * @par Context any, also while the driver runs; each number is one that was true at some moment.
 *      O(1), no writes.
 */
SDPOWER_API sdpower_status sdpower_get_counters(const struct sdpower *s, sdpower_cpu cpu,
	uint32_t depth, struct sdpower_counters *counters);

/**
 * Writes the counters of all cpus as text.
 * @param s the instance
 * @param[out] buffer where to put the text, NUL-terminated; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length of the whole text without its NUL
 * @return OK; ENOSPC when the text was cut; ENOSYS for an instance without counters; EINVAL for
 *         NULL; ESTALE when the tree was replaced twice meanwhile
 * @par Context any, also while the driver runs; each number is one that was true at some moment.
 *      O(cpus * levels).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_counters_write(const struct sdpower *s,
	char *buffer, size_t size, size_t *length);

/**
 * Name of a counter as schedstats call it.
 * @param counter one of #sdpower_pass_counter
 * @return constant string, never NULL; "unknown counter" for anything else
 * @par Context any. O(1).
 */
SDPOWER_API const char *sdpower_pass_counter_name(uint32_t counter);

#ifdef __cplusplus
}
#endif
#endif
