/* SPDX-License-Identifier: MIT */
/*
 * Two workers on two cpus, one or two threads from outside, a few tasks. Each scenario opens a pool,
 * lets all fall asleep, and from then on every order is tried until the pool is closed. That a task is
 * left beside a sleeper shows as nobody being able to go on: tasks are waited for, by a group, by the
 * end of the pool, or by another task.
 */
#include <string.h>
#include "worker.h"
#include "scenarios.h"

static struct pool *pool;
static struct pool_group group;
static AO_t ran[4]; /* how often each task */
static AO_t open_gate;

static void begin(unsigned workers)
{
	const struct pool_config config = { .topology = "core:2", .threads = workers };
	char why[128];

	memset(ran, 0, sizeof(ran));
	open_gate = 0;
	weave_claim(!pool_open(&pool, &config, why, sizeof(why)), "the pool does not open");
	weave_claim(!pool_group_init(&group), "no group");
	weave_settle();
	weave_explore(true);
}

static void expect(AO_t first, AO_t second, AO_t third, AO_t fourth)
{
	weave_claim(ran[0] == first && ran[1] == second && ran[2] == third && ran[3] == fourth,
		"a task did not run once");
}

static void end(void)
{
	weave_explore(false);
	pool_group_destroy(&group);
	(void)pool_close(pool, false);
}

static int count(void *task)
{
	(void)AO_fetch_and_add1_full(task);
	return 0;
}

/* A task that another one has to end. */
static int wait_at_gate(void *task)
{
	weave_wait_for(&open_gate);
	return count(task);
}

static int open_it(void *task)
{
	(void)AO_fetch_and_add1_full(&open_gate);
	return count(task);
}

static void submit(pool_fn *fn, int task)
{
	weave_claim(!pool_submit(pool, &group, fn, &ran[task]), "a task is refused");
}

static void wait_for_all(void)
{
	weave_claim(!pool_wait(pool, &group), "a task failed");
}

static void one_task(void)
{
	begin(2);
	submit(count, 0);
	wait_for_all();
	expect(1, 0, 0, 0);
	end();
}

static void three_tasks(void)
{
	begin(2);
	submit(count, 0);
	submit(count, 1);
	submit(count, 2);
	wait_for_all();
	expect(1, 1, 1, 0);
	end();
}

static void *submit_another(void *unused)
{
	submit(count, 1);
	return unused;
}

static void two_submitters(void)
{
	pthread_t other;

	begin(2);
	weave_claim(!pthread_create(&other, NULL, submit_another, NULL), "no thread");
	submit(count, 0);
	pthread_join(other, NULL);
	wait_for_all();
	expect(1, 1, 0, 0);
	end();
}

/* The first one holds its worker: the second one needs the other. */
static void behind_a_gate(void)
{
	begin(2);
	submit(wait_at_gate, 0);
	submit(open_it, 1);
	wait_for_all();
	expect(1, 1, 0, 0);
	end();
}

static int submit_and_wait_at_gate(void *task)
{
	submit(open_it, 1);
	return wait_at_gate(task);
}

static void handed_out_behind_a_gate(void)
{
	begin(2);
	submit(submit_and_wait_at_gate, 0);
	wait_for_all();
	expect(1, 1, 0, 0);
	end();
}

/* Three workers on two cpus: the cpus may be in use, but one more can go on. */
static void gates_on_every_cpu(void)
{
	begin(3);
	submit(wait_at_gate, 0);
	submit(wait_at_gate, 1);
	submit(open_it, 2);
	wait_for_all();
	expect(1, 1, 1, 0);
	end();
}

static int join_two(void *task)
{
	void *args[] = { &ran[1], &ran[2] };

	const AO_t before = ran[1];

	weave_claim(!pool_fork_join(pool, count, args, 2), "no join");
	weave_claim(ran[1] == before + 1 && ran[2] == before + 1, "a join ends too early");
	return count(task);
}

static void join_inside(void)
{
	begin(2);
	submit(join_two, 0);
	wait_for_all();
	expect(1, 1, 1, 0);
	end();
}

static void join_outside(void)
{
	begin(2);
	(void)join_two(&ran[0]);
	expect(1, 1, 1, 0);
	(void)join_two(&ran[0]);
	expect(2, 2, 2, 0);
	end();
}

