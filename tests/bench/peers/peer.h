/* SPDX-License-Identifier: MIT */
/*
 * What a load asks of a thread pool. Each peer fills in one of these and becomes a program of
 * its own, as two OpenMP runtimes do not go into one process, and so that nobody inherits the
 * memory, the threads or the warm caches of another.
 */
#ifndef SDPOWER_PEER_H
#define SDPOWER_PEER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of `with`: this peer cannot have as many threads here. */
#define PEER_UNABLE 77

/* Stays where it is until it has been waited for. */
struct peer_task {
	void (*run)(struct peer_task *self);
};

/* What only the peer itself can tell, since its `mark`; NaN = it cannot. */
struct peer_counts {
	double wakes;                  /* sleeps that somebody ended */
	double failed;                 /* looks for work that found none */
	double cpus;                   /* how many ran a task */
	double idle_least, idle_most;  /* share of the time, of the busiest cpu and the idlest */
};

struct peer {
	/*
	 * Opens a pool, calls body(arg) and closes the pool. `outside`: the body only hands out, so
	 * that who counts the calling thread among its own gets one more. 0, PEER_UNABLE, or another
	 * number when it failed.
	 */
	int (*with)(unsigned threads, bool outside, void (*body)(void *arg), void *arg);
	/* In the body: hands out a task; waits for all. */
	void (*submit)(struct peer_task *t);
	void (*wait)(void);
	/* In the body: n tasks at once, and the wait. NULL: submit and wait do. */
	void (*region)(struct peer_task *const *tasks, size_t n);
	/* In a task: hands out two tasks and waits for both. NULL: a task cannot wait here. */
	void (*join)(struct peer_task *left, struct peer_task *right);
	/* A task may submit: a tree without joins, which is waited for as a whole. */
	bool nested;
	/* NULL: it cannot tell anything. */
	void (*mark)(void);
	void (*count)(struct peer_counts *out);
};

extern const struct peer peer;

/* A peer whose calls fail has no result. */
void peer_need(bool success, const char *what);

#ifdef __cplusplus
}
#endif

#endif
