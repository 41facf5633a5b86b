/* SPDX-License-Identifier: MIT */
/*
 * Cores, packages, dies, clusters, books and drawers. Files contradict each other, and which
 * one is believed follows bug reports (tests/machines/reported/README.md; rules T3, T4
 * and T6):
 * thread siblings beat (package, core_id), that beats core_id alone, but thread siblings say
 * nothing where core_id is -1; a package id beats the package's siblings, which are all there
 * is where the id is -1; when neither says anything the machine is one package.
 */
#include <string.h>
#include "bits.h"
#include "linux.h"

static const char *const core_files[] = {
	"topology/thread_siblings_list", "topology/core_cpus_list", "topology/thread_siblings",
	"topology/core_cpus", NULL
};
static const char *const package_files[] = {
	"topology/core_siblings_list", "topology/package_cpus_list", "topology/core_siblings",
	"topology/package_cpus", NULL
};
static const char *const die_files[] = { "topology/die_cpus_list", "topology/die_cpus", NULL };
static const char *const cluster_files[] = {
	"topology/cluster_cpus_list", "topology/cluster_cpus", NULL
};
static const char *const book_files[] = { "topology/book_siblings_list", "topology/book_siblings", NULL };
static const char *const drawer_files[] = {
	"topology/drawer_siblings_list", "topology/drawer_siblings", NULL
};

/* firmware writes either for "no cluster" (scx#1994) */
#define NO_CLUSTER 65535u

static uint32_t next_online(const struct sdpower_i_linux *l, uint32_t from)
{
	return sdpower_i_bits_next(l->online, l->words, from);
}

static sdpower_status read_id(struct sdpower_i_linux *l, uint32_t cpu, const char *file, uint32_t *id)
{
	sdpower_status status;

	sdpower_i_linux_cpu_path(l, cpu, file);
	status = sdpower_i_linux_number(l, id);
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

/* Says whether core_id is written and is -1: the kernel then knows nothing about cores. */
static sdpower_status core_is_unknown(struct sdpower_i_linux *l, uint32_t cpu, int *unknown)
{
	uint32_t id;
	sdpower_status status;

	sdpower_i_linux_cpu_path(l, cpu, "topology/core_id");
	status = sdpower_i_linux_number(l, &id);
	*unknown = status == SDPOWER_OK && id == SDPOWER_ID_NONE;
	return status == SDPOWER_ENOENT ? SDPOWER_OK : status;
}

/* Takes thread siblings back where core_id is -1. A kernel writes -1 for all cpus or for none,
 * so that one cpu speaks for the machine unless every file is wanted. */
static sdpower_status drop_unknown_cores(struct sdpower_i_linux *l)
{
	int unknown = 0;
	sdpower_status status = core_is_unknown(l, next_online(l, 0), &unknown);

	if (status != SDPOWER_OK || (!unknown && !sdpower_i_linux_reads_every_file(l)))
		return status;
	for (uint32_t cpu = next_online(l, 0); cpu != SDPOWER_ID_NONE; cpu = next_online(l, cpu + 1u)) {
		status = core_is_unknown(l, cpu, &unknown);
		if (status != SDPOWER_OK)
			return status;
		if (unknown)
			l->class_of[cpu] = cpu;
	}
	return SDPOWER_OK;
}

/* Names cores by their first thread; a cpu without siblings by core_id, above all os ids. */
static sdpower_status find_cores(struct sdpower_i_linux *l)
{
	struct sdpower_i_level level = { sdpower_i_linux_read_level, core_files, 0, SDPOWER_OVERLAP_CORE, 0 };
	sdpower_status status = sdpower_i_linux_classify(l, &level);

	if (status == SDPOWER_OK)
		status = drop_unknown_cores(l);
	memcpy(l->core_of, l->class_of, sizeof(*l->core_of) * l->ids);
	memcpy(l->core_size, l->class_size, sizeof(*l->core_size) * l->ids);
	for (uint32_t i = 0; status == SDPOWER_OK && i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];
		uint32_t id = SDPOWER_ID_NONE;

		d->core = l->class_of[d->os_id];
		if (d->core != SDPOWER_ID_NONE || !sdpower_i_linux_has(l->online, d->os_id))
			continue;
		status = read_id(l, d->os_id, "topology/core_id", &id);
		if (id < SDPOWER_ID_NONE - l->ids)
			d->core = l->ids + id;
	}
	return status;
}

