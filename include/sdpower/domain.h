/* SPDX-License-Identifier: MIT */
/**
 * @file domain.h
 * @brief Walking the tree of scheduling domains.
 *
 * A cpu sees a chain of domains, depth 0 being the innermost (its core, its cache) and the
 * last one the widest. A domain is a span of cpus cut into groups; work is moved between the
 * groups of one domain, innermost domain first. Cpus of one span usually share the domain,
 * but flags are per cpu, since pruning a chain hands flags on.
 *
 * A handle names one level of one cpu's chain in one generation of the tree. When the tree
 * is replaced (knobs, hotplug, partitions) old handles answer #SDPOWER_ESTALE; ask again
 * from the bottom. Walking never waits and takes no lock.
 */
#ifndef SDPOWER_DOMAIN_H
#define SDPOWER_DOMAIN_H

#include "instance.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Scheduling levels of both rule sets, inner to outer: X(name, text).
 * The first five belong to the classic rules, the others to the modern ones.
 */
#define SDPOWER_LEVEL_LIST(X) \
	X(SIBLING, "SIBLING")    /* threads of a core */ \
	X(MC_CLASSIC, "MC")      /* cores of a cache, or of a package while power is saved */ \
	X(CPU, "CPU")            /* the cpus of a node */ \
	X(NODE_CLASSIC, "NODE")  /* up to 16 near nodes */ \
	X(ALLNODES, "ALLNODES")  /* everything */ \
	X(SMT, "SMT")            /* threads of a core */ \
	X(CACHE, "CACHE")        /* sharers of an L2 on POWER */ \
	X(CLS, "CLS")            /* a cluster: sharers of a mid-level cache */ \
	X(MC, "MC")              /* sharers of the last-level cache */ \
	X(BOOK, "BOOK")          /* s390 */ \
	X(DRAWER, "DRAWER")      /* s390 */ \
	X(PKG, "PKG")            /* the cpus of a node */ \
	X(NODE, "NODE")          /* the cpus of a node where a package holds several */ \
	X(NUMA, "NUMA")          /* nodes up to some distance */

/** Scheduling levels; meaning beside each entry of #SDPOWER_LEVEL_LIST. */
enum sdpower_level {
#define SDPOWER_X(name, text) SDPOWER_LEVEL_##name, /**< see list */
	SDPOWER_LEVEL_LIST(SDPOWER_X)
#undef SDPOWER_X
	SDPOWER_LEVELS /**< number of levels */
};

/** What is to know of a domain. */
struct sdpower_domain_info {
	uint32_t struct_size;      /**< sizeof(struct sdpower_domain_info), set by the caller */
	sdpower_cpu cpu;           /**< whose chain */
	uint32_t depth;            /**< 0 = innermost */
	uint32_t level;            /**< one of #sdpower_level */
	uint32_t flags;            /**< set of #sdpower_flag, as this cpu sees them */
	uint32_t weight;           /**< cpus of the span */
	sdpower_cpu first_cpu;     /**< lowest cpu of the span */
	uint32_t groups;           /**< number of groups, at least 1 */
	uint32_t numa_level;       /**< NUMA levels: 0 = nearest */
	uint32_t imb_numa_nr;      /**< modern: tasks by which nodes may differ */
	uint32_t min_interval;     /**< shortest time between balancing passes, ms */
	uint32_t max_interval;     /**< longest time between balancing passes, ms */
	uint32_t balance_interval; /**< first interval, ms */
	uint32_t busy_factor;      /**< a busy cpu balances this many times less often */
	/** a difference below this percentage is left alone; 125 = 25 % */
	uint32_t imbalance_pct;
	uint32_t cache_nice_tries; /**< failures before cache-hot tasks are moved */
	uint32_t busy_idx;         /**< load index for busy cpus */
	uint32_t idle_idx;         /**< load index for idle cpus */
	uint32_t newidle_idx;      /**< load index for newly idle cpus */
	uint32_t wake_idx;         /**< load index for wake-ups */
	uint32_t forkexec_idx;     /**< load index for fork and exec */
};

