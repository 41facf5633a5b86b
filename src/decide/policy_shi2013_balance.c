/* SPDX-License-Identifier: MIT */
/* Rule U4: whether the policy of 2013 pulls for power, leaves it to the ordinary rules, or waits. */
#include "decide.h"
#include "policy.h"

/* A quiet time of half the record, and hardly anything in the half before. */
#define QUIET_MASK 0xffffffffu
#define OLD_BITS 32
#define OLD_MOST 4u
#define RECORD_INTERVALS 8u

/* What the attempt has come to so far; POWER until something speaks against it. */
enum course {
	COURSE_POWER,
	COURSE_ORDINARY,
	COURSE_NOTHING
};

struct sums {
	uint64_t util, load;
	uint32_t nr;
};

/* One attempt. Groups are named by index; min and leader hold their sums. */
struct attempt {
	const struct sdpower_shi2013_machine *machine;
	const struct sdpower_shi2013_level *level;
	const struct sdpower_shi2013_attempt *asked;
	struct sums min_sums;
	uint64_t leader_util;
	uint32_t own, min, leader, reason;
	enum course course;
};

static void turn(struct attempt *a, enum course course, uint32_t reason)
{
	a->course = course;
	a->reason = reason;
}

/* Below 2^32 tasks: 65535 on each of 65534 cpus. */
static struct sums add_up(const struct attempt *a, struct sdpower_i_policy_group g)
{
	struct sums s = { 0, 0, 0 };

	for (const sdpower_cpu *c = g.first; c < g.end; c++) {
		const struct sdpower_shi2013_cpu *cpu = &a->machine->cpus[*c];

		s.util += sdpower_i_policy_potential(cpu);
		s.load += sdpower_i_policy_load(cpu);
		s.nr += sdpower_i_policy_nr(cpu);
	}
	return s;
}

static sdpower_cpu first_of(const struct attempt *a, uint32_t group)
{
	return *sdpower_i_policy_group(a->level, group).first;
}

static int better_min(const struct attempt *a, const struct sums *s, uint32_t group)
{
	if (a->min == SDPOWER_ID_NONE || s->util != a->min_sums.util)
		return a->min == SDPOWER_ID_NONE || s->util < a->min_sums.util;
	return first_of(a, group) > first_of(a, a->min);
}

static int better_leader(const struct attempt *a, const struct sums *s, uint32_t group)
{
	if (a->leader == SDPOWER_ID_NONE || s->util != a->leader_util)
		return a->leader == SDPOWER_ID_NONE || s->util > a->leader_util;
	return first_of(a, group) < first_of(a, a->leader);
}

/* Counts cpus, not capacity: with threads a group is full here long after it is for U3. */
static void look_at(struct attempt *a, uint32_t group)
{
	const struct sdpower_i_policy_group g = sdpower_i_policy_group(a->level, group);
	const uint64_t full = (uint64_t)(g.end - g.first) * SDPOWER_I_FULL;
	const struct sums s = add_up(a, g);
	const int has_room = s.util + SDPOWER_I_FULL <= full;

	if (group == a->own && (!s.nr || !has_room) && a->course == COURSE_POWER)
		turn(a, COURSE_NOTHING, SDPOWER_REASON_NO_ROOM);
	if (s.util > full)
		turn(a, COURSE_ORDINARY, SDPOWER_REASON_OVERUTILISED);
	if (a->course != COURSE_POWER || !s.nr)
		return;
	if (better_min(a, &s, group)) {
		a->min = group;
		a->min_sums = s;
	}
	if (has_room && better_leader(a, &s, group)) {
		a->leader = group;
		a->leader_util = s.util;
	}
}

static uint32_t count_bits(uint32_t bits)
{
	uint32_t count = 0;

	for (; bits; bits &= bits - 1)
		count++;
	return count;
}

/* Ordinary balancing spreads what power balancing packed: after one, wait until it was the last. */
static int is_quiet(uint64_t record)
{
	return !(record & QUIET_MASK) && count_bits((uint32_t)(record >> OLD_BITS)) <= OLD_MOST;
}

