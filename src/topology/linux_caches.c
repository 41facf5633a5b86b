/* SPDX-License-Identifier: MIT */
/*
 * L2 and last-level caches (rule T5). The directories index0, index1, .. of a cpu have holes and no
 * fixed order, so that levels are read, not assumed; the cpus of one last-level cache are
 * taken to number their directories alike, unless every file is wanted.
 */
#include <string.h>
#include "bits.h"
#include "linux.h"

#define MAX_INDEX 10u
#define NO_INDEX 255u

/* Directories in use where any was found last: a bit per index. */
struct caches {
	struct sdpower_i_level level; /* first, so that read functions find the rest */
	uint32_t known;               /* indexes seen on the cpu read last; 0 = none yet */
};

static void cache_path(struct sdpower_i_linux *l, uint32_t cpu, uint32_t index, const char *file)
{
	sdpower_i_linux_cpu_path(l, cpu, "cache/index");
	sdpower_i_linux_append_u32(l, index);
	sdpower_i_linux_append(l, "/");
	sdpower_i_linux_append(l, file);
}

static sdpower_status read_level_number(struct sdpower_i_linux *l, uint32_t cpu, uint32_t index,
	uint32_t *number)
{
	sdpower_status status;

	cache_path(l, cpu, index, "level");
	status = sdpower_i_linux_number(l, number);
	if (*number == SDPOWER_ID_NONE)
		*number = 0;
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

static sdpower_status holds_data(struct sdpower_i_linux *l, uint32_t cpu, uint32_t index, int *data)
{
	struct sdpower_i_scan content;
	sdpower_status status;

	cache_path(l, cpu, index, "type");
	status = sdpower_i_linux_read(l, &content);
	*data = status != SDPOWER_OK || !sdpower_i_scan_word(&content, "Instruction");
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

/* Directories that are read: all the first time, then those the last cpu had and one more. */
static uint32_t indexes_to_read(const struct sdpower_i_linux *l, const struct caches *c)
{
	if (!c->known)
		return (1u << MAX_INDEX) - 1u;
	if (sdpower_i_linux_reads_every_file(l))
		return c->known | (c->known << 1) | 0xfu;
	return c->known | (c->known << 1);
}

struct found {
	uint32_t last_level;
	uint32_t last_index; /* NO_INDEX = no cache */
	uint32_t l2_index;
};

/* From the highest directory down: types are read only where the level matters. */
static sdpower_status find_indexes(struct sdpower_i_linux *l, struct caches *c, uint32_t cpu,
	struct found *f)
{
	const uint32_t wanted = indexes_to_read(l, c);
	uint32_t seen = 0;

	f->last_level = 0;
	f->last_index = f->l2_index = NO_INDEX;
	for (uint32_t index = MAX_INDEX; index-- > 0;) {
		uint32_t number = 0;
		int data = 0;
		sdpower_status status;

		if (!((wanted >> index) & 1u))
			continue;
		status = read_level_number(l, cpu, index, &number);
		seen |= number ? 1u << index : 0;
		if (status == SDPOWER_OK && number && (number > f->last_level || number == 2u))
			status = holds_data(l, cpu, index, &data);
		if (status != SDPOWER_OK)
			return status;
		if (data && number == 2u)
			f->l2_index = index;
		if (data && number > f->last_level) {
			f->last_level = number;
			f->last_index = index;
		}
	}
	if (seen)
		c->known = seen;
	return SDPOWER_OK;
}

static sdpower_status read_sharers(struct sdpower_i_linux *l, uint32_t cpu, uint32_t index, uint32_t *mask)
{
	struct sdpower_i_ids ids;
	sdpower_status status;

	if (index == NO_INDEX)
		return SDPOWER_ENOENT;
	cache_path(l, cpu, index, "shared_cpu_list");
	status = sdpower_i_linux_set(l, 1, mask, &ids);
	if (status != SDPOWER_ENOENT)
		return status;
	cache_path(l, cpu, index, "shared_cpu_map");
	return sdpower_i_linux_set(l, 0, mask, &ids);
}

static sdpower_status read_last_level(struct sdpower_i_linux *l, struct sdpower_i_level *level,
	uint32_t cpu, uint32_t *mask)
{
	struct caches *c = (struct caches *)(void *)level;
	struct found f;
	sdpower_status status = find_indexes(l, c, cpu, &f);

	if (status == SDPOWER_OK && f.last_index == NO_INDEX && !sdpower_i_linux_reads_every_file(l) &&
			c->known) {
		c->known = 0;
		status = find_indexes(l, c, cpu, &f);
	}
	if (status != SDPOWER_OK)
		return status;
	l->l2_index[cpu] = (uint8_t)f.l2_index;
	return read_sharers(l, cpu, f.last_index, mask);
}

static sdpower_status read_l2(struct sdpower_i_linux *l, struct sdpower_i_level *level, uint32_t cpu,
	uint32_t *mask)
{
	(void)level;
	return read_sharers(l, cpu, l->l2_index[cpu], mask);
}

/* Where not every cpu was asked, the first one of a cache knows the directory of the L2. */
static void store_last_level(struct sdpower_i_linux *l)
{
	for (uint32_t i = 0; i < l->cpu_count; i++) {
		const uint32_t id = l->cpus[i].os_id;
		const uint32_t class = l->class_of[id];

		l->cpus[i].llc = class;
		if (class != SDPOWER_ID_NONE && !sdpower_i_linux_reads_every_file(l))
			l->l2_index[id] = l->l2_index[class];
	}
}

sdpower_status sdpower_i_linux_caches(struct sdpower_i_linux *l)
{
	struct caches last = { { read_last_level, NULL, 0, SDPOWER_OVERLAP_LLC, 0 }, 0 };
	struct sdpower_i_level l2 = { read_l2, NULL, 0, SDPOWER_OVERLAP_L2, 1 };
	sdpower_status status;

	memset(l->l2_index, NO_INDEX, l->ids);
	status = sdpower_i_linux_classify(l, &last.level);
	if (status != SDPOWER_OK)
		return status;
	store_last_level(l);
	status = sdpower_i_linux_classify(l, &l2);
	for (uint32_t i = 0; i < l->cpu_count; i++)
		l->cpus[i].l2 = l->class_of[l->cpus[i].os_id];
	return status;
}
