/* SPDX-License-Identifier: MIT */
/* Rules D16 and P12: which tasks of a queue may move. */
#include <sdpower/move.h>

static int is_hot(const struct sdpower_move *m, const struct sdpower_move_task *t)
{
	if (t->flags & SDPOWER_TASK_BUDDY)
		return 1;
	if (t->flags & SDPOWER_TASK_UNFAIR || m->cost_ns == 0)
		return 0;
	return m->cost_ns == UINT32_MAX || t->idle_ns < (int64_t)m->cost_ns;
}

/* Half of a task may be too much, not more. */
static int weighs_too_much(const struct sdpower_move *m, const struct sdpower_move_task *t)
{
	return !m->one && t->weight / 2 > m->amount - m->moved;
}

static int may_move(struct sdpower_move *m, const struct sdpower_move_task *t)
{
	if (!(t->flags & SDPOWER_TASK_ALLOWED))
		return 0;
	m->pinned = 0;
	if (t->flags & SDPOWER_TASK_RUNNING)
		return 0;
	return m->move_hot || !is_hot(m, t);
}

/* Native rules: too heavy is not pinned, and nothing beyond the amount but the first task. */
static int may_move_native(struct sdpower_move *m, const struct sdpower_move_task *t)
{
	const uint32_t util = t->util ? t->util : SDPOWER_SCALE;

	if (!(t->flags & SDPOWER_TASK_ALLOWED))
		return 0;
	m->pinned = 0;
	if (t->flags & SDPOWER_TASK_RUNNING || util > m->util_most)
		return 0;
	if (t->weight > (m->tasks ? m->amount - m->moved : m->most))
		return 0;
	return m->move_hot || !is_hot(m, t);
}

static int is_left(struct sdpower_move *m, const struct sdpower_move_task *t)
{
	if (m->native)
		return !may_move_native(m, t);
	return weighs_too_much(m, t) || !may_move(m, t);
}

static int is_done(const struct sdpower_move *m)
{
	if (m->one || (m->native && !m->tasks))
		return m->tasks != 0;
	return m->moved >= m->amount;
}

sdpower_status sdpower_move_offer(struct sdpower_move *m, const struct sdpower_move_task *t)
{
	if (!m || !t || m->struct_size != sizeof(*m))
		return SDPOWER_EINVAL;
	if (is_done(m) || (!m->one && m->examined >= SDPOWER_MOVE_EXAMINED))
		return SDPOWER_MOVE_STOP;
	m->examined++;
	if (is_left(m, t))
		return SDPOWER_MOVE_LEAVE;
	m->moved += t->weight;
	m->tasks++;
	m->hot_tasks += (uint32_t)is_hot(m, t);
	return is_done(m) ? SDPOWER_MOVE_LAST : SDPOWER_MOVE_TAKE;
}
