/* SPDX-License-Identifier: MIT */
/**
 * @file calibration.h
 * @brief What was measured of a machine, distance by distance: a result to keep and to load.
 *
 * A calibration holds, for each distance in the tree of domains (0 = the cpus that share an
 * innermost domain), what moving a task costs, how sure that is, and what went wrong. calibrate.h
 * fills one on the running machine; a host with clocks and threads of its own may fill it too. It
 * is plain data and has a text form, to be kept in a file and loaded at the next start.
 *
 * Distances belong to one tree: with other levels, distance 1 means other pairs of cpus. So a
 * calibration carries the signature of its tree (#sdpower_domain_signature) and is refused with
 * #SDPOWER_ESTALE by an instance whose tree has another one.
 *
 * Times are ns, sizes bytes.
 */
#ifndef SDPOWER_CALIBRATION_H
#define SDPOWER_CALIBRATION_H

#include "migration.h"
#include "domain.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Time until cold where nothing was measured: what Linux has used since 2.6.24, unexplained. */
#define SDPOWER_CALIBRATION_DEFAULT_NS 500000u

/** List of what can be said of a distance: X(name, bit, text). Bits and texts stay. */
#define SDPOWER_CALIBRATION_FLAG_LIST(X) \
	/* A thread could not be kept on its cpu. */ \
	X(UNPINNED, 1, "unpinned") \
	/* Time ran out: a larger size may cost more, or no size was finished. */ \
	X(TIMEOUT, 2, "timeout") \
	/* The interval is wider than 15 per cent, or most rounds were disturbed. */ \
	X(NOISY, 4, "noisy") \
	/* The way between the two cpus changed under the measurement, as virtual machines do. */ \
	X(UNSTABLE, 8, "unstable") \
	/* Pairs of the same distance differ by more than half. */ \
	X(WIDE, 16, "wide") \
	/* Not measured: the default time. */ \
	X(DEFAULTED, 32, "defaulted") \
	/* There was no memory for the sizes to try. */ \
	X(NO_MEMORY, 64, "no-memory") \
	/* No thread could be started. */ \
	X(NO_THREADS, 128, "no-threads")

/** What is to say of a distance; meaning beside each entry of #SDPOWER_CALIBRATION_FLAG_LIST. */
enum sdpower_calibration_flag {
#define SDPOWER_X(name, bit, text) SDPOWER_CALIBRATION_##name = (bit), /**< see list */
	SDPOWER_CALIBRATION_FLAG_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_CALIBRATION_FLAGS = 255 /**< all of them */
};

/** One distance. Of the first pair, where not said otherwise. */
struct sdpower_calibration_distance {
	uint32_t flags;          /**< set of #sdpower_calibration_flag */
	uint32_t pairs;          /**< pairs measured, up to 3; 0 = none */
	sdpower_cpu cpu;         /**< one cpu of the first pair, or #SDPOWER_CPU_NONE */
	sdpower_cpu other;       /**< the other one */
	uint32_t shares_cache;   /**< 1 = they have a last-level cache in common */
	uint32_t rounds;         /**< rounds behind cost_ns */
	uint32_t dropped;        /**< rounds that were disturbed, of all sizes */
	uint32_t end;            /**< why no larger size was tried: one of #sdpower_curve_end */
	uint64_t size;           /**< working set that costs most to move; 0 = not known */
	uint64_t cost_ns;        /**< what moving it costs, median of all pairs */
	uint64_t low_ns;         /**< the first pair's cost is not lower, with 93 per cent */
	uint64_t high_ns;        /**< nor higher */
	uint64_t there_ns;       /**< arriving at `other` */
	uint64_t back_ns;        /**< arriving at `cpu` */
	uint64_t least_ns;       /**< of all pairs, at this size */
	uint64_t most_ns;        /**< of all pairs, at this size */
	uint64_t hot_ns;         /**< age from which a task is cold */
	uint64_t ping_ps;        /**< a cache line one way, picoseconds: the fingerprint; 0 = none */
	uint64_t wall_ns;        /**< what measuring this distance took */
};

/** A calibration. */
struct sdpower_calibration {
	uint32_t struct_size;  /**< sizeof(struct sdpower_calibration), set by the caller */
	uint32_t flags;        /**< flags of all distances together */
	uint32_t count;        /**< distances there are; 0 on a machine of one cpu */
	uint32_t percent;      /**< hot_ns is twice the cost times this */
	uint64_t signature;    /**< of the tree the distances belong to */
	uint64_t wall_ns;      /**< what it took altogether */
	struct sdpower_calibration_distance distance[SDPOWER_MIGRATION_DISTANCES]; /**< see there */
};

