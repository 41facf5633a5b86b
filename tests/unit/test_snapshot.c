/* SPDX-License-Identifier: MIT */
/*
 * Description: what is saved and read back answers alike and is saved alike, on random
 * machines and states; damaged texts are refused with their line and change nothing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "support/instance.h"

static const char *const shapes[] = { "pack:2 l3:1 core:4 pu:2", "numa:2 pack:1 l3:1 core:4",
	"numa:4 pack:2 l3:1 core:3 pu:2", "pack:3 l3:2 core:5", "core:2",
	"numa:2 pack:1 core:6 pu:2 indexes=numa:core", "pack:2 core:20" };

static void random_tree(struct test_random *r, sdpower *s)
{
	uint32_t mask[4], half[4];

	for (int i = 0; i < 4; i++) {
		mask[i] = test_draw(r, 2) ? UINT32_MAX : test_draw(r, UINT32_MAX);
		half[i] = test_draw(r, UINT32_MAX);
	}
	(void)!sdpower_set_knobs(s, test_draw(r, 3), test_draw(r, 3));
	(void)!sdpower_set_online(s, mask, 4);
	(void)!sdpower_set_allowed(s, half, test_draw(r, 2) ? 4 : 0);
	if (test_draw(r, 3) == 0)
		(void)!sdpower_set_partitions(s, 1, half, 4);
	(void)!sdpower_nominate(s, test_draw(r, sdpower_cpu_count(s)));
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(s); cpu++)
		test_random_cpu(r, s, cpu);
}

static void random_question(struct test_random *r, const sdpower *s, struct sdpower_question *q,
	uint32_t *mask)
{
	const uint32_t cpus = sdpower_cpu_count(s), words = test_draw(r, 4);

	for (int i = 0; i < 4; i++)
		mask[i] = test_draw(r, UINT32_MAX);
	*q = (struct sdpower_question){ .struct_size = sizeof(*q), .kind = test_draw(r, 4) };
	q->busiest = (struct sdpower_busiest_request){ .struct_size = sizeof(q->busiest),
		.cpu = test_draw(r, cpus), .depth = test_draw(r, 4), .idle = test_draw(r, 3),
		.flags = test_draw(r, 2), .sd_idle = test_draw(r, 2), .group_power = mask,
		.group_power_count = test_draw(r, 4) ? 0 : 2, .candidate_words = words,
		.candidates = test_draw(r, 2) ? mask : NULL };
	q->wake = (struct sdpower_wake){ .struct_size = sizeof(q->wake), .waker = test_draw(r, cpus),
		.prev = test_draw(r, 5) ? test_draw(r, cpus) : SDPOWER_CPU_NONE,
		.flags = test_draw(r, 8), .weight = test_draw(r, 2000), .since_ran_ns = UINT64_MAX,
		.waker_weight = test_draw(r, 2000), .waker_overlap_ns = test_draw(r, 900000),
		.affinity = test_draw(r, 2) ? mask : NULL, .affinity_words = words };
	q->place = (struct sdpower_placement){ .struct_size = sizeof(q->place),
		.cpu = test_draw(r, cpus), .flag = SDPOWER_SD_BALANCE_FORK,
		.affinity = test_draw(r, 2) ? mask : NULL, .affinity_words = words };
}

/* The answer of any kind as bytes; handles differ between instances and are left out. */
struct any_answer {
	int32_t status[2];
	struct sdpower_busiest busiest;
	struct sdpower_pick pick[2];
};

static void ask(const sdpower *s, const struct sdpower_question *q, struct any_answer *a)
{
	memset(a, 0, sizeof(*a));
	a->busiest.struct_size = sizeof(a->busiest);
	if (q->kind == SDPOWER_QUESTION_BUSIEST) {
		a->status[0] = sdpower_find_busiest_group(s, &q->busiest, &a->busiest);
		a->busiest.domain.generation = 0;
	} else if (q->kind == SDPOWER_QUESTION_WAKE) {
		a->status[0] = sdpower_select_cpu(s, &q->wake, &a->pick[0]);
		a->status[1] = sdpower_wake_idle(s, &q->wake, &a->pick[1]);
	} else if (q->kind == SDPOWER_QUESTION_PLACE) {
		a->status[0] = sdpower_place(s, &q->place, &a->pick[0]);
	}
}

static char *save(const sdpower *s, const struct sdpower_question *q, size_t *length)
{
	char *text;

	assert_int_equal(sdpower_snapshot_write(s, q, NULL, 0, length), SDPOWER_ENOSPC);
	text = malloc(*length + 1);
	assert_int_equal(sdpower_snapshot_write(s, q, text, *length, length), SDPOWER_ENOSPC);
	assert_int_equal(sdpower_snapshot_write(s, q, text, *length + 1, length), SDPOWER_OK);
	assert_int_equal(strlen(text), *length);
	return text;
}

