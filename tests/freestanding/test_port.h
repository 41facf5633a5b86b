/* SPDX-License-Identifier: MIT */
/*
 * A port header as docs/PORTING.md asks for one: these names and no others, on the builtins of
 * gcc and clang. It counts its loads, so that a test can see that it is in use.
 */
#ifndef TEST_PORT_H
#define TEST_PORT_H

#include <stdint.h>

#define SDPOWER_CACHE_LINE 32u
#define SDPOWER_LIKELY(x) (x)
#define SDPOWER_UNLIKELY(x) (x)
#define SDPOWER_NOINLINE
#define SDPOWER_INLINE inline
#define SDPOWER_ASSERT(x) ((void)0)

extern uint32_t test_port_loads;

static inline uint32_t sdpower_i_load(const uint32_t *p)
{
	test_port_loads++;
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline uint32_t sdpower_i_load_acquire(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static inline uint16_t sdpower_i_load16(const uint16_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

static inline void sdpower_i_store(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline void sdpower_i_store16(uint16_t *p, uint16_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELAXED);
}

static inline void sdpower_i_store_release(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

static inline void sdpower_i_fence_read(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void sdpower_i_store_full(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void sdpower_i_store_publish(uint32_t *p, uint32_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

#define SDPOWER_HAVE_CAS 1
static inline int sdpower_i_cas(uint32_t *p, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(p, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif
