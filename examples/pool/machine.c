/* SPDX-License-Identifier: MIT */
/* Machines: read from the system, from a recorded file, or from a synthetic string. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sdpower/hosted.h>
#include "machine.h"

/* The texts of files name the file; the others get what was asked for, and all their place. */
static void explain(const char *topology, sdpower_status status, const struct sdpower_diag *diag,
	char *why, size_t size)
{
	const char *name = topology ? topology : "this machine";
	char place[48] = "";

	if (diag->line)
		snprintf(place, sizeof(place), "line %u: ", (unsigned)diag->line);
	else if (diag->column)
		snprintf(place, sizeof(place), "column %u: ", (unsigned)diag->column);
	if (diag->text[0] && !strncmp(diag->text, name, strlen(name)))
		snprintf(why, size, "%s (%s)", diag->text, sdpower_strstatus(status));
	else
		snprintf(why, size, "%s: %s%s", name, place,
			diag->text[0] ? diag->text : sdpower_strstatus(status));
}

static int load(struct machine *m, const char *topology, char *why, size_t size)
{
	struct sdpower_diag diag = { .struct_size = sizeof(diag) };
	sdpower_status status;

	if (!topology)
		status = sdpower_hosted_topology(NULL, 0, &m->table, &diag);
	/* No synthetic string holds a slash, and files can always be named with one. */
	else if (strchr(topology, '/'))
		status = sdpower_hosted_topology_load(topology, &m->table, &diag);
	else
		status = sdpower_hosted_topology_synthetic(topology, &m->table, &diag);
	if (status < 0) {
		explain(topology, status, &diag, why, size);
		return EINVAL;
	}
	m->topology = *m->table;
	return 0;
}

static bool is_allowed(const struct sdpower_topology *t, uint32_t cpu)
{
	uint32_t word = cpu / 32;

	if (!t->allowed)
		return true;
	return word < t->allowed_words && (t->allowed[word] >> cpu % 32 & 1);
}

static bool is_usable(const struct sdpower_topology *t, uint32_t cpu)
{
	return !(t->cpus[cpu].flags & SDPOWER_CPU_OFFLINE) && is_allowed(t, cpu);
}

/* Fewer threads than cpus: the others are not ours to use, and the library must know. */
static int narrow(struct machine *m, unsigned threads)
{
	struct sdpower_topology *t = &m->topology;
	uint32_t words = (t->cpu_count + 31) / 32, cpu, kept = 0;

	m->allowed = calloc(words, sizeof(*m->allowed));
	if (!m->allowed)
		return ENOMEM;
	for (cpu = 0; cpu < t->cpu_count && (!threads || kept < threads); cpu++) {
		if (is_usable(t, cpu)) {
			m->allowed[cpu / 32] |= UINT32_C(1) << cpu % 32;
			kept++;
		}
	}
	t->allowed = m->allowed;
	t->allowed_words = words;
	m->summary.cpus = kept;
	m->summary.workers = threads ? threads : kept;
	return 0;
}

static bool same_core(const struct sdpower_cpu_desc *a, const struct sdpower_cpu_desc *b)
{
	return a->package == b->package && a->core == b->core && a->core != SDPOWER_ID_NONE;
}

/* Numbers cores and packages as they turn up; O(workers^2), once. */
static void number_seat(struct machine *m, uint32_t worker)
{
	const struct sdpower_cpu_desc *cpus = m->topology.cpus;
	struct brain_seat *seat = &m->seats[worker];
	uint32_t i;

	seat->core = m->summary.cores;
	seat->package = m->summary.packages;
	for (i = 0; i < worker; i++) {
		const struct brain_seat *other = &m->seats[i];

		if (other->cpu == seat->cpu || same_core(&cpus[other->cpu], &cpus[seat->cpu]))
			seat->core = other->core;
		if (cpus[other->cpu].package == cpus[seat->cpu].package)
			seat->package = other->package;
	}
	m->summary.cores += seat->core == m->summary.cores;
	m->summary.packages += seat->package == m->summary.packages;
}

static int seat_workers(struct machine *m)
{
	const struct sdpower_topology *t = &m->topology;
	uint32_t cpu = 0, worker = 0;

	m->seats = calloc(m->summary.workers, sizeof(*m->seats));
	if (!m->seats)
		return ENOMEM;
	for (; worker < m->summary.workers; cpu = (cpu + 1) % t->cpu_count) {
		if (!is_usable(t, cpu))
			continue;
		m->seats[worker].cpu = cpu;
		m->seats[worker].os_id = t->cpus[cpu].os_id;
		m->seats[worker].cache = t->cpus[cpu].llc == SDPOWER_ID_NONE ?
			t->cpus[cpu].package : t->cpus[cpu].llc;
		m->seats[worker].pinnable = !m->summary.synthetic &&
			!(t->cpus[cpu].flags & SDPOWER_CPU_VIRTUAL);
		number_seat(m, worker);
		worker++;
	}
	return 0;
}

static uint32_t count_real_cpus(void)
{
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return (uint32_t)CPU_COUNT(&set);
	return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

int machine_open(struct machine *m, const char *topology, unsigned threads, char *why, size_t size)
{
	int error;

	memset(m, 0, sizeof(*m));
	error = load(m, topology, why, size);
	if (!error) {
		m->summary.synthetic = topology != NULL;
		m->summary.real_cpus = count_real_cpus();
		error = narrow(m, threads);
		if (!error)
			error = seat_workers(m);
		if (error)
			snprintf(why, size, "%s", strerror(error));
	}
	if (error)
		machine_close(m);
	return error;
}

void machine_close(struct machine *m)
{
	sdpower_hosted_topology_free(m->table);
	free(m->allowed);
	free(m->seats);
	memset(m, 0, sizeof(*m));
}