/* Reads a text all the way into an instance. */
struct loaded {
	struct sdpower_snapshot snapshot;
	void *tables, *memory;
	sdpower *s;
};

static sdpower_status load(const char *text, size_t length, struct loaded *to,
	struct sdpower_diag *diag)
{
	size_t size, align;
	sdpower_status status;

	memset(to, 0, sizeof(*to));
	to->snapshot.struct_size = sizeof(to->snapshot);
	status = sdpower_snapshot_read(text, length, NULL, 0, &to->snapshot, diag);
	if (status != SDPOWER_ENOSPC)
		return status;
	size = to->snapshot.memory_needed;
	to->tables = malloc(size);
	assert_int_equal(sdpower_snapshot_read(text, length, to->tables, size - 1, &to->snapshot, diag),
		SDPOWER_ENOSPC);
	assert_int_equal(sdpower_snapshot_read(text, length, to->tables, size, &to->snapshot, diag),
		SDPOWER_OK);
	status = sdpower_memory_needed(&to->snapshot.config, &size, &align);
	if (status)
		return status;
	to->memory = aligned_alloc(align, size);
	status = sdpower_init(to->memory, size, &to->snapshot.config, &to->s);
	return status ? status : sdpower_snapshot_restore(&to->snapshot, to->s);
}

static void drop(struct loaded *l)
{
	free(l->memory);
	free(l->tables);
}

static void one_round(uint64_t seed)
{
	struct test_random r = { seed };
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_tunables tunables = { .struct_size = sizeof(tunables) };
	struct sdpower_energy energy = { .struct_size = sizeof(energy) };
	struct any_answer before, after;
	struct sdpower_question q;
	struct test_instance t;
	struct loaded again;
	size_t length, length_again;
	uint32_t mask[4];
	char *text, *text_again;
	sdpower_status status;

	memset(&t, 0, sizeof(t));
	t.config.tree = test_draw(&r, 4);
	t.config.decisions = t.config.tree == SDPOWER_TREE_MODERN ? SDPOWER_DECIDE_NATIVE :
		1 + test_draw(&r, 2);
	t.config.flags = test_draw(&r, 2);
	t.config.relax_level = (int32_t)test_draw(&r, 6) - 1;
	t.config.wake_flags = t.config.tree == SDPOWER_TREE_MODERN ? 0 :
		16u * (test_draw(&r, 2) + 128 * test_draw(&r, 2));
	t.config.migration_cost_ns = test_draw(&r, 2) * 700000;
	tunables.fill_percent = test_draw(&r, 81);
	tunables.smt_percent = 100 + test_draw(&r, 101);
	t.config.tunables = &tunables;
	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS; i++)
		energy.row[i] = (struct sdpower_energy_row){ test_draw(&r, 100), 100 + test_draw(&r, 900),
			test_draw(&r, 1000) };
	t.config.energy = test_draw(&r, 2) ? &energy : NULL;
	assert_int_equal(test_make(&t, shapes[test_draw(&r, sizeof(shapes) / sizeof(shapes[0]))]),
		SDPOWER_OK);
	random_tree(&r, t.s);
	random_question(&r, t.s, &q, mask);
	ask(t.s, &q, &before);
	text = save(t.s, &q, &length);
	status = load(text, length, &again, &diag);
	if (status)
		fail_msg("seed %llu: %s (line %u)", (unsigned long long)seed, diag.text, diag.line);
	ask(again.s, &again.snapshot.question, &after);
	if (memcmp(&before, &after, sizeof(before)))
		fail_msg("seed %llu: another answer", (unsigned long long)seed);
	text_again = save(again.s, &again.snapshot.question, &length_again);
	if (length != length_again || strcmp(text, text_again))
		fail_msg("seed %llu: another text", (unsigned long long)seed);
	free(text_again);
	free(text);
	drop(&again);
	test_drop(&t);
}

static void saved_instances_answer_alike(void **state)
{
	(void)state;
	printf("seeds 1 to 3000\n");
	for (uint64_t seed = 1; seed <= 3000; seed++)
		one_round(seed);
}

static char *an_example(size_t *length, struct test_instance *t)
{
	struct test_random r = { 7 };
	struct sdpower_question q;
	uint32_t mask[4];

	memset(t, 0, sizeof(*t));
	t->config.decisions = SDPOWER_DECIDE_CLASSIC;
	assert_int_equal(test_make(t, "numa:2 pack:1 l3:1 core:2"), SDPOWER_OK);
	random_question(&r, t->s, &q, mask);
	q.kind = SDPOWER_QUESTION_BUSIEST;
	q.busiest.candidates = mask;
	q.busiest.candidate_words = 2;
	return save(t->s, &q, length);
}

