/* SPDX-License-Identifier: MIT */
/* Description: what the calibrator is made of: pairs of cpus, caches, walks, and what pairs say. */
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include "support/instance.h"
#include "hosted/calibrate.h"

#define MOST_CPUS 1024u

static uint32_t everybody[MOST_CPUS / 32];

/* Pairs are of that distance, of usable cpus, and no two alike. */
static void assert_pairs(const sdpower *s, const uint32_t *usable, uint32_t distance,
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2], uint32_t count)
{
	assert_true(count <= SDPOWER_I_PAIRS);
	for (uint32_t i = 0; i < count; i++) {
		const sdpower_status there = sdpower_domain_distance(s, pairs[i][0], pairs[i][1]);
		const sdpower_status back = sdpower_domain_distance(s, pairs[i][1], pairs[i][0]);

		assert_int_equal(there > back ? there : back, distance + 1);
		for (uint32_t k = 0; k < 2; k++)
			assert_true(usable[pairs[i][k] / 32] >> pairs[i][k] % 32 & 1u);
		for (uint32_t k = 0; k < i; k++)
			assert_true(pairs[i][0] + pairs[i][1] != pairs[k][0] + pairs[k][1] ||
				(pairs[i][0] != pairs[k][0] && pairs[i][0] != pairs[k][1]));
	}
}

static void pairs_are_spread_over_the_machine(void **state)
{
	struct test_instance t = { .s = NULL };
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2];

	(void)state;
	assert_int_equal(test_make(&t, "pack:4 core:4 pu:2"), SDPOWER_OK);
	assert_int_equal(sdpower_i_distances(t.s), 3); /* core, package, machine */
	assert_int_equal(sdpower_i_pairs_of(t.s, everybody, 0, pairs), 3);
	assert_pairs(t.s, everybody, 0, pairs, 3);
	assert_int_equal(pairs[0][0], 0);
	assert_int_equal(pairs[0][1], 1);
	assert_int_equal(pairs[2][0] / 8, 3);
	assert_int_equal(sdpower_i_pairs_of(t.s, everybody, 1, pairs), 3);
	assert_pairs(t.s, everybody, 1, pairs, 3);
	assert_int_equal(sdpower_i_pairs_of(t.s, everybody, 2, pairs), 3);
	assert_pairs(t.s, everybody, 2, pairs, 3);
	assert_int_equal(sdpower_i_pairs_of(t.s, everybody, 3, pairs), 0);
	test_drop(&t);
	assert_int_equal(test_make(&t, "core:2"), SDPOWER_OK);
	assert_int_equal(sdpower_i_pairs_of(t.s, everybody, 0, pairs), 1);
	test_drop(&t);
	assert_int_equal(test_make(&t, "core:1"), SDPOWER_OK);
	assert_int_equal(sdpower_i_distances(t.s), 0);
	test_drop(&t);
}

/* The second cpu of a pair is near the first one, half way round, or at the other end. */
static void partners_are_spread_as_well(void **state)
{
	static const sdpower_cpu partners[] = { 1, 8, 14 };
	struct test_instance t = { .s = NULL };
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2];

	(void)state;
	assert_int_equal(test_make(&t, "core:16"), SDPOWER_OK);
	assert_int_equal(sdpower_i_pairs_of(t.s, everybody, 0, pairs), 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal((pairs[i][1] + 16 - pairs[i][0]) % 16, i == 2 ? 15 : partners[i]);
	test_drop(&t);
}

/* Cpu 0 is alone in its package: what is one level for it is two for all others. */
static void chains_may_differ_in_length(void **state)
{
	const uint32_t online = 0xf1;
	struct test_instance t = { .s = NULL };
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2];
	uint32_t count;

	(void)state;
	assert_int_equal(test_make(&t, "pack:2 core:4"), SDPOWER_OK);
	assert_int_equal(sdpower_set_online(t.s, &online, 1), SDPOWER_OK);
	assert_int_equal(sdpower_i_distances(t.s), 2);
	count = sdpower_i_pairs_of(t.s, everybody, 0, pairs);
	assert_in_range(count, 1, 3);
	for (uint32_t i = 0; i < count; i++)
		assert_true(pairs[i][0] >= 4 && pairs[i][1] >= 4);
	test_drop(&t);
}

