/* SPDX-License-Identifier: MIT */
/* The walk and the work: what is listed, what is survived, and that a difference is seen. */
#include "pool_test.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "folder.h"
#include "work.h"

#define BIG (3 * WORK_CHUNK + 1234)

/* b/, a file in it, an empty one, one of several chunks, a link and a pipe. */
static void fill_folder(struct folder *f)
{
	static unsigned char big[BIG];
	uint64_t seed = 42;
	size_t i;

	for (i = 0; i < sizeof(big); i++)
		big[i] = (unsigned char)(next_random(&seed) % 7);
	folder_open(f);
	folder_make(f, "b");
	folder_write(f, "b/inner", "hello", 5);
	folder_write(f, "a-empty", "", 0);
	folder_write(f, "c-big", big, sizeof(big));
	assert_int_equal(symlink("c-big", folder_name(f, "link")), 0);
	assert_int_equal(mkfifo(folder_name(f, "pipe"), 0600), 0);
}

static void lists_regular_files_in_order(void **state)
{
	struct folder f;
	struct walk w;

	(void)state;
	fill_folder(&f);
	assert_int_equal(walk_folder(&w, f.path, UINT64_MAX, NULL), 0);
	assert_int_equal(w.count, 3);
	assert_string_equal(w.files[0].path, folder_name(&f, "a-empty"));
	assert_string_equal(w.files[1].path, folder_name(&f, "b/inner"));
	assert_string_equal(w.files[2].path, folder_name(&f, "c-big"));
	assert_int_equal(w.bytes, 5 + BIG);
	assert_int_equal(w.links, 1);
	assert_int_equal(w.special, 1);
	assert_false(w.limited);
	walk_free(&w);
	folder_close(&f);
	assert_int_equal(walk_folder(&w, "/nowhere/at/all", UINT64_MAX, NULL), ENOENT);
}

static void stops_at_the_limit(void **state)
{
	struct folder f;
	struct walk w;

	(void)state;
	fill_folder(&f);
	assert_int_equal(walk_folder(&w, f.path, 105, NULL), 0);
	assert_int_equal(w.count, 3);
	assert_int_equal(w.files[2].size, 100);
	assert_int_equal(w.bytes, 105);
	assert_true(w.limited);
	walk_free(&w);
	assert_int_equal(walk_folder(&w, f.path, 5, NULL), 0);
	assert_int_equal(w.count, 2);
	assert_true(w.limited);
	walk_free(&w);
	folder_close(&f);
}

static void counts_a_folder_it_may_not_open(void **state)
{
	struct folder f;
	struct walk w;

	(void)state;
	if (geteuid() == 0)
		skip();
	fill_folder(&f);
	assert_int_equal(chmod(folder_name(&f, "b"), 0), 0);
	assert_int_equal(walk_folder(&w, f.path, UINT64_MAX, NULL), 0);
	assert_int_equal(w.unreadable, 1);
	assert_int_equal(w.count, 2);
	walk_free(&w);
	assert_int_equal(chmod(folder_name(&f, "b"), 0700), 0);
	folder_close(&f);
}

struct bench {
	struct folder folder;
	struct walk walk;
	struct work_plan plan;
	struct work_pass serial, parallel;
	struct pool *pool;
	AO_t interrupted;
};

static void open_bench(struct bench *b)
{
	struct pool_config config = { .threads = 3 };
	char why[128];
	size_t i;

	memset(b, 0, sizeof(*b));
	fill_folder(&b->folder);
	assert_int_equal(walk_folder(&b->walk, b->folder.path, UINT64_MAX, NULL), 0);
	assert_int_equal(work_plan_init(&b->plan, &b->walk, &b->interrupted), 0);
	assert_int_equal(pool_open(&b->pool, &config, why, sizeof(why)), 0);
	assert_int_equal(work_pass_init(&b->serial, &b->plan, NULL), 0);
	assert_int_equal(work_pass_init(&b->parallel, &b->plan, b->pool), 0);
	for (i = 0; i < b->walk.count; i++)
		assert_int_equal(work_file(&b->serial, i), 0);
}

