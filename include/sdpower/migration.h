/* SPDX-License-Identifier: MIT */
/**
 * @file migration.h
 * @brief What moving a task costs, found by measuring: the calibrator of 2005.
 *
 * A task that ran a moment ago has its data in the caches of its cpu; moving it throws them
 * away. How long it stays worth waiting depends on how far it would go. The calibrator
 * measures one pair of cpus per *distance* and keeps one time per distance: a task that last
 * ran longer ago than that is *cold* and may move. The rules are those of Linux 2.6.16 to
 * 2.6.22 (docs/POLICY.md, part M).
 *
 * Nothing here measures. Two step machines say what to measure, the host does it:
 *
 *     sdpower_migration_start(&costs, SDPOWER_MIGRATION_UNMEASURED);
 *     sdpower_migration_pairs_begin(&machine, &costs, &pairs);
 *     while (pairs.step == SDPOWER_MIGRATION_MEASURE) {
 *             sdpower_migration_search_begin(&rules, &search);
 *             while (search.step == SDPOWER_MIGRATION_MEASURE)
 *                     sdpower_migration_search_next(&search,
 *                             what moving search.size bytes from pairs.cpu to pairs.other costs);
 *             sdpower_migration_pairs_next(&machine, &costs, search.result_ns, &pairs);
 *     }
 *
 * All structures are plain data that the host owns, with one writer at a time. Times are ns,
 * sizes bytes. Levels and distances count from 0, the innermost level.
 */
#ifndef SDPOWER_MIGRATION_H
#define SDPOWER_MIGRATION_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Distances that are told apart; whatever is farther counts as the last one. */
#define SDPOWER_MIGRATION_DISTANCES 32u
/** Time of a distance that was not measured: no age of 0 or more is below it. */
#define SDPOWER_MIGRATION_UNMEASURED (-1)
/** A factor of one: results are neither lengthened nor shortened. */
#define SDPOWER_MIGRATION_FACTOR_ONE 128u
/** Largest factor in mode exact: a hundredfold. */
#define SDPOWER_MIGRATION_FACTOR_MAX 12800u
/** Largest cache size in mode exact, and largest cost of a sample; mode legacy: UINT32_MAX bytes. */
#define SDPOWER_MIGRATION_MOST (UINT64_C(1) << 48)
/** Most sizes one search asks for; the original could go on for ever. */
#define SDPOWER_MIGRATION_SIZES_MAX 1024u

/** List of the modes: X(name, value, text). Values and texts never change their meaning. */
#define SDPOWER_MIGRATION_MODE_LIST(X) \
	/* Linux 2.6.18 bit for bit, with overflows, loose texts and holes in the table. */ \
	X(LEGACY, 1, "legacy") \
	/* The same rules as they were meant: 64 bits, strict texts, no holes. */ \
	X(EXACT, 2, "exact")

/** Which rules; meaning beside each entry of #SDPOWER_MIGRATION_MODE_LIST. */
enum sdpower_migration_mode {
	SDPOWER_MIGRATION_DEFAULT = 0, /**< as exact; the search is that of curve.h */
#define SDPOWER_X(name, value, text) SDPOWER_MIGRATION_##name = (value), /**< see list */
	SDPOWER_MIGRATION_MODE_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_MIGRATION_MODES /**< one more than the largest mode */
};

/** What the host has to do before its next call. */
enum sdpower_migration_step {
	SDPOWER_MIGRATION_DONE = 0,   /**< nothing; it is over */
	SDPOWER_MIGRATION_MEASURE = 1 /**< measure the pair, or the size */
};

/** How a search ended. */
enum sdpower_migration_end {
	SDPOWER_MIGRATION_END_RANGE = 0,     /**< the largest size was passed, or it goes on */
	SDPOWER_MIGRATION_END_EARLY = 1,     /**< the cost had fallen far below its maximum */
	SDPOWER_MIGRATION_END_NO_MEMORY = 2, /**< the host said so */
	SDPOWER_MIGRATION_END_OFFLINE = 3,   /**< the host said so */
	SDPOWER_MIGRATION_END_ENDLESS = 4    /**< after #SDPOWER_MIGRATION_SIZES_MAX sizes */
};

