/* SPDX-License-Identifier: MIT */
/* Fills a table from what a synthetic string says. */
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "synthetic.h"
#include "table.h"

struct filling {
	const struct sdpower_i_synthetic *spec;
	struct sdpower_diag *diag;
	struct sdpower_i_numbering numbering;
	struct sdpower_cpu_desc *cpus;
	uint32_t *nodes;
	uint16_t *distances;
	uint32_t node_count;
};

static sdpower_status fail(const struct sdpower_i_scan *at, struct sdpower_diag *diag,
	sdpower_status status, const char *text)
{
	return sdpower_i_diag_fail_at(diag, status, sdpower_i_scan_column(at), text);
}

/* Cpus in one object of the level that holds the place of a type left out; 0 = the machine. */
static uint32_t step_around(const struct sdpower_i_synthetic *spec, uint32_t type)
{
	uint32_t step = spec->cpus;

	for (uint32_t level = 0; level < spec->depth; level++) {
		if (spec->type[level] != SDPOWER_I_NUMA && spec->type[level] > type)
			break;
		step = spec->step[level];
	}
	return step;
}

/* Cpus in one object of a type, left out or not. */
static uint32_t step_of(const struct sdpower_i_synthetic *spec, uint32_t type)
{
	if (spec->level_of[type] != SDPOWER_ID_NONE)
		return spec->step[spec->level_of[type]];
	return step_around(spec, type);
}

static int has(const struct sdpower_i_synthetic *spec, uint32_t type)
{
	return spec->level_of[type] != SDPOWER_ID_NONE;
}

static void describe(const struct sdpower_i_synthetic *spec, uint32_t i, struct sdpower_cpu_desc *d)
{
	const uint32_t package = step_of(spec, SDPOWER_I_PACK);
	const uint32_t in_package = i % package;

	d->package = i / package;
	d->die = has(spec, SDPOWER_I_DIE) ? in_package / step_of(spec, SDPOWER_I_DIE) : 0;
	d->llc = i / step_of(spec, SDPOWER_I_L3);
	d->l2 = has(spec, SDPOWER_I_L2) ? i / step_of(spec, SDPOWER_I_L2) : SDPOWER_ID_NONE;
	d->cluster = d->l2;
	d->core = in_package;
	d->smt = 0;
	if (has(spec, SDPOWER_I_CORE)) {
		const uint32_t core = step_of(spec, SDPOWER_I_CORE);

		d->core = in_package / core;
		d->smt = i % core;
	}
	d->node = has(spec, SDPOWER_I_NUMA) ? i / step_of(spec, SDPOWER_I_NUMA) : 0;
	d->book = d->drawer = SDPOWER_ID_NONE;
	d->priority = d->flags = 0;
	d->capacity = SDPOWER_SCALE;
}

/* Next number of a comma list; at the end of the list the cursor stays there. */
static sdpower_status next_number(struct sdpower_i_scan *list, uint32_t *value, struct sdpower_diag *diag)
{
	const int got = sdpower_i_scan_u32(list, value);

	if (got < 0)
		return fail(list, diag, SDPOWER_ERANGE, "number too large");
	if (got == 0)
		return fail(list, diag, SDPOWER_EPARSE, "a number is missing");
	return SDPOWER_OK;
}

static sdpower_status step_over_comma(struct sdpower_i_scan *list, struct sdpower_diag *diag)
{
	if (list->at == list->end)
		return SDPOWER_OK;
	if (!sdpower_i_scan_take(list, ',') || list->at == list->end)
		return fail(list, diag, SDPOWER_EPARSE, "a comma and a number are expected");
	return SDPOWER_OK;
}

/* Puts entries in order of their os ids; heap sort, because the block has no room to spare. */
static void sift(struct sdpower_cpu_desc *cpus, uint32_t root, uint32_t count)
{
	const struct sdpower_cpu_desc moved = cpus[root];
	uint32_t child;

	while ((child = 2u * root + 1u) < count) {
		if (child + 1u < count && cpus[child].os_id < cpus[child + 1u].os_id)
			child++;
		if (cpus[child].os_id <= moved.os_id)
			break;
		cpus[root] = cpus[child];
		root = child;
	}
	cpus[root] = moved;
}

static void sort_cpus(struct sdpower_cpu_desc *cpus, uint32_t count)
{
	for (uint32_t i = count / 2u; i > 0; i--)
		sift(cpus, i - 1u, count);
	for (uint32_t i = count; i > 1u; i--) {
		const struct sdpower_cpu_desc last = cpus[i - 1u];

		cpus[i - 1u] = cpus[0];
		cpus[0] = last;
		sift(cpus, 0, i - 1u);
	}
}

