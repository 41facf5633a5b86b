/* SPDX-License-Identifier: MIT */
/*
 * What control groups limit: the set of cpus of the nearest group that has one, and the
 * smallest quota of all groups from ours up to the mount point, because a limit on a parent
 * holds for its children (golang#81180; rule T11).
 */
#include <string.h>
#include "bits.h"
#include "linux.h"

/* The quota is kept in 1/1000 of a cpu. */
#define MILLI 1000u

/* Cuts the last component of a directory; 0 at the mount point. */
static int go_up(const struct sdpower_i_cgroup *g, uint32_t *length)
{
	if (*length <= g->mount_length)
		return 0;
	while (*length > g->mount_length && g->directory[*length - 1u] != '/')
		(*length)--;
	if (*length > g->mount_length)
		(*length)--;
	return 1;
}

static uint32_t full_length(const struct sdpower_i_cgroup *g)
{
	uint32_t n = 0;

	while (g->directory[n])
		n++;
	return n;
}

static void group_path(struct sdpower_i_linux *l, const struct sdpower_i_cgroup *g, uint32_t length,
	const char *file)
{
	sdpower_i_linux_path(l, "");
	memcpy(l->path, g->directory, length);
	l->path[length] = '\0';
	l->path_length = length;
	if (length)
		sdpower_i_linux_append(l, "/");
	sdpower_i_linux_append(l, file);
}

/* A set that is empty is inherited, so that the search goes on. */
static sdpower_status read_cpuset(struct sdpower_i_linux *l, const struct sdpower_i_cgroup *g,
	const char *const *files)
{
	uint32_t length = full_length(g);

	do {
		for (uint32_t i = 0; !l->has_cpuset && files[i]; i++) {
			struct sdpower_i_ids ids;
			sdpower_status status;

			group_path(l, g, length, files[i]);
			status = sdpower_i_linux_set(l, 1, l->cpuset, &ids);
			if (status != SDPOWER_OK && status != SDPOWER_ENOENT)
				return status;
			l->has_cpuset = status == SDPOWER_OK && ids.highest != SDPOWER_ID_NONE;
		}
	} while (!l->has_cpuset && go_up(g, &length));
	return SDPOWER_OK;
}

/* quota * 1000 / period without leaving 64 bits; a quota that rounds to nothing stays 1. */
static void note_quota(struct sdpower_i_linux *l, uint32_t quota, uint32_t period)
{
	uint64_t milli = (uint64_t)quota * MILLI / period;

	if (milli == 0)
		milli = 1;
	if (milli > UINT32_MAX)
		milli = UINT32_MAX;
	if (l->quota_milli == 0 || milli < l->quota_milli)
		l->quota_milli = (uint32_t)milli;
}

/* "200000 100000", or "max 100000" */
static sdpower_status read_cpu_max(struct sdpower_i_linux *l)
{
	struct sdpower_i_scan content;
	uint32_t quota = 0, period = 100000u;
	sdpower_status status = sdpower_i_linux_read(l, &content);

	if (status != SDPOWER_OK)
		return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
	if (content.at == content.end || sdpower_i_scan_word(&content, "max"))
		return SDPOWER_OK;
	if (sdpower_i_scan_u32(&content, &quota) != 1)
		return sdpower_i_linux_fail(l, SDPOWER_EPARSE, &content, "neither max nor a quota");
	sdpower_i_scan_blanks(&content);
	if (content.at != content.end && sdpower_i_scan_u32(&content, &period) != 1)
		return sdpower_i_linux_fail(l, SDPOWER_EPARSE, &content, "not a period");
	if (content.at != content.end || period == 0)
		return sdpower_i_linux_fail(l, SDPOWER_EPARSE, &content, "not a quota and a period");
	note_quota(l, quota, period);
	return SDPOWER_OK;
}

static sdpower_status read_v2_quota(struct sdpower_i_linux *l, const struct sdpower_i_cgroup *g)
{
	uint32_t length = full_length(g);
	sdpower_status status;

	do {
		group_path(l, g, length, "cpu.max");
		status = read_cpu_max(l);
	} while (status == SDPOWER_OK && go_up(g, &length));
	return status;
}

/* Quota and period in files of their own, -1 for none. */
static sdpower_status read_v1_quota(struct sdpower_i_linux *l, const struct sdpower_i_cgroup *g)
{
	uint32_t length = full_length(g);

	do {
		uint32_t quota = SDPOWER_ID_NONE, period = SDPOWER_ID_NONE;
		sdpower_status status;

		group_path(l, g, length, "cpu.cfs_quota_us");
		status = sdpower_i_linux_number(l, &quota);
		if (status == SDPOWER_OK && quota != SDPOWER_ID_NONE) {
			group_path(l, g, length, "cpu.cfs_period_us");
			status = sdpower_i_linux_number(l, &period);
		}
		if (status != SDPOWER_OK && status != SDPOWER_ENOENT)
			return status;
		if (status == SDPOWER_OK && quota != SDPOWER_ID_NONE && period && period != SDPOWER_ID_NONE)
			note_quota(l, quota, period);
	} while (go_up(g, &length));
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_cgroups(struct sdpower_i_linux *l)
{
	static const char *const v1_files[] = {
		"cpuset.effective_cpus", "cpuset.cpus", "effective_cpus", "cpus", NULL
	};
	static const char *const v2_files[] = { "cpuset.cpus.effective", NULL };
	const struct sdpower_i_cgroup *groups = l->groups;
	sdpower_status status = sdpower_i_linux_find_cgroups(l);

	if (status == SDPOWER_OK && groups[SDPOWER_I_CPUSET].found == 2)
		status = read_cpuset(l, &groups[SDPOWER_I_CPUSET], v1_files);
	if (status == SDPOWER_OK && !l->has_cpuset && groups[SDPOWER_I_V2].found == 2)
		status = read_cpuset(l, &groups[SDPOWER_I_V2], v2_files);
	if (status == SDPOWER_OK && groups[SDPOWER_I_V2].found == 2)
		status = read_v2_quota(l, &groups[SDPOWER_I_V2]);
	if (status == SDPOWER_OK && groups[SDPOWER_I_CPU].found == 2)
		status = read_v1_quota(l, &groups[SDPOWER_I_CPU]);
	return status;
}
