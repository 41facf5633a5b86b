/* SPDX-License-Identifier: MIT */
/* Description: a calibration is kept as text, loaded by its own tree and refused by others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"
#include <sdpower/calibration.h>

#define TEXT 16384u

static uint64_t signature_of(const sdpower *s)
{
	uint64_t signature = 0;

	assert_int_equal(sdpower_domain_signature(s, &signature), SDPOWER_OK);
	return signature;
}

static uint64_t random64(struct test_random *r)
{
	return ((uint64_t)test_draw(r, UINT32_MAX) << 32 | test_draw(r, UINT32_MAX)) >>
		test_draw(r, 64);
}

/* Any values a calibration can hold. */
static struct sdpower_calibration random_calibration(struct test_random *r)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };

	assert_int_equal(sdpower_calibration_start(&c,
		test_draw(r, SDPOWER_MIGRATION_DISTANCES + 1), 0), SDPOWER_OK);
	c.flags = 0;
	c.percent = test_draw(r, 10001);
	c.signature = random64(r);
	c.wall_ns = random64(r);
	for (uint32_t i = 0; i < c.count; i++) {
		c.distance[i] = (struct sdpower_calibration_distance) {
			.flags = test_draw(r, SDPOWER_CALIBRATION_FLAGS + 1), .pairs = test_draw(r, 4),
			.cpu = test_draw(r, 2) ? SDPOWER_CPU_NONE : test_draw(r, SDPOWER_MAX_CPUS),
			.other = test_draw(r, SDPOWER_MAX_CPUS), .shares_cache = test_draw(r, 2),
			.rounds = test_draw(r, 26), .dropped = test_draw(r, UINT32_MAX),
			.end = test_draw(r, 5), .size = random64(r), .cost_ns = random64(r),
			.low_ns = random64(r), .high_ns = random64(r), .there_ns = random64(r),
			.back_ns = random64(r), .least_ns = random64(r), .most_ns = random64(r),
			.hot_ns = random64(r), .ping_ps = random64(r), .wall_ns = random64(r) };
		c.flags |= c.distance[i].flags;
	}
	return c;
}

static size_t written(const struct sdpower_calibration *c, char text[TEXT])
{
	size_t length;

	assert_int_equal(sdpower_calibration_write(c, text, TEXT, &length), SDPOWER_OK);
	assert_int_equal(strlen(text), length);
	return length;
}

static void what_is_written_can_be_read_again(void **state)
{
	static char text[TEXT];

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct test_random r = { seed };
		const struct sdpower_calibration c = random_calibration(&r);
		struct sdpower_calibration again = { .struct_size = sizeof(again) };
		const size_t length = written(&c, text);

		assert_int_equal(sdpower_calibration_read(text, length, NULL, &again, NULL),
			SDPOWER_OK);
		if (memcmp(&c, &again, sizeof(c)) != 0)
			fail_msg("seed %u: %s", (unsigned)seed, text);
	}
}

/* Cut anywhere, or with any byte changed, it is refused or says something else, and never half. */
static void damage_is_refused_with_its_place(void **state)
{
	static char text[TEXT];
	struct test_random r = { 7 };
	struct sdpower_calibration c = random_calibration(&r), read = { .struct_size = sizeof(read) };
	const struct sdpower_calibration before = read;
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	size_t length;

	(void)state;
	length = written(&c, text);
	for (size_t cut = 0; cut < length; cut++) {
		/* Of its own size, so that sanitizers see who looks behind the end. */
		char *const part = malloc(cut + !cut);

		memcpy(part, text, cut);
		assert_true(sdpower_calibration_read(part, cut, NULL, &read, &diag) < 0);
		free(part);
		assert_memory_equal(&read, &before, sizeof(read));
		assert_true(diag.line >= 1 && diag.text[0]);
	}
	for (size_t at = 0; at < length; at++) {
		const char kept = text[at];

		text[at] = (char)(kept ^ 64);
		assert_true(sdpower_calibration_read(text, length, NULL, &read, NULL) < 0);
		assert_memory_equal(&read, &before, sizeof(read));
		text[at] = kept;
	}
}

/* One distance as text, for changes to it. */
#define TREE "sdpower calibration 1\ntree 00000000000000ff 1 100 5\n"
#define DISTANCE "distance 0 3 0 1 1 5 0 1 65536 9 8 10 9 9 8 11 18 70 6\n"

static sdpower_status read_text(const char *text, struct sdpower_calibration *read)
{
	*read = (struct sdpower_calibration) { .struct_size = sizeof(*read) };
	return sdpower_calibration_read(text, strlen(text), NULL, read, NULL);
}

