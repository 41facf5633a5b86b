/* SPDX-License-Identifier: MIT */
/* Names of processor families, as uname and the synthetic strings write them. */
#ifndef SDPOWER_I_ARCH_H
#define SDPOWER_I_ARCH_H

#include <stddef.h>
#include <stdint.h>

/* One of enum sdpower_arch, or SDPOWER_ID_NONE for a name that is not known. */
uint32_t sdpower_i_arch_of(const char *name, size_t length);

/* The name that is written back for an enum sdpower_arch value; never NULL. */
const char *sdpower_i_arch_name(uint32_t arch);

#endif
