/* SPDX-License-Identifier: MIT */
/* Reads a saved table back, column by column, straight from the text. */
#include <string.h>
#include "arch.h"
#include "arena.h"
#include "diag.h"
#include "scan.h"
#include "table.h"
#include "topo_columns.h"

#define COLUMN(field, usual) { #field, offsetof(struct sdpower_cpu_desc, field), usual }

const struct sdpower_i_column *sdpower_i_column(uint32_t i)
{
	static const struct sdpower_i_column columns[SDPOWER_I_COLUMNS] = {
		COLUMN(os_id, SDPOWER_ID_NONE),
		COLUMN(core, SDPOWER_ID_NONE),
		COLUMN(smt, 0),
		COLUMN(l2, SDPOWER_ID_NONE),
		COLUMN(cluster, SDPOWER_ID_NONE),
		COLUMN(llc, SDPOWER_ID_NONE),
		COLUMN(die, SDPOWER_ID_NONE),
		COLUMN(package, SDPOWER_ID_NONE),
		COLUMN(book, SDPOWER_ID_NONE),
		COLUMN(drawer, SDPOWER_ID_NONE),
		COLUMN(node, 0),
		COLUMN(capacity, SDPOWER_SCALE),
		COLUMN(priority, 0),
		COLUMN(flags, 0),
	};

	return &columns[i];
}

/* A reader of one load. */
struct reading {
	struct sdpower_i_topo_index *index;
	struct sdpower_diag *diag;
};

/* A run of values, as written. */
struct values {
	uint32_t first;
	uint32_t count;
	uint32_t step; /* 1 = counting up */
};

static struct sdpower_i_scan find(const struct reading *r, const char *name)
{
	char path[32] = SDPOWER_I_COLUMN_DIR;
	size_t n = sizeof(SDPOWER_I_COLUMN_DIR) - 1u;

	while (*name && n + 1u < sizeof(path))
		path[n++] = *name++;
	path[n] = '\0';
	return sdpower_i_topo_line(r->index, path);
}

static sdpower_status fail(const struct reading *r, const struct sdpower_i_scan *at, const char *text)
{
	sdpower_i_diag_fail_at(r->diag, SDPOWER_EPARSE, sdpower_i_scan_column(at), text);
	if (r->diag)
		r->diag->line = sdpower_i_topo_line_number(r->index, (uint32_t)(at->begin - r->index->text));
	return SDPOWER_EPARSE;
}

/* The next run of a column: 1, 0 at its end, or a negative status. */
static sdpower_status next_values(const struct reading *r, struct sdpower_i_scan *column, struct values *v)
{
	sdpower_i_scan_blanks(column);
	if (column->at == column->end)
		return 0;
	v->count = 1;
	v->step = 0;
	v->first = SDPOWER_ID_NONE;
	if (!sdpower_i_scan_take(column, '-') && sdpower_i_scan_u32(column, &v->first) != 1)
		return fail(r, column, "saved table: not a value");
	if (sdpower_i_scan_peek(column) == '*' || sdpower_i_scan_peek(column) == '+') {
		v->step = *column->at++ == '+';
		if (sdpower_i_scan_u32(column, &v->count) != 1 || v->count == 0)
			return fail(r, column, "saved table: not a count");
		if (v->step && v->count - 1u > SDPOWER_ID_NONE - v->first)
			return fail(r, column, "saved table: counts beyond 32 bits");
	}
	if (column->at != column->end && *column->at != ' ')
		return fail(r, column, "saved table: not a value");
	return 1;
}

/* How many values a column has. */
static sdpower_status count_values(const struct reading *r, struct sdpower_i_scan column, uint32_t most,
	uint32_t *count)
{
	struct values v;
	sdpower_status status;

	*count = 0;
	while ((status = next_values(r, &column, &v)) > 0) {
		if (v.count > most - *count)
			return fail(r, &column, "saved table: too many values");
		*count += v.count;
	}
	return status;
}

/* Puts the values of a column one stride apart; it must have exactly the wanted number. */
static sdpower_status fill_values(const struct reading *r, struct sdpower_i_scan column, uint32_t wanted,
	void *to, size_t stride)
{
	unsigned char *at = to;
	struct values v;
	uint32_t done = 0;
	sdpower_status status;

	while ((status = next_values(r, &column, &v)) > 0) {
		if (v.count > wanted - done)
			return fail(r, &column, "saved table: too many values");
		for (uint32_t i = 0; i < v.count; i++, at += stride) {
			const uint32_t value = v.first + (v.step ? i : 0);

			memcpy(at, &value, sizeof(value));
		}
		done += v.count;
	}
	if (status == 0 && done < wanted)
		return fail(r, &column, "saved table: too few values");
	return status;
}

static sdpower_status read_cpus(const struct reading *r, struct sdpower_cpu_desc *cpus, uint32_t count)
{
	for (uint32_t c = 0; c < SDPOWER_I_COLUMNS; c++) {
		const struct sdpower_i_column *column = sdpower_i_column(c);
		const struct sdpower_i_scan text = find(r, column->name);
		sdpower_status status;

		for (uint32_t i = 0; !text.at && i < count; i++)
			*sdpower_i_column_of(&cpus[i], column) = column->usual;
		if (!text.at)
			continue;
		status = fill_values(r, text, count, sdpower_i_column_of(cpus, column), sizeof(*cpus));
		if (status != SDPOWER_OK)
			return status;
	}
	return SDPOWER_OK;
}

