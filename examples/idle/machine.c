/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sdpower/hosted.h>

static sdpower_status load(struct machine *m, const char *topology, struct sdpower_diag *diag)
{
	if (!topology)
		return sdpower_hosted_topology(NULL, 0, &m->table, diag);
	/* No synthetic string holds a slash, and files can always be named with one. */
	if (strchr(topology, '/'))
		return sdpower_hosted_topology_load(topology, &m->table, diag);
	return sdpower_hosted_topology_synthetic(topology, &m->table, diag);
}

static bool is_usable(const struct sdpower_topology *t, uint32_t cpu)
{
	if (t->cpus[cpu].flags & SDPOWER_CPU_OFFLINE)
		return false;
	return !t->allowed ||
		(cpu / 32 < t->allowed_words && t->allowed[cpu / 32] >> cpu % 32 & 1);
}

static bool same_core(const struct sdpower_cpu_desc *a, const struct sdpower_cpu_desc *b)
{
	return a->package == b->package && a->core == b->core && a->core != SDPOWER_ID_NONE;
}

/* O(cpus^2), once. */
static void number_seat(struct machine *m, uint32_t cpu)
{
	const struct sdpower_cpu_desc *cpus = m->table->cpus;
	struct seat *seat = &m->seats[cpu];

	*seat = (struct seat){ .usable = true, .os_id = cpus[cpu].os_id, .core = m->cores,
		.package = m->packages };
	for (uint32_t other = 0; other < cpu; other++) {
		if (!m->seats[other].usable)
			continue;
		if (same_core(&cpus[other], &cpus[cpu]))
			seat->core = m->seats[other].core;
		if (cpus[other].package == cpus[cpu].package)
			seat->package = m->seats[other].package;
	}
	m->cores += seat->core == m->cores;
	m->packages += seat->package == m->packages;
}

int machine_open(struct machine *m, const char *topology, char *why, size_t size)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	sdpower_status status;

	memset(m, 0, sizeof(*m));
	m->described = topology != NULL;
	status = load(m, topology, &diag);
	if (status < 0) {
		snprintf(why, size, "%s%s%s", sdpower_strstatus(status), diag.text[0] ? ": " : "",
			diag.text);
		return -1;
	}
	m->cpus = m->table->cpu_count;
	m->seats = calloc(m->cpus, sizeof(*m->seats));
	if (!m->seats) {
		snprintf(why, size, "out of memory");
		machine_close(m);
		return -1;
	}
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		if (is_usable(m->table, cpu))
			number_seat(m, cpu);
	return 0;
}

void machine_close(struct machine *m)
{
	sdpower_hosted_topology_free(m->table);
	free(m->seats);
	memset(m, 0, sizeof(*m));
}

uint32_t machine_first(const struct machine *m)
{
	uint32_t cpu = 0;

	while (!m->seats[cpu].usable)
		cpu++;
	return cpu;
}

uint32_t machine_package(const struct machine *m, uint32_t core)
{
	uint32_t cpu = 0;

	while (!m->seats[cpu].usable || m->seats[cpu].core != core)
		cpu++;
	return m->seats[cpu].package;
}

uint32_t machine_cores(const struct machine *m, uint32_t package)
{
	uint32_t count = 0;

	for (uint32_t core = 0; core < m->cores; core++)
		count += machine_package(m, core) == package;
	return count;
}
