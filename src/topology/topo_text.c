/* SPDX-License-Identifier: MIT */
/* A packed text is a file system in one file: it is indexed, then loaded like any Linux. */
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "linux.h"
#include "topo_columns.h"
#include "topo_index.h"

static void place(struct sdpower_i_topo_index *x, struct sdpower_i_arena *a)
{
	x->lines = sdpower_i_arena_take(a, sizeof(*x->lines) * x->line_count);
	x->runs = sdpower_i_arena_take(a, sizeof(*x->runs) * x->run_count);
	x->heads = sdpower_i_arena_take(a, sizeof(*x->heads) * x->head_count);
}

/* What the loader will probably take; it says so itself when that is too little. */
static size_t estimate(const struct sdpower_i_topo_index *x)
{
	const uint32_t cpus = x->highest_cpu == SDPOWER_ID_NONE ? 64u : x->highest_cpu + 1u;
	const uint32_t nodes = x->highest_node == SDPOWER_ID_NONE ? 0 : x->highest_node + 1u;

	return sdpower_i_linux_memory(cpus, nodes / 32u + 1u, nodes < 64u ? nodes : 64u);
}

static void name_line(const struct sdpower_i_topo_index *x, uint32_t offset, struct sdpower_diag *diag)
{
	if (diag)
		diag->line = sdpower_i_topo_line_number(x, offset);
}

static sdpower_status load(struct sdpower_i_topo_index *x, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	struct sdpower_linux_source source;
	sdpower_status status;

	memset(&source, 0, sizeof(source));
	source.struct_size = sizeof(source);
	source.arch = SDPOWER_ID_NONE;
	source.read = sdpower_i_topo_read;
	source.context = x;
	source.flags = SDPOWER_LINUX_EVERY_FILE;
	status = sdpower_topology_linux(&source, memory, size, topology, diag);
	if (x->bad != SDPOWER_ID_NONE) {
		status = sdpower_i_diag_fail(diag, SDPOWER_EPARSE, "text: unknown escape, not \\n, \\t or \\\\");
		name_line(x, x->bad, diag);
	} else if ((status == SDPOWER_EPARSE || status == SDPOWER_ERANGE) && x->last_run != SDPOWER_ID_NONE) {
		name_line(x, x->lines[x->last_line], diag);
	}
	return status;
}

sdpower_status sdpower_topology_text(const char *text, size_t length, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	struct sdpower_i_arena arena = { memory, size, 0 };
	struct sdpower_i_topo_index x;
	sdpower_status status;

	if ((!text && length) || !topology || topology->struct_size < sizeof(*topology))
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "text: missing, or wrong struct_size");
	if (length >= UINT32_MAX)
		return sdpower_i_diag_fail(diag, SDPOWER_ERANGE, "text: 4 GiB or more");
	memset(&x, 0, sizeof(x));
	x.text = text;
	x.length = (uint32_t)length;
	if (sdpower_i_topo_count(&x) != SDPOWER_OK) {
		status = sdpower_i_diag_fail(diag, SDPOWER_EPARSE, "text: a line is not path<TAB>content");
		name_line(&x, x.bad, diag);
		return status;
	}
	place(&x, &arena);
	topology->memory_needed = arena.used + estimate(&x);
	if (!memory || topology->memory_needed > size)
		return sdpower_i_diag_fail(diag, SDPOWER_ENOSPC, "text: memory too small");
	sdpower_i_topo_fill(&x);
	if (sdpower_i_columns_are_there(&x))
		status = sdpower_i_columns_read(&x, arena.base + arena.used, size - arena.used, topology, diag);
	else
		status = load(&x, arena.base + arena.used, size - arena.used, topology, diag);
	topology->memory_needed += arena.used;
	return status;
}
