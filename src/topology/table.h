/* SPDX-License-Identifier: MIT */
/* Access to a table through its stride. */
#ifndef SDPOWER_I_TABLE_H
#define SDPOWER_I_TABLE_H

#include <sdpower/topology.h>
#include "bits.h"

/* A distance matrix of more nodes would only come from a broken file or a typing error; kernels
 * stop at 1024. Its square fits 32-bit sizes. */
#define SDPOWER_I_MAX_MATRIX_NODES 4096u

/* Entry of a cpu; the stride may be larger than our own struct when the caller is newer. */
static inline const struct sdpower_cpu_desc *sdpower_i_table_cpu(const struct sdpower_topology *topology,
	sdpower_cpu cpu)
{
	return (const struct sdpower_cpu_desc *)(const void *)
		((const unsigned char *)topology->cpus + (size_t)topology->cpu_stride * cpu);
}

/* Online, and allowed where the table says who is. */
static inline int sdpower_i_table_usable(const struct sdpower_topology *topology, sdpower_cpu cpu)
{
	if (sdpower_i_table_cpu(topology, cpu)->flags & SDPOWER_CPU_OFFLINE)
		return 0;
	return !topology->allowed || sdpower_i_bits_has(topology->allowed, topology->allowed_words, cpu);
}

/* Position of a node id in topology->nodes, or SDPOWER_ID_NONE. */
uint32_t sdpower_i_table_node_index(const struct sdpower_topology *topology, uint32_t node);

#endif
