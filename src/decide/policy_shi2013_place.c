/* SPDX-License-Identifier: MIT */
/* Rule U3: the policy of 2013 places a task into the lowest level that has room for it. */
#include "decide.h"
#include "policy.h"

/* A question whose task has been worked out. */
struct search {
	const struct sdpower_shi2013_machine *machine;
	const struct sdpower_shi2013_task *task;
	struct sdpower_i_mask affinity;
	uint64_t share;  /* of the task, as measured */
	uint64_t demand; /* what a level must have left: the share, or all of a cpu for a new task */
};

static const struct sdpower_shi2013_cpu *cpu_of(const struct search *q, sdpower_cpu cpu)
{
	return &q->machine->cpus[cpu];
}

static int is_wakeup(const struct search *q)
{
	return q->task->operation == SDPOWER_SHI2013_WAKE;
}

/* Short naps mean bursts: what is there may need whole cpus at once, whatever the past says. */
static int is_bursty(const struct search *q, sdpower_cpu cpu)
{
	return q->task->stage == SDPOWER_SHI2013_FINAL && is_wakeup(q) &&
		cpu_of(q, cpu)->avg_idle_ns < q->task->burst_ns;
}

static uint32_t potential(const struct search *q, sdpower_cpu cpu)
{
	if (is_bursty(q, cpu))
		return sdpower_i_policy_nr(cpu_of(q, cpu)) * SDPOWER_I_FULL;
	return sdpower_i_policy_potential(cpu_of(q, cpu));
}

static uint64_t capacity(const struct search *q, sdpower_cpu cpu)
{
	const struct sdpower_shi2013_cpu *c = cpu_of(q, cpu);
	uint64_t left;

	if (q->task->stage == SDPOWER_SHI2013_EARLIER)
		return SDPOWER_I_FULL;
	left = (uint64_t)c->power * sdpower_i_policy_left(c) / SDPOWER_I_FULL;
	return left ? left : 1;
}

/*
 * Only tasks below a quarter of a cpu join others ("transitory"): one that is larger, or grows,
 * would delay them.
 */
static int fits_beside(const struct search *q, sdpower_cpu cpu)
{
	return potential(q, cpu) + 4 * q->share < SDPOWER_I_FULL;
}

static int is_allowed(const struct search *q, sdpower_cpu cpu)
{
	return sdpower_i_mask_has(q->affinity, cpu);
}

/*
 * Adds up a level and finds the group with the least room that has any; of equals the first
 * from the own group on. ID_NONE when the level is full or no group has room.
 */
static uint32_t find_leader(const struct search *q, const struct sdpower_shi2013_level *level,
	struct sdpower_shi2013_placed *place)
{
	const uint32_t own = sdpower_i_policy_group_of(level, q->task->cpu);
	uint32_t leader = SDPOWER_ID_NONE;
	uint64_t least = UINT64_MAX;

	place->util = place->capacity = 0;
	for (uint32_t nth = 0; nth < level->group_count; nth++) {
		const uint32_t index = sdpower_i_policy_ring(level, own, nth);
		const struct sdpower_i_policy_group g = sdpower_i_policy_group(level, index);
		uint64_t util = 0, room = 0;

		for (const sdpower_cpu *c = g.first; c < g.end; c++) {
			util += potential(q, *c);
			room += capacity(q, *c);
		}
		place->util += util;
		place->capacity += room;
		if (room > util && room - util < least) {
			least = room - util;
			leader = index;
		}
	}
	return place->util + q->demand < place->capacity ? leader : SDPOWER_ID_NONE;
}

/* The cpu that asks if the task fits there; else the fullest of the group where it does. */
static sdpower_cpu leader_cpu(const struct search *q, struct sdpower_i_policy_group g)
{
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t most = 0;

	if (is_allowed(q, q->task->cpu) && fits_beside(q, q->task->cpu))
		return q->task->cpu;
	for (const sdpower_cpu *c = g.first; c < g.end; c++) {
		if (!is_allowed(q, *c) || !fits_beside(q, *c))
			continue;
		if (found == SDPOWER_CPU_NONE || potential(q, *c) > most) {
			found = *c;
			most = potential(q, *c);
		}
	}
	return found;
}

static sdpower_cpu least_loaded(const struct search *q, struct sdpower_i_policy_group g)
{
	sdpower_cpu found = SDPOWER_CPU_NONE;
	uint32_t least = 0;

	for (const sdpower_cpu *c = g.first; c < g.end; c++) {
		const uint32_t load = sdpower_i_policy_load(cpu_of(q, *c));

		if (!is_allowed(q, *c))
			continue;
		if (found == SDPOWER_CPU_NONE || load < least ||
		    (load == least && *c == q->task->cpu)) {
			found = *c;
			least = load;
		}
	}
	return found;
}

/* Threads of one core gain nothing from sharing one of them. */
static int may_pack(const struct search *q, const struct sdpower_shi2013_level *level)
{
	return q->task->stage == SDPOWER_SHI2013_FINAL && is_wakeup(q) &&
		!(level->flags & SDPOWER_SHI2013_SHARES_CORE);
}

