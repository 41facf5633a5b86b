/* SPDX-License-Identifier: MIT */
/* Pools for tests, and what keeps them busy. */
#ifndef POOL_TEST_LOADS_H
#define POOL_TEST_LOADS_H

#include <errno.h>
#include <stdlib.h>
#include "pool.h"
#include "pool_test.h"

static inline struct pool *open_configured(const struct pool_config *config)
{
	struct pool *p = NULL;
	char why[256] = "";

	if (pool_open(&p, config, why, sizeof(why)))
		fail_msg("pool_open: %s", why);
	return p;
}

static inline struct pool *open_pool(unsigned threads)
{
	return open_configured(&(struct pool_config){ .threads = threads });
}

static inline int add_one(void *arg)
{
	(void)AO_fetch_and_add1_full(arg);
	return 0;
}

/* What a test does on pools of one, two and more threads than this machine has. */
static inline void on_each_size(void (*test)(struct pool *))
{
	static const unsigned sizes[] = { 1, 2, 0, 9 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct pool *p = open_pool(sizes[i]);

		test(p);
		assert_int_equal(pool_close(p, false), 0);
	}
}

static inline void submit_many(struct pool *p)
{
	struct pool_group g;
	AO_t sum = 0;
	int i;

	assert_int_equal(pool_group_init(&g), 0);
	for (i = 0; i < 10000; i++)
		assert_int_equal(pool_submit(p, &g, add_one, &sum), 0);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&sum), 10000);
	pool_group_destroy(&g);
}

/* The same as one batch. */
static inline void run_many(struct pool *p, size_t n)
{
	void **args = calloc(n, sizeof(*args));
	struct pool_group g;
	AO_t sum = 0;
	size_t i;

	assert_non_null(args);
	for (i = 0; i < n; i++)
		args[i] = &sum;
	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit_many(p, &g, add_one, args, n), 0);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&sum), n);
	pool_group_destroy(&g);
	free(args);
}

struct tree {
	struct pool *pool;
	unsigned depth;
	AO_t *leaves;
};

/* Each node waits for its two children inside a task. */
static inline int grow_tree(void *arg)
{
	struct tree *t = arg;
	struct tree below = { t->pool, t->depth - 1, t->leaves };
	struct pool_group g;
	int error;

	if (t->depth == 0)
		return add_one(t->leaves);
	pool_group_init(&g);
	error = pool_submit(t->pool, &g, grow_tree, &below);
	if (!error)
		error = pool_submit(t->pool, &g, grow_tree, &below);
	if (pool_wait(t->pool, &g))
		error = EIO;
	pool_group_destroy(&g);
	return error;
}

static inline void nest(struct pool *p)
{
	AO_t leaves = 0;
	struct tree root = { p, 10, &leaves };
	struct pool_group g;

	assert_int_equal(pool_group_init(&g), 0);
	assert_int_equal(pool_submit(p, &g, grow_tree, &root), 0);
	assert_int_equal(pool_wait(p, &g), 0);
	assert_int_equal(AO_load(&leaves), 1u << 10);
	pool_group_destroy(&g);
}

#endif
