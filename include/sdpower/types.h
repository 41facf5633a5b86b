/* SPDX-License-Identifier: MIT */
/**
 * @file types.h
 * @brief Status codes, cpu numbers, units and the X-macro lists every other header shares.
 *
 * Units used everywhere in the library:
 * - **cpu number**: index into the caller's topology array, which is ordered by
 *   ascending os id. #SDPOWER_CPU_NONE means "no cpu".
 * - **load**: weighted load of runnable tasks; one ordinary task weighs 1024.
 *   More is busier. Values saturate at #SDPOWER_LOAD_MAX.
 * - **capacity**: of a cpu, 1 .. 1024, 1024 is full strength. More is stronger.
 * - **power**: of a group, compute power by rule B9 of docs/POLICY.md, 1024 = room for one task; a
 *   whole
 *   package may have 1024 when only one task should go there while others idle. Power / 1024 is
 *   the number of tasks the rules call its capacity. Energy is always called energy.
 * - **utilisation**: 0 .. 1024 = share of one full-strength cpu. Not known is 0 where it is that of
 *   one task (a task that never runs asks nothing: give at least 1), and UINT32_MAX where it is that
 *   of a cpu (#sdpower_set_util), which may well be 0.
 * - **time**: nanoseconds, monotonic, always an argument; the library has no clock.
 * - **mask**: array of uint32_t words, bit i of word w is cpu 32*w+i, with a word
 *   count beside it. A mask shorter than the machine reads as zero beyond its end.
 *
 * **struct_size** is set by the caller to the sizeof of the struct, at the latest before the call, also
 * where the rest is filled by it. It is the guard against headers of another version than the library:
 * a struct that is smaller than the library's is refused with EINVAL, never half read; a larger one
 * is refused too, or, by calls that set up (topology, instance, change), read as far as it is
 * known. So a program is compiled again when a struct has grown, which needs a new SONAME.
 *
 * Thread contexts named in the headers:
 * - *any*: any thread, signal handler or ISR, at any time after init; wait-free.
 * - *owner*: the worker that runs on that cpu, or whoever holds its run-queue lock.
 * - *control*: calls the host serialises among themselves (one control side).
 */
#ifndef SDPOWER_TYPES_H
#define SDPOWER_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/** Marks a symbol the shared library exports. */
#define SDPOWER_API __attribute__((visibility("default")))
/** Marks a call whose status must be looked at. */
#define SDPOWER_MUST_CHECK __attribute__((warn_unused_result))
#else
#define SDPOWER_API
#define SDPOWER_MUST_CHECK
#endif

#define SDPOWER_VERSION_MAJOR 0 /**< Changes when the API breaks, from 1 on. */
#define SDPOWER_VERSION_MINOR 1 /**< Changes when the API grows; while MAJOR is 0 also when it breaks. */
#define SDPOWER_VERSION_PATCH 0 /**< Changes with every other release. */
/** The version of the headers as one number: major * 10000 + minor * 100 + patch. */
#define SDPOWER_VERSION \
	(SDPOWER_VERSION_MAJOR * 10000 + SDPOWER_VERSION_MINOR * 100 + SDPOWER_VERSION_PATCH)

/** Number of a cpu: index into the topology array. */
typedef uint32_t sdpower_cpu;
/** No cpu. */
#define SDPOWER_CPU_NONE UINT32_MAX
/** Most cpus one instance can hold. */
#define SDPOWER_MAX_CPUS 65534u
/** An id that is not known (cluster, cache, die, ...). */
#define SDPOWER_ID_NONE UINT32_MAX
/** Capacity of one full-strength cpu; weight of one ordinary task; full utilisation. */
#define SDPOWER_SCALE 1024u
/** Largest load a cpu can publish; larger values saturate (sums of 16 cpus fit 32 bits). */
#define SDPOWER_LOAD_MAX 0x0fffffffu
/** Largest number of runnable tasks a cpu can publish; larger values saturate. */
#define SDPOWER_NR_MAX 65535u

/** Result of a call: 0 or a positive count on success, a negative code otherwise. */
typedef int32_t sdpower_status;

/**
 * List of status codes: X(name, value, text).
 * OK is 0, errors are negative and never change their number.
 */
#define SDPOWER_STATUS_LIST(X) \
	X(OK, 0, "ok") \
	X(EINVAL, -1, "invalid argument") \
	X(ENOSPC, -2, "memory too small") \
	X(ERANGE, -3, "number out of range") \
	X(EBUSY, -4, "already claimed or busy") \
	X(ESTALE, -5, "handle of a tree that has been replaced") \
	X(ENOENT, -6, "no such file, cpu or domain") \
	X(EPARSE, -7, "text not understood") \
	X(EOVERLAP, -8, "masks overlap without being equal") \
	X(EMPTY, -9, "no usable cpu") \
	X(EIO, -10, "reading or writing failed") \
	X(ENOSYS, -11, "not supported on this system or build") \
	X(ECORRUPT, -12, "an invariant does not hold")

