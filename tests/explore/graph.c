/* SPDX-License-Identifier: MIT */
/* Every state is numbered, every walk from it made once, and ways are followed to their end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "graph.h"

#define NOWHERE UINT32_MAX
/* From one state: each cpu, idle twice or busy once, either kind of task in front. */
#define WAYS (WORLD_CPUS * 2u * WORLD_KINDS)

enum colour { UNSEEN, ON_THE_WAY, DONE };

struct graph {
	struct world *w;
	const struct graph_claims *claims;
	struct graph_report *r;
	uint32_t count, room, buckets;
	uint64_t *state;
	uint32_t *bucket;           /* numbers of states by hash */
	uint32_t (*to)[WAYS];       /* NOWHERE = does not change the state */
	uint8_t (*moves)[WAYS];
	uint32_t *longest;          /* moves to rest, once known */
	uint8_t *colour;            /* enum colour */
	uint8_t *step;              /* ways followed so far */
};

static void fault(struct graph *g, uint64_t state, const char *what, uint64_t other)
{
	const struct world *w = g->w;

	if (g->r->faults++)
		return;
	snprintf(g->r->first, sizeof(g->r->first), "%s mc=%u smt=%u: %s: ", w->machine, w->mc, w->smt,
		what);
	strncat(g->r->first, world_text(w, state), 64);
	if (other != state) {
		strncat(g->r->first, " -> ", 5);
		strncat(g->r->first, world_text(w, other), 64);
	}
}

