/* SPDX-License-Identifier: MIT */
#include "meter.h"

#include <stdlib.h>
#include <string.h>

int meter_open(struct meter *m, const struct machine *machine)
{
	memset(m, 0, sizeof(*m));
	m->machine = machine;
	m->cores = calloc(machine->cores, sizeof(*m->cores));
	m->packages = calloc(machine->packages, sizeof(*m->packages));
	return m->cores && m->packages ? 0 : -1;
}

void meter_close(struct meter *m)
{
	free(m->cores);
	free(m->packages);
}

static void add(struct meter_unit *units, uint32_t count, uint64_t ns)
{
	for (uint32_t i = 0; i < count; i++)
		if (units[i].running)
			units[i].busy_ns += ns;
}

void meter_advance(struct meter *m, uint64_t now_ns)
{
	add(m->cores, m->machine->cores, now_ns - m->last_ns);
	add(m->packages, m->machine->packages, now_ns - m->last_ns);
	m->last_ns = now_ns;
}

void meter_restart(struct meter *m, uint64_t now_ns)
{
	for (uint32_t i = 0; i < m->machine->cores; i++)
		m->cores[i].busy_ns = 0;
	for (uint32_t i = 0; i < m->machine->packages; i++)
		m->packages[i].busy_ns = 0;
	m->from_ns = m->last_ns = now_ns;
}

static void count(struct meter_unit *unit, bool busy)
{
	if (busy)
		unit->running++;
	else
		unit->running--;
}

void meter_set(struct meter *m, uint32_t cpu, bool busy, uint64_t now_ns)
{
	meter_advance(m, now_ns);
	count(&m->cores[m->machine->seats[cpu].core], busy);
	count(&m->packages[m->machine->seats[cpu].package], busy);
}

double meter_idle(const struct meter *m, const struct meter_unit *unit)
{
	const uint64_t all = m->last_ns - m->from_ns;

	return all ? 100.0 - 100.0 * (double)unit->busy_ns / (double)all : 100.0;
}
