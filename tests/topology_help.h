/* SPDX-License-Identifier: MIT */
/* What the topology tests share: a table with its memory, and cpu sets as lists. */
#ifndef SDPOWER_TEST_TOPOLOGY_HELP_H
#define SDPOWER_TEST_TOPOLOGY_HELP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower.h>

/* A table that owns its block. */
struct machine {
	struct sdpower_topology topology;
	struct sdpower_diag diag;
	void *memory;
};

static inline struct machine machine_new(void)
{
	struct machine m;

	memset(&m, 0, sizeof(m));
	m.topology.struct_size = sizeof(m.topology);
	m.diag.struct_size = sizeof(m.diag);
	return m;
}

static inline void machine_free(struct machine *m)
{
	free(m->memory);
	m->memory = NULL;
}

/* Asks the size first, so that every test also tests the question. */
static inline sdpower_status machine_synthetic(struct machine *m, const char *text)
{
	sdpower_status status;
	size_t size;

	*m = machine_new();
	status = sdpower_topology_synthetic(text, NULL, 0, &m->topology, &m->diag);
	if (status != SDPOWER_ENOSPC)
		return status;
	size = m->topology.memory_needed;
	m->memory = malloc(size);
	return sdpower_topology_synthetic(text, m->memory, size, &m->topology, &m->diag);
}

/* Grows the block until the text fits, as a host does. */
static inline sdpower_status machine_text(struct machine *m, const char *text, size_t length)
{
	sdpower_status status;
	size_t size = 0;

	*m = machine_new();
	for (int i = 0; i < 8; i++) {
		status = sdpower_topology_text(text, length, m->memory, size, &m->topology, &m->diag);
		if (status != SDPOWER_ENOSPC)
			return status;
		size = m->topology.memory_needed;
		free(m->memory);
		m->memory = malloc(size);
	}
	return status;
}

/* A whole file, NUL-terminated; NULL when it cannot be read. */
static inline char *read_whole(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long end;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	end = ftell(f);
	rewind(f);
	text = malloc((size_t)end + 1u);
	*length = fread(text, 1, (size_t)end, f);
	text[*length] = '\0';
	fclose(f);
	return text;
}

static inline sdpower_status machine_file(struct machine *m, const char *path)
{
	size_t length = 0;
	char *text = read_whole(path, &length);
	sdpower_status status;

	*m = machine_new();
	if (!text)
		return SDPOWER_ENOENT;
	status = machine_text(m, text, length);
	free(text);
	return status;
}

static inline const struct sdpower_cpu_desc *machine_cpu(const struct machine *m, uint32_t os_id)
{
	for (uint32_t i = 0; i < m->topology.cpu_count; i++)
		if (m->topology.cpus[i].os_id == os_id)
			return &m->topology.cpus[i];
	return NULL;
}

static inline struct sdpower_topology_summary machine_summary(const struct machine *m)
{
	struct sdpower_topology_summary s;

	memset(&s, 0, sizeof(s));
	s.struct_size = sizeof(s);
	if (sdpower_topology_summarise(&m->topology, &s) != SDPOWER_OK)
		memset(&s, 0, sizeof(s));
	return s;
}

#endif
