/* SPDX-License-Identifier: MIT */
/* Promises of docs/POLICY.md, part I, for one walk and for rest. */
#include "claims.h"

#define SPREAD_PERCENT 95u

static bool saves_power(const struct world *w)
{
	return w->mc || w->smt;
}

static bool went_astray(const struct world *w)
{
	for (uint32_t i = 0; i < w->moves && i < WORLD_MOVES; i++)
		if (!(w->kind[w->move[i].kind].affinity >> w->move[i].to & 1))
			return true;
	return false;
}

static unsigned active_groups(const struct world_domain *d, uint64_t state)
{
	unsigned active = 0;

	for (uint32_t i = 0; i < d->groups; i++)
		active += world_nr_of(state, d->group[i]) > 0;
	return active;
}

/* A task alone on a small cpu of the group, all larger ones of which are used. */
static bool has_misfit(const struct world *w, uint64_t state, uint32_t group)
{
	uint32_t most_unused = 0, least_used = UINT32_MAX;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++) {
		if (!(group >> cpu & 1))
			continue;
		if (world_nr(state, cpu) && w->capacity[cpu] < least_used)
			least_used = w->capacity[cpu];
		if (!world_nr(state, cpu) && w->capacity[cpu] > most_unused)
			most_unused = w->capacity[cpu];
	}
	return least_used < SDPOWER_SCALE && most_unused <= least_used;
}

/* More tasks than a group takes while power is saved: what goes beyond may wake another one. */
static bool is_overfull(const struct world *w, uint64_t state, uint32_t group)
{
	unsigned cores = 0;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++) {
		if (!(group >> cpu & 1))
			continue;
		if (world_nr(state, cpu) > 1)
			return true;
		cores += w->smt || w->first_thread[cpu];
	}
	return world_nr_of(state, group) > cores || has_misfit(w, state, group);
}

static bool any_overfull(const struct world *w, const struct world_domain *d, uint64_t state)
{
	for (uint32_t i = 0; i < d->groups; i++)
		if (is_overfull(w, state, d->group[i]))
			return true;
	return false;
}

/* I6: without overload, saving power never takes more groups into use. */
static bool woke_a_group_of(const struct world *w, const struct world_domain *d, uint64_t before,
	uint64_t after)
{
	return d->flags & SDPOWER_SD_POWERSAVINGS &&
		world_nr_of(before, d->span) == world_nr_of(after, d->span) &&
		active_groups(d, after) > active_groups(d, before) && !any_overfull(w, d, before);
}

static bool woke_a_group(const struct world *w, uint64_t before, uint64_t after)
{
	for (uint32_t i = 0; i < w->domains; i++)
		if (woke_a_group_of(w, &w->domain[i], before, after))
			return true;
	return false;
}

/* Weighted load of a cpu. */
static uint64_t load_of(const struct world *w, uint64_t state, unsigned cpu)
{
	uint64_t sum = 0;

	for (unsigned kind = 0; kind < w->kinds; kind++)
		sum += (uint64_t)world_count(state, cpu, kind) * w->kind[kind].weight;
	return sum;
}

static uint64_t squares(const struct world *w, uint64_t state)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		sum += load_of(w, state, cpu) * load_of(w, state, cpu);
	return sum;
}

static bool all_alike(const struct world *w)
{
	for (unsigned cpu = 1; cpu < w->cpus; cpu++)
		if (w->capacity[cpu] != w->capacity[0])
			return false;
	return true;
}

static bool pulled_only(const struct world *w)
{
	for (uint32_t i = 0; i < w->moves && i < WORLD_MOVES; i++)
		if (w->move[i].pushed)
			return false;
	return w->moves > 0;
}

/* I9: what waits moves downhill; what runs may move on the level, to where it runs better. */
static bool moved_uphill(const struct world *w, uint64_t before, uint64_t after)
{
	const uint64_t was = squares(w, before), is = squares(w, after);

	return pulled_only(w) ? is >= was : is > was;
}

const char *claims_of_walk(const struct world *w, uint64_t before, uint64_t after)
{
	if (went_astray(w))
		return "I4: a task may not run where it went";
	if (w->moves && before == after)
		return "I7: moved for nothing";
	if (before != after && all_alike(w) && !saves_power(w) && moved_uphill(w, before, after))
		return "I9: moved uphill";
	if (saves_power(w) && !w->impatient && woke_a_group(w, before, after))
		return "I6: a group was woken";
	return NULL;
}

