/* SPDX-License-Identifier: MIT */
/**
 * @file balance.h
 * @brief Where to pull work from, and how much.
 *
 * A cpu asks level by level. #sdpower_find_busiest_group names the group to pull from and
 * the weighted load to move, #sdpower_find_busiest_queue the cpu within that group. Both
 * only read; the host moves tasks itself and asks again when it likes. With power savings
 * the answer may be to empty a lightly used group into the local one, and may name a new
 * preferred wake-up cpu, which the host hands to #sdpower_nominate.
 *
 * Everything is exact 64-bit arithmetic, and "first" means the lowest cpu number. Rules:
 * docs/POLICY.md, D1 to D5 and P1 to P7; which tasks of the cpu move: D16, P12 and move.h.
 */
#ifndef SDPOWER_BALANCE_H
#define SDPOWER_BALANCE_H

#include "reason.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower;

/** Bits of sdpower_busiest_request::flags. */
enum sdpower_busiest_flag {
	SDPOWER_ASK_WHO_BALANCES = 1, /**< answer only if this cpu is the one to balance the level */
	/** native: work has been waiting longer than the latency bound, pull it whoever is near */
	SDPOWER_ASK_IMPATIENT = 2,
	/** native: the level was spreading when asked last, and has not been calm for long enough */
	SDPOWER_ASK_SPREADING = 4
};

/**
 * What a pull is for. LOAD and TASK are about tasks that wait: whoever asks takes them. The others are
 * about one task that may be running, which only its own cpu can give. The driver (driver.h) does
 * all of that; a host without it claims the target (#sdpower_claim), interrupts `from`, and has
 * it ask the same question again, with itself as the only candidate and #SDPOWER_ASK_IMPATIENT: if the
 * answer still names it, it moves one task, the running one included, to the target named then.
 */
enum sdpower_pull_kind {
	SDPOWER_PULL_NONE = 0,     /**< nothing is pulled */
	SDPOWER_PULL_LOAD = 1,     /**< load is uneven; the only kind of the classic rules but POWER */
	SDPOWER_PULL_TASK = 2,     /**< tasks wait while a cpu is idle */
	SDPOWER_PULL_MISFIT = 3,   /**< a running task is too large for its cpu */
	SDPOWER_PULL_PRIORITY = 4, /**< a running task belongs on a cpu of higher priority */
	SDPOWER_PULL_SPREAD = 5,   /**< running tasks crowd one group while another is empty */
	SDPOWER_PULL_POWER = 6     /**< a group, or a cpu, is emptied to save power; classic: as LOAD */
};

/** A question: from where should this cpu pull? */
struct sdpower_busiest_request {
	uint32_t struct_size; /**< sizeof(struct sdpower_busiest_request), set by the caller */
	sdpower_cpu cpu;      /**< who asks */
	uint32_t depth;       /**< level of its chain, 0 = innermost */
	uint32_t idle;        /**< one of #sdpower_idle: why it asks */
	uint32_t flags;       /**< set of #sdpower_busiest_flag; other bits must be 0 */
	/** 1 = tell whether all cpus looked at are without tasks; 0 = the answer is 0 */
	uint32_t sd_idle;
	const uint32_t *candidates; /**< mask of cpus to look at; NULL = all */
	uint32_t candidate_words;   /**< words of candidates */
	/** entries of group_power: 0, or the number of groups of the level */
	uint32_t group_power_count;
	/** replaces the groups' powers, by ascending first cpu; 0 reads as 1 */
	const uint32_t *group_power;
};

/** The numbers behind an answer, final values of the rules D1 to D4. */
struct sdpower_busiest_stats {
	uint64_t total_load;   /**< load of all groups looked at */
	uint64_t total_power;  /**< their power */
	uint64_t this_load;    /**< load per S of power, local group */
	uint64_t max_load;     /**< the same, busiest group */
	uint64_t avg_load;     /**< the same, whole domain; 0 until the rules needed it */
	uint64_t this_lpt;     /**< weighted load of the local group; per task once SMALL acted */
	/** weighted load of the busiest group; per task once WITHIN_PERCENT was passed */
	uint64_t busiest_lpt;
	uint64_t min_lpt;      /**< weighted load per task of the group to be emptied, or 0 */
	uint32_t this_nr;      /**< tasks of the local group */
	uint32_t busiest_nr;   /**< tasks of the busiest group */
	uint32_t leader_nr;    /**< tasks of the power leader, or 0 */
	uint32_t min_nr;       /**< tasks of the group to be emptied, or 0 */
	uint32_t group_imb;    /**< 1 = the busiest group is imbalanced within itself */
	uint32_t power_balance;/**< 1 = power savings were still possible at the end */
	sdpower_cpu group_min;    /**< first cpu of the group to be emptied, or NONE */
	sdpower_cpu group_leader; /**< first cpu of the power leader, or NONE */
};

