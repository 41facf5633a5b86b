/* SPDX-License-Identifier: MIT */
/**
 * @file instance.h
 * @brief One instance: where it lives, which rules it follows, and how its tree changes.
 *
 * An instance lives in one block of memory the caller gives: ask the size, give the block,
 * use it. Nothing is allocated afterwards, and dropping the block is all the destruction
 * there is. Everything the block holds is reached by indices and by pointers into itself,
 * so it must not be moved.
 *
 * The tree of scheduling domains depends on four things that may change while others ask
 * questions: the two savings knobs, the online cpus, the allowed cpus and the partitions.
 * Each change builds the other one of two trees aside and publishes it at once; nobody ever
 * finds a cpu without its domains, and a change that is refused leaves all as it was. Calls
 * that change are *control* calls: the host serialises them among themselves.
 */
#ifndef SDPOWER_INSTANCE_H
#define SDPOWER_INSTANCE_H

#include "topology.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdpower_tunables;
struct sdpower_energy;

/** An instance; opaque, lives in the caller's memory. */
typedef struct sdpower sdpower;

/** How the tree is built (docs/POLICY.md, part B). */
enum sdpower_tree_rules {
	/** what fits the decisions; without any told, #SDPOWER_TREE_MODERN */
	SDPOWER_TREE_DEFAULT = 0,
	/** Linux 2.6.30 with the degeneration rule of the v4 power series */
	SDPOWER_TREE_CLASSIC = 1,
	SDPOWER_TREE_CLASSIC_30 = 2, /**< Linux 2.6.30 as it was */
	SDPOWER_TREE_MODERN = 3      /**< Linux of today, with power savings on top */
};

/** Which flags the classic levels carry. */
enum sdpower_tuning {
	SDPOWER_TUNING_TUNED = 0,   /**< as in 2.6.30 */
	SDPOWER_TUNING_REVERTED = 1 /**< with the re-tuning of November 2008 taken back */
};

/** How decisions are taken. */
enum sdpower_decision_rules {
	/** what fits the tree: classic on a classic one, native on the modern one */
	SDPOWER_DECIDE_DEFAULT = 0,
	/** v4 series: active level = max(mc, smt), arbitrated nomination */
	SDPOWER_DECIDE_CLASSIC = 1,
	SDPOWER_DECIDE_CLASSIC_30 = 2, /**< 2.6.30: the gates look at mc only, no arbitration */
	/** this library's own, without the flaws of the others (docs/POLICY.md, parts P and W) */
	SDPOWER_DECIDE_NATIVE = 3
};

/** Bits of sdpower_config::flags. */
enum sdpower_config_flag {
	SDPOWER_CONFIG_RELAX = 1,   /**< relax_level is meant */
	/** keep counters of the balance driver (counters.h), 108 bytes per cpu and level; needs DRIVER */
	SDPOWER_CONFIG_COUNTERS = 2,
	/** keep what the balance driver (driver.h) remembers: 16 bytes per cpu and per level of a cpu */
	SDPOWER_CONFIG_DRIVER = 4,
	/** keep each cpu's utilisation (util.h) from ticks and idle periods, 40 bytes per cpu */
	SDPOWER_CONFIG_UTIL = 8
};

/** Words for people, each a pair of knobs. */
enum sdpower_power_level {
	SDPOWER_PERFORMANCE = 0, /**< knobs (0, 0): spread */
	SDPOWER_BALANCED = 1,    /**< knobs (2, 0): fill packages before waking others */
	SDPOWER_POWERSAVE = 2    /**< knobs (2, 2): fill cores too */
};