/** A group of a domain. */
struct sdpower_group_info {
	uint32_t struct_size;  /**< sizeof(struct sdpower_group_info), set by the caller */
	/** compute power by rule B9; 1024 = room for one task, which may be all a package shows */
	uint32_t power;
	uint32_t weight;       /**< cpus of the group */
	sdpower_cpu first_cpu; /**< lowest cpu of the group; names it */
};

/**
 * Finds a level of a cpu's chain.
 * @param s the instance
 * @param cpu whose chain
 * @param depth 0 = innermost
 * @param[out] domain handle
 * @return OK; ENOENT when there is no such cpu, the cpu is in no domain or its chain is
 *         shorter; ESTALE when the tree was replaced twice meanwhile; EINVAL for NULL
 * @par Context any. O(1), no writes.
 */
SDPOWER_API sdpower_status sdpower_domain_at(const sdpower *s, sdpower_cpu cpu, uint32_t depth,
	struct sdpower_domain *domain);

/**
 * Finds the innermost domain of a cpu.
 * @param s the instance
 * @param cpu whose chain
 * @param[out] domain handle
 * @return as #sdpower_domain_at
 * @par Context any. O(1), no writes.
 */
SDPOWER_API sdpower_status sdpower_domain_bottom(const sdpower *s, sdpower_cpu cpu,
	struct sdpower_domain *domain);

/**
 * Steps one level out.
 * @param s the instance
 * @param domain where to step from
 * @param[out] parent handle; may be the address of domain's copy
 * @return OK; ENOENT at the top; ESTALE for a handle of a replaced tree; EINVAL
 * @par Context any. O(1), no writes.
 */
SDPOWER_API sdpower_status sdpower_domain_parent(const sdpower *s, struct sdpower_domain domain,
	struct sdpower_domain *parent);

/**
 * Steps one level in.
 * @param s the instance
 * @param domain where to step from
 * @param[out] child handle
 * @return OK; ENOENT at the bottom; ESTALE; EINVAL
 * @par Context any. O(1), no writes.
 */
SDPOWER_API sdpower_status sdpower_domain_child(const sdpower *s, struct sdpower_domain domain,
	struct sdpower_domain *child);

/**
 * Finds the innermost domain of one cpu that holds another.
 * @param s the instance
 * @param a whose chain
 * @param b cpu to hold; a itself gives the innermost domain
 * @param[out] domain handle
 * @return OK; ENOENT when no domain of a holds b; ESTALE; EINVAL
 * @par Context any. O(levels), no writes.
 */
SDPOWER_API sdpower_status sdpower_domain_common(const sdpower *s, sdpower_cpu a, sdpower_cpu b,
	struct sdpower_domain *domain);

/**
 * Says how far apart two cpus are: 0 = the same cpu, 1 = in the innermost domain of a, and
 * so on outward. Chains may differ in length, so distances compare only from one cpu.
 * @param s the instance
 * @param a whose chain
 * @param b the other cpu
 * @return distance; ENOENT when no domain of a holds b; ESTALE; EINVAL
 * @par Context any. O(levels), no writes.
 */
SDPOWER_API sdpower_status sdpower_domain_distance(const sdpower *s, sdpower_cpu a, sdpower_cpu b);

/**
 * Describes a domain.
 * @param s the instance
 * @param domain handle
 * @param[in,out] info filled; struct_size is set by the caller
 * @return OK; ESTALE for a handle of a replaced tree; EINVAL
 * @par Context any. O(1), no writes but info.
 */
SDPOWER_API sdpower_status sdpower_domain_describe(const sdpower *s, struct sdpower_domain domain,
	struct sdpower_domain_info *info);

/**
 * Writes the span of a domain as a mask; bits beyond the machine are cleared.
 * @param s the instance
 * @param domain handle
 * @param[out] mask words words
 * @param words words of mask; cpus beyond are left out
 * @return OK; ESTALE (mask is then worthless); EINVAL
 * @par Context any. O(cpus of the span).
 */
