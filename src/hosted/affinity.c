/* SPDX-License-Identifier: MIT */
/* Affinity of this thread, and the arch of this build. */
#ifdef __linux__
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include <sched.h>
#endif
#include <string.h>
#include <sdpower/topology.h>
#include "affinity.h"

#ifdef __linux__
int sdpower_i_affinity(uint32_t *mask)
{
	unsigned long words[SDPOWER_I_AFFINITY_WORDS * 32u / (8u * sizeof(unsigned long))];
	const uint32_t bits = 8u * (uint32_t)sizeof(words[0]);

	/* The kernel refuses a mask shorter than its own, and the loader takes no id above this one. */
	memset(words, 0, sizeof(words));
	if (sched_getaffinity(0, sizeof(words), (cpu_set_t *)(void *)words) != 0)
		return 0;
	memset(mask, 0, sizeof(*mask) * SDPOWER_I_AFFINITY_WORDS);
	for (uint32_t id = 0; id < SDPOWER_I_AFFINITY_WORDS * 32u; id++)
		if ((words[id / bits] >> (id % bits)) & 1u)
			mask[id / 32u] |= 1u << (id % 32u);
	return 1;
}
#else
int sdpower_i_affinity(uint32_t *mask)
{
	(void)mask;
	return 0;
}
#endif

uint32_t sdpower_i_build_arch(void)
{
#if defined(__x86_64__)
	return SDPOWER_ARCH_X86_64;
#elif defined(__i386__)
	return SDPOWER_ARCH_X86_32;
#elif defined(__aarch64__)
	return SDPOWER_ARCH_ARM64;
#elif defined(__arm__)
	return SDPOWER_ARCH_ARM;
#elif defined(__powerpc__)
	return SDPOWER_ARCH_POWERPC;
#elif defined(__s390__)
	return SDPOWER_ARCH_S390;
#elif defined(__ia64__)
	return SDPOWER_ARCH_IA64;
#elif defined(__sparc__)
	return SDPOWER_ARCH_SPARC64;
#elif defined(__sh__)
	return SDPOWER_ARCH_SH;
#elif defined(__mips__)
	return SDPOWER_ARCH_MIPS;
#elif defined(__riscv)
	return SDPOWER_ARCH_RISCV;
#else
	return SDPOWER_ARCH_GENERIC;
#endif
}