static void a_text_cut_anywhere_is_refused_at_its_end(void **state)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct test_instance t;
	struct loaded l;
	size_t length;
	char *text = an_example(&length, &t);
	uint32_t line = 1;

	(void)state;
	for (size_t cut = 0; cut < length; cut++) {
		char *copy = malloc(cut + 1);

		memcpy(copy, text, cut);
		assert_int_equal(load(copy, cut, &l, &diag), SDPOWER_EPARSE);
		assert_true(diag.line >= 1 && diag.line <= line);
		assert_true(diag.text[0] != '\0');
		free(copy);
		drop(&l);
		line += text[cut] == '\n';
	}
	free(text);
	test_drop(&t);
}

static void any_changed_byte_is_refused_or_means_something(void **state)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct test_random r = { 99 };
	struct test_instance t;
	size_t length, refused = 0;
	char *text = an_example(&length, &t);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const size_t at = test_draw(&r, (uint32_t)length);
		const char was = text[at];
		struct loaded l;

		text[at] = (char)(test_draw(&r, 2) ? 32 + test_draw(&r, 96) : test_draw(&r, 256));
		if (load(text, length, &l, &diag) == SDPOWER_OK) {
			struct any_answer a;

			ask(l.s, &l.snapshot.question, &a);
		} else {
			refused++;
		}
		drop(&l);
		text[at] = was;
	}
	assert_true(refused > 10000);
	free(text);
	test_drop(&t);
}

/* Replaces the first `from` by `to` and expects a refusal at a line. */
static void refuse(const char *from, const char *to, sdpower_status wanted, uint32_t line)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct test_instance t;
	struct loaded l;
	size_t length;
	char *text = an_example(&length, &t), *changed = malloc(length + 64), *at = strstr(text, from);

	assert_non_null(at);
	snprintf(changed, length + 64, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(load(changed, strlen(changed), &l, &diag), wanted);
	assert_int_equal(diag.line, line);
	drop(&l);
	free(changed);
	free(text);
	test_drop(&t);
}

static void errors_name_their_line(void **state)
{
	(void)state;
	refuse("snapshot 1", "snapshot 2", SDPOWER_EPARSE, 1);
	refuse("rules 1", "rules 9", SDPOWER_ERANGE, 2);
	refuse("rules 1", "rules  1", SDPOWER_EPARSE, 2);
	refuse("tunables 80", "tunables 4294967296", SDPOWER_ERANGE, 3);
	refuse("energy -", "energy - 1", SDPOWER_EPARSE, 4);
	refuse("energy -", "energy 1048577", SDPOWER_ERANGE, 4);
	refuse("machine", "engine", SDPOWER_EPARSE, 5);
	refuse(" 4 2 1\n", " 60000 2 1\n", SDPOWER_EPARSE, 6);
	refuse("node 1", "node -1", SDPOWER_EPARSE, 7);
	refuse("cpu 3", "cpu 3x", SDPOWER_EPARSE, 11);
	refuse("knobs 0", "knobs 3", SDPOWER_ERANGE, 12);
	refuse("costs 0", "costs 33", SDPOWER_ERANGE, 13);
	refuse("costs 0", "costs 1 5", SDPOWER_EPARSE, 13);
	refuse("slot 0 0", "slot 65536 0", SDPOWER_ERANGE, 14);
	refuse("ask busiest", "ask nobody", SDPOWER_EPARSE, 18);
	refuse("end\n", "end\nmore\n", SDPOWER_EPARSE, 20);
	refuse("end\n", "end", SDPOWER_EPARSE, 19);
}

static void nonsense_is_refused(void **state)
{
	struct sdpower_snapshot s = { .struct_size = sizeof(s) }, wrong = { .struct_size = 1 };
	struct sdpower_question q = { .struct_size = sizeof(q), .kind = 4 };
	struct test_instance t;
	size_t length;
	char *text = an_example(&length, &t), small[8];

	(void)state;
	assert_int_equal(sdpower_snapshot_read(NULL, 0, NULL, 0, &s, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_read(text, length, NULL, 0, NULL, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_read(text, length, NULL, 0, &wrong, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_read(text, length, NULL, 5, &s, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_restore(NULL, t.s), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_restore(&s, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_write(NULL, NULL, small, 8, &length), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_write(t.s, NULL, small, 8, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_snapshot_write(t.s, &q, small, 8, &length), SDPOWER_EINVAL);
	free(text);
	test_drop(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(saved_instances_answer_alike),
		cmocka_unit_test(a_text_cut_anywhere_is_refused_at_its_end),
		cmocka_unit_test(any_changed_byte_is_refused_or_means_something),
		cmocka_unit_test(errors_name_their_line),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
