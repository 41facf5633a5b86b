/* SPDX-License-Identifier: MIT */
/*
 * fork() copies memory but no threads: in the child a pool has no workers, and its locks may be
 * held for ever by threads that are not there. So every pool remembers how many forks lay between
 * it and its process when it was opened, and refuses to be used after one more.
 */
#include <pthread.h>
#include "worker.h"

static AO_t forks;

static void count_fork(void)
{
	AO_store(&forks, AO_load(&forks) + 1);
}

static int watched;

static void watch(void)
{
	watched = pthread_atfork(NULL, NULL, count_fork);
}

int pool_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch);
	return watched;
}

AO_t pool_forks(void)
{
	return AO_load(&forks);
}