static int submit_last(void *task)
{
	weave_claim(!pool_submit(pool, NULL, count, &ran[3]), "a task is refused");
	return count(task);
}

static void closing(bool discard)
{
	struct pool_group *g = &group;
	int i;

	begin(2);
	for (i = 0; i < 2; i++)
		submit(count, i);
	submit(submit_last, 2);
	(void)pool_close(pool, discard);
	weave_explore(false);
	weave_claim(group_finished(g), "a group is left behind");
	for (i = 0; i < 4; i++)
		weave_claim(discard ? ran[i] <= 1 : ran[i] == 1, "a task did not run once");
	pool_group_destroy(g);
}

static void close_and_drain(void)
{
	closing(false);
}

static void close_and_discard(void)
{
	closing(true);
}

static void hinted(const struct pool_hint *hint)
{
	begin(2);
	submit(count, 0);
	weave_claim(!pool_submit_hinted(pool, &group, count, &ran[1], hint), "a task is refused");
	wait_for_all();
	expect(1, 1, 0, 0);
	end();
}

static void in_step(void)
{
	hinted(&(struct pool_hint){ .priority = POOL_NORMAL, .sync = true });
}

static void bound_to_a_cpu(void)
{
	const uint32_t second = 2;

	hinted(&(struct pool_hint){ .priority = POOL_HIGH, .cpus = &second, .words = 1 });
}

static void fewer_workers(void)
{
	begin(2);
	submit(count, 0);
	weave_claim(!pool_resize(pool, 1), "not resized");
	submit(count, 1);
	wait_for_all();
	weave_claim(!pool_resize(pool, 2), "not resized");
	submit(count, 2);
	wait_for_all();
	expect(1, 1, 1, 0);
	end();
}

static void cancelled(void)
{
	begin(2);
	submit(count, 0);
	submit(count, 1);
	pool_group_cancel(&group);
	(void)pool_wait(pool, &group);
	weave_claim(ran[0] <= 1 && ran[1] <= 1, "a task ran twice");
	end();
}

/* Sleeps do not end by time here: whoever has to end a nap does. */
static void waited_for_in_a_stream(void)
{
	begin(2);
	AO_store(&pool->stream, 1);
	submit(count, 0);
	submit(count, 1);
	wait_for_all();
	expect(1, 1, 0, 0);
	end();
}

static void handed_out_in_a_stream(void)
{
	begin(2);
	AO_store(&pool->stream, 1);
	submit(count, 2);
	submit(submit_and_wait_at_gate, 0);
	wait_for_all();
	expect(1, 1, 1, 0);
	end();
}

/* And here they do: nobody waits for the tasks but time. */
static void left_in_a_stream(void)
{
	int i;

	begin(2);
	AO_store(&pool->stream, 1);
	for (i = 0; i < 2; i++) {
		weave_claim(!pool_submit(pool, NULL, count, &ran[i]), "a task is refused");
		weave_wait_for(&ran[i]);
	}
	end();
}

const struct scenario scenarios[] = {
	{ "one-task", one_task, false, 2, 3 },
	{ "three-tasks", three_tasks, false, 1, 2 },
	{ "two-submitters", two_submitters, false, 1, 2 },
	{ "behind-a-gate", behind_a_gate, false, 1, 2 },
	{ "handed-out-behind-a-gate", handed_out_behind_a_gate, false, 1, 2 },
	{ "gates-on-every-cpu", gates_on_every_cpu, false, 1, 2 },
	{ "join-inside", join_inside, false, 1, 2 },
	{ "join-outside", join_outside, false, 1, 2 },
	{ "close-and-drain", close_and_drain, false, 1, 2 },
	{ "close-and-discard", close_and_discard, false, 1, 2 },
	{ "in-step", in_step, false, 1, 2 },
	{ "bound-to-a-cpu", bound_to_a_cpu, false, 1, 2 },
	{ "fewer-workers", fewer_workers, false, 1, 2 },
	{ "cancelled", cancelled, false, 1, 2 },
	{ "waited-for-in-a-stream", waited_for_in_a_stream, false, 1, 2 },
	{ "handed-out-in-a-stream", handed_out_in_a_stream, false, 1, 2 },
	{ "left-in-a-stream", left_in_a_stream, true, 1, 2 },
	{ NULL, NULL, false, 0, 0 },
};