static void close_bench(struct bench *b)
{
	pool_close(b->pool, false);
	work_pass_free(&b->serial);
	work_pass_free(&b->parallel);
	work_plan_free(&b->plan);
	walk_free(&b->walk);
	folder_close(&b->folder);
}

struct file_task {
	struct work_pass *pass;
	size_t file;
};

static int run_file(void *arg)
{
	struct file_task *t = arg;

	return work_file(t->pass, t->file);
}

static struct work_difference run_parallel(struct bench *b)
{
	struct work_difference d;
	struct file_task tasks[3];
	struct pool_group g;
	size_t i;

	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 3; i++) {
		tasks[i] = (struct file_task){ &b->parallel, i };
		assert_int_equal(pool_submit(b->pool, &g, run_file, &tasks[i]), 0);
	}
	assert_int_equal(pool_wait(b->pool, &g), 0);
	pool_group_destroy(&g);
	work_compare(&b->serial, &b->parallel, &d);
	return d;
}

static void parallel_equals_serial(void **state)
{
	struct bench b;
	struct work_difference d;

	(void)state;
	open_bench(&b);
	assert_int_equal(b.plan.first[3], 1 + 1 + 4);
	d = run_parallel(&b);
	assert_int_equal(d.files, 0);
	assert_int_equal(d.changed, 0);
	assert_int_equal(d.unreadable, 0);
	assert_int_equal(d.in, 5 + BIG);
	assert_in_range(d.out, 1, BIG / 2);
	assert_int_equal(AO_load(&b.parallel.files_done), 3);
	/* FNV-1a of "hello", from the definition of the hash. */
	assert_true(b.serial.chunks[1].hash == 0xa430d84680aabd0bu);
	close_bench(&b);
}

static void a_wrong_result_is_seen(void **state)
{
	struct bench b;

	(void)state;
	open_bench(&b);
	b.serial.chunks[4].checksum ^= 1;
	assert_int_equal(run_parallel(&b).files, 1);
	close_bench(&b);
}

static void files_may_vanish_change_or_turn_into_pipes(void **state)
{
	struct bench b;
	struct work_difference d;

	(void)state;
	open_bench(&b);
	assert_int_equal(unlink(folder_name(&b.folder, "a-empty")), 0);
	folder_write(&b.folder, "b/inner", "goodbye", 7);
	assert_int_equal(unlink(folder_name(&b.folder, "c-big")), 0);
	assert_int_equal(mkfifo(folder_name(&b.folder, "c-big"), 0600), 0);
	d = run_parallel(&b);
	assert_int_equal(d.files, 0);
	assert_int_equal(d.changed, 3);
	assert_int_equal(d.unreadable, 2);
	assert_int_equal(b.parallel.files[0].error, ENOENT);
	assert_int_equal(work_file_error(&b.parallel, 2), EINVAL);
	assert_int_equal(work_file_error(&b.serial, 2), 0);
	close_bench(&b);
}

static void interrupted_work_ends_early(void **state)
{
	struct bench b;

	(void)state;
	open_bench(&b);
	AO_store(&b.interrupted, 1);
	assert_int_equal(run_parallel(&b).in, 0);
	assert_int_equal(b.parallel.files[2].error, ECANCELED);
	close_bench(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lists_regular_files_in_order, watchdog),
		cmocka_unit_test_setup(stops_at_the_limit, watchdog),
		cmocka_unit_test_setup(counts_a_folder_it_may_not_open, watchdog),
		cmocka_unit_test_setup(parallel_equals_serial, watchdog),
		cmocka_unit_test_setup(a_wrong_result_is_seen, watchdog),
		cmocka_unit_test_setup(files_may_vanish_change_or_turn_into_pipes, watchdog),
		cmocka_unit_test_setup(interrupted_work_ends_early, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