static uint32_t hash(const struct graph *g, uint64_t state)
{
	return (uint32_t)(state * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (g->buckets - 1);
}

/* The place of a state in the table: its number, or NOWHERE when it is new. */
static uint32_t *find(const struct graph *g, uint64_t state)
{
	uint32_t at = hash(g, state);

	while (g->bucket[at] != NOWHERE && g->state[g->bucket[at]] != state)
		at = (at + 1) & (g->buckets - 1);
	return &g->bucket[at];
}

static void enlarge(struct graph *g)
{
	g->room = g->room ? g->room * 2 : 1024;
	g->buckets = g->room * 4;
	g->state = realloc(g->state, g->room * sizeof(*g->state));
	g->bucket = realloc(g->bucket, g->buckets * sizeof(*g->bucket));
	memset(g->bucket, 0xff, g->buckets * sizeof(*g->bucket));
	for (uint32_t i = 0; i < g->count; i++)
		*find(g, g->state[i]) = i;
}

static void add(struct graph *g, uint64_t state)
{
	uint32_t *place;

	if (g->count == g->room)
		enlarge(g);
	place = find(g, state);
	if (*place != NOWHERE)
		return;
	*place = g->count;
	g->state[g->count++] = state;
}

static unsigned total(const struct world *w, uint64_t state, unsigned kind)
{
	unsigned sum = 0;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		sum += world_count(state, cpu, kind);
	return sum;
}

static void add_states(struct graph *g, const uint32_t *most, uint32_t most_all)
{
	add(g, 0);
	for (uint32_t i = 0; i < g->count; i++)
		for (unsigned kind = 0; kind < g->w->kinds; kind++)
			for (unsigned cpu = 0; cpu < g->w->cpus; cpu++)
				if (world_tasks(g->state[i]) < most_all &&
						total(g->w, g->state[i], kind) < most[kind] &&
						g->w->kind[kind].affinity >> cpu & 1)
					add(g, world_add(g->state[i], cpu, kind));
}

static void walk(struct graph *g, uint32_t from, uint32_t way, unsigned cpu,
	enum world_walk kind, unsigned front)
{
	const uint64_t before = g->state[from];
	const uint64_t after = world_walk(g->w, before, cpu, kind, front);
	const char *wrong = g->claims->walk ? g->claims->walk(g->w, before, after) : NULL;

	g->r->walks++;
	if (g->w->loop.refused || g->w->loop.unpaired)
		wrong = "a call was refused";
	if (wrong)
		fault(g, before, wrong, after);
	if (after == before)
		return;
	g->r->moving++;
	g->to[from][way] = *find(g, after);
	g->moves[from][way] = (uint8_t)g->w->moves;
	if (g->to[from][way] == NOWHERE)
		fault(g, before, "a task was lost or went astray", after);
}

static void walk_all(struct graph *g, uint32_t from)
{
	const uint64_t state = g->state[from];
	uint32_t way = 0;

	memset(g->to[from], 0xff, sizeof(g->to[from]));
	for (unsigned front = 0; front < g->w->kinds; front++)
		for (unsigned cpu = 0; cpu < g->w->cpus; cpu++) {
			if (world_nr(state, cpu)) {
				walk(g, from, way++, cpu, WORLD_TICK_BUSY, front);
				continue;
			}
			walk(g, from, way++, cpu, WORLD_NEWIDLE, front);
			walk(g, from, way++, cpu, WORLD_TICK_IDLE, front);
		}
}

static int is_rest(const struct graph *g, uint32_t i)
{
	for (uint32_t way = 0; way < WAYS; way++)
		if (g->to[i][way] != NOWHERE)
			return 0;
	return 1;
}

static void check_rest(struct graph *g, uint32_t i)
{
	const char *wrong = g->claims->rest ? g->claims->rest(g->w, g->state[i]) : NULL;

	g->r->rests++;
	if (wrong)
		fault(g, g->state[i], wrong, g->state[i]);
}

/* A way from state i by its last step taken goes on from `next`, whose longest way is known. */
static void note_length(struct graph *g, uint32_t i, uint32_t next)
{
	const uint32_t length = g->moves[i][g->step[i] - 1] + g->longest[next];

	if (length > g->longest[i])
		g->longest[i] = length;
}

/* The next state on the way from i that is still to be followed; NOWHERE when i is done. */
static uint32_t step_on(struct graph *g, uint32_t i)
{
	while (g->step[i] < WAYS) {
		const uint32_t next = g->to[i][g->step[i]++];

		if (next == NOWHERE)
			continue;
		if (g->colour[next] == UNSEEN)
			return next;
		if (g->colour[next] == DONE)
			note_length(g, i, next);
		else
			fault(g, g->state[next], "I7: a cycle", g->state[i]);
	}
	return NOWHERE;
}

/* Longest ways by depth first search; a way that meets itself is a cycle. */
static void follow(struct graph *g, uint32_t start, uint32_t *stack)
{
	uint32_t depth = 1;

	stack[0] = start;
	g->colour[start] = ON_THE_WAY;
	while (depth) {
		const uint32_t i = stack[depth - 1], next = step_on(g, i);

		if (next != NOWHERE) {
			g->colour[next] = ON_THE_WAY;
			stack[depth++] = next;
			continue;
		}
		g->colour[i] = DONE;
		if (--depth)
			note_length(g, stack[depth - 1], i);
	}
}

static void follow_all(struct graph *g)
{
	uint32_t *stack = calloc(g->count, sizeof(*stack));

	for (uint32_t i = 0; i < g->count; i++) {
		if (!g->colour[i])
			follow(g, i, stack);
		if (g->longest[i] > g->r->longest)
			g->r->longest = g->longest[i];
	}
	free(stack);
}

void graph_explore(struct world *w, const uint32_t *most, uint32_t most_all,
	const struct graph_claims *claims, struct graph_report *r)
{
	struct graph g = { .w = w, .claims = claims, .r = r };

	memset(r, 0, sizeof(*r));
	add_states(&g, most, most_all);
	g.to = malloc(g.count * sizeof(*g.to));
	g.moves = calloc(g.count, sizeof(*g.moves));
	g.longest = calloc(g.count, sizeof(*g.longest));
	g.colour = calloc(g.count, 1);
	g.step = calloc(g.count, 1);
	r->states = g.count;
	for (uint32_t i = 0; i < g.count; i++) {
		walk_all(&g, i);
		if (is_rest(&g, i))
			check_rest(&g, i);
	}
	follow_all(&g);
	free(g.state);
	free(g.bucket);
	free(g.to);
	free(g.moves);
	free(g.longest);
	free(g.colour);
	free(g.step);
}