static sdpower_status number_by_list(struct filling *f, struct sdpower_i_scan list)
{
	sdpower_status status;

	for (uint32_t i = 0; i < f->spec->cpus; i++) {
		if (list.at == list.end)
			return fail(&list, f->diag, SDPOWER_EPARSE, "indexes: fewer ids than cpus");
		status = next_number(&list, &f->cpus[i].os_id, f->diag);
		if (status == SDPOWER_OK)
			status = step_over_comma(&list, f->diag);
		if (status != SDPOWER_OK)
			return status;
		if (f->cpus[i].os_id == SDPOWER_ID_NONE)
			return fail(&list, f->diag, SDPOWER_ERANGE, "indexes: id too large");
	}
	if (list.at != list.end)
		return fail(&list, f->diag, SDPOWER_EPARSE, "indexes: more ids than cpus");
	sort_cpus(f->cpus, f->spec->cpus);
	for (uint32_t i = 1; i < f->spec->cpus; i++)
		if (f->cpus[i].os_id == f->cpus[i - 1u].os_id)
			return fail(&f->spec->indexes, f->diag, SDPOWER_EPARSE, "indexes: an id appears twice");
	return SDPOWER_OK;
}

/* Where the i-th cpu of the string stands until the table is sorted. */
static uint32_t place_of(const struct filling *f, uint32_t i)
{
	return f->numbering.is_list ? i : sdpower_i_numbering_of(&f->numbering, i);
}

/* Interleaving is a permutation: every cpu is written straight to its place. */
static sdpower_status fill_cpus(struct filling *f)
{
	const struct sdpower_i_synthetic *spec = f->spec;

	for (uint32_t i = 0; i < spec->cpus; i++)
		f->cpus[i].os_id = SDPOWER_ID_NONE;
	for (uint32_t i = 0; i < spec->cpus; i++) {
		const uint32_t id = place_of(f, i);

		if (id >= spec->cpus || f->cpus[id].os_id != SDPOWER_ID_NONE)
			return fail(&spec->indexes, f->diag, SDPOWER_EPARSE,
				"indexes: the loops number some cpus twice");
		f->cpus[id].os_id = id;
		describe(spec, i, &f->cpus[id]);
	}
	return SDPOWER_OK;
}

/* One item of cap=: a value, and how many cores it holds for. */
static sdpower_status next_capacity(struct filling *f, struct sdpower_i_scan *list, uint32_t *value,
	uint32_t *times)
{
	sdpower_status status;

	if (list->at == list->end)
		*list = f->spec->capacities;
	status = next_number(list, value, f->diag);
	*times = 1;
	if (status == SDPOWER_OK && sdpower_i_scan_take(list, '*'))
		status = next_number(list, times, f->diag);
	if (status == SDPOWER_OK && (*value == 0 || *value > SDPOWER_SCALE))
		return fail(list, f->diag, SDPOWER_ERANGE, "cap: capacities are 1 .. 1024");
	if (status == SDPOWER_OK && *times == 0)
		return fail(list, f->diag, SDPOWER_EPARSE, "cap: repeated 0 times");
	return status == SDPOWER_OK ? step_over_comma(list, f->diag) : status;
}

/* Reads an unused tail of cap= too: a wrong string must not pass on a small machine. */
static sdpower_status check_capacities(struct filling *f)
{
	struct sdpower_i_scan list = f->spec->capacities;
	uint32_t value, times;
	sdpower_status status;

	do {
		status = next_capacity(f, &list, &value, &times);
	} while (status == SDPOWER_OK && list.at != list.end);
	return status;
}

/* Runs before an explicit numbering sorts the table. */
static sdpower_status fill_capacities(struct filling *f)
{
	const uint32_t core = has(f->spec, SDPOWER_I_CORE) ? step_of(f->spec, SDPOWER_I_CORE) : 1u;
	struct sdpower_i_scan list = f->spec->capacities;
	uint32_t value = SDPOWER_SCALE, left = 0;
	sdpower_status status;

	if (!list.at)
		return SDPOWER_OK;
	status = check_capacities(f);
	for (uint32_t i = 0; status == SDPOWER_OK && i < f->spec->cpus; i++) {
		if (i % core == 0) {
			if (left == 0)
				status = next_capacity(f, &list, &value, &left);
			left--;
		}
		f->cpus[place_of(f, i)].capacity = value;
	}
	return status;
}

