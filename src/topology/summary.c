/* SPDX-License-Identifier: MIT */
/*
 * Counts the parts of a machine without memory: distinct ids are counted window by
 * window with a small table of counters, so that ordinary machines, whose ids are dense,
 * take a few passes and odd ones a few more.
 */
#include <string.h>
#include "table.h"

/* 2 KiB of stack; one window holds every core of an ordinary package. */
#define WINDOW 1024u

/* Which id of a cpu is counted, and over which cpus. */
struct question {
	uint32_t (*id_of)(const struct sdpower_cpu_desc *cpu);
	int within_package; /* count only the cpus of this package */
	uint32_t package;
};

struct answer {
	uint32_t distinct; /* ids seen */
	uint32_t most;     /* cpus of the id seen most often */
	uint32_t unknown;  /* cpus without an id */
};

static uint32_t core_id(const struct sdpower_cpu_desc *cpu) { return cpu->core; }
static uint32_t llc_id(const struct sdpower_cpu_desc *cpu) { return cpu->llc; }
static uint32_t node_id(const struct sdpower_cpu_desc *cpu) { return cpu->node; }
static uint32_t package_id(const struct sdpower_cpu_desc *cpu) { return cpu->package; }

static int is_asked(const struct sdpower_topology *t, const struct question *q, sdpower_cpu cpu)
{
	return sdpower_i_table_usable(t, cpu) &&
		(!q->within_package || sdpower_i_table_cpu(t, cpu)->package == q->package);
}

/* Smallest asked id not below base; SDPOWER_ID_NONE when there is none. */
static uint32_t next_id(const struct sdpower_topology *t, const struct question *q, uint32_t base)
{
	uint32_t lowest = SDPOWER_ID_NONE;

	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		const uint32_t id = q->id_of(sdpower_i_table_cpu(t, cpu));

		if (id >= base && id < lowest && is_asked(t, q, cpu))
			lowest = id;
	}
	return lowest;
}

static void count_window(const struct sdpower_topology *t, const struct question *q, uint32_t base,
	struct answer *a)
{
	uint16_t seen[WINDOW];

	memset(seen, 0, sizeof(seen));
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		const uint32_t id = q->id_of(sdpower_i_table_cpu(t, cpu));

		if (id < base || id - base >= WINDOW || id == SDPOWER_ID_NONE || !is_asked(t, q, cpu))
			continue;
		a->distinct += seen[id - base] == 0;
		seen[id - base]++;
		if (seen[id - base] > a->most)
			a->most = seen[id - base];
	}
}

static struct answer count(const struct sdpower_topology *t, const struct question *q)
{
	struct answer a = { 0, 0, 0 };
	uint32_t base = next_id(t, q, 0);

	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++)
		if (q->id_of(sdpower_i_table_cpu(t, cpu)) == SDPOWER_ID_NONE)
			a.unknown += (uint32_t)is_asked(t, q, cpu);
	while (base != SDPOWER_ID_NONE) {
		count_window(t, q, base, &a);
		if (base >= SDPOWER_ID_NONE - WINDOW)
			break;
		base = next_id(t, q, base + WINDOW);
	}
	return a;
}

/* Cores are named within their package; a cpu without a core is a core of its own. */
static void count_cores(const struct sdpower_topology *t, struct sdpower_topology_summary *s)
{
	struct question packages = { package_id, 0, 0 };
	struct question cores = { core_id, 1, 0 };
	uint32_t package = next_id(t, &packages, 0);
	int more = 1;

	while (more) {
		struct answer a;

		more = package != SDPOWER_ID_NONE;
		cores.package = package;
		a = count(t, &cores);
		s->cores += a.distinct + a.unknown;
		if (a.unknown && !s->threads_per_core_max)
			s->threads_per_core_max = 1;
		if (a.most > s->threads_per_core_max)
			s->threads_per_core_max = a.most;
		if (more)
			package = next_id(t, &packages, package + 1u);
	}
}

/* Pairs of package and node: what stands in for the caches where none is known. */
static uint32_t count_package_parts(const struct sdpower_topology *t)
{
	struct question packages = { package_id, 0, 0 };
	struct question nodes = { node_id, 1, 0 };
	uint32_t parts = 0, package = next_id(t, &packages, 0);
	int more = 1;

	while (more) {
		struct answer a;

		more = package != SDPOWER_ID_NONE;
		nodes.package = package;
		a = count(t, &nodes);
		parts += a.distinct + (a.unknown > 0);
		if (more)
			package = next_id(t, &packages, package + 1u);
	}
	return parts;
}

sdpower_status sdpower_topology_summarise(const struct sdpower_topology *topology,
	struct sdpower_topology_summary *summary)
{
	const struct question packages = { package_id, 0, 0 };
	const struct question nodes = { node_id, 0, 0 };
	const struct question caches = { llc_id, 0, 0 };
	struct sdpower_topology_summary s = { sizeof(s), 0, 0, 0, 0, 0, 0, 0 };
	struct answer a;

	if (!summary || summary->struct_size < sizeof(*summary))
		return SDPOWER_EINVAL;
	if (sdpower_topology_check(topology, NULL) != SDPOWER_OK)
		return SDPOWER_EINVAL;
	for (sdpower_cpu cpu = 0; cpu < topology->cpu_count; cpu++)
		s.usable_cpus += (uint32_t)sdpower_i_table_usable(topology, cpu);
	a = count(topology, &packages);
	s.packages = a.distinct + (a.unknown > 0);
	count_cores(topology, &s);
	a = count(topology, &caches);
	s.llc_groups = a.distinct ? a.distinct + a.unknown : count_package_parts(topology);
	a = count(topology, &nodes);
	s.nodes = topology->node_count ? a.distinct : 1u;
	s.quota_milli = topology->quota_milli;
	s.struct_size = summary->struct_size;
	memcpy(summary, &s, sizeof(s));
	return SDPOWER_OK;
}
