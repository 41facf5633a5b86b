/* SPDX-License-Identifier: MIT */
/**
 * @file policy.h
 * @brief The power-aware policy of 2013, as it was: where to place a task, when to empty a group.
 *
 * Two policies, *performance* and *powersaving*. Powersaving looks at utilisation instead of
 * load: #sdpower_shi2013_place packs a task into the smallest level that has room, and
 * #sdpower_shi2013_balance lets one group pull from the least used one; as soon as anything is
 * over-utilised both hand over to the ordinary rules. It is kept exactly as published, with
 * its weaknesses (docs/POLICY.md, section U), to measure other policies against.
 *
 * Both are pure functions of tables the host fills: they need no instance, keep nothing and
 * write nothing but the answer. The utilisation of a cpu may come from the signals of util.h
 * or from the host's own. "Lowest" and "first" mean the lowest cpu number.
 */
#ifndef SDPOWER_POLICY_H
#define SDPOWER_POLICY_H

#include "reason.h"
#include "util.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The two policies, by the numbers of the original. */
enum sdpower_shi2013_policy {
	SDPOWER_SHI2013_PERFORMANCE = 1, /**< spread: the rules here decide nothing */
	SDPOWER_SHI2013_POWERSAVING = 2  /**< pack while there is room */
};

/** Which state of the work. */
enum sdpower_shi2013_stage {
	SDPOWER_SHI2013_FINAL = 0,  /**< the finished series */
	SDPOWER_SHI2013_EARLIER = 1 /**< before: no bursts, no leader cpu, every cpu counts 1024 */
};

/** What places a task. */
enum sdpower_shi2013_operation {
	SDPOWER_SHI2013_FORK = 0, /**< a new task */
	SDPOWER_SHI2013_EXEC = 1, /**< a task that starts another program */
	SDPOWER_SHI2013_WAKE = 2  /**< a task that was asleep */
};

/** Flags of a level. */
enum sdpower_shi2013_level_flag {
	SDPOWER_SHI2013_SHARES_CORE = 1,  /**< its cpus are threads of one core */
	SDPOWER_SHI2013_WAKE_AFFINE = 2,  /**< wake-ups may move a task to the waking cpu */
	SDPOWER_SHI2013_BALANCE_FORK = 4, /**< fork may place here */
	SDPOWER_SHI2013_BALANCE_WAKE = 8, /**< wake-ups may place here */
	SDPOWER_SHI2013_BALANCE_EXEC = 16 /**< exec may place here */
};

/** What a balancing attempt should be. */
enum sdpower_shi2013_mode {
	SDPOWER_SHI2013_DO_NOTHING = 0, /**< neither power nor ordinary balancing */
	SDPOWER_SHI2013_DO_BALANCE = 1, /**< the ordinary rules */
	/** pull the amount from the group, which should empty it */
	SDPOWER_SHI2013_DO_PULL = 2
};

/** Capacity of a cpu without siblings. */
#define SDPOWER_SHI2013_POWER SDPOWER_SCALE
/** Capacity of a core with threads, shared equally: 589 each for two. */
#define SDPOWER_SHI2013_CORE_POWER 1178u
/** Average idle period below which a cpu is taken for bursty, ns, as the original had it. */
#define SDPOWER_SHI2013_BURST_NS 100000u

/** One cpu. Values above their range are taken as its upper end. */
struct sdpower_shi2013_cpu {
	uint32_t util;        /**< decayed share of time with runnable tasks, 0 .. 1024 */
	uint32_t nr;          /**< runnable ordinary tasks, 0 .. #SDPOWER_NR_MAX; 0 = idle */
	uint32_t stolen;      /**< share taken by interrupts and real-time tasks, 0 .. 1024 */
	uint32_t load;        /**< weighted load, 0 .. #SDPOWER_LOAD_MAX */
	uint32_t power;       /**< capacity with nothing stolen, see #SDPOWER_SHI2013_POWER */
	uint32_t avg_idle_ns; /**< average length of an idle period; for wake-ups only */
};

/** One level of a cpu's chain: the cpus of its span, group by group. Cpus of a level may share it. */
struct sdpower_shi2013_level {
	uint32_t flags;             /**< set of #sdpower_shi2013_level_flag; other bits must be 0 */
	uint32_t group_count;       /**< groups, at least 1, in ring order from any of them on */
	const uint32_t *group_end;  /**< per group: index behind its last member, ascending */
	const sdpower_cpu *members; /**< cpu numbers, ascending within a group */
};

/** The cpus, and the levels of the cpu that asks. */
struct sdpower_shi2013_machine {
	uint32_t struct_size; /**< sizeof(struct sdpower_shi2013_machine), set by the caller */
	uint32_t cpu_count;   /**< entries of cpus, at most #SDPOWER_MAX_CPUS */
	uint32_t cpu_stride;  /**< sizeof(struct sdpower_shi2013_cpu) */
	uint32_t level_count; /**< entries of levels, may be 0 */
	const struct sdpower_shi2013_cpu *cpus;     /**< by cpu number */
	const struct sdpower_shi2013_level *levels; /**< innermost first */
};

