/* SPDX-License-Identifier: MIT */
/* Reading a snapshot back: first the configuration, then, into an instance, the state. */
#include "snapshot.h"
#include "../state/costs.h"

/* What the machine lines need while they are read. */
struct tables {
	struct sdpower_cpu_desc *cpus;
	uint32_t *nodes, *allowed, *partitions;
	uint16_t *distances;
};

static void read_rules(struct sdpower_i_lines *l, struct sdpower_config *c)
{
	uint32_t relax;

	sdpower_i_lines_word(l, "sdpower");
	sdpower_i_lines_word(l, "snapshot");
	if (sdpower_i_lines_number(l, UINT32_MAX) != 1)
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "a version that this library does not know");
	sdpower_i_lines_end(l);
	sdpower_i_lines_word(l, "rules");
	c->struct_size = sizeof(*c);
	c->tree = (uint32_t)sdpower_i_lines_number(l, SDPOWER_TREE_MODERN);
	c->tuning = (uint32_t)sdpower_i_lines_number(l, SDPOWER_TUNING_REVERTED);
	c->decisions = (uint32_t)sdpower_i_lines_number(l, SDPOWER_DECIDE_NATIVE);
	c->wake_flags = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	relax = (uint32_t)sdpower_i_lines_number(l, INT32_MAX);
	c->flags = relax ? SDPOWER_CONFIG_RELAX : 0;
	c->relax_level = (int32_t)relax - 1;
	c->max_partitions = (uint32_t)sdpower_i_lines_number(l, SDPOWER_MAX_CPUS);
	c->migration_cost_ns = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	sdpower_i_lines_end(l);
}

static uint32_t word(struct sdpower_i_lines *l)
{
	return (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
}

/* Their ranges are those of sdpower_init. */
static void read_options(struct sdpower_i_lines *l, struct sdpower_snapshot *s)
{
	sdpower_i_lines_word(l, "tunables");
	s->tunables.struct_size = sizeof(s->tunables);
	s->tunables.fill_percent = word(l);
	s->tunables.spread_percent = word(l);
	s->tunables.fit_percent = word(l);
	s->tunables.dwell_us = word(l);
	s->tunables.latency_bound_us = word(l);
	s->tunables.smt_percent = word(l);
	s->config.tunables = &s->tunables;
	sdpower_i_lines_end(l);
	sdpower_i_lines_word(l, "energy");
	s->energy.struct_size = sizeof(s->energy);
	for (uint32_t i = 0; i < SDPOWER_ENERGY_UNITS && !l->status; i++) {
		s->energy.row[i].idle = sdpower_i_lines_id(l, SDPOWER_ENERGY_MOST);
		if (!i && s->energy.row[0].idle == SDPOWER_ID_NONE)
			break;
		s->energy.row[i].active = (uint32_t)sdpower_i_lines_number(l, SDPOWER_ENERGY_MOST);
		s->energy.row[i].wake_us = (uint32_t)sdpower_i_lines_number(l, SDPOWER_ENERGY_MOST);
		s->config.energy = &s->energy;
	}
	sdpower_i_lines_end(l);
}

/* Counts, each checked against what the text can hold: nobody asks memory for lines unseen. */
static void read_machine(struct sdpower_i_lines *l, struct sdpower_snapshot *s)
{
	struct sdpower_topology *t = &s->topology;

	sdpower_i_lines_word(l, "machine");
	t->struct_size = sizeof(*t);
	t->cpu_stride = sizeof(struct sdpower_cpu_desc);
	t->arch = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	t->overlapping = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX);
	t->cpu_count = (uint32_t)sdpower_i_lines_number(l, SDPOWER_MAX_CPUS);
	t->node_count = (uint32_t)sdpower_i_lines_number(l, SDPOWER_MAX_CPUS);
	s->partition_count = (uint32_t)sdpower_i_lines_number(l, SDPOWER_MAX_CPUS);
	sdpower_i_lines_end(l);
	if (!l->status && (t->cpu_count > (size_t)(l->end - l->at) / 16 || !t->cpu_count ||
			(uint64_t)t->node_count * t->node_count > (size_t)(l->end - l->at) ||
			s->partition_count > t->cpu_count))
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "more announced than there is");
	s->words = (t->cpu_count + 31) / 32;
}

static void take_tables(struct sdpower_i_arena *arena, struct sdpower_snapshot *s,
	struct tables *to)
{
	struct sdpower_topology *t = &s->topology;
	const size_t nodes = t->node_count, words = s->words;

