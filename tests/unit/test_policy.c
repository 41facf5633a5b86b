/* SPDX-License-Identifier: MIT */
/* Description: the policy of 2013 refuses nonsense and names its reasons. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <sdpower.h>

/* Two packages of two cores, numbered alternately: package 0 = cpus 0 2, package 1 = cpus 1 3. */
static const sdpower_cpu members[] = { 0, 2, 1, 3 };
static const uint32_t one_each[] = { 1, 2 }, two_each[] = { 2, 4 };
static struct sdpower_shi2013_cpu cpus[4];
static struct sdpower_shi2013_level levels[2];
static struct sdpower_shi2013_machine machine;
static struct sdpower_shi2013_task task;
static struct sdpower_shi2013_attempt attempt;

#define ALL_FLAGS 31u

static int setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		cpus[i] = (struct sdpower_shi2013_cpu){ .power = SDPOWER_SHI2013_POWER,
			.avg_idle_ns = 1000000 };
	levels[0] = (struct sdpower_shi2013_level){ .flags = ALL_FLAGS - 1 - 2, .group_count = 2,
		.group_end = one_each, .members = members };
	levels[1] = (struct sdpower_shi2013_level){ .flags = ALL_FLAGS - 1 - 2, .group_count = 2,
		.group_end = two_each, .members = members };
	machine = (struct sdpower_shi2013_machine){ .struct_size = sizeof(machine), .cpu_count = 4,
		.cpu_stride = sizeof(cpus[0]), .level_count = 2, .cpus = cpus, .levels = levels };
	task = (struct sdpower_shi2013_task){ .struct_size = sizeof(task),
		.policy = SDPOWER_SHI2013_POWERSAVING, .operation = SDPOWER_SHI2013_WAKE,
		.burst_ns = SDPOWER_SHI2013_BURST_NS, .busy = 100, .total = 1023 };
	attempt = (struct sdpower_shi2013_attempt){ .struct_size = sizeof(attempt),
		.policy = SDPOWER_SHI2013_POWERSAVING, .depth = 1, .idle = SDPOWER_CPU_IDLE,
		.max_interval_ms = 8 };
	return 0;
}

static struct sdpower_shi2013_placed place(void)
{
	struct sdpower_shi2013_placed p = { .struct_size = sizeof(p) };

	assert_int_equal(sdpower_shi2013_place(&machine, &task, &p), SDPOWER_OK);
	return p;
}

static struct sdpower_shi2013_balanced balance(void)
{
	struct sdpower_shi2013_balanced b = { .struct_size = sizeof(b) };

	assert_int_equal(sdpower_shi2013_balance(&machine, &attempt, &b), SDPOWER_OK);
	return b;
}

static void run(sdpower_cpu cpu, uint32_t nr, uint32_t util)
{
	cpus[cpu].nr = nr;
	cpus[cpu].util = util;
	cpus[cpu].load = nr * 1024;
}

static void a_small_task_stays_with_the_waker(void **state)
{
	struct sdpower_shi2013_placed p;

	(void)state;
	run(0, 1, 200);
	p = place();
	assert_int_equal(p.cpu, 0);
	assert_int_equal(p.reason, SDPOWER_REASON_POWER | SDPOWER_REASON_PACKED);
	assert_int_equal(p.depth, 0);
	assert_int_equal(p.leader, 0);
	assert_int_equal(p.util, 200);
	assert_int_equal(p.capacity, 2048);
}

static void a_larger_task_gets_the_least_loaded_cpu_of_the_leader(void **state)
{
	struct sdpower_shi2013_placed p;

	(void)state;
	run(2, 1, 200);
	task.busy = 256; /* a quarter: 4 * 256 + 0 is not below a whole cpu */
	p = place();
	assert_int_equal(p.cpu, 2);
	assert_int_equal(p.reason, SDPOWER_REASON_POWER);
	assert_int_equal(p.leader, 2);
	task.busy = 255;
	assert_int_equal(place().cpu, 0);
	task.busy = 256;
	task.total = 1024; /* 256 / 1025 is below a quarter */
	assert_int_equal(place().cpu, 0);
}

