/* SPDX-License-Identifier: MIT */
/* Kind migrate: which tasks of one queue move. */
#include "vectors.h"
#include <sdpower/move.h>

#define TASKS 256u
#define COST_NS 500000u

struct queue {
	uint64_t id, tries, failed, amount, count;
	int64_t buddy;
	struct sdpower_move_task task[TASKS];
};

static int read_queue(struct vec_line *line, struct queue *q)
{
	vec_word(line, "B");
	q->id = vec_number(line);
	q->tries = vec_number(line);
	q->failed = vec_number(line);
	q->amount = vec_number(line);
	q->buddy = vec_signed(line);
	q->count = vec_number(line);
	if (q->count > TASKS)
		return 0;
	for (uint64_t i = 0; i < q->count; i++) {
		struct sdpower_move_task *t = &q->task[i];

		t->weight = (uint32_t)vec_number(line);
		t->flags = vec_number(line) ? SDPOWER_TASK_ALLOWED : 0;
		t->flags |= vec_number(line) ? SDPOWER_TASK_RUNNING : 0;
		t->flags |= vec_number(line) ? SDPOWER_TASK_UNFAIR : 0;
		t->flags |= (int64_t)i == q->buddy ? SDPOWER_TASK_BUDDY : 0;
		t->idle_ns = vec_signed(line);
	}
	vec_word(line, "=");
	return !line->bad;
}

static void compare(struct vec_run *run, const struct queue *q)
{
	struct vec_line *line = &run->line;
	struct sdpower_move m = { .struct_size = sizeof(m), .amount = q->amount, .pinned = 1,
		.move_hot = q->failed > q->tries, .cost_ns = COST_NS };
	uint64_t taken[TASKS], count = 0, pulled;
	sdpower_status verdict = SDPOWER_MOVE_LEAVE;

	for (uint64_t i = 0; i < q->count && verdict < SDPOWER_MOVE_LAST; i++) {
		verdict = sdpower_move_offer(&m, &q->task[i]);
		if (verdict == SDPOWER_MOVE_TAKE || verdict == SDPOWER_MOVE_LAST)
			taken[count++] = i;
	}
	vec_expect(run, "moved", vec_signed(line), (int64_t)m.moved);
	vec_expect(run, "all_pinned", vec_signed(line), q->amount ? m.pinned : 0);
	pulled = vec_number(line);
	vec_expect(run, "npulled", (int64_t)pulled, (int64_t)count);
	vec_expect(run, "tasks", (int64_t)count, m.tasks);
	for (uint64_t i = 0; i < pulled; i++)
		vec_expect(run, "index", vec_signed(line), i < count ? (int64_t)taken[i] : -1);
	vec_expect(run, "complete", 1, vec_complete(line));
}

void vec_migrate(struct vec_run *run)
{
	struct queue q;

	while (vec_next(run)) {
		if (!read_queue(&run->line, &q)) {
			vec_malformed(run, "B");
			continue;
		}
		vec_begin(run, q.id);
		compare(run, &q);
	}
}