	to->cpus = sdpower_i_arena_take(arena, t->cpu_count * sizeof(*to->cpus));
	to->nodes = sdpower_i_arena_take(arena, nodes * sizeof(*to->nodes));
	to->distances = sdpower_i_arena_take(arena, nodes * nodes * sizeof(*to->distances));
	to->allowed = sdpower_i_arena_take(arena, words * sizeof(*to->allowed));
	to->partitions = sdpower_i_arena_take(arena,
		words * s->partition_count * sizeof(*to->partitions));
	t->cpus = to->cpus;
	t->nodes = nodes ? to->nodes : NULL;
	t->distances = nodes ? to->distances : NULL;
	t->allowed = to->allowed;
	t->allowed_words = s->words;
	s->partitions = to->partitions;
	for (size_t i = 0; i < words && to->allowed; i++)
		to->allowed[i] = 0;
	for (size_t i = 0; i < words * s->partition_count && to->partitions; i++)
		to->partitions[i] = 0;
}

static void read_node(struct sdpower_i_lines *l, const struct sdpower_topology *t,
	const struct tables *to, uint32_t node)
{
	uint32_t id;

	sdpower_i_lines_word(l, "node");
	id = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX - 1);
	if (to->nodes)
		to->nodes[node] = id;
	for (uint32_t i = 0; i < t->node_count && !l->status; i++) {
		const uint16_t distance = (uint16_t)sdpower_i_lines_number(l, UINT16_MAX);

		if (to->distances)
			to->distances[(size_t)node * t->node_count + i] = distance;
	}
	sdpower_i_lines_end(l);
}

/* Nodes are named by their index in the text and by their id in the table. */
static uint32_t node_id(struct sdpower_i_lines *l, const struct sdpower_topology *t,
	const struct tables *to)
{
	const uint32_t index = sdpower_i_lines_id(l, t->node_count ? t->node_count - 1 : 0);

	if (index == SDPOWER_ID_NONE)
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "every cpu has a node");
	return to->nodes && !l->status && t->node_count ? to->nodes[index] : 0;
}

static void read_cpu(struct sdpower_i_lines *l, const struct sdpower_snapshot *s,
	const struct tables *to, uint32_t cpu)
{
	struct sdpower_cpu_desc d = { .die = SDPOWER_ID_NONE };
	uint32_t bits, partition;

	sdpower_i_lines_word(l, "cpu");
	d.os_id = (uint32_t)sdpower_i_lines_number(l, UINT32_MAX - 1);
	d.node = node_id(l, &s->topology, to);
	d.drawer = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.book = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.package = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.llc = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.cluster = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.l2 = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.core = sdpower_i_lines_id(l, UINT16_MAX - 1);
	d.capacity = (uint32_t)sdpower_i_lines_number(l, SDPOWER_SCALE);
	d.priority = (uint32_t)sdpower_i_lines_number(l, UINT16_MAX);
	bits = (uint32_t)sdpower_i_lines_number(l, SDPOWER_I_ONLINE | SDPOWER_I_ALLOWED);
	partition = sdpower_i_lines_id(l, SDPOWER_MAX_CPUS);
	if (partition != SDPOWER_ID_NONE && partition >= s->partition_count)
		sdpower_i_lines_fail(l, SDPOWER_ERANGE, "no such partition");
	sdpower_i_lines_end(l);
	d.flags = bits & SDPOWER_I_ONLINE ? 0 : SDPOWER_CPU_OFFLINE;
	if (l->status || !to->cpus || !to->allowed)
		return;
	to->cpus[cpu] = d;
	if (bits & SDPOWER_I_ALLOWED)
		to->allowed[cpu / 32] |= 1u << cpu % 32;
	if (partition != SDPOWER_ID_NONE && to->partitions)
		to->partitions[(size_t)partition * s->words + cpu / 32] |= 1u << cpu % 32;
}

/* Which cpus the instance names. */
struct names {
	sdpower_cpu nominee, searcher;
};

static struct names read_knobs(struct sdpower_i_lines *l, struct sdpower_config *c, uint32_t cpus)
{
	struct names names;

	sdpower_i_lines_word(l, "knobs");
	c->mc = (uint32_t)sdpower_i_lines_number(l, 2);
	c->smt = (uint32_t)sdpower_i_lines_number(l, 2);
	names.nominee = sdpower_i_lines_id(l, cpus - 1);
	names.searcher = sdpower_i_lines_id(l, cpus - 1);
	sdpower_i_lines_end(l);
	return names;
}

static uint32_t time_word(struct sdpower_i_lines *l)
{
	const uint32_t ns = sdpower_i_lines_id(l, SDPOWER_I_LONGEST_NS);

	return ns == SDPOWER_ID_NONE || l->status ? 0 : sdpower_i_word_of_ns(ns);
}