static void the_fullest_cpu_that_fits_is_packed(void **state)
{
	struct sdpower_shi2013_placed p;

	(void)state;
	run(0, 1, 1024);
	run(2, 1, 1024);
	run(1, 1, 100);
	run(3, 1, 300);
	p = place();
	assert_int_equal(p.cpu, 3);
	assert_int_equal(p.reason, SDPOWER_REASON_POWER | SDPOWER_REASON_PACKED);
	run(1, 1, 300);
	assert_int_equal(place().cpu, 1);
	run(1, 1, 700);
	assert_int_equal(place().cpu, 3); /* 700 + 4 * 100 is too much */
}

static void short_naps_are_bursts(void **state)
{
	(void)state;
	run(0, 1, 1);
	cpus[0].avg_idle_ns = SDPOWER_SHI2013_BURST_NS;
	assert_int_equal(place().util, 1);
	cpus[0].avg_idle_ns--;
	assert_int_equal(place().util, 1024);
	task.stage = SDPOWER_SHI2013_EARLIER;
	assert_int_equal(place().util, 1);
	task.stage = SDPOWER_SHI2013_FINAL;
	task.operation = SDPOWER_SHI2013_EXEC;
	assert_int_equal(place().util, 1);
}

static void a_full_level_hands_over_to_the_next(void **state)
{
	struct sdpower_shi2013_placed p;

	(void)state;
	run(0, 1, 1000);
	run(2, 1, 1000);
	p = place();
	assert_int_equal(p.depth, 1);
	assert_int_equal(p.leader, 0); /* room of 48: packing goes on there */
	assert_int_equal(p.cpu, 0);
	assert_int_equal(p.reason, SDPOWER_REASON_POWER);
	run(0, 1, 1024);
	run(2, 1, 1024);
	p = place();
	assert_int_equal(p.leader, 1);
	assert_int_equal(p.cpu, 1);
	run(1, 2, 1024);
	p = place();
	assert_int_equal(p.cpu, SDPOWER_CPU_NONE);
	assert_int_equal(p.reason, SDPOWER_REASON_NO_ROOM);
	assert_int_equal(p.depth, SDPOWER_ID_NONE);
	assert_int_equal(p.capacity, 0);
}

static void affinity_is_kept(void **state)
{
	const uint32_t only_3 = 8, not_0_2 = 10, none = 0;
	struct sdpower_shi2013_placed p;

	(void)state;
	task.affinity = &not_0_2;
	task.affinity_words = 1;
	run(0, 1, 100);
	assert_int_equal(place().reason, SDPOWER_REASON_NO_ROOM); /* the leader is elsewhere */
	task.affinity = &only_3;
	task.previous = 3;
	p = place();
	assert_int_equal(p.cpu, 3);
	assert_int_equal(p.reason, SDPOWER_REASON_PREVIOUS);
	task.previous = 1;
	p = place();
	assert_int_equal(p.cpu, 3);
	assert_int_equal(p.reason, SDPOWER_REASON_AFFINITY);
	task.affinity = &none;
	assert_int_equal(place().cpu, SDPOWER_CPU_NONE);
}

static void operations_look_at_their_own_flag(void **state)
{
	static const uint32_t flags[] = { SDPOWER_SHI2013_BALANCE_FORK,
		SDPOWER_SHI2013_BALANCE_EXEC, SDPOWER_SHI2013_BALANCE_WAKE };

	(void)state;
	for (uint32_t has = 0; has < 3; has++) {
		levels[0].flags = levels[1].flags = flags[has];
		for (task.operation = 0; task.operation < 3; task.operation++)
			assert_int_equal(place().depth, task.operation == has ? 0 : SDPOWER_ID_NONE);
	}
	/* The affine level needs no flag, and nothing above it is tried. */
	levels[0].flags = SDPOWER_SHI2013_WAKE_AFFINE;
	levels[1].flags = SDPOWER_SHI2013_BALANCE_WAKE;
	task.operation = SDPOWER_SHI2013_WAKE;
	assert_int_equal(place().depth, 0);
	run(0, 1, 1024);
	run(2, 1, 1024);
	assert_int_equal(place().depth, SDPOWER_ID_NONE);
	task.previous = 1;
	assert_int_equal(place().depth, 1);
}

