/* SPDX-License-Identifier: MIT */
/* Description: of two threads that claim one sleeper, exactly one gets it, every time. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <atomic_ops.h>
#include "support/instance.h"

#define ROUNDS 20000u

static struct test_instance on;
static AO_t round_now, arrived, won;

/* Spins as long as another cpu may be about to answer, then lets somebody else run. */
static void wait_for(const AO_t *word, AO_t least)
{
	for (unsigned spins = 0; AO_load_acquire(word) < least; spins++)
		if (spins > 2000)
			sched_yield();
}

/* Both leave the barrier at the same moment, as far as they can. */
static void meet(AO_t until)
{
	(void)AO_fetch_and_add1_full(&arrived);
	wait_for(&arrived, until);
}

static void *claim(void *unused)
{
	(void)unused;
	for (AO_t i = 1; i <= ROUNDS; i++) {
		meet(4 * i - 2);
		if (sdpower_claim(on.s, 1) == SDPOWER_OK)
			(void)AO_fetch_and_add1_full(&won);
		meet(4 * i);
		if (AO_compare_and_swap_full(&round_now, i - 1, i))
			(void)!sdpower_unclaim(on.s, 1);
		wait_for(&round_now, i);
	}
	return NULL;
}

int main(void)
{
	pthread_t other;

	memset(&on, 0, sizeof(on));
	if (test_make(&on, "core:2") != SDPOWER_OK || pthread_create(&other, NULL, claim, NULL))
		return 1;
	claim(NULL);
	pthread_join(other, NULL);
	printf("%u rounds, %lu claims had\n", ROUNDS, (unsigned long)won);
	test_drop(&on);
	return won != ROUNDS;
}
