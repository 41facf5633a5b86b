/* SPDX-License-Identifier: MIT */
/* Rules D14 and D15: balancing one level once, failures, and what they lead to. */
#include "attempt.h"
#include "../port.h"

#include <sdpower/types.h>

/* Pinned tasks may slow a level down to this, whatever its own maximum, ms. */
#define PINNED_INTERVAL 512u
/* Failures beyond the level's tries after which a running task is asked for. */
#define PATIENCE 2u
/* The same for a newly idle cpu, which has no tries. */
#define NEWIDLE_PATIENCE 2u
#define WAKEUP_LEVEL 2u

/* Threads of a core whose level above does not save power: a busy sibling matters. */
static int minds_siblings(const struct sdpower_i_attempt *a)
{
	return a->level.flags & SDPOWER_SD_SHARE_CPUPOWER && !a->level.saves_above;
}

static int sibling_is_busy(const struct sdpower_i_attempt *a)
{
	return !a->sd_idle && minds_siblings(a);
}

static enum sdpower_i_attempt_step end(struct sdpower_i_attempt *a, int32_t result)
{
	a->result = result;
	return SDPOWER_I_ATTEMPT_END;
}

/* Cpus that push a task here read it (D17). */
static void set_failed(struct sdpower_i_pace *pace, uint32_t failed)
{
	sdpower_i_store(&pace->failed, failed);
}

static void back_off(const struct sdpower_i_attempt *a, struct sdpower_i_pace *pace)
{
	if ((a->all_pinned && pace->interval < PINNED_INTERVAL) ||
			pace->interval < a->level.max_interval)
		pace->interval *= 2;
}

static enum sdpower_i_attempt_step end_resting(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace)
{
	back_off(a, pace);
	return end(a, sibling_is_busy(a) ? -1 : 0);
}

static enum sdpower_i_attempt_step end_balanced(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace)
{
	a->balanced = 1;
	if (!a->newidle) {
		set_failed(pace, 0);
		return end_resting(a, pace);
	}
	if (sibling_is_busy(a))
		return end(a, -1);
	set_failed(pace, 0);
	return end(a, 0);
}

/* The pass found a queue: the interval shrinks unless a push is under way. */
static enum sdpower_i_attempt_step end_active(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int32_t moved)
{
	if (!a->pushing)
		pace->interval = a->level.min_interval;
	else if (pace->interval < a->level.max_interval)
		pace->interval *= 2;
	return end(a, !moved && sibling_is_busy(a) ? -1 : moved);
}

static enum sdpower_i_attempt_step nothing_moved_newidle(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace)
{
	uint32_t before;

	if (sibling_is_busy(a) || a->level.wakeup_level < WAKEUP_LEVEL)
		return end(a, -1);
	before = pace->failed;
	set_failed(pace, before + 1);
	return before < NEWIDLE_PATIENCE ? end(a, -1) : SDPOWER_I_ATTEMPT_RUNNING;
}

static enum sdpower_i_attempt_step nothing_moved(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace)
{
	a->failed = 1;
	if (a->newidle)
		return nothing_moved_newidle(a, pace);
	set_failed(pace, pace->failed + 1);
	if (pace->failed > a->level.tries + PATIENCE)
		return SDPOWER_I_ATTEMPT_RUNNING;
	return end_active(a, pace, 0);
}

enum sdpower_i_attempt_step sdpower_i_attempt_start(struct sdpower_i_attempt *a,
	const struct sdpower_i_attempt_level *level, uint32_t idle)
{
	a->level = *level;
	a->newidle = idle == SDPOWER_CPU_NEWLY_IDLE;
	a->sd_idle = idle != SDPOWER_CPU_NOT_IDLE && minds_siblings(a);
	a->all_pinned = a->pushing = a->failed = a->balanced = 0;
	a->balancer = 1;
	a->result = 0;
	return SDPOWER_I_ATTEMPT_SEARCH;
}

enum sdpower_i_attempt_step sdpower_i_attempt_searched(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, const struct sdpower_i_attempt_found *found)
{
	a->sd_idle = found->sd_idle;
	if (!a->newidle)
		a->balancer = found->balancer;
	if (!a->balancer || !found->queue)
		return end_balanced(a, pace);
	return found->nr > 1 ? SDPOWER_I_ATTEMPT_MOVE : nothing_moved(a, pace);
}

enum sdpower_i_attempt_step sdpower_i_attempt_moved(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int32_t moved, enum sdpower_i_pinned pinned)
{
	if (pinned != SDPOWER_I_PINNED_SAME)
		a->all_pinned = pinned == SDPOWER_I_PINNED_ALL;
	if (a->all_pinned)
		return SDPOWER_I_ATTEMPT_SEARCH;
	if (!moved)
		return nothing_moved(a, pace);
	set_failed(pace, 0);
	return a->newidle ? end(a, moved) : end_active(a, pace, moved);
}

enum sdpower_i_attempt_step sdpower_i_attempt_running(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int allowed)
{
	if (allowed)
		return SDPOWER_I_ATTEMPT_KICK;
	if (a->newidle)
		return end(a, 0);
	a->all_pinned = 1;
	return end_resting(a, pace);
}

enum sdpower_i_attempt_step sdpower_i_attempt_kicked(struct sdpower_i_attempt *a,
	struct sdpower_i_pace *pace, int newly)
{
	if (a->newidle)
		return end(a, 0);
	a->pushing = newly != 0;
	set_failed(pace, a->level.tries + 1);
	return end_active(a, pace, 0);
}
