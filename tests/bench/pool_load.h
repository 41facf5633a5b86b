/* SPDX-License-Identifier: MIT */
/* Two loads for the example pool, after schbench and hackbench, and what a run of them gives. */
#ifndef SDPOWER_POOL_LOAD_H
#define SDPOWER_POOL_LOAD_H

#include "pool.h"

enum pool_load {
	/* somebody outside hands out one request at a time, waits for it, and thinks for a while */
	POOL_PING_PONG,
	/* tasks send bursts of short messages to whoever takes them, and wait for the answers */
	POOL_MESSAGES,
	POOL_LOADS
};

/* Per second but for the latencies, which are from handing out to running, ns. */
struct pool_outcome {
	double done;      /* requests or messages */
	double searches;
	double fruitless; /* searches that found nothing */
	double wakeups;
	double cpu;       /* s */
	double p50, p99;
};

const char *pool_load_name(enum pool_load load);

/* Opens a pool of one worker per cpu and keeps it busy. 0, or -1 when there was none to open. */
int pool_load_run(enum pool_load load, enum newidle_mode mode, double seconds,
	struct pool_outcome *out);

#endif