/* Threads of a core are counted at its name; cores named by core_id have few cpus to compare. */
static void number_threads(struct sdpower_i_linux *l)
{
	memset(l->class_size, 0, sizeof(*l->class_size) * l->ids);
	for (uint32_t i = 0; i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];

		if (d->core < l->ids) {
			d->smt = l->class_size[d->core]++;
			continue;
		}
		for (uint32_t j = 0; j < i && d->core != SDPOWER_ID_NONE; j++)
			d->smt += l->cpus[j].core == d->core && l->cpus[j].package == d->package;
	}
}

static sdpower_status read_package_ids(struct sdpower_i_linux *l, uint32_t *highest)
{
	sdpower_status status = SDPOWER_OK;

	for (uint32_t i = 0; status == SDPOWER_OK && i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];

		if (!sdpower_i_linux_has(l->online, d->os_id))
			continue;
		status = read_id(l, d->os_id, "topology/physical_package_id", &d->package);
		if (d->package != SDPOWER_ID_NONE && (*highest == SDPOWER_ID_NONE || d->package > *highest))
			*highest = d->package;
	}
	return status;
}

/*
 * A package whose first and last member give one id has that id throughout. Answers
 * *agreed = 0 where they differ or give none; then each cpu must be asked.
 */
static sdpower_status ask_ends_of_packages(struct sdpower_i_linux *l, int *agreed)
{
	uint32_t *last = l->class_size;
	sdpower_status status = SDPOWER_OK;

	*agreed = 1;
	for (uint32_t cpu = next_online(l, 0); cpu != SDPOWER_ID_NONE; cpu = next_online(l, cpu + 1u))
		if (l->class_of[cpu] != SDPOWER_ID_NONE)
			last[l->class_of[cpu]] = cpu;
	for (uint32_t i = 0; status == SDPOWER_OK && *agreed && i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];
		uint32_t end;

		if (!sdpower_i_linux_has(l->online, d->os_id) || l->class_of[d->os_id] != d->os_id)
			continue;
		status = read_id(l, d->os_id, "topology/physical_package_id", &d->package);
		end = d->package;
		if (status == SDPOWER_OK && last[d->os_id] != d->os_id)
			status = read_id(l, last[d->os_id], "topology/physical_package_id", &end);
		*agreed = d->package != SDPOWER_ID_NONE && d->package == end;
		last[d->os_id] = d->package;
	}
	return status;
}

/* Hands the ids that the first members gave to the others; 0 when somebody is in no class. */
static int spread_package_ids(struct sdpower_i_linux *l)
{
	for (uint32_t i = 0; i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];

		if (!sdpower_i_linux_has(l->online, d->os_id))
			continue;
		if (l->class_of[d->os_id] == SDPOWER_ID_NONE)
			return 0;
		d->package = l->class_size[l->class_of[d->os_id]];
	}
	return 1;
}

/* One class per cpu says no more than no class at all. */
static int classes_say_something(const struct sdpower_i_linux *l)
{
	for (uint32_t cpu = next_online(l, 0); cpu != SDPOWER_ID_NONE; cpu = next_online(l, cpu + 1u))
		if (l->class_of[cpu] != SDPOWER_ID_NONE && l->class_of[cpu] != cpu)
			return 1;
	return 0;
}

/* Gives cpus without a package id the name of their class, above all ids that were given. */
static void name_packages_by_class(struct sdpower_i_linux *l, uint32_t highest)
{
	const uint32_t base = highest == SDPOWER_ID_NONE ? 0 : highest + 1u;
	const int useful = classes_say_something(l);

	for (uint32_t i = 0; i < l->cpu_count; i++) {
		struct sdpower_cpu_desc *d = &l->cpus[i];
		const uint32_t class = useful ? l->class_of[d->os_id] : 0;

		if (d->package == SDPOWER_ID_NONE && sdpower_i_linux_has(l->online, d->os_id) &&
				class != SDPOWER_ID_NONE)
			d->package = base + class;
	}
}

