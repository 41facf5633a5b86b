/* SPDX-License-Identifier: MIT */
/* A machine and its domains as one JSON document. */
#include <stdio.h>
#include "cpus.h"
#include "json.h"
#include "topo.h"

static void write_summary(struct json *j, const struct sdpower_topology_summary *s)
{
	json_object(j, "summary");
	json_number(j, "usable_cpus", s->usable_cpus);
	json_number(j, "cores", s->cores);
	json_number(j, "packages", s->packages);
	json_number(j, "threads_per_core_max", s->threads_per_core_max);
	json_number(j, "llc_groups", s->llc_groups);
	json_number(j, "nodes", s->nodes);
	json_number(j, "quota_milli", s->quota_milli);
	json_close(j);
}

static void write_cpu(struct json *j, const struct sdpower_topology *t, sdpower_cpu cpu)
{
	const struct sdpower_cpu_desc *d = cpus_at(t, cpu);

	json_object(j, NULL);
	json_number(j, "cpu", cpu);
	json_number(j, "os_id", d->os_id);
	json_id(j, "package", d->package);
	json_id(j, "die", d->die);
	json_id(j, "node", t->node_count ? d->node : SDPOWER_ID_NONE);
	json_id(j, "llc", d->llc);
	json_id(j, "cluster", d->cluster);
	json_id(j, "l2", d->l2);
	json_id(j, "core", d->core);
	json_number(j, "smt", d->smt);
	json_id(j, "book", d->book);
	json_id(j, "drawer", d->drawer);
	json_number(j, "capacity", d->capacity ? d->capacity : SDPOWER_SCALE);
	json_number(j, "priority", d->priority);
	json_bool(j, "online", cpus_online(t, cpu));
	json_bool(j, "allowed", cpus_allowed(t, cpu));
	json_close(j);
}

static void write_nodes(struct json *j, const struct sdpower_topology *t)
{
	json_row(j, "nodes");
	for (uint32_t i = 0; i < t->node_count; i++)
		json_number(j, NULL, t->nodes[i]);
	json_close(j);
	if (!t->distances)
		return;
	json_array(j, "distances");
	for (uint32_t i = 0; i < t->node_count; i++) {
		json_row(j, NULL);
		for (uint32_t k = 0; k < t->node_count; k++)
			json_number(j, NULL, t->distances[(size_t)i * t->node_count + k]);
		json_close(j);
	}
	json_close(j);
}

static void write_domain(struct json *j, const struct chains *c, const struct chains_one *one)
{
	json_object(j, NULL);
	json_number(j, "depth", one->info.depth);
	json_text(j, "level", sdpower_level_name(one->info.level));
	if (one->info.level == SDPOWER_LEVEL_NUMA)
		json_number(j, "numa_level", one->info.numa_level);
	json_number(j, "groups", one->info.groups);
	chains_json_flags(j, "flags", one->info.flags);
	cpus_json(j, "span", c->t, one->span);
	cpus_json(j, "cpus", c->t, one->viewers);
	json_close(j);
}

void topo_json(const struct topo *topo)
{
	struct json j;

	json_start(&j, stdout);
	json_text(&j, "machine", topo->name);
	write_summary(&j, &topo->summary);
	json_array(&j, "cpus");
	for (sdpower_cpu cpu = 0; cpu < topo->t->cpu_count; cpu++)
		write_cpu(&j, topo->t, cpu);
	json_close(&j);
	write_nodes(&j, topo->t);
	json_text(&j, "rules", topo->rules);
	json_array(&j, "domains");
	for (uint32_t i = 0; i < topo->chains.count; i++)
		write_domain(&j, &topo->chains, &topo->chains.one[i]);
	json_end(&j);
}
