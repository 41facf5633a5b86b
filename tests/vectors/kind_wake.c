/* SPDX-License-Identifier: MIT */
/* Kind wake: wake idle and select, with the gates of 2.6.30 and of the v4 series. */
#include "vectors.h"

struct question {
	uint64_t id, tree, mc, smt, wake_flags, pref;
	uint32_t affinity[2];
	struct sdpower_wake wake;
	struct vec_state state;
};

static void read_question(struct vec_line *line, struct question *q)
{
	uint64_t mask, has_mm, kthread, buddy, sync;

	vec_word(line, "K");
	q->id = vec_number(line);
	q->tree = vec_number(line);
	q->mc = vec_number(line);
	q->smt = vec_number(line);
	q->wake_flags = vec_number(line);
	q->wake = (struct sdpower_wake){ .struct_size = sizeof(q->wake), .affinity_words = 2 };
	q->wake.waker = (uint32_t)vec_number(line);
	q->wake.prev = (uint32_t)vec_number(line);
	q->pref = vec_number(line);
	q->wake.weight = (uint32_t)vec_number(line);
	mask = vec_mask(line);
	q->affinity[0] = (uint32_t)mask;
	q->affinity[1] = (uint32_t)(mask >> 32);
	has_mm = vec_number(line);
	kthread = vec_number(line);
	q->wake.since_ran_ns = vec_number(line);
	buddy = vec_number(line);
	sync = vec_number(line);
	q->wake.flags = (!has_mm || kthread ? SDPOWER_WAKE_SYSTEM : 0u) |
		(buddy ? SDPOWER_WAKE_CACHE_HOT : 0u) | (sync ? SDPOWER_WAKE_SYNC : 0u);
	q->wake.waker_overlap_ns = (uint32_t)vec_number(line);
	q->wake.task_overlap_ns = (uint32_t)vec_number(line);
	q->wake.waker_weight = (uint32_t)vec_number(line);
	vec_read_state(line, &q->state);
	vec_word(line, "=");
}

static void ask(struct vec_run *run, struct question *q, uint32_t rules, const char *suffix,
	int64_t wake_idle, int64_t selected)
{
	struct sdpower *s = vec_tree_instance(run->trees, (unsigned)q->tree, (uint32_t)q->mc,
		(uint32_t)q->smt, rules, (uint32_t)q->wake_flags);
	struct sdpower_pick pick = { SDPOWER_CPU_NONE, 0 };
	char field[32];

	if (!s || sdpower_nominate(s, (uint32_t)q->pref)) {
		vec_expect(run, "status", 0, -1);
		return;
	}
	vec_store_state(s, &q->state, vec_tree_cpus(run->trees, (unsigned)q->tree), q->id);
	q->wake.affinity = q->affinity;
	snprintf(field, sizeof(field), "wake_idle%s", suffix);
	vec_expect(run, field, wake_idle, sdpower_wake_idle(s, &q->wake, &pick) ? -2 :
		(int64_t)pick.cpu);
	snprintf(field, sizeof(field), "select%s", suffix);
	vec_expect(run, field, selected, sdpower_select_cpu(s, &q->wake, &pick) ? -2 :
		(int64_t)pick.cpu);
}

static void replay(struct vec_run *run)
{
	struct vec_line *line = &run->line;
	struct question q;
	int64_t expected[4];

	read_question(line, &q);
	for (unsigned i = 0; i < 4; i++)
		expected[i] = vec_signed(line);
	if (!vec_complete(line)) {
		vec_malformed(run, "K");
		return;
	}
	vec_begin(run, q.id);
	ask(run, &q, SDPOWER_DECIDE_CLASSIC_30, "", expected[0], expected[1]);
	ask(run, &q, SDPOWER_DECIDE_CLASSIC, "_v4", expected[2], expected[3]);
}

void vec_wake(struct vec_run *run)
{
	while (vec_next(run))
		replay(run);
}
