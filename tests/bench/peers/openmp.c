/* SPDX-License-Identifier: MIT */
/*
 * Tasks of OpenMP; built once for each runtime. There is no outside: the body is a thread of the
 * team, and helps while it waits.
 */
#include "peer.h"

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
#pragma omp parallel num_threads(threads + outside)
#pragma omp master
	body(arg);
	return 0;
}

static void submit(struct peer_task *t)
{
#pragma omp task firstprivate(t)
	t->run(t);
}

static void wait(void)
{
#pragma omp taskwait
}

static void join(struct peer_task *left, struct peer_task *right)
{
	submit(left);
	submit(right);
	wait();
}

const struct peer peer = { .with = with, .submit = submit, .wait = wait, .join = join };