/* True iff the level has room on a cpu that is allowed; place holds the answer then. */
static int try_level(const struct search *q, uint32_t depth, struct sdpower_shi2013_placed *place)
{
	const struct sdpower_shi2013_level *level = &q->machine->levels[depth];
	const uint32_t leader = find_leader(q, level, place);
	struct sdpower_i_policy_group g;

	if (leader == SDPOWER_ID_NONE)
		return 0;
	g = sdpower_i_policy_group(level, leader);
	place->reason = SDPOWER_REASON_POWER | SDPOWER_REASON_PACKED;
	place->cpu = may_pack(q, level) ? leader_cpu(q, g) : SDPOWER_CPU_NONE;
	if (place->cpu == SDPOWER_CPU_NONE) {
		place->reason = SDPOWER_REASON_POWER;
		place->cpu = least_loaded(q, g);
	}
	place->depth = depth;
	place->leader = *g.first;
	return place->cpu != SDPOWER_CPU_NONE;
}

/* The first level that ends the walk of a wake-up: it is tried last, and without a flag. */
static int is_affine(const struct search *q, const struct sdpower_shi2013_level *level)
{
	return is_wakeup(q) && level->flags & SDPOWER_SHI2013_WAKE_AFFINE &&
		is_allowed(q, q->task->cpu) &&
		sdpower_i_policy_group_of(level, q->task->previous) != SDPOWER_ID_NONE;
}

static int try_levels(const struct search *q, struct sdpower_shi2013_placed *place)
{
	static const uint8_t flags[] = {
		[SDPOWER_SHI2013_FORK] = SDPOWER_SHI2013_BALANCE_FORK,
		[SDPOWER_SHI2013_EXEC] = SDPOWER_SHI2013_BALANCE_EXEC,
		[SDPOWER_SHI2013_WAKE] = SDPOWER_SHI2013_BALANCE_WAKE,
	};
	const uint32_t flag = flags[q->task->operation];

	for (uint32_t depth = 0; depth < q->machine->level_count; depth++) {
		const struct sdpower_shi2013_level *level = &q->machine->levels[depth];

		if (is_affine(q, level))
			return try_level(q, depth, place);
		if (level->flags & flag && try_level(q, depth, place))
			return 1;
	}
	return 0;
}

static struct sdpower_shi2013_placed answer(sdpower_cpu cpu, uint32_t reason)
{
	return (struct sdpower_shi2013_placed){ .struct_size = sizeof(struct sdpower_shi2013_placed),
		.cpu = cpu, .reason = reason, .depth = SDPOWER_ID_NONE, .leader = SDPOWER_CPU_NONE };
}

/* The cpu of a task that may run on one only; NONE when there are several or none. */
static sdpower_cpu only_cpu(const struct search *q)
{
	sdpower_cpu only = SDPOWER_CPU_NONE;

	for (sdpower_cpu cpu = 0; cpu < q->machine->cpu_count; cpu++) {
		if (!is_allowed(q, cpu))
			continue;
		if (only != SDPOWER_CPU_NONE)
			return SDPOWER_CPU_NONE;
		only = cpu;
	}
	return only;
}

/* busy / (total + 1) in 1024ths; the short division wherever it is exact. */
static uint64_t task_share(const struct sdpower_shi2013_task *task)
{
	const uint64_t busy = (uint64_t)task->busy * SDPOWER_I_FULL;

	if (task->total == UINT32_MAX)
		return busy >> 32;
	return sdpower_i_divide(busy, task->total + 1);
}

static sdpower_status check(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_task *task, const struct sdpower_shi2013_placed *place)
{
	sdpower_status status;

	if (!machine || !task || !place || task->struct_size != sizeof(*task) ||
	    place->struct_size != sizeof(*place) || task->reserved)
		return SDPOWER_EINVAL;
	if (task->stage > SDPOWER_SHI2013_EARLIER || task->is_new > 1 ||
	    task->operation > SDPOWER_SHI2013_WAKE)
		return SDPOWER_EINVAL;
	status = sdpower_i_policy_check(machine, task->cpu, task->policy);
	if (!status && task->previous >= machine->cpu_count)
		status = SDPOWER_ENOENT;
	for (uint32_t i = 0; !status && i < machine->level_count; i++)
		status = sdpower_i_policy_check_level(machine, &machine->levels[i], task->cpu);
	return status;
}

sdpower_status sdpower_shi2013_place(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_task *task, struct sdpower_shi2013_placed *place)
{
	struct search q = { .machine = machine, .task = task };
	const sdpower_status status = check(machine, task, place);
	sdpower_cpu only;

	if (status)
		return status;
	q.affinity = (struct sdpower_i_mask){ task->affinity, task->affinity_words };
	only = only_cpu(&q);
	if (only != SDPOWER_CPU_NONE) {
		*place = answer(only, only == task->previous ? SDPOWER_REASON_PREVIOUS :
			SDPOWER_REASON_AFFINITY);
	} else if (task->policy == SDPOWER_SHI2013_PERFORMANCE) {
		*place = answer(SDPOWER_CPU_NONE, SDPOWER_REASON_ORDINARY);
	} else {
		q.share = task_share(task);
		q.demand = task->is_new ? SDPOWER_I_FULL : q.share;
		*place = answer(SDPOWER_CPU_NONE, SDPOWER_REASON_NO_ROOM);
		if (!try_levels(&q, place))
			*place = answer(SDPOWER_CPU_NONE, SDPOWER_REASON_NO_ROOM);
	}
	return SDPOWER_OK;
}
