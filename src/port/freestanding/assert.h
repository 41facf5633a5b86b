/* SPDX-License-Identifier: MIT */
/*
 * For targets without a C library: put this folder on the include path. atomic_ops.h includes
 * <assert.h>, but its single-word operations assert nothing.
 */
#ifndef SDPOWER_I_FREESTANDING_ASSERT_H
#define SDPOWER_I_FREESTANDING_ASSERT_H
#define assert(x) ((void)0)
#endif
