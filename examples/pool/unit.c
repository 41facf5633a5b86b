/* SPDX-License-Identifier: MIT */
/* Busy time of cores and packages: the union of their workers' times, because a package
 * can only save power while all of it is idle. */
#include <stdlib.h>
#include "unit.h"

struct unit *units_new(uint32_t n)
{
	struct unit *units = calloc(n, sizeof(*units));
	uint32_t i;

	for (i = 0; units && i < n; i++) {
		if (pthread_mutex_init(&units[i].lock, NULL)) {
			units_free(units, i);
			return NULL;
		}
	}
	return units;
}

void units_free(struct unit *units, uint32_t n)
{
	uint32_t i;

	for (i = 0; units && i < n; i++)
		pthread_mutex_destroy(&units[i].lock);
	free(units);
}

void unit_enter(struct unit *u, uint64_t now)
{
	pthread_mutex_lock(&u->lock);
	if (u->running++ == 0)
		u->since = now;
	pthread_mutex_unlock(&u->lock);
}

void unit_leave(struct unit *u, uint64_t now)
{
	pthread_mutex_lock(&u->lock);
	/* Two workers may read the clock in one order and come here in the other. */
	if (--u->running == 0 && now > u->since)
		u->busy += now - u->since;
	pthread_mutex_unlock(&u->lock);
}

uint64_t unit_busy(struct unit *u, uint64_t now)
{
	uint64_t busy;

	pthread_mutex_lock(&u->lock);
	busy = u->busy;
	if (u->running && now > u->since)
		busy += now - u->since;
	pthread_mutex_unlock(&u->lock);
	return busy;
}
