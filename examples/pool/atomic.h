/* SPDX-License-Identifier: MIT */
/*
 * The two orderings the pool needs beside the plain operations of libatomic_ops.
 *
 * A thread sanitizer does not model fences (gcc even warns about them), so there a locked
 * operation on a private word takes the fence's place: the same barrier for the machine.
 */
#ifndef POOL_ATOMIC_H
#define POOL_ATOMIC_H

#include <atomic_ops.h>

#if defined(__SANITIZE_THREAD__)
#define POOL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define POOL_TSAN 1
#endif
#endif

/* What different threads write stays apart by so many bytes: a cache line, or two halves of one. */
#define POOL_LINE 64

/* Everything written before is seen by whoever reads what is written after, and no later
 * load is served early: "publish work, full fence, then ask". On x86 the locked operation is the
 * quicker barrier of the two. */
static inline void pool_fence(void)
{
#if defined(POOL_TSAN) || defined(__i386__) || defined(__x86_64__)
	AO_t word = 0;

	(void)AO_fetch_and_add_full(&word, 1);
#else
	AO_nop_full();
#endif
}

/* Between two looks at what another cpu is going to write. */
static inline void pool_relax(void)
{
#if defined(__i386__) || defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* A load that earlier loads and stores cannot pass. */
static inline AO_t pool_load_full(const AO_t *word)
{
	pool_fence();
	return AO_load_acquire(word);
}

#endif