static void any_machine_and_any_cpus(void **state)
{
	static const char *const machines[] = { "pack:3 core:5 pu:2", "numa:4 pack:1 core:4",
		"numa:8 core:2 pu:2 dist=10,20", "pack:1 l3:3 core:7", "core:9 indexes=8,7,6,5,4,3,2,1,0" };

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct test_random r = { seed };
		struct test_instance t = { .s = NULL };
		sdpower_cpu pairs[SDPOWER_I_PAIRS][2];
		uint32_t usable[2] = { test_draw(&r, UINT32_MAX), test_draw(&r, UINT32_MAX) };

		assert_int_equal(test_make(&t, machines[seed % 5]), SDPOWER_OK);
		for (uint32_t d = 0; d < sdpower_i_distances(t.s); d++)
			assert_pairs(t.s, usable, d, pairs,
				sdpower_i_pairs_of(t.s, usable, d, pairs));
		test_drop(&t);
	}
}

/* The aim is 1 ms; a thread that loses its cpu meanwhile shall not fail. */
static void a_thousand_cpus_take_no_time(void **state)
{
	struct test_instance t = { .s = NULL };
	sdpower_cpu pairs[SDPOWER_I_PAIRS][2];
	uint64_t best = UINT64_MAX;

	(void)state;
	assert_int_equal(test_make(&t, "numa:4 pack:2 l3:8 core:8 pu:2"), SDPOWER_OK);
	for (int i = 0; i < 20; i++) {
		const uint64_t began = sdpower_i_now();
		uint64_t took;

		for (uint32_t d = 0; d < sdpower_i_distances(t.s); d++)
			assert_true(sdpower_i_pairs_of(t.s, everybody, d, pairs) > 0);
		took = sdpower_i_now() - began;
		best = took < best ? took : best;
	}
	print_message("pairs of 1024 cpus: %u us\n", (unsigned)(best / 1000));
	assert_true(best < 20000000);
	test_drop(&t);
}

static void the_walk_writes_every_line_once(void **state)
{
	static uint64_t words[8 * 5000 + 1];
	const uint32_t go_on = 0, stop = 1;

	(void)state;
	for (uint64_t lines = 1; lines <= 5000; lines += 1 + lines / 50) {
		memset(words, 0, sizeof(words));
		assert_int_equal(sdpower_i_walk(words, lines, UINT64_MAX, &go_on), 1);
		for (uint64_t i = 0; i < lines; i++)
			if (words[8 * i] != 1)
				fail_msg("line %u of %u: %u", (unsigned)i, (unsigned)lines,
					(unsigned)words[8 * i]);
		assert_int_equal(words[8 * lines], 0);
	}
	assert_int_equal(sdpower_i_walk(words, 5000, UINT64_MAX, &stop), 0);
	assert_int_equal(sdpower_i_walk(words, 5000, 0, &go_on), 0);
}

static void strides_suit_every_size(void **state)
{
	(void)state;
	for (uint64_t lines = 1; lines < (UINT64_C(1) << 42); lines = lines * 5 / 3 + 1) {
		const uint64_t stride = sdpower_i_walk_stride(lines);

		assert_true(stride >= 1 && (stride <= lines || lines <= 2));
		if (lines > 1000)
			assert_true(stride > lines / 2 && stride < lines * 5 / 8 + 1000);
	}
}

/* A folder with the caches of cpu 4: index, type, size, who shares it. */
static void write_cache(int root, unsigned index, const char *type, const char *size,
	const char *cpus)
{
	const char *const names[] = { "type", "size", "shared_cpu_list" };
	const char *const texts[] = { type, size, cpus };
	char path[128];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu4/cache/index%u", index);
	for (char *p = path; *p; p++)
		if (*p == '/') {
			*p = '\0';
			(void)mkdirat(root, path, 0755);
			*p = '/';
		}
	assert_int_equal(mkdirat(root, path, 0755), 0);
	for (unsigned i = 0; i < 3; i++) {
		char file[160];
		int out;

		snprintf(file, sizeof(file), "%s/%s", path, names[i]);
		out = openat(root, file, O_WRONLY | O_CREAT | O_EXCL, 0644);
		assert_true(out >= 0);
		assert_true(write(out, texts[i], strlen(texts[i])) >= 0);
		close(out);
	}
}