static void numbers_at_their_limits_do_not_wrap(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		cpus[i] = (struct sdpower_shi2013_cpu){ UINT32_MAX, UINT32_MAX, UINT32_MAX,
			UINT32_MAX, UINT32_MAX, UINT32_MAX };
	/* Everything is stolen: nothing is used, and 1 is left of each cpu. */
	task.busy = 1u << 24;
	task.total = UINT32_MAX;
	assert_int_equal(place().reason, SDPOWER_REASON_NO_ROOM); /* a share of 4 */
	task.busy--;
	assert_int_equal(place().cpu, 0);
	assert_int_equal(place().capacity, 4);
	task.busy = UINT32_MAX;
	task.total = 0;
	assert_int_equal(place().reason, SDPOWER_REASON_NO_ROOM);
	task.burst_ns = UINT32_MAX;
	assert_int_equal(place().reason, SDPOWER_REASON_NO_ROOM);
	attempt.idle = SDPOWER_CPU_NEWLY_IDLE;
	attempt.record = UINT64_MAX;
	assert_int_equal(balance().record, UINT64_MAX - 1);
}

static void a_level_of_the_leader_pulls(void **state)
{
	struct sdpower_shi2013_balanced b;

	(void)state;
	attempt.cpu = 0;
	run(2, 1, 600);
	run(3, 3, 100);
	cpus[3].load = 1000;
	b = balance();
	assert_int_equal(b.mode, SDPOWER_SHI2013_DO_PULL);
	assert_int_equal(b.reason, SDPOWER_REASON_POWER);
	assert_int_equal(b.leader, 0);
	assert_int_equal(b.min, 1);
	assert_int_equal(b.group, 1);
	assert_int_equal(b.imbalance, 333);
	assert_int_equal(b.record, 0);
	attempt.cpu = 1; /* the other side waits */
	b = balance();
	assert_int_equal(b.mode, SDPOWER_SHI2013_DO_NOTHING);
	assert_int_equal(b.reason, SDPOWER_REASON_NOT_LEADER);
	assert_int_equal(b.balance, 1);
}

static void equals_are_emptied_from_above(void **state)
{
	(void)state;
	run(2, 1, 300);
	run(3, 1, 300);
	for (attempt.cpu = 0; attempt.cpu < 2; attempt.cpu++) {
		const struct sdpower_shi2013_balanced b = balance();

		assert_int_equal(b.leader, 0);
		assert_int_equal(b.min, 1);
		assert_int_equal(b.mode, attempt.cpu ? SDPOWER_SHI2013_DO_NOTHING :
			SDPOWER_SHI2013_DO_PULL);
	}
}

static void only_more_than_full_is_over_utilised(void **state)
{
	(void)state;
	run(1, 1, 1024);
	run(3, 1, 1024);
	assert_int_equal(balance().mode, SDPOWER_SHI2013_DO_NOTHING);
	run(3, 2, 513);
	/* Also for a group that has nothing to gain from it. */
	assert_int_equal(balance().mode, SDPOWER_SHI2013_DO_BALANCE);
	assert_int_equal(balance().record, 1);
}

