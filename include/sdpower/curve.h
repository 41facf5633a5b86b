/* SPDX-License-Identifier: MIT */
/**
 * @file curve.h
 * @brief What moving a task costs, by the size of its working set: a search for the maximum.
 *
 * A task that moves to another cpu fetches its working set again. Small sets cost little, and
 * sets that fit no cache cost nothing, since they would miss anyway; in between lies a maximum.
 * The search finds it in few rounds and says how sure it is. It is what this library uses
 * itself; migration.h has the search of 2005 beside it (docs/POLICY.md M10 to M13).
 *
 * Nothing here measures, and nothing here has a clock. The search is a step machine and a pure
 * function of what it is told, so that a script gives the same answer everywhere:
 *
 *     sdpower_curve_begin(&rules, &curve);
 *     while (curve.step == SDPOWER_CURVE_MEASURE)
 *             sdpower_curve_next(&curve, &what one round at curve.size gave);
 *     a task is cold after curve.hot_ns
 *
 * A *round* lets each of the two cpus write the same curve.size bytes twice, one cpu after the
 * other: its first walk is remote, the second local, and the difference is what arriving costs. What
 * drifts between rounds cancels within one. The first round of each size warms up and is not
 * counted. There is no threshold to tune: intervals are those of the median by rank.
 *
 * Structures are plain data of the host's, one writer at a time. Times are ns, sizes bytes.
 */
#ifndef SDPOWER_CURVE_H
#define SDPOWER_CURVE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most rounds that count at one size. */
#define SDPOWER_CURVE_ROUNDS 25u
/** Largest size, and largest cost of a round either way. */
#define SDPOWER_CURVE_MOST (UINT64_C(1) << 48)
/** Largest percentage: a hundredfold. */
#define SDPOWER_CURVE_PERCENT_MAX 10000u

/** What the host has to do before its next call. */
enum sdpower_curve_step {
	SDPOWER_CURVE_DONE = 0,   /**< nothing; it is over */
	SDPOWER_CURVE_MEASURE = 1 /**< one round at sdpower_curve::size */
};

/** Why no larger size was tried. */
enum sdpower_curve_end {
	SDPOWER_CURVE_END_RANGE = 0,   /**< the largest size was measured, or it goes on */
	SDPOWER_CURVE_END_EARLY = 1,   /**< twice in a row the cost was far below the maximum */
	SDPOWER_CURVE_END_BUDGET = 2,  /**< the next size would not have fitted the budget */
	SDPOWER_CURVE_END_DROPPED = 3, /**< twice in a row, or at the only size, too many were dropped */
	SDPOWER_CURVE_END_STOPPED = 4  /**< the host said so */
};

/** How to search. */
struct sdpower_curve_rules {
	uint32_t struct_size;  /**< sizeof(struct sdpower_curve_rules), set by the caller */
	/** of the time until cold, up to #SDPOWER_CURVE_PERCENT_MAX; 0 = 100 */
	uint32_t percent;
	/** largest cache that the two cpus do not share; 0 = unknown: up to 8 MiB are tried */
	uint64_t private_size;
	uint64_t most_size;    /**< no size is larger; 0 = 64 MiB */
	uint64_t only_size;    /**< measure this size and no other; 0 = search */
	uint64_t budget_ns;    /**< time the search may take; 0 = no limit */
};

/** One round. */
struct sdpower_curve_round {
	uint32_t struct_size; /**< sizeof(struct sdpower_curve_round), set by the caller */
	/** not 0: something came between, the times say nothing */
	uint32_t dropped;
	int64_t there_ns;     /**< cost of arriving at the second cpu; noise may make it negative */
	int64_t back_ns;      /**< cost of arriving at the first cpu */
	uint64_t elapsed_ns;  /**< time since the search began; 0 without a clock */
};

/** What is known of one size. */
struct sdpower_curve_point {
	uint64_t size;       /**< bytes */
	uint64_t cost_ns;    /**< median of both ways; 0 also where it came out negative */
	uint64_t low_ns;     /**< the median is not lower, with 93 per cent */
	uint64_t high_ns;    /**< nor higher */
	uint64_t there_ns;   /**< median of arriving at the second cpu */
	uint64_t back_ns;    /**< median of arriving at the first cpu */
	uint32_t rounds;     /**< rounds that counted; 0 = nothing is known */
	uint32_t dropped;    /**< rounds that did not */
	uint32_t is_certain; /**< 1 = the interval is within 15 per cent of the cost, which is not 0 */
	uint32_t buffer;     /**< which memory it was measured in */
};

/** A search. The host reads the first part. */
struct sdpower_curve {
	uint32_t struct_size;             /**< sizeof(struct sdpower_curve), set by the caller */
	uint32_t step;                    /**< one of #sdpower_curve_step */
	uint64_t size;                    /**< MEASURE: bytes to walk through, a multiple of 64 */
	uint64_t stop_size;               /**< no size is larger: how much memory to have */
	/** MEASURE: counts up where the host should take fresh memory, whose pages lie elsewhere */
	uint32_t buffer;
	uint32_t end;                     /**< one of #sdpower_curve_end */
	uint32_t points;                  /**< sizes finished so far */
	uint32_t percent;                 /**< private */
	struct sdpower_curve_point last;  /**< the size finished last */
	/** the maximum so far. Without rounds: none; not certain: a guess, no other was better */
	struct sdpower_curve_point best;
	uint64_t hot_ns;                  /**< DONE: age from which a task is cold; 0 = unknown */
	uint64_t budget_ns;               /**< private */
	uint64_t began_ns;                /**< private: when this size began */
	uint64_t elapsed_ns;              /**< private */
	uint32_t phase;                   /**< private */
	uint32_t warm;                    /**< private: a round of this size was heard */
	uint32_t fallen;                  /**< private: sizes in a row far below the maximum */
	uint32_t skipped;                 /**< private: sizes in a row that could not be measured */
	uint64_t middle;                  /**< private: size to refine around */
	struct sdpower_curve_point again[3]; /**< private: the maximum in three memories */
	int64_t there[SDPOWER_CURVE_ROUNDS]; /**< private */
	int64_t back[SDPOWER_CURVE_ROUNDS];  /**< private */
	uint32_t rounds;                  /**< private */
	uint32_t dropped;                 /**< private */
};

/**
 * Starts a search.
 * @param rules how to search
 * @param[out] curve step is MEASURE
 * @return OK; ERANGE for a percentage or size beyond what is allowed; EINVAL for NULL or an
 *         unknown struct_size. curve is not touched on errors.
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_curve_begin(const struct sdpower_curve_rules *rules,
	struct sdpower_curve *curve);

/**
 * Takes a round at the present size and says what is next.
 * @param curve the search, at MEASURE
 * @param round what was measured
 * @return OK; ERANGE for a cost beyond #SDPOWER_CURVE_MOST either way; EINVAL for NULL, an
 *         unknown struct_size or a search that is over. curve is not touched on errors.
 * @par Context owner. O(rounds^2), at most 25; no floating point.
 */
SDPOWER_API sdpower_status sdpower_curve_next(struct sdpower_curve *curve,
	const struct sdpower_curve_round *round);

/**
 * Ends a search with what is known so far.
 * @param curve the search, at MEASURE
 * @return OK; EINVAL for NULL, an unknown struct_size or a search that is over
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_curve_stop(struct sdpower_curve *curve);

#ifdef __cplusplus
}
#endif
#endif