static void read_costs(struct sdpower_i_lines *l, struct sdpower_i_costs *c)
{
	uint32_t count;

	sdpower_i_lines_word(l, "costs");
	count = (uint32_t)sdpower_i_lines_number(l, SDPOWER_I_DISTANCES);
	c->valid = count != 0;
	for (uint32_t i = 0; i < SDPOWER_I_DISTANCES; i++) {
		c->hot[i] = i < count ? time_word(l) : 0;
		c->cost[i] = i < count ? time_word(l) : 0;
	}
	sdpower_i_lines_end(l);
}

static void read_body(struct sdpower_i_lines *l, struct sdpower_i_arena *arena,
	struct sdpower_snapshot *s)
{
	struct sdpower_i_costs unused;
	struct tables to;

	take_tables(arena, s, &to);
	for (uint32_t i = 0; i < s->topology.node_count && !l->status; i++)
		read_node(l, &s->topology, &to, i);
	for (uint32_t i = 0; i < s->topology.cpu_count && !l->status; i++)
		read_cpu(l, s, &to, i);
	s->slots = l->at;
	s->slots_line = l->line;
	s->slots_length = (size_t)(l->end - l->at);
	(void)read_knobs(l, &s->config, s->topology.cpu_count);
	read_costs(l, &unused);
	for (uint32_t i = 0; i < s->topology.cpu_count && !l->status; i++) {
		struct sdpower_cpu_state state;

		sdpower_i_read_slot(l, &state);
	}
	sdpower_i_read_question(l, arena, &s->question);
	sdpower_i_lines_word(l, "end");
	sdpower_i_lines_end(l);
	if (!l->status && l->at != l->end)
		sdpower_i_lines_fail(l, SDPOWER_EPARSE, "text behind the end");
}

sdpower_status sdpower_snapshot_read(const char *text, size_t length, void *memory, size_t size,
	struct sdpower_snapshot *snapshot, struct sdpower_diag *diag)
{
	static const struct sdpower_snapshot empty;
	struct sdpower_i_arena arena = { memory, size, 0 };
	struct sdpower_i_lines l;

	if (!text || !snapshot || snapshot->struct_size != sizeof(*snapshot) || (!memory && size))
		return SDPOWER_EINVAL;
	sdpower_i_diag_start(diag, SDPOWER_OK);
	*snapshot = empty;
	snapshot->struct_size = sizeof(*snapshot);
	l = sdpower_i_lines_over(text, length, 1, diag);
	read_rules(&l, &snapshot->config);
	read_options(&l, snapshot);
	read_machine(&l, snapshot);
	if (!l.status)
		read_body(&l, &arena, snapshot);
	if (l.status)
		return l.status;
	snapshot->memory_needed = arena.used;
	if (arena.used > size)
		return SDPOWER_ENOSPC;
	snapshot->config.topology = &snapshot->topology;
	return SDPOWER_OK;
}

/* The tree of init has one partition of all cpus; anything else is set here. */
static sdpower_status restore_partitions(const struct sdpower_snapshot *snapshot, sdpower *s)
{
	uint32_t held = 0;

	for (uint32_t cpu = 0; snapshot->partition_count == 1 && cpu < snapshot->topology.cpu_count;
	     cpu++)
		held += snapshot->partitions[cpu / 32] >> cpu % 32 & 1u;
	if (held == snapshot->topology.cpu_count)
		return SDPOWER_OK;
	return sdpower_set_partitions(s, snapshot->partition_count, snapshot->partitions,
		snapshot->words);
}

sdpower_status sdpower_snapshot_restore(const struct sdpower_snapshot *snapshot, sdpower *s)
{
	struct sdpower_config ignored;
	struct names names;
	struct sdpower_i_lines l;
	sdpower_status status;

	if (!snapshot || !s || snapshot->struct_size != sizeof(*snapshot) || !snapshot->slots ||
	    snapshot->topology.cpu_count != s->forest.cpu_count)
		return SDPOWER_EINVAL;
	status = restore_partitions(snapshot, s);
	l = sdpower_i_lines_over(snapshot->slots, snapshot->slots_length, snapshot->slots_line, NULL);
	names = read_knobs(&l, &ignored, s->forest.cpu_count);
	read_costs(&l, &s->costs);
	if (s->costs.valid && !status)
		status = sdpower_domain_signature(s, &s->costs.signature);
	if (!status)
		sdpower_i_store(&s->nominee, names.nominee);
	for (sdpower_cpu cpu = 0; !status && cpu < s->forest.cpu_count; cpu++) {
		struct sdpower_cpu_state state = { .struct_size = sizeof(state) };

		sdpower_i_read_slot(&l, &state);
		status = l.status ? l.status : sdpower_set_cpu(s, cpu, &state);
	}
	if (!status)
		sdpower_i_store(&s->searcher, names.searcher);
	return status;
}
