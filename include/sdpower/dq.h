/* SPDX-License-Identifier: MIT */
/**
 * @file dq.h
 * @brief Which levels are worth a search before sleeping, and how long to linger: this
 * library's own tracker.
 *
 * The trackers of Linux (sdpower/newidle.h) compare the dearest search with an average idle
 * period and take every success for equally good. This one, `dq`, estimates what a search is
 * *worth*: per cpu it keeps how idle periods are distributed, per level what a search costs, how
 * often it finds work and how long that work runs. A level is searched if the running time it is
 * expected to win exceeds what the search is expected to cost, lateness for the cpu's own next
 * task included. A level that is not worth it is tried again now and then: such *probes* cost at
 * most one per cent of time, and the rarer the longer they fail. Rules: docs/POLICY.md, part N.
 *
 * A host calls, on the cpu that ran out of work:
 *
 *     sdpower_dq_begin(&t, now);
 *     spent = 0;
 *     for (level = 0; level < t.level_count && !something_arrived; level++) {
 *             if (sdpower_dq_should_search(&t, level, spent) <= 0)
 *                     continue;
 *             pulled = search(level);
 *             cost = clock() - now - spent;
 *             spent += cost;
 *             sdpower_dq_account(&t, level, cost, pulled, clock());
 *             if (pulled)
 *                     break;
 *     }
 *     nothing pulled: linger for sdpower_dq_idle_budget_ns(), then park
 *
 * and sdpower_dq_wake() when the cpu's *own* next task arrives, whether it idles or runs pulled
 * work by then. A host that cannot tell does without; so does one that does not know how long
 * pulled work ran (sdpower_dq_ran()). What is missing then:
 * - no wake-up, nothing pulled: the next sdpower_dq_begin() drops the period;
 * - no wake-up, something pulled: likewise; idle periods that are cut short by pulling go unseen;
 * - no length: the time from the pull to the next wake-up or begin is taken for it.
 *
 * The state is plain data of the host, one #sdpower_dq_cpu and an array of #sdpower_dq_level per
 * cpu, without pointers inside. It belongs to that cpu: calls for one cpu are serialised by the
 * host (context *owner*), different cpus are independent. No clock and no random numbers in
 * here; the same calls give the same answers. Samples that cannot be true (negative, zero,
 * huge, out of order) are clamped and counted, never refused.
 */
#ifndef SDPOWER_DQ_H
#define SDPOWER_DQ_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Classes of idle lengths: 1.5 per octave, from below 294 ns to above 20 ms. */
#define SDPOWER_DQ_CLASSES 24

/** Largest weight in #sdpower_dq_rules: 64 times. */
#define SDPOWER_DQ_WEIGHT_MAX 16384u

/** Largest sdpower_dq_level::move_ns: a second. */
#define SDPOWER_DQ_MOVE_MAX 1000000000u

/** The knobs; may be shared by all cpus. Zero-initialised but struct_size: the defaults. */
struct sdpower_dq_rules {
	uint32_t struct_size; /**< sizeof(struct sdpower_dq_rules), set by the caller */
	/** weight of a ns that the cpu's own task has to wait, in 1/256; 0 = 512. More is more
	 * cautious: performance of what runs here before throughput of all */
	uint32_t lateness;
	/** weight of a ns of searching, in 1/256; 0 = 64. For saving power larger */
	uint32_t effort;
	uint32_t probe_permille; /**< share of time probes may take, 1 .. 1000; 0 = 10 */
	uint32_t probe_cap_ns;   /**< most probe time saved up, ns; 0 = 2 ms */
	uint32_t reserved;       /**< 0 */
};

/** What is remembered of one cpu. Readable; written by the calls only. */
struct sdpower_dq_cpu {
	uint32_t struct_size;   /**< sizeof(struct sdpower_dq_cpu), set by the caller */
	uint32_t odd_samples;   /**< samples that were clamped since init; stops at its maximum */
	uint32_t probes;        /**< probes since init, wraps */
	uint16_t probing;       /**< level + 1 of a probe that was granted, not accounted; or 0 */
	uint16_t pulled;        /**< level + 1 of pulled work whose length is not known; or 0 */
	int64_t purse_ns;       /**< probe time saved up, ns; negative = overdrawn */
	uint64_t earned_ns;     /**< when the purse was last filled, ns */
	uint64_t idle_since_ns; /**< start of the idle period */
	uint64_t pulled_ns;     /**< when `pulled` was set */
	uint32_t idle;          /**< 1 = the period's end has not been told yet */
	uint16_t lengths[SDPOWER_DQ_CLASSES]; /**< weight of each class of idle lengths, 1/512 */
	uint32_t reserved;      /**< 0 */
};

/**
 * What is remembered of one level of one cpu: 24 bytes. move_ns is the host's, set at any time: what
 * was measured (#sdpower_migration_times, once a calibration is in use), or a guess. 0 is fine and
 * means that moving costs nothing, so that far levels are searched as gladly as near ones.
 */
