/* SPDX-License-Identifier: MIT */
/* Parking on a mutex and a condition variable: every system with threads has them. */
#include <errno.h>
#include "clock.h"
#include "park.h"

int parker_init(struct parker *p)
{
	int error = pthread_mutex_init(&p->lock, NULL);

	if (error)
		return error;
	error = clock_cond_init(&p->given);
	if (error)
		pthread_mutex_destroy(&p->lock);
	AO_store(&p->token, 0);
	p->sleeping = false;
	return error;
}

void parker_destroy(struct parker *p)
{
	pthread_cond_destroy(&p->given);
	pthread_mutex_destroy(&p->lock);
}

/* Without an end of its own if `until` is NULL. Who finds the token gone has seen, or has yet to
 * see, what it was left for: hence the fence. */
static bool park(struct parker *p, const struct timespec *until)
{
	bool slept = false;
	int error = 0;

	pthread_mutex_lock(&p->lock);
	while (!AO_load(&p->token) && error != ETIMEDOUT) {
		slept = true;
		p->sleeping = true;
		error = until ? pthread_cond_timedwait(&p->given, &p->lock, until) :
			pthread_cond_wait(&p->given, &p->lock);
	}
	AO_store(&p->token, 0);
	p->sleeping = false;
	pthread_mutex_unlock(&p->lock);
	pool_fence();
	return slept;
}

bool parker_park(struct parker *p)
{
	return park(p, NULL);
}

bool parker_park_until(struct parker *p, uint64_t until)
{
	const struct timespec t = clock_timespec(until);

	return park(p, &t);
}

bool parker_signal(struct parker *p)
{
	bool wakes;

	if (AO_load_acquire(&p->token))
		return false;
	pthread_mutex_lock(&p->lock);
	wakes = p->sleeping && !AO_load(&p->token);
	AO_store(&p->token, 1);
	pthread_mutex_unlock(&p->lock);
	/* Outside the lock, so that the sleeper does not wake only to wait for it. */
	if (wakes)
		pthread_cond_signal(&p->given);
	return wakes;
}