/* Each field one beyond its range, and what no line may be. */
static void each_field_has_its_range(void **state)
{
	static const char *const refused[] = {
		"sdpower calibration 2\ntree 00000000000000ff 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 0\ntree 00000000000000ff 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000fg 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000f` 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000f: 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000f/ 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000FF 1 100 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000ff 1 10001 5\n" DISTANCE "end\n",
		"sdpower calibration 1\ntree 00000000000000ff 2 100 5\n" DISTANCE "end\n",
		TREE DISTANCE "end\nend\n",
		TREE DISTANCE "end\n ",
		TREE DISTANCE DISTANCE "end\n",
		TREE "distance 256 3 0 1 1 5 0 1 65536 9 8 10 9 9 8 11 18 70 6\nend\n",
		TREE "distance 0 3 65536 1 1 5 0 1 65536 9 8 10 9 9 8 11 18 70 6\nend\n",
		TREE "distance 0 3 0 1 2 5 0 1 65536 9 8 10 9 9 8 11 18 70 6\nend\n",
		TREE "distance 0 3 0 1 1 5 0 1 65536 9 8 10 9 9 8 11 18 70\nend\n",
		TREE "distance 0 3 0 1 1 5 0 1 65536 9 8 10 9 9 8 11 18 70 6 7\nend\n",
	};
	struct sdpower_calibration read;

	(void)state;
	assert_int_equal(read_text(TREE DISTANCE "end\n", &read), SDPOWER_OK);
	assert_int_equal(read.signature, 0xff);
	assert_int_equal(read.distance[0].wall_ns, 6);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (read_text(refused[i], &read) >= 0 || read.count)
			fail_msg("accepted: %s", refused[i]);
}

/* No text can hold more distances than there is room for. */
static void one_distance_too_many_is_refused(void **state)
{
	static char text[TEXT];
	struct sdpower_calibration read;
	const uint32_t most = SDPOWER_MIGRATION_DISTANCES;

	(void)state;
	for (uint32_t count = most; count <= most + 1; count++) {
		size_t at = (size_t)snprintf(text, TEXT,
			"sdpower calibration 1\ntree 00000000000000ff %u 100 5\n", (unsigned)count);

		for (uint32_t i = 0; i < count; i++)
			at += (size_t)snprintf(text + at, TEXT - at, DISTANCE);
		snprintf(text + at, TEXT - at, "end\n");
		assert_int_equal(read_text(text, &read) == SDPOWER_OK, count == most);
	}
}

static void a_text_needs_room_for_its_end(void **state)
{
	static char text[TEXT], other[TEXT];
	struct test_random r = { 11 };
	const struct sdpower_calibration c = random_calibration(&r);
	const size_t length = written(&c, text);

	(void)state;
	for (size_t size = length - 2; size <= length + 1; size++) {
		size_t needed = 0;

		memset(other, '#', sizeof(other));
		assert_int_equal(sdpower_calibration_write(&c, other, size, &needed),
			size > length ? SDPOWER_OK : SDPOWER_ENOSPC);
		assert_int_equal(needed, length);
		assert_int_equal(strlen(other), size - 1);
		assert_int_equal(other[size], '#');
		assert_memory_equal(other, text, size - 1);
	}
}

static void another_tree_refuses_it(void **state)
{
	static const char *const others[] = { "pack:2 core:4 pu:2", "pack:4 core:2 pu:2",
		"pack:2 core:8", "pack:2 core:4 pu:2 indexes=pack:core", "pack:2 core:4 pu:2 arch=arm64" };
	struct test_instance mine = { .s = NULL };
	struct sdpower_calibration c = { .struct_size = sizeof(c) }, read = c;
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	static char text[TEXT];
	size_t length;

	(void)state;
	assert_int_equal(test_make(&mine, others[0]), SDPOWER_OK);
	assert_int_equal(sdpower_calibration_start(&c, 2, 0), SDPOWER_OK);
	c.signature = signature_of(mine.s);
	length = written(&c, text);
	for (unsigned i = 0; i < 5; i++) {
		struct test_instance other = { .s = NULL };

		assert_int_equal(test_make(&other, others[i]), SDPOWER_OK);
		read.count = 99;
		assert_int_equal(sdpower_calibration_read(text, length, other.s, &read, &diag),
			i ? SDPOWER_ESTALE : SDPOWER_OK);
		assert_int_equal(read.count, i ? 99 : 2);
		test_drop(&other);
	}
	test_drop(&mine);
}