static void caches_come_from_the_files(void **state)
{
	char folder[] = "/tmp/sdpower-caches-XXXXXX", command[64];
	struct sdpower_i_caches caches;
	int root;

	(void)state;
	assert_non_null(mkdtemp(folder));
	root = open(folder, O_RDONLY | O_DIRECTORY);
	sdpower_i_caches_of(root, 4, 5, &caches);
	assert_int_equal(caches.private_size, 0);
	assert_int_equal(caches.is_shared, 0);
	write_cache(root, 0, "Data\n", "32K\n", "4\n");
	write_cache(root, 1, "Instruction\n", "64M\n", "4\n");
	write_cache(root, 2, "Unified\n", "1024K\n", "4,12\n");
	write_cache(root, 3, "Unified\n", "32M\n", "0-7,12\n");
	sdpower_i_caches_of(root, 4, 5, &caches);
	assert_int_equal(caches.private_size, 1024 * 1024);
	assert_int_equal(caches.is_shared, 1);
	sdpower_i_caches_of(root, 4, 12, &caches);
	assert_int_equal(caches.private_size, 32 * 1024);
	sdpower_i_caches_of(root, 4, 99, &caches);
	assert_int_equal(caches.private_size, 32 * 1024 * 1024);
	assert_int_equal(caches.is_shared, 0);
	/* The largest private one counts, wherever it is; of equals the last says who shares. */
	write_cache(root, 4, "Unified\n", "16K\n", "4\n");
	write_cache(root, 5, "Unified\n", "32M\n", "4\n");
	sdpower_i_caches_of(root, 4, 12, &caches);
	assert_int_equal(caches.private_size, 32 * 1024 * 1024);
	assert_int_equal(caches.is_shared, 0);
	write_cache(root, 6, "Unified\n", "8K\n", "4\n");
	sdpower_i_caches_of(root, 4, 5, &caches);
	assert_int_equal(caches.private_size, 32 * 1024 * 1024);
	sdpower_i_caches_of(-1, 4, 5, &caches);
	assert_int_equal(caches.private_size, 0);
	close(root);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void pairs_that_differ_say_so(void **state)
{
	uint64_t alike[] = { 300, 200, 250 }, apart[] = { 400, 200, 250 }, two[] = { 100, 140 };
	struct sdpower_calibration_distance d = { .flags = SDPOWER_CALIBRATION_DEFAULTED,
		.pairs = 3 };

	(void)state;
	sdpower_i_conclude(&d, alike, 150);
	assert_int_equal(d.flags, 0);
	assert_int_equal(d.cost_ns, 250);
	assert_int_equal(d.hot_ns, 750);
	assert_int_equal(d.least_ns, 200);
	assert_int_equal(d.most_ns, 300);
	sdpower_i_conclude(&d, apart, 100);
	assert_int_equal(d.flags, SDPOWER_CALIBRATION_WIDE);
	assert_int_equal(d.cost_ns, 250);
	d.pairs = 2;
	sdpower_i_conclude(&d, two, 100);
	assert_int_equal(d.cost_ns, 140);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_spread_over_the_machine),
		cmocka_unit_test(partners_are_spread_as_well),
		cmocka_unit_test(chains_may_differ_in_length),
		cmocka_unit_test(any_machine_and_any_cpus),
		cmocka_unit_test(a_thousand_cpus_take_no_time),
		cmocka_unit_test(the_walk_writes_every_line_once),
		cmocka_unit_test(strides_suit_every_size),
		cmocka_unit_test(caches_come_from_the_files),
		cmocka_unit_test(pairs_that_differ_say_so),
	};

	memset(everybody, 0xff, sizeof(everybody));
	return cmocka_run_group_tests_name("calibrate_parts", tests, NULL, NULL);
}