struct sdpower_dq_level {
	/** what moving work from there costs, ns, <= #SDPOWER_DQ_MOVE_MAX (more counts as that) */
	uint32_t move_ns;
	uint32_t cost_ns;  /**< exceeded by a tenth of the searches, ns; 0 = never searched */
	uint32_t gain_ns;  /**< average running time of pulled work, ns */
	uint32_t searched; /**< start of the last period that searched, 2^12 ns, wraps */
	uint32_t hits;     /**< decayed number of searches that pulled, 1/65536 */
	uint16_t calls;    /**< decayed number of searches, 1/256 */
	uint8_t failures;  /**< probes in a row that pulled nothing; first 1, 0 after any pull */
	uint8_t gains;     /**< lengths of pulled work seen, up to 20 */
};

/** Rules and state of one cpu, as every call takes them. The caller owns all of it. */
struct sdpower_dq {
	uint32_t struct_size; /**< sizeof(struct sdpower_dq), set by the caller */
	/**
	 * entries of levels, 0 .. 65534. Any order of places to search, nearest first; beside an instance
	 * the domains of the cpu: level = depth, and as many as #sdpower_domain_at finds from 0 on
	 */
	uint32_t level_count;
	const struct sdpower_dq_rules *rules; /**< not NULL */
	struct sdpower_dq_cpu *cpu;           /**< not NULL */
	struct sdpower_dq_level *levels;      /**< innermost first; NULL only if there are none */
};

/** What #sdpower_dq_should_search says; any of the last two means: search. */
enum sdpower_dq_verdict {
	SDPOWER_DQ_SKIP = 0,   /**< not worth it; a level further out may be */
	SDPOWER_DQ_SEARCH = 1, /**< expected to win more than it costs */
	SDPOWER_DQ_PROBE = 2   /**< not expected to, but it is time to look again */
};

/**
 * Sets the state of a cpu and its levels to that of a cpu never seen before; of a level only
 * move_ns stays.
 * @param t rules and state
 * @param now_ns time
 * @return OK; EINVAL for NULL, an unknown struct_size or a reserved field not 0; ERANGE for a
 *         rule or level_count out of range. Nothing is changed on errors.
 * @par Context owner. O(levels).
 */
SDPOWER_API sdpower_status sdpower_dq_init(const struct sdpower_dq *t, uint64_t now_ns);

/**
 * Begins an idle period, before any search: time spent searching is idle time too.
 * @param t rules and state
 * @param now_ns time
 * @return OK; errors as #sdpower_dq_init
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_dq_begin(const struct sdpower_dq *t, uint64_t now_ns);

/**
 * Is the level worth a search now? Levels are asked in order, each on its own. A probe that is
 * granted has to be accounted before another one is, or it is forgotten at the next begin.
 * @param t rules and state
 * @param level which level
 * @param spent_ns time since the period began, ns
 * @return one of #sdpower_dq_verdict; EINVAL for NULL, an unknown struct_size or no such level
 * @par Context owner. O(1): a loop over #SDPOWER_DQ_CLASSES.
 */
SDPOWER_API sdpower_status sdpower_dq_should_search(const struct sdpower_dq *t, uint32_t level,
	uint64_t spent_ns);

/**
 * Accounts a search.
 * @param t rules and state
 * @param level which level
 * @param cost_ns how long it took, ns. 0 and negative numbers (above 2^63) count as 1 ns, what
 *        exceeds 2^32 - 1 as that
 * @param pulled not 0: work was moved to this cpu. After that only #sdpower_dq_wake and
 *        #sdpower_dq_ran belong to this period
 * @param now_ns time
 * @return OK; EINVAL as #sdpower_dq_should_search
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_dq_account(const struct sdpower_dq *t, uint32_t level,
	uint64_t cost_ns, uint32_t pulled, uint64_t now_ns);

/**
 * Tells how long the work pulled last ran, or would have run had the cpu's own task not come.
 * @param t rules and state
 * @param length_ns ns; clamped as costs are
 * @return 1; 0 when nothing was pulled or its length is known already; EINVAL as
 *         #sdpower_dq_should_search
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_dq_ran(const struct sdpower_dq *t, uint64_t length_ns);

/**
 * Tells that the cpu's own next task has arrived: the end of the idle period, even if pulled
 * work runs. A time before the period's start counts as its start.
 * @param t rules and state
 * @param now_ns time
 * @return 1 when there was an idle period, 0 when not; EINVAL as #sdpower_dq_should_search
 * @par Context owner. O(1).
 */
SDPOWER_API sdpower_status sdpower_dq_wake(const struct sdpower_dq *t, uint64_t now_ns);

/**
 * How long to linger before parking, when lingering costs a ns of cpu time per ns and parking
 * costs park_ns once, waking included: the length with the least expected cost, given how
 * idle periods were distributed. Never more than park_ns, so that the worst case is at most
 * twice what a host costs that knows the future.
 * @param t rules and state
 * @param spent_ns time since the period began, ns
 * @param park_ns cost of parking and being woken, ns
 * @return ns, 0 = park at once; 0 too for NULL or an unknown struct_size
 * @par Context owner. O(1): a loop over #SDPOWER_DQ_CLASSES.
 */
SDPOWER_API uint64_t sdpower_dq_idle_budget_ns(const struct sdpower_dq *t, uint64_t spent_ns,
	uint64_t park_ns);

#ifdef __cplusplus
}
#endif
#endif