/* The last questions of an attempt that nothing spoke against; may wipe an old record. */
static void gate(struct attempt *a, uint64_t *record)
{
	if (a->leader != a->own || a->leader == a->min) {
		turn(a, COURSE_NOTHING, SDPOWER_REASON_NOT_LEADER);
		return;
	}
	if (a->asked->since_ms > (uint64_t)RECORD_INTERVALS * a->asked->max_interval_ms)
		*record = 0;
	if (!is_quiet(*record))
		turn(a, COURSE_NOTHING, SDPOWER_REASON_LAZY);
}

/* The first idle cpu of the own group balances, else its first; whoever goes idle always does. */
static int is_in_charge(const struct attempt *a)
{
	const struct sdpower_i_policy_group g = sdpower_i_policy_group(a->level, a->own);

	if (a->asked->idle == SDPOWER_CPU_NEWLY_IDLE)
		return 1;
	for (const sdpower_cpu *c = g.first; c < g.end; c++)
		if (!a->machine->cpus[*c].nr)
			return *c == a->asked->cpu;
	return *g.first == a->asked->cpu;
}

static struct attempt start(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_attempt *asked)
{
	const struct sdpower_shi2013_level *level = &machine->levels[asked->depth];
	struct attempt a = { .machine = machine, .level = level, .asked = asked,
		.own = sdpower_i_policy_group_of(level, asked->cpu), .min = SDPOWER_ID_NONE,
		.leader = SDPOWER_ID_NONE, .reason = SDPOWER_REASON_POWER, .course = COURSE_POWER };

	if (asked->policy == SDPOWER_SHI2013_PERFORMANCE || asked->idle == SDPOWER_CPU_NOT_IDLE ||
	    level->flags & SDPOWER_SHI2013_SHARES_CORE)
		turn(&a, COURSE_ORDINARY, SDPOWER_REASON_ORDINARY);
	return a;
}

static void decide(struct attempt *a, struct sdpower_shi2013_balanced *balance)
{
	balance->balance = (uint32_t)is_in_charge(a);
	if (!balance->balance) {
		a->reason |= SDPOWER_REASON_NOT_BALANCER;
		if (a->course == COURSE_POWER)
			turn(a, COURSE_NOTHING, SDPOWER_REASON_NOT_BALANCER);
	} else if (a->course == COURSE_POWER) {
		for (uint32_t nth = 0; nth < a->level->group_count; nth++)
			look_at(a, sdpower_i_policy_ring(a->level, a->own, nth));
	}
	balance->record = a->asked->record << 1 | (a->course == COURSE_ORDINARY);
	if (a->course == COURSE_POWER)
		gate(a, &balance->record);
}

static void fill(const struct attempt *a, struct sdpower_shi2013_balanced *balance)
{
	balance->reason = a->reason;
	balance->leader = a->leader;
	balance->min = a->min;
	if (a->course == COURSE_POWER) {
		balance->mode = SDPOWER_SHI2013_DO_PULL;
		balance->group = a->min;
		balance->imbalance = sdpower_i_divide(a->min_sums.load, a->min_sums.nr);
	} else if (a->course == COURSE_ORDINARY) {
		balance->mode = SDPOWER_SHI2013_DO_BALANCE;
	}
}

static sdpower_status check(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_attempt *attempt, const struct sdpower_shi2013_balanced *balance)
{
	sdpower_status status;

	if (!machine || !attempt || !balance || attempt->struct_size != sizeof(*attempt) ||
	    balance->struct_size != sizeof(*balance) || attempt->idle > SDPOWER_CPU_NEWLY_IDLE)
		return SDPOWER_EINVAL;
	status = sdpower_i_policy_check(machine, attempt->cpu, attempt->policy);
	if (!status && attempt->depth >= machine->level_count)
		status = SDPOWER_ENOENT;
	if (!status)
		status = sdpower_i_policy_check_level(machine, &machine->levels[attempt->depth],
			attempt->cpu);
	return status;
}

sdpower_status sdpower_shi2013_balance(const struct sdpower_shi2013_machine *machine,
	const struct sdpower_shi2013_attempt *attempt, struct sdpower_shi2013_balanced *balance)
{
	const sdpower_status status = check(machine, attempt, balance);
	struct attempt a;

	if (status)
		return status;
	*balance = (struct sdpower_shi2013_balanced){ .struct_size = sizeof(*balance),
		.mode = SDPOWER_SHI2013_DO_NOTHING, .group = SDPOWER_ID_NONE };
	a = start(machine, attempt);
	decide(&a, balance);
	fill(&a, balance);
	return SDPOWER_OK;
}