/** Status codes; the type at the API boundary is #sdpower_status. */
enum sdpower_status_code {
#define SDPOWER_X(name, value, text) SDPOWER_##name = (value), /**< text */
	SDPOWER_STATUS_LIST(SDPOWER_X)
#undef SDPOWER_X
};

/** Why a cpu looks for work. */
enum sdpower_idle {
	SDPOWER_CPU_IDLE = 0,       /**< idle at a tick */
	SDPOWER_CPU_NOT_IDLE = 1,   /**< busy at a tick */
	SDPOWER_CPU_NEWLY_IDLE = 2  /**< about to go idle */
};

/**
 * List of domain flags: X(name, bit value, letter classic, letter modern).
 * Letters are those of text dumps; '-' where a rule set has no such flag.
 */
#define SDPOWER_FLAG_LIST(X) \
	/* Periodic balancing happens at this level. Needs groups. */ \
	X(LOAD_BALANCE, 1u, 'L', '-') \
	/* A cpu going idle searches this level. Needs groups. */ \
	X(BALANCE_NEWIDLE, 2u, 'n', 'n') \
	/* exec may move the task within this level. Needs groups. */ \
	X(BALANCE_EXEC, 4u, 'e', 'e') \
	/* fork may place the child within this level. Needs groups. */ \
	X(BALANCE_FORK, 8u, 'f', 'f') \
	/* A wake-up looks for an idle cpu in this span. */ \
	X(WAKE_IDLE, 16u, 'i', '-') \
	/* A wake-up may move the task to the waking cpu. */ \
	X(WAKE_AFFINE, 32u, 'a', 'a') \
	/* A wake-up may balance between waker and previous cpu. */ \
	X(WAKE_BALANCE, 64u, 'w', '-') \
	/* Members share one core's compute power. Needs groups. */ \
	X(SHARE_CPUPOWER, 128u, 's', 's') \
	/* Consolidation may act here. Needs groups. */ \
	X(POWERSAVINGS, 256u, 'P', 'P') \
	/* Members share a last-level cache. Needs groups. */ \
	X(SHARE_PKG, 512u, 'l', 'l') \
	/* Only one cpu of the machine balances this level at a time. */ \
	X(SERIALIZE, 1024u, 'z', 'z') \
	/* As WAKE_IDLE, unless the task is cache hot. */ \
	X(WAKE_IDLE_FAR, 2048u, 'I', '-') \
	/* Members share a cluster (mid-level cache). Needs groups. */ \
	X(CLUSTER, 4096u, '-', 'c') \
	/* Spread over the child's siblings first. Needs groups. */ \
	X(PREFER_SIBLING, 8192u, '-', 'p') \
	/* The level crosses NUMA nodes. Needs groups. */ \
	X(NUMA, 16384u, '-', 'u') \
	/* Groups of this level may overlap. Needs groups. */ \
	X(OVERLAP, 32768u, '-', 'o') \
	/* Members differ in capacity. Needs groups. */ \
	X(ASYM_CPUCAPACITY, 65536u, '-', 'y') \
	/* Members show every capacity value of the machine. Needs groups. */ \
	X(ASYM_CPUCAPACITY_FULL, 131072u, '-', 'Y')

/** Domain flags, a bit set; meaning beside each entry of #SDPOWER_FLAG_LIST. */
enum sdpower_flag {
#define SDPOWER_X(name, bit, classic, modern) SDPOWER_SD_##name = (int)(bit), /**< see list */
	SDPOWER_FLAG_LIST(SDPOWER_X)
#undef SDPOWER_X
};

/**
 * Name of a status code.
 * @param status any value a call returned
 * @return constant string, never NULL; positive counts read as "ok", unknown codes as "unknown
 *         status"
 * @par Context any thread, any time. O(1).
 */
SDPOWER_API const char *sdpower_strstatus(sdpower_status status);

/**
 * Version of the library linked at run time.
 * @return number built like #SDPOWER_VERSION
 * @par Context any thread, any time. O(1).
 */
SDPOWER_API uint32_t sdpower_version(void);

/** One level of one cpu's chain of domains, in one generation of the tree. Plain data; owns nothing. */
struct sdpower_domain {
	uint32_t generation; /**< tree it belongs to */
	uint32_t index;      /**< private */
};

/** Size of the text in a #sdpower_diag. */
#define SDPOWER_DIAG_TEXT 384u

/**
 * What was wrong, for a person: filled by calls that read text or files, beside their status.
 * Owned by the caller; text is NUL-terminated and empty when there is nothing to say.
 */
struct sdpower_diag {
	uint32_t struct_size;           /**< sizeof(struct sdpower_diag), set by the caller */
	/** same as the return value; OK with a text is a warning */
	sdpower_status status;
	uint32_t line;                  /**< line in the source text, from 1; 0 = no line */
	uint32_t column;                /**< column or byte in the field, from 1; 0 = no position */
	/** names file, field, position and, for masks, both masks */
	char text[SDPOWER_DIAG_TEXT];
};

#ifdef __cplusplus
}
#endif
#endif
