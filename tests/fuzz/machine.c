/* SPDX-License-Identifier: MIT */
/* What must hold for every table: checked, saved, read back, counted, turned into instances. */
#include "fuzz.h"

/* Larger machines only repeat what small ones show, at a cost. */
#define MOST_CPUS 512u

static struct fuzz_block save(const struct sdpower_topology *t)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct fuzz_block b;
	size_t length = 0, again = 0;

	FUZZ_CHECK(sdpower_topology_write(t, NULL, 0, &length, &diag) == SDPOWER_ENOSPC);
	b = fuzz_block_of(length, 8);
	FUZZ_CHECK(sdpower_topology_write(t, (char *)b.memory, length - 1, &again, &diag) ==
		SDPOWER_ENOSPC);
	FUZZ_CHECK(again == length);
	FUZZ_CHECK(sdpower_topology_write(t, (char *)b.memory, length, &again, &diag) == SDPOWER_OK);
	FUZZ_CHECK(again == length);
	fuzz_check_untouched(&b, length);
	return b;
}

static int same_cpu(const struct sdpower_topology *a, const struct sdpower_topology *b, uint32_t i)
{
	struct sdpower_cpu_desc x, y;

	memcpy(&x, (const char *)a->cpus + (size_t)i * a->cpu_stride, sizeof(x));
	memcpy(&y, (const char *)b->cpus + (size_t)i * b->cpu_stride, sizeof(y));
	return !memcmp(&x, &y, sizeof(x));
}

/* Saving what was read back gives the same text. */
static void save_and_load(const struct sdpower_topology *t)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_topology back = { .struct_size = sizeof(back) };
	struct fuzz_block text = save(t), memory = { NULL, 0 }, twice;
	sdpower_status status = SDPOWER_ENOSPC;

	for (int i = 0; i < 4 && status == SDPOWER_ENOSPC; i++) {
		free(memory.memory);
		memory = fuzz_block_of(back.memory_needed, 8);
		status = sdpower_topology_text((char *)text.memory, text.size, memory.memory,
			memory.size, &back, &diag);
		fuzz_check_untouched(&memory, memory.size);
	}
	if (status != SDPOWER_OK)
		fprintf(stderr, "%d: %s\n%.*s\n", status, diag.text, (int)text.size, text.memory);
	FUZZ_CHECK(status == SDPOWER_OK);
	FUZZ_CHECK(sdpower_topology_check(&back, &diag) == SDPOWER_OK);
	FUZZ_CHECK(back.cpu_count == t->cpu_count && back.node_count == t->node_count);
	FUZZ_CHECK(back.overlapping == t->overlapping && back.quota_milli == t->quota_milli);
	for (uint32_t i = 0; i < t->cpu_count; i++)
		FUZZ_CHECK(same_cpu(&back, t, i));
	twice = save(&back);
	FUZZ_CHECK(twice.size == text.size && !memcmp(twice.memory, text.memory, text.size));
	free(twice.memory);
	free(memory.memory);
	free(text.memory);
}

static void count(const struct sdpower_topology *t)
{
	struct sdpower_topology_summary s = { .struct_size = sizeof(s) };

	FUZZ_CHECK(sdpower_topology_summarise(t, &s) == SDPOWER_OK);
	FUZZ_CHECK(s.usable_cpus > 0 && s.usable_cpus <= t->cpu_count);
	FUZZ_CHECK(s.cores > 0 && s.cores <= s.usable_cpus);
	FUZZ_CHECK(s.packages > 0 && s.packages <= s.usable_cpus);
	FUZZ_CHECK(s.nodes > 0 && s.llc_groups > 0 && s.threads_per_core_max > 0);
}

int fuzz_one_way(const struct sdpower_topology *t)
{
	for (uint32_t i = 0; t->distances && i < t->node_count; i++)
		for (uint32_t j = 0; j < i; j++)
			if (t->distances[i * t->node_count + j] != t->distances[j * t->node_count + i])
				return 1;
	return 0;
}

