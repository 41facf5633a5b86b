/* SPDX-License-Identifier: MIT */
/* Newidle trackers: what is accepted, the first state, the average idle period (rule N2). */
#include "dq.h"
#include "newidle.h"

#define FIRST_CALLS 512u
#define FIRST_HITS 256u
#define FIRST_RATIO 512u

static sdpower_status check_rules(const struct sdpower_newidle_rules *r)
{
	if (!r || r->struct_size != sizeof(*r) || r->reserved)
		return SDPOWER_EINVAL;
	if (r->mode >= SDPOWER_NEWIDLE_MODES)
		return SDPOWER_ENOSYS;
	if (r->tick_bits != 32 && r->tick_bits != 64)
		return SDPOWER_EINVAL;
	if (!r->hz || r->hz > SDPOWER_NEWIDLE_HZ_MAX || !r->cpus || r->cpus > SDPOWER_MAX_CPUS)
		return SDPOWER_ERANGE;
	return SDPOWER_OK;
}

static sdpower_status check_dq(const struct sdpower_newidle *t)
{
	if (!t->dq || t->dq->level_count != t->level_count)
		return SDPOWER_EINVAL;
	return sdpower_i_dq_check(t->dq);
}

sdpower_status sdpower_i_newidle_check(const struct sdpower_newidle *t)
{
	sdpower_status status;

	if (!t || t->struct_size != sizeof(*t) || t->reserved)
		return SDPOWER_EINVAL;
	if (!t->cpu || t->cpu->struct_size != sizeof(*t->cpu) || t->cpu->reserved)
		return SDPOWER_EINVAL;
	if (t->level_count && (!t->levels || t->level_stride < sizeof(*t->levels) ||
			t->level_stride % sizeof(uint64_t)))
		return SDPOWER_EINVAL;
	status = check_rules(t->rules);
	if (status || !sdpower_i_newidle_is_dq(t->rules))
		return status;
	return check_dq(t);
}

static void first_level(const struct sdpower_newidle_rules *r, struct sdpower_newidle_level *l,
	uint64_t now_ns, uint64_t tick)
{
	l->calls = FIRST_CALLS;
	l->hits = FIRST_HITS;
	l->ratio = FIRST_RATIO;
	l->cost_ns = 0;
	l->stamp = sdpower_i_tick_add(r, tick, 0);
	l->last_balance = l->stamp;
	l->window_ns = now_ns;
}

sdpower_status sdpower_newidle_init(const struct sdpower_newidle *t, uint64_t now_ns,
	uint64_t tick)
{
	const sdpower_status status = sdpower_i_newidle_check(t);

	if (status)
		return status;
	t->cpu->avg_idle_ns = 2 * t->rules->migration_cost_ns;
	t->cpu->max_cost_ns = t->rules->migration_cost_ns;
	t->cpu->idle_since_ns = 0;
	t->cpu->next_balance = sdpower_i_tick_add(t->rules, tick, 0);
	for (uint32_t i = 0; i < t->level_count; i++)
		first_level(t->rules, sdpower_i_newidle_level(t, i), now_ns, tick);
	return sdpower_i_newidle_is_dq(t->rules) ? sdpower_dq_init(t->dq, now_ns) : SDPOWER_OK;
}

/*
 * An eighth of a 64-bit difference, toward zero: differences below 8 ns change nothing. What is
 * above 2^63 counts as negative, as it did in the originals.
 */
static uint64_t eighth(uint64_t difference)
{
	if (difference >> 63)
		return 0 - ((0 - difference) >> 3);
	return difference >> 3;
}

sdpower_status sdpower_newidle_wake(const struct sdpower_newidle *t, uint64_t now_ns)
{
	const sdpower_status status = sdpower_i_newidle_check(t);
	struct sdpower_newidle_cpu *cpu;
	sdpower_status told = 0;
	uint64_t cap;

	if (status)
		return status;
	cpu = t->cpu;
	/* To dq a period lasts on while pulled work runs, to the average it does not. */
	if (sdpower_i_newidle_is_dq(t->rules))
		told = sdpower_dq_wake(t->dq, now_ns);
	if (!cpu->idle_since_ns)
		return told;
	cap = 2 * cpu->max_cost_ns;
	cpu->avg_idle_ns += eighth(now_ns - cpu->idle_since_ns - cpu->avg_idle_ns);
	if (cpu->avg_idle_ns > cap)
		cpu->avg_idle_ns = cap;
	cpu->idle_since_ns = 0;
	return 1;
}

const char *sdpower_newidle_mode_name(uint32_t mode)
{
	switch (mode) {
#define SDPOWER_X(name, value, text) case value: return text;
	SDPOWER_NEWIDLE_MODE_LIST(SDPOWER_X)
#undef SDPOWER_X
	default:
		return "?";
	}
}
