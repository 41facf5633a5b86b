/* SPDX-License-Identifier: MIT */
/*
 * NUMA nodes and their distances (rules T8 and T9). A cpu that several nodes name stays in the first; a cpu
 * that none names goes to the lowest node, as a kernel puts it.
 */
#include <string.h>
#include "bits.h"
#include "linux.h"
#include "table.h"

#define LOCAL 10u
#define REMOTE 20u

/* Node ids missing in a row before the search ends; holes of 27 are known (48-cpu Opteron). */
#define MAX_HOLE 64u

static void node_path(struct sdpower_i_linux *l, uint32_t node, const char *file)
{
	sdpower_i_linux_path(l, SDPOWER_I_NODE_DIR "node");
	sdpower_i_linux_append_u32(l, node);
	sdpower_i_linux_append(l, "/");
	sdpower_i_linux_append(l, file);
}

/* The set of cpus of a node; *there = 0 for a node without a directory. */
static sdpower_status read_cpus(struct sdpower_i_linux *l, uint32_t node, uint32_t *mask, int *there)
{
	struct sdpower_i_ids ids;
	sdpower_status status;

	node_path(l, node, "cpulist");
	status = sdpower_i_linux_set(l, 1, mask, &ids);
	if (status == SDPOWER_ENOENT) {
		node_path(l, node, "cpumap");
		status = sdpower_i_linux_set(l, 0, mask, &ids);
	}
	*there = status == SDPOWER_OK;
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

/* Fills the mask of nodes from the list of nodes that are online, or by looking for them. */
static sdpower_status look_for_nodes(struct sdpower_i_linux *l, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids)
{
	for (uint32_t node = 0, end = MAX_HOLE; node < end && node <= SDPOWER_I_MAX_ID; node++) {
		int there = 0;
		const sdpower_status status = read_cpus(l, node, NULL, &there);

		if (status != SDPOWER_OK)
			return status;
		if (!there)
			continue;
		ids->count++;
		ids->highest = node;
		end = node + 1u + MAX_HOLE;
		if (node / 32u < words)
			mask[node / 32u] |= 1u << (node % 32u);
	}
	return SDPOWER_OK;
}

static sdpower_status list_nodes(struct sdpower_i_linux *l, uint32_t *mask, uint32_t words,
	struct sdpower_i_ids *ids)
{
	struct sdpower_i_scan list;
	const char *why = "";
	sdpower_status status;

	sdpower_i_linux_path(l, SDPOWER_I_NODE_DIR "online");
	status = sdpower_i_linux_read(l, &list);
	if (status == SDPOWER_OK) {
		status = sdpower_i_cpulist(&list, mask, words, ids, &why);
		return status == SDPOWER_OK ? status : sdpower_i_linux_fail(l, status, &list, why);
	}
	ids->count = 0;
	ids->highest = SDPOWER_ID_NONE;
	return status == SDPOWER_ENOENT ? look_for_nodes(l, mask, words, ids) : status;
}

sdpower_status sdpower_i_linux_survey_nodes(struct sdpower_i_linux *l)
{
	struct sdpower_i_ids ids;
	const sdpower_status status = list_nodes(l, NULL, 0, &ids);

	l->node_words = l->node_bound = 0;
	if (status != SDPOWER_OK || ids.highest == SDPOWER_ID_NONE)
		return status;
	l->node_words = ids.highest / 32u + 1u;
	l->node_bound = ids.count <= ids.highest ? ids.count : ids.highest + 1u;
	if (l->node_bound > SDPOWER_I_MAX_MATRIX_NODES)
		return sdpower_i_linux_fail(l, SDPOWER_ERANGE, NULL, "more than 4096 nodes");
	return SDPOWER_OK;
}

static void put_cpus(struct sdpower_i_linux *l, uint32_t node, uint32_t *left)
{
	for (uint32_t i = 0; i < l->cpu_count; i++) {
		const uint32_t id = l->cpus[i].os_id;

		if (!sdpower_i_linux_has(l->mask, id) || !sdpower_i_linux_has(left, id))
			continue;
		l->cpus[i].node = node;
		left[id / 32u] &= ~(1u << (id % 32u));
	}
}

static void put_others(struct sdpower_i_linux *l, const uint32_t *left)
{
	for (uint32_t i = 0; i < l->cpu_count; i++)
		if (sdpower_i_linux_has(left, l->cpus[i].os_id))
			l->cpus[i].node = l->nodes[0];
}

static sdpower_status find_nodes(struct sdpower_i_linux *l)
{
	const uint32_t words = l->node_words;
	struct sdpower_i_ids ids;
	uint32_t *left = l->other;
	sdpower_status status;

	l->node_count = 0;
	if (words == 0)
		return SDPOWER_OK;
	memset(l->node_mask, 0, sizeof(*l->node_mask) * words);
	status = list_nodes(l, l->node_mask, words, &ids);
	memcpy(left, l->possible, sizeof(*left) * l->words);
	for (uint32_t node = sdpower_i_bits_next(l->node_mask, words, 0);
			status == SDPOWER_OK && node != SDPOWER_ID_NONE;
			node = sdpower_i_bits_next(l->node_mask, words, node + 1u)) {
		int there = 0;

		status = read_cpus(l, node, l->mask, &there);
		if (status != SDPOWER_OK || !there || l->node_count == l->node_bound)
			continue;
		l->nodes[l->node_count++] = node;
		put_cpus(l, node, left);
	}
	if (status == SDPOWER_OK && l->node_count)
		put_others(l, left);
	return status;
}

static void default_row(struct sdpower_i_linux *l, uint32_t row)
{
	for (uint32_t i = 0; i < l->node_count; i++)
		l->distances[row * l->node_count + i] = i == row ? LOCAL : REMOTE;
}

/* Columns follow the nodes that exist, in ascending order. */
static sdpower_status read_row(struct sdpower_i_linux *l, uint32_t row)
{
	struct sdpower_i_scan content;
	sdpower_status status;

	default_row(l, row);
	node_path(l, l->nodes[row], "distance");
	status = sdpower_i_linux_read(l, &content);
	if (status != SDPOWER_OK || content.at == content.end)
		return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
	l->has_distances = 1;
	for (uint32_t i = 0; i < l->node_count; i++) {
		uint32_t value = 0;

		if (sdpower_i_scan_u32(&content, &value) != 1)
			return sdpower_i_linux_fail(l, SDPOWER_EPARSE, &content, "fewer distances than nodes");
		if (value > UINT16_MAX)
			return sdpower_i_linux_fail(l, SDPOWER_ERANGE, &content, "distance too large");
		l->distances[row * l->node_count + i] = (uint16_t)value;
		sdpower_i_scan_blanks(&content);
	}
	if (content.at != content.end)
		return sdpower_i_linux_fail(l, SDPOWER_EPARSE, &content, "more distances than nodes");
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_nodes(struct sdpower_i_linux *l)
{
	sdpower_status status = find_nodes(l);

	for (uint32_t row = 0; status == SDPOWER_OK && row < l->node_count; row++)
		status = read_row(l, row);
	return status;
}