/** How distances are counted. */
enum sdpower_migration_flag {
	/** the larger of the distances seen from both cpus; otherwise only the first one's levels count */
	SDPOWER_MIGRATION_SYMMETRIC = 1
};

/**
 * The levels of every cpu. Fill it from an instance with #sdpower_domain_at and
 * #sdpower_domain_span: its tree has no level left that makes no difference, which is what
 * distances are meant to be counted in. Owned by the caller.
 */
struct sdpower_migration_machine {
	uint32_t struct_size;      /**< sizeof(struct sdpower_migration_machine), set by the caller */
	uint32_t flags;            /**< set of #sdpower_migration_flag */
	uint32_t cpu_count;        /**< cpus are 0 .. cpu_count - 1, at most #SDPOWER_MAX_CPUS */
	uint32_t words;            /**< words of a mask; cpus beyond are in no mask */
	uint32_t span_count;       /**< entries of spans */
	uint32_t reserved;         /**< 0 */
	const uint32_t *cpus;      /**< mask of the cpus to calibrate; NULL = all */
	/** cpu_count entries: where in spans the levels of each cpu end; they begin where those of
	    the cpu before end */
	const uint32_t *level_end;
	/** mask of the cpus of each level, a cpu's innermost first; may be shared. NULL only if
	    span_count is 0 */
	const uint32_t *const *spans;
};

/** What was measured, per distance. Made by #sdpower_migration_start. */
struct sdpower_migration_costs {
	uint32_t struct_size;  /**< sizeof(struct sdpower_migration_costs) */
	uint32_t max_distance; /**< largest distance of the last calibration, below 32 */
	/** age from which a task is cold, or #SDPOWER_MIGRATION_UNMEASURED */
	int64_t cost_ns[SDPOWER_MIGRATION_DISTANCES];
};

/** A walk over the pairs of cpus. The host reads step, distance, cpu and other. */
struct sdpower_migration_pairs {
	uint32_t struct_size; /**< sizeof(struct sdpower_migration_pairs), set by the caller */
	uint32_t step;        /**< one of #sdpower_migration_step */
	uint32_t distance;    /**< MEASURE: of the pair */
	sdpower_cpu cpu;      /**< MEASURE: one cpu of the pair */
	sdpower_cpu other;    /**< MEASURE: the other one */
	uint32_t reserved;    /**< 0 */
};

/** How to search. */
struct sdpower_migration_rules {
	uint32_t struct_size;    /**< sizeof(struct sdpower_migration_rules), set by the caller */
	uint32_t mode;           /**< one of #sdpower_migration_mode */
	/** of 128; see #sdpower_migration_read_factor. Exact: at most #SDPOWER_MIGRATION_FACTOR_MAX */
	uint32_t factor;
	uint32_t reserved;       /**< 0 */
	uint64_t max_cache_size; /**< largest cache, bytes; 0 = unknown: 64 KiB to 10 MiB are tried */
};

/** The search for the most expensive size of one pair. */
struct sdpower_migration_search {
	uint32_t struct_size;    /**< sizeof(struct sdpower_migration_search), set by the caller */
	uint32_t step;           /**< one of #sdpower_migration_step */
	uint64_t size;           /**< MEASURE: bytes to move */
	uint64_t stop_size;      /**< no size is larger, bytes: how much memory to have */
	uint64_t found_size;     /**< size of the largest cost above 0 so far; 0 = none */
	uint64_t max_cost_ns;    /**< that cost; 0 = none */
	uint64_t result_ns;      /**< DONE: age from which a task is cold */
	uint32_t end;            /**< DONE: one of #sdpower_migration_end */
	uint32_t sizes;          /**< sizes measured so far */
	uint32_t mode;           /**< private */
	uint32_t factor;         /**< private */
	int64_t previous_ns;     /**< private */
	uint64_t fluctuation_ns; /**< private */
};

/**
 * Name of a mode, e.g. "legacy".
 * @param mode one of #sdpower_migration_mode
 * @return constant string, never NULL; "?" for an unknown mode
 * @par Context any. O(1).
 */
SDPOWER_API const char *sdpower_migration_mode_name(uint32_t mode);

