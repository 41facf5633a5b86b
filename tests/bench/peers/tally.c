/* SPDX-License-Identifier: MIT */
#include <atomic_ops.h>
#include <pthread.h>
#include "tally.h"

static AO_t unfinished, waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t none = PTHREAD_COND_INITIALIZER;

void tally_begun(void)
{
	(void)AO_fetch_and_add1_full(&unfinished);
}

/* The last one looks for a waiter after it has counted, a waiter at the count after it has said
 * that it waits: one of them sees the other. */
void tally_finished(void)
{
	if (AO_fetch_and_sub1_full(&unfinished) != 1 || !AO_load_full(&waiting))
		return;
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&none);
	pthread_mutex_unlock(&lock);
}

void tally_wait(void)
{
	pthread_mutex_lock(&lock);
	AO_store_full(&waiting, 1);
	while (AO_load_full(&unfinished))
		pthread_cond_wait(&none, &lock);
	AO_store_full(&waiting, 0);
	pthread_mutex_unlock(&lock);
}