/** What an instance is made from. Zero is the default of every field but struct_size and topology. */
struct sdpower_config {
	uint32_t struct_size;    /**< sizeof(struct sdpower_config), set by the caller */
	uint32_t flags;          /**< set of #sdpower_config_flag; other bits must be 0 */
	const struct sdpower_topology *topology; /**< the machine; not needed after init */
	uint32_t tree;           /**< one of #sdpower_tree_rules */
	uint32_t tuning;         /**< one of #sdpower_tuning */
	uint32_t decisions;      /**< one of #sdpower_decision_rules */
	uint32_t mc;             /**< multi-core savings knob, 0 .. 2 */
	uint32_t smt;            /**< thread savings knob, 0 .. 2 */
	/**
	 * with #SDPOWER_CONFIG_RELAX: -1 = unset, else levels up to it search wide on wake-up,
	 * others not at all (classic)
	 */
	int32_t relax_level;
	uint32_t max_partitions; /**< most partitions there will ever be; 0 = 1. More cost memory */
	/** WAKE_IDLE and WAKE_IDLE_FAR to add to every level after pruning */
	uint32_t wake_flags;
	uint32_t migration_cost_ns; /**< a task that ran this recently is cache hot; 0 = 500000 */
	/** ticks per second the balance driver counts in, up to 1000000; 0 = 250 */
	uint32_t hz;
	/**
	 * a periodic level waits at most a tenth of a second per so many cpus; 0 = possible cpus
	 */
	uint32_t interval_cpus;
	uint32_t util_half_life_ns; /**< with #SDPOWER_CONFIG_UTIL: see #sdpower_util_start; 0 = 32 ms */
	uint32_t reserved;       /**< must be 0 */
	const struct sdpower_tunables *tunables; /**< of the native rules; NULL = all defaults */
	const struct sdpower_energy *energy; /**< of the native rules; NULL = none is known */
};

/**
 * Asks how much memory an instance needs. The size covers every knob setting, online set,
 * allowed set and partitioning the instance can ever meet.
 * @param config rules and machine
 * @param[out] size bytes, a multiple of align, as aligned_alloc() wants it
 * @param[out] align alignment in bytes, a power of two; may be NULL
 * @return OK; EINVAL for a missing topology, an unknown rule, a pair of rules that do not belong
 *         together, a knob above 2, hz or interval_cpus out of range, an unknown flag or wake flag;
 *         ERANGE for a machine too large, a tunable, an energy row or a half-life out of range;
 *         what #sdpower_topology_check says of the topology
 * @par Context any thread. O(cpus^2) at worst, O(cpus) on usual machines; no writes.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_memory_needed(
	const struct sdpower_config *config, size_t *size, size_t *align);

/**
 * Makes an instance and builds its first tree. Cpus start idle with no load; the topology's
 * offline flags and allowed mask are the first online and allowed sets.
 * @param memory block aligned as #sdpower_memory_needed asks; the instance owns it until the
 *        host stops using the instance
 * @param size bytes at memory
 * @param config rules and machine; may be dropped afterwards with all it points at
 * @param[out] out the instance, which is at memory
 * @return OK; ENOSPC when size is too small and EINVAL when memory is misaligned (nothing
 *         written in both cases); EOVERLAP when the rules need a level whose masks overlap;
 *         otherwise as #sdpower_memory_needed
 * @par Context control. O(cpus * log cpus + nodes^2).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_init(void *memory, size_t size,
	const struct sdpower_config *config, sdpower **out);

/** Bits of sdpower_change::flags: what the change is about. */
enum sdpower_change_flag {
	SDPOWER_CHANGE_KNOBS = 1,      /**< mc and smt */
	SDPOWER_CHANGE_ONLINE = 2,     /**< online */
	SDPOWER_CHANGE_ALLOWED = 4,    /**< allowed */
	SDPOWER_CHANGE_PARTITIONS = 8, /**< partitions and partition_count */
	SDPOWER_CHANGE_DRY_RUN = 16    /**< only report what would change */
};

/** A change of what the tree depends on; parts whose flag is clear stay as they are. */
struct sdpower_change {
	uint32_t struct_size;       /**< sizeof(struct sdpower_change), set by the caller */
	uint32_t flags;             /**< set of #sdpower_change_flag */
	uint32_t mc;                /**< multi-core knob, 0 .. 2 */
	uint32_t smt;               /**< thread knob, 0 .. 2 */
	const uint32_t *online;     /**< mask of online cpus, words words */
	const uint32_t *allowed;    /**< mask of allowed cpus, words words */
	/** partition_count disjoint masks of words words, one after the other */
	const uint32_t *partitions;
	uint32_t partition_count;   /**< 0 = no cpu is in any domain */
	uint32_t words;             /**< words of every mask above */
};

