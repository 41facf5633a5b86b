/* SPDX-License-Identifier: MIT */
/* Placing a forest in the caller's block, and filling what never changes. */
#include "place.h"
#include "templates.h"

#include "../topology/table.h"

#include <sdpower/instance.h>

static uint16_t *take16(struct sdpower_i_arena *arena, uint32_t count)
{
	return sdpower_i_arena_take(arena, (size_t)count * sizeof(uint16_t));
}

/* Ids are dense, but a machine may have more nodes than cpus. */
static uint32_t ids_of(const struct sdpower_i_bounds *b)
{
	return b->cpus > b->distances ? b->cpus : b->distances;
}

static void place_numbering(struct sdpower_i_arena *arena, const struct sdpower_i_bounds *b,
	struct sdpower_i_numbering *n)
{
	n->pos_of = take16(arena, b->cpus);
	n->cpu_at = take16(arena, b->cpus);
	n->block_at = take16(arena, b->cpus);
	n->blocks = sdpower_i_arena_take(arena, (size_t)b->blocks * sizeof(*n->blocks));
	for (uint32_t key = 0; key < SDPOWER_I_KEYS; key++)
		n->key[key] = take16(arena, b->cpus);
	n->capacity = take16(arena, b->cpus);
	n->priority = b->priorities ? take16(arena, b->priorities) : NULL;
	n->node_first = take16(arena, b->distances + 1);
	n->distances = take16(arena, b->distances * b->distances);
	n->node_id = sdpower_i_arena_take(arena, (size_t)b->distances * sizeof(*n->node_id));
	n->os_id = sdpower_i_arena_take(arena, (size_t)b->cpus * sizeof(*n->os_id));
}

static void place_tree(struct sdpower_i_arena *arena, const struct sdpower_i_bounds *b,
	struct sdpower_i_tree *t)
{
	t->domains = sdpower_i_arena_take(arena, (size_t)b->domains * sizeof(*t->domains));
	t->groups = sdpower_i_arena_take(arena, (size_t)b->groups * sizeof(*t->groups));
	t->runs = sdpower_i_arena_take(arena, (size_t)b->runs * sizeof(*t->runs));
	t->links = sdpower_i_arena_take(arena, (size_t)b->cpus * b->depth * sizeof(*t->links));
	t->depth = take16(arena, b->cpus);
	t->active = take16(arena, b->blocks);
	t->partition = take16(arena, b->cpus);
	t->state = take16(arena, b->cpus);
}

static void place_layer(struct sdpower_i_arena *arena, const struct sdpower_i_bounds *b,
	struct sdpower_i_layer *l)
{
	l->lead = take16(arena, b->cpus);
	l->weight = take16(arena, b->cpus);
	l->groups = take16(arena, b->cpus);
	l->domain = take16(arena, b->cpus);
	l->power = sdpower_i_arena_take(arena, (size_t)b->cpus * sizeof(*l->power));
}

static struct sdpower_i_scratch *place_scratch(struct sdpower_i_arena *arena, uint32_t tree_rules,
	const struct sdpower_i_bounds *b)
{
	struct sdpower_i_scratch *s = sdpower_i_arena_take(arena, sizeof(*s));
	struct sdpower_i_scratch unused;
	struct sdpower_i_scratch *into = s ? s : &unused;

	for (uint32_t i = 0; i < b->layers; i++)
		place_layer(arena, b, &into->layers[i]);
	into->steps = sdpower_i_arena_take(arena, (SDPOWER_I_LAYERS + b->levels) * sizeof(*into->steps));
	into->first_of = take16(arena, ids_of(b));
	into->group_index = take16(arena, b->cpus);
	into->next_depth = take16(arena, b->cpus);
	into->node_online = take16(arena, b->distances);
	into->taken = take16(arena, b->distances);
	into->next_span = take16(arena, b->distances);
	into->covered = take16(arena, b->distances);
	into->node_cpus = take16(arena, b->distances);
	if (tree_rules == SDPOWER_TREE_MODERN) {
		place_layer(arena, b, &into->layers[SDPOWER_I_LAYER_MAP]);
		into->label = take16(arena, b->cpus);
		into->other_label = take16(arena, b->cpus);
		into->numa.distance = take16(arena, b->levels);
		into->numa.weight = sdpower_i_arena_take(arena, b->levels * sizeof(uint32_t));
	}
	into->verdicts = sdpower_i_arena_take(arena, (size_t)b->domains * sizeof(*into->verdicts));
	return s;
}

void sdpower_i_place(struct sdpower_i_arena *arena, uint32_t tree_rules,
	const struct sdpower_i_bounds *b, struct sdpower_i_ground *ground)
{
	place_numbering(arena, b, &ground->numbering);
	place_tree(arena, b, &ground->trees[0]);
	place_tree(arena, b, &ground->trees[1]);
	ground->scratch = place_scratch(arena, tree_rules, b);
}

static void point_at(struct sdpower_i_forest *f, const struct sdpower_i_numbering *n)
{
	f->pos_of = n->pos_of;
	f->cpu_at = n->cpu_at;
	f->block_at = n->block_at;
	f->blocks = n->blocks;
	for (uint32_t key = 0; key < SDPOWER_I_KEYS; key++)
		f->key[key] = n->key[key];
	f->capacity = n->capacity;
	f->priority = n->priority;
	f->node_first = n->node_first;
	f->distances = n->distances;
	f->node_id = n->node_id;
	f->os_id = n->os_id;
}

static void first_states(const struct sdpower_i_forest *f, const struct sdpower_topology *t,
	struct sdpower_i_tree *tree)
{
	for (sdpower_cpu cpu = 0; cpu < t->cpu_count; cpu++) {
		const uint32_t pos = f->pos_of[cpu];
		uint32_t state = 0;

		if (!(sdpower_i_table_cpu(t, cpu)->flags & SDPOWER_CPU_OFFLINE))
			state |= SDPOWER_I_ONLINE;
		if (!t->allowed || sdpower_i_bits_has(t->allowed, t->allowed_words, cpu))
			state |= SDPOWER_I_ALLOWED;
		tree->state[pos] = (uint16_t)state;
		tree->partition[pos] = 0;
	}
	tree->partition_count = 1;
}

void sdpower_i_plant(struct sdpower_i_forest *f, const struct sdpower_topology *t,
	const struct sdpower_i_bounds *b, const struct sdpower_i_ground *ground)
{
	sdpower_i_order(t, &ground->numbering);
	point_at(f, &ground->numbering);
	f->bounds = *b;
	f->cpu_count = b->cpus;
	f->block_count = f->block_at[b->cpus - 1] + 1u;
	f->node_count = b->distances;
	f->id_count = ids_of(b);
	f->node_ids = f->node_id[f->node_count - 1] + 1;
	f->depth_max = b->depth;
	f->arch = t->arch;
	for (uint32_t level = 0; level < SDPOWER_I_CLASSIC_LEVELS; level++)
		f->templates[level] = sdpower_i_template_of(t->arch, level);
	f->overlapping = t->overlapping;
	for (uint32_t pos = 1; pos < b->cpus; pos++) {
		const uint16_t *core = &f->key[SDPOWER_I_KEY_CORE][pos];

		f->unequal |= f->capacity[pos] != f->capacity[0];
		f->threads |= core[0] != SDPOWER_I_NONE16 && core[0] == core[-1];
	}
	f->scratch = ground->scratch;
	f->trees[0] = ground->trees[0];
	f->trees[1] = ground->trees[1];
	first_states(f, t, &f->trees[1]);
}
