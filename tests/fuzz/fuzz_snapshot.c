/* SPDX-License-Identifier: MIT */
/*
 * Description: any bytes given as a snapshot are refused with a reason, or make an instance;
 * a snapshot of that one makes another with the same tree, state and answer.
 */
#include "fuzz.h"
#include <sdpower/snapshot.h>

/* Too long for a line here: the driver's inputs start from what writing makes. */
static char text_of_small[4096], text_of_nodes[8192];
const char *const fuzz_seeds[] = { text_of_small, text_of_nodes, NULL };
const char *const fuzz_words[] = { "\n", " ", "0", "1", "-", "65534", "65535", "4294967295",
	"4294967296", "18446744073709551615", "18446744073709551616", "cpu", "node", "slot", NULL };
const uint32_t fuzz_rounds = 8000;
const uint32_t fuzz_longest = 6000;

static sdpower *make(const struct sdpower_config *c, struct fuzz_block *b, sdpower_status *status)
{
	size_t size, align;
	sdpower *s = NULL;

	*status = sdpower_memory_needed(c, &size, &align);
	if (*status != SDPOWER_OK || size > 1u << 24)
		return NULL;
	*b = fuzz_block_of(size, align);
	*status = sdpower_init(b->memory, size, c, &s);
	fuzz_check_untouched(b, size);
	return s;
}

static struct fuzz_block save(const sdpower *s, const struct sdpower_question *q)
{
	struct fuzz_block b;
	size_t length = 0, again = 0;

	FUZZ_CHECK(sdpower_snapshot_write(s, q, NULL, 0, &length) == SDPOWER_ENOSPC);
	b = fuzz_block_of(length + 1, 8);
	FUZZ_CHECK(sdpower_snapshot_write(s, q, (char *)b.memory, length, &again) == SDPOWER_ENOSPC);
	fuzz_check_untouched(&b, length);
	FUZZ_CHECK(sdpower_snapshot_write(s, q, (char *)b.memory, length + 1, &again) == SDPOWER_OK);
	FUZZ_CHECK(again == length && b.memory[length] == '\0');
	fuzz_check_untouched(&b, length + 1);
	return b;
}

/* A snapshot that was read, with the instance made from it. */
struct copy {
	struct sdpower_snapshot snapshot;
	struct fuzz_block tables, block;
	sdpower *s;
};

static sdpower_status load(const char *text, size_t size, struct copy *c)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	sdpower_status status = SDPOWER_ENOSPC;

	memset(c, 0, sizeof(*c));
	c->snapshot.struct_size = sizeof(c->snapshot);
	c->snapshot.question.struct_size = sizeof(c->snapshot.question);
	for (int i = 0; i < 4 && status == SDPOWER_ENOSPC &&
			c->snapshot.memory_needed < 1u << 25; i++) {
		free(c->tables.memory);
		c->tables = fuzz_block_of(c->snapshot.memory_needed, 8);
		status = sdpower_snapshot_read(text, size, c->tables.memory, c->tables.size,
			&c->snapshot, &diag);
		fuzz_check_untouched(&c->tables, c->tables.size);
	}
	FUZZ_CHECK(fuzz_known_status(status));
	FUZZ_CHECK(status == SDPOWER_OK || (diag.text[0] && diag.status == status));
	if (status != SDPOWER_OK)
		return status;
	c->s = make(&c->snapshot.config, &c->block, &status);
	FUZZ_CHECK(fuzz_known_status(status));
	if (!c->s)
		return status ? status : SDPOWER_ERANGE;
	status = sdpower_snapshot_restore(&c->snapshot, c->s);
	FUZZ_CHECK(fuzz_known_status(status));
	return status;
}

static void drop(struct copy *c)
{
	free(c->block.memory);
	free(c->tables.memory);
}

/* What a question was answered with, all of it. */
struct answers {
	struct sdpower_busiest busiest;
	struct sdpower_pick pick;
	sdpower_status status;
};

