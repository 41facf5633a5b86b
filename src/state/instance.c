/* SPDX-License-Identifier: MIT */
/* Making an instance: one walk over the caller's block asks the size and places the parts. */
#include "counters.h"
#include "state.h"
#include "tunables.h"

#include "../tree/bounds.h"
#include "../tree/check.h"
#include "../tree/place.h"

#include <sdpower/instance.h>
#include <string.h>

#define DEFAULT_MIGRATION_COST_NS 500000u
#define DEFAULT_HZ 250u
#define MAX_HZ 1000000u
#define CONFIG_FLAGS ((uint32_t)SDPOWER_CONFIG_RELAX | (uint32_t)SDPOWER_CONFIG_COUNTERS | \
	(uint32_t)SDPOWER_CONFIG_DRIVER | (uint32_t)SDPOWER_CONFIG_UTIL)

/* Where everything goes; pointers are NULL while only the size is asked. */
struct layout {
	struct sdpower *s;
	struct sdpower_i_slot *slots;
	struct sdpower_i_record *records;
	struct sdpower_i_record_rest *rests;
	struct sdpower_i_outside *outside;
	struct sdpower_i_balancer *balancers;
	struct sdpower_i_pace *paces;
	struct sdpower_i_counters *counters;
	struct sdpower_util *utils;
	uint16_t *epochs;
	struct sdpower_i_ground ground;
};

/* The rules that the default stands for: what fits the decisions, if those are told. */
static uint32_t tree_rules_of(const struct sdpower_config *c)
{
	if (c->tree != SDPOWER_TREE_DEFAULT)
		return c->tree;
	switch (c->decisions) {
	case SDPOWER_DECIDE_CLASSIC: return SDPOWER_TREE_CLASSIC;
	case SDPOWER_DECIDE_CLASSIC_30: return SDPOWER_TREE_CLASSIC_30;
	default: return SDPOWER_TREE_MODERN;
	}
}

static uint32_t decision_rules_of(const struct sdpower_config *c)
{
	if (c->decisions != SDPOWER_DECIDE_DEFAULT)
		return c->decisions;
	return tree_rules_of(c) == SDPOWER_TREE_MODERN ? (uint32_t)SDPOWER_DECIDE_NATIVE :
		(uint32_t)SDPOWER_DECIDE_CLASSIC;
}

static int wants(const struct sdpower_config *c, enum sdpower_config_flag flag)
{
	return (c->flags & (uint32_t)flag) != 0;
}

static sdpower_status check_rules(const struct sdpower_config *c)
{
	const uint32_t wakes = (uint32_t)SDPOWER_SD_WAKE_IDLE | (uint32_t)SDPOWER_SD_WAKE_IDLE_FAR;

	if (c->tree > SDPOWER_TREE_MODERN || c->tuning > SDPOWER_TUNING_REVERTED ||
			c->decisions > SDPOWER_DECIDE_NATIVE)
		return SDPOWER_EINVAL;
	if ((tree_rules_of(c) == SDPOWER_TREE_MODERN) !=
			(decision_rules_of(c) == SDPOWER_DECIDE_NATIVE))
		return SDPOWER_EINVAL;
	if (c->hz > MAX_HZ || c->interval_cpus > SDPOWER_MAX_CPUS)
		return SDPOWER_EINVAL;
	if (c->mc > 2 || c->smt > 2 || (c->wake_flags & ~wakes))
		return SDPOWER_EINVAL;
	if ((c->flags & ~CONFIG_FLAGS) || c->relax_level < -1 ||
			(wants(c, SDPOWER_CONFIG_COUNTERS) && !wants(c, SDPOWER_CONFIG_DRIVER)))
		return SDPOWER_EINVAL;
	return c->reserved ? SDPOWER_EINVAL : SDPOWER_OK;
}

/* What only the native rules and the kept signal look at. */
static sdpower_status check_options(const struct sdpower_config *c)
{
	struct sdpower_util trial;
	sdpower_status status = sdpower_i_check_tunables(c->tunables);

	if (status == SDPOWER_OK)
		status = sdpower_i_check_energy(c->energy);
	if (status == SDPOWER_OK)
		status = sdpower_util_start(&trial, c->util_half_life_ns, 0);
	return status;
}

static sdpower_status check_config(const struct sdpower_config *c)
{
	sdpower_status status;

	if (!c || c->struct_size < sizeof(*c))
		return SDPOWER_EINVAL;
	status = check_rules(c);
	if (status == SDPOWER_OK)
		status = check_options(c);
	if (status == SDPOWER_OK)
		status = sdpower_topology_check(c->topology, NULL);
	if (status == SDPOWER_OK && c->max_partitions > c->topology->cpu_count)
		status = SDPOWER_ERANGE;
	return status;
}

/* Every piece that readers and owners share starts on a cache line. */
static void *take_lines(struct sdpower_i_arena *arena, size_t bytes)
{
	sdpower_i_arena_align(arena, SDPOWER_CACHE_LINE);
	return sdpower_i_arena_take(arena, bytes);
}

