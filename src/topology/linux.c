/* SPDX-License-Identifier: MIT */
/* Loads a Linux system: plans the memory, then runs the parts in order (see linux.h). */
#include <string.h>
#include "arch.h"
#include "arena.h"
#include "diag.h"
#include "linux.h"

/* Enough for the lists of cpus and nodes of every known machine, before there is any memory. */
#define SURVEY_BUFFER 2048u

/* mounts and proc/self/status are the long files; a longer one asks for more memory. */
#define READ_BUFFER 8192u

static sdpower_status read_arch(struct sdpower_i_linux *l)
{
	struct sdpower_i_scan content;
	sdpower_status status;

	l->arch = l->source->arch;
	if (l->arch != SDPOWER_ID_NONE)
		return SDPOWER_OK;
	sdpower_i_linux_path(l, "meta/arch");
	status = sdpower_i_linux_read(l, &content);
	if (status == SDPOWER_ENOENT) {
		l->arch = SDPOWER_ARCH_X86_64;
		return SDPOWER_OK;
	}
	if (status == SDPOWER_OK)
		l->arch = sdpower_i_arch_of(content.at, (size_t)(content.end - content.at));
	if (l->arch == SDPOWER_ID_NONE)
		l->arch = SDPOWER_ARCH_GENERIC;
	return status;
}

/* Results first, so that a host may give the scratch part back. */
static void place(struct sdpower_i_linux *l, struct sdpower_i_arena *a)
{
	const size_t mask = sizeof(uint32_t) * l->words;
	const size_t nodes = l->node_bound;

	l->cpus = sdpower_i_arena_take(a, sizeof(*l->cpus) * l->ids);
	l->nodes = sdpower_i_arena_take(a, sizeof(*l->nodes) * nodes);
	l->distances = sdpower_i_arena_take(a, sizeof(*l->distances) * nodes * nodes);
	l->allowed = sdpower_i_arena_take(a, mask);
	l->possible = sdpower_i_arena_take(a, mask);
	l->online = sdpower_i_arena_take(a, mask);
	l->affinity = sdpower_i_arena_take(a, mask);
	l->cpuset = sdpower_i_arena_take(a, mask);
	l->mask = sdpower_i_arena_take(a, mask);
	l->other = sdpower_i_arena_take(a, mask);
	l->node_mask = sdpower_i_arena_take(a, sizeof(uint32_t) * l->node_words);
	l->class_of = sdpower_i_arena_take(a, sizeof(*l->class_of) * l->ids);
	l->class_size = sdpower_i_arena_take(a, sizeof(*l->class_size) * l->ids);
	l->core_of = sdpower_i_arena_take(a, sizeof(*l->core_of) * l->ids);
	l->core_size = sdpower_i_arena_take(a, sizeof(*l->core_size) * l->ids);
	l->l2_index = sdpower_i_arena_take(a, l->ids);
	l->groups = sdpower_i_arena_take(a, sizeof(*l->groups) * SDPOWER_I_HIERARCHIES);
	l->buffer_size = READ_BUFFER;
	l->buffer = sdpower_i_arena_take(a, READ_BUFFER);
}

size_t sdpower_i_linux_memory(uint32_t ids, uint32_t node_words, uint32_t node_bound)
{
	struct sdpower_i_arena nothing = { NULL, 0, 0 };
	struct sdpower_i_linux l;

	memset(&l, 0, sizeof(l));
	l.ids = ids;
	l.words = (ids + 31u) / 32u;
	l.node_words = node_words;
	l.node_bound = node_bound;
	place(&l, &nothing);
	return nothing.used;
}