/** A question: where should this task run? */
struct sdpower_shi2013_task {
	uint32_t struct_size;     /**< sizeof(struct sdpower_shi2013_task), set by the caller */
	uint32_t policy;          /**< one of #sdpower_shi2013_policy */
	uint32_t stage;           /**< one of #sdpower_shi2013_stage */
	uint32_t operation;       /**< one of #sdpower_shi2013_operation */
	sdpower_cpu cpu;          /**< who asks: the forking or the waking cpu */
	sdpower_cpu previous;     /**< where the task ran last */
	uint32_t busy;            /**< the task's decayed runnable time, as sdpower_util::busy */
	uint32_t total;           /**< the time it is a part of, as sdpower_util::total */
	/** 1 = nothing is known of it: counts as a whole cpu when levels are filled */
	uint32_t is_new;
	/** bursty below this average idle period; 0 = none is. See #SDPOWER_SHI2013_BURST_NS */
	uint32_t burst_ns;
	const uint32_t *affinity; /**< mask of cpus it may run on; NULL = all */
	uint32_t affinity_words;  /**< words of affinity */
	uint32_t reserved;        /**< 0 */
};

/** The answer. */
struct sdpower_shi2013_placed {
	uint32_t struct_size; /**< sizeof(struct sdpower_shi2013_placed), set by the caller */
	sdpower_cpu cpu;      /**< the cpu; NONE = use the ordinary rules */
	/** set of #sdpower_reason: PREVIOUS, ORDINARY, NO_ROOM, or POWER with or without PACKED */
	uint32_t reason;
	uint32_t depth;       /**< index of the level with room; #SDPOWER_ID_NONE = none */
	sdpower_cpu leader;   /**< first cpu of the leading group, or NONE */
	uint32_t reserved;    /**< 0 */
	uint64_t util;        /**< utilisation of that level, or 0 */
	uint64_t capacity;    /**< capacity of that level, or 0 */
};

/**
 * Places a task: the lowest level with room wins, in it the fullest group that has any.
 * A task that may run on one cpu only stays where it was; whatever its previous cpu is.
 * @param machine the cpus and the levels of task->cpu
 * @param task the question
 * @param[out] place filled; struct_size set by the caller
 * @return OK, also when the answer is "the ordinary rules"; ENOENT for a cpu that does not
 *         exist; EINVAL for NULL, an unknown struct_size, stride, policy, stage, operation or
 *         flag, is_new above 1, and a level that is malformed or without task->cpu; ERANGE for
 *         too many cpus. place is not touched on errors.
 * @par Context any, while the tables do not change. No writes. O(levels * cpus).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_shi2013_place(
	const struct sdpower_shi2013_machine *machine, const struct sdpower_shi2013_task *task,
	struct sdpower_shi2013_placed *place);

/** A question: what should a cpu that balances a level do? */
struct sdpower_shi2013_attempt {
	uint32_t struct_size;     /**< sizeof(struct sdpower_shi2013_attempt), set by the caller */
	uint32_t policy;          /**< one of #sdpower_shi2013_policy */
	sdpower_cpu cpu;          /**< who asks */
	uint32_t depth;           /**< which of the machine's levels */
	uint32_t idle;            /**< one of #sdpower_idle: why it asks */
	uint32_t max_interval_ms; /**< longest balancing interval of the level */
	uint64_t since_ms;        /**< time since the level's record was last looked after */
	/**
	 * history of the level: a bit per attempt, 1 = ordinary balancing, newest lowest; 0 at
	 * first
	 */
	uint64_t record;
};

/** The answer. Groups are indices of the level's table. */
struct sdpower_shi2013_balanced {
	uint32_t struct_size; /**< sizeof(struct sdpower_shi2013_balanced), set by the caller */
	uint32_t mode;        /**< one of #sdpower_shi2013_mode */
	/**
	 * set of #sdpower_reason: NOT_BALANCER, ORDINARY, OVERUTILISED, NO_ROOM, NOT_LEADER, LAZY
	 * or POWER
	 */
	uint32_t reason;
	uint32_t group;       /**< group to pull from, or #SDPOWER_ID_NONE */
	uint32_t leader;      /**< group that leads as far as was looked, or #SDPOWER_ID_NONE */
	uint32_t min;         /**< least used group as far as was looked, or #SDPOWER_ID_NONE */
	uint32_t balance;     /**< 0 = another cpu balances this level */
	uint32_t reserved;    /**< 0 */
	uint64_t imbalance;   /**< weighted load to move, about one task; 0 without a group */
	uint64_t record;      /**< the history after this attempt, to be kept for the next one */
};

/**
 * Decides what one balancing attempt at one level should be: pull for power, balance as
 * usual, or nothing.
 * @param machine the cpus and the levels of attempt->cpu
 * @param attempt the question
 * @param[out] balance filled; struct_size set by the caller
 * @return OK, whatever the mode; ENOENT for a cpu or level that does not exist; EINVAL for NULL,
 *         an unknown struct_size, stride, policy or idle, and a level that is malformed or
 *         without attempt->cpu; ERANGE for too many cpus. balance is not touched on errors.
 * @par Context any, while the tables do not change; who keeps the record serialises attempts at
 *      its level. No writes. O(cpus of the level).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_shi2013_balance(
	const struct sdpower_shi2013_machine *machine, const struct sdpower_shi2013_attempt *attempt,
	struct sdpower_shi2013_balanced *balance);

/**
 * Reads the word of a policy, as people write it.
 * @param word "performance" or "powersaving", NUL-terminated, nothing else around it
 * @param[out] policy one of #sdpower_shi2013_policy
 * @return OK; EPARSE for another word; EINVAL for NULL. policy is not touched on errors.
 * @par Context any. O(1).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_shi2013_read_policy(const char *word,
	uint32_t *policy);

/**
 * The word of a policy.
 * @param policy one of #sdpower_shi2013_policy
 * @return constant string, never NULL; "unknown policy" for anything else
 * @par Context any. O(1).
 */
SDPOWER_API const char *sdpower_shi2013_policy_name(uint32_t policy);

#ifdef __cplusplus
}
#endif
#endif