static void place(struct sdpower_i_arena *arena, const struct sdpower_config *c,
	const struct sdpower_i_bounds *b, struct layout *l)
{
	l->s = sdpower_i_arena_take(arena, sizeof(*l->s));
	l->slots = take_lines(arena, (size_t)b->cpus * sizeof(*l->slots));
	l->records = take_lines(arena, (size_t)b->blocks * sizeof(*l->records));
	l->rests = take_lines(arena, (size_t)b->blocks * sizeof(*l->rests));
	l->outside = take_lines(arena, (size_t)b->cpus * sizeof(*l->outside));
	l->balancers = NULL;
	l->paces = NULL;
	l->counters = NULL;
	l->utils = NULL;
	if (wants(c, SDPOWER_CONFIG_DRIVER)) {
		l->balancers = take_lines(arena, (size_t)b->cpus * sizeof(*l->balancers));
		l->paces = take_lines(arena, (size_t)b->cpus * b->depth * sizeof(*l->paces));
	}
	if (wants(c, SDPOWER_CONFIG_COUNTERS))
		l->counters = take_lines(arena, (size_t)b->cpus * b->depth * sizeof(*l->counters));
	if (wants(c, SDPOWER_CONFIG_UTIL))
		l->utils = take_lines(arena, (size_t)b->cpus * sizeof(*l->utils));
	l->epochs = take_lines(arena, (size_t)b->cpus * sizeof(*l->epochs));
	sdpower_i_arena_align(arena, SDPOWER_CACHE_LINE);
	sdpower_i_place(arena, tree_rules_of(c), b, &l->ground);
}

/* A multiple of the alignment, as aligned_alloc wants it. */
static size_t size_of(const struct sdpower_config *c, const struct sdpower_i_bounds *b)
{
	struct sdpower_i_arena arena = { NULL, 0, 0 };
	struct layout l;

	place(&arena, c, b, &l);
	(void)take_lines(&arena, 0);
	return arena.used;
}

/* Domain indices are 16 bits; only machines far beyond any that exists need more. */
static sdpower_status measure(const struct sdpower_config *c, struct sdpower_i_bounds *b)
{
	const sdpower_status status = check_config(c);

	if (status != SDPOWER_OK)
		return status;
	sdpower_i_bounds_of(c->topology, tree_rules_of(c), c->max_partitions ? c->max_partitions : 1,
		b);
	return b->domains < SDPOWER_I_DOMAINS_MAX && b->groups < SDPOWER_I_BOUND_MOST &&
		b->runs < SDPOWER_I_BOUND_MOST && size_of(c, b) < SDPOWER_I_ARENA_FULL ?
		SDPOWER_OK : SDPOWER_ERANGE;
}

sdpower_status sdpower_memory_needed(const struct sdpower_config *config, size_t *size,
	size_t *align)
{
	struct sdpower_i_bounds bounds;
	sdpower_status status;

	if (!size)
		return SDPOWER_EINVAL;
	status = measure(config, &bounds);
	if (status != SDPOWER_OK)
		return status;
	*size = size_of(config, &bounds);
	if (align)
		*align = SDPOWER_CACHE_LINE;
	return SDPOWER_OK;
}

static void fill(struct sdpower *s, const struct sdpower_config *c, const struct layout *l,
	const struct sdpower_i_bounds *b)
{
	s->magic = SDPOWER_I_MAGIC;
	s->layout = SDPOWER_I_LAYOUT;
	s->decision_rules = decision_rules_of(c);
	s->nominee = s->decision_rules == SDPOWER_DECIDE_NATIVE ? SDPOWER_CPU_NONE : 0;
	s->migration_cost_ns = c->migration_cost_ns ? c->migration_cost_ns : DEFAULT_MIGRATION_COST_NS;
	s->slots = l->slots;
	s->records = l->records;
	s->rests = l->rests;
	s->outside = l->outside;
	s->balancers = l->balancers;
	s->paces = l->paces;
	s->counters = l->counters;
	s->utils = l->utils;
	s->epochs = l->epochs;
	s->hz = c->hz ? c->hz : DEFAULT_HZ;
	s->interval_cpus = c->interval_cpus ? c->interval_cpus : b->cpus;
	s->forest.tree_rules = tree_rules_of(c);
	s->forest.tuning = c->tuning;
	s->forest.wake_flags = c->wake_flags;
	s->forest.relax_level = c->flags & SDPOWER_CONFIG_RELAX ? c->relax_level : -1;
	s->forest.max_partitions = c->max_partitions ? c->max_partitions : 1;
	sdpower_i_plant(&s->forest, c->topology, b, &l->ground);
	sdpower_i_state_reset(s);
	sdpower_i_tune(s, c->tunables);
	if (c->energy)
		s->energy = *c->energy;
	for (uint32_t pos = 0; s->utils && pos < b->cpus; pos++)
		(void)sdpower_util_start(&s->utils[pos], c->util_half_life_ns, 0);
}

sdpower_status sdpower_init(void *memory, size_t size, const struct sdpower_config *config,
	sdpower **out)
{
	struct sdpower_i_bounds bounds;
	struct sdpower_i_arena arena;
	struct sdpower_i_tree *first;
	struct layout l;
	sdpower_status status;

	if (!memory || !out || (uintptr_t)memory % SDPOWER_CACHE_LINE)
		return SDPOWER_EINVAL;
	status = measure(config, &bounds);
	if (status != SDPOWER_OK)
		return status;
	if (size < size_of(config, &bounds))
		return SDPOWER_ENOSPC;
	memset(memory, 0, size_of(config, &bounds));
	arena.base = memory;
	arena.size = size;
	arena.used = 0;
	place(&arena, config, &bounds, &l);
	fill(l.s, config, &l, &bounds);
	first = &l.s->forest.trees[1];
	first->mc = config->mc;
	first->smt = config->smt;
	first->serial = 1;
	status = sdpower_i_build(&l.s->forest, first);
	if (status != SDPOWER_OK)
		return status;
	SDPOWER_ASSERT(sdpower_i_check_numbering(&l.s->forest, NULL) == SDPOWER_OK);
	SDPOWER_ASSERT(sdpower_i_check_tree(&l.s->forest, first, NULL) == SDPOWER_OK);
	sdpower_i_store_release(&l.s->forest.generation, 1);
	*out = l.s;
	return SDPOWER_OK;
}

uint32_t sdpower_cpu_count(const sdpower *s)
{
	return s ? s->forest.cpu_count : 0;
}