static void every_refusal_has_its_reason(void **state)
{
	struct sdpower_shi2013_balanced b;

	(void)state;
	b = balance();
	assert_int_equal(b.mode, SDPOWER_SHI2013_DO_NOTHING);
	assert_int_equal(b.reason, SDPOWER_REASON_NO_ROOM);
	run(0, 1, 10);
	b = balance();
	assert_int_equal(b.balance, 0); /* cpu 2 is the first idle one */
	assert_int_equal(b.reason, SDPOWER_REASON_NOT_BALANCER);
	assert_int_equal(b.record, 0);
	attempt.idle = SDPOWER_CPU_NOT_IDLE;
	b = balance();
	assert_int_equal(b.mode, SDPOWER_SHI2013_DO_BALANCE);
	assert_int_equal(b.reason, SDPOWER_REASON_ORDINARY | SDPOWER_REASON_NOT_BALANCER);
	assert_int_equal(b.record, 1);
	attempt.idle = SDPOWER_CPU_NEWLY_IDLE;
	run(1, 3, 1024);
	b = balance();
	assert_int_equal(b.mode, SDPOWER_SHI2013_DO_BALANCE);
	assert_int_equal(b.reason, SDPOWER_REASON_OVERUTILISED);
	attempt.policy = SDPOWER_SHI2013_PERFORMANCE;
	assert_int_equal(balance().reason, SDPOWER_REASON_ORDINARY);
}

/* Bits 0..31 after the shift must be clear, of the others at most four set. */
static void the_record_keeps_power_waiting(void **state)
{
	static const struct {
		uint64_t record;
		uint32_t mode;
	} cases[] = {
		{ 0, SDPOWER_SHI2013_DO_PULL },
		{ 1, SDPOWER_SHI2013_DO_NOTHING },
		{ 1ull << 30, SDPOWER_SHI2013_DO_NOTHING },
		{ 0x78000000ull << 1, SDPOWER_SHI2013_DO_NOTHING },
		{ 0x80000000ull, SDPOWER_SHI2013_DO_PULL },
		{ 0x780000000ull, SDPOWER_SHI2013_DO_PULL },
		{ 0xf80000000ull, SDPOWER_SHI2013_DO_NOTHING },
		{ 0xf000000780000000ull, SDPOWER_SHI2013_DO_NOTHING },
		{ 0x8000000780000000ull, SDPOWER_SHI2013_DO_PULL },
	};

	(void)state;
	run(2, 1, 600);
	run(3, 1, 100);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sdpower_shi2013_balanced b;

		attempt.record = cases[i].record;
		b = balance();
		if (b.mode != cases[i].mode || b.record != attempt.record << 1)
			fail_msg("case %u: mode %u", i, b.mode);
		assert_int_equal(b.reason, b.mode ? SDPOWER_REASON_POWER : SDPOWER_REASON_LAZY);
	}
	attempt.record = UINT64_MAX;
	attempt.since_ms = 64;
	assert_int_equal(balance().record, UINT64_MAX - 1);
	attempt.since_ms = 65;
	assert_int_equal(balance().record, 0);
	assert_int_equal(balance().mode, SDPOWER_SHI2013_DO_PULL);
	attempt.cpu = 1;
	assert_int_equal(balance().record, UINT64_MAX - 1);
	attempt.cpu = 0;
	attempt.max_interval_ms = 0x20000001;
	assert_int_equal(balance().record, UINT64_MAX - 1); /* 8 times that is beyond 32 bits */
}

static void refused(sdpower_status wanted)
{
	struct sdpower_shi2013_placed p = { .struct_size = sizeof(p), .cpu = 99 };
	struct sdpower_shi2013_balanced b = { .struct_size = sizeof(b), .mode = 99 };

	assert_int_equal(sdpower_shi2013_place(&machine, &task, &p), wanted);
	assert_int_equal(sdpower_shi2013_balance(&machine, &attempt, &b), wanted);
	assert_int_equal(p.cpu, 99);
	assert_int_equal(b.mode, 99);
	(void)setup(NULL);
}