/** What a change did or would do. */
struct sdpower_change_report {
	uint32_t struct_size;       /**< sizeof(struct sdpower_change_report), set by the caller */
	uint32_t cpus_changed;      /**< cpus whose chain of domains differs */
	uint32_t cpus_before;       /**< cpus in the tree before */
	uint32_t cpus_after;        /**< cpus in the tree afterwards */
	uint32_t domains_before;    /**< distinct domains before */
	uint32_t domains_after;     /**< distinct domains afterwards */
	uint32_t groups_before;     /**< groups of those domains before */
	uint32_t groups_after;      /**< groups of those domains afterwards */
	uint32_t flags_gained;      /**< domain flags some cpu's chain carries only afterwards */
	uint32_t flags_lost;        /**< domain flags some cpu's chain carries only before */
	/** set by the caller: where to put the mask of changed cpus, or NULL */
	uint32_t *changed;
	/** set by the caller: words of changed; cpus beyond are left out */
	uint32_t changed_words;
};

/**
 * Changes knobs, online set, allowed set and partitions in one step: builds a tree aside and
 * publishes it, or, for a dry run, only reports. Cpus whose chain stays the same keep their
 * balancing state.
 * @param s the instance
 * @param change what to change
 * @param[in,out] report what changed, or NULL
 * @return OK; EINVAL for a knob above 2, a missing mask, partitions that share a cpu, a wrong
 *         struct_size or an unknown flag; ERANGE for more partitions than
 * sdpower_config::max_partitions;
 *         EMPTY when no online and allowed cpu would be left; EOVERLAP when the new knobs need a
 *         level whose masks overlap. Whatever fails changes nothing.
 * @par Context control; questions go on meanwhile. O(cpus * levels), no allocation.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_apply(sdpower *s,
	const struct sdpower_change *change, struct sdpower_change_report *report);

/**
 * Sets the two savings knobs.
 * @param s the instance
 * @param mc multi-core knob, 0 .. 2
 * @param smt thread knob, 0 .. 2
 * @return as #sdpower_apply
 * @par Context control. O(cpus * levels).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_set_knobs(sdpower *s, uint32_t mc,
	uint32_t smt);

/**
 * Sets both knobs by a word.
 * @param s the instance
 * @param level one of #sdpower_power_level
 * @return EINVAL for another word; otherwise as #sdpower_apply
 * @par Context control. O(cpus * levels).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_set_level(sdpower *s, uint32_t level);

/**
 * Reads the two savings knobs.
 * @param s the instance
 * @param[out] mc multi-core knob
 * @param[out] smt thread knob
 * @return OK; EINVAL for a NULL pointer; ESTALE when the tree was replaced twice meanwhile
 * @par Context any. O(1).
 */
SDPOWER_API sdpower_status sdpower_get_knobs(const sdpower *s, uint32_t *mc, uint32_t *smt);

/**
 * Sets the online cpus (hotplug). Numbering never changes.
 * @param s the instance
 * @param mask cpus that are online
 * @param words words of mask
 * @return as #sdpower_apply
 * @par Context control. O(cpus * levels).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_set_online(sdpower *s,
	const uint32_t *mask, uint32_t words);

/**
 * Sets the allowed cpus (affinity, cpuset).
 * @param s the instance
 * @param mask cpus the host may use
 * @param words words of mask
 * @return as #sdpower_apply
 * @par Context control. O(cpus * levels).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_set_allowed(sdpower *s,
	const uint32_t *mask, uint32_t words);

/**
 * Cuts the machine into partitions, each with domains of its own; cpus in none have no domain.
 * @param s the instance
 * @param count partitions; 0 takes the domains from every cpu
 * @param masks count disjoint masks of words words, one after the other
 * @param words words of one mask
 * @return as #sdpower_apply
 * @par Context control. O(cpus * levels * partitions).
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_set_partitions(sdpower *s, uint32_t count,
	const uint32_t *masks, uint32_t words);

/**
 * Says how many cpus the instance numbers, offline ones included.
 * @param s the instance
 * @return possible cpus; 0 for a NULL instance
 * @par Context any. O(1).
 */
SDPOWER_API uint32_t sdpower_cpu_count(const sdpower *s);

#ifdef __cplusplus
}
#endif
#endif
