/* SPDX-License-Identifier: MIT */
/**
 * @file calibrate.h
 * @brief Measures what moving a task costs on the machine we run on.
 *
 * Part of the hosted library. For each distance in an instance's tree of domains it picks up to
 * three pairs of cpus that this process may use, starts two threads on them, and lets the search
 * of curve.h find the working set that costs most to move. It takes milliseconds, whatever the
 * number of cpus, and never longer than the caller allows. No threads, memory or affinity is left
 * behind, and the caller's own thread only waits.
 *
 *     struct sdpower_calibration c = { .struct_size = sizeof(c) };
 *     sdpower_calibrate(s, machine, NULL, &c);
 *     a task that last ran longer than c.distance[d].hot_ns ago may move that far
 *
 * Whatever goes wrong (no thread, no memory, no right to pin, a cpu that never runs us) gives the
 * default time for the distances it concerns, and a flag. On a virtual machine the way between
 * two cpus may change at any time; #sdpower_calibrate_recheck notices for a few microseconds.
 *
 * Measuring keeps two cpus busy and is disturbed by whatever else runs. Linux only; elsewhere all
 * distances have the default time and the flag UNPINNED.
 */
#ifndef SDPOWER_CALIBRATE_H
#define SDPOWER_CALIBRATE_H

#include "calibration.h"
#include "curve.h"
#include "topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of sdpower_calibrate_options::flags. */
enum sdpower_calibrate_flag {
	/** a greater distance never has a shorter time: each is raised to the one before */
	SDPOWER_CALIBRATE_RISING = 1
};

/** How far a calibration is, for people who wait. */
struct sdpower_calibrate_progress {
	uint32_t distance;   /**< that was just finished */
	uint32_t count;      /**< distances there are */
	/** what was found for it */
	const struct sdpower_calibration_distance *found;
};

/**
 * Called after each distance, from the thread that called #sdpower_calibrate, while nothing is
 * being measured.
 * @param context sdpower_calibrate_options::context
 * @param progress how far it is
 * @return 0 = go on; anything else: the remaining distances get the default time
 */
typedef int sdpower_calibrate_progress_fn(void *context,
	const struct sdpower_calibrate_progress *progress);

/** One size that was measured, for drawing the curve. */
struct sdpower_calibrate_point {
	uint32_t distance;                /**< whose */
	uint32_t pair;                    /**< 0 = the first pair of that distance */
	struct sdpower_curve_point point; /**< what was found */
};

/** How to calibrate. All zero but struct_size: the defaults. */
struct sdpower_calibrate_options {
	uint32_t struct_size;      /**< sizeof(struct sdpower_calibrate_options), set by the caller */
	uint32_t flags;            /**< set of #sdpower_calibrate_flag */
	uint32_t percent;          /**< of the time until cold; 0 = 100 */
	uint32_t point_capacity;   /**< entries at points */
	/** for a distance within one last-level cache, waits not counted; 0 = 20 ms */
	uint64_t near_budget_ns;
	/** for any other distance, and where a line takes too long for a shared cache; 0 = 100 ms */
	uint64_t far_budget_ns;
	uint64_t hard_ns;          /**< a distance is given up after this; 0 = 250 ms */
	uint64_t total_ns;         /**< all of it is given up after this; 0 = 1 s */
	uint64_t default_ns;       /**< see #sdpower_calibration_start */
	uint64_t most_size;        /**< see sdpower_curve_rules::most_size */
	struct sdpower_calibrate_point *points; /**< where to put the sizes measured, or NULL */
	sdpower_calibrate_progress_fn *progress; /**< called after each distance, or NULL */
	void *context;             /**< handed to progress */
};

/**
 * Measures every distance.
 * @param s the instance whose distances are meant
 * @param machine the topology it was made from, for the os ids
 * @param options how, or NULL
 * @param[out] calibration struct_size is set by the caller. Every distance has a time, measured
 *        or not; flags say which
 * @return how many entries of points were filled, 0 without points; ERANGE for a percentage or
 *         size beyond what the search takes; ESTALE when the tree kept being replaced; EINVAL for
 *         NULL, an unknown struct_size or flag, or a machine of another number of cpus
 * @par Context any one thread; blocks until it is done. See the options for how long.
 */
SDPOWER_API sdpower_status sdpower_calibrate(const sdpower *s,
	const struct sdpower_topology *machine, const struct sdpower_calibrate_options *options,
	struct sdpower_calibration *calibration);

/**
 * Looks whether the ways between the measured pairs are still what they were, by the time a
 * cache line takes. Worth a call every few seconds on a virtual machine.
 * @param machine the topology
 * @param calibration of this machine; distances that have moved by more than half get the flag
 *        #SDPOWER_CALIBRATION_UNSTABLE, and should be measured again
 * @return how many have moved; EBUSY when none could be looked at; EINVAL for NULL, an unknown
 *         struct_size or cpus that do not exist
 * @par Context any one thread. About 0.2 ms a distance, at most 20.
 */
SDPOWER_API sdpower_status sdpower_calibrate_recheck(const struct sdpower_topology *machine,
	struct sdpower_calibration *calibration);

#ifdef __cplusplus
}
#endif
#endif