/**
 * Counts the levels between two cpus: the index of the first one's innermost level that holds
 * the other, or how many levels it has when none does. On an instance this is
 * #sdpower_domain_distance less one.
 * @param machine the levels
 * @param cpu whose levels are looked at; both with #SDPOWER_MIGRATION_SYMMETRIC
 * @param other the other cpu
 * @return 0 .. 31; ENOENT for a cpu that does not exist; EINVAL for NULL or unusable tables
 * @par Context any. O(levels).
 */
SDPOWER_API sdpower_status sdpower_migration_distance(
	const struct sdpower_migration_machine *machine, sdpower_cpu cpu, sdpower_cpu other);

/**
 * Makes a table.
 * @param[out] costs the table; max_distance is 0
 * @param all_ns time of every distance: #SDPOWER_MIGRATION_UNMEASURED to measure them all; any
 *        other means that nothing will be measured, as virtual machines like it
 * @return OK; EINVAL for NULL
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_migration_start(struct sdpower_migration_costs *costs,
	int64_t all_ns);

/**
 * Finds the first pair to measure: the lowest cpus of a distance whose time is unmeasured.
 * Times already there stay, so that a table outlives a change of the machine.
 * @param machine the levels; the same until the walk is over
 * @param costs the table; max_distance starts again
 * @param[out] pairs step is MEASURE or DONE
 * @return OK; EINVAL for NULL, an unknown struct_size or unusable tables: nothing has changed
 * @par Context owner. O(cpus^2 * levels) for the whole walk, none of it in a decision.
 */
SDPOWER_API sdpower_status sdpower_migration_pairs_begin(
	const struct sdpower_migration_machine *machine, struct sdpower_migration_costs *costs,
	struct sdpower_migration_pairs *pairs);

/**
 * Takes the time of a pair and finds the next one.
 * @param machine the levels
 * @param costs the table
 * @param result_ns sdpower_migration_search::result_ns
 * @param pairs the walk, at MEASURE
 * @return as #sdpower_migration_pairs_begin; EINVAL also when the walk is over
 * @par Context owner. See #sdpower_migration_pairs_begin.
 */
SDPOWER_API sdpower_status sdpower_migration_pairs_next(
	const struct sdpower_migration_machine *machine, struct sdpower_migration_costs *costs,
	uint64_t result_ns, struct sdpower_migration_pairs *pairs);

/**
 * Starts the search for one pair.
 * @param rules how to search
 * @param[out] search step is MEASURE, or DONE where overflows of mode legacy leave no size
 * @return OK; ERANGE for a factor or cache size beyond the mode's; ENOSYS for mode default,
 *         whose search is #sdpower_curve_begin; EINVAL for NULL, an unknown struct_size or mode. search is not touched on errors.
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_migration_search_begin(
	const struct sdpower_migration_rules *rules, struct sdpower_migration_search *search);

/**
 * Takes the cost of the present size and says which size is next.
 * @param search the search, at MEASURE
 * @param cost_ns time a move costs more than staying; noise may make it negative. Exact: at
 *        most #SDPOWER_MIGRATION_MOST either way
 * @return OK; ERANGE for another cost; EINVAL for NULL, an unknown struct_size or a search that
 *         is over. search is not touched on errors.
 * @par Context owner. O(1), one to three 64-bit divisions.
 */
SDPOWER_API sdpower_status sdpower_migration_search_next(struct sdpower_migration_search *search,
	int64_t cost_ns);

/**
 * Ends a search that cannot be made.
 * @param search the search, at MEASURE
 * @param end END_NO_MEMORY: the result is 1 ms whatever the factor; END_OFFLINE: it is 0
 * @return OK; EINVAL for NULL, an unknown struct_size, another end or a search that is over
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_migration_search_give_up(
	struct sdpower_migration_search *search, uint32_t end);

/**
 * Time of a level of the tree.
 * @param costs the table
 * @param level 0 = innermost; 31 stands for all beyond
 * @param mode LEGACY: the time of that distance, measured or not; otherwise: where it is unmeasured,
 *        that of the nearest level inside which is not
 * @return ns, or #SDPOWER_MIGRATION_UNMEASURED; also for NULL or an unknown mode
 * @par Context owner, or any on a copy. O(levels).
 */
