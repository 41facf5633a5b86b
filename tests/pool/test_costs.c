/* SPDX-License-Identifier: MIT */
/* Costs from a file: what they change, and which files are refused. */
#include "pool_test.h"
#include <errno.h>
#include "folder.h"
#include "newidle.h"
#include "pool.h"
#include "seam.h"

/* Two distances: within a package, and across. */
#define MACHINE "pack:2 l3:1 core:4"
#define NEAR_NS 3000u
#define FAR_NS 900000000u
#define MS 1048576u

static struct folder folder;

static int open_folder(void **state)
{
	folder_open(&folder);
	return watchdog(state);
}

static int close_folder(void **state)
{
	(void)state;
	folder_close(&folder);
	return 0;
}

static struct brain *open_brain(const char *topology, enum brain_level level, const char *costs)
{
	const struct brain_config config = { .topology = topology, .level = level, .costs = costs };
	struct brain *b = NULL;
	char why[256] = "";

	if (brain_open(&b, &config, why, sizeof(why)))
		fail_msg("brain_open(\"%s\", \"%s\"): %s", topology, costs ? costs : "", why);
	return b;
}

/* A near and a far distance; with flags for the far one. */
static const char *keep(const char *topology, uint32_t flags)
{
	struct brain *b = open_brain(topology, BRAIN_PERFORMANCE, NULL);
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	char text[4096];
	size_t length;

	assert_int_equal(sdpower_calibration_start(&c, 2, 0), SDPOWER_OK);
	assert_int_equal(sdpower_domain_signature(b->sd, &c.signature), SDPOWER_OK);
	c.distance[0].flags = 0;
	c.distance[0].cost_ns = NEAR_NS;
	c.distance[0].hot_ns = 2 * NEAR_NS;
	c.distance[1].flags = flags;
	c.distance[1].cost_ns = FAR_NS;
	c.distance[1].hot_ns = 2 * FAR_NS;
	assert_int_equal(sdpower_calibration_write(&c, text, sizeof(text), &length), SDPOWER_OK);
	brain_close(b);
	folder_write(&folder, "costs", text, length);
	return folder_name(&folder, "costs");
}

static void the_library_and_dq_go_by_them(void **state)
{
	struct brain *b = open_brain(MACHINE, BRAIN_PERFORMANCE, keep(MACHINE, 0));
	uint32_t hot = 0;

	(void)state;
	assert_int_equal(brain_levels(b, 5), 2);
	assert_int_equal(brain_cost(b, 5, 0).move_ns, NEAR_NS);
	assert_int_equal(brain_cost(b, 5, 1).move_ns, FAR_NS);
	assert_true(brain_cost(b, 5, 0).measured && brain_cost(b, 5, 1).measured);
	assert_int_equal(sdpower_migration_times(b->sd, 5, 0, NULL, &hot), SDPOWER_OK);
	assert_int_equal(hot, 2 * NEAR_NS);
	brain_close(b);
}

static void what_was_not_measured_is_assumed(void **state)
{
	struct brain *plain = open_brain(MACHINE, BRAIN_PERFORMANCE, NULL);
	struct brain *b = open_brain(MACHINE, BRAIN_PERFORMANCE,
		keep(MACHINE, SDPOWER_CALIBRATION_DEFAULTED));

	(void)state;
	assert_false(brain_cost(plain, 0, 0).measured);
	assert_in_range(brain_cost(plain, 0, 0).move_ns, 1, brain_cost(plain, 0, 1).move_ns - 1);
	assert_true(brain_cost(b, 0, 0).measured);
	assert_false(brain_cost(b, 0, 1).measured);
	assert_int_equal(brain_cost(b, 0, 1).move_ns, brain_cost(plain, 0, 1).move_ns);
	brain_close(plain);
	brain_close(b);
}

/* The levels that a new tracker searches, one bit each. */
static uint32_t searched(const char *costs)
{
	struct brain *b = open_brain(MACHINE, BRAIN_PERFORMANCE, costs);
	struct newidle *n = newidle_open(b, 0, NEWIDLE_DQ, MS);
	uint32_t levels = 0, level = newidle_begin(n, true, 2 * MS);

	while (level != NEWIDLE_STOP) {
		levels |= UINT32_C(1) << level;
		level = newidle_next(n, false, false, 2 * MS + 100);
	}
	newidle_close(n);
	brain_close(b);
	return levels;
}

static void dq_searches_no_level_that_costs_too_much(void **state)
{
	(void)state;
	assert_int_equal(searched(NULL), 3);
	assert_int_equal(searched(keep(MACHINE, SDPOWER_CALIBRATION_DEFAULTED)), 3);
	assert_int_equal(searched(keep(MACHINE, 0)), 1);
}

/* Measured without savings; times of another tree would rest. */
static void every_level_takes_them(void **state)
{
	const char *const costs = keep(MACHINE, 0);
	enum brain_level level;

	(void)state;
	for (level = 0; level < BRAIN_LEVELS; level++) {
		struct brain *b = open_brain(MACHINE, level, costs);

		assert_int_equal(brain_cost(b, 0, 0).move_ns, NEAR_NS);
		brain_close(b);
	}
}

/* Neither a brain nor a pool comes of it, and the sentence names the file and what is wrong. */
static void is_refused(const char *topology, const char *costs, int error, const char *part)
{
	const struct pool_config config = { .topology = topology, .costs = costs };
	struct pool *p = NULL;
	char why[256] = "";

	assert_int_equal(pool_open(&p, &config, why, sizeof(why)), error);
	assert_null(p);
	if (strncmp(why, costs, strlen(costs)) || !strstr(why, part))
		fail_msg("\"%s\" does not name %s and \"%s\"", why, costs, part);
}

static void costs_of_another_tree_are_refused(void **state)
{
	const char *const costs = keep("pack:2 l3:2 core:4", 0);

	(void)state;
	is_refused(MACHINE, costs, ESTALE, "another tree");
	is_refused("core:1", costs, ESTALE, "another tree");
}

static void garbage_is_refused(void **state)
{
	static char zeros[100000];

	(void)state;
	folder_write(&folder, "empty", "", 0);
	is_refused(MACHINE, folder_name(&folder, "empty"), EBADMSG, "line 1");
	folder_write(&folder, "text", "sdpower calibration 1\nnonsense\n", 31);
	is_refused(MACHINE, folder_name(&folder, "text"), EBADMSG, "line 2");
	folder_write(&folder, "zeros", zeros, sizeof(zeros));
	is_refused(MACHINE, folder_name(&folder, "zeros"), EBADMSG, strerror(EFBIG));
	is_refused(MACHINE, folder_name(&folder, "none"), EBADMSG, strerror(ENOENT));
	is_refused(MACHINE, folder.path, EBADMSG, strerror(EISDIR));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_library_and_dq_go_by_them),
		TEST(what_was_not_measured_is_assumed),
		TEST(dq_searches_no_level_that_costs_too_much),
		TEST(every_level_takes_them),
		TEST(costs_of_another_tree_are_refused),
		TEST(garbage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
