/* SPDX-License-Identifier: MIT */
/* What the tests of the pool share: CMocka's includes and a dog that ends a hanging test. */
#ifndef POOL_TEST_H
#define POOL_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

/* A lost wake-up hangs for ever: the alarm's default action kills the test instead. Far more
 * than any test takes, also with a sanitizer on a loaded machine. */
#define WATCHDOG_SECONDS 100

static inline int watchdog(void **state)
{
	(void)state;
	alarm(WATCHDOG_SECONDS);
	return 0;
}

/* xorshift64: enough to vary timing, and the seed is printed by who uses it. */
static inline uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

#endif
