/* SPDX-License-Identifier: MIT */
/*
 * The only place for compiler, atomics, assert and cache-line choices. Private; a port
 * replaces it with -DSDPOWER_PORT_HEADER='"my_port.h"'.
 *
 * The set is closed: relaxed and acquire loads, relaxed and release stores of 16 and 32
 * bit words for the decisions; a fence, a full-order store and one compare-and-swap for
 * state/refresh.c, state/claim.c and tree/swap.c only. Nothing here is 64 bits wide, so
 * Cortex-M0 class machines need no helper library for the decisions.
 */
#ifndef SDPOWER_I_PORT_H
#define SDPOWER_I_PORT_H

#ifdef SDPOWER_PORT_HEADER
#include SDPOWER_PORT_HEADER
#else

#include <stddef.h>
#include <stdint.h>
#include <atomic_ops.h>

#ifndef SDPOWER_CACHE_LINE
#if defined(__aarch64__) && defined(__APPLE__)
#define SDPOWER_CACHE_LINE 128u
#elif defined(__powerpc64__)
#define SDPOWER_CACHE_LINE 128u
#else
#define SDPOWER_CACHE_LINE 64u
#endif
#endif

#if defined(__GNUC__)
#define SDPOWER_LIKELY(x) __builtin_expect(!!(x), 1)
#define SDPOWER_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Keeps what is seldom needed from costing its callers registers. */
#define SDPOWER_NOINLINE __attribute__((noinline))
/* For inner loops of which a call would be a good part. */
#define SDPOWER_INLINE inline __attribute__((always_inline))
#else
#define SDPOWER_LIKELY(x) (x)
#define SDPOWER_UNLIKELY(x) (x)
#define SDPOWER_NOINLINE
#define SDPOWER_INLINE inline
#endif

#if defined(SDPOWER_DEBUG) && !defined(SDPOWER_ASSERT)
#include <assert.h>
#define SDPOWER_ASSERT(x) assert(x)
#elif !defined(SDPOWER_ASSERT)
#define SDPOWER_ASSERT(x) ((void)0)
#endif

static inline uint32_t sdpower_i_load(const uint32_t *p)
{
	return (uint32_t)AO_int_load((const volatile unsigned int *)p);
}

static inline uint32_t sdpower_i_load_acquire(const uint32_t *p)
{
	return (uint32_t)AO_int_load_acquire((const volatile unsigned int *)p);
}

static inline uint16_t sdpower_i_load16(const uint16_t *p)
{
	return (uint16_t)AO_short_load((const volatile unsigned short *)p);
}

static inline void sdpower_i_store(uint32_t *p, uint32_t v)
{
	AO_int_store((volatile unsigned int *)p, v);
}

static inline void sdpower_i_store16(uint16_t *p, uint16_t v)
{
	AO_short_store((volatile unsigned short *)p, v);
}

static inline void sdpower_i_store_release(uint32_t *p, uint32_t v)
{
	AO_int_store_release((volatile unsigned int *)p, v);
}

/* Loads before it are done before loads after it: the second half of a sequence check. */
static inline void sdpower_i_fence_read(void)
{
	AO_nop_read();
}

/* A store that no later load of this thread may pass: state/refresh.c and tree/swap.c. */
static inline void sdpower_i_store_full(uint32_t *p, uint32_t v)
{
	AO_int_store_full((volatile unsigned int *)p, v);
}

/*
 * Ends a publish: earlier stores first, and of two stores to the same word (this one and
 * the full-order one of refresh) the earlier one's thread is heard by the later one's. A
 * release store does that on every machine whose stores reach all others at once; POWER is
 * not one of them and pays a fence.
 */
static inline void sdpower_i_store_publish(uint32_t *p, uint32_t v)
{
#if defined(__powerpc__) || defined(__powerpc64__)
	AO_int_store_full((volatile unsigned int *)p, v);
#else
	AO_int_store_release((volatile unsigned int *)p, v);
#endif
}

/*
 * The one read-modify-write, for state/claim.c only. Machines without it (ARMv6-M, or
 * SDPOWER_NO_CAS) claim with a plain store: a duplicate wake-up is harmless.
 */
#if defined(AO_HAVE_int_compare_and_swap_full) && !defined(__ARM_ARCH_6M__) \
	&& !defined(SDPOWER_NO_CAS)
#define SDPOWER_HAVE_CAS 1
static inline int sdpower_i_cas(uint32_t *p, uint32_t from, uint32_t to)
{
	return AO_int_compare_and_swap_full((volatile unsigned int *)p, from, to);
}
#endif

#endif
#endif
