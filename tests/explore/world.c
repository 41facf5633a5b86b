/* SPDX-License-Identifier: MIT */
/* States in and out of an instance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "world.h"

/* Long after the start, so that every level is due. */
#define LATE 2500u
#define BITS 4u

unsigned world_count(uint64_t state, unsigned cpu, unsigned kind)
{
	return state >> (cpu * WORLD_KINDS + kind) * BITS & ((1u << BITS) - 1);
}

uint64_t world_add(uint64_t state, unsigned cpu, unsigned kind)
{
	return state + (UINT64_C(1) << (cpu * WORLD_KINDS + kind) * BITS);
}

unsigned world_nr(uint64_t state, unsigned cpu)
{
	return world_count(state, cpu, 0) + world_count(state, cpu, 1);
}

unsigned world_nr_of(uint64_t state, uint32_t cpus)
{
	unsigned sum = 0;

	for (unsigned cpu = 0; cpu < WORLD_CPUS; cpu++)
		sum += cpus >> cpu & 1 ? world_nr(state, cpu) : 0;
	return sum;
}

unsigned world_tasks(uint64_t state)
{
	return world_nr_of(state, UINT32_MAX);
}

static void moved(void *listener, uint64_t tick, int task, unsigned from, unsigned to,
	unsigned kind)
{
	struct world *w = listener;

	(void)tick;
	if (w->moves < WORLD_MOVES)
		w->move[w->moves] = (struct world_move){ from, to, w->kind_of[task], kind == 2 };
	w->moves++;
}

static void add_domain(struct world *w, const struct world_domain *d)
{
	for (uint32_t i = 0; i < w->domains; i++)
		if (w->domain[i].span == d->span && w->domain[i].group[0] == d->group[0])
			return;
	w->domain[w->domains++] = *d;
}

static void read_domains(struct world *w)
{
	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		for (uint32_t depth = 0; depth < WORLD_LEVELS; depth++) {
			struct sdpower_domain_info info = { .struct_size = sizeof(info) };
			struct sdpower_group_info group = { .struct_size = sizeof(group) };
			struct world_domain d = { .groups = 0 };
			struct sdpower_domain at;

			if (sdpower_domain_at(w->t.s, cpu, depth, &at))
				break;
			if (depth + 1 > w->depth)
				w->depth = depth + 1;
			if (sdpower_domain_describe(w->t.s, at, &info) ||
					sdpower_domain_span(w->t.s, at, &d.span, 1))
				abort();
			for (uint32_t i = 0; i < info.groups && i < WORLD_GROUPS; i++)
				if (sdpower_domain_group(w->t.s, at, i, &group, &d.group[i], 1))
					abort();
			d.flags = info.flags;
			d.groups = info.groups;
			add_domain(w, &d);
		}
}

static void read_cpu(struct world *w, unsigned cpu)
{
	const struct sdpower_cpu_desc *d = &w->t.machine.cpus[cpu];

	w->capacity[cpu] = d->capacity;
	w->first_thread[cpu] = d->smt == 0;
	w->core[cpu] = d->package * WORLD_CPUS + d->core;
	w->package[cpu] = d->package;
	w->node[cpu] = d->node;
}

/* The first walk of a cpu only starts its records: they are to be old when states are asked. */
static void remember_clean(struct world *w)
{
	loop_start(&w->loop);
	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		(void)loop_walk(&w->loop, cpu, SDPOWER_BALANCE_NEWIDLE, 0);
	w->clean = malloc(w->size);
	memcpy(w->clean, w->t.memory, w->size);
}

bool world_open(struct world *w)
{
	w->t = (struct test_instance){ .config = { .mc = w->mc, .smt = w->smt,
		.decisions = w->decisions, .tree = w->tree, .flags = SDPOWER_CONFIG_DRIVER } };
	w->clean = NULL;
	w->domains = w->depth = 0;
	if (test_make(&w->t, w->machine) || sdpower_cpu_count(w->t.s) > WORLD_CPUS ||
			sdpower_memory_needed(&w->t.config, &w->size, NULL))
		return false;
	w->cpus = sdpower_cpu_count(w->t.s);
	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		read_cpu(w, cpu);
	read_domains(w);
	w->loop = (struct loop){ .s = w->t.s, .walk = w->walk, .walk_size = sizeof(w->walk),
		.cpus = w->cpus, .moved = moved, .listener = w, .tells_util = w->kind[0].util != 0 };
	remember_clean(w);
	return true;
}

void world_close(struct world *w)
{
	free(w->clean);
	test_drop(&w->t);
}

/* Decayed loads as if the state had been so for long. */
static void settle(struct world *w, unsigned cpu)
{
	struct sdpower_cpu_state c = { .struct_size = sizeof(c) };

	if (sdpower_get_cpu(w->t.s, cpu, &c))
		abort();
	for (unsigned k = 0; k < SDPOWER_LOAD_INDICES; k++)
		c.cpu_load[k] = c.load;
	if (sdpower_set_cpu(w->t.s, cpu, &c))
		abort();
}

static int add_tasks(struct world *w, uint64_t state, unsigned cpu, unsigned kind, int next)
{
	for (unsigned i = world_count(state, cpu, kind); i; i--, next++) {
		w->loop.task[next] = (struct loop_task){ .weight = w->kind[kind].weight,
			.util = w->kind[kind].util, .affinity = w->kind[kind].affinity, .cpu = LOOP_NOBODY };
		w->kind_of[next] = (uint8_t)kind;
		loop_arrive(&w->loop, next, cpu);
	}
	return next;
}

void world_load(struct world *w, uint64_t state, unsigned front)
{
	int next = 0;

	memcpy(w->t.memory, w->clean, w->size);
	loop_start(&w->loop);
	for (unsigned cpu = 0; cpu < w->cpus; cpu++) {
		next = add_tasks(w, state, cpu, !front, next);
		next = add_tasks(w, state, cpu, front, next);
		settle(w, cpu);
	}
	w->loop.tick = LATE;
	w->moves = 0;
}

static uint64_t read_state(const struct world *w)
{
	uint64_t state = 0;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		for (unsigned i = 0; i < w->loop.queue[cpu].count; i++)
			state = world_add(state, cpu, w->kind_of[w->loop.queue[cpu].task[i]]);
	return state;
}

static void walk_once(struct world *w, unsigned cpu, enum world_walk walk)
{
	(void)loop_walk(&w->loop, cpu,
		walk == WORLD_NEWIDLE ? SDPOWER_BALANCE_NEWIDLE : SDPOWER_BALANCE_TICK,
		walk == WORLD_TICK_BUSY ? SDPOWER_CPU_NOT_IDLE : SDPOWER_CPU_IDLE);
	for (unsigned i = 0; i < w->cpus; i++)
		(void)loop_walk(&w->loop, i, SDPOWER_BALANCE_PUSH, 0);
}

/* While power is saved, who found nothing asks again when it has waited longer than any bound. */
uint64_t world_walk(struct world *w, uint64_t state, unsigned cpu, enum world_walk walk,
	unsigned front)
{
	world_load(w, state, front);
	walk_once(w, cpu, walk);
	w->impatient = w->moves == 0 && (w->mc || w->smt);
	if (w->impatient) {
		w->loop.tick += LATE;
		walk_once(w, cpu, walk);
	}
	return read_state(w);
}

const char *world_text(const struct world *w, uint64_t state)
{
	static char text[WORLD_CPUS * 8];
	size_t at = 0;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u%.*s", cpu ? " " : "",
			world_count(state, cpu, 0), (int)world_count(state, cpu, 1), "aaaaaaa");
	return text;
}