static bool has_task_for(const struct world *w, uint64_t state, unsigned from, unsigned to)
{
	for (unsigned kind = 0; kind < w->kinds; kind++)
		if (world_count(state, from, kind) && w->kind[kind].affinity >> to & 1)
			return true;
	return false;
}

static uint64_t share_of(const struct world *w, uint64_t state, unsigned cpu)
{
	uint64_t sum = 0;

	for (unsigned kind = 0; kind < w->kinds; kind++)
		sum += (uint64_t)world_count(state, cpu, kind) *
			(w->kind[kind].util ? w->kind[kind].util : SDPOWER_SCALE);
	return sum;
}

/* With both knobs 2 several tasks may stay on a cpu that can do them. */
static bool gives_tasks(const struct world *w, uint64_t state, unsigned cpu)
{
	return world_nr(state, cpu) > 1 && (w->mc != 2 || w->smt != 2 ||
		100 * share_of(w, state, cpu) > SPREAD_PERCENT * (uint64_t)w->capacity[cpu]);
}

/* I1, I2: a cpu without tasks beside waiting ones that may run there. */
static bool wastes_a_cpu(const struct world *w, uint64_t state)
{
	for (unsigned to = 0; to < w->cpus; to++)
		for (unsigned from = 0; from < w->cpus; from++)
			if (!world_nr(state, to) && gives_tasks(w, state, from) &&
					has_task_for(w, state, from, to))
				return true;
	return false;
}

static bool all_free(const struct world *w)
{
	for (unsigned kind = 0; kind < w->kinds; kind++)
		if (w->kind[kind].affinity != UINT32_MAX)
			return false;
	return true;
}

static unsigned used_threads(const struct world *w, uint64_t state, unsigned cpu)
{
	unsigned used = 0;

	for (unsigned other = 0; other < w->cpus; other++)
		used += w->core[other] == w->core[cpu] && world_nr(state, other) > 0;
	return used;
}

/* While threads are not to be filled: a core shared beside an unused one of its node. */
static bool crowds_a_core(const struct world *w, uint64_t state)
{
	for (unsigned from = 0; from < w->cpus; from++)
		for (unsigned to = 0; to < w->cpus; to++)
			if (world_nr(state, from) && used_threads(w, state, from) > 1 &&
					!used_threads(w, state, to) && w->node[from] == w->node[to] &&
					has_task_for(w, state, from, to))
				return true;
	return false;
}

/* Tasks a group takes while power is saved. */
static unsigned room_of(const struct world *w, uint32_t group)
{
	unsigned room = 0;

	for (unsigned cpu = 0; cpu < w->cpus; cpu++)
		if (group >> cpu & 1)
			room += w->smt || w->first_thread[cpu];
	return room;
}

static uint32_t package_of(const struct world *w, unsigned cpu)
{
	uint32_t package = 0;

	for (unsigned other = 0; other < w->cpus; other++)
		if (w->package[other] == w->package[cpu])
			package |= 1u << other;
	return package;
}

/* A level over the whole machine whose groups are its packages. */
static bool is_of_packages(const struct world *w, const struct world_domain *d)
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < d->groups; i++) {
		if (d->group[i] != package_of(w, (unsigned)__builtin_ctz(d->group[i])))
			return false;
		all |= d->group[i];
	}
	return all == (1u << w->cpus) - 1;
}

/* Equal packages and tasks: more of them in use than the tasks need. */
static bool wastes_a_package(const struct world *w, uint64_t state)
{
	for (uint32_t i = 0; i < w->domains; i++) {
		const struct world_domain *d = &w->domain[i];
		const unsigned room = room_of(w, d->group[0]);

		if (d->flags & SDPOWER_SD_POWERSAVINGS && is_of_packages(w, d) &&
				active_groups(d, state) > (world_tasks(state) + room - 1) / room)
			return true;
	}
	return false;
}

const char *claims_of_rest(const struct world *w, uint64_t state)
{
	if (wastes_a_cpu(w, state))
		return "I1: a cpu without work beside waiting tasks";
	if (!saves_power(w) && all_alike(w) && all_free(w) && crowds_a_core(w, state))
		return "a core is shared beside an unused one";
	if (saves_power(w) && all_alike(w) && w->kinds == 1 && wastes_a_package(w, state))
		return "more packages in use than the tasks need";
	return NULL;
}