SDPOWER_API sdpower_status sdpower_domain_span(const sdpower *s, struct sdpower_domain domain,
	uint32_t *mask, uint32_t words);

/**
 * Describes a group, counted in ring order: 0 is the cpu's own group, and the others follow
 * in the order in which balancing visits them.
 * @param s the instance
 * @param domain handle
 * @param index 0 .. groups - 1
 * @param[in,out] info filled; struct_size is set by the caller; or NULL
 * @param[out] mask cpus of the group, words words; or NULL
 * @param words words of mask; cpus beyond are left out
 * @return OK; ENOENT for an index beyond the last group; ESTALE; EINVAL
 * @par Context any. Classic: O(cpus of the group); modern: O(index * cpus of the span).
 */
SDPOWER_API sdpower_status sdpower_domain_group(const sdpower *s, struct sdpower_domain domain,
	uint32_t index, struct sdpower_group_info *info, uint32_t *mask, uint32_t words);

/**
 * Name of a level, as text dumps use it. Both rule sets have an "MC" and a "NODE".
 * @param level one of #sdpower_level
 * @return constant string, never NULL; "?" for an unknown level
 * @par Context any. O(1).
 */
SDPOWER_API const char *sdpower_level_name(uint32_t level);

/**
 * Name of a domain flag, e.g. "BALANCE_NEWIDLE".
 * @param flag one #sdpower_flag
 * @return constant string, never NULL; "?" for no or several flags
 * @par Context any. O(flags).
 */
SDPOWER_API const char *sdpower_flag_name(uint32_t flag);

/**
 * Writes the tree as text, one line for each distinct level of a chain, sorted by depth and
 * first cpu: depth, level, cpus that see it so, span, flags as letters, allowed imbalance if
 * any, and the groups in ring order with their power. Cpus are os ids.
 * @param s the instance
 * @param buffer where to write; always NUL-terminated when size is not 0; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length bytes of the whole text without its NUL
 * @return OK; ENOSPC when the text was cut; ESTALE when the tree was replaced twice meanwhile;
 *         EINVAL
 * @par Context any. O(cpus^2 * levels * groups) at worst.
 */
SDPOWER_API sdpower_status sdpower_dump_text(const sdpower *s, char *buffer, size_t size,
	size_t *length);

/**
 * Writes the tree for Graphviz: domains as boxes with their groups, arrows to the parents.
 * @param s the instance
 * @param buffer where to write; always NUL-terminated when size is not 0; NULL with size 0
 * @param size bytes at buffer
 * @param[out] length bytes of the whole text without its NUL
 * @return as #sdpower_dump_text
 * @par Context any. O(cpus^2 * levels^2) at worst.
 */
SDPOWER_API sdpower_status sdpower_dump_dot(const sdpower *s, char *buffer, size_t size,
	size_t *length);

/**
 * Says which distances this tree has, as one number: a key for what was measured by distance
 * (calibration.h). It covers arch, os ids, and which cpus each level of each cpu holds. Flags,
 * group powers and the savings knobs themselves are not in it, so that it stays the same under any
 * knobs, online or allowed cpus that leave these spans alone.
 * @param s the instance
 * @param[out] signature equal for equal trees, on every machine and in every version
 * @return OK; ESTALE when the tree was replaced twice meanwhile; EINVAL
 * @par Context any. O(cpus * levels) where no domains overlap.
 */
SDPOWER_API sdpower_status sdpower_domain_signature(const sdpower *s, uint64_t *signature);

/**
 * Checks what the library promises of its trees (docs/POLICY.md B16). Debug builds call it
 * around every change.
 * @param s the instance
 * @param[out] diag the first thing found wrong, or NULL
 * @return OK; ECORRUPT; EINVAL for NULL or memory that is no instance
 * @par Context control. O(cpus^2 * levels) at worst.
 */
SDPOWER_API SDPOWER_MUST_CHECK sdpower_status sdpower_check(const sdpower *s,
	struct sdpower_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
