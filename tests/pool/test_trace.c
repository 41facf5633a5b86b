/* SPDX-License-Identifier: MIT */
/* What a pool writes down of its work. */
#include "pool_test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loads.h"
#include "trace.h"

static char *written(struct pool *p)
{
	static char *text; /* gcc 12 takes what the stream knows of a local one for its end */
	static size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(pool_trace_write(p, out), 0);
	fclose(out);
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		n++;
	return n;
}

static void every_task_is_there(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .topology = "core:3",
		.trace = 1000 });
	char *text, fn[64];

	(void)state;
	usleep(20000);
	run_many(p, 100);
	text = written(p);
	snprintf(fn, sizeof(fn), "\"fn\": \"0x%lx\"", (unsigned long)(uintptr_t)add_one);
	assert_int_equal(count(text, fn), 100);
	assert_int_equal(count(text, "\"name\": \"run\""), 100);
	assert_int_equal(count(text, "thread_name"), 3);
	assert_true(count(text, "\"name\": \"look\"") > 0);
	assert_true(count(text, "\"name\": \"sleep\"") > 0);
	free(text);
	pool_close(p, false);
}

static void the_latest_are_kept(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .threads = 1, .trace = 10 });
	char *text;

	(void)state;
	run_many(p, 100);
	text = written(p);
	assert_in_range(count(text, "\"ph\": \"X\"") + count(text, "\"ph\": \"i\""), 10, 10);
	assert_true(count(text, "\"name\": \"run\"") >= 7);
	free(text);
	pool_close(p, false);
}

static void nobody_asked(void **state)
{
	struct pool *p = open_pool(1);

	(void)state;
	assert_int_equal(pool_trace_write(p, stdout), ENODATA);
	pool_close(p, false);
}

/* Asking for counters does not cut what is written down. */
static void looking_on_changes_nothing(void **state)
{
	struct pool *p = open_configured(&(struct pool_config){ .threads = 1, .trace = 100 });
	struct pool_stats before, after;
	const char *at;
	char *text;

	(void)state;
	usleep(20000);
	pool_stats(p, 0, &before);
	usleep(20000);
	pool_stats(p, 0, &after);
	assert_true(after.idle + after.other >= before.idle + before.other + 20000000u);
	run_many(p, 1);
	text = written(p);
	at = strstr(text, "\"name\": \"sleep\"");
	assert_non_null(at);
	at = strstr(at, "\"dur\": ");
	assert_non_null(at);
	assert_true(atof(at + strlen("\"dur\": ")) >= 30000);
	free(text);
	pool_close(p, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_task_is_there, watchdog),
		cmocka_unit_test_setup(the_latest_are_kept, watchdog),
		cmocka_unit_test_setup(nobody_asked, watchdog),
		cmocka_unit_test_setup(looking_on_changes_nothing, watchdog),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
