/* SPDX-License-Identifier: MIT */
/* Checks a machine given as a table. */
#include "diag.h"
#include "table.h"

#define KNOWN_FLAGS ((uint32_t)SDPOWER_CPU_OFFLINE | (uint32_t)SDPOWER_CPU_VIRTUAL)

uint32_t sdpower_i_table_node_index(const struct sdpower_topology *topology, uint32_t node)
{
	uint32_t low = 0, high = topology->node_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2u;

		if (topology->nodes[middle] < node)
			low = middle + 1u;
		else
			high = middle;
	}
	if (low < topology->node_count && topology->nodes[low] == node)
		return low;
	return SDPOWER_ID_NONE;
}

static sdpower_status check_head(const struct sdpower_topology *t, struct sdpower_diag *diag)
{
	if (!t || t->struct_size < sizeof(*t))
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "topology: wrong struct_size");
	if (!t->cpus)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "topology: cpus is missing");
	if (t->cpu_stride < sizeof(struct sdpower_cpu_desc) || t->cpu_stride % sizeof(uint32_t))
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "topology: wrong cpu_stride");
	if (t->arch > SDPOWER_ARCH_RISCV)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "topology: unknown arch");
	if (t->node_count && !t->nodes)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "topology: nodes is missing");
	if (t->cpu_count > SDPOWER_MAX_CPUS)
		return sdpower_i_diag_fail(diag, SDPOWER_ERANGE, "topology: too many cpus");
	if (t->node_count > SDPOWER_I_MAX_MATRIX_NODES)
		return sdpower_i_diag_fail(diag, SDPOWER_ERANGE, "topology: too many nodes");
	if (t->cpu_count == 0)
		return sdpower_i_diag_fail(diag, SDPOWER_EMPTY, "topology: no cpus");
	return SDPOWER_OK;
}

static sdpower_status fail_cpu(struct sdpower_diag *diag, sdpower_status status, uint32_t os_id,
	const char *text)
{
	sdpower_i_diag_start(diag, status);
	sdpower_i_diag_str(diag, "cpu ");
	sdpower_i_diag_u32(diag, os_id);
	sdpower_i_diag_str(diag, text);
	return status;
}

static sdpower_status check_cpu(const struct sdpower_topology *t, sdpower_cpu cpu,
	struct sdpower_diag *diag)
{
	const struct sdpower_cpu_desc *d = sdpower_i_table_cpu(t, cpu);

	if (cpu > 0 && sdpower_i_table_cpu(t, cpu - 1u)->os_id >= d->os_id)
		return fail_cpu(diag, SDPOWER_EINVAL, d->os_id, ": os ids must ascend");
	if (d->flags & ~KNOWN_FLAGS)
		return fail_cpu(diag, SDPOWER_EINVAL, d->os_id, ": unknown flags");
	if (d->capacity > SDPOWER_SCALE)
		return fail_cpu(diag, SDPOWER_ERANGE, d->os_id, ": capacity above 1024");
	if (t->node_count && !(d->flags & SDPOWER_CPU_OFFLINE) &&
			sdpower_i_table_node_index(t, d->node) == SDPOWER_ID_NONE)
		return fail_cpu(diag, SDPOWER_ERANGE, d->os_id, ": its node is not listed");
	return SDPOWER_OK;
}

static sdpower_status check_nodes(const struct sdpower_topology *t, struct sdpower_diag *diag)
{
	for (uint32_t i = 1; i < t->node_count; i++)
		if (t->nodes[i - 1u] >= t->nodes[i])
			return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "topology: node ids must ascend");
	return SDPOWER_OK;
}

sdpower_status sdpower_topology_check(const struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	sdpower_status status = check_head(topology, diag);
	uint32_t usable = 0;

	if (status == SDPOWER_OK)
		status = check_nodes(topology, diag);
	if (status != SDPOWER_OK)
		return status;
	for (sdpower_cpu cpu = 0; cpu < topology->cpu_count; cpu++) {
		status = check_cpu(topology, cpu, diag);
		if (status != SDPOWER_OK)
			return status;
		usable += (uint32_t)sdpower_i_table_usable(topology, cpu);
	}
	if (!usable)
		return sdpower_i_diag_fail(diag, SDPOWER_EMPTY, "topology: no cpu is online and allowed");
	sdpower_i_diag_start(diag, SDPOWER_OK);
	return SDPOWER_OK;
}