/* Distances are 16 bits wide in the table, and written like all numbers. */
static sdpower_status read_distances(const struct reading *r, struct sdpower_i_scan column,
	uint16_t *distances, uint32_t count)
{
	struct values v;
	uint32_t done = 0;
	sdpower_status status;

	while ((status = next_values(r, &column, &v)) > 0) {
		if (v.count > count - done || v.first > UINT16_MAX || v.step)
			return fail(r, &column, "saved table: wrong distances");
		for (uint32_t i = 0; i < v.count; i++)
			distances[done++] = (uint16_t)v.first;
	}
	if (status == 0 && done < count)
		return fail(r, &column, "saved table: too few distances");
	return status;
}

static sdpower_status read_one(const struct reading *r, const char *name, uint32_t *value)
{
	const struct sdpower_i_scan text = find(r, name);

	return text.at ? fill_values(r, text, 1, value, sizeof(*value)) : SDPOWER_OK;
}

/* Parts of a table in the making. */
struct parts {
	struct sdpower_cpu_desc *cpus;
	uint32_t *nodes;
	uint16_t *distances;
	uint32_t *allowed;
	char *name;
	uint32_t cpu_count, node_count, allowed_words, name_length;
};

static sdpower_status count_parts(const struct reading *r, struct parts *p)
{
	const struct sdpower_i_scan name = find(r, "name");
	sdpower_status status = count_values(r, find(r, "os_id"), SDPOWER_MAX_CPUS, &p->cpu_count);

	if (status == SDPOWER_OK)
		status = count_values(r, find(r, "nodes"), SDPOWER_MAX_CPUS, &p->node_count);
	if (status == SDPOWER_OK)
		status = count_values(r, find(r, "allowed"), SDPOWER_MAX_CPUS / 32u + 1u, &p->allowed_words);
	p->name_length = name.at ? (uint32_t)(name.end - name.at) : 0;
	return status;
}

static void place(const struct reading *r, struct parts *p, struct sdpower_i_arena *a)
{
	const size_t nodes = p->node_count;

	p->cpus = sdpower_i_arena_take(a, sizeof(*p->cpus) * p->cpu_count);
	p->nodes = sdpower_i_arena_take(a, sizeof(*p->nodes) * nodes);
	if (find(r, "distances").at)
		p->distances = sdpower_i_arena_take(a, sizeof(*p->distances) * nodes * nodes);
	p->allowed = sdpower_i_arena_take(a, sizeof(*p->allowed) * p->allowed_words);
	p->name = sdpower_i_arena_take(a, (size_t)p->name_length + 1u);
}

static sdpower_status read_parts(const struct reading *r, struct parts *p)
{
	const struct sdpower_i_scan distances = find(r, "distances"), name = find(r, "name");
	sdpower_status status = read_cpus(r, p->cpus, p->cpu_count);

	if (status == SDPOWER_OK && p->node_count)
		status = fill_values(r, find(r, "nodes"), p->node_count, p->nodes, sizeof(*p->nodes));
	if (status == SDPOWER_OK && distances.at)
		status = read_distances(r, distances, p->distances, p->node_count * p->node_count);
	if (status == SDPOWER_OK && p->allowed_words)
		status = fill_values(r, find(r, "allowed"), p->allowed_words, p->allowed, sizeof(*p->allowed));
	if (p->name_length)
		memcpy(p->name, name.at, p->name_length);
	p->name[p->name_length] = '\0';
	return status;
}

static sdpower_status publish(const struct reading *r, const struct parts *p, struct sdpower_topology *t)
{
	const struct sdpower_i_scan arch = find(r, "arch");
	sdpower_status status;

	t->arch = arch.at ? sdpower_i_arch_of(arch.at, (size_t)(arch.end - arch.at)) : SDPOWER_ARCH_X86_64;
	if (t->arch == SDPOWER_ID_NONE)
		return fail(r, &arch, "saved table: unknown arch");
	t->cpu_count = p->cpu_count;
	t->cpu_stride = sizeof(*p->cpus);
	t->cpus = p->cpus;
	t->node_count = p->node_count;
	t->nodes = p->node_count ? p->nodes : NULL;
	t->distances = p->distances;
	t->allowed = p->allowed_words ? p->allowed : NULL;
	t->allowed_words = p->allowed_words;
	t->name = p->name_length ? p->name : NULL;
	t->overlapping = t->quota_milli = 0;
	status = read_one(r, "overlapping", &t->overlapping);
	return status == SDPOWER_OK ? read_one(r, "quota_milli", &t->quota_milli) : status;
}

int sdpower_i_columns_are_there(struct sdpower_i_topo_index *index)
{
	return sdpower_i_topo_line(index, SDPOWER_I_COLUMN_DIR "version").at != NULL;
}

sdpower_status sdpower_i_columns_read(struct sdpower_i_topo_index *index, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	struct sdpower_i_arena arena = { memory, size, 0 };
	const struct reading r = { index, diag };
	struct parts p;
	uint32_t version = 0;
	sdpower_status status = read_one(&r, "version", &version);

	if (status != SDPOWER_OK)
		return status;
	if (version != SDPOWER_I_COLUMN_VERSION)
		return sdpower_i_diag_fail(diag, SDPOWER_ENOSYS, "saved table: written by a newer version");
	memset(&p, 0, sizeof(p));
	status = count_parts(&r, &p);
	if (status != SDPOWER_OK)
		return status;
	if (p.node_count > SDPOWER_I_MAX_MATRIX_NODES)
		return sdpower_i_diag_fail(diag, SDPOWER_ERANGE, "saved table: more than 4096 nodes");
	place(&r, &p, &arena);
	topology->memory_needed = arena.used;
	if (arena.used > size)
		return sdpower_i_diag_fail(diag, SDPOWER_ENOSPC, "saved table: memory too small");
	status = read_parts(&r, &p);
	if (status == SDPOWER_OK)
		status = publish(&r, &p, topology);
	return status == SDPOWER_OK ? sdpower_topology_check(topology, diag) : status;
}