/* Knobs that leave the levels alone leave the signature alone; a level more does not. */
static void a_signature_is_about_spans(void **state)
{
	const uint32_t half = 0xff, all = 0xffff;
	struct test_instance t = { .s = NULL };
	uint64_t first;

	(void)state;
	assert_int_equal(test_make(&t, "pack:2 core:4 pu:2"), SDPOWER_OK);
	first = signature_of(t.s);
	assert_int_equal(sdpower_set_knobs(t.s, 1, 0), SDPOWER_OK);
	assert_int_equal(sdpower_set_knobs(t.s, 0, 0), SDPOWER_OK);
	assert_int_equal(signature_of(t.s), first);
	assert_int_equal(sdpower_set_allowed(t.s, &half, 1), SDPOWER_OK);
	assert_int_not_equal(signature_of(t.s), first);
	assert_int_equal(sdpower_set_allowed(t.s, &all, 1), SDPOWER_OK);
	assert_int_equal(signature_of(t.s), first);
	assert_int_equal(sdpower_domain_signature(NULL, &first), SDPOWER_EINVAL);
	assert_int_equal(sdpower_domain_signature(t.s, NULL), SDPOWER_EINVAL);
	test_drop(&t);
}

static void the_signature_of_a_machine_is_for_ever(void **state)
{
	struct test_instance t = { .s = NULL };

	(void)state;
	assert_int_equal(test_make(&t, "pack:2 core:2"), SDPOWER_OK);
	assert_int_equal(signature_of(t.s), UINT64_C(0x5e4c9c6ef286ae24));
	test_drop(&t);
}

static void times_reach_the_table_of_costs(void **state)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	struct sdpower_migration_costs costs;

	(void)state;
	assert_int_equal(sdpower_calibration_start(&c, 0, 0), SDPOWER_OK);
	assert_int_equal(c.flags, 0);
	assert_int_equal(sdpower_calibration_start(&c, 3, 0), SDPOWER_OK);
	assert_int_equal(c.flags, SDPOWER_CALIBRATION_DEFAULTED);
	c.distance[1].hot_ns = 1234;
	c.distance[2].hot_ns = UINT64_MAX;
	assert_int_equal(sdpower_calibration_costs(&c, &costs), SDPOWER_OK);
	assert_int_equal(costs.max_distance, 2);
	assert_int_equal(costs.cost_ns[0], SDPOWER_CALIBRATION_DEFAULT_NS);
	assert_int_equal(costs.cost_ns[1], 1234);
	assert_int_equal(costs.cost_ns[2], INT64_MAX);
	assert_int_equal(costs.cost_ns[3], SDPOWER_MIGRATION_UNMEASURED);
}

static void nonsense_is_refused(void **state)
{
	struct sdpower_calibration c = { .struct_size = sizeof(c) };
	struct sdpower_migration_costs costs;
	char text[64];
	size_t length;

	(void)state;
	assert_int_equal(sdpower_calibration_start(&c, 33, 0), SDPOWER_ERANGE);
	assert_int_equal(sdpower_calibration_start(NULL, 1, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibration_write(&c, text, sizeof(text), NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibration_write(&c, NULL, 1, &length), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibration_write(&c, text, 5, &length), SDPOWER_ENOSPC);
	assert_string_equal(text, "sdpo");
	c.count = 33;
	assert_int_equal(sdpower_calibration_write(&c, text, sizeof(text), &length),
		SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibration_costs(&c, &costs), SDPOWER_EINVAL);
	c.struct_size = 0;
	assert_int_equal(sdpower_calibration_start(&c, 1, 0), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibration_read("", 0, NULL, &c, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_calibration_read(NULL, 0, NULL, &c, NULL), SDPOWER_EINVAL);
	assert_string_equal(sdpower_calibration_flag_name(SDPOWER_CALIBRATION_NOISY), "noisy");
	assert_string_equal(sdpower_calibration_flag_name(3), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_can_be_read_again),
		cmocka_unit_test(damage_is_refused_with_its_place),
		cmocka_unit_test(each_field_has_its_range),
		cmocka_unit_test(one_distance_too_many_is_refused),
		cmocka_unit_test(a_text_needs_room_for_its_end),
		cmocka_unit_test(another_tree_refuses_it),
		cmocka_unit_test(a_signature_is_about_spans),
		cmocka_unit_test(the_signature_of_a_machine_is_for_ever),
		cmocka_unit_test(times_reach_the_table_of_costs),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
