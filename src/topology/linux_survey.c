/* SPDX-License-Identifier: MIT */
/*
 * Finds out which cpus there are and which run (rule T1). The callback cannot list a directory, so kernels
 * that write no lists are asked cpu by cpu, until a long run of ids is missing.
 */
#include <string.h>
#include "diag.h"
#include "linux.h"

/* Ids missing in a row before the search ends. */
#define MAX_HOLE 64u

/* Any of these means that a cpu has a topology directory, hence runs. */
static const char *const topology_files[] = {
	"topology/thread_siblings_list", "topology/thread_siblings", "topology/core_id",
	"topology/physical_package_id", "topology/core_cpus_list", "topology/core_cpus", NULL
};

static sdpower_status exists(struct sdpower_i_linux *l, int *there)
{
	struct sdpower_i_scan content;
	const sdpower_status status = sdpower_i_linux_read(l, &content);

	*there = status == SDPOWER_OK;
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

static sdpower_status cpu_runs(struct sdpower_i_linux *l, uint32_t cpu, int *runs)
{
	uint32_t online = SDPOWER_ID_NONE;
	sdpower_status status;

	*runs = 0;
	sdpower_i_linux_cpu_path(l, cpu, "online");
	status = sdpower_i_linux_number(l, &online);
	if (status == SDPOWER_OK && online == 0)
		return SDPOWER_OK;
	if (status == SDPOWER_ENOENT)
		status = SDPOWER_OK;
	for (uint32_t i = 0; status == SDPOWER_OK && !*runs && topology_files[i]; i++) {
		sdpower_i_linux_cpu_path(l, cpu, topology_files[i]);
		status = exists(l, runs);
	}
	return status;
}

/* A cpu directory that holds at least a state: it is there, though it may not run. */
static sdpower_status cpu_is_there(struct sdpower_i_linux *l, uint32_t cpu, int *there)
{
	sdpower_status status = cpu_runs(l, cpu, there);

	if (status != SDPOWER_OK || *there)
		return status;
	sdpower_i_linux_cpu_path(l, cpu, "online");
	status = exists(l, there);
	if (status != SDPOWER_OK || *there)
		return status;
	sdpower_i_linux_cpu_path(l, cpu, "");
	return exists(l, there);
}

/* Lists that name cpus, in the order in which they are believed. */
static const char *const cpu_lists[] = { "possible", "present", "online" };

static sdpower_status widen(struct sdpower_i_linux *l, const char *name, int *known)
{
	struct sdpower_i_ids ids;
	sdpower_status status;

	sdpower_i_linux_path(l, SDPOWER_I_CPU_DIR);
	sdpower_i_linux_append(l, name);
	status = sdpower_i_linux_set(l, 1, NULL, &ids);
	if (status == SDPOWER_ENOENT)
		return SDPOWER_OK;
	if (status == SDPOWER_OK && ids.highest != SDPOWER_ID_NONE) {
		*known = 1;
		if (ids.highest >= l->ids)
			l->ids = ids.highest + 1u;
	}
	return status;
}

static sdpower_status search_cpus(struct sdpower_i_linux *l)
{
	uint32_t hole = 0;

	for (uint32_t cpu = 0; cpu <= SDPOWER_I_MAX_ID && hole < MAX_HOLE; cpu++) {
		int there = 0;
		const sdpower_status status = cpu_is_there(l, cpu, &there);

		if (status != SDPOWER_OK)
			return status;
		hole = there ? 0 : hole + 1u;
		if (there)
			l->ids = cpu + 1u;
	}
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_survey(struct sdpower_i_linux *l)
{
	int known = 0;
	sdpower_status status = SDPOWER_OK;

	l->ids = 0;
	for (uint32_t i = 0; status == SDPOWER_OK && i < 3u; i++)
		status = widen(l, cpu_lists[i], &known);
	if (status == SDPOWER_OK && !known)
		status = search_cpus(l);
	if (status != SDPOWER_OK)
		return status;
	if (l->ids == 0)
		return sdpower_i_diag_fail(l->diag, SDPOWER_EMPTY, SDPOWER_I_CPU_DIR ": no cpus");
	l->words = (l->ids + 31u) / 32u;
	return sdpower_i_linux_survey_nodes(l);
}

static sdpower_status read_cpu_list(struct sdpower_i_linux *l, const char *name, uint32_t *mask, int *known)
{
	struct sdpower_i_ids ids;
	sdpower_status status;

	sdpower_i_linux_path(l, SDPOWER_I_CPU_DIR);
	sdpower_i_linux_append(l, name);
	memset(mask, 0, sizeof(*mask) * l->words);
	status = sdpower_i_linux_set(l, 1, mask, &ids);
	*known = status == SDPOWER_OK && ids.highest != SDPOWER_ID_NONE;
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

/* Without lists every directory counts; without an online list every cpu is asked. */
static sdpower_status ask_each_cpu(struct sdpower_i_linux *l, int lists_known)
{
	for (uint32_t cpu = 0; cpu < l->ids; cpu++) {
		const uint32_t bit = 1u << (cpu % 32u);
		int there = 0;
		sdpower_status status = cpu_runs(l, cpu, &there);

		if (status != SDPOWER_OK)
			return status;
		if (there)
			l->online[cpu / 32u] |= bit;
		if (!lists_known && !there)
			status = cpu_is_there(l, cpu, &there);
		if (status != SDPOWER_OK)
			return status;
		if (there)
			l->possible[cpu / 32u] |= bit;
	}
	return SDPOWER_OK;
}

static void describe_cpus(struct sdpower_i_linux *l)
{
	l->cpu_count = 0;
	for (uint32_t id = 0; id < l->ids; id++) {
		struct sdpower_cpu_desc *d = &l->cpus[l->cpu_count];

		if (!sdpower_i_linux_has(l->possible, id))
			continue;
		memset(d, 0xff, sizeof(*d));
		d->os_id = id;
		d->smt = d->priority = d->node = 0;
		d->capacity = SDPOWER_SCALE;
		d->flags = 0;
		l->cpu_count++;
	}
}

sdpower_status sdpower_i_linux_find_cpus(struct sdpower_i_linux *l)
{
	int possible = 0, present = 0, online = 0;
	sdpower_status status = read_cpu_list(l, "possible", l->possible, &possible);

	if (status == SDPOWER_OK && !possible)
		status = read_cpu_list(l, "present", l->possible, &present);
	if (status == SDPOWER_OK)
		status = read_cpu_list(l, "online", l->online, &online);
	if (status == SDPOWER_OK && !online)
		status = ask_each_cpu(l, possible || present);
	if (status != SDPOWER_OK)
		return status;
	for (uint32_t w = 0; w < l->words; w++)
		l->possible[w] |= l->online[w];
	describe_cpus(l);
	if (l->cpu_count > SDPOWER_MAX_CPUS)
		return sdpower_i_diag_fail(l->diag, SDPOWER_ERANGE, SDPOWER_I_CPU_DIR ": more than 65534 cpus");
	return SDPOWER_OK;
}
