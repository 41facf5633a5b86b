/* SPDX-License-Identifier: MIT */
/* The threads that libuv keeps for blocking work; only the thread of the loop hands out. */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>
#include "peer.h"

static void run(uv_work_t *request)
{
	struct peer_task *t = request->data;

	t->run(t);
}

static void finish(uv_work_t *request, int status)
{
	(void)status;
	free(request);
}

static void submit(struct peer_task *t)
{
	uv_work_t *request = malloc(sizeof(*request));

	peer_need(request, "memory");
	request->data = t;
	peer_need(!uv_queue_work(uv_default_loop(), request, run, finish), "uv_queue_work");
}

static void wait(void)
{
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	char number[16];

	(void)outside;
	snprintf(number, sizeof(number), "%u", threads);
	setenv("UV_THREADPOOL_SIZE", number, true);
	body(arg);
	uv_loop_close(uv_default_loop());
	return 0;
}

const struct peer peer = { .with = with, .submit = submit, .wait = wait };
