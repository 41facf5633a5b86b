/* SPDX-License-Identifier: MIT */
/* A file system of a few files, for tests of the Linux loader. */
#ifndef SDPOWER_TEST_LINUX_HELP_H
#define SDPOWER_TEST_LINUX_HELP_H

#include <stdarg.h>
#include <topology_help.h>

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"

struct file {
	char path[160];
	char content[600];
};

struct files {
	struct file file[400];
	unsigned count;
	unsigned reads;
	const char *broken; /* reading this one fails */
};

/* Puts a file; one of the same name is replaced. The content gets a line end. */
__attribute__((format(printf, 3, 4)))
static inline void put(struct files *f, const char *content, const char *path, ...)
{
	char name[160];
	va_list list;
	unsigned i = 0;

	va_start(list, path);
	vsnprintf(name, sizeof(name), path, list);
	va_end(list);
	while (i < f->count && strcmp(f->file[i].path, name) != 0)
		i++;
	if (i == sizeof(f->file) / sizeof(f->file[0]))
		abort();
	f->count += i == f->count;
	snprintf(f->file[i].path, sizeof(f->file[i].path), "%s", name);
	snprintf(f->file[i].content, sizeof(f->file[i].content), "%s\n", content);
}

static inline int64_t files_read(void *context, const char *path, char *buffer, size_t size)
{
	struct files *f = context;

	f->reads++;
	if (f->broken && strcmp(path, f->broken) == 0)
		return -77;
	for (unsigned i = 0; i < f->count; i++) {
		const size_t length = strlen(f->file[i].content);

		if (strcmp(f->file[i].path, path) != 0)
			continue;
		memcpy(buffer, f->file[i].content, length < size ? length : size);
		return (int64_t)length;
	}
	return SDPOWER_ENOENT;
}

static inline struct sdpower_linux_source files_source(struct files *f, uint32_t flags)
{
	struct sdpower_linux_source source;

	memset(&source, 0, sizeof(source));
	source.struct_size = sizeof(source);
	source.arch = SDPOWER_ID_NONE;
	source.read = files_read;
	source.context = f;
	source.flags = flags;
	return source;
}

static inline sdpower_status machine_source(struct machine *m, const struct sdpower_linux_source *source)
{
	sdpower_status status;
	size_t size = 0;

	*m = machine_new();
	for (int i = 0; i < 8; i++) {
		status = sdpower_topology_linux(source, m->memory, size, &m->topology, &m->diag);
		if (status != SDPOWER_ENOSPC)
			return status;
		size = m->topology.memory_needed;
		free(m->memory);
		m->memory = malloc(size);
	}
	return status;
}

static inline sdpower_status machine_files(struct machine *m, struct files *f, uint32_t flags)
{
	const struct sdpower_linux_source source = files_source(f, flags);

	return machine_source(m, &source);
}

/* Os ids of the usable cpus of the machine, as "0 1 5". */
static inline const char *usable_of(const struct machine *m, char *text, size_t size)
{
	const struct sdpower_topology *t = &m->topology;
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < t->cpu_count; i++) {
		if (t->cpus[i].flags & SDPOWER_CPU_OFFLINE)
			continue;
		if (!t->allowed || ((t->allowed[i / 32] >> (i % 32)) & 1u))
			n += (size_t)snprintf(text + n, size - n, n ? " %u" : "%u", t->cpus[i].os_id);
	}
	return text;
}

#endif
