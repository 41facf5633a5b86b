/* SPDX-License-Identifier: MIT */
/* The columns of a saved table; sdpower_topology_write in <sdpower/topology.h> describes them. */
#ifndef SDPOWER_I_TOPO_COLUMNS_H
#define SDPOWER_I_TOPO_COLUMNS_H

#include <sdpower/topology.h>
#include "topo_index.h"

#define SDPOWER_I_COLUMN_DIR "sdpower/"
#define SDPOWER_I_COLUMN_VERSION 1u

/* A column of the table of cpus. */
struct sdpower_i_column {
	char name[12];
	size_t offset;  /* in struct sdpower_cpu_desc */
	uint32_t usual; /* value that is not written */
};

#define SDPOWER_I_COLUMNS 14u
/* Number i in 0 .. SDPOWER_I_COLUMNS - 1; the os ids come first. */
const struct sdpower_i_column *sdpower_i_column(uint32_t i);

static inline uint32_t *sdpower_i_column_of(struct sdpower_cpu_desc *cpu,
	const struct sdpower_i_column *column)
{
	return (uint32_t *)(void *)((unsigned char *)cpu + column->offset);
}

/* Whether an indexed text holds a saved table. */
int sdpower_i_columns_are_there(struct sdpower_i_topo_index *index);

/* Reads it into memory; as sdpower_topology_text. */
sdpower_status sdpower_i_columns_read(struct sdpower_i_topo_index *index, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag);

#endif