static void nonsense_is_refused(void **state)
{
	static const sdpower_cpu descending[] = { 2, 0, 1, 3 }, beyond[] = { 0, 2, 1, 4 };
	static const uint32_t empty_group[] = { 2, 2 }, too_far[] = { 2, 5 }, none[] = { 0, 4 };
	const struct sdpower_shi2013_level good = levels[1];

	(void)state;
	task.struct_size = attempt.struct_size = 1, refused(SDPOWER_EINVAL);
	task.policy = attempt.policy = 0, refused(SDPOWER_EINVAL);
	task.policy = attempt.policy = 3, refused(SDPOWER_EINVAL);
	task.cpu = attempt.cpu = 4, refused(SDPOWER_ENOENT);
	task.previous = 4, attempt.depth = 2, refused(SDPOWER_ENOENT);
	task.operation = 3, attempt.idle = 3, refused(SDPOWER_EINVAL);
	machine.struct_size = 0, refused(SDPOWER_EINVAL);
	machine.cpu_stride = 4, refused(SDPOWER_EINVAL);
	machine.cpus = NULL, refused(SDPOWER_EINVAL);
	machine.levels = NULL, refused(SDPOWER_EINVAL);
	machine.cpu_count = SDPOWER_MAX_CPUS + 1, refused(SDPOWER_ERANGE);
	levels[1].flags = 32, refused(SDPOWER_EINVAL);
	levels[1].group_count = 0, refused(SDPOWER_EINVAL);
	levels[1].group_count = 5, refused(SDPOWER_EINVAL);
	levels[1].group_end = NULL, refused(SDPOWER_EINVAL);
	levels[1].members = NULL, refused(SDPOWER_EINVAL);
	levels[1].members = descending, refused(SDPOWER_EINVAL);
	levels[1].members = beyond, refused(SDPOWER_EINVAL);
	levels[1].group_end = empty_group, refused(SDPOWER_EINVAL);
	levels[1].group_end = too_far, refused(SDPOWER_EINVAL);
	levels[1].group_end = none, refused(SDPOWER_EINVAL);
	levels[1] = levels[0], task.cpu = attempt.cpu = 1, refused(SDPOWER_EINVAL);
	assert_memory_equal(&levels[1], &good, sizeof(good));
}

static void what_only_placing_knows_is_refused(void **state)
{
	struct sdpower_shi2013_placed p = { .struct_size = sizeof(p) };
	struct sdpower_shi2013_balanced b = { .struct_size = sizeof(b) };

	(void)state;
	assert_int_equal(sdpower_shi2013_place(NULL, &task, &p), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_place(&machine, NULL, &p), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_place(&machine, &task, NULL), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_balance(NULL, &attempt, &b), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_balance(&machine, NULL, &b), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_balance(&machine, &attempt, NULL), SDPOWER_EINVAL);
	p.struct_size = b.struct_size = 0;
	assert_int_equal(sdpower_shi2013_place(&machine, &task, &p), SDPOWER_EINVAL);
	assert_int_equal(sdpower_shi2013_balance(&machine, &attempt, &b), SDPOWER_EINVAL);
	p.struct_size = sizeof(p);
	task.stage = 2;
	assert_int_equal(sdpower_shi2013_place(&machine, &task, &p), SDPOWER_EINVAL);
	task.stage = 0;
	task.is_new = 2;
	assert_int_equal(sdpower_shi2013_place(&machine, &task, &p), SDPOWER_EINVAL);
	task.is_new = 0;
	machine.level_count = 0;
	machine.levels = NULL;
	assert_int_equal(place().reason, SDPOWER_REASON_NO_ROOM);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_small_task_stays_with_the_waker),
		TEST(a_larger_task_gets_the_least_loaded_cpu_of_the_leader),
		TEST(the_fullest_cpu_that_fits_is_packed),
		TEST(short_naps_are_bursts),
		TEST(a_full_level_hands_over_to_the_next),
		TEST(affinity_is_kept),
		TEST(operations_look_at_their_own_flag),
		TEST(numbers_at_their_limits_do_not_wrap),
		TEST(a_level_of_the_leader_pulls),
		TEST(equals_are_emptied_from_above),
		TEST(only_more_than_full_is_over_utilised),
		TEST(every_refusal_has_its_reason),
		TEST(the_record_keeps_power_waiting),
		TEST(nonsense_is_refused),
		TEST(what_only_placing_knows_is_refused),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
