/* SPDX-License-Identifier: MIT */
/* Names of processor families. */
#include <sdpower/topology.h>
#include "arch.h"
#include "scan.h"

/* The first name of a family is the one written back. */
static const struct {
	char name[12];
	uint32_t arch;
} names[] = {
	{ "generic", SDPOWER_ARCH_GENERIC },
	{ "x86_64", SDPOWER_ARCH_X86_64 },
	{ "amd64", SDPOWER_ARCH_X86_64 },
	{ "i386", SDPOWER_ARCH_X86_32 },
	{ "i486", SDPOWER_ARCH_X86_32 },
	{ "i586", SDPOWER_ARCH_X86_32 },
	{ "i686", SDPOWER_ARCH_X86_32 },
	{ "x86", SDPOWER_ARCH_X86_32 },
	{ "x86_32", SDPOWER_ARCH_X86_32 },
	{ "arm", SDPOWER_ARCH_ARM },
	{ "armv6l", SDPOWER_ARCH_ARM },
	{ "armv7l", SDPOWER_ARCH_ARM },
	{ "armv8l", SDPOWER_ARCH_ARM },
	{ "aarch64", SDPOWER_ARCH_ARM64 },
	{ "arm64", SDPOWER_ARCH_ARM64 },
	{ "ppc64", SDPOWER_ARCH_POWERPC },
	{ "ppc64le", SDPOWER_ARCH_POWERPC },
	{ "ppc", SDPOWER_ARCH_POWERPC },
	{ "powerpc", SDPOWER_ARCH_POWERPC },
	{ "powerpc64", SDPOWER_ARCH_POWERPC },
	{ "s390x", SDPOWER_ARCH_S390 },
	{ "s390", SDPOWER_ARCH_S390 },
	{ "ia64", SDPOWER_ARCH_IA64 },
	{ "sparc64", SDPOWER_ARCH_SPARC64 },
	{ "sh", SDPOWER_ARCH_SH },
	{ "sh4", SDPOWER_ARCH_SH },
	{ "mips", SDPOWER_ARCH_MIPS },
	{ "mips64", SDPOWER_ARCH_MIPS },
	{ "riscv64", SDPOWER_ARCH_RISCV },
	{ "riscv", SDPOWER_ARCH_RISCV },
	{ "riscv32", SDPOWER_ARCH_RISCV },
};

uint32_t sdpower_i_arch_of(const char *name, size_t length)
{
	const struct sdpower_i_scan given = sdpower_i_scan_over(name, length);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (sdpower_i_scan_is(&given, names[i].name))
			return names[i].arch;
	return SDPOWER_ID_NONE;
}

const char *sdpower_i_arch_name(uint32_t arch)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].arch == arch)
			return names[i].name;
	return names[0].name;
}