void fuzz_check(const sdpower *s)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	const sdpower_status status = sdpower_check(s, &diag);

	if (status != SDPOWER_OK)
		fprintf(stderr, "check: %d %s\n", status, diag.text);
	FUZZ_CHECK(status == SDPOWER_OK);
}

char *fuzz_dump(const sdpower *s, size_t *length)
{
	char *text;

	FUZZ_CHECK(sdpower_dump_text(s, NULL, 0, length) == SDPOWER_ENOSPC);
	text = malloc(*length + 1);
	FUZZ_CHECK(sdpower_dump_text(s, text, *length + 1, length) == SDPOWER_OK);
	return text;
}

static void instance(const struct sdpower_topology *t, uint32_t tree, uint32_t partitions)
{
	const struct sdpower_config c = { .struct_size = sizeof(c), .topology = t, .tree = tree,
		.max_partitions = partitions < t->cpu_count ? partitions : t->cpu_count };
	struct fuzz_model m = { .cpus = t->cpu_count, .one_way = fuzz_one_way(t) };
	size_t size = 0, align = 0;
	struct fuzz_block b;
	sdpower_status status = sdpower_memory_needed(&c, &size, &align);

	if (status != SDPOWER_OK) {
		FUZZ_CHECK(status == SDPOWER_ERANGE);
		return;
	}
	b = fuzz_block_of(size, align);
	FUZZ_CHECK(sdpower_init(b.memory, size - 1, &c, &m.s) == SDPOWER_ENOSPC && !m.s);
	fuzz_check_untouched(&b, 0);
	status = sdpower_init(b.memory, size, &c, &m.s);
	fuzz_check_untouched(&b, size);
	FUZZ_CHECK(status == SDPOWER_OK || (status == SDPOWER_EOVERLAP && !m.s));
	for (uint32_t knobs = 0; m.s && knobs < 9; knobs++) {
		status = sdpower_set_knobs(m.s, knobs / 3, knobs % 3);
		FUZZ_CHECK(status == SDPOWER_OK || status == SDPOWER_EOVERLAP);
		fuzz_check(m.s);
		/* Finding the nth group takes n times the cpus of the span. */
		for (sdpower_cpu cpu = 0; cpu < t->cpu_count && t->cpu_count <= 64;
				cpu += t->cpu_count <= 16 ? 1 : t->cpu_count - 1)
			fuzz_walk(&m, cpu);
	}
	fuzz_check_untouched(&b, size);
	free(b.memory);
}

void fuzz_machine(const struct sdpower_topology *t)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };

	FUZZ_CHECK(sdpower_topology_check(t, &diag) == SDPOWER_OK);
	if (t->cpu_count > MOST_CPUS || t->node_count > MOST_CPUS)
		return;
	save_and_load(t);
	count(t);
	for (uint32_t tree = SDPOWER_TREE_CLASSIC; tree <= SDPOWER_TREE_MODERN; tree++)
		instance(t, tree, tree % 3u);
}

void fuzz_table(const struct sdpower_topology *t)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	struct sdpower_topology_summary s = { .struct_size = sizeof(s) };
	const struct sdpower_config c = { .struct_size = sizeof(c), .topology = t };
	const sdpower_status status = sdpower_topology_check(t, &diag);
	size_t length = 0, size = 0;

	if (status == SDPOWER_OK) {
		fuzz_machine(t);
		return;
	}
	FUZZ_CHECK(fuzz_known_status(status) && diag.text[0] && diag.status == status);
	FUZZ_CHECK(sdpower_topology_summarise(t, &s) == SDPOWER_EINVAL);
	FUZZ_CHECK(sdpower_topology_write(t, NULL, 0, &length, NULL) == status);
	FUZZ_CHECK(sdpower_memory_needed(&c, &size, NULL) == status && !size);
}
