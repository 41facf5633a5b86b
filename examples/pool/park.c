/* SPDX-License-Identifier: MIT */
/* Parking on a mutex and a condition variable: every system with threads has them. */
#include "park.h"

int parker_init(struct parker *p)
{
	int error = pthread_mutex_init(&p->lock, NULL);

	if (error)
		return error;
	error = pthread_cond_init(&p->given, NULL);
	if (error)
		pthread_mutex_destroy(&p->lock);
	p->token = false;
	p->sleeping = false;
	return error;
}

void parker_destroy(struct parker *p)
{
	pthread_cond_destroy(&p->given);
	pthread_mutex_destroy(&p->lock);
}

bool parker_park(struct parker *p)
{
	bool slept = false;

	pthread_mutex_lock(&p->lock);
	while (!p->token) {
		slept = true;
		p->sleeping = true;
		pthread_cond_wait(&p->given, &p->lock);
	}
	p->token = false;
	p->sleeping = false;
	pthread_mutex_unlock(&p->lock);
	return slept;
}

bool parker_signal(struct parker *p)
{
	bool wakes;

	pthread_mutex_lock(&p->lock);
	wakes = p->sleeping && !p->token;
	p->token = true;
	pthread_mutex_unlock(&p->lock);
	/* Outside the lock, so that the sleeper does not wake only to wait for it. */
	if (wakes)
		pthread_cond_signal(&p->given);
	return wakes;
}
