/* SPDX-License-Identifier: MIT */
/* Best-fit decreasing over counts (native_fit.h). */
#include "native_fit.h"

#include <string.h>

/* Tasks of one size that are still to be placed, and what became of the cpus they went to. */
struct round {
	uint16_t *left;       /* counts of rooms after it, or NULL: who has a task is full */
	uint32_t size, tasks;
	uint32_t used;        /* cpus that got some */
};

static void keep_rest(struct round *r, uint32_t room, uint32_t cpus)
{
	r->used += cpus;
	if (r->left)
		r->left[room] = (uint16_t)(r->left[room] + cpus);
}

/*
 * All cpus of one room. Of equal tasks the one placed last makes its cpu the tightest of those
 * that still fit, so a cpu is filled up before the next is begun.
 */
static void fill(struct round *r, uint16_t *cpus, uint32_t room)
{
	const uint32_t each = r->left ? room / r->size : 1u;
	const uint32_t wanted = r->tasks / each, full = wanted < *cpus ? wanted : *cpus;

	*cpus = (uint16_t)(*cpus - full);
	r->tasks -= full * each;
	keep_rest(r, room - r->size * each, full);
	if (!r->tasks || !*cpus)
		return;
	*cpus = (uint16_t)(*cpus - 1u);
	keep_rest(r, room - r->size * r->tasks, 1);
	r->tasks = 0;
}

static void place(struct round *r, uint16_t cpus[SDPOWER_I_FIT_CLASSES])
{
	for (uint32_t room = r->size; r->tasks && room < SDPOWER_I_FIT_CLASSES; room++)
		if (cpus[room])
			fill(r, &cpus[room], room);
}

int sdpower_i_fits(const struct sdpower_i_fit *fit, int stacking, uint32_t *taken)
{
	uint16_t room[SDPOWER_I_FIT_CLASSES], empty[SDPOWER_I_FIT_CLASSES];

	memcpy(room, fit->room, sizeof(room));
	memcpy(empty, fit->empty, sizeof(empty));
	*taken = 0;
	for (uint32_t size = SDPOWER_I_FIT_CLASSES - 1; size; size--) {
		struct round r = { stacking ? room : NULL, size, fit->tasks[size], 0 };

		if (stacking)
			place(&r, room);
		r.used = 0;
		place(&r, empty);
		*taken += r.used;
		if (r.tasks)
			return 0;
	}
	return 1;
}
