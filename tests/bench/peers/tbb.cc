/* SPDX-License-Identifier: MIT */
/* oneTBB: an arena with a place for the body, and task groups. */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include "peer.h"

namespace tbb = oneapi::tbb;

static tbb::task_group *group;

static int with(unsigned threads, bool outside, void (*body)(void *), void *arg)
{
	const int places = static_cast<int>(threads + outside);
	tbb::global_control most(tbb::global_control::max_allowed_parallelism,
		static_cast<size_t>(places));
	tbb::task_arena arena(places, 1);

	arena.execute([=] {
		tbb::task_group g;

		group = &g;
		body(arg);
		g.wait();
	});
	return 0;
}

static void submit(struct peer_task *t)
{
	group->run([=] { t->run(t); });
}

static void wait()
{
	group->wait();
}

static void join(struct peer_task *left, struct peer_task *right)
{
	tbb::task_group both;

	both.run([=] { left->run(left); });
	both.run([=] { right->run(right); });
	both.wait();
}

/* In the order of struct peer; designated ones are C++20. */
extern "C" const struct peer peer = { with, submit, wait, nullptr, join, false, nullptr, nullptr };