static sdpower_status read_distance(struct filling *f, struct sdpower_i_scan *list, uint16_t *to)
{
	uint32_t value = 0;
	const sdpower_status status = next_number(list, &value, f->diag);

	if (status != SDPOWER_OK)
		return status;
	if (value == 0 || value > UINT16_MAX)
		return fail(list, f->diag, SDPOWER_ERANGE, "dist: distances are 1 .. 65535");
	*to = (uint16_t)value;
	return step_over_comma(list, f->diag);
}

static uint32_t numbers_in(const struct sdpower_i_scan *list)
{
	uint32_t n = 1;

	for (const char *p = list->at; p < list->end; p++)
		n += *p == ',';
	return n;
}

static sdpower_status fill_distances(struct filling *f)
{
	struct sdpower_i_scan list = f->spec->distances;
	const uint32_t numbers = numbers_in(&list), n = f->node_count;
	sdpower_status status = SDPOWER_OK;
	uint16_t two[2] = { 0, 0 };

	if (numbers == n * n) {
		for (uint32_t i = 0; status == SDPOWER_OK && i < n * n; i++)
			status = read_distance(f, &list, &f->distances[i]);
		return status;
	}
	if (numbers != 2u)
		return fail(&list, f->diag, SDPOWER_EPARSE, "dist: neither a matrix nor local,remote");
	status = read_distance(f, &list, &two[0]);
	if (status == SDPOWER_OK)
		status = read_distance(f, &list, &two[1]);
	for (uint32_t i = 0; i < n * n; i++)
		f->distances[i] = two[i / n != i % n];
	return status;
}

static sdpower_status fill(struct filling *f)
{
	sdpower_status status = sdpower_i_numbering_parse(f->spec, &f->numbering, f->diag);

	if (status == SDPOWER_OK)
		status = fill_cpus(f);
	if (status == SDPOWER_OK)
		status = fill_capacities(f);
	if (status == SDPOWER_OK && f->numbering.is_list)
		status = number_by_list(f, f->numbering.list);
	for (uint32_t i = 0; i < f->node_count; i++)
		f->nodes[i] = i;
	if (status == SDPOWER_OK && f->distances)
		status = fill_distances(f);
	return status;
}

static void publish(const struct filling *f, struct sdpower_topology *t)
{
	t->arch = f->spec->arch;
	t->cpu_count = f->spec->cpus;
	t->cpu_stride = sizeof(struct sdpower_cpu_desc);
	t->cpus = f->cpus;
	t->node_count = f->node_count;
	t->nodes = f->node_count ? f->nodes : NULL;
	t->distances = f->distances;
	t->allowed = NULL;
	t->allowed_words = t->overlapping = t->quota_milli = 0;
	t->name = NULL;
}

sdpower_status sdpower_topology_synthetic(const char *text, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	struct sdpower_i_arena arena = { memory, size, 0 };
	struct sdpower_i_synthetic spec;
	struct filling f;
	sdpower_status status;

	if (!text || !topology || topology->struct_size < sizeof(*topology))
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "synthetic: missing text or wrong struct_size");
	status = sdpower_i_synthetic_parse(text, &spec, diag);
	if (status != SDPOWER_OK)
		return status;
	memset(&f, 0, sizeof(f));
	f.spec = &spec;
	f.diag = diag;
	f.node_count = has(&spec, SDPOWER_I_NUMA) ? spec.cpus / step_of(&spec, SDPOWER_I_NUMA) : 0;
	if (spec.distances.at && f.node_count == 0)
		return fail(&spec.distances, diag, SDPOWER_ERANGE, "dist: the machine has no nodes");
	if (f.node_count > SDPOWER_I_MAX_MATRIX_NODES)
		return sdpower_i_diag_fail(diag, SDPOWER_ERANGE, "synthetic: more than 4096 nodes");
	f.cpus = sdpower_i_arena_take(&arena, sizeof(*f.cpus) * spec.cpus);
	f.nodes = sdpower_i_arena_take(&arena, sizeof(*f.nodes) * f.node_count);
	if (spec.distances.at)
		f.distances = sdpower_i_arena_take(&arena, sizeof(*f.distances) * f.node_count * f.node_count);
	topology->memory_needed = arena.used;
	if (!memory || arena.used > size)
		return sdpower_i_diag_fail(diag, SDPOWER_ENOSPC, "synthetic: memory too small");
	status = fill(&f);
	if (status != SDPOWER_OK)
		return status;
	publish(&f, topology);
	sdpower_i_diag_start(diag, SDPOWER_OK);
	return SDPOWER_OK;
}
