/* SPDX-License-Identifier: MIT */
/* StarPU with nothing but cpus, and tasks without data. */
#include <starpu.h>
#include <stdlib.h>
#include "peer.h"

static void run(void *buffers[], void *task)
{
	struct peer_task *t = task;

	(void)buffers;
	t->run(t);
}

static struct starpu_codelet codelet = { .cpu_funcs = { run }, .nbuffers = 0 };

static void submit(struct peer_task *t)
{
	struct starpu_task *task = starpu_task_create();

	peer_need(task, "memory");
	task->cl = &codelet;
	task->cl_arg = t;
	peer_need(!starpu_task_submit(task), "starpu_task_submit");
}

static void wait(void)
{
	starpu_task_wait_for_all();
}

/* It takes at most one thread per cpu, and keeps a folder with what it measured. */
static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	struct starpu_conf conf;
	bool able;

	(void)outside;
	setenv("STARPU_SILENT", "1", true);
	setenv("STARPU_HOME", STARPU_FOLDER, true);
	starpu_conf_init(&conf);
	conf.ncpus = (int)threads;
	conf.ncuda = conf.nopencl = 0;
	peer_need(!starpu_init(&conf), "starpu_init");
	able = starpu_cpu_worker_get_count() == threads;
	if (able)
		body(arg);
	starpu_shutdown();
	return able ? 0 : PEER_UNABLE;
}

const struct peer peer = { .with = with, .submit = submit, .wait = wait, .nested = true };
