/* SPDX-License-Identifier: MIT */
/* A packed text is a file system in one file: it is indexed, then loaded like any Linux. */
#include <string.h>
#include "diag.h"
#include "linux.h"
#include "topo_columns.h"
#include "topo_index.h"

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

static sdpower_status read_index(struct sdpower_i_topo_index *x, unsigned char *rest, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	sdpower_status status;

	if (sdpower_i_columns_are_there(x))
		status = sdpower_i_columns_read(x, rest, size, topology, diag);
	else
		status = load(x, rest, size, topology, diag);
	topology->memory_needed += sdpower_i_topo_memory(x);
	return status;
}

sdpower_status sdpower_topology_text(const char *text, size_t length, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	struct sdpower_i_topo_index x;
	unsigned char *rest;
	size_t rest_size;
	sdpower_status status;

	if ((!text && length) || !topology || topology->struct_size < sizeof(*topology))
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "text: missing, or wrong struct_size");
	if (length >= UINT32_MAX)
		return sdpower_i_diag_fail(diag, SDPOWER_ERANGE, "text: 4 GiB or more");
	memset(&x, 0, sizeof(x));
	x.text = text;
	x.length = (uint32_t)length;
	status = sdpower_i_topo_index(&x, memory, size, &rest, &rest_size);
	if (status == SDPOWER_EPARSE) {
		sdpower_i_diag_fail(diag, status, "text: a line is not path<TAB>content");
		name_line(&x, x.bad, diag);
		return status;
	}
	if (status == SDPOWER_OK)
		return read_index(&x, rest, rest_size, topology, diag);
	topology->memory_needed = sdpower_i_topo_memory(&x) + estimate(&x);
	return sdpower_i_diag_fail(diag, SDPOWER_ENOSPC, "text: memory too small");
}