static int package_is_missing(const struct sdpower_i_linux *l)
{
	for (uint32_t i = 0; i < l->cpu_count; i++)
		if (l->cpus[i].package == SDPOWER_ID_NONE && sdpower_i_linux_has(l->online, l->cpus[i].os_id))
			return 1;
	return 0;
}

static sdpower_status find_packages(struct sdpower_i_linux *l)
{
	struct sdpower_i_level level = {
		sdpower_i_linux_read_level, package_files, 0, 0, 0
	};
	uint32_t highest = SDPOWER_ID_NONE;
	sdpower_status status;
	int agreed = 0;

	if (!sdpower_i_linux_reads_every_file(l)) {
		status = sdpower_i_linux_classify(l, &level);
		if (status == SDPOWER_OK)
			status = ask_ends_of_packages(l, &agreed);
		if (status != SDPOWER_OK || (agreed && spread_package_ids(l)))
			return status;
	}
	status = read_package_ids(l, &highest);
	if (status != SDPOWER_OK || !package_is_missing(l))
		return status;
	level.overlap = SDPOWER_OVERLAP_PACKAGE;
	status = sdpower_i_linux_classify(l, &level);
	if (status == SDPOWER_OK)
		name_packages_by_class(l, highest);
	return status;
}

/* Where each id of a level is stored. */
static uint32_t *field_of(struct sdpower_cpu_desc *d, const char *const *files)
{
	if (files == die_files)
		return &d->die;
	if (files == cluster_files)
		return &d->cluster;
	return files == book_files ? &d->book : &d->drawer;
}

static sdpower_status drop_unknown_clusters(struct sdpower_i_linux *l)
{
	for (uint32_t cpu = next_online(l, 0); cpu != SDPOWER_ID_NONE; cpu = next_online(l, cpu + 1u)) {
		uint32_t id = 0;
		sdpower_status status;

		if (l->class_of[cpu] != cpu && !sdpower_i_linux_reads_every_file(l))
			continue;
		sdpower_i_linux_cpu_path(l, cpu, "topology/cluster_id");
		status = sdpower_i_linux_number(l, &id);
		if (status == SDPOWER_ENOENT)
			continue;
		if (status != SDPOWER_OK)
			return status;
		if (id == SDPOWER_ID_NONE || id == NO_CLUSTER)
			l->class_of[cpu] = SDPOWER_ID_NONE;
	}
	return SDPOWER_OK;
}

/* The first member of a class may have been dropped; nobody else keeps its name then. */
static void store_classes(struct sdpower_i_linux *l, const char *const *files)
{
	for (uint32_t i = 0; i < l->cpu_count; i++) {
		const uint32_t class = l->class_of[l->cpus[i].os_id];

		if (class != SDPOWER_ID_NONE && l->class_of[class] != SDPOWER_ID_NONE)
			*field_of(&l->cpus[i], files) = class;
	}
}

static sdpower_status find_level(struct sdpower_i_linux *l, const char *const *files, uint32_t overlap)
{
	struct sdpower_i_level level = { sdpower_i_linux_read_level, files, 0, overlap, 0 };
	int there = 0;
	sdpower_status status = sdpower_i_linux_is_there(l, &level, &there);

	if (status != SDPOWER_OK || !there)
		return status;
	status = sdpower_i_linux_classify(l, &level);
	if (status == SDPOWER_OK && files == cluster_files)
		status = drop_unknown_clusters(l);
	if (status == SDPOWER_OK)
		store_classes(l, files);
	return status;
}

sdpower_status sdpower_i_linux_cpus(struct sdpower_i_linux *l)
{
	sdpower_status status = find_cores(l);

	if (status == SDPOWER_OK)
		status = find_packages(l);
	if (status == SDPOWER_OK)
		status = find_level(l, die_files, 0);
	if (status == SDPOWER_OK)
		status = find_level(l, cluster_files, SDPOWER_OVERLAP_CLUSTER);
	if (status == SDPOWER_OK)
		status = find_level(l, book_files, SDPOWER_OVERLAP_BOOK);
	if (status == SDPOWER_OK)
		status = find_level(l, drawer_files, SDPOWER_OVERLAP_DRAWER);
	number_threads(l);
	return status;
}
