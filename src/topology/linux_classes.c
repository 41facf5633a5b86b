/* SPDX-License-Identifier: MIT */
/*
 * Groups the cpus that run by who shares what (rule T10). The first cpu of a group answers for its
 * members, so that a file is read per group, not per cpu; the last member is asked as well,
 * and everybody when the source wants every file. Two sets that overlap without being equal
 * show up as a second reader naming somebody else's member.
 */
#include <string.h>
#include "bits.h"
#include "diag.h"
#include "linux.h"

uint32_t sdpower_i_linux_first_online(const struct sdpower_i_linux *l)
{
	uint32_t id = 0;

	while (id < l->ids && !sdpower_i_linux_has(l->online, id))
		id++;
	return id;
}

uint32_t sdpower_i_linux_last_online(const struct sdpower_i_linux *l)
{
	uint32_t id = l->ids - 1u;

	while (id > 0 && !sdpower_i_linux_has(l->online, id))
		id--;
	return id;
}

static int is_list(const char *name)
{
	size_t n = 0;

	while (name[n])
		n++;
	return n > 5u && memcmp(name + n - 5u, "_list", 5u) == 0;
}

static sdpower_status read_named(struct sdpower_i_linux *l, const char *name, uint32_t cpu, uint32_t *mask)
{
	struct sdpower_i_ids ids;

	sdpower_i_linux_cpu_path(l, cpu, name);
	return sdpower_i_linux_set(l, is_list(name), mask, &ids);
}

sdpower_status sdpower_i_linux_read_level(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	uint32_t cpu, uint32_t *mask)
{
	sdpower_status status = read_named(l, level->files[level->hint], cpu, mask);

	for (uint32_t i = 0; status == SDPOWER_ENOENT && level->files[i]; i++) {
		if (i == level->hint)
			continue;
		status = read_named(l, level->files[i], cpu, mask);
		if (status == SDPOWER_OK)
			level->hint = i;
	}
	return status;
}

/* Reads a set, cut to the cpus that run and holding the asked cpu itself. */
static sdpower_status read_members(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	uint32_t cpu, uint32_t *mask)
{
	const sdpower_status status = level->read(l, level, cpu, mask);

	if (status != SDPOWER_OK)
		return status;
	for (uint32_t w = 0; w < l->words; w++)
		mask[w] &= l->online[w];
	mask[cpu / 32u] |= 1u << (cpu % 32u);
	return SDPOWER_OK;
}

sdpower_status sdpower_i_linux_is_there(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	int *there)
{
	sdpower_status status = level->read(l, level, sdpower_i_linux_first_online(l), l->mask);

	if (status == SDPOWER_ENOENT)
		status = level->read(l, level, sdpower_i_linux_last_online(l), l->mask);
	*there = status == SDPOWER_OK;
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

static sdpower_status describe_set(struct sdpower_i_linux *l, struct sdpower_i_level *level, uint32_t cpu)
{
	const sdpower_status status = read_members(l, level, cpu, l->other);

	sdpower_i_diag_str(l->diag, l->path);
	sdpower_i_diag_str(l->diag, ": cpus ");
	sdpower_i_diag_mask(l->diag, l->other, l->words);
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

/* Notes two sets that overlap; the first pair is spelt out for people. */
static sdpower_status note_overlap(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	uint32_t first, uint32_t second)
{
	sdpower_status status;

	if (!level->overlap)
		return SDPOWER_OK;
	if (l->overlapping) {
		l->overlapping |= level->overlap;
		return SDPOWER_OK;
	}
	l->overlapping |= level->overlap;
	status = describe_set(l, level, first);
	sdpower_i_diag_str(l->diag, "; ");
	if (status == SDPOWER_OK)
		status = describe_set(l, level, second);
	sdpower_i_diag_str(l->diag, ": the sets overlap without being equal");
	return status;
}

/* Next member of the set read last. */
static uint32_t next(const struct sdpower_i_linux *l, uint32_t from)
{
	return sdpower_i_bits_next(l->mask, l->words, from);
}

/* Opens a class for a cpu: members that nobody named yet join it. */
static sdpower_status open_class(struct sdpower_i_linux *l, struct sdpower_i_level *level, uint32_t cpu,
	uint32_t *last)
{
	uint32_t taken = SDPOWER_ID_NONE;

	l->class_size[cpu] = 0;
	for (uint32_t id = next(l, 0); id != SDPOWER_ID_NONE; id = next(l, id + 1u)) {
		if (l->class_of[id] != SDPOWER_ID_NONE) {
			taken = l->class_of[id];
			continue;
		}
		l->class_of[id] = cpu;
		l->class_size[cpu]++;
		*last = id;
	}
	return taken == SDPOWER_ID_NONE ? SDPOWER_OK : note_overlap(l, level, taken, cpu);
}

/* A cpu that was named already must name the same members. */
static sdpower_status compare_class(struct sdpower_i_linux *l, struct sdpower_i_level *level, uint32_t cpu)
{
	const uint32_t class = l->class_of[cpu];
	uint32_t members = 0, strangers = 0;

	for (uint32_t id = next(l, 0); id != SDPOWER_ID_NONE; id = next(l, id + 1u)) {
		members++;
		strangers += l->class_of[id] != class;
	}
	if (strangers == 0 && members == l->class_size[class])
		return SDPOWER_OK;
	return note_overlap(l, level, class, cpu);
}

/* The set read last is a whole core: its threads have already agreed about that. */
static int is_a_core(const struct sdpower_i_linux *l, uint32_t cpu)
{
	const uint32_t core = l->core_of[cpu];
	uint32_t members = 0;

	if (core == SDPOWER_ID_NONE)
		return 0;
	for (uint32_t id = next(l, 0); id != SDPOWER_ID_NONE; id = next(l, id + 1u)) {
		if (l->core_of[id] != core)
			return 0;
		members++;
	}
	return members == l->core_size[core];
}

static sdpower_status classify_cpu(struct sdpower_i_linux *l, struct sdpower_i_level *level, uint32_t cpu)
{
	uint32_t last = cpu;
	sdpower_status status = read_members(l, level, cpu, l->mask);

	if (status != SDPOWER_OK)
		return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
	if (l->class_of[cpu] != SDPOWER_ID_NONE)
		return compare_class(l, level, cpu);
	status = open_class(l, level, cpu, &last);
	if (status != SDPOWER_OK || sdpower_i_linux_reads_every_file(l) || last == cpu ||
			(level->trusts_cores && is_a_core(l, cpu)))
		return status;
	status = read_members(l, level, last, l->mask);
	if (status != SDPOWER_OK)
		return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
	return compare_class(l, level, last);
}

sdpower_status sdpower_i_linux_classify(struct sdpower_i_linux *l, struct sdpower_i_level *level)
{
	const int every_file = sdpower_i_linux_reads_every_file(l);

	memset(l->class_of, 0xff, sizeof(*l->class_of) * l->ids);
	for (uint32_t cpu = 0; cpu < l->ids; cpu++) {
		sdpower_status status;

		if (!sdpower_i_linux_has(l->online, cpu))
			continue;
		if (!every_file && l->class_of[cpu] != SDPOWER_ID_NONE)
			continue;
		status = classify_cpu(l, level, cpu);
		if (status != SDPOWER_OK)
			return status;
	}
	return SDPOWER_OK;
}
