/* SPDX-License-Identifier: MIT */
/* Which workers take part: the library hears of it as of cpus that go offline and come back. */
#include <errno.h>
#include <stdlib.h>
#include "seam.h"

/* A worker that sleeps is taken off the list of those that may be woken, or put on it again. */
static void set_one(struct brain *b, uint32_t worker, bool works)
{
	struct brain_slot *slot = seam_slot(b, worker);
	AO_t *state = &b->workers[worker].state;

	pthread_mutex_lock(&slot->lock);
	AO_store(&b->workers[worker].retired, !works);
	if (works)
		(void)AO_compare_and_swap_full(state, SEAM_RETIRED, SEAM_SLEEPS);
	else
		(void)AO_compare_and_swap_full(state, SEAM_SLEEPS, SEAM_RETIRED);
	pthread_mutex_unlock(&slot->lock);
}

/* A cpu is online as long as one of its workers takes part. */
static uint32_t *online_mask(const struct brain *b, const bool *works, uint32_t *words)
{
	uint32_t *mask, i;

	*words = brain_words(b);
	mask = calloc(*words, sizeof(*mask));
	for (i = 0; mask && i < b->machine.summary.workers; i++)
		if (works[i])
			mask[seam_cpu(b, i) / 32] |= UINT32_C(1) << seam_cpu(b, i) % 32;
	return mask;
}

int brain_set_working(struct brain *b, const bool *works)
{
	uint32_t words, first = 0, i, *mask = online_mask(b, works, &words);
	sdpower_status status;

	if (!mask)
		return ENOMEM;
	status = sdpower_set_online(b->sd, mask, words);
	free(mask);
	if (status < 0)
		return EINVAL;
	while (!works[first])
		first++;
	AO_store(&b->last, seam_cpu(b, first));
	for (i = 0; i < b->machine.summary.workers; i++)
		set_one(b, i, works[i]);
	return 0;
}