static sdpower_status load(struct sdpower_i_linux *l)
{
	sdpower_status status = read_arch(l);

	if (status == SDPOWER_OK)
		status = sdpower_i_linux_find_cpus(l);
	if (status == SDPOWER_OK)
		status = sdpower_i_linux_cgroups(l);
	if (status == SDPOWER_OK)
		status = sdpower_i_linux_affinity(l);
	if (status != SDPOWER_OK)
		return status;
	sdpower_i_linux_settle(l);
	for (uint32_t i = 0; i < l->cpu_count; i++)
		if (!sdpower_i_linux_has(l->online, l->cpus[i].os_id))
			l->cpus[i].flags = SDPOWER_CPU_OFFLINE;
	sdpower_i_linux_store_allowed(l);
	status = sdpower_i_linux_cpus(l);
	if (status == SDPOWER_OK)
		status = sdpower_i_linux_caches(l);
	if (status == SDPOWER_OK)
		status = sdpower_i_linux_strength(l);
	return status == SDPOWER_OK ? sdpower_i_linux_nodes(l) : status;
}

static void publish(const struct sdpower_i_linux *l, struct sdpower_topology *t)
{
	t->arch = l->arch;
	t->cpu_count = l->cpu_count;
	t->cpu_stride = sizeof(struct sdpower_cpu_desc);
	t->cpus = l->cpus;
	t->node_count = l->node_count;
	t->nodes = l->node_count ? l->nodes : NULL;
	t->distances = l->has_distances ? l->distances : NULL;
	t->allowed = l->has_allowed ? l->allowed : NULL;
	t->allowed_words = l->has_allowed ? (l->cpu_count + 31u) / 32u : 0;
	t->overlapping = l->overlapping;
	t->quota_milli = l->quota_milli;
	t->name = NULL;
}

static sdpower_status check_arguments(const struct sdpower_linux_source *source,
	const struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	if (!source || source->struct_size < sizeof(*source) || !source->read)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "linux: no source or wrong struct_size");
	if (source->flags & ~(uint32_t)SDPOWER_LINUX_EVERY_FILE)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "linux: unknown flags");
	if (source->arch != SDPOWER_ID_NONE && source->arch > SDPOWER_ARCH_RISCV)
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "linux: unknown arch");
	if (!topology || topology->struct_size < sizeof(*topology))
		return sdpower_i_diag_fail(diag, SDPOWER_EINVAL, "linux: no topology or wrong struct_size");
	return SDPOWER_OK;
}

/* Any part may meet a file longer than the buffer; the block then has to grow by as much. */
static sdpower_status finish(struct sdpower_i_linux *l, sdpower_status status,
	struct sdpower_topology *topology)
{
	if (status == SDPOWER_ENOSPC)
		topology->memory_needed += l->content_size + READ_BUFFER;
	if (status != SDPOWER_OK)
		return status;
	publish(l, topology);
	return sdpower_topology_check(topology, l->overlapping ? NULL : l->diag);
}

sdpower_status sdpower_topology_linux(const struct sdpower_linux_source *source, void *memory, size_t size,
	struct sdpower_topology *topology, struct sdpower_diag *diag)
{
	struct sdpower_i_arena arena = { memory, size, 0 };
	char survey_buffer[SURVEY_BUFFER];
	struct sdpower_i_linux l;
	sdpower_status status = check_arguments(source, topology, diag);

	if (status != SDPOWER_OK)
		return status;
	memset(&l, 0, sizeof(l));
	l.source = source;
	l.index = source->read == sdpower_i_topo_read ? source->context : NULL;
	l.path_cpu = SDPOWER_ID_NONE;
	l.diag = diag;
	l.buffer = survey_buffer;
	l.buffer_size = sizeof(survey_buffer);
	if (memory && size > sizeof(survey_buffer)) {
		l.buffer = memory;
		l.buffer_size = size;
	}
	sdpower_i_diag_start(diag, SDPOWER_OK);
	topology->memory_needed = size;
	status = sdpower_i_linux_survey(&l);
	if (status != SDPOWER_OK)
		return finish(&l, status, topology);
	place(&l, &arena);
	topology->memory_needed = arena.used;
	if (!memory || arena.used > size)
		return sdpower_i_diag_fail(diag, SDPOWER_ENOSPC, "linux: memory too small");
	l.buffer_size += size - arena.used;
	status = load(&l);
	topology->memory_needed = status == SDPOWER_ENOSPC ? size : arena.used;
	return finish(&l, status, topology);
}