SDPOWER_API int64_t sdpower_migration_level_ns(const struct sdpower_migration_costs *costs,
	uint32_t level, uint32_t mode);

/**
 * Is a task still hot in the caches of its cpu?
 * @param now_ns time
 * @param last_ran_ns when it last ran; after now = a negative age
 * @param cost_ns time of the level it would move within; 0 and unmeasured = cold from age 0 on
 * @return 1 = its age is below the time, 0 = it is cold
 * @par Context any. O(1).
 */
SDPOWER_API int sdpower_migration_is_hot(uint64_t now_ns, uint64_t last_ran_ns, int64_t cost_ns);

/**
 * The walk through memory that the original measured: six streams that meet, which touch two
 * thirds of the lines. Every word it touches is incremented.
 * @param words the buffer; NULL only with count 0
 * @param count words of the buffer
 * @par Context owner of the buffer. O(count).
 */
SDPOWER_API void sdpower_migration_walk(uint64_t *words, size_t count);

/**
 * Reads times given by hand, `migration_cost=`: microseconds by distance, comma separated.
 * @param text what follows the equals sign, NUL-terminated
 * @param mode LEGACY: octal after 0, hexadecimal after 0x, a sign, cut to 32 bits; ends without
 *        a word at the first thing that is not a number and a comma, or after 32. EXACT: decimal
 *        numbers below 2^32, commas between them, nothing else; DEFAULT: also up to three digits
 *        behind a point
 * @param[in,out] costs the table; distances beyond the text stay as they are
 * @return how many were read; EPARSE, ERANGE for a number too large or more than 32 (exact
 *         and default only); EINVAL for NULL, an unknown struct_size or mode.
 *         costs is not touched on errors.
 * @par Context owner. O(length).
 */
SDPOWER_API sdpower_status sdpower_migration_read_costs(const char *text, uint32_t mode,
	struct sdpower_migration_costs *costs);

/**
 * Reads a factor given by hand, `migration_factor=`: percent.
 * @param text what follows the equals sign, NUL-terminated
 * @param mode LEGACY: numbers as in #sdpower_migration_read_costs, no number is 0, an empty text
 *        163, large ones wrap; EXACT: a decimal number up to 10000; DEFAULT: from 1 on
 * @param[out] factor of 128, rounded down: 120 percent is 153; DEFAULT: the percentage itself, for
 *        sdpower_curve_rules::percent
 * @return OK; EPARSE or ERANGE (exact and default only); EINVAL for NULL or an unknown mode.
 *         factor is not touched on errors.
 * @par Context any. O(length).
 */
SDPOWER_API sdpower_status sdpower_migration_read_factor(const char *text, uint32_t mode,
	uint32_t *factor);

/**
 * Writes the table as the option that would bring it back, e.g. `migration_cost=4,6`:
 * microseconds rounded towards 0, up to max_distance; unmeasured is 0.
 * @param costs the table
 * @param[out] buffer where to write, NUL-terminated when size is not 0; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length bytes of the whole text without its NUL
 * @return OK; ENOSPC when the text was cut; EINVAL for NULL or an unusable table
 * @par Context owner. O(distances).
 */
SDPOWER_API sdpower_status sdpower_migration_write_costs(
	const struct sdpower_migration_costs *costs, char *buffer, size_t size, size_t *length);

/**
 * Writes the table of all pairs as the original printed it: ms with one digit, and distances.
 * @param machine the levels
 * @param costs the table
 * @param max_cache_size as in the rules, bytes, for the title
 * @param mhz clock of the cpus, for the title
 * @param[out] buffer where to write, NUL-terminated when size is not 0; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length bytes of the whole text without its NUL
 * @return OK; ENOSPC when the text was cut; EINVAL for NULL or unusable tables
 * @par Context owner. O(cpus^2 * levels).
 */
SDPOWER_API sdpower_status sdpower_migration_write_matrix(
	const struct sdpower_migration_machine *machine,
	const struct sdpower_migration_costs *costs, uint32_t max_cache_size, uint32_t mhz,
	char *buffer, size_t size, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
