/* SPDX-License-Identifier: MIT */
/*
 * For targets without a C library: the four functions that compilers call by themselves and
 * that every port therefore has. The core uses no others.
 */
#ifndef SDPOWER_I_FREESTANDING_STRING_H
#define SDPOWER_I_FREESTANDING_STRING_H
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
#endif
