/* SPDX-License-Identifier: MIT */
/* A task that holds its worker until it is let go. */
#ifndef POOL_TEST_GATE_H
#define POOL_TEST_GATE_H

#include "loads.h"

struct gate {
	AO_t entered, open;
};

static inline int wait_at_gate(void *arg)
{
	struct gate *gate = arg;

	AO_store_release(&gate->entered, 1);
	while (!AO_load_acquire(&gate->open))
		usleep(100);
	return 0;
}

/* The worker of a pool that has one. */
static inline void hold(struct pool *p, struct gate *gate)
{
	AO_store(&gate->entered, 0);
	AO_store(&gate->open, 0);
	assert_int_equal(pool_submit(p, NULL, wait_at_gate, gate), 0);
	while (!AO_load_acquire(&gate->entered))
		usleep(100);
}

#endif