/**
 * Name of a flag, e.g. "noisy".
 * @param flag one #sdpower_calibration_flag
 * @return constant string, never NULL; "?" for no or several flags
 * @par Context any. O(flags).
 */
SDPOWER_API const char *sdpower_calibration_flag_name(uint32_t flag);

/**
 * Makes a calibration that knows the default time of every distance and nothing else.
 * @param[out] calibration struct_size is set by the caller
 * @param count distances, at most #SDPOWER_MIGRATION_DISTANCES
 * @param default_ns time until cold; 0 = #SDPOWER_CALIBRATION_DEFAULT_NS
 * @return OK; ERANGE for too many; EINVAL for NULL or an unknown struct_size
 * @par Context owner. O(distances).
 */
SDPOWER_API sdpower_status sdpower_calibration_start(struct sdpower_calibration *calibration,
	uint32_t count, uint64_t default_ns);

/**
 * Puts the times of a calibration into a table, where is-hot tests look (migration.h).
 * @param calibration the calibration
 * @param[out] costs hot_ns by distance; max_distance is the last one; others are unmeasured
 * @return OK; EINVAL for NULL or an unusable calibration: costs has not changed
 * @par Context owner. O(distances).
 */
SDPOWER_API sdpower_status sdpower_calibration_costs(const struct sdpower_calibration *calibration,
	struct sdpower_migration_costs *costs);

/**
 * Writes a calibration as text that #sdpower_calibration_read reads back to an equal one.
 * @par The format, version 1
 * `sdpower calibration 1`; `tree SIGNATURE DISTANCES PERCENT WALL`; then for each distance
 * `distance` and the fields of #sdpower_calibration_distance in their order; `end`. Decimal
 * numbers, one blank between two, `-` for no cpu; the signature is 16 hexadecimal digits.
 * @param calibration the calibration
 * @param[out] buffer where to write, NUL-terminated when size is not 0; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length bytes of the whole text without its NUL
 * @return OK; ENOSPC when the text was cut; EINVAL for NULL or an unusable calibration
 * @par Context owner. O(distances).
 */
SDPOWER_API sdpower_status sdpower_calibration_write(const struct sdpower_calibration *calibration,
	char *buffer, size_t size, size_t *length);

/**
 * Reads a calibration back.
 * @param text what #sdpower_calibration_write wrote; need not be terminated
 * @param length bytes of text
 * @param s the instance it is for, or NULL to load it whatever tree it belongs to
 * @param[out] calibration struct_size is set by the caller; not touched on errors
 * @param[out] diag what was wrong, with line and column, or NULL
 * @return OK; ESTALE when it belongs to another tree; EPARSE, ERANGE; EINVAL for NULL or an
 *         unknown struct_size
 * @par Context owner; control with an instance. O(length), and #sdpower_domain_signature.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_calibration_read(const char *text,
	size_t length, const sdpower *s, struct sdpower_calibration *calibration,
	struct sdpower_diag *diag);

/**
 * Puts a calibration to use: from now on cache-hot tests of the driver, of wake-ups and of
 * placements go by the time measured for the distance in question, where there is one, instead
 * of sdpower_config::migration_cost_ns. While the tree has another signature (knobs, hotplug,
 * partitions) the times rest; they are back when the tree is.
 * @param s the instance
 * @param calibration what was measured; it is copied. NULL = forget what is in use
 * @return OK; ESTALE when it belongs to another tree, EINVAL for a NULL instance or an unusable
 *         calibration: what was in use stays
 * @par Context control. O(cpus * levels), #sdpower_domain_signature.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_calibration_use(sdpower *s,
	const struct sdpower_calibration *calibration);

/**
 * The times in force for moves within a level, no nearer: what trackers of searches before
 * sleeping (dq.h, newidle.h) want to know of it.
 * @param s the instance
 * @param cpu whose chain
 * @param depth level of it, 0 = innermost
 * @param[out] cost_ns what moving a task costs, ns; or NULL
 * @param[out] hot_ns age from which a task is cold, ns; or NULL
 * @return OK; ENOENT for a cpu or a level that does not exist; ESTALE; EINVAL for a NULL instance
 * @par Context any. O(1), no writes.
 */
SDPOWER_API sdpower_status sdpower_migration_times(const sdpower *s, sdpower_cpu cpu,
	uint32_t depth, uint32_t *cost_ns, uint32_t *hot_ns);

#ifdef __cplusplus
}
#endif
#endif
