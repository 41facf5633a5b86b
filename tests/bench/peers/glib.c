/* SPDX-License-Identifier: MIT */
/* GThreadPool, with threads of its own. */
#include <glib.h>
#include "peer.h"
#include "tally.h"

static GThreadPool *pool;

static void run(gpointer task, gpointer unused)
{
	struct peer_task *t = task;

	(void)unused;
	t->run(t);
	tally_finished();
}

static void submit(struct peer_task *t)
{
	tally_begun();
	peer_need(g_thread_pool_push(pool, t, NULL), "g_thread_pool_push");
}

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	(void)outside;
	pool = g_thread_pool_new(run, NULL, (gint)threads, TRUE, NULL);
	peer_need(pool, "g_thread_pool_new");
	body(arg);
	g_thread_pool_free(pool, FALSE, TRUE);
	return 0;
}

const struct peer peer = { .with = with, .submit = submit, .wait = tally_wait, .nested = true };