/** The answer. */
struct sdpower_busiest {
	uint32_t struct_size; /**< sizeof(struct sdpower_busiest), set by the caller */
	uint32_t reason;      /**< set of #sdpower_reason */
	struct sdpower_domain domain; /**< the domain that was looked at */
	/**
	 * in ring order, 0 = the local one; #SDPOWER_ID_NONE = pull nothing. On modern trees this
	 * number is for #sdpower_find_busiest_queue only: group_first names the group
	 */
	uint32_t group;
	sdpower_cpu group_first; /**< first cpu of that group, or NONE */
	/**
	 * weighted load to move (1024 = one ordinary task). Classic: move tasks until less than half of
	 * the next one is left (D16); 0 with a group: nothing is worth moving. Native, LOAD and TASK:
	 * never more than this in all, only the first task may weigh up to `most` (P12). Native, other
	 * kinds: what a task of `from` weighs on average; one task moves, whatever its weight
	 */
	uint64_t imbalance;
	uint32_t sd_idle;     /**< 1 = asked for, and no cpu that was looked at has tasks */
	uint32_t balance;     /**< 0 = another cpu balances this level */
	/** new preferred wake-up cpu for #sdpower_nominate, or NONE = as it was */
	sdpower_cpu nominee;
	uint32_t kind;        /**< one of #sdpower_pull_kind */
	sdpower_cpu from;     /**< native: the cpu to pull from, or NONE; classic: NONE */
	sdpower_cpu target;   /**< native: the cpu that gets the tasks, or NONE; classic: NONE */
	/**
	 * native: largest share of time a task may have to be moved, never 0; a task whose share is not
	 * known counts as 1024. UINT32_MAX = any, as for LOAD where no share of a cpu was published
	 */
	uint32_t util_most;
	/** native: 1 = a group is over-utilised, save no power here until it has been calm */
	uint32_t spreading;
	/**
	 * native: 1 = tasks wait, and unused cpus nearer to them are left to take them for a while; if
	 * nothing is pulled, the reason is SEMI_IDLE. Ask with #SDPOWER_ASK_IMPATIENT when the latency
	 * bound (tunables.h) has passed
	 */
	uint32_t waiting;
	uint32_t reserved;    /**< 0 */
	uint64_t most;        /**< native: largest weight of the first task, no other; classic: 0 */
	struct sdpower_busiest_stats stats; /**< the numbers */
};

/**
 * Finds the group to pull from.
 * @param s the instance
 * @param request the question
 * @param answer filled; struct_size set by the caller
 * @return OK, also when the answer is "nothing" (answer->group is NONE) and when the tree was
 *         replaced meanwhile (reason SWAPPED); EINVAL for NULL, an unknown struct_size, flag,
 *         idle or a wrong number of powers; ENOENT for a cpu that does not exist or a level its
 *         chain does not have; ENOSYS when the instance has no such rules. answer is not
 *         touched on errors.
 * @par Context any. Wait-free, no writes. O(blocks) when sums are up to date, else O(cpus).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_find_busiest_group(const struct sdpower *s,
	const struct sdpower_busiest_request *request, struct sdpower_busiest *answer);

/** A question: which cpu of a group? */
struct sdpower_queue_request {
	/** sizeof(struct sdpower_queue_request), set by the caller */
	uint32_t struct_size;
	struct sdpower_domain domain; /**< sdpower_busiest::domain */
	uint32_t group;               /**< sdpower_busiest::group */
	uint64_t imbalance;           /**< sdpower_busiest::imbalance */
	const uint32_t *candidates;   /**< mask of cpus to look at; NULL = all */
	uint32_t candidate_words;     /**< words of candidates */
	uint32_t flags;               /**< must be 0 */
};

/**
 * Finds the cpu of a group to pull from: the most loaded one that does not hold a single
 * task heavier than the imbalance. Under the native rules sdpower_busiest::from names the cpu
 * already, and chosen by more than this call knows; there is no need for it.
 * @param s the instance
 * @param request the question
 * @param pick filled: the cpu with reason IMBALANCE, or NONE with reason NO_CPU
 * @return OK; ESTALE when the tree of request->domain has been replaced; ENOENT for a group or
 *         domain that does not exist; EINVAL; ENOSYS. pick is not touched on errors.
 * @par Context any. Wait-free, no writes. O(cpus of the group).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_find_busiest_queue(const struct sdpower *s,
	const struct sdpower_queue_request *request, struct sdpower_pick *pick);

#ifdef __cplusplus
}
#endif
#endif