static void ask(const struct copy *c, struct answers *a)
{
	const struct sdpower_question *q = &c->snapshot.question;

	memset(a, 0, sizeof(*a));
	a->busiest.struct_size = sizeof(a->busiest);
	if (q->kind == SDPOWER_QUESTION_BUSIEST)
		a->status = sdpower_find_busiest_group(c->s, &q->busiest, &a->busiest);
	else if (q->kind == SDPOWER_QUESTION_WAKE)
		a->status = sdpower_select_cpu(c->s, &q->wake, &a->pick);
	else if (q->kind == SDPOWER_QUESTION_PLACE)
		a->status = sdpower_place(c->s, &q->place, &a->pick);
	FUZZ_CHECK(fuzz_known_status(a->status));
	/* Handles are private: another numbering and generation may stand for the same. */
	a->busiest.domain = (struct sdpower_domain){ 0, 0 };
}

static void compare(const struct copy *a, const struct copy *b)
{
	struct answers of_a, of_b;
	size_t length, other_length;
	char *text, *other;

	ask(a, &of_a);
	ask(b, &of_b);
	FUZZ_CHECK(!memcmp(&of_a, &of_b, sizeof(of_a)));
	text = fuzz_dump(a->s, &length);
	other = fuzz_dump(b->s, &other_length);
	FUZZ_CHECK(length == other_length && !memcmp(text, other, length));
	free(other);
	free(text);
	for (sdpower_cpu cpu = 0; cpu < sdpower_cpu_count(a->s); cpu++) {
		struct sdpower_cpu_state x = { .struct_size = sizeof(x) }, y = x;

		FUZZ_CHECK(!sdpower_get_cpu(a->s, cpu, &x) && !sdpower_get_cpu(b->s, cpu, &y));
		FUZZ_CHECK(!memcmp(&x, &y, sizeof(x)));
	}
}

/* The seeds, of two small machines in use. */
static void write_seed(const char *machine, uint32_t tree, char *to, size_t size)
{
	struct sdpower_topology t = { .struct_size = sizeof(t) };
	const struct sdpower_config config = { .struct_size = sizeof(config), .topology = &t,
		.tree = tree, .max_partitions = 2 };
	struct sdpower_question q = { .struct_size = sizeof(q), .kind = SDPOWER_QUESTION_BUSIEST,
		.busiest = { .struct_size = sizeof(q.busiest), .cpu = 1, .idle = 2 } };
	struct fuzz_block table, block;
	sdpower_status status;
	size_t length;
	sdpower *s;

	FUZZ_CHECK(sdpower_topology_synthetic(machine, NULL, 0, &t, NULL) == SDPOWER_ENOSPC);
	table = fuzz_block_of(t.memory_needed, 8);
	FUZZ_CHECK(!sdpower_topology_synthetic(machine, table.memory, table.size, &t, NULL));
	s = make(&config, &block, &status);
	FUZZ_CHECK(s && !status);
	FUZZ_CHECK(!sdpower_set_load(s, 2, 3, 3072) && !sdpower_tick(s, 2, 1000));
	FUZZ_CHECK(!sdpower_snapshot_write(s, &q, to, size, &length));
	free(block.memory);
	free(table.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct copy first, second;

	if (!text_of_small[0]) {
		write_seed("pack:2 core:2", 0, text_of_small, sizeof(text_of_small));
		write_seed("numa:2 core:3 pu:2 dist=10,20", 3, text_of_nodes, sizeof(text_of_nodes));
	}
	if (load((const char *)data, size, &first) == SDPOWER_OK) {
		const struct fuzz_block text = save(first.s, &first.snapshot.question);

		fuzz_check(first.s);
		FUZZ_CHECK(load((char *)text.memory, text.size - 1, &second) == SDPOWER_OK);
		compare(&first, &second);
		free(text.memory);
		drop(&second);
	}
	drop(&first);
	return 0;
}
